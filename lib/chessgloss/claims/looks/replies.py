"""Looks at what the side on turn can do: which moves are legal, and for which pieces."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chessgloss.claims.looks.finding import (
    NO_MOVE,
    Finding,
    absent,
    fails,
    holds,
    truth,
    unknown,
)
from chessgloss.claims.parser import Claim, Term
from chessgloss.claims.scene import Moment, Scene, name, named_sides
from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics

#: A piece of which nothing is said.
ANY_PIECE = Term("piece", "a piece", (0, 0))


def can_take(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a capture is legal for the side on turn, with each piece that is named.

    Where no object is named, it is what has just moved; a recapture follows a capture.
    """
    if moment.last is None:
        return NO_MOVE
    board = moment.board
    before, move = moment.last
    if named_sides(claim) - {board.turn}:
        return unknown("the other side is on turn")
    again = claim.detail.verb.startswith("re")
    if again and not before.is_capture(move):
        return unknown("nothing was taken")
    targets = set(_targets(claim, moment))
    if not targets:
        return absent("there is no such piece")
    legal = [
        each
        for each in board.generate_legal_captures()
        if boards.taken_on(board, each) in targets
    ]
    takers = {each.from_square for each in legal}
    evidence = f"{len(takers)} pieces can take"
    pieces = [term for term in claim.subjects if term.role == "piece"]
    if claim.detail.count is not None:
        return truth(len(takers) == claim.detail.count, evidence)
    if claim.detail.result == "not":
        (*pieces, barred) = pieces
        if takers.intersection(barred.squares(board)):
            return fails(evidence)
    if claim.detail.result == "only":
        named = {square for term in pieces for square in term.squares(board)}
        return truth(bool(takers) and takers <= named, evidence)
    if any(not takers.intersection(term.squares(board)) for term in pieces):
        return fails(evidence)
    return truth(bool(takers), evidence)


def _targets(claim: Claim, moment: Moment) -> Iterator[chess.Square]:
    """Yield the squares of what can be taken."""
    if moment.last is None:
        return
    arrived = moment.last[1].to_square
    for term in claim.objects:
        if term.role == "square" and term.square is not None:
            yield term.square
        elif term.role == "this":
            yield arrived
        else:
            yield from _meant(term, moment)
    if not claim.objects:
        yield arrived


def _meant(term: Term, moment: Moment) -> list[chess.Square]:
    """Return the squares of a piece: of the one that has just moved, if the words can mean it."""
    squares = term.squares(moment.board)
    moved = moment.last and moment.last[1].to_square
    return [moved] if moved in squares else squares


def must(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether every legal move is of a kind: of the king, or a capture.

    What is not forced by the rules may be forced all the same.
    """
    board = moment.board
    if named_sides(claim) - {board.turn}:
        return unknown("the other side is on turn")
    noun = claim.detail.noun
    fitting = 0
    for move in board.legal_moves:
        by_king = board.piece_type_at(move.from_square) == chess.KING
        fitting += by_king if noun == "king" else board.is_capture(move)
    count = board.legal_moves.count()
    evidence = f"{fitting} of {count} legal moves"
    if count == 0:
        return absent("no move is legal")
    return truth(fitting == count, evidence, certain=board.is_check() or not fitting)


def can_go(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look to how many squares a piece can go by a legal move, or to which."""
    (term,) = claim.subjects
    board = moment.board
    squares = _meant(term, moment)
    if not squares:
        return absent(f"there is no {term.text}")
    if len(squares) > 1:
        # of two kings, that of the side on turn
        squares = [each for each in squares if board.color_at(each) == board.turn]
    if len(squares) != 1:
        return unknown("which piece is meant is not told")
    turned = (
        board if board.color_at(squares[0]) == board.turn else boards.after_pass(board)
    )
    if turned is None:
        return unknown("the other side is in check")
    ways = [each for each in turned.legal_moves if each.from_square == squares[0]]
    goals = {each.to_square for each in ways if not turned.is_castling(each)}
    evidence = f"{name(board, squares[0])} can go to {len(goals)} squares"
    named = {each.square for each in claim.objects}
    if named:
        right = goals == named if claim.detail.whole else named <= goals
        return truth(right, evidence)
    if claim.detail.count is not None:
        return truth(len(goals) == claim.detail.count, evidence)
    if goals and claim.stance.negated and "legal" not in claim.text:
        return unknown(f"{evidence}, though perhaps to none that is safe")
    return truth(bool(goals), evidence)


def can_block(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a check can be blocked, with the piece and on the square that are named."""
    board = moment.board
    if not board.is_check():
        return absent("there is no check")
    if named_sides(claim) - {board.turn}:
        return unknown("the other side is on turn")
    king = chess.BB_SQUARES[boards.king_of(board, board.turn)]
    moves = [*board.generate_legal_moves(from_mask=board.occupied & ~king)]
    blocking = [each for each in moves if not board.is_capture(each)]
    pieces = {s for term in claim.subjects for s in term.squares(board)}
    places = {term.square for term in claim.objects}
    fitting = [
        each
        for each in blocking
        if (not pieces or each.from_square in pieces)
        and (not places or each.to_square in places)
    ]
    return truth(bool(fitting), f"{len(blocking)} moves block the check")


def mates_at_once(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the side on turn can mate by its next move."""
    board = moment.board
    if named_sides(claim) - {board.turn}:
        return unknown("the other side is on turn")
    found = tactics.mates(board, board.turn)
    where = claim.detail.square
    fitting = [move for move in found if move.uci()[2:4].startswith(where)]
    return truth(bool(fitting), f"{len(fitting)} moves mate")


def moved(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move is of such a piece, to and from the squares that are named.

    Another legal move may be meant as a plan, so that only what cannot be played is false.
    """
    term = next((each for each in claim.objects if each.role == "piece"), ANY_PIECE)
    places = [each for each in claim.objects if each.role == "square"]
    board, move = moment.last or (scene.before.board, scene.move.move)
    detail = claim.detail
    piece = board.piece_at(move.from_square)
    to = places[0].square if places else None
    start = places[1].square if len(places) > 1 else None
    evidence = f"the move is {board.san(move)}"
    if detail.result == "from":
        (to, start) = (start, to)
    side = named_sides(claim) | ({term.side} - {None})
    fits = (
        piece is not None
        and piece.piece_type in term.pieces
        and side <= {piece.color}
        and term.square in (None, move.from_square, move.to_square)
        and term.file in (None, chess.square_file(move.from_square))
        and to in (None, move.to_square)
        and start in (None, move.from_square)
    )
    if not fits:
        return fails(evidence)
    if detail.count is not None:
        steps = chess.square_distance(move.from_square, move.to_square)
        return truth(steps == detail.count, evidence)
    if detail.wing:
        files = {"king": range(5, 8), "queen": range(3)}[detail.wing]
        inside = chess.square_file(move.to_square) in files
        certain = chess.square_file(move.to_square) not in (3, 4)
        return truth(inside, evidence, certain=certain)
    if detail.result == "develops":
        at_home = chess.Board().piece_at(move.from_square) == piece
        return truth(at_home, evidence, certain=False)
    return holds(evidence)
