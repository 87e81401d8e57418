"""Minimal pairs: a true sentence on a move, and its twin with one thing changed.

The sentences are clauses of facts. One word is exchanged (a square, a piece, a side), so that
the clause no longer is among the facts of the move before it, of it, or after it. What a
clause says of pieces that attack, defend, pin or fork is told whole by the facts, so that the
twin is untrue by the board; the twin is kept only if its words still name something that
could be on a board.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import chess

from chessgloss.facts import Fact, Facts, gather
from chessgloss.facts.fact import FactKind
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
_PIECE = re.compile(r"\b(?:knight|bishop|rook|queen|king|pawn)\b")
_SIDE = re.compile(r"\b(?:white|black|White|Black)\b")
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
    found: list[MinimalPair] = []
    for move in moves:
        if len(found) >= count:
            break
        found += _pairs_of(move, random.Random(f"{seed} {move.position.fen} {move.uci}"))
    if len(found) < count:
        raise ValueError(f"the moves give only {len(found)} of {count} pairs; give more moves")
    return tuple(found[:count])


def _pairs_of(move: MoveInContext, rng: random.Random) -> Iterator[MinimalPair]:
    facts = gather(move)
    told = {fact.text for fact in facts.facts}
    for error in get_args(ErrorType):
        for fact in _shuffled(_one_of_each_kind(facts, rng), rng):
            twin = next(
                (text for text in corrupted(fact.text, error, rng) if text not in told), None
            )
            if twin is not None:
                yield MinimalPair(move, fact.kind, error, sentence(fact.text), sentence(twin))
                break


def _one_of_each_kind(facts: Facts, rng: random.Random) -> list[Fact]:
    plain = (
        [fact for fact in facts.of(kind) if " but may not " not in fact.text] for kind in KINDS
    )
    return [rng.choice(found) for found in plain if found]


def _shuffled(facts: Sequence[Fact], rng: random.Random) -> list[Fact]:
    return rng.sample(list(facts), len(facts))


def corrupted(clause: str, error: ErrorType, rng: random.Random) -> Iterator[str]:
    """Yield a clause with one thing exchanged, in a drawn order."""
    pattern = {"wrong_square": _SQUARE, "wrong_piece": _PIECE, "wrong_side": _SIDE}[error]
    places = list(pattern.finditer(clause))
    for place in rng.sample(places, len(places)):
        for word in _others(place.group(), error, rng):
            text = clause[: place.start()] + word + clause[place.end() :]
            if _could_be(text):
                yield text


def _others(word: str, error: ErrorType, rng: random.Random) -> list[str]:
    if error == "wrong_side":
        return [_OTHER_SIDE[word]]
    names = chess.PIECE_NAMES[1:] if error == "wrong_piece" else _near(word)
    others = sorted(str(name) for name in names if name not in (word, "king"))
    return rng.sample(others, len(others))


def _near(square: str) -> list[str]:
    """Return the squares next to one, which are those a writer takes for it."""
    ring = chess.SquareSet(chess.BB_KING_ATTACKS[chess.parse_square(square)])
    return [chess.square_name(one) for one in ring]


def _could_be(clause: str) -> bool:
    """Tell whether no pawn is put on the first or last rank, and no square is named twice."""
    squares = _SQUARE.findall(clause)
    pawn = re.search(r"\bpawns? on (?:[a-h][1-8](?:, | and ))*[a-h][18]\b", clause)
    return pawn is None and len(set(squares)) == len(squares)


def sentence(clause: str) -> str:
    """Return a clause as a sentence: a capital first, a full stop last."""
    return f"{clause[0].upper()}{clause[1:]}."
