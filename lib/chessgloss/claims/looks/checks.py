"""Looks at checks and mates."""

from __future__ import annotations

from typing import Final

import chess

from chessgloss.claims.lexicon import Notation
from chessgloss.claims.looks.finding import (
    ANOTHER_MOVE,
    NO_MOVE,
    Finding,
    fails,
    holds,
    truth,
    unknown,
)
from chessgloss.claims.parser import Claim
from chessgloss.claims.scene import (
    Event,
    Moment,
    Scene,
    acting_squares,
    both_turns,
    is_king,
    name,
    named_sides,
    sides_or_both,
    written_moves,
)
from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from chessgloss.predicates.words import side_name

#: Mates up to this length are taken as seen by any engine that gives a verdict.
SURE_MATE: Final = 3


def gives_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move of a moment gives check, with the piece that is named."""
    board = moment.board
    only_pieces = bool(claim.subjects) and all(
        term.role == "piece" for term in claim.subjects
    )
    if _speaks_of_another(claim, moment) or (moment.last is None and not only_pieces):
        return ANOTHER_MOVE
    if not board.is_check():
        return fails("no king is in check")
    if not _right_king(claim, board):
        return fails(f"it is {side_name(board.turn)} who is in check")
    checkers = board.checkers()
    places = {chess.square_name(square) for square in checkers}
    if claim.detail.square and claim.detail.square not in places:
        return fails(f"the check comes from {' and '.join(sorted(places))}")
    if claim.subjects and not _checks(claim, moment):
        return fails(f"the check comes from {name(board, checkers.pop())}")
    return holds(f"{name(board, next(iter(checkers)))} gives check")


def _speaks_of_another(claim: Claim, moment: Moment) -> bool:
    """Tell whether the only subject is a written move that did not lead to the moment."""
    moves = written_moves(claim.subjects)
    if not moves or len(moves) < len(claim.subjects):
        return False
    return moment.last is None or not any(move.fits(*moment.last) for move in moves)


def _checks(claim: Claim, moment: Moment) -> bool:
    return any(
        s in moment.board.checkers() for s in acting_squares(claim.subjects, moment)
    )


def _right_king(claim: Claim, board: chess.Board) -> bool:
    return all(term.side in (None, board.turn) for term in claim.objects)


def in_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a king is in check."""
    board = moment.board
    if not board.is_check():
        return fails("no king is in check")
    return truth(_right_king(claim, board), f"{side_name(board.turn)} is in check")


def was_in_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether there was a check to answer, before the move or in any other moment."""
    return truth(
        any(m.board.is_check() for m in scene.moments), "check in the moment before"
    )


def discovered_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece that did not move gives check."""
    if moment.last is None:
        return NO_MOVE
    others = set(moment.board.checkers()) - set(boards.moved_squares(*moment.last))
    if claim.subjects and all(term.role == "piece" for term in claim.subjects):
        others.intersection_update(acting_squares(claim.subjects, moment))
    (_, move) = moment.last
    piece = moment.board.piece_at(move.to_square)
    if not all(
        is_king(term) or term.matches(move.to_square, piece) for term in claim.objects
    ):
        return fails("another piece has moved")
    return truth(bool(others), "the check comes from the moved piece or there is none")


def double_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether two pieces give check."""
    checkers = len(moment.board.checkers())
    return truth(checkers == 2, f"{checkers} pieces check")


def is_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a position is checkmate."""
    if moment.last is None or _speaks_of_another(claim, moment):
        return ANOTHER_MOVE
    board = moment.board
    if not board.is_checkmate():
        return fails(
            "the king has a way out" if board.is_check() else "no king is in check"
        )
    evidence = f"{side_name(board.turn)} is checkmated"
    place = claim.detail.square
    if place and place != chess.square_name(moment.last[1].to_square):
        return fails(f"{evidence}, but not on {place}")
    if claim.subjects and all(
        term.role in ("piece", "side") for term in claim.subjects
    ):
        mating = board.checkers() | chess.SquareSet(boards.moved_squares(*moment.last))
        by = " and ".join(name(board, square) for square in board.checkers())
        right = not mating.isdisjoint(acting_squares(claim.subjects, moment))
        return truth(right, evidence if right else f"{evidence} by {by}")
    return truth(_right_king(claim, board), evidence)


def is_stalemate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a position is stalemate."""
    stalemate = moment.board.is_stalemate()
    evidence = "stalemate" if stalemate else "there are legal moves or a check"
    return truth(stalemate, evidence)


def threatens_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side could mate at once; a longer mate is not searched for."""
    board = moment.board
    if board.is_checkmate():
        return holds("it is mate already")
    kings = {not term.side for term in claim.objects if term.side is not None}
    square = claim.detail.square
    for side in kings or sides_or_both(claim):
        for move in tactics.mates(moment.board, side):
            if move.uci()[2:4].startswith(square):
                return holds(f"{side_name(side)} could mate by {move.uci()}")
    aim = chess.BB_SQUARES[chess.parse_square(square)] if square else chess.BB_ALL
    barred = not any(
        any(b.generate_legal_moves(to_mask=aim)) for b in both_turns(board)
    )
    at_once = claim.detail.count == 1 or barred
    return (
        fails("no move mates at once")
        if at_once
        else unknown("a longer mate may exist")
    )


def missed_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a mate was there before the move, which does not give it."""
    if moment.anchor != "before":
        return ANOTHER_MOVE
    if {not scene.move.mover} == named_sides(claim):
        return unknown("the other side's move is spoken of")
    if scene.after.board.is_checkmate():
        return fails("the move played mates")
    if tactics.mates(moment.board, scene.move.mover):
        return truth(claim.detail.count in (None, 1), "there was mate in one")
    if claim.detail.count == 1:
        return fails("no move mated at once")
    score = scene.verdict and scene.verdict.before.pov(scene.move.mover).mate()
    if not score or score < 0:
        return unknown("a longer mate may have been there")
    return truth(
        claim.detail.count in (None, score), f"there was mate in {score}", certain=False
    )


def can_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side could mate at once; with the move told, if one is.

    A mate that takes longer is not searched for, so that without a move it is left open.
    """
    if moment.board.is_checkmate():
        return unknown("it is mate already")
    named = written_moves(claim.objects)
    for side in sides_or_both(claim):
        for move in tactics.mates(moment.board, side):
            if all(each.fits(moment.board, move) for each in named):
                return holds(f"{move.uci()} mates")
    return (
        fails("that move does not mate")
        if named
        else unknown("a longer mate may exist")
    )


def _last(moment: Moment) -> list[Event]:
    return [] if moment.last is None else [moment.last]


def _mates_in_one(named: list[Notation], board: chess.Board) -> Finding:
    """Look whether one of the moves that are named mates, of either side."""
    mates = [
        (turned, move) for turned in both_turns(board) for move in turned.legal_moves
    ]
    fits = [event for event in mates if any(each.fits(*event) for each in named)]
    found = any(boards.after_move(*event).is_checkmate() for event in fits)
    return truth(found, "whether it mates") if fits else ANOTHER_MOVE


def mate_in(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look for the mate that is counted: by the board for one move, else by the given score."""
    board = moment.board
    count = claim.detail.count or 0
    verdict = scene.verdict
    scores = [] if verdict is None else [verdict.before, verdict.after, verdict.played]
    mating = [score.relative.mate() for score in scores]
    known = sorted(abs(mate) for mate in mating if mate is not None)
    inside = [term for term in claim.subjects if term.span[1] <= claim.span[1]]
    means = written_moves(term for term in inside if term.span[0] > claim.span[0])
    if means and count == 1:
        return _mates_in_one(means, moment.board)
    named = written_moves(term for term in inside if term.span[0] >= claim.span[0])
    if named and not any(
        move.fits(*event) for event in _last(moment) for move in named
    ):
        return ANOTHER_MOVE
    if count in known:
        return holds(f"the engine sees mate in {count}")
    if count > 1 and scores and (known or count <= SURE_MATE):
        return fails(
            f"the engine gives {f'mate in {known[0]}' if known else 'no mate'}"
        )
    if count == 1:
        quick = board.is_checkmate() or any(
            tactics.mates(board, side) for side in chess.COLORS
        )
        return truth(quick, "mate in one" if quick else "no move mates at once")
    if board.is_checkmate() or tactics.mates(board, board.turn):
        return fails("there is a quicker mate")
    return unknown(f"a mate in {count} is not searched for")
