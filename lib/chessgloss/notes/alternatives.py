"""The moves that were there beside the one played: none, none as good, or a better one."""

from __future__ import annotations

import chess

from chessgloss.facts.verdict import judgement_of, standing
from chessgloss.notes.kinds import NOTES, Notes
from chessgloss.notes.outcome import spelt
from chessgloss.notes.played import Played
from chessgloss.notes.purposes import telling
from chessgloss.notes.situation import Situation, both


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
    elif purposes := telling(move):
        words = {"best": move.number, "purpose": both(purposes)}
        yield situation.note("better", **words)
    else:
        line = spelt(situation.before, verdict.best_line)
        yield situation.note("better_line", line=line)
