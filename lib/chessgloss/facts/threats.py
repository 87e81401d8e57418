"""What a side threatens: what it would win with its next move if the opponent passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import chess

from chessgloss.facts.attacks import line_pieces
from chessgloss.facts.exchange import Capture, Exchanges, captures

ThreatKind = Literal["mate", "capture", "promotion"]


@dataclass(frozen=True, slots=True)
class Threat:
    """A move that a side threatens.

    Parameters
    ----------
    kind
        ``mate`` in one; ``capture`` that wins material by exchange; ``promotion`` without a
        capture, of a pawn that then cannot be won back.
    move
        The move, legal once the opponent has passed.
    target
        Square of what is won: the king, the captured piece, the promotion square.
    gain
        Pawns won by exchange; 0 for mate.
    """

    kind: ThreatKind
    move: chess.Move
    target: chess.Square
    gain: int


def threats(
    board: chess.Board, colour: chess.Color, taken: Iterable[Capture] | None = None
) -> tuple[Threat, ...]:
    """Return what ``colour`` threatens: mates first, then by what is won, then by move.

    On its own turn these are what it can do at once; on the opponent's, what it could do
    after a pass. A check that the opponent stands in is then taken as answered, so that a
    knight that checks and attacks a rook threatens the rook; mate is not asked for there.
    Every winning capture is listed, also several of the same piece.

    Parameters
    ----------
    board
        The position.
    colour
        The threatening side.
    taken
        Its captures, where :func:`~chessgloss.facts.exchange.captures` has been asked.
    """
    found = [Threat("mate", move, _king(board, not colour), 0) for move in mates(board, colour)]
    for one in captures(board, colour) if taken is None else taken:
        if one.gain > 0:
            found.append(Threat("capture", one.move, one.victim_square, one.gain))
    found += _promotions(board, colour)
    return tuple(sorted(found, key=_order))


def mates(board: chess.Board, colour: chess.Color) -> tuple[chess.Move, ...]:
    """Return the moves of ``colour`` that mate at once, in the order of their squares.

    If it is the opponent's turn, after a pass; none if the opponent is in check, for then it
    cannot pass. A pawn that mates as a queen counts as that; as another piece only if the
    queen does not mate.
    """
    ready = ready_to_move(board, colour)
    if ready is None:
        return ()
    found = [move for move in set(checking_moves(ready)) if _is_mate(ready, move)]
    queens = {(move.from_square, move.to_square) for move in found if move.promotion == chess.QUEEN}
    keep = (
        move
        for move in found
        if move.promotion in (None, chess.QUEEN) or (move.from_square, move.to_square) not in queens
    )
    return tuple(sorted(keep, key=lambda move: move.uci()))


def ready_to_move(board: chess.Board, colour: chess.Color) -> chess.Board | None:
    """Return a board on which it is the turn of ``colour``; ``None`` if nobody may pass.

    It is the board itself on its own turn, else a copy after the opponent's pass.
    """
    if board.turn == colour:
        return board
    if board.is_check():
        return None
    copy = board.copy(stack=False)
    copy.turn = colour
    copy.ep_square = None
    return copy


def checking_moves(board: chess.Board) -> Iterator[chess.Move]:
    """Yield the legal moves that may give check: all that do, others too, some twice."""
    colour = board.turn
    king = board.king(not colour)
    if king is None:
        return
    own = board.occupied_co[colour]
    free = chess.BB_ALL & ~own
    for piece, squares in _checking_squares(board, king).items():
        starts = board.pieces_mask(piece, colour)
        reach = 0
        for start in chess.scan_forward(starts):
            reach |= board.attacks_mask(start)
        if reach & squares & free:
            yield from board.generate_legal_moves(starts, squares)
    yield from _pawn_checks(board, king)
    blockers = _blockers(board, king)
    if blockers:
        yield from board.generate_legal_moves(blockers)
    yield from board.generate_castling_moves()


def _checking_squares(board: chess.Board, king: chess.Square) -> dict[chess.PieceType, int]:
    occupied = board.occupied
    diagonal = chess.BB_DIAG_ATTACKS[king][chess.BB_DIAG_MASKS[king] & occupied]
    straight = (
        chess.BB_RANK_ATTACKS[king][chess.BB_RANK_MASKS[king] & occupied]
        | chess.BB_FILE_ATTACKS[king][chess.BB_FILE_MASKS[king] & occupied]
    )
    return {
        chess.KNIGHT: chess.BB_KNIGHT_ATTACKS[king],
        chess.BISHOP: diagonal,
        chess.ROOK: straight,
        chess.QUEEN: diagonal | straight,
    }


def _pawn_checks(board: chess.Board, king: chess.Square) -> Iterator[chess.Move]:
    """Yield pawn moves to squares that check from, promotions and en passant captures."""
    pawns = board.pieces_mask(chess.PAWN, board.turn)
    seventh = chess.BB_RANK_7 if board.turn else chess.BB_RANK_2
    squares = chess.BB_PAWN_ATTACKS[not board.turn][king]
    if pawns & ~seventh:
        yield from board.generate_legal_moves(pawns & ~seventh, squares)
    if pawns & seventh:
        yield from board.generate_legal_moves(pawns & seventh)
    if board.ep_square is not None:
        yield from board.generate_legal_ep()


def _blockers(board: chess.Board, king: chess.Square) -> chess.Bitboard:
    """Return own pieces that stand alone between an own line piece and the enemy king."""
    found = 0
    for start in chess.scan_forward(line_pieces(board, board.turn, king)):
        between = chess.between(start, king) & board.occupied
        if between.bit_count() == 1:
            found |= between & board.occupied_co[board.turn]
    return found


def _is_mate(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    try:
        return board.is_check() and not any(board.generate_legal_moves())
    finally:
        board.pop()


def _promotions(board: chess.Board, colour: chess.Color) -> Iterator[Threat]:
    """Yield quiet promotions to a queen that win material by exchange."""
    step = 8 if colour == chess.WHITE else -8
    seventh = chess.BB_RANK_7 if colour == chess.WHITE else chess.BB_RANK_2
    pawns = board.pieces_mask(chess.PAWN, colour) & seventh
    if not pawns:
        return
    exchanges = Exchanges(board, colour)
    for start in chess.scan_forward(pawns):
        move = chess.Move(start, start + step, chess.QUEEN)
        if board.occupied & chess.BB_SQUARES[move.to_square] or not exchanges.allows(move):
            continue
        if (gain := exchanges.worth(move)) > 0:
            yield Threat("promotion", move, move.to_square, gain)


def _order(threat: Threat) -> tuple[bool, int, str]:
    return threat.kind != "mate", -threat.gain, threat.move.uci()


def _king(board: chess.Board, colour: chess.Color) -> chess.Square:
    king = board.king(colour)
    assert king is not None
    return king
