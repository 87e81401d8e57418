"""Looks at the board: moves named, played or denied; castling; promotion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import chess

from chessgloss.claims.outcomes import Finding, absent, fails, holds, truth, unknown
from chessgloss.claims.records import Anchor, Checked, Claim, Term
from chessgloss.claims.scene import Moment, Scene, options, passed


def check_move(claim: Claim, scene: Scene) -> Checked:
    """Return the verdict on a move that is named: played, or legal where it may be meant."""
    (term,) = claim.objects
    if claim.stance.asked:
        return Checked(claim, "not checkable", "the text asks it, it does not say it", "none")
    if _is_played(term, scene):
        return Checked(claim, "true", f"{scene.move.san} is the move played", "before")
    if claim.relation == "played" and _must_be_played(term, scene):
        return Checked(claim, "false", f"the move played is {scene.move.san}", "before")
    moments = scene.moments
    if claim.tense == "before":
        moments = tuple(one for one in moments if one.anchor in ("before", "line"))
    found = options(moments, term)
    if found:
        board, move = found[0]
        return Checked(claim, "true", f"{board.san(move)} is legal", _anchor(board, scene))
    return _illegal(claim, term, scene)


def _is_past(term: Term, scene: Scene) -> bool:
    """Tell whether a move may be one that was played earlier in the game.

    Its number says so, or the piece already stands where it is said to go.
    """
    board = scene.before.board
    if term.numbered is not None and term.numbered < board.ply():
        return True
    move = term.move
    if move is None or move.to is None or move.piece is None or move.takes:
        return False
    there = board.piece_at(move.to)
    here = there is not None and there.piece_type == move.piece
    return here and there is not None and term.side in (None, there.color)


def _illegal(claim: Claim, term: Term, scene: Scene) -> Checked:
    evidence = f"{term.text} is not legal before the move, after it, or in a line of the text"
    certain = term.definite or (term.role == "move" and term.move is not None and term.move.castles)
    if claim.stance.negated or not certain or _is_past(term, scene):
        return Checked(claim, "not checkable", evidence, "none")
    if claim.stance.supposed and not (claim.tense == "before" or term.numbered is not None):
        return Checked(claim, "not checkable", evidence + "; the text only supposes it", "none")
    return Checked(claim, "false", evidence, "before")


def _is_played(term: Term, scene: Scene) -> bool:
    board = scene.before.board
    if term.move is None or term.side not in (None, board.turn):
        return False
    return term.numbered in (None, board.ply()) and term.move.fits(board, scene.move.move)


def _must_be_played(term: Term, scene: Scene) -> bool:
    lines = (moment.start for moment in scene.moments if moment.anchor == "line")
    if any(start < term.span[0] for start in lines):
        return False
    if term.side is None:
        return not options([scene.after], replace(term, side=not scene.move.mover))
    return term.side == scene.move.mover


def _anchor(board: chess.Board, scene: Scene) -> Anchor:
    return next((one.anchor for one in scene.moments if one.board is board), "line")


def impossible(claim: Claim, scene: Scene) -> Checked:
    """Return the verdict on a move that is said to be impossible: true if it is not legal."""
    (term,) = claim.objects
    boards = [scene.before, *scene.moments[1:]] if claim.tense == "before" else scene.moments[1:]
    found = options(boards, term)
    if not found:
        return Checked(claim, "true", f"{term.text} is not legal", "after")
    board, move = found[0]
    if claim.stance.asked or claim.stance.supposed or (term.move and not term.move.castles):
        return Checked(claim, "not checkable", f"{board.san(move)} is legal", "after")
    return Checked(claim, "false", f"{board.san(move)} is legal", "after")


def move_checks(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a move written with a check sign gives check."""
    return _signed(claim, scene, mate=False)


def move_mates(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a move written with a mate sign mates."""
    return _signed(claim, scene, mate=True)


def _signed(claim: Claim, scene: Scene, *, mate: bool) -> Finding:
    term = claim.objects[0]
    moves = [] if _is_past(term, scene) else options(scene.moments, term)
    if _is_played(term, scene):
        moves = [(scene.before.board, scene.move.move)]
    if not moves:
        return unknown(f"{term.text} is not legal")
    for board, move in moves:
        copy = board.copy(stack=False)
        copy.push(move)
        if copy.is_checkmate() if mate else copy.is_check():
            return holds(f"{board.san(move)}")
    board, move = moves[0]
    return fails(f"{board.san(move)} {'is no mate' if mate else 'gives no check'}")


def may_castle(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has a right to castle, to the wing if one is named."""
    sides, wing = _who_and_where(claim)
    found = [side for side in sides if _has_right(moment.board, side, wing)]
    just_castled = moment.last is not None and moment.last[0].is_castling(moment.last[1])
    if just_castled and not found:
        return unknown("the move is castling itself")
    return truth(bool(found), f"castling rights are {moment.board.castling_xfen()}")


def loses_right(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a right to castle is there before the move and gone after it."""
    sides, wing = _who_and_where(claim)
    start, end = scene.before.board, scene.after.board
    lost = any(_has_right(start, side, wing) and not _has_right(end, side, wing) for side in sides)
    return truth(lost, f"castling rights were {start.castling_xfen()}, are {end.castling_xfen()}")


def castled(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a king can have castled: no rights left, and not on its first square."""
    sides, _ = _who_and_where(claim)
    board = moment.board
    both = "both" in claim.detail
    states = [_may_have_castled(board, side) for side in sides]
    if all(states) if both else any(states):
        return holds("king and rights are as after castling")
    return fails("the king still stands at home, or has its rights")


def _may_have_castled(board: chess.Board, side: chess.Color) -> bool:
    king = board.king(side)
    home = chess.E1 if side else chess.E8
    return king != home and not board.has_castling_rights(side)


def _who_and_where(claim: Claim) -> tuple[tuple[chess.Color, ...], str]:
    (term,) = claim.objects
    sides = chess.COLORS if term.side is None else (term.side,)
    return tuple(sides), (term.move.castles if term.move else None) or "either"


def _has_right(board: chess.Board, side: chess.Color, wing: str) -> bool:
    king = board.has_kingside_castling_rights(side)
    queen = board.has_queenside_castling_rights(side)
    return {"K": king, "Q": queen, "either": king or queen}[wing]


def _next_moves(moment: Moment) -> Iterator[chess.Move]:
    for board in (moment.board, passed(moment.board)):
        if board is not None:
            yield from board.legal_moves


def promotes(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn promotes as it is told, or is about to."""
    told = dict(one.split("=", 1) for one in claim.detail if "=" in one)
    if moment.last is None:
        return absent("no move led here")
    board, move = moment.last
    if move.promotion is None:
        ready = moment.board.is_check() or any(one.promotion for one in _next_moves(moment))
        said = f"{board.san(move)} promotes nothing"
        return unknown(f"{said}, but a pawn can promote next") if ready else fails(said)
    piece = told.get("piece", chess.piece_name(move.promotion))
    square = told.get("square", chess.square_name(move.to_square))
    good = (piece, square) == (chess.piece_name(move.promotion), chess.square_name(move.to_square))
    return truth(good, f"{board.san(move)} promotes")
