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
_KINGS = (
    PIECES.index("K") + 1,
    PIECES.index("k") + 1,
)

_INVALID = 255
_TURNS = {"w": True, "b": False}

#: Code of each character of a placement whose digits are written out as dots.
_CODES = np.full(256, _INVALID, dtype=np.uint8)
_CODES[list(f".{PIECES}".encode())] = np.arange(len(PIECES) + 1)
#: Code of the same piece of the other colour.
_SWAPPED = np.arange(13, dtype=np.uint8)
_SWAPPED[1:7] = range(7, 13)
_SWAPPED[7:13] = range(1, 7)


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
        """Return the number of pieces on each board, kings and pawns included: (n,)."""
        return np.count_nonzero(self.squares, axis=1)

    def king_squares(self) -> tuple[np.ndarray, np.ndarray]:
        """Return White's and Black's king squares, int64 (n,) each, a1 = 0."""
        white, black = _KINGS
        return (
            (self.squares == white).argmax(axis=1),
            (self.squares == black).argmax(axis=1),
        )

    def from_black(self) -> np.ndarray:
        """Return ``squares`` seen by Black: ranks mirrored, own pieces are codes 1 to 6."""
        ranks = self.squares.reshape(-1, 8, 8)
        mirrored = ranks[:, ::-1]
        return _SWAPPED[mirrored.reshape(-1, 64)]


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
    turns = [_TURNS[field[1]] for field in fields]
    for king in _KINGS:
        kings = (squares == king).sum(axis=1)
        if (kings != 1).any():
            raise ValueError("not one king a side")
    return Boards(squares, np.array(turns, dtype=bool))


def _is_readable(fen: str) -> bool:
    try:
        return len(_parse([fen])) == 1
    except (KeyError, IndexError, ValueError):
        return False


def _squares(placements: list[str]) -> np.ndarray:
    text = "/".join([*placements, ""])
    for digit in range(1, 9):
        text = text.replace(str(digit), "." * digit)
    octets = np.frombuffer(text.encode("latin-1"), dtype=np.uint8)
    letters = octets.reshape(-1, 8, 9)
    ends = letters[:, :, 8]
    missing = len(letters) != len(placements)
    if missing or (ends != ord("/")).any():
        raise ValueError("a rank does not have eight squares")
    ranks = letters[:, ::-1, :8]
    squares = _CODES[ranks].reshape(-1, 64)
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
        widths = {
            "onehot": len(PIECES) * 64 + 1,
            "piece_counts": len(PIECES) - len(_KINGS) + 1,
        }
        super().__init__(kind, {"board": widths[kind]}, view, batch=8192)

    def _layer(self, layer: str, positions: list[str | Position]) -> np.ndarray:
        boards = read_boards(positions)
        squares = boards.squares
        if self.view == "mover":
            white = boards.white_to_move[:, None]
            squares = np.where(white, squares, boards.from_black())
        codes = np.arange(1, len(PIECES) + 1, dtype=np.uint8)
        if self.name == "piece_counts":
            codes = np.setdiff1d(codes, _KINGS)
        columns = squares[:, None, :] == codes[:, None]
        if self.name == "piece_counts":
            columns = columns.sum(axis=2)
        else:
            columns = columns.reshape(len(boards), -1)
        table = np.column_stack([columns, boards.white_to_move])
        return table.astype(np.float32)
