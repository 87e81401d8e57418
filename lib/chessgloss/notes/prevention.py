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
from chessgloss.predicates import board as boards
from chessgloss.predicates.outcome import spelt
from chessgloss.predicates.tactics import VALUES, balance, captures, exchange
from chessgloss.predicates.words import named

#: Pawns that a threat must win after a capture for the capture to fail.
_PUNISHED = 2

#: Files, from 0, on which a pawn that is challenged is one of the centre.
_CENTRE_FILES = range(2, 6)


def prevents(situation: Situation) -> Notes:
    """Yield the opponent's move that is no longer possible, or that now loses material.

    It is the one that the engine plays after a pass, if that pass would be a mistake; else an
    advance of a pawn that would drive a piece away or break in the centre.
    """
    checks = situation.before.is_check() or situation.after.is_check()
    if situation.bad or checks:
        return
    turned = pass_turn(situation.before)
    threat = _threat(situation, turned)
    if threat is not None:
        yield from _said(situation, threat, "stops_threat")
        return
    for push in _stopped_pushes(situation, turned):
        yield from _said(situation, push, "stops_push")
        return


def _threat(situation: Situation, turned: chess.Board) -> Played | None:
    """Return the opponent's best move after a pass, if it hurts and the move has stopped it."""
    idle = situation.briefing.idle
    if idle is None or not idle.lines or not situation.idle:
        return None
    cost = judgement_of(situation.verdict.before, idle.best.score)
    move = chess.Move.from_uci(situation.idle[0])
    fled = situation.played.start in (move.to_square, move.from_square)
    punished = _is_punished(situation, move)
    stopped = punished or _is_stopped(situation, turned, move)
    if cost in ("best", "good") or fled or not stopped:
        return None
    threat = Played(turned, move)
    protected = (
        threat.taken is not None and threat.taken in situation.played.lost_before
    )
    known = protected and not punished  # a purpose of the move says so
    return None if known or threat.after.is_checkmate() else threat


def _is_stopped(situation: Situation, turned: chess.Board, move: chess.Move) -> bool:
    """Tell whether a move that did no harm to its side after a pass is illegal now, or loses."""
    if exchange(turned, move) < 0:
        return False
    if move.from_square == situation.played.taken:
        return False  # the piece is gone: nothing of it is to be prevented
    return not situation.after.is_legal(move) or exchange(situation.after, move) < 0


def _is_punished(situation: Situation, move: chess.Move) -> bool:
    """Tell whether a capture that is still possible runs into what the move threatens."""
    taken = boards.taken_on(situation.after, move)
    legal = situation.after.is_legal(move)
    return taken is not None and legal and bool(_threat_against(situation, move))


def _threat_against(situation: Situation, move: chess.Move) -> str:
    """Return the mover's threat, with its number, that wins material after a move all the same.

    It is the first move of the engine's line after a pass; whatever is played against it, a
    capture must leave its side ahead of where it was before: all replies are tried.
    """
    passed = situation.briefing.passed
    if passed is None or not passed.lines:
        return ""
    board = boards.after_move(situation.after, move)
    first = chess.Move.from_uci(passed.best.moves[0])
    if not board.is_legal(first) or not board.gives_check(first):
        return ""
    threatened = boards.after_move(board, first)
    start = balance(situation.before)
    for reply in threatened.legal_moves:
        there = boards.after_move(threatened, reply)
        ahead = (balance(there) - start) * (1 if situation.us else -1)
        gain = max((each.gain for each in captures(there, situation.us)), default=0)
        if ahead + gain < _PUNISHED:
            return ""
    return spelt(board, [first.uci()])


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


def _said(situation: Situation, move: Played, kind: str) -> Notes:
    """Yield the note on a move that is prevented, if what it would attack is worth a word."""
    for purpose in telling(move, "prevented"):
        squares = [chess.parse_square(each) for each in purpose.about if len(each) == 2]
        targets = chess.SquareSet(squares) & move.after.occupied_co[situation.us]
        if not targets and move.taken is None:
            continue
        target = move.taken
        words = {"stopped": move.number, "against": ""}
        if target is None:
            (target, *_) = move.dearest(targets)
            words["against"] = f" against {named(situation.before, target)}"
        if situation.after.is_legal(move.move):
            kind += "_fails"
            tried = Played(situation.after, move.move)
            words["stopped"] = tried.number
            against = _threat_against(situation, move.move)
            words["punishment"] = _capture(tried) or against
        yield situation.note(kind, None, [move.end, target], **words)
        return


def _capture(tried: Played) -> str:
    """Return the capture that wins what has just moved, with its number; empty without one."""
    best = tried.lost.get(tried.end)
    return spelt(tried.after, [best.move.uci()]) if best else ""
