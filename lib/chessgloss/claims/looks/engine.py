"""Looks at the engine's verdict: who is better, and how good a move is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, get_args

import chess

from chessgloss.claims.lexicon import cue
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
from chessgloss.facts.verdict import (
    Judgement,
    Standing,
    Verdict,
    judgement_of,
    standing,
)
from chessgloss.scores import ScoreWording, centipawns, read_centipawns

#: The standings of :mod:`chessgloss.facts.verdict` that a word for a side's chances means. With a
#: small degree (``slightly better``) only the first, with a large one all others.
STANDINGS: Final[Mapping[str, tuple[Standing, ...]]] = {
    "better": ("slightly better", "clearly better", "winning"),
    "winning": ("winning",),
    "equal": ("equal",),
}

#: The classes of :mod:`chessgloss.facts.verdict` that a word for a move means.
JUDGEMENTS: Final[Mapping[str, tuple[Judgement, ...]]] = {
    "good": ("best", "good"),
    "bad": ("inaccuracy", "mistake", "blunder"),
    "inaccuracy": ("inaccuracy",),
    "mistake": ("mistake", "blunder"),
    "blunder": ("blunder",),
}

#: Both scales in their order. What is one class beside the words is left open.
STANDING_SCALE: Final = tuple(get_args(Standing))
JUDGEMENT_SCALE: Final = tuple(get_args(Judgement))

#: Centipawns up to which neither side is ahead.
LEVEL: Final = ScoreWording().bound

#: The *best* move loses at most so many centipawns; an *only* move is the only legal one or beats
#: the second by so many.
BEST_LOSS: Final = 10

ONLY_MOVE_LEAD: Final = 75


def better(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side stands as the words say: better, winning, or equal."""
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
    side = verdict.mover
    if not equal:
        side = bool(claim.subjects[0].side) != claim.detail.turned
    score = verdict.before if before else verdict.after
    found = standing(score, side)
    value = centipawns(score, side)
    evidence = f"{verdict.engine} gives {value / 100:+.2f}: {found}"
    if not equal and found == "equal" and value <= LEVEL:
        return fails(evidence)
    apart = _apart(found, _standings(claim), STANDING_SCALE)
    return truth(apart == 0, evidence, certain=apart > 1)


def _standings(claim: Claim) -> tuple[Standing, ...]:
    """Return the standings that the words of a claim mean, by their degree too."""
    meant = STANDINGS[claim.detail.standing]
    words = claim.text.lower()
    if len(meant) == 1:
        return meant
    if cue("small_degree").search(words):
        return meant[:1]
    return meant[1:] if cue("large_degree").search(words) else meant


def _apart(found: str, meant: Sequence[str], scale: Sequence[str]) -> int:
    """Return how many classes lie between what is found and the nearest that is meant."""
    place = scale.index(found)
    return min(abs(place - scale.index(each)) for each in meant)


def loses(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a move is of the class that the words say."""
    verdict = scene.verdict
    if verdict is None:
        return NO_ENGINE
    judged = _judged(claim, scene, verdict)
    if judged is None:
        return unknown("the engine says nothing of the other move")
    (found, loss) = judged
    evidence = f"{verdict.engine} says it loses {loss} centipawns: {found}"
    if claim.detail.judgement == "best":
        return truth(loss <= BEST_LOSS, evidence, certain=loss > 2 * BEST_LOSS)
    apart = _apart(found, JUDGEMENTS[claim.detail.judgement], JUDGEMENT_SCALE)
    return truth(apart == 0, evidence, certain=apart > 1)


def _judged(
    claim: Claim, scene: Scene, verdict: Verdict
) -> tuple[Judgement, int] | None:
    """Return the class of the move that is spoken of, and the centipawns that it loses.

    Of another move than the one played that is known if it is one of the engine's two best.
    """
    before = scene.before.board
    if not _of_another(claim, scene):
        return verdict.judgement, verdict.loss
    named = written_moves(claim.objects)
    if len(named) != 1:
        return None
    if named[0].fits(before, chess.Move.from_uci(verdict.best)):
        return "best", 0
    second = verdict.second
    if second is None or verdict.second_centipawns is None:
        return None
    if not named[0].fits(before, chess.Move.from_uci(second)):
        return None
    score = read_centipawns(verdict.second_centipawns, verdict.mover)
    return judgement_of(verdict.before, score), verdict.lead_of_best or 0


def _of_another(claim: Claim, scene: Scene) -> bool:
    """Tell whether the sentence writes another move than the played one."""
    moves = written_moves(claim.objects)
    board = scene.before.board
    return bool(moves) and not any(move.fits(board, scene.move.move) for move in moves)


def throws_away(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side was winning before its move and is not after it."""
    verdict = scene.verdict
    if verdict is None:
        return NO_ENGINE
    if _of_another(claim, scene):
        return unknown("another move is spoken of")
    side = verdict.mover
    was, now = (standing(score, side) for score in (verdict.before, verdict.after))
    near = "clearly better" in (was, now)
    return truth(
        was == "winning" != now, f"{was} before, {now} after", certain=not near
    )


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
