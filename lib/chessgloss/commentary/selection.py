"""Which moves are commented on: chosen by rule, before any model is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from chessgloss.changes import kind_of
from chessgloss.corpora.lectures import Lecture, eligible, evaluated_lectures
from chessgloss.corpora.samples import phase_of
from chessgloss.positions import MoveInContext, read_move, repair_fen


@dataclass(frozen=True, slots=True)
class EvaluatedMove:
    """A move that every method comments on.

    Parameters
    ----------
    name
        What the move is called in tables and recordings: ``lec9/12`` is comment 12 (from 0)
        of lecture 9, ``ccc/figA6`` an example printed in a document.
    move
        The move.
    reference
        The human comment; ``None`` for the documents' examples, which have none.
    """

    name: str
    move: MoveInContext
    reference: str | None = None

    def __post_init__(self) -> None:
        if not self.name or self.name != self.name.strip():
            raise ValueError(f"an evaluated move needs a plain name, got {self.name!r}")

    @property
    def group(self) -> str:
        """What the move shares its source with: a lecture, or a document."""
        return self.name.split("/", 1)[0]

    @property
    def stratum(self) -> tuple[str, str]:
        """Phase of the game and kind of the move."""
        board = self.move.position.board()
        return phase_of(self.move.position.fen), kind_of(board, self.move.move)


#: The documents' moves that are printed with a FEN: figure, FEN as printed, move.
EXAMPLES = (
    ("ccc/figA1", "8/3nk3/1p4pp/1N1P1p2/1bP2KP1/3P1P2/7P/8 b - - 0 0", "Bd2+"),
    ("ccc/figA5", "N6r/1p1k1ppp/2np4/b3p3/4P1b1/N1Q5/P4PPP/R3KB1R b KQ - 0 18", "Bxc3#"),
    ("ccc/figA6", "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21", "Bxe6+"),
)


def documents_examples() -> tuple[EvaluatedMove, ...]:
    """Return the documents' own examples: Figures A1, A5 and A6 of the CCC paper."""
    found = ((name, repair_fen(fen).position, move) for name, fen, move in EXAMPLES)
    return tuple(EvaluatedMove(name, read_move(start, move)) for name, start, move in found)


def choose_moves(
    lectures: Sequence[Lecture], count: int = 60, *, seed: int = 1
) -> list[EvaluatedMove]:
    """Choose the moves of the evaluated lectures whose comments are compared.

    Candidates are :func:`eligible` comments on a move that occurs for the first time.
    They are sorted into strata by phase and kind of move; within a stratum their order is a
    hash of seed, position and move. The strata then give one move each, in turns, until
    there are ``count``.

    Parameters
    ----------
    lectures
        All lectures; the rule of :func:`evaluated_lectures` says which may be evaluated.
    count
        How many moves; fewer if the lectures hold fewer.
    seed
        Changes the order within a stratum.

    Returns
    -------
    list of EvaluatedMove
        In the order of their lectures.
    """
    held = evaluated_lectures(lectures)
    candidates = list(_candidates(lecture for lecture in lectures if lecture.name in held))
    strata: dict[tuple[str, str], list[EvaluatedMove]] = {}
    for one in sorted(candidates, key=lambda one: _lot(one.move, seed)):
        strata.setdefault(one.stratum, []).append(one)
    turns = zip_longest(*(strata[key] for key in sorted(strata)))
    drawn = [one for turn in turns for one in turn if one is not None][:count]
    return [one for one in candidates if one in drawn]


def _candidates(lectures: Iterable[Lecture]) -> Iterator[EvaluatedMove]:
    seen: set[tuple[str, str]] = set()
    for lecture in lectures:
        for number, comment in enumerate(lecture.comments):
            key = (comment.context.position.fen, comment.context.uci)
            if eligible(comment) and key not in seen:
                yield EvaluatedMove(f"{lecture.name}/{number}", comment.context, comment.comment)
            seen.add(key)


def _lot(move: MoveInContext, seed: int) -> str:
    text = f"{seed} {move.position.fen} {move.uci}"
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
