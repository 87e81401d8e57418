"""Trades, sacrifices and threats: what captures are played, offered or threatened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import chess
from chess import Board, Color, Move, PieceType, Square

from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.finding import (
    Finding,
    before_last,
    last_move,
    legal_moves,
    san,
    sans,
    told,
    turned,
)

#: The kinds of the two pieces of a trade.
Kinds = frozenset[PieceType]


def sacrifice(board: Board, piece: Square | None = None) -> Finding:
    """Return whether the last move lets a man of the mover be taken at a loss to the mover."""
    move = last_move(board)
    if move is None:
        return Finding(None, "what was played before is not known")
    spent = piece in (None, move.to_square)
    spent = spent and tactics.exchange(before_last(board), move) < 0
    text = "no such piece can be taken"
    for each in tactics.captures(board, board.turn):
        if piece not in (None, each.square):
            continue
        if each.gain > 0 and (spent or each.square != move.to_square):
            text = f"{san(board, each.move)} can take {{}} with profit"
            return Finding(True, told(board, text, each.square), arguable=not spent)
        text = f"{san(board, each.move)} would win nothing"
    return Finding(False, text, arguable="nothing" in text)


def threat(board: Board, side: Color, moves: Sequence[Move] | None = None) -> Finding:
    """Return whether a side threatens one of ``moves``, or anything, as if it were on turn.

    A move that wins nothing by exchange and does not mate may still be a threat: that is
    arguable.
    """
    there = turned(board, side)
    if moves is None:
        for each in tactics.threats(board, side):
            return Finding(True, f"{san(board, each.move)} is threatened")
        return Finding(False, "neither mate nor profit is threatened", arguable=True)
    if not moves:
        return Finding(False, "no such move could be played")
    for move in moves:
        mates = boards.after_move(there, move).is_checkmate()
        if mates or tactics.exchange(there, move) > 0:
            return Finding(True, f"{there.san(move)} is threatened")
    return Finding(False, f"{sans(there, moves)} wins nothing at once", arguable=True)


def trade(
    board: Board, kinds: tuple[Kinds, Kinds], side: Color | None = None
) -> Finding:
    """Return whether pieces of two kinds are traded: just now, next, or by an offer.

    ``side`` offers it: its piece can be taken by one of the other kind, and taken back.
    """
    for start, move in (*_just_made(board), *_possible(board)):
        fits = start.is_capture(move) and _fit(start, move, kinds)
        if not fits or side == start.turn:
            continue
        after = boards.after_move(start, move)
        if any(each.to_square == move.to_square for each in after.legal_moves):
            return Finding(True, f"{start.san(move)} trades them")
    masks = (board.pieces_mask(kind, chess.WHITE) for kind in kinds[0] | kinds[1])
    left = any(masks) and side is None
    return Finding(False, "no such trade is on the board", arguable=left)


def _just_made(board: Board) -> Iterator[tuple[Board, Move]]:
    """Yield the last move, and the one before it if it went to the same square."""
    square = None
    while (move := last_move(board)) and square in (None, move.to_square):
        board = before_last(board)
        square = move.to_square
        yield board, move


def _possible(board: Board) -> Iterator[tuple[Board, Move]]:
    """Yield the moves of both sides, each with the position that it is played in."""
    for side in chess.COLORS:
        there = turned(board, side)
        for move in legal_moves(there):
            yield there, move


def _fit(board: Board, move: Move, kinds: tuple[Kinds, Kinds]) -> bool:
    taken = board.piece_type_at(move.to_square)
    taker = board.piece_type_at(move.from_square)
    first, second = kinds
    if taken in first and taker in second:
        return True
    return taken in second and taker in first
