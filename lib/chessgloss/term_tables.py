"""The 21 concept terms as arrays, and the reader of the tables that Stockfish prints.

Stockfish's ``eval`` prints one table a position: each row a term, with middlegame (MG)
and endgame (EG) values in pawns for White, for Black, and in total. The terms and their
order are those of the CCC paper, Table 6 (Appendix A). Reading is done on whole blocks of
output, without a Python loop over numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

#: The terms, in the order and the spelling of the CCC paper's Table 6.
TERMS: tuple[str, ...] = (
    "Material",
    "Imbalance",
    "Pawns",
    "White Knights",
    "Black Knights",
    "White Bishop",
    "Black Bishop",
    "White Rooks",
    "Black Rooks",
    "White Queens",
    "Black Queens",
    "White Mobility",
    "Black Mobility",
    "White Kingsafety",
    "Black Kingsafety",
    "White Threats",
    "Black Threats",
    "White Space",
    "Black Space",
    "White Passedpawns",
    "Black Passedpawns",
)

# The board as text with a double border, so that no step of a knight leaps over it.
_SPELT_OUT = (("/", "//"), *((str(width), "." * width) for width in range(1, 9)))
_BORDER = "/" * 21
_KNIGHT_STEPS = (-21, -19, -12, -8, 8, 12, 19, 21)

_PIECES = slice(TERMS.index("White Knights"), TERMS.index("White Kingsafety"))
_MOBILITY = slice(TERMS.index("White Mobility"), TERMS.index("White Kingsafety"))
_LATE = slice(TERMS.index("White Kingsafety"), len(TERMS))


class GarbledTraceError(ValueError):
    """Output that does not hold the tables it should: the engine is another version."""


class Status(IntEnum):
    """What the table of a position is worth."""

    OK = 0
    #: The side to move is in check: Stockfish 8 prints its table all the same, Stockfish
    #: 15.1 refuses (values are NaN).
    IN_CHECK = 1
    #: An ending judged by a rule of its own, with an empty table: values are NaN.
    SPECIALISED_ENDING = 2
    #: Stockfish 15.1 found material decisive and stopped early: what it left out is NaN.
    LAZY = 3


@dataclass(frozen=True, slots=True, eq=False)
class TermTable:
    """The concept terms of ``n`` positions. Values in pawns; NaN where there is none.

    Parameters
    ----------
    middlegame, endgame
        float32 (n, 21), columns as in :data:`TERMS`. White's and Black's terms as
        printed, each good for its own side when positive; Material, Imbalance and Pawns
        are White minus Black.
    total
        float32 (n,): the evaluation, White's point of view.
    status
        uint8 (n,), values of :class:`Status`.

    Raises
    ------
    ValueError
        If a shape or a type is another.
    """

    middlegame: NDArray[np.float32]
    endgame: NDArray[np.float32]
    total: NDArray[np.float32]
    status: NDArray[np.uint8]

    def __post_init__(self) -> None:
        n = len(self.status)
        wide, flat = ((n, len(TERMS)), np.dtype(np.float32)), ((n,), np.dtype(np.float32))
        wanted = {"middlegame": wide, "endgame": wide, "total": flat}
        for name, (shape, kind) in {**wanted, "status": ((n,), np.dtype(np.uint8))}.items():
            array = getattr(self, name)
            if array.shape != shape or array.dtype != kind:
                raise ValueError(f"{name} must be {kind} {shape}, got {array.dtype} {array.shape}")
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.status)

    @classmethod
    def concatenate(cls, tables: Iterable[TermTable]) -> TermTable:
        """Return the tables as one, in order; the empty table if there are none."""
        parts = [_EMPTY, *tables]
        return cls(
            np.concatenate([part.middlegame for part in parts]),
            np.concatenate([part.endgame for part in parts]),
            np.concatenate([part.total for part in parts]),
            np.concatenate([part.status for part in parts]),
        )

    def take(self, rows: Sequence[int] | NDArray) -> TermTable:
        """Return the rows of the given numbers, or those where a boolean mask is true."""
        index = np.asarray(rows)
        if index.dtype != bool:
            index = index.astype(np.intp)
        return TermTable(
            self.middlegame[index], self.endgame[index], self.total[index], self.status[index]
        )

    def term(self, name: str) -> NDArray[np.float32]:
        """Return the middlegame values of one term, float32 (n,).

        Raises
        ------
        KeyError
            If the name is not in :data:`TERMS`.
        """
        if name not in TERMS:
            raise KeyError(f"{name!r} is no concept term; choose from {', '.join(TERMS)}")
        return self.middlegame[:, TERMS.index(name)]


_EMPTY = TermTable(
    np.empty((0, len(TERMS)), np.float32),
    np.empty((0, len(TERMS)), np.float32),
    np.empty(0, np.float32),
    np.empty(0, np.uint8),
)


@dataclass(frozen=True, slots=True)
class TraceFormat:
    """How one version of Stockfish prints its table.

    Parameters
    ----------
    closing
        Text that occurs once a position, in the last line with a number.
    numbers
        Numbers printed a position, all with two decimals.
    pawns
        Place of the Pawns' total (middlegame) among the numbers of a position.
    knights
        Place of White's Knights (middlegame), where the rows of six begin: White, Black
        and total, MG and EG each, for knights, bishops, rooks, queens, mobility, king
        safety, threats, passed pawns, space.
    total
        Place of the evaluation.
    in_check
        Whether a table is printed for a position in check.
    lazy
        Whether this version stops early when material is decisive.
    """

    closing: bytes
    numbers: int
    pawns: int
    knights: int
    total: int
    in_check: bool
    lazy: bool

    @property
    def middlegame(self) -> list[int]:
        """Places of the middlegame values, in the order of :data:`TERMS`."""
        rows = (0, 1, 2, 3, 4, 5, 6, 8, 7)  # Table 6 has Space before Passed pawns
        sided = [self.knights + 6 * row + 2 * side for row in rows for side in (0, 1)]
        return [0, 2, self.pawns, *sided]


#: Stockfish 8: ``src/evaluate.cpp``, ``Eval::trace``, at tag sf_8.
STOCKFISH_8 = TraceFormat(
    closing=b"Total Evaluation",
    numbers=63,
    pawns=4,
    knights=6,
    total=62,
    in_check=True,
    lazy=False,
)

#: Stockfish 15.1, classical: ``src/evaluate.cpp``, ``Eval::trace``, at tag sf_15.1. Its
#: total is the line `Classical evaluation`, before the damping by the fifty-move counter.
STOCKFISH_15 = TraceFormat(
    closing=b"Final evaluation",
    numbers=70,
    pawns=8,
    knights=10,
    total=68,
    in_check=False,
    lazy=True,
)


def read_tables(raw: bytes, in_check: NDArray[np.bool_], trace: TraceFormat) -> TermTable:
    """Read the tables of consecutive positions from an engine's output.

    Parameters
    ----------
    raw
        Output of ``eval`` for the positions, whole tables only.
    in_check
        bool (n,): the positions whose side to move is in check.
    trace
        The format of the tables.

    Raises
    ------
    GarbledTraceError
        If the output does not hold just the numbers that n tables have.
    """
    printed = np.ones_like(in_check) if trace.in_check else ~in_check
    hundredths = _read_hundredths(raw)
    wanted = int(printed.sum()) * trace.numbers
    if len(hundredths) != wanted:
        raise GarbledTraceError(
            f"{len(hundredths)} numbers in the tables of {len(in_check)} positions, not {wanted}"
        )
    rows = np.full((len(in_check), trace.numbers), np.nan, np.float32)
    rows[printed] = hundredths.reshape(-1, trace.numbers) / np.float32(100)
    columns = np.array(trace.middlegame)
    middlegame, endgame = rows[:, columns], rows[:, columns + 1]
    status = _judge(middlegame, endgame, in_check, lazy=trace.lazy)
    return TermTable(middlegame, endgame, rows[:, trace.total].copy(), status)


def in_check(fen: str) -> bool:
    """Tell whether the side to move of a legal position is in check.

    Reads the FEN's text itself, in a few microseconds: building a board for each position
    would take as long as the engine's evaluation.
    """
    placement, turn = fen.split(" ", 2)[:2]
    for short, long in _SPELT_OUT:  # three times as fast as str.translate
        placement = placement.replace(short, long)
    board = _BORDER + placement + _BORDER
    if turn == "b":  # seen from Black's side, with the colours swapped
        board = board[::-1].swapcase()
    king = board.index("K")
    if board[king - 11] == "p" or board[king - 9] == "p":
        return True
    if "n" in [board[king + step] for step in _KNIGHT_STEPS]:
        return True
    return _hit(board, king, (1, 10), "rq") or _hit(board, king, (9, 11), "bq")


def _hit(board: str, king: int, steps: tuple[int, int], sliders: str) -> bool:
    """Tell whether the first piece from the king along a line, either way, is a slider."""
    for step in steps:
        for line in (board[king + step :: step], board[king - step :: -step]):
            if line.lstrip(".")[0] in sliders:
                return True
    return False


def _judge(
    middlegame: NDArray[np.float32],
    endgame: NDArray[np.float32],
    in_check: NDArray[np.bool_],
    *,
    lazy: bool,
) -> NDArray[np.uint8]:
    """Return the status of each row, and set what the engine left out to NaN in place.

    King safety is never zero for both sides in a full table: the shelter and the distance
    of the pawns always count. Mobility is zero in an early lazy exit, before the pieces.
    """
    filled = (middlegame != 0) | (endgame != 0)  # NaN counts as filled
    blank = ~filled.any(axis=1)
    stopped = ~filled[:, _LATE].any(axis=1) & lazy
    early = stopped & ~filled[:, _MOBILITY].any(axis=1)
    for rows, columns in ((blank, slice(None)), (stopped, _LATE), (early, _PIECES)):
        middlegame[rows, columns] = np.nan
        endgame[rows, columns] = np.nan
    choices = [in_check, blank, stopped]
    kinds = [Status.IN_CHECK, Status.SPECIALISED_ENDING, Status.LAZY]
    return np.select(choices, kinds, Status.OK).astype(np.uint8)


def _read_hundredths(raw: bytes) -> NDArray[np.float32]:
    """Return every number of the form ``-123.45`` in the text, times 100.

    Numbers have one to three digits before the point and two after it (no value reaches
    1,000 pawns), and nothing else in the text has a point.
    """
    text = np.frombuffer(b"   " + raw + b"  ", np.uint8)
    point = np.flatnonzero(text == ord("."))

    def digit(offset: int) -> NDArray[np.uint8]:
        return text[point + offset] - np.uint8(ord("0"))  # anything but a digit is above 9

    tens, hundreds = digit(-2), digit(-3)
    has_tens = tens <= 9
    has_hundreds = has_tens & (hundreds <= 9)
    value = digit(-1) * np.float32(100) + digit(1) * np.float32(10) + digit(2)
    value += np.where(has_tens, tens, 0) * np.float32(1_000)
    value += np.where(has_hundreds, hundreds, 0) * np.float32(10_000)
    sign = text[point - 2 - has_tens - has_hundreds]
    return np.where(sign == ord("-"), -value, value) + np.float32(0)  # -0.00 is 0
