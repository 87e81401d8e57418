"""Probes and their controls: fit concepts, test them on held-out games, doubt the result.

A probe's accuracy on the two tails of a term says little by itself: a linear probe on the
bare board reaches more than the CCC paper's network. What counts is what a network adds
over the board, on the same rows, with the same tuning; this module measures that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from chessgloss.concepts import ConceptVectors, Standard, Tails, cut_tails, fit_svm, turn_terms
from chessgloss.measures import RESAMPLES, Interval, cluster_weights

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
class HeldOut:
    """Scores of one concept on the tail rows of games that no fit has seen.

    Parameters
    ----------
    concept
        Name of the concept.
    games, positive, scores
        Shape ``(m,)`` each: the row's game, its label, its score (positive means yes).
    """

    concept: str
    games: NDArray[np.int32]
    positive: NDArray[np.bool_]
    scores: NDArray[np.float32]

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each row falls on the right side of the plane."""
        return (self.scores > 0) == self.positive


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
    cs: Sequence[float],
    seed: int,
    jobs: int = 2,
    shuffle: bool = False,
) -> Fitted:
    """Fit a vector for each term on training games, with C chosen on validation games.

    Parameters
    ----------
    features
        Shape ``(n, d)``: activations of the labelled positions, any float or integer type.
    labelled
        The positions' terms, games and parts.
    cs
        Values of C to choose from; with one value nothing is chosen.
    seed
        Seed of the lot among ties, of the solver and of shuffled labels.
    shuffle
        Fit on labels shuffled among the training rows: the control of selectivity
        (Hewitt and Liang, 2019).
    """
    train = np.flatnonzero(labelled.splits == "train")
    standard = Standard.of(np.asarray(features[train[:: max(1, len(train) // 20_000)]], np.float32))
    tails = [cut_tails(column, seed=seed) for column in labelled.values.T]
    jobs_of = (
        delayed(_fit_one)(features, standard, labelled.splits, one, cs, seed, shuffle)
        for one in tails
    )
    fits = Parallel(n_jobs=jobs, prefer="threads")(jobs_of)
    weights, biases, chosen = zip(*fits, strict=True)
    vectors = ConceptVectors(labelled.terms, np.stack(weights), np.array(biases, np.float32), {})
    return Fitted(vectors, tuple(tails), chosen)


def held_out(
    fitted: Fitted, features: NDArray, labelled: Labelled, part: str = "test"
) -> list[HeldOut]:
    """Score the tail rows of one part of the games, one record a concept."""
    found = []
    for k, (concept, tails) in enumerate(zip(labelled.terms, fitted.tails, strict=True)):
        here = labelled.splits[tails.rows] == part
        rows, positive = tails.rows[here], tails.positive[here]
        weights, bias = fitted.vectors.weights[k], fitted.vectors.biases[k]
        scores = np.asarray(features[rows], np.float32) @ weights + bias
        found.append(HeldOut(concept, labelled.games[rows], positive, scores))
    return found


def held_out_turned(
    fitted: Fitted,
    features: NDArray,
    labelled: Labelled,
    white_to_move: NDArray[np.bool_],
    *,
    seed: int,
    part: str = "test",
) -> list[HeldOut]:
    """Score White's and Black's terms with vectors fitted on own and opponent's terms.

    Parameters
    ----------
    fitted
        Fitted on :func:`chessgloss.concepts.turn_terms` of the values.
    labelled
        The positions with White's and Black's terms, whose tails are cut here.
    white_to_move
        Shape ``(n,)``.
    seed
        Seed of the lot among ties.
    """
    found = []
    for k, concept in enumerate(labelled.terms):
        tails = cut_tails(labelled.values[:, k], seed=seed)
        here = labelled.splits[tails.rows] == part
        rows = tails.rows[here]
        own = fitted.vectors.scores(features[rows])
        scores = turn_terms(own, labelled.terms, white_to_move[rows])[:, k]
        found.append(HeldOut(concept, labelled.games[rows], tails.positive[here], scores))
    return found


def table_of(results: Iterable[HeldOut], *, seed: int) -> pd.DataFrame:
    """Return accuracy (with interval over games), precision and recall of each concept."""
    rows = {}
    for one in results:
        said, right = one.scores > 0, one.positive
        rows[one.concept] = {
            "accuracy": accuracy([one], seed=seed),
            "precision": float((said & right).sum() / max(said.sum(), 1)),
            "recall": float((said & right).sum() / max(right.sum(), 1)),
            "n": len(right),
        }
    return pd.DataFrame(rows).T


def accuracy(
    results: Sequence[HeldOut],
    minus: Sequence[HeldOut] = (),
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return the mean accuracy over concepts, or its difference to another probe's.

    Parameters
    ----------
    results, minus
        Records of the same concepts; each concept counts alike.
    seed, resamples
        Of the bootstrap. Whole games are drawn, once for all concepts and both probes, so
        that the interval of a difference is a paired one.
    """
    games, index = np.unique(
        np.concatenate([one.games for one in (*results, *minus)]), return_inverse=True
    )
    weights = cluster_weights(games.size, seed=seed, resamples=resamples)
    weights = np.vstack([np.ones(games.size, weights.dtype), weights])
    parts = np.split(index, np.cumsum([len(one.games) for one in (*results, *minus)])[:-1])
    drawn = [
        _drawn_accuracy(one, part, weights)
        for one, part in zip((*results, *minus), parts, strict=True)
    ]
    samples = np.mean(drawn[: len(results)], axis=0)
    if minus:
        samples = samples - np.mean(drawn[len(results) :], axis=0)
    low, high = np.percentile(samples[1:], [2.5, 97.5])
    value = float(samples[0])
    return Interval(value, min(float(low), value), max(float(high), value), index.size)


def full_range(
    fitted: Fitted, features: NDArray, labelled: Labelled, *, rows: NDArray[np.int64] | None = None
) -> pd.DataFrame:
    """Measure the scores on the middle 90 % of held-out positions, which no tail holds.

    Parameters
    ----------
    fitted, features, labelled
        As for :func:`held_out`.
    rows
        Rows to look at, for a set too large to score whole; all by default.

    Returns
    -------
    DataFrame
        For each concept: ``auc`` (above against below the median of the middle),
        ``spearman``, and ``r2``: the share of the term's variance that its score explains,
        with the straight line between them fitted on training games.
    """
    rows = np.arange(len(labelled)) if rows is None else rows
    scores = fitted.vectors.scores(features[rows])
    found = {}
    for k, concept in enumerate(labelled.terms):
        middle = ~np.isin(rows, fitted.tails[k].rows)
        train, test = (middle & (labelled.splits[rows] == part) for part in ("train", "test"))
        found[concept] = _range_row(scores[:, k], labelled.values[rows, k], train, test)
    return pd.DataFrame(found).T


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


def _range_row(
    score: Floats, term: Floats, train: NDArray[np.bool_], test: NDArray[np.bool_]
) -> dict[str, float]:
    slope, offset = np.polyfit(score[train].astype(float), term[train].astype(float), 1)
    seen, truth = score[test].astype(float), term[test].astype(float)
    above, varies = truth > np.median(truth), truth.var() > 0
    return {
        "auc": roc_auc_score(above, seen) if 0 < above.sum() < above.size else np.nan,
        "spearman": float(spearmanr(seen, truth).statistic) if varies else np.nan,
        "r2": 1 - float((truth - slope * seen - offset).var() / truth.var()) if varies else np.nan,
    }


def _fit_one(
    features: NDArray, standard: Standard, splits: NDArray, tails: Tails, cs: Sequence[float],
    seed: int, shuffle: bool,
) -> tuple[NDArray[np.float32], np.float32, float]:  # fmt: skip
    part = splits[tails.rows]
    train, validation = part == "train", part == "validation"
    rows = standard.apply(np.asarray(features[tails.rows[train]], np.float32))
    labels = tails.positive[train]
    if shuffle:
        labels = np.random.default_rng(seed).permutation(labels)
    fits = {c: fit_svm(rows, labels, c=c, seed=seed) for c in cs}
    best = cs[0]
    if len(cs) > 1:
        unseen = standard.apply(np.asarray(features[tails.rows[validation]], np.float32))
        truth = tails.positive[validation]
        best = max(cs, key=lambda c: (((unseen @ fits[c][0] + fits[c][1]) > 0) == truth).mean())
    weights, bias = standard.fold(*fits[best])
    return weights, bias, best


def _drawn_accuracy(one: HeldOut, index: NDArray, weights: NDArray) -> Floats:
    size = weights.shape[1]
    right = weights @ np.bincount(index, one.correct, minlength=size)
    return right / np.maximum(weights @ np.bincount(index, minlength=size), 1)


def _nearest(place: Floats, positive: NDArray, negative: NDArray) -> list[tuple[int, int]]:
    pairs, free = [], list(negative)
    for row in positive:
        if not free:
            break
        nearest = int(np.argmin(((place[free] - place[row]) ** 2).sum(axis=1)))
        pairs.append((int(row), int(free.pop(nearest))))
    return pairs
