"""Pieces, sides, squares and lists, as facts name them in their clauses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import chess
from chess import Board, Color, Move, PieceType, Square

from chessgloss.predicates import board as boards


@cache
def noun(colour: Color, piece: PieceType, square: Square) -> str:
    """Return a piece's name with its side and square: ``the white knight on f7``."""
    side = chess.COLOR_NAMES[colour]
    kind = chess.PIECE_NAMES[piece]
    name = chess.SQUARE_NAMES[square]
    return f"the {side} {kind} on {name}"


def noun_at(board: Board, square: Square) -> str:
    """Return the name of the piece that stands on a square."""
    colour = bool(board.occupied_co[chess.WHITE] & chess.BB_SQUARES[square])
    return noun(colour, boards.piece_on(board, square), square)


def named(board: Board, square: Square) -> str:
    """Return a piece with its square: ``the knight on f7``."""
    kind = chess.PIECE_NAMES[boards.piece_on(board, square)]
    name = chess.SQUARE_NAMES[square]
    return f"the {kind} on {name}"


def owned(board: Board, square: Square) -> str:
    """Return a piece with its owner and square: ``Black's knight on f7``."""
    owner = side_name(bool(board.color_at(square)))
    piece = named(board, square).removeprefix("the")
    return f"{owner}'s{piece}"


def side_name(colour: Color) -> str:
    """Return ``White`` or ``Black``."""
    if colour:
        return "White"
    return "Black"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    *first, last = words
    if not first:
        return last
    before = ", ".join(first)
    return f"{before} and {last}"


def pawns_worth(amount: int) -> str:
    """Return an amount of material: ``1 pawn``, ``3 pawns``."""
    if amount == 1:
        return "1 pawn"
    return f"{amount} pawns"


def names(squares: Iterable[Square]) -> tuple[str, ...]:
    """Return squares by their names."""
    return tuple(chess.SQUARE_NAMES[square] for square in squares)


def ends_of(move: Move) -> tuple[str, ...]:
    """Return where a move begins and ends, by name."""
    return names((move.from_square, move.to_square))
