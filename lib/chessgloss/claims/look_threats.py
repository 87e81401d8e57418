"""Looks at the board: what a side could win or mate with next, and how a king is sheltered."""

from __future__ import annotations

import chess

from chessgloss.claims.actors import name
from chessgloss.claims.look_counts import detail
from chessgloss.claims.notation import Notation
from chessgloss.claims.outcomes import Finding, absent, fails, holds, truth, unknown
from chessgloss.claims.records import Claim, Term
from chessgloss.claims.scene import Moment, Scene, passed
from chessgloss.facts.board import shelter
from chessgloss.facts.tactics import Capture, balance, captures, exchange, mates


def can_win(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has, or would have on its turn, a capture that wins the piece.

    A capture that is legal but wins nothing by exchange is left open: more than an exchange
    may lie behind the words.
    """
    board = moment.board
    legal = [
        one
        for side in _sides(claim)
        for one in captures(board, side)
        if _is_meant(claim, board, one)
    ]
    if not legal:
        return fails("no such capture is legal")
    best = max(legal, key=lambda one: one.gain)
    evidence = f"{chess.square_name(best.from_square)}{chess.square_name(best.to_square)}"
    evidence += f" wins {best.gain:+d} in pawns"
    return holds(evidence) if best.gain > 0 else unknown(evidence)


def _sides(claim: Claim) -> tuple[chess.Color, ...]:
    told = tuple(bool(term.side) for term in claim.subjects if term.role == "side")
    return told or (chess.WHITE, chess.BLACK)


def _is_meant(claim: Claim, board: chess.Board, capture: Capture) -> bool:
    agents = [term for term in claim.subjects if term.role == "piece"]
    return all(_is(term, board, capture.from_square) for term in agents) and all(
        _is(term, board, capture.victim_square) for term in claim.objects
    )


def _is(term: Term, board: chess.Board, square: chess.Square) -> bool:
    piece = board.piece_at(square)
    return piece is not None and term.matches(square, piece)


def can_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side could mate at once; with the move told, if one is.

    A mate that takes longer is not searched for, so that without a move it is left open.
    """
    board = moment.board
    if board.is_checkmate():
        return unknown("it is mate already")
    moves = [move for side in _sides(claim) for move in mates(board, side)]
    named = [term.move for term in claim.objects if term.move is not None]
    fitting = [move for move in moves if all(_goes(move, one) for one in named)]
    if fitting:
        return holds(f"{fitting[0].uci()} mates")
    return fails("that move does not mate") if named else unknown("a longer mate may exist")


def _goes(move: chess.Move, told: Notation) -> bool:
    start = chess.square(told.file or 0, told.rank or 0)
    return (move.from_square, move.to_square) == (start, told.to)


def can_promote(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn could promote at once, were it its side's turn."""
    pawns = claim.objects[0].found(moment.board)
    boards = [one for one in (moment.board, passed(moment.board)) if one is not None]
    for board in boards:
        for move in board.legal_moves if board.turn in _sides(claim) else ():
            if move.promotion and move.from_square in pawns:
                return holds(f"{board.san(move)} is legal")
    return fails("no such promotion is legal")


def shelters(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether pawns stand before a king of theirs, on its file or one beside it."""
    kings = [one for one in claim.objects if one.pieces == {chess.KING}]
    squares = [square for term in kings for square in term.found(moment.board)]
    if not squares:
        return absent("there is no such king")
    side = bool(moment.board.color_at(squares[0]))
    pawns = shelter(moment.board, side).pawns
    evidence = f"{len(pawns)} pawns stand before {name(moment.board, squares[0])}"
    if not claim.subjects:
        return truth(bool(pawns), evidence)
    found = [set(term.found(moment.board)) & set(pawns) for term in claim.subjects]
    return truth(all(found), evidence)


def exchange_result(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look what the exchanges on a square come to when the move has started them."""
    told = detail(claim)
    if moment.last is None:
        return absent("no move led here")
    board, move = moment.last
    if chess.square_name(move.to_square) != told["square"]:
        return absent("the move goes to another square")
    gain = exchange(board, move)
    evidence = f"by exchange {board.san(move)} brings {gain:+d} in pawns"
    if "even" in told:
        return truth(gain == 0, evidence)
    wanted = int(told["count"]) * (1 if told["deed"] == "wins" else -1)
    if claim.subjects and claim.subjects[0].side != board.turn:
        wanted = -wanted
    return truth(gain == wanted, evidence)


def brings(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look by how much the move of a moment changes a side's material at once."""
    if moment.last is None:
        return absent("no move led here")
    board, _ = moment.last
    change = balance(moment.board) - balance(board)
    change = change if claim.subjects[0].side else -change
    wanted = int(detail(claim)["count"])
    return truth(change == wanted, f"material changes by {change:+d} for that side")
