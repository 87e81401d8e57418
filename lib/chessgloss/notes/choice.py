"""Which notes a comment says, and which an expert would choose: learned from what lecturers say.

A note is *spoken of* by a human comment if the two make the same claim. A logistic regression,
fitted by ``data/notes/learn.py``, tells from a note's features how likely that is; its weights are
data (``choice.toml``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from chessgloss.notes.kinds import NOTES, Note, read_table
from chessgloss.notes.situation import Briefed
from chessgloss.positions import phase_of

#: Words of a comment and sentences at most.
MOST_WORDS, MOST_SENTENCES = 60, 4

#: The fitted weights: of classes by feature and name (``other`` for those that were rare), and of
#: numbers by feature.
WEIGHTS: Final = read_table("choice.toml")


# ---------------------------------------------------------------- what a comment has room for


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
        covered = any(note.about & each.about for each in chosen)
        enough = _length(chosen) >= NOTES["enough_words"]
        covered |= enough and note.kind in NOTES["alone"]
        if covered or not _is_worth_a_sentence(note, _length(chosen)):
            continue
        longer = _with_note(chosen, note)
        if len(longer) <= sentences and _length(longer) <= words:
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
    """Tell whether a note still matters in a comment that has so many words already."""
    if length >= NOTES["full_words"] and note.weight < NOTES["full_weight"]:
        return False
    return note.weight >= NOTES["least_weight"] or length < NOTES["enough_words"]


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


# ---------------------------------------------------------------- what is learned from it


def features(
    note: Note,
    briefing: Briefed,
    earlier: int = 0,
) -> dict[str, str | float]:
    """Return what is known of a note before anybody speaks of it.

    Parameters
    ----------
    note
        The note.
    briefing
        What is known of its move.
    earlier
        How often a note of its kind came up before in the game.

    Returns
    -------
    dict
        ``kind``, ``who`` (``mover`` or ``opponent``: whom it is good for), ``phase``,
        ``judgement``; ``value`` (pawns, or moves to mate), ``chance`` (to win, given away),
        ``concept`` (1 over the rank of the concept that it words, 0 without one), ``change`` (of
        that concept, standard deviations) and ``earlier``.
    """
    verdict = briefing.verdict
    behind = [each for each in briefing.concepts if each.concept == note.concept][:1]
    return {
        "kind": note.kind,
        "who": "mover" if note.side == verdict.mover else "opponent",
        "phase": phase_of(briefing.move.position.fen),
        "judgement": verdict.judgement,
        "value": note.value or 0.0,
        "chance": verdict.win_chance_lost,
        "concept": 1 / behind[0].rank if behind else 0.0,
        "change": abs(behind[0].change) if behind else 0.0,
        "earlier": float(earlier),
    }


def expectation(
    note: Note,
    briefing: Briefed,
    earlier: int = 0,
) -> float:
    """Return the logarithm of the odds that a lecturer speaks of a note (see :func:`features`)."""
    total = float(WEIGHTS["intercept"])
    for name, value in features(note, briefing, earlier).items():
        weights = WEIGHTS[name]
        if isinstance(value, str):
            total += weights.get(value, weights.get("other", 0.0))
        else:
            total += weights["each"] * value
    return total
