"""Which concepts does a move change? Terms ranked by their change, read from an expert.

    prioritise("r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21", "Bxe6+")

The ranking sees the expert's activations before and after the move, and nothing else: never
the oracle's terms, never the board. Three methods: ``default``, a trained model of changes;
``linear``, ridge regressions on the change of the activations; ``paper``, the difference of
support vector machines' scores (CCC paper, 3.1.2). Their weights lie in ``data/priority``.

The model treats both colours alike. A position is seen twice, by White and by Black, each with
its own pieces as "own": mirroring the board only exchanges the two views, and so it can only
exchange White's and Black's terms. A model that respects this learns from each move twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from chessgloss.concepts.vectors import LAYERS, ConceptVectors
from chessgloss.experts import Expert, joined_activations, load_expert
from chessgloss.experts.boards import read_boards
from chessgloss.experts.nnue import ACCUMULATORS, ONE, multiply_pairs
from chessgloss.facts.change import Changes, ConceptChange, concept_and_side
from chessgloss.positions import MoveInContext, Position, read_fen, read_move
from chessgloss.scores import TERMS
from chessgloss.store import data_file, read_tensors, write_tensors

if TYPE_CHECKING:
    import pandas as pd

MethodName = Literal["default", "linear", "paper"]

_PAIRS = ACCUMULATORS // 2
_ONE_HOT = 12 * 64
_TOTALS = 3

#: Answers of a model from one side's view: the totals, and that side's terms.
ANSWERS = _TOTALS + (len(TERMS) - _TOTALS) // 2
#: Where the terms stand among White's answers and Black's behind them.
_PLACES = [
    *range(_TOTALS),
    *(place for k in range(_TOTALS, ANSWERS) for place in (k, ANSWERS + k)),
]


@dataclass(frozen=True, slots=True)
class Priorities:
    """The concepts of a move, most changed first.

    Parameters
    ----------
    move
        The move.
    method
        How the concepts were ranked.
    changes
        All 21, by rank.
    """

    move: MoveInContext
    method: str
    changes: Changes

    def top(self, count: int = 5) -> Changes:
        """Return the first ``count`` concepts."""
        return self.changes[:count]

    def table(self, count: int = 5) -> pd.DataFrame:
        """Return the first ``count`` concepts as a table, one row a concept."""
        import pandas as pd

        frame = pd.DataFrame([asdict(change) for change in self.top(count)]).set_index(
            "rank"
        )
        return frame.rename(columns={"change": "change (sd)"})

    def __str__(self) -> str:
        table = self.table().round(2).to_string()
        return f"{self.move.numbered_san} ({self.method})\n{table}"


# ---------------------------------------------------------------- what a model sees of a move


class NnueSource:
    """Features from NNUE's sums and the network's activations, and nothing else.

    A side has 4,096 features: the changes of its 1,024 sums before clipping, of the 1,024
    clipped ones and of the 512 products, then the clipped sums and the products before the
    move. The unit is the network's own activation of 1.
    """

    name = "nnue"
    width = 3 * ACCUMULATORS + 2 * _PAIRS

    def __init__(self) -> None:
        self._expert = load_expert("nnue")

    def read(self, fens: Sequence[str]) -> NDArray[np.int16]:
        """Return the accumulators, int16 ``(n, 2, 1024)``, White's view first: exact."""
        sums = joined_activations(self._expert, fens, "accumulators", dtype=np.int16)
        return sums.reshape(-1, 2, ACCUMULATORS)

    def features(self, before: NDArray, after: NDArray) -> NDArray[np.float32]:
        """Return the features of moves, float32 ``(n, 2, 4096)``, from what was read."""
        first, last = (side.astype(np.float32) for side in (before, after))
        clipped = first.clip(0, ONE)
        later = last.clip(0, ONE)
        pairs = multiply_pairs(clipped)
        later_pairs = multiply_pairs(later)
        parts = [last - first, later - clipped, later_pairs - pairs, clipped, pairs]
        joined = np.concatenate(parts, axis=-1)
        return np.divide(joined, ONE, dtype=np.float32)


class BoardSource:
    """Features from the bare board: what the same model reads without any network.

    A side has 1,536 features: the change of each of the 12 x 64 bits (a piece on a
    square), and the bits before the move.
    """

    name = "onehot"
    width = 2 * _ONE_HOT

    def read(self, fens: Sequence[str]) -> NDArray[np.uint8]:
        """Return piece codes, uint8 ``(n, 2, 64)``; a side's own pieces are codes 1 to 6."""
        boards = read_boards(fens)
        return np.stack([boards.squares, boards.from_black()], axis=1)

    def features(self, before: NDArray, after: NDArray) -> NDArray[np.float32]:
        """Return the features of moves, float32 ``(n, 2, 1536)``, from what was read."""
        kinds = np.arange(1, 13, dtype=np.uint8)[:, None]
        first, last = (
            (codes[:, :, None, :] == kinds).astype(np.float32).reshape(-1, 2, _ONE_HOT)
            for codes in (before, after)
        )
        return np.concatenate([last - first, first], axis=-1)


Source: TypeAlias = NnueSource | BoardSource

#: Where a model's features come from, by name: a network, or the bare board as its control.
SOURCES: Mapping[str, Callable[[], Source]] = {
    "nnue": NnueSource,
    "onehot": BoardSource,
}


# ---------------------------------------------------------------- a model of changes


@dataclass(frozen=True, slots=True, eq=False)
class ChangeModel:
    """A trained model of changes, with the units of its answers.

    Two views in (:class:`NnueSource`), two numbers a term out: the signed root of its change, and
    the root of its size, which ranks. :class:`chessgloss.concepts.train.ChangeNetwork` is the
    same while it is trained.

    Parameters
    ----------
    weights
        float32 matrices ``(outputs, inputs)`` and vectors of the layers, by their names.
    spread
        float32 ``(21,)``: standard deviation of each term's change over training moves, in
        pawns: the unit of every predicted change.
    about
        Where it comes from: source of the features, oracle, data hash, seed, settings.
    """

    weights: Mapping[str, NDArray[np.float32]]
    spread: NDArray[np.float32]
    about: Mapping[str, str]

    def predict(
        self,
        source: Source,
        before: Sequence[str],
        after: Sequence[str],
        *,
        batch: int = 1024,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return changes and the sizes that rank them, float32 ``(n, 21)`` each.

        Changes are signed, in standard deviations; the ranking is by the root of the size,
        which may be a little below zero.

        Parameters
        ----------
        source
            Where the features come from; the one that the model was trained on.
        before, after
            FENs around the moves, length ``n``, at least one.
        """
        answers = []
        for at in range(0, len(before), batch):
            around = (source.read(fens[at : at + batch]) for fens in (before, after))
            answers.append(self._answers(source.features(*around)))
        whole = np.concatenate(answers)
        signed = by_term(whole[:, :, 0], -1)
        return signed * np.abs(signed), by_term(whole[:, :, 1], 1)

    def _answers(self, views: NDArray[np.float32]) -> NDArray[np.float32]:
        """Map two views ``(n, 2, width)`` to each one's two answers a term, ``(n, 2, 2, 12)``."""
        white = views[:, 0]
        black = views[:, 1]
        common = self._layer(white + black, "views.common")
        difference = (white - black) @ self.weights["views.difference.weight"].T
        hidden = np.stack([common + difference, common - difference], axis=1)
        trunk = self._layer(np.maximum(hidden, 0), "trunk")
        answers = self._layer(np.maximum(trunk, 0), "heads")
        return answers.reshape(len(views), 2, 2, -1)

    def _layer(self, inputs: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        matrix = self.weights[f"{name}.weight"]
        bias = self.weights[f"{name}.bias"]
        return inputs @ matrix.T + bias

    def save(self, path: Path) -> Path:
        """Write a safetensors file in half precision, with sizes and origin in its header."""
        arrays = {name: each.astype(np.float16) for name, each in self.weights.items()}
        hidden, width = arrays["views.common.weight"].shape
        sizes = (width, hidden, len(arrays["trunk.bias"]))
        header = {**self.about, "sizes": json.dumps(sizes)}
        return write_tensors(save({**arrays, "spread": self.spread}, header), path)

    @classmethod
    def load(cls, path: Path) -> ChangeModel:
        """Read a file that :meth:`save` wrote.

        Raises
        ------
        ValueError
            If the file holds no model.
        """
        arrays, about = read_tensors(path, "sizes")
        del about["sizes"]  # which the weights show
        weights = {name: each.astype(np.float32) for name, each in arrays.items()}
        return cls(weights, weights.pop("spread"), about)


def by_term(sides: Any, sign: int) -> Any:
    """Lay out ``(n, 2, 12)`` as ``(n, 21)``: totals from both views, then White, Black, White...

    A total seen by Black is the same with the other sign; its size is the same. ``sides`` may be
    an array or a tensor, and so is what is returned.
    """
    flat = sides.reshape(len(sides), -1)
    white = flat[:, :_TOTALS]
    black = flat[:, ANSWERS : ANSWERS + _TOTALS]
    terms = flat[:, _PLACES]
    terms[:, :_TOTALS] = (white + sign * black) / 2
    return terms


# ---------------------------------------------------------------- methods


class Scores(NamedTuple):
    """What a method says of ``n`` moves: float32 ``(n, 21)`` each, columns as in ``TERMS``.

    ``before`` and ``after`` are the concepts around the move and ``changes`` their changes, as
    in :class:`ConceptChange`; ``priority`` ranks the concepts of a move, the highest first.
    """

    before: NDArray[np.float32]
    after: NDArray[np.float32]
    changes: NDArray[np.float32]
    priority: NDArray[np.float32]


class Method(Protocol):
    """Scores moves that are given by the FENs before and after them."""

    def score(self, before: Sequence[str], after: Sequence[str]) -> Scores:
        """Return the method's scores of ``n`` moves, from FENs around them, length ``n``."""


def read(expert: Expert, fens: Sequence[str]) -> NDArray[np.float32]:
    """Return the expert's activations at :data:`.vectors.LAYERS`, float32 ``(n, d)``."""
    return joined_activations(expert, fens, LAYERS, dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class TrainedChanges:
    """``default``: a trained model says how a move changes each concept.

    Parameters
    ----------
    expert
        The network.
    states
        Vectors of the concepts in pawns, which give the level before the move.
    model
        The model of changes.
    source
        Where the model's features come from.
    """

    expert: Expert
    states: ConceptVectors
    model: ChangeModel
    source: Source

    @classmethod
    def load(cls, expert: Expert) -> TrainedChanges:
        """Load the committed weights."""
        states = ConceptVectors.load(weights_file("nnue-states"))
        model = ChangeModel.load(weights_file("nnue"))
        return cls(expert, states, model, NnueSource())

    def score(self, before: Sequence[str], after: Sequence[str]) -> Scores:
        """Return concepts and changes; the sizes that the model predicts rank."""
        changes, sizes = self.model.predict(self.source, before, after)
        state = self.states.scores(read(self.expert, before))
        return Scores(state, state + changes * self.model.spread, changes, sizes)


@dataclass(frozen=True, slots=True, eq=False)
class LinearChanges:
    """``linear`` and ``paper``: linear scores say how a move changes each concept.

    Parameters
    ----------
    expert
        The network.
    states
        Vectors of the concepts, which give the level before the move: in pawns, or the paper's.
    vectors
        Vectors of the changes in standard deviations, a ridge regression on the change of the
        activations; without any, the difference of the levels is the change, as in the paper
        (CCC paper, 3.1.2).
    spread
        float32 ``(21,)``: standard deviation of each term's change, in pawns, or of each level's
        difference over moves, which gives the changes their unit and ranks nothing.
    """

    expert: Expert
    states: ConceptVectors
    vectors: ConceptVectors | None
    spread: NDArray[np.float32]

    @classmethod
    def load(cls, expert: Expert) -> LinearChanges:
        """Load the committed ridge regression."""
        states = ConceptVectors.load(weights_file("nnue-states"))
        vectors = ConceptVectors.load(weights_file("nnue-changes"))
        return cls(expert, states, vectors, _spread_of(vectors))

    @classmethod
    def of_paper(cls, expert: Expert) -> LinearChanges:
        """Load the committed support vector machines."""
        vectors = ConceptVectors.load(weights_file("nnue-svm"))
        return cls(expert, vectors, None, _spread_of(vectors))

    def score(self, before: Sequence[str], after: Sequence[str]) -> Scores:
        """Return levels and changes; the size of the change, before any unit, ranks."""
        first = read(self.expert, before)
        last = read(self.expert, after)
        start = self.states.scores(first)
        if self.vectors is None:
            end = self.states.scores(last)
            difference = end - start
            return Scores(start, end, difference / self.spread, np.abs(difference))
        changes = self.vectors.scores(last - first)
        return Scores(start, start + changes * self.spread, changes, np.abs(changes))


def _spread_of(vectors: ConceptVectors) -> NDArray[np.float32]:
    return np.array(json.loads(vectors.about["spread"]), np.float32)


_METHODS: Mapping[str, Callable[[Expert], Method]] = {
    "default": TrainedChanges.load,
    "linear": LinearChanges.load,
    "paper": LinearChanges.of_paper,
}


@cache
def load_method(method: str = "default") -> Method:
    """Load the committed weights of a method, which read NNUE; they stay loaded.

    Raises
    ------
    ValueError
        If there is no such method, or its weights are not there.
    """
    if method not in _METHODS:
        raise ValueError(f"no method {method!r}; choose one of {', '.join(_METHODS)}")
    return _METHODS[method](load_expert("nnue"))


def weights_file(name: str) -> Path:
    """Return the committed weights of that name.

    Raises
    ------
    ValueError
        If they are not there; the message says what makes them.
    """
    path = data_file(f"priority/{name}.safetensors")
    if not path.is_file():
        raise ValueError(
            f"{path} is missing; make it with: python data/priority/train.py"
        )
    return path


def prioritise(
    position: str | Position, move: str, *, method: MethodName = "default"
) -> Priorities:
    """Rank the 21 concepts by how much a move changes them.

    Parameters
    ----------
    position
        FEN or record of the position before the move.
    move
        The move in SAN (with or without its number) or UCI.
    method
        ``default``, ``linear`` or ``paper``.

    Raises
    ------
    PositionError, MoveError
        If the position or the move is none; the message names it.
    ValueError
        If there is no such method, or its weights are not there.
    """
    start = read_fen(position) if isinstance(position, str) else position
    played = read_move(start, move)
    scores = load_method(method).score([start.fen], [played.after().fen])
    order = np.argsort(-scores.priority[0], kind="stable")
    before, after, changes, _ = (each[0].tolist() for each in scores)
    ranked = (
        ConceptChange(
            *concept_and_side(TERMS[k]), before[k], after[k], changes[k], rank
        )
        for rank, k in enumerate(order, start=1)
    )
    return Priorities(played, method, tuple(ranked))
