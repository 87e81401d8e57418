"""What a move itself does: captures, promotions, castling, its gains and its tactics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import chess
from chess import Board, Move, square_name

from chessgloss.facts.records import Fact
from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.words import names, noun_at, pawns_worth, side_name


def special_moves(board: Board, move: Move) -> Iterator[Fact]:
    """Yield captures, promotions and castling."""
    side = board.turn
    ends = (move.from_square, move.to_square)
    mover = noun_at(board, move.from_square)
    if (square := boards.taken_on(board, move)) is not None:
        passing = board.is_en_passant(move)
        squares = (*ends, square) if passing else ends
        letter = chess.piece_symbol(boards.piece_on(board, square))
        text = f"{mover} takes {noun_at(board, square)}"
        yield Fact("capture", "move", side, names(squares), letter, text)
        if passing:
            yield Fact(
                "en_passant", "move", side, names(squares), letter, f"{text} en passant"
            )
    if move.promotion:
        kind = chess.PIECE_NAMES[move.promotion]
        text = f"{mover} promotes to a {kind} on {square_name(move.to_square)}"
        yield Fact(
            "promotion",
            "move",
            side,
            names(ends),
            chess.piece_symbol(move.promotion),
            text,
        )
    if board.is_castling(move):
        wing = "kingside" if board.is_kingside_castling(move) else "queenside"
        king_and_rook = (*ends, *boards.rook_squares(board, move))
        text = f"{side_name(side)} castles {wing}"
        yield Fact("castling", "move", side, names(king_and_rook), wing, text)


def gains(board: Board, move: Move, after: Board) -> Iterator[Fact]:
    """Yield what the move brings at once, and by the exchange that it begins."""
    side = board.turn
    end = move.to_square
    taken = boards.taken_on(board, move)
    gain = 0 if taken is None else tactics.VALUES[boards.piece_on(board, taken)]
    if move.promotion:
        gain += tactics.VALUES[move.promotion] - 1
    if gain:
        text = f"the move brings {side_name(side)} {pawns_worth(gain)} of material"
        yield Fact("material", "move", side, names((move.from_square, end)), gain, text)
    answers = after.generate_legal_captures(to_mask=chess.BB_SQUARES[end])
    takers = sorted({each.from_square for each in answers if each.to_square == end})
    worth = tactics.exchange(board, move)
    square = square_name(end)
    if taken is None and not (worth and takers):
        return
    text = f"exchanges on {square} come out even"
    if worth:
        verb = "wins" if worth > 0 else "loses"
        text = f"by exchanges on {square} {side_name(side)} {verb} {pawns_worth(abs(worth))}"
    squares = names((end, move.from_square, *takers))
    yield Fact("exchange", "move", side, squares, worth, text)


def tactics_made(board: Board, move: Move, states: Iterable[Fact]) -> Iterator[Fact]:
    """Yield the tactics of the moved piece that stand after the move, and what it discovers."""
    side = board.turn
    first_squares = {(square,) for square in names(boards.moved_squares(board, move))}
    for fact in states:
        of_mover = (fact.when, fact.side) == ("after", side) and fact.squares[
            :1
        ] in first_squares
        if of_mover and fact.kind in ("fork", "pin", "skewer"):
            yield replace(fact, when="move")
    for square, target, gain in tactics.discovered_attacks(board, move):
        if gain is not None and gain > 0:
            text = f"{noun_at(board, square)} attacks {noun_at(board, target)} by discovery"
            yield Fact(
                "discovered_attack", "move", side, names((square, target)), gain, text
            )
