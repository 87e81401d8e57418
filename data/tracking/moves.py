"""Keep the moves that trained models say in the positions of chapters 9 and 11.

    python data/tracking/moves.py L-rap15-1 L-ap-1

Each is asked after the games that lead to the problems of `data/mates` and to the suite of
`data/static`, and `moves/NAME.tsv` keeps a hash of the game (BLAKE2b of its moves) and what was
said. Its checkpoint is the one that training left beside the store, or the committed one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import torch

from chessgloss.corpora.games import read_games
from chessgloss.skill import mates, suite
from chessgloss.skill.levels import read_level_games
from chessgloss.store import data_file
from chessgloss.tracking.player import keep_moves
from chessgloss.tracking.runs import kept_path, read_checkpoint
from chessgloss.tracking.train import work_folder


def asked_after() -> list[tuple[str, ...]]:
    """Return the games after which a move is asked for, in UCI notation."""
    games = {game.key: game for game in read_games(data_file("games/selfplay.tsv.zst"))}
    problems = mates.read_problems()
    positions = [games[each.game].position(each.ply) for each in problems]
    folder = suite.data_folder()
    played = read_level_games(folder / "games.tsv.zst")
    positions += suite.positions_of(suite.read_suite(folder / "suite.json"), played)
    return [position.moves for position in positions]


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="data/tracking/moves.py")
    parser.add_argument("runs", nargs="+", metavar="RUN", help="such as L-ap-1")
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)  # of short texts: threads would wait for each other
    try:
        for run in given.runs:
            kept = kept_path("checkpoints", run)
            trained = work_folder() / f"{run}.safetensors"
            model, training = read_checkpoint(trained if trained.is_file() else kept)
            print(keep_moves(run, model, training, asked_after()))
    except (FileNotFoundError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
