"""What a move prevents: what the opponent could have played after a pass, and now cannot."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chessgloss.facts.verdict import judgement_of
from chessgloss.notes.kinds import Notes
from chessgloss.notes.placement import pass_turn
from chessgloss.notes.played import Played
from chessgloss.notes.purposes import telling
from chessgloss.notes.situation import Situation
from chessgloss.predicates.outcome import spelt
from chessgloss.predicates.tactics import VALUES, exchange
from chessgloss.predicates.words import named

#: Files, from 0, on which a pawn that is challenged is one of the centre.
_CENTRE_FILES = range(2, 6)


def prevents(situation: Situation) -> Notes:
    """Yield the opponent's move that is no longer possible, or that now fails.

    It is the one that the engine plays after a pass, if that pass would be a mistake; else an
    advance of a pawn that would drive a piece away or break in the centre.
    """
    checks = situation.before.is_check() or situation.after.is_check()
    if situation.bad or checks:
        return
    turned = pass_turn(situation.before)
    idle = situation.briefing.idle
    passing = idle.best.score if idle and idle.lines else situation.verdict.before
    if judgement_of(situation.verdict.before, passing) not in ("best", "good"):
        yield from _threat(situation, turned)
        return
    for push in _stopped_pushes(situation, turned):
        yield from _said(situation, push)
        return


def _threat(situation: Situation, turned: chess.Board) -> Notes:
    """Yield the opponent's best move after a pass, which hurt, if the move has stopped it."""
    move = chess.Move.from_uci(situation.idle[0])
    threat = Played(turned, move)
    hits = threat.taken is not None or (
        threat.piece != chess.KING and telling(threat, "prevented")
    )
    if situation.played.start in (move.to_square, move.from_square) or not hits:
        return
    for each in situation.briefing.refutations:
        if each.natural == "threatened":
            told = situation.told(situation.after, each.line, each.score)
            yield situation.note("stops_fails", None, [move.to_square], told=told)
            return
    known = (
        threat.taken in situation.played.lost_before
    )  # a purpose of the move says so
    if known or threat.after.is_checkmate() or situation.after.is_legal(move):
        return
    if _is_stopped(situation, turned, move):
        yield situation.note("stops", None, [move.to_square], stopped=threat.number)


def _is_stopped(situation: Situation, turned: chess.Board, move: chess.Move) -> bool:
    """Tell whether a move that did no harm to its side after a pass is illegal now, or loses."""
    if exchange(turned, move) < 0:
        return False
    if move.from_square == situation.played.taken:
        return False  # the piece is gone: nothing of it is to be prevented
    return not situation.after.is_legal(move) or exchange(situation.after, move) < 0


def _stopped_pushes(situation: Situation, turned: chess.Board) -> Iterator[Played]:
    """Yield advances of pawns that would drive a piece away or break in the centre."""
    if situation.played.is_endgame or situation.played.taken is not None:
        return
    pawns = turned.pieces_mask(chess.PAWN, situation.them)
    for move in turned.generate_legal_moves(pawns):
        if turned.is_capture(move) or move.promotion:
            continue
        if not _is_stopped(situation, turned, move):
            continue
        push = Played(turned, move)
        if not push.loose and _hits(push, situation):
            yield push


def _hits(push: Played, situation: Situation) -> bool:
    """Tell whether a pawn's advance attacks a piece, or a pawn in the centre, that stays there."""
    reach = push.after.attacks(push.end) & push.after.occupied_co[push.them]
    for square in reach:
        stays = situation.after.piece_at(square) == push.after.piece_at(square)
        piece = push.value(square) >= VALUES[chess.KNIGHT]
        central = chess.square_file(square) in _CENTRE_FILES
        pawn = push.after.piece_type_at(square) == chess.PAWN
        if stays and (piece or (pawn and central)):
            return True
    return False


def _said(situation: Situation, push: Played) -> Notes:
    """Yield the note on a push that is prevented, if what it would attack is worth a word."""
    for purpose in telling(push, "prevented"):
        squares = [chess.parse_square(each) for each in purpose.about if len(each) == 2]
        targets = chess.SquareSet(squares) & push.after.occupied_co[situation.us]
        if not targets:
            continue
        (target, *_) = push.dearest(targets)
        words = {"stopped": push.number, "target": named(situation.before, target)}
        kind = "stops_push"
        if situation.after.is_legal(push.move):
            tried = Played(situation.after, push.move)
            taking = tried.lost.get(tried.end)
            if taking is None:
                continue
            kind = "stops_push_fails"
            words |= {"stopped": tried.number}
            words["punishment"] = spelt(tried.after, [taking.move.uci()])
        yield situation.note(kind, None, [push.end, target], **words)
        return
