"""Many FENs at once as arrays: what is on each square and who is to move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chessgloss.positions import Position, PositionError

#: Piece letters in the order of their codes: code 1 is a white pawn, 12 a black king, 0 empty.
PIECES = "PNBRQKpnbrqk"

WHITE_KING = PIECES.index("K") + 1
BLACK_KING = PIECES.index("k") + 1

_INVALID = 255
_ROW = 72  # eight ranks of eight squares, each closed by one slash


@dataclass(frozen=True, slots=True, eq=False)
class Boards:
    """Positions as arrays, in the order given.

    Parameters
    ----------
    squares
        uint8 (n, 64), codes into :data:`PIECES` (0 is empty); column 0 is a1, 7 is h1, 63 is h8.
    white_to_move
        bool (n,).
    """

    squares: np.ndarray
    white_to_move: np.ndarray

    def __post_init__(self) -> None:
        n = len(self.squares)
        if self.squares.shape != (n, 64) or self.white_to_move.shape != (n,):
            raise ValueError(
                f"squares must be (n, 64) and white_to_move (n,), got {self.squares.shape} "
                f"and {self.white_to_move.shape}"
            )

    def __len__(self) -> int:
        return len(self.squares)

    def piece_counts(self) -> np.ndarray:
        """Return how many pieces, kings and pawns included, stand on each board: (n,)."""
        return np.count_nonzero(self.squares, axis=1)

    def king_squares(self) -> tuple[np.ndarray, np.ndarray]:
        """Return White's and Black's king squares, int64 (n,) each, a1 = 0."""
        white = (self.squares == WHITE_KING).argmax(axis=1)
        black = (self.squares == BLACK_KING).argmax(axis=1)
        return white, black

    def from_mover(self) -> np.ndarray:
        """Return ``squares`` seen by the side to move: (n, 64).

        Where Black is to move the ranks are mirrored and the colours swapped, so that codes
        1 to 6 are always the mover's pieces and its first rank is always the first row.
        """
        turned = self.squares.copy()
        black = ~self.white_to_move
        mirrored = self.squares[black].reshape(-1, 8, 8)[:, ::-1].reshape(-1, 64)
        turned[black] = _SWAPPED[mirrored]
        return turned


def fen_of(position: str | Position) -> str:
    """Return the FEN of a position given as a record or as a FEN."""
    return position if isinstance(position, str) else position.fen


def read_boards(positions: Sequence[str | Position]) -> Boards:
    """Read FENs (or records) into arrays, some hundred thousand a second.

    Only placement and side to move are read and checked (64 squares, one king a side): the
    legality of a position is the business of :mod:`chessgloss.positions`.

    Raises
    ------
    PositionError
        Naming the first FEN that cannot be read, and its index.
    """
    fields = [fen_of(position).split(" ", 2) for position in positions]
    try:
        squares = _squares([field[0] for field in fields])
        turns = np.array([_TURNS[field[1]] for field in fields], dtype=bool)
    except (KeyError, IndexError, ValueError):
        raise _first_bad(positions) from None
    boards = Boards(squares, turns)
    _check_kings(boards, positions)
    return boards


_TURNS = {"w": True, "b": False}


def _code_table() -> np.ndarray:
    table = np.full(256, _INVALID, dtype=np.uint8)
    table[ord(".")] = 0
    for code, letter in enumerate(PIECES, start=1):
        table[ord(letter)] = code
    return table


_CODES = _code_table()
_SWAPPED = np.array([0, *range(7, 13), *range(1, 7)], dtype=np.uint8)


def _squares(placements: list[str]) -> np.ndarray:
    text = "/".join([*placements, ""])
    for digit in range(1, 9):
        text = text.replace(str(digit), "." * digit)
    letters = np.frombuffer(text.encode("latin-1"), dtype=np.uint8).reshape(-1, 8, 9)
    if len(letters) != len(placements) or (letters[:, :, 8] != ord("/")).any():
        raise ValueError("a rank does not have eight squares")
    squares = _CODES[letters[:, ::-1, :8]].reshape(-1, 64)
    if (squares == _INVALID).any():
        raise ValueError("a letter is no piece")
    return squares


def _check_kings(boards: Boards, positions: Sequence[str | Position]) -> None:
    for code, side in ((WHITE_KING, "White"), (BLACK_KING, "Black")):
        kings = (boards.squares == code).sum(axis=1)
        wrong = np.flatnonzero(kings != 1)
        if len(wrong):
            index = int(wrong[0])
            raise PositionError(
                f"FEN {fen_of(positions[index])!r} (index {index}) has {kings[index]} kings "
                f"for {side}; an expert needs exactly one"
            )


def _first_bad(positions: Sequence[str | Position]) -> PositionError:
    for index, position in enumerate(positions):
        fen = fen_of(position)
        fields = fen.split(" ", 2)
        try:
            if len(fields) > 1 and fields[1] in _TURNS and len(_squares(fields[:1])) == 1:
                continue
        except ValueError:
            pass
        return PositionError(
            f"FEN {fen!r} (index {index}) cannot be read: it needs eight ranks of eight "
            "squares and the side to move, w or b"
        )
    raise AssertionError("a batch was refused, yet each of its FENs can be read")
