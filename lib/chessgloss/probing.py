"""Probes and their controls: fit concepts, test them on held-out games, doubt the result.

A probe's accuracy on the two tails of a term says little by itself: a linear probe on the
bare board reaches more than the CCC paper's network. What counts is what a network adds
over the board, on the same rows, with the same tuning; this module measures that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

from chessgloss.concepts import SOLVERS, ConceptVectors, Solver, Standard, Tails, cut_tails

Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Positions with their terms, their games and the part each game belongs to.

    Parameters
    ----------
    terms
        Names of the ``k`` terms.
    values
        Shape ``(n, k)``: the oracle's values in pawns, seen as the features see the board.
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
        if self.values.shape != (len(self.games), len(self.terms)):
            raise ValueError(
                f"values {self.values.shape} need one row a position and one column a term"
            )
        split_of_game = dict(zip(self.games.tolist(), self.splits.tolist(), strict=True))
        if any(
            split_of_game[game] != part
            for game, part in zip(self.games.tolist(), self.splits, strict=True)
        ):
            raise ValueError("a game lies in two parts; split by game, never by row")

    def __len__(self) -> int:
        return len(self.games)

    def take(self, rows: NDArray) -> Labelled:
        """Return some rows (numbers or a mask)."""
        return replace(
            self, values=self.values[rows], games=self.games[rows], splits=self.splits[rows]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Concept vectors with the choices behind them.

    Parameters
    ----------
    vectors
        The vectors, on features as the expert gives them.
    tails
        The tails each was fitted on, as row numbers of the labelled positions.
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
    cs: Sequence[float] | Sequence[Sequence[float]],
    seed: int,
    jobs: int = 2,
    shuffle: bool = False,
    solver: str = "svm",
) -> Fitted:
    """Fit a vector for each term on training games, with C chosen on validation games.

    Parameters
    ----------
    features
        Shape ``(n, d)``: activations of the labelled positions, any float or integer type.
    labelled
        The positions' terms, games and parts.
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
        One of :data:`chessgloss.concepts.SOLVERS`.
    """
    train = np.flatnonzero(labelled.splits == "train")
    standard = Standard.of(np.asarray(features[train[:: max(1, len(train) // 20_000)]], np.float32))
    tails = [cut_tails(column, seed=seed) for column in labelled.values.T]
    each = [cs if isinstance(cs[0], float) else cs[k] for k in range(len(tails))]
    jobs_of = (
        delayed(_fit_one)(
            features, standard, labelled.splits, one, its, seed, shuffle, SOLVERS[solver]
        )
        for one, its in zip(tails, each, strict=True)
    )
    fits = Parallel(n_jobs=jobs)(jobs_of)
    weights, biases, chosen = zip(*fits, strict=True)
    vectors = ConceptVectors(labelled.terms, np.stack(weights), np.array(biases, np.float32), {})
    return Fitted(vectors, tuple(tails), chosen)


def fit_regression(
    features: NDArray, labelled: Labelled, *, alphas: Sequence[float], seed: int
) -> Fitted:
    """Fit every term by ridge regression on all training positions, not only its tails.

    The control for what an SVM between the tails leaves unsaid: the scores are values in
    pawns. The one penalty for all terms is chosen on validation games.

    Parameters
    ----------
    features, labelled, seed
        As for :func:`fit_concepts`.
    alphas
        Penalties to choose from.
    """
    train, validation = (
        np.flatnonzero(labelled.splits == part) for part in ("train", "validation")
    )
    rows, unseen = (np.asarray(features[part], np.float32) for part in (train, validation))
    standard = Standard.of(rows)
    rows, unseen = standard.apply(rows), standard.apply(unseen)
    values = labelled.values[train].astype(np.float32)
    models = [Ridge(alpha=alpha, solver="cholesky").fit(rows, values) for alpha in alphas]
    best = max(models, key=lambda model: model.score(unseen, labelled.values[validation]))
    folded = [standard.fold(*pair) for pair in zip(best.coef_, best.intercept_, strict=True)]
    weights, biases = (np.array(part, np.float32) for part in zip(*folded, strict=True))
    tails = tuple(cut_tails(column, seed=seed) for column in labelled.values.T)
    vectors = ConceptVectors(labelled.terms, weights, biases, {})
    return Fitted(vectors, tails, (best.alpha,) * len(tails))


def matched_pairs(
    labelled: Labelled, tails: Tails, concept: int, signatures: NDArray, part: str = "test"
) -> NDArray[np.int64]:
    """Pair positives and negatives that differ in the concept and in little else.

    Each positive row of the part meets the unused negative row with the same material
    that is nearest in the other terms (each in units of its own spread).

    Parameters
    ----------
    signatures
        Shape ``(n,)``: equal for positions with equal material on both sides.

    Returns
    -------
    ndarray
        Shape ``(pairs, 2)``: row numbers of a positive and its negative.
    """
    spread = labelled.values.std(axis=0)
    others = [k for k, name in enumerate(labelled.terms) if k != concept and spread[k] > 0]
    place = labelled.values[:, others] / spread[others]
    here = labelled.splits[tails.rows] == part
    rows, positive = tails.rows[here], tails.positive[here]
    pairs: list[tuple[int, int]] = []
    for signature in np.unique(signatures[rows[positive]]):
        same = signatures[rows] == signature
        pairs += _nearest(place, rows[same & positive], rows[same & ~positive])
    return np.array(pairs, np.int64).reshape(-1, 2)


def few_per_game(games: NDArray[np.int32], per_game: int, *, seed: int) -> NDArray[np.int64]:
    """Return rows, ascending, of which at most ``per_game`` belong to one game, by lot."""
    lot = np.random.default_rng(seed).permutation(games.size)
    order = lot[np.argsort(games[lot], kind="stable")]
    _, first, counts = np.unique(games[order], return_index=True, return_counts=True)
    rank = np.arange(games.size) - np.repeat(first, counts)
    return np.sort(order[rank < per_game])


def by_row(labelled: Labelled, *, seed: int) -> Labelled:
    """Return the positions as if each were a game of its own, parts dealt out anew by row.

    The wrong split, for the measurement of what it hides.
    """
    random = np.random.default_rng(seed)
    alone = np.arange(len(labelled), dtype=np.int32)
    return replace(labelled, games=alone, splits=random.permutation(labelled.splits))


def restrict(fitted: Fitted, rows_of: Sequence[NDArray[np.int64]]) -> Fitted:
    """Return the same vectors with each concept's tails cut down to the given rows."""
    tails = []
    for one, rows in zip(fitted.tails, rows_of, strict=True):
        keep = np.isin(one.rows, rows)
        tails.append(replace(one, rows=one.rows[keep], positive=one.positive[keep]))
    return replace(fitted, tails=tuple(tails))


def _fit_one(
    features: NDArray,
    standard: Standard,
    splits: NDArray,
    tails: Tails,
    cs: Sequence[float],
    seed: int,
    shuffle: bool,
    solver: Solver,
) -> tuple[NDArray[np.float32], np.float32, float]:
    part = splits[tails.rows]
    train, validation = part == "train", part == "validation"
    rows = standard.apply(np.asarray(features[tails.rows[train]], np.float32))
    labels = tails.positive[train]
    if shuffle:
        labels = np.random.default_rng(seed).permutation(labels)
    fits = {c: solver(rows, labels, c=c, seed=seed) for c in cs}
    best = cs[0]
    if len(cs) > 1:
        unseen = standard.apply(np.asarray(features[tails.rows[validation]], np.float32))
        truth = tails.positive[validation]
        best = max(cs, key=lambda c: (((unseen @ fits[c][0] + fits[c][1]) > 0) == truth).mean())
    weights, bias = standard.fold(*fits[best])
    return weights, bias, best


def _nearest(place: Floats, positive: NDArray, negative: NDArray) -> list[tuple[int, int]]:
    pairs, free = [], list(negative)
    for row in positive:
        if not free:
            break
        nearest = int(np.argmin(((place[free] - place[row]) ** 2).sum(axis=1)))
        pairs.append((int(row), int(free.pop(nearest))))
    return pairs
