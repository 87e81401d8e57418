"""Comments made of notes without a model, and the notes that a model is given to write.

::

    compose(notes(briefing)).text

The notes themselves are made by :mod:`chessgloss.notes`.
"""

from __future__ import annotations

from collections.abc import Sequence

from chessgloss.commentary.briefing import Briefing, Comment
from chessgloss.notes import Note, notes
from chessgloss.notes.choice import (
    MOST_SENTENCES,
    MOST_WORDS,
    choose,
    in_expert_order,
)

#: Most words of the notes that a model is given, and most and fewest notes.
GIVEN_WORDS = 60
MOST_NOTES = 6
LEAST_NOTES = 3


def write_notes(briefing: Briefing) -> Comment:
    """Write a comment by the method ``notes``: no model, only what is true of the move."""
    return compose(notes(briefing))


def compose(
    ranked: Sequence[Note], *, words: int = MOST_WORDS, sentences: int = MOST_SENTENCES
) -> Comment:
    """Make a comment of the first notes that fit: decisive things first, nothing twice.

    Parameters
    ----------
    ranked
        The notes of one move, the first to be said first (:func:`chessgloss.notes.notes`, or
        another's order).
    words, sentences
        The most that the comment may have.
    """
    chosen = choose(ranked, words, sentences)
    return Comment(" ".join(note.sentence for note in chosen), "notes")


def given_notes(briefing: Briefing) -> list[Note]:
    """Return the notes that a model is given to write: what decides, then as lecturers choose.

    Where fewer than :data:`LEAST_NOTES` speak of different things, others follow that differ at
    least in kind.
    """
    ranked = in_expert_order(notes(briefing), briefing)
    given = choose(ranked, GIVEN_WORDS, MOST_NOTES)
    for note in ranked:
        about = frozenset[str]().union(*(each.about for each in given)) - {"reply"}
        new = (
            not any(note.kind == each.kind for each in given) and not about & note.about
        )
        repeats = "reply" in note.about and any("reply" in each.about for each in given)
        if len(given) < LEAST_NOTES and new and not repeats:
            given.append(note)
    return given


def list_notes(briefing: Briefing) -> Comment:
    """Return the notes that a model is given, one behind the other: the method ``listed``."""
    return Comment(" ".join(note.sentence for note in given_notes(briefing)), "listed")
