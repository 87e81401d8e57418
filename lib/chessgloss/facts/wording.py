"""Names of pieces and squares in the clauses of facts: ``the white knight on f7``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import chess


@cache
def noun(colour: chess.Color, piece: chess.PieceType, square: chess.Square) -> str:
    """Return a piece's name with its side and square: ``the white knight on f7``."""
    kind = chess.PIECE_NAMES[piece]
    return f"the {chess.COLOR_NAMES[colour]} {kind} on {chess.SQUARE_NAMES[square]}"


def noun_at(board: chess.Board, square: chess.Square) -> str:
    """Return the name of the piece that stands on a square.

    Raises
    ------
    ValueError
        If the square is empty.
    """
    piece = board.piece_at(square)
    if piece is None:
        raise ValueError(f"no piece on {chess.SQUARE_NAMES[square]} in {board.fen()!r}")
    return noun(piece.color, piece.piece_type, square)


def side_name(colour: chess.Color) -> str:
    """Return ``White`` or ``Black``."""
    return "White" if colour else "Black"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def pawns_worth(amount: int) -> str:
    """Return an amount of material: ``1 pawn``, ``3 pawns``."""
    return f"{amount} pawn" if amount == 1 else f"{amount} pawns"


def names(squares: Sequence[chess.Square]) -> tuple[str, ...]:
    """Return squares by their names."""
    return tuple(chess.SQUARE_NAMES[square] for square in squares)
