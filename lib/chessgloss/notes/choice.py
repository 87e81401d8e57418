"""Which notes a comment says: the weightiest that there is room for, nothing twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from chessgloss.notes.kinds import NOTES, Note

#: Words of a comment and sentences at most.
MOST_WORDS, MOST_SENTENCES = 60, 4


def choose(
    ranked: Sequence[Note],
    words: int = MOST_WORDS,
    sentences: int = MOST_SENTENCES,
) -> list[Note]:
    """Return the notes of a comment: the first that fit, nothing said twice.

    Two about what the move does are joined in one sentence.

    Parameters
    ----------
    ranked
        The notes of one move, the first to be said first.
    words, sentences
        The most that the comment may have.
    """
    chosen = list[Note]()
    for note in ranked:
        length = _length(chosen)
        if any(note.about & each.about for each in chosen):
            continue
        enough = length >= NOTES["enough_words"]
        if enough and note.kind in NOTES["alone"]:
            continue
        if not _is_worth_a_sentence(note, length):
            continue
        longer = _with_note(chosen, note)
        fits = len(longer) <= sentences
        if fits and _length(longer) <= words:
            chosen = longer
    chosen.sort(key=lambda note: NOTES["last"].get(note.kind, 0))
    return [_named(note) if place else note for place, note in enumerate(chosen)]


def _named(note: Note) -> Note:
    """Return a note that calls the move by its name where it said *this* or *it*.

    Behind a sentence on another move those would mean that one.
    """
    first, _, rest = note.sentence.partition(" ")
    if first not in ("This", "It") or not note.move:
        return note
    return replace(note, sentence=f"{note.move} {rest}")


def _length(chosen: Iterable[Note]) -> int:
    return sum(len(note.sentence.split()) for note in chosen)


def _is_worth_a_sentence(note: Note, length: int) -> bool:
    """Return whether a note still matters in a comment that has so many words already."""
    full = length >= NOTES["full_words"]
    if full and note.weight < NOTES["full_weight"]:
        return False
    if length < NOTES["enough_words"]:
        return True
    return note.weight >= NOTES["least_weight"]


def _with_note(chosen: Sequence[Note], note: Note) -> list[Note]:
    """Return notes with another one, joined to the one that has its subject if one has.

    Where that one holds an *and* already, the other is left out.
    """
    longer = [*chosen]
    for place, first in enumerate(chosen):
        if note.subject and first.subject == note.subject:
            if " and " not in first.sentence:
                longer[place] = _joined(first, note)
            return longer
    return [*longer, note]


def _joined(first: Note, note: Note) -> Note:
    """Return one note of two that begin with the same subject."""
    clause = note.sentence.removeprefix(note.subject)
    link = ", and" if "," in first.sentence else " and"
    return replace(
        first,
        sentence=f"{first.sentence[:-1]}{link}{clause}",
        about=first.about | note.about,
        facts=(*first.facts, *note.facts),
    )
