"""Facts of the move itself: what it takes, checks, wins, forks and opens."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chessgloss.facts.exchange import VALUES, Exchanges
from chessgloss.facts.records import Fact, When
from chessgloss.facts.states import Survey, fork_fact, pin_fact, skewer_fact
from chessgloss.facts.tactics import discovered_attacks
from chessgloss.facts.wording import listed, names, noun_at, pawns_worth, side_name


def deed_facts(board: chess.Board, move: chess.Move, end: Survey) -> Iterator[Fact]:
    """Yield the facts of a move.

    Parameters
    ----------
    board
        The position before the move.
    move
        A legal move.
    end
        The position after it.
    """
    after = end.board
    yield from _capture_facts(board, move)
    yield from _special_facts(board, move)
    yield from _check_facts(board, after)
    yield from _gain_facts(board, move, after)
    yield from _tactic_facts(board, move, end)


def _capture_facts(board: chess.Board, move: chess.Move) -> Iterator[Fact]:
    if not board.is_capture(move):
        return
    passing = board.is_en_passant(move)
    square = move.to_square
    if passing:
        square += -8 if board.turn else 8
    taker, taken = noun_at(board, move.from_square), noun_at(board, square)
    piece = chess.piece_symbol(board.piece_type_at(square) or chess.PAWN)
    squares = names((move.from_square, move.to_square, *([square] if passing else [])))
    text = f"{taker} takes {taken}"
    yield Fact("capture", "move", board.turn, squares, piece, "board", text)
    if passing:
        text += " en passant"
        yield Fact("en_passant", "move", board.turn, squares, piece, "board", text)


def _special_facts(board: chess.Board, move: chess.Move) -> Iterator[Fact]:
    squares = names((move.from_square, move.to_square))
    if move.promotion:
        kind = chess.PIECE_NAMES[move.promotion]
        text = f"{noun_at(board, move.from_square)} promotes to a {kind} on {squares[1]}"
        value = chess.piece_symbol(move.promotion)
        yield Fact("promotion", "move", board.turn, squares, value, "board", text)
    if board.is_castling(move):
        wing = "kingside" if board.is_kingside_castling(move) else "queenside"
        text = f"{side_name(board.turn)} castles {wing}"
        rook = names(_rook_squares(board, move))
        yield Fact("castling", "move", board.turn, squares + rook, wing, "board", text)


def _check_facts(board: chess.Board, after: chess.Board) -> Iterator[Fact]:
    over = not any(after.generate_legal_moves())
    king = after.king(after.turn)
    checkers = tuple(after.checkers())
    if king is None or not (checkers or over):
        return
    if not checkers:
        text = f"{side_name(after.turn)} is stalemated"
        yield Fact("stalemate", "move", after.turn, names((king,)), None, "board", text)
        return
    yield check_fact(after, board.turn, checkers, king)
    still = board.occupied_co[board.turn]
    opened = tuple(one for one in checkers if still & chess.BB_SQUARES[one])
    yield from _special_checks(after, board.turn, checkers, opened, king)
    if over:
        text = f"{noun_at(after, king)} is checkmated"
        yield Fact("mate", "move", board.turn, names((*checkers, king)), None, "board", text)


def check_fact(
    board: chess.Board,
    colour: chess.Color,
    checkers: tuple[chess.Square, ...],
    king: chess.Square,
    *,
    standing: bool = False,
) -> Fact:
    """Return the fact that a king is in check, given by the move or standing before it."""
    text = f"{_givers(board, checkers)} check to {noun_at(board, king)}"
    when: When = "before" if standing else "move"
    return Fact("check", when, colour, names((*checkers, king)), None, "board", text)


def _special_checks(
    after: chess.Board,
    colour: chess.Color,
    checkers: tuple[chess.Square, ...],
    opened: tuple[chess.Square, ...],
    king: chess.Square,
) -> Iterator[Fact]:
    target = noun_at(after, king)
    if opened:
        text = f"{_givers(after, opened)} discovered check to {target}"
        squares = names((*opened, king))
        yield Fact("discovered_check", "move", colour, squares, None, "board", text)
    if len(checkers) > 1:
        text = f"{_givers(after, checkers)} double check to {target}"
        squares = names((*checkers, king))
        yield Fact("double_check", "move", colour, squares, None, "board", text)


def _gain_facts(board: chess.Board, move: chess.Move, after: chess.Board) -> Iterator[Fact]:
    colour = board.turn
    gain = _taken_value(board, move) + (VALUES[move.promotion] - 1 if move.promotion else 0)
    if gain:
        text = f"the move brings {side_name(colour)} {pawns_worth(gain)} of material"
        squares = names((move.from_square, move.to_square))
        yield Fact("material", "move", colour, squares, gain, "board", text)
    worth = Exchanges(board, colour).worth(move)
    takers = _takers(after, move.to_square)
    if board.is_capture(move) or (worth and takers):
        squares = names((move.to_square, move.from_square, *takers))
        text = _exchange_text(colour, squares[0], worth)
        yield Fact("exchange", "move", colour, squares, worth, "board", text)


def _tactic_facts(board: chess.Board, move: chess.Move, end: Survey) -> Iterator[Fact]:
    colour, after = board.turn, end.board
    acting = {move.to_square}
    if board.is_castling(move):
        acting.add(_rook_squares(board, move)[1])
    for fork in end.forks[colour]:
        if fork.square in acting:
            yield fork_fact(after, "move", colour, fork)
    for pin in end.pins[colour]:
        if pin.square in acting:
            yield pin_fact(after, "move", colour, pin)
    for skewer in end.skewers[colour]:
        if skewer.square in acting:
            yield skewer_fact(after, "move", colour, skewer)
    for one in discovered_attacks(board, move, after):
        if one.gain is not None and one.gain > 0:
            target = noun_at(after, one.target)
            text = f"{noun_at(after, one.square)} attacks {target} by discovery"
            squares = names((one.square, one.target))
            yield Fact("discovered_attack", "move", colour, squares, one.gain, "board", text)


def _taken_value(board: chess.Board, move: chess.Move) -> int:
    if board.is_en_passant(move):
        return VALUES[chess.PAWN]
    piece = board.piece_type_at(move.to_square)
    return VALUES[piece] if piece and board.is_capture(move) else 0


def _takers(after: chess.Board, square: chess.Square) -> tuple[chess.Square, ...]:
    """Return the squares from which the piece on a square can be taken next, lawfully."""
    if not after.is_attacked_by(after.turn, square):
        return ()
    target = chess.BB_SQUARES[square]
    moves = after.generate_legal_captures(chess.BB_ALL, target)
    return tuple(sorted({move.from_square for move in moves if move.to_square == square}))


def _exchange_text(colour: chess.Color, square: str, worth: int) -> str:
    if not worth:
        return f"exchanges on {square} come out even"
    verb = "wins" if worth > 0 else "loses"
    return f"by exchanges on {square} {side_name(colour)} {verb} {pawns_worth(abs(worth))}"


def _rook_squares(board: chess.Board, move: chess.Move) -> tuple[chess.Square, chess.Square]:
    """Return where the castling rook comes from and goes to, in standard chess."""
    king = board.is_kingside_castling(move)
    rank = chess.square_rank(move.from_square)
    return chess.square(7 if king else 0, rank), chess.square(5 if king else 3, rank)


def _givers(board: chess.Board, checkers: tuple[chess.Square, ...]) -> str:
    verb = "gives" if len(checkers) == 1 else "give"
    return f"{listed([noun_at(board, one) for one in checkers])} {verb}"
