"""Notes: what can truly be said of a move, each a sentence complete in itself, with its facts.

::

    for note in notes(briefing):  # the weightiest first
        print(note.weight, note.sentence, note.facts)

What captures seem to win on the board is a note only where the engine's own line wins it: lines
are replayed until they are quiet, and what they win is counted
(:mod:`~chessgloss.predicates.outcome`).

A comment takes the notes by ``weight`` (``notes.toml``, where a mate in one threatened weighs 82).

To add a note:

1. Write a function that takes a :class:`~chessgloss.notes.situation.Situation` and yields notes
   where there is something to say, in the file of its subject::

       def gives_up_pair(situation: Situation) -> Iterator[Note]:
           if ...:
               yield situation.note("gives_up_pair", pieces="the bishops")

2. Add it to :data:`chessgloss.notes.makers.MAKERS`, or beside it.
3. Say in ``notes.toml`` how much it weighs and how it is said: ``[kinds.gives_up_pair]``.

What a move does on the board (``attacks``, ``develops``) is a *purpose*: such a function takes a
:class:`~chessgloss.notes.played.Played`, stands in :data:`chessgloss.notes.purposes.PURPOSES`, and
is asked of replies and of better moves, too.
"""

from chessgloss.notes.kinds import NOTES, Note
from chessgloss.notes.makers import notes
from chessgloss.notes.sacrifices import gives_up
from chessgloss.notes.situation import Briefed
from chessgloss.predicates.outcome import Outcome, play_out

__all__ = ["NOTES", "Briefed", "Note", "Outcome", "gives_up", "notes", "play_out"]
