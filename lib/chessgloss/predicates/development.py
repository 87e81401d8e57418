"""First squares and the colours of squares."""

from __future__ import annotations

from typing import Final

import chess
from chess import Board, Square, SquareSet

from chessgloss.predicates.finding import Finding, told

_START: Final = Board()


def stands(board: Board, piece: Square) -> Finding:
    """Return what stands on a square: it holds of every man."""
    return Finding(True, told(board, "{} is there", piece))


def undeveloped(board: Board, piece: Square) -> Finding:
    """Return whether a man stands where one of its kind and side begins the game.

    Of a king that is not said.
    """
    king = board.piece_type_at(piece) == chess.KING
    home = board.piece_at(piece) == _START.piece_at(piece)
    word = "still stands" if home else "does not stand"
    evidence = told(board, f"{{}} {word} on a first square", piece)
    return Finding(home, evidence, arguable=king)


def square_colour(
    board: Board,
    piece: Square,
    other: Square | None = None,
    colour: str | None = None,
) -> Finding:
    """Return whether a man stands on light or dark, or two on the same or opposite colours."""
    light = piece in SquareSet(chess.BB_LIGHT_SQUARES)
    if other is None:
        word = "light" if light else "dark"
        evidence = told(board, f"{{}} stands on a {word} square", piece)
        return Finding(word == colour, evidence)
    same = light == (other in SquareSet(chess.BB_LIGHT_SQUARES))
    word = "the same colour" if same else "opposite colours"
    evidence = told(board, f"{{}} and {{}} stand on {word}", piece, other)
    return Finding(same == (colour == "same"), evidence)
