"""Material that a move gives up on purpose: what, what for, and what is offered and refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import chess
from chess.engine import PovScore

from chessgloss.facts.verdict import AHEAD, judgement_of, standing
from chessgloss.notes.kinds import Notes
from chessgloss.notes.played import Played
from chessgloss.notes.situation import Briefed, Situation
from chessgloss.predicates import board as boards
from chessgloss.predicates.outcome import (
    LONGEST_SPELT,
    NOTHING,
    Outcome,
    play_out,
    replay,
    spelt,
    traded,
)
from chessgloss.predicates.tactics import balance
from chessgloss.predicates.words import named

#: Plies after the move, the reply being 1, at all of which the mover must be down.
_DOWN = (1, 2, 3, 4)

#: Centipawns that the move may cost by the engine, for each pawn that is given.
_BELIEVED = 60

#: Pawns by exchange that are offered at least by what counts as a sacrifice without a line.
_OFFER = 2

#: Lines after the move in which what is offered may be taken.
_OFFERED = 2

#: Rank of a passed pawn, from 0 and as its side sees it, for which material may be given.
_FAR = 4


def sacrifice(situation: Situation) -> Notes:
    """Yield material that the move gives up on purpose, and what for.

    It is a sacrifice if the engine's reply takes, the mover then stays behind for more than two
    plies, and the engine holds the move to be good all the same. What was lost before is none.
    """
    given = sacrificed(situation)
    if given is None:
        return
    if situation.mate is not None:
        yield situation.note("sacrifice_mate", -given.gain, stuff=given.stuff)
        return
    aim = _aim(situation)
    yield situation.note(
        "sacrifice_for" if aim else "sacrifice",
        -given.gain,
        stuff=given.stuff,
        aim=aim,
        line=spelt(situation.after, situation.replies, LONGEST_SPELT),
        standing=situation.stands(),
    )


def combination(situation: Situation) -> Notes:
    """Yield material that is offered by exchange, is taken, and comes back in the line."""
    reply = situation.reply
    offered = situation.played.gain < 0 or situation.played.loose
    if situation.bad or reply is None or not offered or sacrificed(situation):
        return
    if reply.taken != situation.played.end or situation.net.gain < 0:
        return
    ahead = _ahead(situation)
    back = next((ply for ply in range(2, len(ahead)) if ahead[ply] >= 0), None)
    if len(ahead) < 3 or ahead[1] >= -1 or back is None or back > LONGEST_SPELT:
        return
    states = replay(situation.after, situation.replies, situation.us)
    won, lost = traded(situation.before, states[1], situation.us)
    stuff = NOTHING._replace(gain=ahead[1], won=won, lost=lost).stuff
    line = spelt(situation.after, situation.replies, back)
    yield situation.note("combination", -ahead[1], stuff=stuff, line=line)


def _ahead(situation: Situation) -> list[int]:
    """Return what the mover has won since before the move, in pawns, at each ply of the line."""
    states = replay(situation.after, situation.replies, situation.us)
    start = balance(situation.before)
    sign = 1 if situation.us else -1
    return [sign * (balance(state) - start) for state in states]


def gives_up(briefing: Briefed) -> bool:
    """Tell whether a move sacrifices material, for good or for the moment."""
    situation = Situation(briefing)
    if situation.is_over or (situation.mate is not None and situation.mate < 0):
        return False
    for make in (sacrifice, combination, offered):
        if any(note.decides for note in make(situation)):
            return True
    return situation.verdict.rank == 1 and _offers_piece(situation.played)


def _offers_piece(played: Played) -> bool:
    """Tell whether a move lets a piece be won by exchange that could not be won before."""
    if played.recaptures or played.gain > 0:
        return False
    new = played.lost.keys() - played.lost_before
    offered = [played.lost[square].gain for square in new]
    return max(-played.gain, *offered, 0) >= _OFFER


def sacrificed(situation: Situation) -> Outcome | None:
    """Return what the move gives up on purpose; ``None`` if it gives up nothing."""
    reply = situation.reply
    holds = situation.verdict.standing in (*AHEAD, "equal")
    if situation.bad or not holds or reply is None or reply.taken is None:
        return None
    if situation.played.recaptures or reply.taken in situation.played.lost_before:
        return None
    states = replay(situation.after, situation.replies, situation.us)
    ahead = _ahead(situation)
    mated = states[-1].is_checkmate() and states[-1].turn == situation.them
    plies = [ply for ply in _DOWN if ply < len(states)]
    if len(plies) < len(_DOWN) and not (mated and plies):
        return None
    least = max(plies, key=lambda ply: ahead[ply])
    gain = ahead[least]
    if gain >= 0 or situation.verdict.loss > -gain * _BELIEVED:
        return None
    won, lost = traded(situation.before, states[least], situation.us)
    return NOTHING._replace(gain=gain, won=won, lost=lost, plies=least + 1)


def _aim(situation: Situation) -> str:
    """Return what a sacrifice is for, in words; empty if the line does not show it."""
    reply, *later = situation.steps
    if not later:
        return ""
    end = later[-1].after
    if square := _drawn_away(reply, later):
        return f"to draw the {reply.words['piece']} away from {square}"
    if any(step.after.is_check() for step in later[::2]):
        king = reply.piece == chess.KING
        return "to draw the king out" if king else "to attack the king"
    for pawn in boards.passed(end, situation.us):
        seen = pawn if situation.us else chess.square_mirror(pawn)
        if chess.square_rank(seen) >= _FAR:
            file = chess.square_name(pawn)[0]
            return f"to bring the {file}-pawn far forward"
    _, shelter = boards.shelter(end, situation.them)
    _, before = boards.shelter(situation.before, situation.them)
    return "to strip the king of its pawns" if len(shelter) < len(before) else ""


def _drawn_away(reply: Played, later: Sequence[Played]) -> str:
    """Return the square that what takes has guarded, no longer guards, and is then made use of."""
    if reply.piece == chess.KING:
        return ""
    guarded = reply.before.attacks(reply.start) - reply.after.attacks(reply.end)
    for step in later[::2]:
        sharp = step.after.is_check() or step.taken is not None
        if sharp and step.end in guarded and step.end != reply.end:
            return chess.square_name(step.end)
    return ""


# ---------------------------------------------------------------- offers


def offered(situation: Situation) -> Notes:
    """Yield why what the move offers is not taken, for each piece that could be."""
    if (situation.mate or 0) < 0:
        return
    seen = {situation.reply.taken if situation.reply else None}
    for line, score in _captures(situation):
        move = chess.Move.from_uci(line[0])
        square = boards.taken_on(situation.after, move)
        if square is None or square in seen:
            continue
        seen.add(square)
        told = situation.told(situation.after, line, score)
        stands = standing(score, situation.us)
        better = stands in AHEAD and stands != situation.verdict.standing
        wins = better or " has " in told or told.endswith("stalemate")
        worth_it = wins and not situation.bad
        if not worth_it and situation.mates_in(score) <= 0:
            continue
        about: list[str | chess.Square] = [square]
        about += [uci[2:4] for uci in line[1:2]]
        yield situation.note(
            "poisoned",
            situation.played.value(square),
            about,
            offer=named(situation.after, square),
            told=told,
        )


def _captures(situation: Situation) -> Iterator[tuple[Sequence[str], PovScore]]:
    """Yield captures that fail after the move: the line of each, and the score after it."""
    after = situation.after
    for each in situation.briefing.refutations:
        if each.is_reply and after.is_capture(each.move):
            yield each.line, each.score
    if situation.bad:
        return
    lines = situation.briefing.after.lines
    for line in lines[1:]:
        best = lines[0]
        move = chess.Move.from_uci(line.moves[0])
        square = boards.taken_on(after, move)
        worse = judgement_of(best.score, line.score) in ("mistake", "blunder")
        if worse and square in situation.played.lost:
            yield line.moves, line.score


def offers(situation: Situation) -> Notes:
    """Yield what a quiet move lets be taken, by no mistake, though taking it is not bad either.

    The engine's line before the move or after it takes, and the mover stands as well then.
    """
    quiet = situation.played.taken is None and situation.mate is None
    if situation.bad or not quiet or sacrificed(situation):
        return
    after = situation.briefing.after.lines
    lines = [(line.moves, line.score) for line in after[:_OFFERED]]
    if situation.verdict.best == situation.uci:
        lines.append((situation.verdict.best_line[1:], situation.verdict.before))
    for moves, score in lines:
        if not moves:
            continue
        square = boards.taken_on(situation.after, chess.Move.from_uci(moves[0]))
        new = square in situation.played.lost and square != situation.played.end
        stands = standing(score, situation.us)
        holds = stands == situation.verdict.standing and stands in (*AHEAD, "equal")
        outcome = play_out(situation.after, moves, situation.us)
        if square is None or not (new and holds) or outcome.gain >= 0:
            continue
        yield situation.note(
            "offers",
            situation.played.value(square),
            [square],
            line=spelt(situation.after, moves),
            offer=named(situation.after, square),
            result=situation.leader(stands),
        )
        return
