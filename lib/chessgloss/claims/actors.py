"""Which pieces a term can mean at a moment, when it is said to act."""

from __future__ import annotations

from collections.abc import Iterable

import chess

from chessgloss.claims.records import Term
from chessgloss.claims.scene import Moment
from chessgloss.facts.board import line_pieces


def acting_squares(terms: Iterable[Term], moment: Moment) -> list[chess.Square]:
    """Return the squares of the pieces that may act, those of the first term first."""
    squares: dict[chess.Square, None] = {}
    for term in terms:
        squares |= dict.fromkeys(_squares(term, moment))
    return list(squares)


def _squares(term: Term, moment: Moment) -> list[chess.Square]:
    board = moment.board
    if term.role == "piece":
        return term.found(board)
    if term.role == "side":
        return list(chess.scan_forward(board.occupied_co[bool(term.side)]))
    if term.role == "square":
        return [] if term.square is None or not board.piece_at(term.square) else [term.square]
    if term.role == "this" and term.options:
        options = [one for one in term.options if one.role != "side"]
        return [square for one in options for square in _squares(one, moment)]
    return _of_move(term, moment)


def _of_move(term: Term, moment: Moment) -> list[chess.Square]:
    """Return the piece that a move has just brought, and those it has opened lines for."""
    if moment.last is None:
        return []
    board, move = moment.last
    if term.role == "this" or (term.move is not None and term.move.fits(board, move)):
        return [*moved_squares(board, move), *opened(moment)]
    return _standing(term, moment.board) if moment.anchor != "before" else []


def _standing(term: Term, board: chess.Board) -> list[chess.Square]:
    """Return the square of a piece that a written move has brought there earlier."""
    move = term.move
    if move is None or move.to is None or board.piece_type_at(move.to) != move.piece:
        return []
    return [move.to]


def moved_squares(board: chess.Board, move: chess.Move) -> list[chess.Square]:
    """Return where the moved piece stands after a move; king and rook after castling."""
    if not board.is_castling(move):
        return [move.to_square]
    rank = chess.square_rank(move.to_square)
    rook = chess.square(5 if chess.square_file(move.to_square) == 6 else 3, rank)
    return [move.to_square, rook]


def opened(moment: Moment) -> list[chess.Square]:
    """Return the pieces of the mover that attack more squares because another moved away."""
    if moment.last is None:
        return []
    before, move = moment.last
    lines = line_pieces(before, before.turn, move.from_square) & ~chess.BB_SQUARES[move.to_square]
    return [
        square
        for square in chess.scan_forward(lines)
        if moment.board.attacks_mask(square) & ~before.attacks_mask(square)
    ]


def name(board: chess.Board, square: chess.Square) -> str:
    """Return what stands on a square: ``the white knight on f3``."""
    piece = board.piece_at(square)
    where = chess.square_name(square)
    if piece is None:
        return f"nothing on {where}"
    return f"the {chess.COLOR_NAMES[piece.color]} {chess.piece_name(piece.piece_type)} on {where}"
