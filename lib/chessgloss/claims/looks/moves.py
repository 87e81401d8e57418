"""Looks at moves: whether they are played, legal or impossible; castling and promotion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from operator import gt

import chess

from chessgloss.claims.lexicon import Notation
from chessgloss.claims.looks.finding import (
    NO_MOVE,
    Finding,
    Truth,
    fails,
    holds,
    truth,
    unknown,
)
from chessgloss.claims.parser import Claim, Term
from chessgloss.claims.scene import (
    LOOK_BACK,
    Anchor,
    Moment,
    Scene,
    both_turns,
    sides_or_both,
    ways_to_play,
)
from chessgloss.facts import board as boards


def _castling(claim: Claim) -> tuple[Sequence[chess.Color], str]:
    """Return the sides that are spoken of and the wing, ``either`` if none is told."""
    (term,) = claim.objects
    wing = term.move and term.move.castles
    return chess.COLORS if term.side is None else [term.side], wing or "either"


def _rights(claim: Claim, board: chess.Board) -> list[bool]:
    """Tell of each side that is spoken of whether it has the right to castle."""
    sides, wing = _castling(claim)
    rooks = {"K": chess.BB_FILE_H, "Q": chess.BB_FILE_A}.get(wing, chess.BB_ALL)
    ranks = (chess.BB_RANK_1 if side else chess.BB_RANK_8 for side in sides)
    return [bool(board.castling_rights & rooks & rank) for rank in ranks]


def check_move(claim: Claim, scene: Scene) -> tuple[Truth, str, Anchor]:
    """Decide on a move that is named: played, or legal where it may be meant."""
    (term,) = claim.objects
    stance = claim.stance
    past = claim.tense == "before"
    if _is_played(term, scene):
        return "true", f"{scene.move.san} is the move played", "before"
    followed = claim.span[0] < scene.astray
    if claim.relation == "played" and followed and _must_be_played(term, scene):
        return "false", f"the move played is {scene.move.san}", "before"
    moments = [m for m in scene.moments if not past or m.anchor in ("before", "line")]
    for board, move in ways_to_play(moments, term):
        anchors = (moment.anchor for moment in scene.moments if moment.board is board)
        return "true", f"{board.san(move)} is legal", next(anchors, "line")
    known = term.definite and followed and not _is_remote(term, scene)
    # the text may go back to what was played before, or could have been
    before = scene.earlier() if stance.past or term.numbered is not None else ()
    for back, (board, last) in enumerate(m.last for m in before if m.last):
        if term.numbered == board.ply() and term.fits(board, last):
            return "true", "as the game went before", "before"
        if stance.past and back < LOOK_BACK and term.side in (None, board.turn):
            known = known and not any(term.plays(board))
    evidence = (
        f"{term.text} is not legal before the move, after it, or in a line of the text"
    )
    if stance.negated or not known:
        return "not checkable", evidence, "none"
    if stance.supposed and not past:
        return "not checkable", evidence + "; the text only supposes it", "none"
    return "false", evidence, "before"


def impossible(claim: Claim, scene: Scene) -> tuple[Truth, str, Anchor]:
    """Decide on a move that is said to be impossible: true if it is not legal."""
    (term,), stance = claim.objects, claim.stance
    open_ = (
        stance.asked or stance.supposed or not (term.move is None or term.move.castles)
    )
    for board, move in ways_to_play(scene.moments[claim.tense != "before" :], term):
        return (
            "not checkable" if open_ else "false",
            f"{board.san(move)} is legal",
            "after",
        )
    return "true", f"{term.text} is not legal", "after"


def _is_remote(term: Term, scene: Scene) -> bool:
    """Tell whether a move may be one that was played earlier in the game, or comes much later.

    Its number says so, or the line that it stands in, or the piece already stands where it is
    said to go.
    """
    board = scene.before.board
    move = term.move or Notation()
    if move.file is not None and move.rank is not None:
        start = chess.square(
            move.file, move.rank
        )  # ``h7-h6``, of a piece that is not there
        found = {moment.board.piece_type_at(start) for moment in scene.moments}
        if found <= {None} or (move.piece is not None and move.piece not in found):
            return True
    newest = max(moment.board.ply() for moment in scene.moments)
    numbered = board.ply() if term.numbered is None else term.numbered
    if term.span[0] in scene.adrift or not board.ply() <= numbered <= newest:
        return True
    there = None if move.to is None or move.takes else board.piece_at(move.to)
    same = there is not None and there.piece_type == move.piece
    return same and term.side in (None, there and there.color)


def _is_played(term: Term, scene: Scene) -> bool:
    board = scene.before.board
    named = term.side in (None, board.turn) and term.numbered in (None, board.ply())
    return named and term.fits(board, scene.move.move)


def _must_be_played(term: Term, scene: Scene) -> bool:
    if any(m.anchor == "line" and m.start < term.span[0] for m in scene.moments):
        return False
    if term.side is None:
        return not ways_to_play([scene.after], replace(term, side=not scene.move.mover))
    return term.side == scene.move.mover


def signed(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a move written with a sign of check or mate gives check or mates."""
    term = claim.objects[0]
    mate = claim.relation == "move_mates"
    if _is_played(term, scene):
        events = [(scene.before.board, scene.move.move)]
    else:
        ways = [] if _is_remote(term, scene) else ways_to_play(scene.moments, term)
        events = [(board, move) for board, _ in ways for move in term.plays(board)]
    if not events:
        return unknown(f"{term.text} is not legal")
    for board, move in events:
        end = boards.after_move(board, move)
        if end.is_checkmate() if mate else end.is_check():
            return holds(f"{board.san(move)}")
    board, move = events[0]
    return fails(f"{board.san(move)} {'is no mate' if mate else 'gives no check'}")


def may_castle(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has a right to castle, to the wing if one is named."""
    has = any(_rights(claim, moment.board))
    return truth(has, f"castling rights are {moment.board.castling_xfen()}")


def loses_right(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a right to castle is there before the move and gone after it."""
    start, end = scene.before.board, scene.after.board
    lost = any(map(gt, _rights(claim, start), _rights(claim, end)))
    return truth(
        lost, f"castling rights were {start.castling_xfen()}, are {end.castling_xfen()}"
    )


def castled(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a king can have castled: no rights left, and on that side of the board."""
    board = moment.board
    (sides, wing) = _castling(claim)
    files = {"K": range(5, 8), "Q": range(4)}.get(wing, (*range(4), *range(5, 8)))
    away = [
        side
        for side in sides
        if chess.square_file(boards.king_of(board, side)) in files
    ]
    gone = [side for side in away if not board.has_castling_rights(side)]
    if len(gone) == len(sides) if claim.detail.both else gone:
        return holds("king and rights are as after castling")
    return fails("the king does not stand there, or still has its rights")


def promotes(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn promotes as it is told, or is about to."""
    if moment.last is None:
        return NO_MOVE
    board, move = moment.last
    if move.promotion is None:
        nothing = f"{board.san(move)} promotes nothing"
        end = moment.board
        answers = chain.from_iterable(turned.legal_moves for turned in both_turns(end))
        if end.is_check() or any(answer.promotion for answer in answers):
            return unknown(f"{nothing}, but a pawn can promote next")
        return fails(nothing)
    piece = claim.detail.piece in ("", chess.piece_name(move.promotion))
    square = claim.detail.square in ("", chess.square_name(move.to_square))
    return truth(piece and square, f"{board.san(move)} promotes")


def can_promote(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn could promote at once, were it its side's turn."""
    pawns = claim.objects[0].squares(moment.board)
    sides = sides_or_both(claim)
    for board in both_turns(moment.board):
        for move in board.legal_moves if board.turn in sides else ():
            if move.promotion and move.from_square in pawns:
                return holds(f"{board.san(move)} is legal")
    return fails("no such promotion is legal")


def legal_count(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look how many legal moves there are."""
    count = moment.board.legal_moves.count()
    return truth(count == claim.detail.count, f"{count} moves are legal")
