"""Pairs of sentences that differ in one word: one is true of a move, the other is not.

A minimal pair is a clause of facts as a sentence, and its twin in which one word is exchanged (a
square, a piece, a side), so that the clause no longer is among the facts of the move before it,
of it, or after it. What a clause says of pieces that attack, defend, pin or fork is told whole by
the facts, so that the twin is untrue by the board; the twin is kept only if its words still name
something that could be on a board.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import chess
from chess import SquareSet, square_name

from chessgloss.facts.gathering import gather
from chessgloss.facts.records import FactKind
from chessgloss.positions import MoveInContext

ErrorType = Literal["wrong_square", "wrong_piece", "wrong_side"]

#: Kinds whose clauses are all listed by the facts, so that a clause that is not there is untrue.
KINDS: tuple[FactKind, ...] = (
    "capture",
    "castling",
    "promotion",
    "check",
    "attack",
    "defence",
    "passed_pawn",
    "isolated_pawn",
    "doubled_pawns",
    "open_file",
    "pin",
    "fork",
    "mate",
)

_SQUARE = re.compile(r"\b[a-h][1-8]\b")
_EXCHANGED: dict[ErrorType, re.Pattern[str]] = {
    "wrong_square": _SQUARE,
    "wrong_piece": re.compile(r"\b(?:knight|bishop|rook|queen|king|pawn)\b"),
    "wrong_side": re.compile(r"\b(?:white|black|White|Black)\b"),
}
_OTHER_SIDE = {"white": "black", "black": "white", "White": "Black", "Black": "White"}


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """A true sentence and its corrupted twin.

    Parameters
    ----------
    move
        The move they are about.
    kind
        The kind of fact that the true sentence tells.
    error
        What was exchanged.
    true, false
        The two sentences, each with a capital and a full stop.
    """

    move: MoveInContext
    kind: FactKind
    error: ErrorType
    true: str
    false: str


def minimal_pairs(
    moves: Iterable[MoveInContext], count: int, *, seed: int = 0
) -> tuple[MinimalPair, ...]:
    """Return minimal pairs, at most one of each error type from a move.

    Parameters
    ----------
    moves
        Moves to speak of; as many are read as are needed.
    count
        How many pairs.
    seed
        Chooses facts and exchanges; the same seed and moves give the same pairs.

    Raises
    ------
    ValueError
        If the moves give fewer pairs.
    """
    pairs: list[MinimalPair] = []
    for move in moves:
        if len(pairs) >= count:
            break
        pairs += _pairs_of(
            move, random.Random(f"{seed} {move.position.fen} {move.uci}")
        )
    if len(pairs) < count:
        raise ValueError(
            f"the moves give only {len(pairs)} of {count} pairs; give more moves"
        )
    return tuple(pairs[:count])


def _pairs_of(move: MoveInContext, rng: random.Random) -> Iterator[MinimalPair]:
    facts = gather(move)
    clauses = {fact.text for fact in facts.facts}
    for error in _EXCHANGED:
        plain = (
            [f for f in facts.of(kind) if " but may not " not in f.text]
            for kind in KINDS
        )
        of_each_kind = [rng.choice(of_kind) for of_kind in plain if of_kind]
        for fact in rng.sample(of_each_kind, len(of_each_kind)):
            twins = (
                text for text in corrupted(fact.text, error, rng) if text not in clauses
            )
            if (twin := next(twins, None)) is not None:
                yield MinimalPair(
                    move, fact.kind, error, sentence(fact.text), sentence(twin)
                )
                break


def corrupted(clause: str, error: ErrorType, rng: random.Random) -> Iterator[str]:
    """Yield a clause with one thing exchanged, in a drawn order.

    No pawn is put on the first or last rank, and no square is named twice.
    """
    places = list(_EXCHANGED[error].finditer(clause))
    for place in rng.sample(places, len(places)):
        word = place.group()
        if error == "wrong_side":
            others = [_OTHER_SIDE[word]]
        elif error == "wrong_piece":
            others = sorted({"pawn", "knight", "bishop", "rook", "queen"} - {word})
        else:
            # those next to it, which a writer takes for it
            near = SquareSet(chess.BB_KING_ATTACKS[chess.parse_square(word)])
            others = sorted(map(square_name, near))
        for other in (
            others if error == "wrong_side" else rng.sample(others, len(others))
        ):
            text = clause[: place.start()] + other + clause[place.end() :]
            squares = _SQUARE.findall(text)
            pawn = re.search(
                r"\bpawns? on (?:[a-h][1-8](?:, | and ))*[a-h][18]\b", text
            )
            if pawn is None and len(set(squares)) == len(squares):
                yield text


def sentence(clause: str) -> str:
    """Return a clause as a sentence: a capital first, a full stop last."""
    return f"{clause[0].upper()}{clause[1:]}."
