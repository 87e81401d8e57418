"""What a move threatens, what the opponent answers, and who stands better after it."""

from __future__ import annotations

import chess

from chessgloss.notes.intentions import is_borne_out
from chessgloss.notes.kinds import NOTES, Notes, adjustment
from chessgloss.notes.mates import mate_words
from chessgloss.notes.placement import pass_turn
from chessgloss.notes.purposes import telling
from chessgloss.notes.situation import Situation, both
from chessgloss.predicates.outcome import (
    LONGEST_SPELT,
    SPELT,
    spelt,
)
from chessgloss.predicates.tactics import mates
from chessgloss.scores import centipawns

#: A mate that is threatened is said up to so many moves.
LONGEST_THREAT = 4

#: Centipawns that a pass must cost the opponent for a threat to be believed: at least, and for
#: each pawn that the threat seems to win.
_THREAT_WORTH, _THREAT_WORTH_EACH = 60, 50


def parries_mate(situation: Situation) -> Notes:
    """Yield the mate in one that the opponent would have had after a pass."""
    checks = situation.before.is_check() or situation.after.is_check()
    if checks or situation.bad:
        return
    for mate in mates(situation.before, situation.them)[:1]:
        line = spelt(pass_turn(situation.before), [mate.uci()])
        yield situation.note("parries_mate", line=line)


def threatens(situation: Situation) -> Notes:
    """Yield what follows if the opponent passes: mate at once, a longer mate, material."""
    if situation.after.is_check():
        return
    turned = pass_turn(situation.after)
    for mate in mates(situation.after, situation.us)[:1]:
        yield situation.note("threat_mate_1", 1, line=spelt(turned, [mate.uci()]))
        return
    search = situation.briefing.passed
    if search is None or not search.lines:
        return
    line = search.best.moves
    moves = search.best.score.pov(situation.us).mate() or 0
    if 0 < moves <= LONGEST_THREAT:
        yield situation.note("threat_mate", moves, **mate_words(turned, line, moves))
        return
    outcome = situation.outcome(turned, line, search.best.score)
    first = chess.Move.from_uci(line[0])
    forcing = turned.is_capture(first) or turned.gives_check(first)
    won = centipawns(search.best.score, situation.us)
    more = won - situation.verdict.centipawns_after
    worth = more >= _THREAT_WORTH_EACH * outcome.gain and more >= _THREAT_WORTH
    direct = outcome.plies == 1 or forcing
    if outcome.gain > 0 and 0 < outcome.plies <= SPELT and direct and worth:
        target = line[0][2:4]
        yield situation.note(
            "threat",
            outcome.gain,
            [target, f"won {target}"],
            stuff=outcome.stuff,
            line=spelt(turned, line, outcome.plies),
        )


# ---------------------------------------------------------------- replies and standing


def reply(situation: Situation) -> Notes:
    """Yield what the expected reply does."""
    answer = situation.reply
    if answer is None or (answer.recaptures and not situation.bad):
        return
    line = spelt(situation.after, situation.replies, LONGEST_SPELT)
    words = {"line": line, "reply": answer.number, "standing": situation.stands()}
    purposes = telling(answer)
    least = 0 if situation.bad else NOTES["striking_reply"]
    striking = purposes and purposes[0].weight >= least and not answer.recaptures
    if striking and is_borne_out(purposes[0], situation.replies):
        kind = "reply_bad" if situation.bad else "reply"
        bonus = adjustment(NOTES["kinds"][kind], purposes[0].weight)
        words["purpose"] = both(purposes)
        yield situation.note(kind, None, (), bonus, **words)
    elif situation.bad:
        forcing = answer.taken is not None or answer.after.is_check()
        yield situation.note("refutes" if forcing else "answered", **words)


def plan(situation: Situation) -> Notes:
    """Yield what the mover's next move does, by the engine's line."""
    answer = situation.reply
    if answer is None or situation.bad or len(situation.replies) < 2:
        return
    following = situation.steps[1]
    purposes = telling(following)
    striking = purposes and purposes[0].weight >= NOTES["striking_next"]
    if striking and not following.recaptures:
        (purpose, *_) = purposes
        yield situation.note(
            "plan",
            None,
            (),
            adjustment(NOTES["kinds"]["plan"], purpose.weight),
            reply=answer.number,
            next=following.number,
            purpose=purpose.clause,
        )


def continuation(situation: Situation) -> Notes:
    """Yield the engine's line after a good move."""
    if not situation.bad and len(situation.replies) > 1:
        line = spelt(situation.after, situation.replies)
        yield situation.note("continuation", line=line)


def stands(situation: Situation) -> Notes:
    """Yield who stands better, and whether a bad move has changed it."""
    verdict = situation.verdict
    turned = situation.bad and verdict.standing_before != verdict.standing
    words = {"standing": situation.stands(), "this": situation.played.number}
    kind = "turned" if turned else "standing"
    yield situation.note("drawn" if "drawn" in words["standing"] else kind, **words)
