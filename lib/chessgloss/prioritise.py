"""Which concepts does a move change? Terms ranked by their change, read from an expert.

    prioritise("r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21", "Bxe6+")

The ranking sees the expert's activations before and after the move, and nothing else: never
the oracle's terms, never the board. Three methods: ``default``, a trained model of changes;
``linear``, ridge regressions on the change of the activations; ``paper``, the difference of
support vector machines' scores (CCC paper, 3.1.2). Their weights lie in ``data/priority``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from chessgloss.change_features import NnueSource, Source
from chessgloss.change_model import ChangeModel
from chessgloss.concepts import ConceptVectors
from chessgloss.experts import Expert, joined_activations, load_expert
from chessgloss.oracle import TERMS
from chessgloss.positions import Position, read_fen, read_move
from chessgloss.priorities import ConceptChange, Priorities, concept_and_side
from chessgloss.store import find_project

MethodName = Literal["default", "linear", "paper"]

#: Layers that the linear methods read: the winner of the chapter on concept vectors.
LAYERS = "pairwise+clipped"


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What a method says of ``n`` moves: float32 ``(n, 21)`` each, columns as in ``TERMS``.

    Parameters
    ----------
    before, after
        The concepts around the move, as in :class:`ConceptChange`.
    changes
        Their changes in standard deviations, signed.
    priority
        What ranks the concepts of a move, the highest first.
    """

    before: NDArray[np.float32]
    after: NDArray[np.float32]
    changes: NDArray[np.float32]
    priority: NDArray[np.float32]


class Method(Protocol):
    """A way to rank concepts."""

    def score(self, before: Sequence[str], after: Sequence[str]) -> Scores:
        """Return scores for moves given by the FENs around them."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PaperMethod:
    """The published way: rank by the plain difference of two scores.

    Parameters
    ----------
    expert
        The expert, at :data:`LAYERS`.
    vectors
        Support vector machines' normal vectors.
    spread
        Standard deviation of each score's difference over moves: for the changes shown;
        the ranking does not use it, as the paper's does not.
    """

    expert: Expert
    vectors: ConceptVectors
    spread: NDArray[np.float32]

    def score(self, before: Sequence[str], after: Sequence[str]) -> Scores:
        """Return scores for moves given by the FENs around them."""
        first, last = (self.vectors.scores(read(self.expert, fens)) for fens in (before, after))
        return Scores(first, last, (last - first) / self.spread, np.abs(last - first))


@dataclass(frozen=True, slots=True, eq=False)
class LinearMethod:
    """Ridge regressions: one from states to terms, one from changes to changes.

    Parameters
    ----------
    expert
        The expert, at :data:`LAYERS`.
    states
        Estimates the terms of a position, in pawns.
    changes
        Estimates the change of each term from the change of the activations, in standard
        deviations.
    spread
        These standard deviations, in pawns: ``(21,)``.
    """

    expert: Expert
    states: ConceptVectors
    changes: ConceptVectors
    spread: NDArray[np.float32]

    def score(self, before: Sequence[str], after: Sequence[str]) -> Scores:
        """Return scores for moves given by the FENs around them."""
        first, last = read(self.expert, before), read(self.expert, after)
        told, state = self.changes.scores(last - first), self.states.scores(first)
        return Scores(state, state + told * self.spread, told, np.abs(told))


@dataclass(frozen=True, slots=True, eq=False)
class ModelMethod:
    """A trained model of changes; the terms before the move come from a ridge regression.

    Parameters
    ----------
    expert
        The expert, at :data:`LAYERS`, for ``states``.
    states
        Estimates the terms of a position, in pawns.
    source
        The model's features, from the same expert.
    model
        The model.
    """

    expert: Expert
    states: ConceptVectors
    source: Source
    model: ChangeModel

    def score(self, before: Sequence[str], after: Sequence[str]) -> Scores:
        """Return scores for moves given by the FENs around them."""
        told, sizes = self.model.predict(self.source, before, after)
        state = self.states.scores(read(self.expert, before))
        return Scores(state, state + told * self.model.spread, told, sizes)


def prioritise(
    position: str | Position,
    move: str,
    *,
    expert: str = "nnue",
    method: MethodName = "default",
    reply: str | None = None,
) -> Priorities:
    """Rank the 21 concepts by how much a move changes them.

    Parameters
    ----------
    position
        FEN or record of the position before the move.
    move
        The move in SAN (with or without its number) or UCI.
    expert
        Whose activations are read; weights are committed for ``nnue``.
    method
        ``default``, ``linear`` or ``paper``.
    reply
        The expected reply, SAN or UCI: then the position after it counts as the one after
        the move, as in the code released with the paper.

    Raises
    ------
    PositionError, MoveError
        If the position or a move is none; the message names it.
    ValueError
        If there is no such method, or no weights for this expert.
    """
    start = read_fen(position) if isinstance(position, str) else position
    played = read_move(start, move)
    end = played.after()
    if reply is not None:
        end = read_move(end, reply).after()
    scores = load_method(expert, method).score([start.fen], [end.fen])
    return Priorities(played, method, _ranked(scores))


@cache
def load_method(expert: str = "nnue", method: str = "default") -> Method:
    """Load the committed weights of a method; they stay loaded.

    Raises
    ------
    ValueError
        If there is no such method, or no weights for this expert.
    """
    if method not in get_args(MethodName):
        raise ValueError(f"no method {method!r}; choose one of {', '.join(get_args(MethodName))}")
    if expert != "nnue":
        raise ValueError(
            f"no trained weights for the expert {expert!r}: only 'nnue' has them; the chapter on "
            "prioritisation shows how to fit a method on another"
        )
    network = load_expert("nnue")
    if method == "paper":
        vectors = ConceptVectors.load(weights_file("nnue-svm"))
        return PaperMethod(network, vectors, _spread(vectors))
    states = ConceptVectors.load(weights_file("nnue-states"))
    if method == "linear":
        changes = ConceptVectors.load(weights_file("nnue-changes"))
        return LinearMethod(network, states, changes, _spread(changes))
    return ModelMethod(network, states, NnueSource(), ChangeModel.load(weights_file("nnue")))


def weights_file(name: str) -> Path:
    """Return the committed weights of that name.

    Raises
    ------
    ValueError
        If they are not there; the message says what makes them.
    """
    path = find_project() / "data" / "priority" / f"{name}.safetensors"
    if not path.is_file():
        raise ValueError(f"{path} is missing; make it with: python -m chessgloss.change_training")
    return path


def read(expert: Expert, fens: Sequence[str]) -> NDArray[np.float32]:
    """Return the expert's activations at :data:`LAYERS`, float32 ``(n, d)``."""
    return joined_activations(expert, fens, LAYERS, dtype=np.float32)


def _ranked(scores: Scores) -> tuple[ConceptChange, ...]:
    order = np.argsort(-scores.priority[0], kind="stable")
    return tuple(
        ConceptChange(
            *concept_and_side(TERMS[k]),
            float(scores.before[0, k]),
            float(scores.after[0, k]),
            float(scores.changes[0, k]),
            rank,
        )
        for rank, k in enumerate(order, start=1)
    )


def _spread(vectors: ConceptVectors) -> NDArray[np.float32]:
    return np.array(json.loads(vectors.about["spread"]), np.float32)
