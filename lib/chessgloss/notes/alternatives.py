"""The moves that were there beside the one played: none, none as good, or a better one."""

from __future__ import annotations

import chess

from chessgloss.facts.verdict import judgement_of, standing
from chessgloss.notes.intentions import comes_to_something
from chessgloss.notes.kinds import NOTES, Notes, Purpose
from chessgloss.notes.played import Played
from chessgloss.notes.purposes import purposes, telling
from chessgloss.notes.situation import Situation, both
from chessgloss.predicates import board as boards
from chessgloss.predicates.outcome import spelt
from chessgloss.predicates.words import named


def forced(situation: Situation) -> Notes:
    """Yield that there is no other legal move."""
    if len(list(situation.before.legal_moves)) == 1:
        yield situation.note("forced")


def only(situation: Situation) -> Notes:
    """Yield that every other move is met by mate, or loses what this one keeps."""
    verdict = situation.verdict
    lines = situation.briefing.before.lines
    legal = len(list(situation.before.legal_moves))
    compared = verdict.rank == 1 and len(lines) > 1 and legal > 1
    if not compared or situation.played.recaptures:
        return
    first = lines[0]
    second = lines[1]
    mate = first.score.pov(situation.us).mate() or 0
    other_mate = second.score.pov(situation.us).mate() or 0
    if other_mate < 0 <= mate:
        yield situation.note("only_mate")
        return
    left = standing(second.score, situation.us)
    worse = judgement_of(first.score, second.score) in ("mistake", "blunder")
    keeps = NOTES["keeps"].get(verdict.standing_before, "")
    stays = verdict.standing_before == verdict.standing != left
    quiet = not mate and situation.played.gain <= 0
    if worse and keeps and stays and quiet:
        outcome = situation.outcome(situation.before, second.moves, second.score)
        fate = f"leaves {situation.leader(left, '')}"
        if outcome.gain < 0:
            fate = f"loses {outcome.stuff}"
        yield situation.note(
            "only",
            keeps=keeps,
            fate=fate,
            other=spelt(situation.before, second.moves[:1]),
        )


def better(situation: Situation) -> Notes:
    """Yield the best move where a bad one was played, and why it is better."""
    verdict = situation.verdict
    mating = (verdict.before.relative.mate() or 0) > 0
    if not situation.bad or verdict.best == situation.uci or mating:
        return
    move = Played(situation.before, chess.Move.from_uci(verdict.best))
    best = situation.best
    wins = best.gain > max(situation.net.gain, 0)
    if wins and move.end != situation.played.end:
        line = spelt(situation.before, verdict.best_line, max(best.plies, 1))
        yield situation.note("better_wins", best.gain, line=line, stuff=best.stuff)
    elif reasons := _reasons(situation, move):
        words = {"best": move.number, "purpose": both(reasons)}
        same = move.taken is not None and move.taken == situation.played.taken
        yield situation.note("better_capture" if same else "better", **words)
    else:
        line = spelt(situation.before, verdict.best_line)
        yield situation.note("better_line", line=line)


def _reasons(situation: Situation, move: Played) -> list[Purpose]:
    """Return what a better move does, and the played one does not."""
    line = situation.verdict.best_line
    common = [(each.kind, each.about) for each in purposes(situation.played)]
    return [
        purpose
        for purpose in telling(move, "reasons")
        if comes_to_something(purpose, line, situation.idle)
        and not any(
            kind == purpose.kind and (about & purpose.about or not purpose.about)
            for kind, about in common
        )
    ]


def declines(situation: Situation) -> Notes:
    """Yield the capture that seems to win something, was not made, and fails.

    It wins by exchange, and the engine's line for it is a mistake at least.
    """
    if situation.bad or situation.played.taken is not None:
        return
    best = situation.briefing.before.lines[0]
    for line in situation.briefing.before.lines[1:]:
        taking = chess.Move.from_uci(line.moves[0])
        square = boards.taken_on(situation.before, taking)
        known = square in situation.played.won_before
        worse = judgement_of(best.score, line.score) in ("mistake", "blunder")
        if not known or square is None or not worse:
            continue
        if situation.played.won_before[square].move != taking:
            continue
        outcome = situation.outcome(situation.before, line.moves, line.score)
        fate = f"leaves {situation.leader(standing(line.score, situation.us), '')}"
        if (line.score.pov(situation.us).mate() or 0) < 0:
            fate = "leads to mate"
        elif outcome.gain < 0:
            fate = f"loses {outcome.stuff}"
        yield situation.note(
            "declines",
            None,
            [square],
            target=named(situation.before, square),
            line=spelt(situation.before, line.moves),
            fate=fate,
        )
        return
