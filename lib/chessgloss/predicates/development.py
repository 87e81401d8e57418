"""First squares and the colours of squares."""

from __future__ import annotations

from typing import Final

import chess

from chessgloss.predicates.attacks import man
from chessgloss.predicates.finding import Finding

_START: Final = chess.Board()


def stands(board: chess.Board, piece: chess.Square) -> Finding:
    """Return what stands on a square: it holds of every man."""
    return Finding(True, f"{man(board, piece)} is there")


def undeveloped(board: chess.Board, piece: chess.Square) -> Finding:
    """Return whether a man stands where one of its kind and side begins the game."""
    home = board.piece_at(piece) == _START.piece_at(piece)
    word = "still stands" if home else "does not stand"
    return Finding(home, f"{man(board, piece)} {word} on a first square")


def square_colour(
    board: chess.Board,
    piece: chess.Square,
    other: chess.Square | None = None,
    colour: str | None = None,
) -> Finding:
    """Return whether a man stands on light or dark, or two on the same or opposite colours."""
    light = bool(chess.BB_SQUARES[piece] & chess.BB_LIGHT_SQUARES)
    evidence = f"{man(board, piece)} stands on a {'light' if light else 'dark'} square"
    if other is None:
        return Finding((colour == "light") == light, evidence)
    same = light == bool(chess.BB_SQUARES[other] & chess.BB_LIGHT_SQUARES)
    relation = "the same colour" if same else "opposite colours"
    evidence = f"{man(board, piece)} and {man(board, other)} stand on {relation}"
    return Finding(same == (colour == "same"), evidence)
