"""Looks at the board: checks, mates, stalemate."""

from __future__ import annotations

import chess

from chessgloss.claims.actors import acting_squares, moved_squares, name
from chessgloss.claims.outcomes import Finding, absent, fails, holds, truth, unknown
from chessgloss.claims.records import Claim, Term
from chessgloss.claims.scene import Moment, Scene
from chessgloss.facts.tactics import mates

#: Mates up to this length are taken as seen by any engine that gives a verdict.
_SURE_MATE = 3


def gives_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move of a moment gives check, with the piece that is named."""
    board = moment.board
    if _speaks_of_another(claim, moment) or (moment.last is None and not _stands(claim)):
        return absent("another move is spoken of")
    if not board.is_check():
        return fails("no king is in check")
    if not _right_king(claim, board):
        return fails(f"it is {_side(board.turn)} who is in check")
    checkers = board.checkers()
    if claim.subjects and not _by(claim, moment, checkers):
        return fails(f"the check comes from {name(board, checkers.pop())}")
    return holds(f"{name(board, next(iter(checkers)))} gives check")


def _stands(claim: Claim) -> bool:
    """Tell whether a check that stands before the move may be meant: a piece is said to give it."""
    pieces = [term for term in claim.subjects if term.role == "piece"]
    return bool(pieces) and len(pieces) == len(claim.subjects)


def _speaks_of_another(claim: Claim, moment: Moment) -> bool:
    """Tell whether the only subject is a written move that did not lead to the moment."""
    moves = [term.move for term in claim.subjects if term.role == "move"]
    if not moves or len(moves) < len(claim.subjects):
        return False
    return moment.last is None or not any(one and one.fits(*moment.last) for one in moves)


def _by(claim: Claim, moment: Moment, checkers: chess.SquareSet) -> bool:
    return any(square in checkers for square in acting_squares(claim.subjects, moment))


def _right_king(claim: Claim, board: chess.Board) -> bool:
    return all(_may_be(term, board.turn) for term in claim.objects)


def _may_be(term: Term, side: chess.Color) -> bool:
    return term.side in (None, side) and chess.KING in term.pieces | {chess.KING}


def in_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a king is in check."""
    board = moment.board
    if not board.is_check():
        return fails("no king is in check")
    return truth(_right_king(claim, board), f"{_side(board.turn)} is in check")


def was_in_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether there was a check to answer, before the move or in any other moment."""
    return truth(any(one.board.is_check() for one in scene.moments), "check in the moment before")


def discovered_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece that did not move gives check."""
    if moment.last is None:
        return absent("no move led here")
    others = moment.board.checkers()
    for square in moved_squares(*moment.last):
        others.discard(square)
    return truth(bool(others), "the check comes from the moved piece or there is none")


def double_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether two pieces give check."""
    return truth(len(moment.board.checkers()) == 2, f"{len(moment.board.checkers())} pieces check")


def is_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a position is checkmate."""
    if moment.last is None or _speaks_of_another(claim, moment):
        return absent("another move is spoken of")
    board = moment.board
    pieces = [term for term in claim.subjects if term.role in ("piece", "side")]
    if board.is_checkmate() and pieces and len(pieces) == len(claim.subjects):
        return truth(_by(claim, moment, board.checkers()), _mate_words(board))
    return truth(board.is_checkmate() and _right_king(claim, board), _mate_words(board))


def _mate_words(board: chess.Board) -> str:
    if board.is_checkmate():
        return f"{_side(board.turn)} is checkmated"
    return "the king has a way out" if board.is_check() else "no king is in check"


def is_stalemate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a position is stalemate."""
    return truth(moment.board.is_stalemate(), "stalemate" if moment.board.is_stalemate() else
                 "there are legal moves or a check")  # fmt: skip


def threatens_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side could mate at once; a longer mate is not searched for."""
    board = moment.board
    if board.is_checkmate():
        return holds("it is mate already")
    for side in chess.COLORS:
        for move in mates(board, side):
            return holds(f"{_side(side)} could mate by {move.uci()}")
    count = int(claim.detail[0]) if claim.detail else 0
    return fails("no move mates at once") if count == 1 else unknown("a longer mate may exist")


def mate_in(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look for the mate that is counted: by the board for one move, else by the given score."""
    count = int(claim.detail[0])
    known = _known_mates(scene)
    if count in known:
        return holds(f"the engine sees mate in {count}")
    board = moment.board
    quick = board.is_checkmate() or any(mates(board, side) for side in chess.COLORS)
    if count > 1 and scene.verdict is not None and (known or count <= _SURE_MATE):
        return fails(f"the engine gives {_score(scene)}")
    if count == 1:
        return truth(quick, "mate in one" if quick else "no move mates at once")
    if board.is_checkmate() or mates(board, board.turn):
        return fails("there is a quicker mate")
    return unknown(f"a mate in {count} is not searched for")


def _score(scene: Scene) -> str:
    known = sorted(_known_mates(scene))
    return f"mate in {known[0]}" if known else "no mate"


def _known_mates(scene: Scene) -> set[int]:
    return {abs(count) for count in scene.mate_counts}


def _side(colour: chess.Color) -> str:
    return "White" if colour else "Black"
