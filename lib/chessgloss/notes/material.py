"""What the captures of a move and of the engine's line come to, and what is offered."""

from __future__ import annotations

import chess

from chessgloss.facts.verdict import AHEAD
from chessgloss.notes.kinds import Notes
from chessgloss.notes.situation import Situation
from chessgloss.predicates import board as boards
from chessgloss.predicates.outcome import SPELT, spelt, told_to_the_end
from chessgloss.predicates.words import named

#: Pawns by exchange from which a capture is said to be accepted although nothing comes of it.
_ACCEPTED = 2


def _is_taken_back(situation: Situation) -> bool:
    """Tell whether the reply takes where the move took."""
    played = situation.played
    reply = situation.reply
    return reply is not None and reply.end == played.end and played.taken is not None


def recaptures(situation: Situation) -> Notes:
    """Yield that the move takes back, or that it trades like for like."""
    played = situation.played
    if played.recaptures and situation.restores:
        yield situation.note("recaptures", None, [played.end])
    elif _is_taken_back(situation) and not situation.net.gain:
        like_for_like = played.victim == played.piece != chess.PAWN
        if not like_for_like:
            return
        line = spelt(situation.before, [situation.uci, situation.replies[0]])
        yield situation.note("trade", None, [played.end], line=line)


def spoils(situation: Situation) -> Notes:
    """Yield that the pawn which takes back leaves doubled pawns."""
    reply = situation.reply
    if reply is None or not _is_taken_back(situation) or reply.piece != chess.PAWN:
        return
    doubled = boards.doubled(situation.after, situation.them)
    if boards.doubled(reply.after, situation.them) - doubled:
        words = {"reply": reply.number, "file": reply.words["file"]}
        yield situation.note("spoils", **words)


def loses(situation: Situation) -> Notes:
    """Yield the material that a bad move loses."""
    net = situation.net
    worse = situation.bad and situation.best.gain > net.gain
    if not (net.gain < 0 and worse and net.plies > 1):
        return
    about, fallen = _fallen(situation)
    kind = "loses_piece" if fallen else "loses"
    yield situation.note(
        "allows_piece" if net.new else kind,
        -net.gain,
        about,
        fallen=fallen,
        line=told_to_the_end(situation.after, situation.replies),
        stuff=net.stuff,
    )


def wins(situation: Situation) -> Notes:
    """Yield the material that the move wins, at once or by the engine's line."""
    net = situation.net
    if net.gain <= 0 or situation.bad:
        return
    returns = situation.swing < 0 and net.gain + situation.swing <= 0
    if situation.played.recaptures or returns:
        return  # what was lost before comes back
    if net.plies == 1:
        if situation.briefing.move.position.moves:
            end = situation.played.end
            yield situation.note("wins_now", net.gain, [end], stuff=net.stuff)
        return
    about, fallen = _fallen(situation)
    line = spelt(situation.after, situation.replies, net.plies - 1)
    if net.plies - 1 > SPELT and fallen:
        line += f", and {fallen} falls"
    kind = "makes_piece" if net.new else "wins"
    yield situation.note(kind, net.gain, about, stuff=net.stuff, line=line)


def _fallen(situation: Situation) -> tuple[list[str | chess.Square], str]:
    """Return what a note on the one piece that is lost or won is about, and its name."""
    net = situation.net
    if net.fallen is None:
        return [], ""
    moved = net.fallen == situation.played.start
    square = situation.played.end if moved else net.fallen
    name = chess.square_name(square)
    if net.gain < 0:
        return [name], named(situation.after, square)
    return [f"won {name}"], named(situation.before, square)


def accepts(situation: Situation) -> Notes:
    """Yield a capture that wins by exchange, and yet the mover does not stand better."""
    played = situation.played
    if situation.net.gain > 0 or situation.bad or played.taken is None:
        return
    level = situation.verdict.standing not in AHEAD
    if level and played.gain >= _ACCEPTED and not played.recaptures:
        words = {"target": played.target, "standing": situation.stands()}
        yield situation.note("accepts", played.gain, [played.end], **words)
