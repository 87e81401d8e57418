"""Choose the mate-in-one problems from the self-play games: ``problems.tsv`` in this folder.

    python data/mates/choose.py

makes the file again, byte for byte, by the rule of :func:`choose_problems`.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final

import chess

from chessgloss.corpora.games import of_split, read_games
from chessgloss.positions import Game
from chessgloss.predicates.tactics import mates as quick_mates
from chessgloss.skill.mates import COLUMNS, Problem, mating_moves
from chessgloss.store import data_file

#: Problems in the committed file.
PROBLEMS = 1_000

#: Splits in the order in which problems are taken; both are held out from every fit.
SPLITS: Final = ("test", "validation")
#: A position with fewer legal moves, or in which more than this share mates, is trivial.
FEWEST_MOVES = 5
LARGEST_SHARE = 0.25


def problems_of(game: Game) -> Iterator[Problem]:
    """Yield every position of a game that has a mate in one and is not trivial.

    Positions in which the mate was missed count as those in which it was played.
    """
    key = game.key
    board = chess.Board(game.root)
    for ply, uci in enumerate((*game.moves, "")):
        if quick_mates(board, board.turn):
            legal = board.legal_moves.count()
            mating = mating_moves(board)
            if legal >= FEWEST_MOVES and len(mating) <= LARGEST_SHARE * legal:
                yield Problem(key, ply, board.fen(), mating)
        if uci:
            board.push(chess.Move.from_uci(uci))


def choose_problems(games: Iterable[Game], count: int = PROBLEMS) -> list[Problem]:
    """Choose problems of held-out games, spread over phase, side and mating piece.

    The positions of the test games are put on heaps by phase, side and piece, each in an
    random order (a hash of game and ply). In turn each heap, the smallest first, gives one
    problem; a game gives one at most, a position (men and side to move) comes once. When the
    test games give no more, the validation games follow in the same way. So the first ``n``
    problems are spread too, whatever ``n``.

    Parameters
    ----------
    games
        All games; those of the training split are passed over.
    count
        Most problems to choose.
    """
    held_out = list(games)
    chosen: list[Problem] = []
    used: set[str] = set()
    for split in SPLITS:
        heaps: dict[tuple[str, str, str], list[Problem]] = defaultdict(list)
        for game in of_split(held_out, split):
            for problem in problems_of(game):
                heaps[problem.phase, problem.side, problem.piece].append(problem)
        smallest_first = sorted(heaps, key=lambda name: (len(heaps[name]), name))
        turns = zip_longest(*(sorted(heaps[name], key=_lot) for name in smallest_first))
        for problem in (each for turn in turns for each in turn if each):
            names = {problem.game, " ".join(problem.fen.split(" ")[:2])}
            if len(chosen) < count and not names & used:
                chosen.append(problem)
                used |= names
    return chosen


def _lot(problem: Problem) -> bytes:
    return hashlib.blake2b(problem.name.encode(), digest_size=8).digest()


def write_problems(path: Path, problems: Sequence[Problem]) -> None:
    """Write problems, one a line, tab-separated: game, ply, FEN, mating moves."""
    rows = [
        (each.game, str(each.ply), each.fen, " ".join(each.mates)) for each in problems
    ]
    path.write_text(
        "".join("\t".join(cells) + "\n" for cells in (COLUMNS, *rows)), "ascii"
    )


if __name__ == "__main__":
    selfplay = read_games(data_file("games/selfplay.tsv.zst"))
    write_problems(data_file("mates/problems.tsv"), choose_problems(selfplay))
