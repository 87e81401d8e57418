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
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save
from torch import nn

from chessgloss.concepts import fit
from chessgloss.concepts.changes import Priorities, TermChanges, move_keys
from chessgloss.concepts.fit import (
    ConceptVectors,
    Floats,
    Labelled,
    fit_concepts,
    fit_ridge,
)
from chessgloss.experts import Expert, joined_activations, load_expert
from chessgloss.experts.boards import read_boards
from chessgloss.experts.nnue import ACCUMULATORS, ONE, multiply_pairs
from chessgloss.facts.change import ConceptChange, concept_and_side
from chessgloss.oracle import TERMS
from chessgloss.positions import Position, read_fen, read_move
from chessgloss.store import data_file, default_store, read_tensors, write_tensors

if TYPE_CHECKING:
    import pandas as pd

MethodName = Literal["default", "linear", "paper"]

#: C of the support vector machines: the choice of the chapter on concept vectors.
SVM_C = 1e-3

_PAIRS = ACCUMULATORS // 2
_ONE_HOT = 12 * 64
_TOTALS = 3
_ANSWERS = _TOTALS + (len(TERMS) - _TOTALS) // 2


# ---------------------------------------------------------------- what a model sees of a move


class NnueSource:
    """Features from NNUE's sums and what the network makes of them, and nothing else.

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

    def features(self, before: NDArray, after: NDArray) -> torch.Tensor:
        """Return the features of moves, float32 ``(n, 2, 4096)``, from what was read."""
        first, last = (
            torch.from_numpy(side.astype(np.float32)) for side in (before, after)
        )
        clipped = first.clamp(0, ONE)
        later = last.clamp(0, ONE)
        pairs = multiply_pairs(clipped)
        later_pairs = multiply_pairs(later)
        parts = [last - first, later - clipped, later_pairs - pairs, clipped, pairs]
        return torch.cat(parts, dim=-1).div_(ONE)


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

    def features(self, before: NDArray, after: NDArray) -> torch.Tensor:
        """Return the features of moves, float32 ``(n, 2, 1536)``, from what was read."""
        kinds = torch.arange(1, 13, dtype=torch.uint8)[:, None]
        first, last = (
            (torch.from_numpy(codes)[:, :, None, :] == kinds).float().flatten(2)
            for codes in (before, after)
        )
        return torch.cat([last - first, first], dim=-1)


Source: TypeAlias = NnueSource | BoardSource

#: Where a model's features come from, by name: a network, or the bare board as its control.
SOURCES: Mapping[str, Callable[[], Source]] = {
    "nnue": NnueSource,
    "onehot": BoardSource,
}


# ---------------------------------------------------------------- a model of changes


class TwoViews(nn.Module):
    """A linear layer on two views that treats both sides alike.

    With ``s`` the sum and ``d`` the difference of the two views, one side's answer is
    ``P s + Q d`` and the other's ``P s - Q d``: exchanging the views exchanges the answers,
    at half the cost of applying one matrix to both orders.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.common = nn.Linear(width, hidden)
        self.difference = nn.Linear(width, hidden, bias=False)

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Map ``(n, 2, width)`` to ``(n, 2, hidden)``."""
        first, second = views.unbind(dim=1)
        common = self.common(first + second)
        difference = self.difference(first - second)
        return torch.stack([common + difference, common - difference], dim=1)


class ChangeNetwork(nn.Module):
    """Two views in, two numbers a term out: the signed root of its change, the root of its size.

    The second ranks: a term may be sure to change a lot in a direction that is hard to tell.
    Roots keep the rare large changes from drowning the rest.

    Parameters
    ----------
    width
        Features a view.
    hidden, trunk
        Units of the first layer and of the second.
    """

    def __init__(self, width: int, hidden: int = 512, trunk: int = 256) -> None:
        super().__init__()
        self.sizes = (width, hidden, trunk)
        self.views = TwoViews(width, hidden)
        self.trunk = nn.Linear(hidden, trunk)
        self.heads = nn.Linear(trunk, 2 * _ANSWERS)

    def forward(self, views: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return signed roots of changes and roots of sizes, ``(n, 21)``, as in ``TERMS``."""
        hidden = torch.relu(self.views(views))
        answers = self.heads(torch.relu(self.trunk(hidden)))
        signed, size = answers.unflatten(-1, (2, _ANSWERS)).unbind(dim=2)
        return _by_term(signed, -1), _by_term(size, 1)


def _by_term(sides: torch.Tensor, sign: int) -> torch.Tensor:
    """Lay out ``(n, 2, 12)`` as ``(n, 21)``: totals from both views, then White, Black, White...

    A total seen by Black is the same with the other sign; its size is the same.
    """
    white, black = sides.unbind(dim=1)
    totals = (white[:, :_TOTALS] + sign * black[:, :_TOTALS]) / 2
    pairs = torch.stack([white[:, _TOTALS:], black[:, _TOTALS:]], dim=-1)
    return torch.cat([totals, pairs.flatten(1)], dim=-1)


@dataclass(frozen=True, slots=True, eq=False)
class ChangeModel:
    """A trained network with the units of its answers.

    Parameters
    ----------
    network
        The network.
    spread
        float32 ``(21,)``: standard deviation of each term's change over training moves, in
        pawns: the unit of every predicted change.
    about
        Where it comes from: source of the features, oracle, data hash, seed, settings.
    """

    network: ChangeNetwork
    spread: NDArray[np.float32]
    about: Mapping[str, str]

    @torch.inference_mode()
    def predict(
        self,
        source: Source,
        before: Sequence[str],
        after: Sequence[str],
        *,
        batch: int = 1024,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return changes and what ranks them, float32 ``(n, 21)`` each.

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
            answers.append(self.network(source.features(*around)))
        signed, sizes = (torch.cat(parts) for parts in zip(*answers, strict=True))
        return (signed * signed.abs()).numpy(), sizes.numpy()

    def save(self, path: Path) -> Path:
        """Write a safetensors file in half precision, with sizes and origin in its header."""
        weights = self.network.state_dict().items()
        arrays = {name: each.half().numpy() for name, each in weights}
        header = {**self.about, "sizes": json.dumps(self.network.sizes)}
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
        network = ChangeNetwork(*json.loads(about.pop("sizes")))
        spread = arrays.pop("spread")
        weights = {
            name: torch.from_numpy(each).float() for name, each in arrays.items()
        }
        network.load_state_dict(weights)
        return cls(network.eval(), spread.astype(np.float32), about)


def read_answers(name: str, moves: pd.DataFrame) -> dict[str, NDArray[np.float32]]:
    """Return what models answered about moves once, by model or kind of answer.

    Parameters
    ----------
    name
        Of the file in ``data/priority``: ``curve``, ``onehot-answers``.
    moves
        As :func:`.changes.sample_moves` draws them.

    Returns
    -------
    dict
        float32 ``(n, 21)`` each, NaN in the row of a move that was not asked about. Where only the
        first terms are kept, these have falling scores and all others zero.
    """
    kept, _ = read_tensors(weights_file(name))
    place = {key: row for row, key in enumerate(kept.pop("moves").tolist())}
    rows = np.array([place.get(key, -1) for key in move_keys(moves).tolist()], int)
    found = {}
    for part, values in kept.items():
        scores = np.full((len(moves), len(TERMS)), np.nan, np.float32)
        asked = values[rows[rows >= 0]]
        if values.shape[1] < len(TERMS):
            first = asked.astype(int)
            asked = np.zeros((len(first), len(TERMS)))
            falling = np.arange(float(first.shape[1]), 0, -1)
            np.put_along_axis(asked, first, falling[None], axis=1)
        scores[rows >= 0] = asked
        found[part] = scores
    return found


def ask_control(
    moves: pd.DataFrame,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return changes and ranking by the control, the same model on the bare board.

    Its weights are not committed: what it answered once is read. A move that it was not asked about
    has NaN, unless ``data/priority/train.py onehot`` left the weights on this machine.

    Parameters
    ----------
    moves
        As :func:`.changes.sample_moves` draws them.
    """
    kept = read_answers("onehot-answers", moves)
    signed, ranks = kept["changes"], kept["first"]
    new = np.isnan(ranks).any(axis=1)
    if new.any() and control_weights().is_file():
        model = ChangeModel.load(control_weights())
        around = (moves[side][new].tolist() for side in ("before", "after"))
        signed[new], ranks[new] = model.predict(BoardSource(), *around)
    return signed, ranks


def control_weights() -> Path:
    """Return where the weights of the control lie once they are trained: beside the store."""
    return default_store().root.parent / "priority" / "onehot.safetensors"


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
        """Return what the method says of ``n`` moves, from FENs around them, length ``n``."""


def read(expert: Expert, fens: Sequence[str]) -> NDArray[np.float32]:
    """Return the expert's activations at :data:`.fit.LAYERS`, float32 ``(n, d)``."""
    return joined_activations(expert, fens, fit.LAYERS, dtype=np.float32)


def labelled_before(moves: TermChanges) -> Labelled:
    """Return the positions before moves with their terms, games and parts."""
    games = moves.moves["game"].to_numpy(np.int32)
    splits = moves.moves["split"].to_numpy(str)
    return Labelled(TERMS, moves.before, games, splits)


def fit_linear(
    before: Floats, after: Floats, moves: TermChanges, *, penalty: float, seed: int
) -> dict[str, ConceptVectors]:
    """Fit all linear scores that ranking needs, on one set of training moves.

    Parameters
    ----------
    before, after
        float32 ``(n, d)``: activations around the moves.
    moves
        The moves with their terms.
    penalty
        Of the ridge regressions, in units of ``n`` (of the mean squared error).
    seed
        Of the vector machines' lot among ties.

    Returns
    -------
    dict
        ``svm``, the paper's vectors, between the tails of each term; ``states``, a ridge
        regression of the terms in pawns; ``changes``, one of their changes in standard
        deviations on the change of the activations.
    """
    alpha = penalty * len(moves)
    truth = moves.changes / moves.spread()
    return {
        "svm": fit_concepts(
            before, labelled_before(moves), cs=(SVM_C,), seed=seed
        ).vectors,
        "states": fit_ridge(before, moves.before, TERMS, alpha=alpha),
        "changes": fit_ridge(after - before, truth, TERMS, alpha=alpha),
    }


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
    """``linear``: a ridge regression of the changes on the change of the activations.

    Parameters
    ----------
    expert
        The network.
    states
        Vectors of the concepts in pawns, which give the level before the move.
    vectors
        Vectors of the changes in standard deviations.
    spread
        float32 ``(21,)``: standard deviation of each term's change, in pawns.
    """

    expert: Expert
    states: ConceptVectors
    vectors: ConceptVectors
    spread: NDArray[np.float32]

    @classmethod
    def load(cls, expert: Expert) -> LinearChanges:
        """Load the committed weights."""
        states = ConceptVectors.load(weights_file("nnue-states"))
        vectors = ConceptVectors.load(weights_file("nnue-changes"))
        return cls(expert, states, vectors, _spread_of(vectors))

    def score(self, before: Sequence[str], after: Sequence[str]) -> Scores:
        """Return concepts and changes; the size of the change ranks."""
        first = read(self.expert, before)
        last = read(self.expert, after)
        state = self.states.scores(first)
        changes = self.vectors.scores(last - first)
        return Scores(state, state + changes * self.spread, changes, np.abs(changes))


@dataclass(frozen=True, slots=True, eq=False)
class ScoreDifferences:
    """``paper``: the difference of support vector machines' scores (CCC paper, 3.1.2).

    Parameters
    ----------
    expert
        The network.
    vectors
        The paper's vectors, one a concept.
    spread
        float32 ``(21,)``: standard deviation of each score's difference over moves, which gives
        the changes their unit and ranks nothing.
    """

    expert: Expert
    vectors: ConceptVectors
    spread: NDArray[np.float32]

    @classmethod
    def load(cls, expert: Expert) -> ScoreDifferences:
        """Load the committed weights."""
        vectors = ConceptVectors.load(weights_file("nnue-svm"))
        return cls(expert, vectors, _spread_of(vectors))

    def score(self, before: Sequence[str], after: Sequence[str]) -> Scores:
        """Return scores and their differences; the size of the difference ranks."""
        start = self.vectors.scores(read(self.expert, before))
        end = self.vectors.scores(read(self.expert, after))
        difference = end - start
        return Scores(start, end, difference / self.spread, np.abs(difference))


def _spread_of(vectors: ConceptVectors) -> NDArray[np.float32]:
    return np.array(json.loads(vectors.about["spread"]), np.float32)


_METHODS: Mapping[str, Callable[[Expert], Method]] = {
    "default": TrainedChanges.load,
    "linear": LinearChanges.load,
    "paper": ScoreDifferences.load,
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
