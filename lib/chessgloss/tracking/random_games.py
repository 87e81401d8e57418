"""Games of random legal moves, as long as the games of a corpus: rules without a plan.

Do random games teach the rules better than games that somebody wants to win? Every game of
the corpus has a random one beside it, of as many plies (fewer where random moves end the game),
so that sets of the same names hold as many games and nearly as many tokens:
``python -m chessgloss.tracking.random_games`` plays them, the same bytes each time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import chess
import numpy as np
from joblib import Parallel, delayed

from chessgloss.corpora.games import pack
from chessgloss.store import default_store
from chessgloss.tracking.corpus import read_corpus

#: Of the series that the chapters use.
SEED = 3


def random_games_file() -> Path:
    """Return where the random games are kept: not with the data, as they are made in minutes."""
    return default_store().root.parent / "tracking" / "random.tsv.zst"


def play_random_game(plies: int, seed: int, number: int) -> list[str]:
    """Return a game's moves in UCI: each drawn evenly among the legal ones.

    Parameters
    ----------
    plies
        Most moves; a mate or a stalemate ends the game before.
    seed, number
        Name the series and the game in it; the same two give the same moves.
    """
    generator = np.random.default_rng([seed, number])
    board = chess.Board()
    moves: list[str] = []
    while len(moves) < plies and (legal := list(board.legal_moves)):
        move = legal[int(generator.integers(len(legal)))]
        moves.append(move.uci())
        board.push(move)
    return moves


def random_lines(plies: Iterable[int], seed: int, processes: int = 1) -> Iterator[str]:
    """Yield one game a line, in the form of :mod:`chessgloss.corpora.games`."""
    jobs = (delayed(play_random_game)(int(most), seed, at) for at, most in enumerate(plies))
    played = Parallel(n_jobs=processes, batch_size=256, return_as="generator")(jobs)
    for number, moves in enumerate(played):
        yield f"{number}\trandom\trandom\t*\tunfinished\t{len(moves)}\t{' '.join(moves)}\n"


def main() -> int:
    """Play a random game beside each game of the corpus, and write them to their file."""
    plies = read_corpus().games.plies
    path = random_games_file()
    pack(random_lines([*plies, *plies[:500]], SEED, processes=2), path)
    print(f"{plies.size:,} random games and some to spare in {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
