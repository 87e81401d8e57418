"""What the engine's line shows further on: why a bad move fails, and what a good one leads to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import chess

from chessgloss.facts.verdict import AHEAD
from chessgloss.notes.kinds import NOTES, Notes, adjustment
from chessgloss.notes.played import Played
from chessgloss.notes.purposes import newly_won, telling
from chessgloss.notes.situation import Situation
from chessgloss.predicates.outcome import spelt, told_to_the_end
from chessgloss.predicates.tactics import VALUES, balance, worth
from chessgloss.predicates.words import named
from chessgloss.scores import centipawns

#: Centipawns that a pass must cost before what follows is a threat that had to be met.
_IGNORED = 120


class Second(NamedTuple):
    """What a move attacks anew, what is taken in its stead, and the pawns that this wins."""

    first: chess.Square
    other: chess.Square
    gain: int


def ignores(situation: Situation) -> Notes:
    """Yield the threat that a bad move does nothing about: it stood before, and it is the reply."""
    idle = situation.briefing.idle
    if not (situation.bad and idle and idle.lines and situation.replies):
        return
    if situation.verdict.standing in AHEAD:
        return  # what does no harm was no threat
    passing = centipawns(idle.best.score, situation.us)
    cost = situation.verdict.centipawns_before - passing
    reply = situation.steps[0]
    forcing = reply.after.is_check() or reply.gain > 0 or telling(reply)
    same = situation.idle[0] == situation.replies[0]
    if same and forcing and cost >= _IGNORED:
        line = told_to_the_end(situation.after, situation.replies)
        yield situation.note("ignores", line=line)


def unguards(situation: Situation) -> Notes:
    """Yield the piece that the move no longer protects and the reply takes."""
    reply = situation.reply
    played = situation.played
    if not situation.bad or reply is None or reply.taken is None or reply.gain <= 0:
        return
    guarded = reply.taken in played.before.attacks(played.start)
    still = reply.taken in played.after.attacks(played.end)
    known = played.lost_before.get(reply.taken)
    safer = known is None or known.gain < reply.gain
    if guarded and safer and not still and reply.taken != played.end:
        target = named(situation.after, reply.taken)
        yield situation.note("unguards", None, [reply.taken], target=target)


def unblocks(situation: Situation) -> Notes:
    """Yield the line that the move opens for the reply: it stood in its way."""
    reply = situation.reply
    if not situation.bad or reply is None:
        return
    way = chess.SquareSet(chess.between(reply.start, reply.end))
    forcing = reply.taken is not None or reply.after.is_check()
    if situation.played.start in way and forcing:
        start = chess.square_name(situation.played.start)
        yield situation.note("unblocks", start=start, reply=reply.number)


def second_target(situation: Situation) -> Notes:
    """Yield what cannot be saved as well, after the move or after the reply."""
    reply = situation.reply
    if reply is None:
        return
    if situation.bad:
        found = find_second(reply, situation.steps[1:])
        kind = "reply_second"
    else:
        found = find_second(situation.played, situation.steps)
        kind = "second"
    if found is None:
        return
    at = reply.after if situation.bad else situation.after
    moves = situation.replies[1:3] if situation.bad else situation.replies[:2]
    hits = f"attacks {named(at, found.first)}"
    if at.piece_type_at(found.first) == chess.KING:
        hits = "gives check"
    yield situation.note(
        kind,
        found.gain,
        [found.first, found.other],
        reply=reply.number,
        hits=hits,
        other=named(at, found.other),
        line=spelt(at, moves),
    )


def find_second(move: Played, then: Sequence[Played]) -> Second | None:
    """Return the piece that a move attacks, and another that is taken because of it.

    Parameters
    ----------
    move
        A move that is not taken back at once.
    then
        The line after it: the answer, and what takes the other piece.
    """
    if len(then) < 2 or then[0].taken is not None:
        return None
    hit = [square for square in newly_won(move) if _is_aimed_anew(move, square)]
    if then[0].piece == chess.KING and move.after.is_check():
        hit = [then[0].start]
    if not hit:
        return None
    taking = then[1]
    other = taking.taken
    if other is None or other in (then[0].end, move.end) or taking.gain <= 0:
        return None
    if not move.after.is_attacked_by(move.us, other):
        return None
    dear = worth(move.after, hit[0]) >= max(VALUES[chess.KNIGHT], move.value(other))
    moved = then[0].start == hit[0]
    return Second(hit[0], other, taking.gain) if dear and moved else None


def _is_aimed_anew(move: Played, square: chess.Square) -> bool:
    """Tell whether what can take on a square has moved there, or the move has opened its way."""
    actor = move.won[square].from_square
    return actor == move.end or square not in move.before.attacks(actor)


def leads_to(situation: Situation) -> Notes:
    """Yield what the mover's move after the next does, if that is worth waiting for."""
    if not situation.bad:
        yield from _later(situation, "leads_to", 3)


def refutation(situation: Situation) -> Notes:
    """Yield what the opponent's line does to a bad move beyond the first reply."""
    if situation.bad:
        yield from _later(situation, "refutes_later", 2)
        yield from _later(situation, "refutes_later", 4)


def _later(situation: Situation, kind: str, place: int) -> Notes:
    """Yield what the move at a place of the line does, the reply being at 0."""
    if len(situation.steps) <= place:
        return
    step = situation.steps[place]
    purposes = [
        each
        for each in telling(step)
        if each.weight >= NOTES["waiting"].get(each.kind, math.inf)
        and not (each.kind == "takes" and not _wins_by_then(situation, step))
    ]
    if not purposes or step.recaptures:
        return
    bonus = adjustment(NOTES["kinds"][kind], purposes[0].weight)
    about = [square for square in purposes[0].about if len(square) == 2]
    words = {"line": spelt(situation.after, situation.replies, place)}
    words |= {"next": step.number, "purpose": purposes[0].clause}
    yield situation.note(kind, None, about, bonus, **words)


def _wins_by_then(situation: Situation, step: Played) -> bool:
    """Tell whether the side that takes is ahead of where it was before the move, by a piece."""
    ahead = balance(step.before) - balance(situation.before)
    gained = (ahead if step.us else -ahead) + step.gain
    return gained >= VALUES[chess.KNIGHT] - 1
