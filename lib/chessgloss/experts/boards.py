"""Many FENs at once as arrays, and the bare board as a control for every network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chessgloss.experts import Representation, View
from chessgloss.positions import Position, PositionError

#: Piece letters in the order of their codes: code 1 is a white pawn, 12 a black king, 0 empty.
PIECES = "PNBRQKpnbrqk"

#: Codes of White's and of Black's king.
_KINGS = (PIECES.index("K") + 1, PIECES.index("k") + 1)

_INVALID = 255
_TURNS = {"w": True, "b": False}

#: Code of each character of a placement whose digits are written out as dots.
_CODES = np.full(256, _INVALID, dtype=np.uint8)
_CODES[[ord(letter) for letter in "." + PIECES]] = np.arange(len(PIECES) + 1)
#: Code of the same piece of the other colour.
_SWAPPED = np.array([0, *range(7, 13), *range(1, 7)], dtype=np.uint8)


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

    def __len__(self) -> int:
        return len(self.squares)

    def piece_counts(self) -> np.ndarray:
        """Return how many pieces, kings and pawns included, stand on each board: (n,)."""
        return np.count_nonzero(self.squares, axis=1)

    def king_squares(self) -> tuple[np.ndarray, np.ndarray]:
        """Return White's and Black's king squares, int64 (n,) each, a1 = 0."""
        white, black = ((self.squares == king).argmax(axis=1) for king in _KINGS)
        return white, black

    def from_black(self) -> np.ndarray:
        """Return ``squares`` seen by Black: ranks mirrored, own pieces are codes 1 to 6."""
        return _SWAPPED[self.squares.reshape(-1, 8, 8)[:, ::-1].reshape(-1, 64)]


def signs_of(white_to_move: np.ndarray) -> np.ndarray:
    """Return 1 where White is to move and -1 where Black is: between mover's and White's view."""
    return np.where(white_to_move, 1, -1)


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
    fens = list(map(fen_of, positions))
    try:
        return _parse(fens)
    except (KeyError, IndexError, ValueError):
        index = next(index for index, fen in enumerate(fens) if not _is_readable(fen))
        raise PositionError(
            f"FEN {fens[index]!r} (index {index}) cannot be read: it needs eight ranks of eight "
            "squares, one king a side and the side to move, w or b"
        ) from None


def _parse(fens: list[str]) -> Boards:
    fields = [fen.split(" ", 2) for fen in fens]
    squares = _squares([field[0] for field in fields])
    turns = np.array([_TURNS[field[1]] for field in fields], dtype=bool)
    if any(((squares == king).sum(axis=1) != 1).any() for king in _KINGS):
        raise ValueError("not one king a side")
    return Boards(squares, turns)


def _is_readable(fen: str) -> bool:
    try:
        return len(_parse([fen])) == 1
    except (KeyError, IndexError, ValueError):
        return False


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


class BareBoard(Representation):
    """The board itself as columns: what a probe can read without any network.

    What this control reaches, a network need not have learned.

    Parameters
    ----------
    kind
        ``onehot``: 12 x 64 columns, one for each piece on each square (White's pawn,
        knight, bishop, rook, queen, king, then Black's; a1 first), and one that is 1 if
        White is to move: 769. ``piece_counts``: how many pawns, knights, bishops, rooks
        and queens White and Black have, and White to move: 11.
    view
        ``white``, or ``mover``: own pieces in place of White's, ranks mirrored for Black.
    """

    def __init__(self, kind: str, view: View = "white") -> None:
        width = {"onehot": len(PIECES) * 64 + 1, "piece_counts": len(PIECES) - 2 + 1}[
            kind
        ]
        super().__init__(kind, {"board": width}, view, batch=8192)

    def _layer(self, layer: str, positions: list[str | Position]) -> np.ndarray:
        boards = read_boards(positions)
        counted = self.name == "piece_counts"
        as_white = boards.white_to_move | (self.view == "white")
        squares = np.where(as_white[:, None], boards.squares, boards.from_black())
        codes = np.arange(1, len(PIECES) + 1, dtype=np.uint8)
        codes = np.setdiff1d(codes, _KINGS) if counted else codes
        columns = squares[:, None, :] == codes[:, None]
        columns = columns.sum(axis=2) if counted else columns.reshape(len(boards), -1)
        return np.column_stack([columns, boards.white_to_move]).astype(np.float32)
