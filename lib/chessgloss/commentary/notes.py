"""Comments made of notes, without a model.

::

    compose(notes(briefing)).text

The notes themselves are made by :mod:`chessgloss.notes`.
"""

from __future__ import annotations

from collections.abc import Sequence

from chessgloss.commentary.briefing import Briefing, Comment
from chessgloss.notes import Note, notes
from chessgloss.notes.choice import MOST_SENTENCES, MOST_WORDS, choose


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
