"""Looks at an engine's verdict: who is better, and whether the move is good.

Thresholds, in centipawns at the given analysis: *better* from 50 for the side, *winning* from
250, *equal* up to 60 either way; a *blunder* loses at least 150, a *mistake* 80, a *bad move*
more than 30; a *good move* loses at most 30; the *best* at most 10; an *only move* is the only
legal one or beats the second by 150. Between a claim's bound and half as much again against it
nothing is called false.
"""

from __future__ import annotations

import re
from typing import Final

import chess

from chessgloss.claims.look_counts import detail
from chessgloss.claims.outcomes import Finding, absent, fails, holds, truth, unknown
from chessgloss.claims.records import Claim
from chessgloss.claims.scene import Moment, Scene
from chessgloss.facts.verdict import Verdict

#: A claim that misses its bound by less than this share of it is not called false.
TOLERANCE: Final = 0.3
BEST_LOSS: Final = 10
ONLY_MOVE_LEAD: Final = 75
_NO_ENGINE = "no engine's verdict is given"


def better(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is better by the bound of the words."""
    verdict = scene.verdict
    if verdict is None:
        return unknown(_NO_ENGINE)
    if not claim.subjects:
        return unknown("whose advantage is not told")
    if _is_over(claim, moment):
        return absent("the position after the move is spoken of")
    told = detail(claim)
    side = bool(claim.subjects[0].side) != ("turned" in told)
    return _reaches(_value(verdict, moment, side), int(told["bound"]), verdict)


def _is_over(claim: Claim, moment: Moment) -> bool:
    """Tell whether a moment lies before the move and the words do not speak of the past."""
    past = re.search(r"\b(?:was|were|had)\b", claim.text.lower())
    return moment.anchor == "before" and past is None


def _value(verdict: Verdict, moment: Moment, side: chess.Color) -> int:
    value = verdict.centipawns_before if moment.anchor == "before" else verdict.centipawns_after
    return value if side == verdict.mover else -value


def _reaches(value: int, bound: int, verdict: Verdict) -> Finding:
    evidence = f"{verdict.engine} gives {value / 100:+.2f} for that side"
    if value >= bound:
        return holds(evidence)
    return fails(evidence) if value < bound * (1 - TOLERANCE) else unknown(evidence)


def equal(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether neither side is better."""
    verdict = scene.verdict
    if verdict is None:
        return unknown(_NO_ENGINE)
    if _is_over(claim, moment):
        return absent("the position after the move is spoken of")
    value = abs(_value(verdict, moment, verdict.mover))
    bound = int(detail(claim)["bound"])
    evidence = f"{verdict.engine} gives {value / 100:.2f} to one side"
    if value <= bound:
        return holds(evidence)
    return fails(evidence) if value > bound * (1 + TOLERANCE) else unknown(evidence)


def bad_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move loses as much as the word says."""
    return _loss(claim, scene, low=int(detail(claim)["low"]))


def good_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move loses little."""
    return _loss(claim, scene, high=int(detail(claim)["high"]))


def best_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move is the engine's first or as good."""
    return _loss(claim, scene, high=BEST_LOSS)


def _loss(claim: Claim, scene: Scene, low: int | None = None, high: int | None = None) -> Finding:
    verdict = scene.verdict
    if verdict is None:
        return unknown(_NO_ENGINE)
    loss = _loss_of_another(claim, scene) if _of_another(claim, scene) else verdict.loss
    if loss is None:
        return unknown("the engine says nothing of the other move")
    evidence = f"{verdict.engine} says it loses {loss} centipawns"
    if low is not None and loss < low:
        return fails(evidence) if loss < low * (1 - TOLERANCE) else unknown(evidence)
    if high is not None and loss > high:
        return fails(evidence) if loss > 2 * high else unknown(evidence)
    return holds(evidence)


def _loss_of_another(claim: Claim, scene: Scene) -> int | None:
    """Return what the other move named loses, if it is among the engine's two best."""
    verdict, board = scene.verdict, scene.before.board
    named = [term.move for term in claim.objects if term.move is not None]
    if verdict is None or len(named) != 1:
        return None
    if named[0].fits(board, chess.Move.from_uci(verdict.best)):
        return 0
    if verdict.second and named[0].fits(board, chess.Move.from_uci(verdict.second)):
        return verdict.lead_of_best
    return None


def _of_another(claim: Claim, scene: Scene) -> bool:
    """Tell whether the sentence writes another move than the played one."""
    board, played = scene.before.board, scene.move.move
    moves = [term.move for term in claim.objects if term.move is not None]
    return bool(moves) and not any(move.fits(board, played) for move in moves)


def better_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether another move that is named can be better than the one played."""
    verdict = scene.verdict
    if verdict is None:
        return unknown(_NO_ENGINE)
    if not _of_another(claim, scene):
        return unknown("the move compared is not told")
    evidence = f"{verdict.engine} prefers {verdict.best}; the move played loses {verdict.loss}"
    best = chess.Move.from_uci(verdict.best)
    named = [term.move for term in claim.objects if term.move is not None]
    if not any(list(one.moves(scene.before.board)) for one in named):
        if any(list(one.moves(scene.after.board)) for one in named):
            return unknown("a move of the opponent is spoken of")
        return fails("the other move is not legal")
    if verdict.loss > BEST_LOSS and any(one.fits(scene.before.board, best) for one in named):
        return holds(evidence)
    return fails(evidence) if verdict.loss <= BEST_LOSS else unknown(evidence)


def legal_count(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look how many legal moves there are."""
    wanted = _NUMBERS.get(detail(claim)["count"]) or int(detail(claim)["count"])
    count = moment.board.legal_moves.count()
    return truth(count == wanted, f"{count} moves are legal")


_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def only_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether there is one legal move, or one that beats all others."""
    if _of_another(claim, scene):
        return unknown("another move is spoken of")
    if scene.before.board.legal_moves.count() == 1:
        return holds("it is the only legal move")
    if "legal" in claim.text:
        return fails(f"{scene.before.board.legal_moves.count()} moves are legal")
    verdict = scene.verdict
    lead = verdict.lead_of_best if verdict else None
    if verdict is None or lead is None:
        return unknown(_NO_ENGINE)
    evidence = f"the best move leads by {lead} centipawns"
    if _side_of_opponent(claim, scene):
        return unknown("the opponent's move is spoken of")
    if verdict.loss <= BEST_LOSS and lead >= ONLY_MOVE_LEAD:
        return holds(evidence)
    certain = verdict.loss > 2 * BEST_LOSS or lead < ONLY_MOVE_LEAD / 2
    return fails(evidence) if certain else unknown(evidence)


def _side_of_opponent(claim: Claim, scene: Scene) -> bool:
    return any(one == f"other={not scene.move.mover}" for one in claim.detail)
