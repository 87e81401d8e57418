"""Notes: what can truly be said of a move, each a sentence complete in itself, with its facts.

::

    for note in notes(briefing):  # the weightiest first
        print(note.weight, note.sentence, note.facts)

What captures seem to win on the board is a note only where the engine's own line wins it: lines
are replayed until they are quiet, and what they win is counted (:mod:`~chessgloss.notes.outcome`).

To add a note:

1. Write a function that takes a :class:`~chessgloss.notes.situation.Situation` and yields notes
   where there is something to say, in the file of its subject::

       def gives_up_pair(situation: Situation) -> Iterator[Note]:
           if ...:
               yield situation.note("gives_up_pair", pieces="the bishops")

2. Add it to :data:`MAKERS` below.
3. Say in ``notes.toml`` how much it weighs and how it is said: ``[kinds.gives_up_pair]``.

What a move does on the board (``attacks``, ``develops``) is a *purpose*: such a function takes a
:class:`~chessgloss.notes.played.Played`, stands in :data:`chessgloss.notes.purposes.PURPOSES`, and
is asked of replies and of better moves, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from chessgloss.notes import alternatives, intentions, material, mates, threats
from chessgloss.notes.kinds import NOTES, Note
from chessgloss.notes.outcome import Outcome, play_out
from chessgloss.notes.situation import Briefed, Situation

__all__ = ["NOTES", "Briefed", "Note", "Outcome", "notes", "play_out"]

Maker = Callable[[Situation], Iterator[Note]]

#: What is said of a move that ends the game.
AT_THE_END: Final[tuple[Maker, ...]] = (mates.end, mates.missed_mate)

#: What is said of any other move.
MAKERS: Final[tuple[Maker, ...]] = (
    mates.forced_mate,
    mates.missed_mate,
    mates.named_facts,
    alternatives.forced,
    alternatives.only,
    alternatives.better,
)

#: What is said beside that where no side can force mate.
UNLESS_MATED: Final[tuple[Maker, ...]] = (
    material.recaptures,
    material.spoils,
    material.loses,
    material.wins,
    material.accepts,
    material.sacrifice,
    material.poisoned,
    threats.parries_mate,
    threats.threatens,
    threats.reply,
    threats.plan,
    threats.continuation,
    threats.stands,
    intentions.loses_castling,
    intentions.intended,
)


def notes(briefing: Briefed) -> tuple[Note, ...]:
    """Return every statement worth making of a move, the weightiest first.

    Parameters
    ----------
    briefing
        What is known of the move. With several lines after the move an offer of material can be
        explained that is better declined; with a search after a pass (``passed``) what the
        move threatens.
    """
    situation = Situation(briefing)
    made = [note for make in _makers(situation) for note in make(situation)]
    return tuple(
        sorted(made, key=lambda note: (-note.weight, note.kind, note.sentence))
    )


def _makers(situation: Situation) -> tuple[Maker, ...]:
    """Return what makes notes of a move: little is left to say of one that ends the game."""
    if situation.is_over:
        return AT_THE_END
    return MAKERS if situation.mate is not None else (*MAKERS, *UNLESS_MATED)
