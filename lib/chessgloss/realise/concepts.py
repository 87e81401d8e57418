"""A cautious clause about the concepts that an expert network sees changed by the move."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import chess

from chessgloss.facts.records import Facts
from chessgloss.facts.wording import listed, side_name
from chessgloss.realise.records import Point
from chessgloss.realise.scene import Scene
from chessgloss.realise.voices import CONCEPT_CLAUSES, CONCEPT_NAMES

#: A concept: its name, whose it is (``White``, ``Black`` or ``both``), and its change in
#: standard deviations. A side's own concepts are good for it when positive; those of both
#: count White minus Black.
Concept = tuple[str, str, float]

#: Smallest change, in standard deviations, that is put into words.
LEAST_CHANGE: Final = 0.25
#: Concepts looked at, from the top of the list, and named at most.
LOOKED_AT, MOST_NAMED = 5, 2

_MEN = {
    "Knights": chess.KNIGHT,
    "Bishop": chess.BISHOP,
    "Rooks": chess.ROOK,
    "Queens": chess.QUEEN,
}


def concept_point(
    scene: Scene, facts: Facts, concepts: Sequence[Concept], *, bad: bool
) -> Point | None:
    """Return what the network's estimates show, or ``None`` if nothing fits to be said.

    Of the first concepts those are named that speak the same way as the move's verdict: for
    the mover, or against it if the move is bad. What the board rules out is left unsaid
    (material that shifts without a capture, passed pawns where there are none).

    Parameters
    ----------
    scene, facts
        The move.
    concepts
        The concepts, most changed first.
    bad
        Whether the engine calls the move bad.

    Raises
    ------
    ValueError
        If a concept or a side is unknown, or a change is not finite.
    """
    for concept in concepts:
        _check(concept)
    if not any(scene.after.generate_legal_moves()):
        return None
    top = list(concepts[:LOOKED_AT])
    fitting = [one for one in top if _agrees(scene, one, bad=bad) and _possible(scene, facts, one)]
    named = fitting[:MOST_NAMED]
    if not named:
        return None
    key = "first" if named == top[: len(named)] else "other"
    words = {"concepts": _listed(named)}
    phrasings = tuple(clause.format(**words) for clause in CONCEPT_CLAUSES[key])
    return Point("concepts", 30, phrasings, (), frozenset({"concepts"}))


def _check(concept: Concept) -> None:
    name, side, change = concept
    if name not in CONCEPT_NAMES:
        known = ", ".join(CONCEPT_NAMES)
        raise ValueError(f"unknown concept {name!r}: name it without its side, one of {known}")
    needs_side = "{side}" in CONCEPT_NAMES[name]
    if side not in (("White", "Black") if needs_side else ("both",)):
        wanted = "White or Black" if needs_side else "both"
        raise ValueError(f"the side of {name!r} is {wanted}, got {side!r}")
    if not math.isfinite(change):
        raise ValueError(f"the change of {name!r} must be finite, got {change}")


def _favoured(concept: Concept) -> chess.Color:
    """Return the side for which the change is good."""
    _, side, change = concept
    return (side != "Black") == (change > 0)


def _agrees(scene: Scene, concept: Concept, *, bad: bool) -> bool:
    return abs(concept[2]) >= LEAST_CHANGE and (_favoured(concept) == scene.us) != bad


def _possible(scene: Scene, facts: Facts, concept: Concept) -> bool:
    """Tell whether what the concept counts is there on the board to change."""
    name, side, _ = concept
    traded = scene.victim_square is not None or scene.move.promotion is not None
    if name == "Material":
        return traded and _favoured(concept) == scene.us
    if name == "Imbalance":
        return traded
    if name == "Pawns":
        return traded or scene.piece == chess.PAWN
    if name == "Passedpawns":
        return any(fact.side == (side == "White") for fact in facts.of("passed_pawn", when="after"))
    return name not in _MEN or bool(scene.after.pieces(_MEN[name], side == "White"))


def _listed(concepts: Sequence[Concept]) -> str:
    """Return concepts with the direction of each: behind a comma, or in brackets if several."""
    if len(concepts) == 1:
        return "{}, {}".format(*_words(concepts[0]))
    return listed(["{} ({})".format(*_words(one)) for one in concepts])


def _words(concept: Concept) -> tuple[str, str]:
    name, side, change = concept
    words = CONCEPT_NAMES[name].format(side=side)
    if side == "both":
        return words, f"in favour of {side_name(_favoured(concept))}"
    return words, f"for the {'better' if change > 0 else 'worse'}"
