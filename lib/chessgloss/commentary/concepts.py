"""The concepts that a method is given: the five that a move changes most, and ablations.

Figure 3 of the CCC paper lists three concepts beside its example; its text names no number.
Five is our reading, and the chapter varies it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from chessgloss.positions import MoveInContext
from chessgloss.priorities import ConceptChange

Choice = Literal["top", "random", "flipped", "none"]

#: Changes smaller than this, in standard deviations, count as none: no direction is told.
STILL = 0.1

#: Names a reader uses, by the oracle's name of a concept.
SPOKEN = {
    "Material": "material balance",
    "Imbalance": "balance of piece types",
    "Pawns": "pawn structure",
    "Knights": "knights",
    "Bishop": "bishops",
    "Rooks": "rooks",
    "Queens": "queens",
    "Mobility": "piece mobility",
    "Kingsafety": "king safety",
    "Threats": "threats",
    "Space": "space",
    "Passedpawns": "passed pawns",
}

#: Concepts fitted on facts, and whether their names are plural: a move brings them about or
#: ends them.
NOTICED = {
    "fork": False,
    "pin": False,
    "doubled pawns": True,
    "open file": False,
    "mate in one": False,
}

#: Beginnings of words by which a comment shows that it speaks of a concept.
_WORDS = {
    "Material": ("material", "wins a", "up a", "exchange"),
    "Imbalance": ("imbalance", "bishop pair", "minor piece"),
    "Pawns": ("pawn structure", "pawn chain", "doubled", "isolated", "weak pawn"),
    "Knights": ("knight",),
    "Bishop": ("bishop",),
    "Rooks": ("rook",),
    "Queens": ("queen",),
    "Mobility": ("mobil", "activ", "develop", "freedom"),
    "Kingsafety": ("king safety", "king's safety", "king is", "king's position", "exposed king"),
    "Threats": ("threat", "attack", "pressure"),
    "Space": ("space", "room", "territory"),
    "Passedpawns": ("passed pawn", "passer", "promot"),
    "fork": ("fork",),
    "pin": ("pin ", "pins", "pinned", "pinning"),
    "doubled pawns": ("doubled",),
    "open file": ("open file", "-file"),
    "mate in one": ("mate",),
}


def speaks_of(text: str, one: ConceptChange) -> bool:
    """Return whether a comment uses a word that stands for a concept, of either side.

    A crude sign: it finds ``threats`` in "no threats", too.
    """
    low = text.lower()
    return any(word in low for word in _WORDS[one.concept])


def choose_concepts(
    move: MoveInContext,
    ranked: Sequence[ConceptChange],
    choice: Choice,
    count: int = 5,
    *,
    seed: int = 1,
) -> tuple[ConceptChange, ...]:
    """Return the concepts that a method is given, most important first.

    Parameters
    ----------
    move
        The move; with ``seed`` it decides the lot of ``random``.
    ranked
        All 21 concepts by rank.
    choice
        ``top`` takes the first ``count``; ``flipped`` takes the same with the sign of every
        change turned round; ``random`` draws ``count`` of the other concepts and gives each
        the size of the one whose place it takes and a sign by lot; ``none`` takes nothing.
    count
        How many.
    seed
        Of the lot.
    """
    if choice not in get_args(Choice):
        raise ValueError(f"no choice {choice!r}; one of {', '.join(get_args(Choice))}")
    top = tuple(ranked[:count])
    if choice == "none":
        return ()
    if choice == "flipped":
        return tuple(_turned(one, -one.change) for one in top)
    return _drawn(move, top, ranked[count:], seed) if choice == "random" else top


def tell_concept(one: ConceptChange) -> str:
    """Return a concept and its direction in words: ``White's king safety gets worse``.

    Material, Imbalance and Pawns count White minus Black; their change is told as a shift to
    one side. A concept fitted on a fact comes or goes: ``White's fork: seems to appear``.
    """
    if one.concept in NOTICED:
        seems = "seem" if NOTICED[one.concept] else "seems"
        comes = "appear" if one.change > 0 else "disappear"
        return f"{one.side}'s {one.concept}: {seems} to {comes}"
    name = SPOKEN[one.concept]
    if one.side == "both":
        if abs(one.change) < STILL:
            return f"{name}: hardly changes"
        return f"{name}: shifts in {'White' if one.change > 0 else 'Black'}'s favour"
    if abs(one.change) < STILL:
        return f"{one.side}'s {name}: hardly changes"
    return f"{one.side}'s {name}: gets {'better' if one.change > 0 else 'worse'}"


def _drawn(
    move: MoveInContext, places: Sequence[ConceptChange], others: Sequence[ConceptChange], seed: int
) -> tuple[ConceptChange, ...]:
    text = f"{seed} {move.position.fen} {move.uci}"
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    random = np.random.default_rng(int.from_bytes(digest, "big"))
    drawn = random.permutation(len(others))[: len(places)]
    signs = random.choice([-1.0, 1.0], size=len(drawn))
    return tuple(
        replace(_turned(others[k], float(sign) * abs(place.change)), rank=place.rank)
        for k, sign, place in zip(drawn, signs, places, strict=False)
    )


def _turned(one: ConceptChange, change: float) -> ConceptChange:
    """Return a concept with another change; the score after the move moves with its sign."""
    step = abs(one.after - one.before)
    after = one.before + (step if change >= 0 else -step)
    return replace(one, change=change, after=after)
