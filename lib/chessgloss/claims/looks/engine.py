"""Looks at the engine's verdict: who is better, and how good a move is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import chess

from chessgloss.claims.looks.finding import (
    NO_ENGINE,
    Finding,
    absent,
    fails,
    holds,
    truth,
    unknown,
)
from chessgloss.claims.parser import Claim
from chessgloss.claims.scene import Moment, Scene, written_moves

#: Thresholds on an engine's verdict, in centipawns; those of *better*, *winning*, *equal*, *good*
#: and *bad* stand with their words. The *best* move loses at most 10; an *only* move is the only
#: legal one or beats the second by 75. A claim that misses its bound by less than the share
#: :data:`TOLERANCE` of it is not called false.
BEST_LOSS: Final = 10

ONLY_MOVE_LEAD: Final = 75


TOLERANCE: Final = 0.3


def better(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is better, or neither is, by the bound of the words."""
    verdict = scene.verdict
    equal = claim.relation == "equal"
    if verdict is None:
        return NO_ENGINE
    line = tuple(term for term in claim.objects if term.span[1] <= claim.span[0])
    if _of_another(replace(claim, objects=line), scene):
        return unknown("the end of a line is spoken of")
    if not claim.subjects and not equal:
        return unknown("whose advantage is not told")
    before = moment.anchor == "before"
    if before and not re.search(r"\b(?:was|were|had)\b", claim.text.lower()):
        return absent("the position after the move is spoken of")
    value = verdict.centipawns_before if before else verdict.centipawns_after
    bound = claim.detail.bound
    if equal:
        evidence = f"{verdict.engine} gives {abs(value) / 100:.2f} to one side"
        return truth(
            abs(value) <= bound, evidence, certain=abs(value) > bound * (1 + TOLERANCE)
        )
    side = bool(claim.subjects[0].side) != claim.detail.turned
    value *= 1 if side == verdict.mover else -1
    evidence = f"{verdict.engine} gives {value / 100:+.2f} for that side"
    return truth(value >= bound, evidence, certain=value < bound * (1 - TOLERANCE))


def loses(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a move loses as much (``low``) or as little (``high``) as the words say."""
    verdict = scene.verdict
    before = scene.before.board
    loss = None
    if verdict is None:
        return NO_ENGINE
    if not _of_another(claim, scene):
        loss = verdict.loss
    elif len(named := written_moves(claim.objects)) == 1:
        # what another move loses is known of the engine's two best
        if named[0].fits(before, chess.Move.from_uci(verdict.best)):
            loss = 0
        elif verdict.second and named[0].fits(
            before, chess.Move.from_uci(verdict.second)
        ):
            loss = verdict.lead_of_best
    if loss is None:
        return unknown("the engine says nothing of the other move")
    low = claim.detail.low
    high = loss if claim.detail.high is None else claim.detail.high
    certain = loss < low * (1 - TOLERANCE) or loss > 2 * high
    evidence = f"{verdict.engine} says it loses {loss} centipawns"
    return truth(low <= loss <= high, evidence, certain=certain)


def _of_another(claim: Claim, scene: Scene) -> bool:
    """Tell whether the sentence writes another move than the played one."""
    moves = written_moves(claim.objects)
    board = scene.before.board
    return bool(moves) and not any(move.fits(board, scene.move.move) for move in moves)


def better_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether another move that is named can be better than the one played."""
    verdict = scene.verdict
    before = scene.before.board
    named = written_moves(claim.objects)
    if verdict is None:
        return NO_ENGINE
    if not _of_another(claim, scene):
        return unknown("the move compared is not told")
    if not any(any(move.moves(before)) for move in named):
        if any(any(move.moves(scene.after.board)) for move in named):
            return unknown("a move of the opponent is spoken of")
        return fails("the other move is not legal")
    evidence = (
        f"{verdict.engine} prefers {verdict.best}; the move played loses {verdict.loss}"
    )
    if verdict.loss <= BEST_LOSS:
        return fails(evidence)
    best = chess.Move.from_uci(verdict.best)
    return truth(
        any(move.fits(before, best) for move in named), evidence, certain=False
    )


def only_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether there is one legal move, or one that beats all others."""
    verdict = scene.verdict
    reply = re.search("reply|answer", claim.text)
    legal = (scene.after if reply else scene.before).board.legal_moves.count()
    if not reply and _of_another(claim, scene):
        return unknown("another move is spoken of")
    if legal == 1:
        return holds("it is the only legal move")
    if "legal" in claim.text:
        return fails(f"{legal} moves are legal")
    margin = verdict.lead_of_best if verdict else None
    if verdict is None or margin is None:
        return NO_ENGINE
    if reply or (not scene.move.mover) in claim.detail.sides:
        return unknown("the opponent's move is spoken of")
    evidence = f"the best move leads by {margin} centipawns"
    only = verdict.loss <= BEST_LOSS and margin >= ONLY_MOVE_LEAD
    certain = verdict.loss > 2 * BEST_LOSS or margin < ONLY_MOVE_LEAD / 2
    return truth(only, evidence, certain=certain)
