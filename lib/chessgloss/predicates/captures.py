"""Trades, sacrifices and threats: what captures are played, offered or threatened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import chess

from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.attacks import man
from chessgloss.predicates.finding import (
    Finding,
    before_last,
    last_move,
    legal_moves,
    san,
    sans,
    turned,
)

#: The kinds of the two pieces of a trade.
Kinds = frozenset[chess.PieceType]


def sacrifice(board: chess.Board, piece: chess.Square | None = None) -> Finding:
    """Return whether the last move lets a man of the mover be taken at a loss to the mover."""
    move = last_move(board)
    if move is None:
        return Finding(None, "what was played before is not known")
    mover = not board.turn
    lost = [
        each
        for each in tactics.captures(board, board.turn)
        if piece in (None, each.square)
    ]
    start = before_last(board)
    spent = tactics.exchange(start, move) < 0 and piece in (None, move.to_square)
    for each in lost:
        if each.gain > 0 and (spent or each.square != move.to_square):
            evidence = f"{san(board, each.move)} can take {man(board, each.square)} with profit"
            return Finding(True, evidence, arguable=not spent)
    if lost:
        evidence = f"{san(board, lost[0].move)} would win nothing"
        return Finding(False, evidence, arguable=True)
    owner = chess.COLOR_NAMES[mover]
    return Finding(False, f"no {owner} piece that is meant can be taken")


def threat(
    board: chess.Board, side: chess.Color, moves: Sequence[chess.Move] | None = None
) -> Finding:
    """Return whether a side threatens one of ``moves``, or anything, as if it were on turn.

    A move that wins nothing by exchange and does not mate may still be a threat: that is
    arguable.
    """
    there = turned(board, side)
    if moves is None:
        found = tactics.threats(board, side)
        if found:
            return Finding(True, f"{san(board, found[0].move)} is threatened")
        return Finding(
            False, "no mate in one and no capture with profit", arguable=True
        )
    if not moves:
        return Finding(False, "no such move could be played")
    for move in moves:
        if (
            tactics.exchange(there, move) > 0
            or boards.after_move(there, move).is_checkmate()
        ):
            return Finding(True, f"{there.san(move)} is threatened")
    return Finding(False, f"{sans(there, moves)} wins nothing at once", arguable=True)


def trade(
    board: chess.Board, kinds: tuple[Kinds, Kinds], side: chess.Color | None = None
) -> Finding:
    """Return whether pieces of two kinds are traded: just now, next, or by an offer.

    ``side`` offers it: its piece can be taken by one of the other kind, and taken back.
    """
    made = _traded(board, kinds)
    if made:
        return Finding(True, made)
    for turn in (board.turn, not board.turn):
        offers = [] if side == turn else _offered(board, turn, kinds)
        for move, recaptured in offers:
            if recaptured:
                return Finding(True, f"{san(board, move)} can be taken back")
            return Finding(
                False, f"{san(board, move)} cannot be taken back", arguable=True
            )
    left = all(_men(board, turn, kinds[0] | kinds[1]) for turn in chess.COLORS)
    return Finding(
        False, "no such trade is on the board", arguable=left and side is None
    )


def _men(board: chess.Board, side: chess.Color, kinds: Kinds) -> chess.Bitboard:
    masks = (board.pieces_mask(kind, side) for kind in kinds)
    return sum(masks)


def _fit(one: int | None, other: int | None, kinds: tuple[Kinds, Kinds]) -> bool:
    first, second = kinds
    return (one in first and other in second) or (one in second and other in first)


def _traded(board: chess.Board, kinds: tuple[Kinds, Kinds]) -> str:
    """Return how the last moves trade such pieces; empty if they do not."""
    move = last_move(board)
    if move is None:
        return ""
    start = before_last(board)
    if not start.is_capture(move):
        return ""
    taken = start.piece_type_at(move.to_square)
    taker = board.piece_type_at(move.to_square)
    back = [m for m in legal_moves(board) if m.to_square == move.to_square]
    if back and _fit(taken, taker, kinds):
        return f"{start.san(move)} can be answered with {san(board, back[0])}"
    earlier = last_move(start)
    if earlier is None or earlier.to_square != move.to_square:
        return ""
    first = before_last(start)
    lost = first.piece_type_at(earlier.to_square)
    if first.is_capture(earlier) and _fit(lost, taken, kinds):
        return f"{first.san(earlier)} is answered with {start.san(move)}"
    return ""


def _offered(
    board: chess.Board, side: chess.Color, kinds: tuple[Kinds, Kinds]
) -> Iterator[tuple[chess.Move, bool]]:
    """Yield the captures of one such piece by the other, and whether they can be taken back."""
    there = turned(board, side)
    found = list[tuple[chess.Move, bool]]()
    for move in legal_moves(board, side):
        taken = there.piece_type_at(move.to_square)
        if taken and _fit(there.piece_type_at(move.from_square), taken, kinds):
            after = boards.after_move(there, move)
            back = any(m.to_square == move.to_square for m in after.legal_moves)
            found.append((move, back))
    yield from sorted(found, key=lambda each: not each[1])
