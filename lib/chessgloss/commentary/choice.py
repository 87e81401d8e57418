"""Which notes on a move would an expert choose? Learned from what lecturers speak of.

A note is *spoken of* by a human comment if the two make the same claim, read by one reader
(:func:`spoken_of`). A logistic regression, fitted by ``data/notes/learn.py``, tells from a note's
features how likely that is; its weights are data (``choice.toml``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

import chess

from chessgloss.claims import Claim, extract
from chessgloss.claims.parser import Term
from chessgloss.commentary import read_table
from chessgloss.commentary.briefing import PHRASES, Briefing
from chessgloss.commentary.notes import Note
from chessgloss.positions import MoveInContext, phase_of

#: Relations of claims that can say the same of the same pieces (:func:`alike`).
ALIKE: Final = tuple(frozenset(names.split()) for names in PHRASES["alike"])

#: The fitted weights: of classes by feature and name (``other`` for those that were rare), and of
#: numbers by feature.
WEIGHTS: Final = read_table("choice.toml")


def spoken_of(note: Note, claims: Sequence[Claim], move: MoveInContext) -> bool:
    """Tell whether claims of a text on a move speak of a note on it.

    They do if one is :func:`alike` to one that the reader finds in the note's own sentence, or in
    the words of a board fact behind it that has a square of what the note is about.
    """
    about = {each.removeprefix("won ") for each in note.about}
    facts = (
        fact for fact in note.facts if fact.when != "before" and about & {*fact.squares}
    )
    texts = [
        note.sentence,
        *(fact.text for fact in facts if fact.provenance == "board"),
    ]
    own = [claim for text in texts for claim in extract(text)]
    return any(alike(claim, other, move) for claim in claims for other in own)


def alike(claim: Claim, other: Claim, move: MoveInContext) -> bool:
    """Tell whether two claims on a move speak of the same thing.

    Their relations are the same or stand together in :data:`ALIKE`; both are denied or neither;
    they agree in the file, unit and state that both name, in the side and in the move that acts;
    and something that they are about can be the same: a square, a piece, a move but the one
    played. That a piece stands somewhere, or a ``+`` behind a move, is nothing to speak of.
    """
    both = (claim, other)
    names = {claim.relation, other.relation}
    if claim.kind == "piece" or "move_checks" in names:
        return False
    if len(names) > 1 and not any(names <= each for each in ALIKE):
        return False
    stated = [{"negated": claim.stance.negated, **claim.detail} for claim in both]
    keys = {"negated", "file", "unit", "state"} & stated[0].keys() & stated[1].keys()
    acting = [{_move(term, move) for term in each.subjects} - {None} for each in both]
    sides = [
        {
            move.mover if _move(term, move) == "played" else term.side
            for term in each.subjects
        }
        - {None}
        for each in both
    ]
    if any(all(pair) and pair[0].isdisjoint(pair[1]) for pair in (acting, sides)):
        return False
    objects = [[t for t in each.objects if _move(t, move) != "played"] for each in both]
    free = not all(objects) and claim.kind != "move"
    same = free or any(_meet(one, two) for one in objects[0] for two in objects[1])
    return same and all(stated[0][key] == stated[1][key] for key in keys)


def _move(term: Term, move: MoveInContext) -> object:
    """Return what a written move comes to, ``played`` if it is that one; ``None`` for no move."""
    if term.move is None:
        return "played" if term.role == "this" else None
    piece, takes = _played(move.position.fen, move.uci)
    same = term.move.to == move.move.to_square and term.move.takes <= takes
    return "played" if same and term.move.piece in (None, piece) else _goes(term)


@lru_cache(64)
def _played(fen: str, uci: str) -> tuple[chess.PieceType | None, bool]:
    board = chess.Board(fen)
    move = chess.Move.from_uci(uci)
    return board.piece_type_at(move.from_square), board.is_capture(move)


def _meet(one: Term, two: Term) -> bool:
    """Tell whether two terms can mean one thing."""
    if one.move and two.move:
        piece = {one.move.piece, two.move.piece} - {None}
        return len(piece) < 2 and _goes(one) == _goes(two)
    if one.move or two.move:
        return False
    if None not in (one.square, two.square):
        return one.square == two.square
    fits = one.pieces & two.pieces and all(
        len({a, b} - {None}) < 2
        for a, b in ((one.side, two.side), (one.file, two.file))
    )
    return one.role == two.role == "piece" and bool(fits)


def _goes(term: Term) -> tuple[int | None, str | None]:
    assert term.move is not None
    return term.move.to, term.move.castles


# ---------------------------------------------------------------- what is learned from it


def features(
    note: Note, briefing: Briefing, earlier: int = 0
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


def expectation(note: Note, briefing: Briefing, earlier: int = 0) -> float:
    """Return the logarithm of the odds that a lecturer speaks of a note (see :func:`features`)."""
    total = float(WEIGHTS["intercept"])
    for name, value in features(note, briefing, earlier).items():
        weights = WEIGHTS[name]
        if isinstance(value, str):
            total += weights.get(value, weights.get("other", 0.0))
        else:
            total += weights["each"] * value
    return total


def in_expert_order(made: Iterable[Note], briefing: Briefing) -> list[Note]:
    """Return the notes of one move, what decides first by weight, then as lecturers choose."""

    def place(note: Note) -> tuple[bool, float]:
        return not note.decides, -(
            note.weight if note.decides else expectation(note, briefing)
        )

    return sorted(made, key=place)
