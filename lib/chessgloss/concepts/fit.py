"""Concept vectors: a linear score for each concept, fitted between two classes of positions.

For a term of the oracle the classes are the two tails of its values (CCC paper, 3.1.1); for a
fact of the board they are pairs of positions with and without it (``chessgloss.facts``). One
function fits both. All here is arrays: rows are positions, columns are features of an expert or
terms.
Which game belongs to which part comes from the caller; nothing is split here by row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.svm import LinearSVC

from chessgloss.concepts.vectors import ConceptVectors, Floats
from chessgloss.scores import TERMS

if TYPE_CHECKING:
    from chessgloss.concepts.changes import TermChanges

#: Share of the positions in each tail (CCC paper, 3.1.1).
TAIL_SHARE = 0.05

#: C of the support vector machines: the choice of the chapter on concept vectors.
SVM_C = 1e-3

#: Training rows, at most, from which the features' means and spreads are taken.
_STANDARD_ROWS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Positions with their terms, their games and the part each game belongs to.

    Parameters
    ----------
    terms
        Names of the ``k`` terms.
    values
        Shape ``(n, k)``: the oracle's values in pawns, seen as the features see the board; or
        for facts 1 and 0.
    games
        Shape ``(n,)``: a number for each game.
    splits
        Shape ``(n,)``: ``train``, ``validation`` or ``test``, the same within a game.
    """

    terms: tuple[str, ...]
    values: NDArray[np.float32]
    games: NDArray[np.int32]
    splits: NDArray[np.str_]

    def __post_init__(self) -> None:
        if (pd.Series(self.splits).groupby(self.games).nunique() > 1).any():
            raise ValueError("a game lies in two parts; split by game, never by row")

    def __len__(self) -> int:
        return len(self.games)

    def take(self, rows: NDArray) -> Labelled:
        """Return some rows (numbers or a mask)."""
        return Labelled(
            self.terms, self.values[rows], self.games[rows], self.splits[rows]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tails:
    """The positions that a concept is fitted and tested on: row numbers and labels, ``(m,)``."""

    rows: NDArray[np.int64]
    positive: NDArray[np.bool_]

    def take(self, mask: NDArray[np.bool_]) -> Tails:
        """Return some of the rows."""
        return Tails(self.rows[mask], self.positive[mask])


def cut_tails(values: ArrayLike, *, seed: int, share: float = TAIL_SHARE) -> Tails:
    """Cut the lowest and the highest ``share`` of the values; ties at a cut are broken at random.

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
    rows = np.concatenate([order[:size], order[-size:]])
    ascending = np.argsort(rows, kind="stable")
    return Tails(rows[ascending], np.repeat([False, True], size)[ascending])


def turn_terms(
    values: ArrayLike, terms: Sequence[str], white_to_move: ArrayLike
) -> Floats:
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

    Raises
    ------
    ValueError
        If White's term has no partner of Black's, or the other way round.
    """
    sides = {"White": "Black", "Black": "White"}
    partners = [
        " ".join(sides.get(word, word) for word in name.split(" ")) for name in terms
    ]
    signs = np.where([name.split(" ")[0] in sides for name in terms], 1, -1)
    turned = np.array(values, copy=True)
    black = ~np.asarray(white_to_move, dtype=bool)
    turned[black] = (
        turned[black][:, [list(terms).index(name) for name in partners]] * signs
    )
    return turned


@dataclass(frozen=True, slots=True, eq=False)
class Standard:
    """Mean and spread of each feature over some rows: what makes features comparable."""

    mean: NDArray[np.float32]
    spread: NDArray[np.float32]

    @classmethod
    def of(cls, rows: NDArray[np.float32]) -> Standard:
        """Measure the features of ``(n, d)`` rows; a constant feature gets spread 1."""
        spread = rows.std(axis=0, dtype=np.float64)
        spread[spread < 1e-6] = 1.0
        return cls(
            rows.mean(axis=0, dtype=np.float64).astype(np.float32), spread.astype("f4")
        )

    def apply(self, rows: ArrayLike) -> NDArray[np.float32]:
        """Return the rows standardised, a new array."""
        return (np.asarray(rows, np.float32) - self.mean) / self.spread

    def fold(self, weights: Floats, biases: Any) -> tuple[Floats, Floats]:
        """Turn scores on standardised features into scores on features as they come."""
        raw = (weights / self.spread).astype(np.float32)
        return raw, np.asarray(biases - raw @ self.mean, np.float32)


def linear_svm(c: float, seed: int) -> LinearSVC:
    """Return the linear support vector machine with hinge loss, to be fitted.

    In its dual form, to a coarse tolerance and with at most 100 passes over the rows: a finer
    one moves held-out accuracy by less than 0.001 and takes three times as long, and labels
    that no plane separates cannot hold it up.
    """
    return LinearSVC(
        loss="hinge", C=c, dual=True, max_iter=100, tol=0.1, random_state=seed
    )


#: Makes a linear probe of a given C (and seed).
Probe: TypeAlias = Callable[..., Any]

#: Linear probes by name; the paper's is the SVM.
SOLVERS: Mapping[str, Probe] = {
    "svm": linear_svm,
    "logistic": lambda c, seed: LogisticRegression(
        C=c, max_iter=200, tol=1e-3, random_state=seed
    ),
    "ridge": lambda c, seed: RidgeClassifier(alpha=1 / c, random_state=seed),
}


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Concept vectors with the choices behind them.

    Parameters
    ----------
    vectors
        The vectors, on features as the expert gives them.
    tails
        The positions each was fitted on, as row numbers of the labelled positions.
    c
        The C chosen for each on validation games.
    """

    vectors: ConceptVectors
    tails: tuple[Tails, ...]
    c: tuple[float, ...]


def fit_concepts(
    features: NDArray,
    labelled: Labelled,
    *,
    tails: Sequence[Tails] | None = None,
    cs: Sequence[float] | Sequence[Sequence[float]],
    seed: int,
    jobs: int = 2,
    shuffle: bool = False,
    solver: str = "svm",
) -> Fitted:
    """Fit a vector for each concept on training games, with C chosen on validation games.

    Parameters
    ----------
    features
        Shape ``(n, d)``: activations of the labelled positions, any float or integer type.
    labelled
        The positions' terms, games and parts.
    tails
        The positions of each concept's two classes; cut from the terms' values if not given.
    cs
        Values of C to choose from, for all concepts or a sequence for each; with one value
        nothing is chosen.
    seed
        Seed of the lot among ties, of the solver and of shuffled labels.
    jobs
        Processes. Threads would not do: the solver draws its order of rows from a generator
        that all threads of a process share, and no run would give the same numbers again.
    shuffle
        Fit on labels shuffled among the training rows: the control of selectivity
        (Hewitt and Liang, 2019).
    solver
        One of :data:`SOLVERS`.
    """
    known = np.flatnonzero(labelled.splits == "train")
    some = known[:: max(1, len(known) // _STANDARD_ROWS)]
    standard = Standard.of(np.asarray(features[some], np.float32))
    tails = (
        [cut_tails(term, seed=seed) for term in labelled.values.T]
        if tails is None
        else tails
    )
    probe = partial(SOLVERS[solver], seed=seed)
    tasks = []
    for k, its in enumerate(tails):
        parts = labelled.splits[its.rows]
        train, check = (its.take(parts == part) for part in ("train", "validation"))
        if shuffle:
            random = np.random.default_rng(seed)
            train = replace(train, positive=random.permutation(train.positive))
        of_concept = cs if isinstance(cs[0], float) else cs[k]
        tasks.append(
            delayed(_fit_concept)(features, standard, train, check, of_concept, probe)
        )
    weights, biases, chosen = zip(*Parallel(n_jobs=jobs)(tasks), strict=True)
    vectors = ConceptVectors(
        labelled.terms, np.stack(weights), np.array(biases, np.float32), {}
    )
    return Fitted(vectors, tuple(tails), chosen)


def _fit_concept(
    features: NDArray,
    standard: Standard,
    train: Tails,
    check: Tails,
    cs: Any,
    probe: Probe,
) -> tuple[Floats, Floats, float]:
    rows = standard.apply(features[train.rows])
    models = {c: probe(c).fit(rows, train.positive) for c in cs}
    planes = {
        c: (np.ravel(m.coef_), float(np.ravel(m.intercept_)[0]))
        for c, m in models.items()
    }
    best = cs[0]
    if len(cs) > 1:
        unseen = standard.apply(features[check.rows])
        right = {
            c: ((unseen @ w + b > 0) == check.positive).mean()
            for c, (w, b) in planes.items()
        }
        best = max(cs, key=lambda c: right[c])
    return (*standard.fold(*planes[best]), best)


def fit_ridge(
    features: NDArray, targets: Floats, names: Sequence[str], *, alpha: float
) -> ConceptVectors:
    """Fit one linear score a term over the whole range of its values, not only its tails.

    Parameters
    ----------
    features
        Shape ``(n, d)``: activations of positions, or their changes.
    targets
        Shape ``(n, k)``: terms, or their changes; their unit is that of the scores.
    names
        The ``k`` terms.
    alpha
        Weight of the squared norm of the weights on standardised features.
    """
    rows = np.asarray(features, np.float32)
    standard = Standard.of(rows)
    ridge = Ridge(alpha=alpha, solver="cholesky", copy_X=False)
    ridge.fit(standard.apply(rows), np.asarray(targets, np.float32))
    return ConceptVectors(
        tuple(names), *standard.fold(ridge.coef_, ridge.intercept_), {}
    )


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
