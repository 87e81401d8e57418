"""Which notes a comment says, and which an expert would choose: learned from what lecturers say.

A note is *spoken of* by a human comment if the two make the same claim, read by one reader
(:func:`spoken_of`). A logistic regression, fitted by ``data/notes/learn.py``, tells from a note's
features how likely that is; its weights are data (``choice.toml``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

import chess

from chessgloss.claims import Claim, extract
from chessgloss.claims.parser import Term
from chessgloss.notes.kinds import NOTES, Note, read_table
from chessgloss.notes.situation import Briefed
from chessgloss.positions import MoveInContext, phase_of

#: Words of a comment and sentences at most.
MOST_WORDS, MOST_SENTENCES = 45, 3

#: Relations of claims that can say the same of the same pieces (:func:`same_subject`).
SAME_RELATIONS: Final = tuple(
    frozenset(names.split()) for names in NOTES["same_relations"]
)

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
        covered |= bool(chosen) and note.kind in NOTES["alone"]
        if covered or not _is_worth_a_sentence(note, _length(chosen)):
            continue
        longer = _with_note(chosen, note)
        if len(longer) <= sentences and _length(longer) <= words:
            chosen = longer
    return sorted(chosen, key=lambda note: NOTES["last"].get(note.kind, 0))


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


# ---------------------------------------------------------------- what a human comment speaks of


def spoken_of(
    note: Note,
    claims: Sequence[Claim],
    move: MoveInContext,
) -> bool:
    """Tell whether claims of a text on a move speak of a note on it.

    They do if one has the :func:`same_subject` as one that the reader finds in the note's own
    sentence, or in the words of a board fact behind it that has a square of what the note is
    about.
    """
    about = {each.removeprefix("won ") for each in note.about}
    texts = [note.sentence]
    for fact in note.facts:
        there = fact.when != "before" and about & {*fact.squares}
        if there and fact.provenance == "board":
            texts.append(fact.text)
    own = [claim for text in texts for claim in extract(text)]
    return any(same_subject(claim, other, move) for claim in claims for other in own)


def same_subject(
    claim: Claim,
    other: Claim,
    move: MoveInContext,
) -> bool:
    """Tell whether two claims on a move speak of the same thing.

    Their relations are the same or stand together in :data:`SAME_RELATIONS`; both are denied or
    neither; they agree in the file, unit and state that both name, in the side and in the move
    that acts; and something that they are about can be the same: a square, a piece, a move but
    the one played. That a piece stands somewhere, or a ``+`` behind a move, is nothing to speak
    of.
    """
    return (
        _same_relation(claim, other)
        and _same_details(claim, other)
        and _same_actor(claim, other, move)
        and _same_target(claim, other, move)
    )


def _same_relation(claim: Claim, other: Claim) -> bool:
    names = {claim.relation, other.relation}
    if claim.kind == "piece" or "move_checks" in names:
        return False
    return len(names) == 1 or any(names <= each for each in SAME_RELATIONS)


def _same_details(claim: Claim, other: Claim) -> bool:
    """Tell whether both are denied or neither, and file, unit and state agree if both name one."""
    ours, theirs = (
        {"negated": each.stance.negated, **each.detail} for each in (claim, other)
    )
    shared = {"negated", "file", "unit", "state"} & ours.keys() & theirs.keys()
    return all(ours[key] == theirs[key] for key in shared)


def _same_actor(
    claim: Claim,
    other: Claim,
    move: MoveInContext,
) -> bool:
    """Tell whether the same move and side can act; what only one of them names can be the same."""
    moves = [
        {_move_of(term, move) for term in each.subjects} - {None}
        for each in (claim, other)
    ]
    sides = [
        {_side_of(term, move) for term in each.subjects} - {None}
        for each in (claim, other)
    ]
    return _can_meet(*moves) and _can_meet(*sides)


def _can_meet(ours: set, theirs: set) -> bool:
    return not ours or not theirs or not ours.isdisjoint(theirs)


def _same_target(
    claim: Claim,
    other: Claim,
    move: MoveInContext,
) -> bool:
    """Tell whether an object of the one can be one of the other's, the move played apart.

    Where one has none the target can be the same, but for claims on moves.
    """
    ours, theirs = (
        [term for term in each.objects if _move_of(term, move) != "played"]
        for each in (claim, other)
    )
    if claim.kind != "move" and not (ours and theirs):
        return True
    return any(_can_be_one(one, two) for one in ours for two in theirs)


def _side_of(term: Term, move: MoveInContext) -> chess.Color | None:
    return move.mover if _move_of(term, move) == "played" else term.side


def _move_of(term: Term, move: MoveInContext) -> object:
    """Return what a written move comes to, ``played`` if it is that one; ``None`` for no move."""
    if term.move is None:
        return "played" if term.role == "this" else None
    piece, takes = _played(move.position.fen, move.uci)
    same = term.move.to == move.move.to_square and term.move.takes <= takes
    if same and term.move.piece in (None, piece):
        return "played"
    return _destination(term)


@lru_cache(64)
def _played(fen: str, uci: str) -> tuple[chess.PieceType | None, bool]:
    """Return which piece makes a move, and whether it takes."""
    board = chess.Board(fen)
    move = chess.Move.from_uci(uci)
    return board.piece_type_at(move.from_square), board.is_capture(move)


def _can_be_one(one: Term, two: Term) -> bool:
    """Tell whether two terms can mean one thing."""
    if one.move and two.move:
        same_piece = _agree(one.move.piece, two.move.piece)
        return same_piece and _destination(one) == _destination(two)
    if one.move or two.move:
        return False
    if None not in (one.square, two.square):
        return one.square == two.square
    if not one.role == two.role == "piece":
        return False
    fits = _agree(one.side, two.side) and _agree(one.file, two.file)
    return fits and bool(one.pieces & two.pieces)


def _agree(one: object, two: object) -> bool:
    """Tell whether two values are the same, or one is not known."""
    return one is None or two is None or one == two


def _destination(term: Term) -> tuple[int | None, str | None]:
    assert term.move is not None
    return term.move.to, term.move.castles


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


def in_expert_order(made: Iterable[Note], briefing: Briefed) -> list[Note]:
    """Return the notes of one move, what decides first by weight, then as lecturers choose."""

    def place(note: Note) -> tuple[bool, float]:
        if note.decides:
            return False, -note.weight
        return True, -expectation(note, briefing)

    return sorted(made, key=place)
