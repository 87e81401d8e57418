"""The moves that were there beside the one played: none, none as good, or a better one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from chessgloss.facts.known import zugzwang
from chessgloss.facts.verdict import judgement_of, standing
from chessgloss.notes.intentions import is_borne_out
from chessgloss.notes.kinds import NOTES, Notes, Purpose
from chessgloss.notes.mates import wrong_bishop_in, zugzwang_after
from chessgloss.notes.played import Played
from chessgloss.notes.purposes import purposes, telling
from chessgloss.notes.situation import Situation, both
from chessgloss.predicates import board as boards
from chessgloss.predicates.outcome import spelt
from chessgloss.predicates.words import named

if TYPE_CHECKING:
    from chessgloss.facts.replies import Refutation


def forced(situation: Situation) -> Notes:
    """Yield that there is no other legal move."""
    if len(list(situation.before.legal_moves)) == 1:
        yield situation.note("forced")


def only(situation: Situation) -> Notes:
    """Yield that every other move is met by mate, or loses what this one keeps.

    A second search, from the other side, must agree that the second choice fails.
    """
    verdict = situation.verdict
    lines = situation.briefing.before.lines
    second = _tried(situation, "second")
    legal = len(list(situation.before.legal_moves))
    if verdict.rank != 1 or second is None or situation.played.recaptures or legal == 1:
        return
    first, other = lines[:2]
    mate = situation.mates_in(first.score)
    other_mates = [
        situation.mates_in(other.score),
        situation.mates_in(second.score),
    ]
    if max(other_mates) < 0 <= mate:
        yield situation.note("only_mate")
        return
    keeps = NOTES["keeps"].get(verdict.standing_before, "")
    kept = NOTES["kept"].get(verdict.standing_before, ())
    left = {
        standing(other.score, situation.us),
        standing(second.score, situation.us),
    }
    less = bool(keeps) and left.isdisjoint(kept)
    worse = judgement_of(first.score, other.score) in ("mistake", "blunder")
    quiet = not mate and situation.played.gain <= 0
    if worse and less and quiet and verdict.standing_before == verdict.standing:
        yield situation.note("only", keeps=keeps, told=_told(situation, second))


def _tried(situation: Situation, *natural: str) -> Refutation | None:
    """Return the first move that a reader would try for one of some reasons, and fails."""
    found = (each for each in situation.briefing.refutations if each.natural in natural)
    return next(found, None)


def _told(situation: Situation, failed: Refutation) -> str:
    """Return the line in which an alternative fails, and what it comes to."""
    return situation.told(situation.before, failed.line, failed.score)


def better(situation: Situation) -> Notes:
    """Yield the best move where a bad one was played, and why it is better.

    What holds of the move played as well is no reason.
    """
    verdict = situation.verdict
    mating = (verdict.before.relative.mate() or 0) > 0
    if not situation.bad or verdict.best == situation.uci or mating:
        return
    move = Played(situation.before, chess.Move.from_uci(verdict.best))
    best = situation.best
    wins = best.gain > max(situation.net.gain, 0)
    keeping = ""
    if verdict.standing_before != verdict.standing:
        keeps = NOTES["keeps"].get(verdict.standing_before)
        keeping = f", which {keeps}" if keeps else ""
    if _squeezes(situation, move):
        yield situation.note("better_zugzwang", best=move.number)
    elif wins and move.end != situation.played.end:
        line = spelt(situation.before, verdict.best_line, max(best.plies, 1))
        yield situation.note("better_wins", best.gain, line=line, stuff=best.stuff)
    elif _holds_in_the_corner(situation):
        line = spelt(situation.before, verdict.best_line)
        yield situation.note("better_fortress", line=line)
    elif reasons := _reasons(situation, move):
        words = {"best": move.number, "purpose": both(reasons)}
        same = move.taken is not None and move.taken == situation.played.taken
        yield situation.note("better_capture" if same else "better", **words)
    else:
        line = spelt(situation.before, verdict.best_line)
        yield situation.note("better_line", line=line, keeping=keeping)


def _squeezes(situation: Situation, move: Played) -> bool:
    """Tell whether the better move leaves the opponent in zugzwang, and the one played does not."""
    passed = situation.briefing.better_passed
    if passed is None or not passed.lines or zugzwang_after(situation):
        return False
    scores = situation.verdict.before, passed.best.score
    return zugzwang(move.after, *scores, "after") is not None


def _holds_in_the_corner(situation: Situation) -> bool:
    """Tell whether the better move leads to a draw with the wrong bishop, for the weaker side."""
    verdict = situation.verdict
    drawn = verdict.standing_before == "equal" and verdict.standing != "equal"
    return drawn and wrong_bishop_in(situation.before, verdict.best_line) > 0


def _reasons(situation: Situation, move: Played) -> list[Purpose]:
    """Return what a better move does, the played one does not, and its line bears out."""
    line = situation.verdict.best_line
    common = [(each.kind, each.about) for each in purposes(situation.played)]
    return [
        purpose
        for purpose in telling(move, "reasons")
        if is_borne_out(purpose, line, situation.idle)
        and not any(
            kind == purpose.kind and (about & purpose.about or not purpose.about)
            for kind, about in common
        )
    ]


def other_capture(situation: Situation) -> Notes:
    """Yield the other way to take the same piece, and why it fails."""
    failed = _tried(situation, "takes too", "second")
    taken = situation.played.taken
    if failed is None or taken is None or _needs_none(situation):
        return
    move = Played(situation.before, failed.move)
    if move.taken == taken:
        yield situation.note(
            "other_capture",
            other=chess.piece_name(move.piece),
            told=_told(situation, failed),
        )


def declines(situation: Situation) -> Notes:
    """Yield the capture that seems to win something, was not made, and fails."""
    failed = _tried(situation, "wins")
    if failed is None or _needs_none(situation):
        return
    square = boards.taken_on(situation.before, failed.move)
    if square is None or square == situation.played.taken:
        return
    yield situation.note(
        "declines",
        None,
        [square],
        target=named(situation.before, square),
        told=_told(situation, failed),
    )


def too_early(situation: Situation) -> Notes:
    """Yield the mover's next move, if it fails where it is played at once."""
    failed = _tried(situation, "next")
    if failed is None or _needs_none(situation):
        return
    yield situation.note(
        "too_early",
        first=situation.before.san(failed.move),
        told=_told(situation, failed),
    )


def _needs_none(situation: Situation) -> bool:
    """Tell whether no other move is worth a word: the move is bad, or somebody mates."""
    return situation.bad or situation.mate is not None
