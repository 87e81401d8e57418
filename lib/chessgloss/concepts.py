"""Concept vectors: linear SVMs between the two tails of a term (CCC paper, 3.1.1).

All here is arrays: rows are positions, columns are features of an expert or terms of the
oracle. Which position belongs to which game, and which game to which part, comes from the
caller; nothing is split here by row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from safetensors.numpy import save_file
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import LinearSVC

Floats = NDArray[np.floating]

#: Fits standardised rows and labels with a given C and seed: normal vector and bias.
Solver: TypeAlias = Callable[..., tuple[Floats, float]]

#: Share of the positions in each tail (CCC paper, 3.1.1).
TAIL_SHARE = 0.05

#: Terms in total, seen by White; every other term belongs to a side.
TOTAL_TERMS = ("Material", "Imbalance", "Pawns")


@dataclass(frozen=True, slots=True, eq=False)
class Tails:
    """The two tails of a term: rows that count as negative and as positive.

    Parameters
    ----------
    rows
        Shape ``(m,)``: row numbers, ascending.
    positive
        Shape ``(m,)``: whether the row lies in the upper tail.
    distinct
        Distinct values of the term in the lower and in the upper tail.
    drawn
        Rows of the lower and of the upper tail that a draw among equals put there.
    """

    rows: NDArray[np.int64]
    positive: NDArray[np.bool_]
    distinct: tuple[int, int]
    drawn: tuple[int, int]


def cut_tails(values: ArrayLike, *, seed: int, share: float = TAIL_SHARE) -> Tails:
    """Cut the lowest and the highest ``share`` of the values; ties at a cut go by lot.

    Parameters
    ----------
    values
        Shape ``(n,)``: a term's value at each position, finite.
    seed
        Seed of the lot among equal values.

    Raises
    ------
    ValueError
        If a tail would be empty, or all values are equal.
    """
    term = np.asarray(values, dtype=float)
    size = int(term.size * share)
    if size < 1 or not np.isfinite(term).all() or term.min() == term.max():
        raise ValueError(f"cannot cut tails of {share:.0%} from {term.size} values")
    lot = np.random.default_rng(seed).permutation(term.size)
    order = lot[np.argsort(term[lot], kind="stable")]
    low, high = order[:size], order[-size:]
    rows = np.concatenate([low, high])
    positive = np.repeat([False, True], size)
    ascending = np.argsort(rows, kind="stable")
    return Tails(
        rows[ascending],
        positive[ascending],
        (np.unique(term[low]).size, np.unique(term[high]).size),
        (_drawn(term, low, term[low].max()), _drawn(term, high, term[high].min())),
    )


def own_terms(terms: Sequence[str]) -> tuple[str, ...]:
    """Return the terms' names as the side to move sees them: ``Own Knights``, ``Material``."""
    return tuple(name.replace("White ", "Own ").replace("Black ", "Opponent ") for name in terms)


def turn_terms(values: ArrayLike, terms: Sequence[str], white_to_move: ArrayLike) -> Floats:
    """Turn White's and Black's terms into own and opponent's, or back: it undoes itself.

    Where Black is to move, each pair of columns ``White X`` and ``Black X`` changes places
    and a total changes its sign. A network that sees the board from the side to move can
    only know a term as its own or its opponent's.

    Parameters
    ----------
    values
        Shape ``(n, k)``: terms, or scores of terms.
    terms
        The ``k`` names, as in the CCC paper's Table 6.
    white_to_move
        Shape ``(n,)``.
    """
    turned = np.array(values, copy=True)
    black = ~np.asarray(white_to_move, dtype=bool)
    turned[black] = turned[black][:, _partners(terms)] * _signs(terms)
    return turned


@dataclass(frozen=True, slots=True, eq=False)
class ConceptVectors:
    """A linear score for each of ``k`` concepts on ``d`` features.

    Parameters
    ----------
    names
        The concepts, as long as the rows of ``weights``.
    weights
        Shape ``(k, d)``, float32: for features as the expert gives them (the
        standardisation is folded in).
    biases
        Shape ``(k,)``, float32.
    about
        Where they come from: expert, layer, oracle, data hash, seed, C, versions.
    """

    names: tuple[str, ...]
    weights: NDArray[np.float32]
    biases: NDArray[np.float32]
    about: Mapping[str, str]

    def __post_init__(self) -> None:
        if self.weights.shape[:1] != self.biases.shape or len(self.names) != len(self.biases):
            raise ValueError(
                f"{len(self.names)} names need as many weights and biases, "
                f"got {self.weights.shape} and {self.biases.shape}"
            )

    def scores(self, activations: ArrayLike) -> NDArray[np.float32]:
        """Return the concept scores, shape ``(n, k)``: positive on the positive side.

        The unit is the SVM's margin: 1 lies on the edge of the positive class.
        """
        return np.asarray(activations, np.float32) @ self.weights.T + self.biases

    def directions(self) -> NDArray[np.float32]:
        """Return the vectors with length 1, shape ``(k, d)``."""
        return self.weights / np.linalg.norm(self.weights, axis=1, keepdims=True)

    def save(self, path: Path) -> Path:
        """Write a safetensors file whose header says where the vectors come from."""
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(".part")
        header = {**self.about, "names": json.dumps(self.names)}
        save_file({"weights": self.weights, "biases": self.biases}, aside, header)
        aside.rename(path)
        return path

    @classmethod
    def load(cls, path: Path) -> ConceptVectors:
        """Read a file that :meth:`save` wrote.

        Raises
        ------
        ValueError
            If the file holds no concept vectors.
        """
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="np") as file:
                about = dict(file.metadata() or {})
                names = tuple(json.loads(about.pop("names")))
                return cls(names, file.get_tensor("weights"), file.get_tensor("biases"), about)
        except (KeyError, SafetensorError) as error:
            raise ValueError(f"{path} holds no concept vectors: {error}") from None


@dataclass(frozen=True, slots=True, eq=False)
class Standard:
    """Mean and spread of each feature over some rows: what makes features comparable."""

    mean: NDArray[np.float32]
    spread: NDArray[np.float32]

    @classmethod
    def of(cls, activations: NDArray[np.float32]) -> Standard:
        """Measure the features of ``(n, d)`` rows; a constant feature gets spread 1."""
        spread = activations.std(axis=0, dtype=np.float64)
        spread[spread < 1e-6] = 1.0
        mean = activations.mean(axis=0, dtype=np.float64)
        return cls(mean.astype(np.float32), spread.astype(np.float32))

    def apply(self, activations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the rows standardised, a new array."""
        return (activations - self.mean) / self.spread

    def fold(self, weights: Floats, bias: float) -> tuple[NDArray[np.float32], np.float32]:
        """Turn a score on standardised features into one on features as they come."""
        raw = weights / self.spread
        return raw.astype(np.float32), np.float32(bias - raw @ self.mean)


def fit_svm(
    features: NDArray[np.float32], positive: NDArray[np.bool_], *, c: float, seed: int
) -> tuple[Floats, float]:
    """Fit one linear SVM with hinge loss; return its normal vector ``(d,)`` and its bias.

    scikit-learn's ``LinearSVC`` in its dual form, to a coarse tolerance and with at most
    100 passes over the rows: a finer one moves held-out accuracy by less than 0.001 and
    takes three times as long, and labels that no plane separates cannot hold it up.
    """
    svm = LinearSVC(loss="hinge", C=c, dual=True, max_iter=100, tol=0.1, random_state=seed)
    svm.fit(features, positive)
    return svm.coef_[0], float(svm.intercept_[0])


def fit_logistic(
    features: NDArray[np.float32], positive: NDArray[np.bool_], *, c: float, seed: int
) -> tuple[Floats, float]:
    """Fit a logistic regression in place of the SVM; arguments and answer as :func:`fit_svm`."""
    model = LogisticRegression(C=c, max_iter=200, tol=1e-3, random_state=seed)
    model.fit(features, positive)
    return model.coef_[0], float(model.intercept_[0])


def fit_ridge(
    features: NDArray[np.float32], positive: NDArray[np.bool_], *, c: float, seed: int
) -> tuple[Floats, float]:
    """Fit a ridge classifier in place of the SVM; arguments and answer as :func:`fit_svm`."""
    model = RidgeClassifier(alpha=1 / c, random_state=seed).fit(features, positive)
    return model.coef_.reshape(-1), float(np.ravel(model.intercept_)[0])


#: Linear probes by name; the paper's is the SVM.
SOLVERS: Mapping[str, Solver] = {"svm": fit_svm, "logistic": fit_logistic, "ridge": fit_ridge}


def random_directions(count: int, width: int, *, seed: int) -> NDArray[np.float32]:
    """Draw directions evenly over the sphere: ``(count, width)``, each of length 1."""
    drawn = np.random.default_rng(seed).normal(size=(count, width))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def _drawn(term: Floats, tail: NDArray[np.int64], edge: float) -> int:
    inside, everywhere = (term[tail] == edge).sum(), (term == edge).sum()
    return int(inside) if everywhere > inside else 0


def _partners(terms: Sequence[str]) -> list[int]:
    swapped = {"White": "Black", "Black": "White"}
    places = {name: place for place, name in enumerate(terms)}
    names = [" ".join([swapped.get(word, word) for word in name.split(" ")]) for name in terms]
    missing = [name for name in names if name not in places]
    if missing:
        raise ValueError(f"terms must come in pairs of White and Black; missing: {missing}")
    return [places[name] for name in names]


def _signs(terms: Sequence[str]) -> NDArray[np.int64]:
    sided = [name.split(" ")[0] in ("White", "Black") for name in terms]
    return np.where(sided, 1, -1)
