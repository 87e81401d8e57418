"""Statistics that the chapters share: intervals that respect the games behind the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

#: Resamples of a bootstrap unless a caller says otherwise.
RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A number with its 95 % interval and the count behind it.

    Parameters
    ----------
    value
        The estimate.
    low, high
        Ends of the interval; equal to ``value`` when nothing varies.
    n
        Number of rows the estimate rests on.
    """

    value: float
    low: float
    high: float
    n: int

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high:
            raise ValueError(f"{self.value} lies outside its interval {self.low} to {self.high}")

    def __format__(self, spec: str) -> str:
        low, high = format(self.low, spec), format(self.high, spec)
        return f"{format(self.value, spec)} [{low}, {high}]"


def cluster_weights(clusters: int, *, seed: int, resamples: int = RESAMPLES) -> NDArray[np.int64]:
    """Draw how often each cluster enters each bootstrap sample: ``(resamples, clusters)``."""
    random = np.random.default_rng(seed)
    return random.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples)


def bootstrap_mean(
    values: ArrayLike, clusters: ArrayLike | None = None, *, seed: int, resamples: int = RESAMPLES
) -> Interval:
    """Return the mean of ``values`` with a percentile interval over whole clusters.

    Parameters
    ----------
    values
        Shape ``(n,)``, finite.
    clusters
        Shape ``(n,)``: the game, lecture or position that each value belongs to; rows of
        one cluster are drawn together. Without it every row is its own cluster.
    seed
        Seed of the resampling.

    Raises
    ------
    ValueError
        If there is no value, or one that is not finite.
    """
    data = np.asarray(values, dtype=float)
    if not data.size or not np.isfinite(data).all():
        raise ValueError(f"need finite values, got {data.size} of which some may be nan or inf")
    labels = np.arange(data.size) if clusters is None else np.asarray(clusters)
    _, index = np.unique(labels, return_inverse=True)
    sums, counts = np.bincount(index, data), np.bincount(index)
    weights = cluster_weights(counts.size, seed=seed, resamples=resamples)
    return _percentiles(float(data.mean()), weights @ sums / (weights @ counts), data.size)


def means_by(
    frame: pd.DataFrame, by: str | list[str], value: str, *, cluster: str, seed: int
) -> pd.Series:
    """Return the mean of a column within each group of rows, as a series of intervals.

    Parameters
    ----------
    frame
        One row an observation.
    by
        Column or columns that name the group: the index of the answer.
    value, cluster
        Columns of the values and of what they are resampled by (see :func:`bootstrap_mean`).
    seed
        Seed of the resampling, the same for each group.
    """
    groups = {
        name: bootstrap_mean(rows[value], rows[cluster], seed=seed)
        for name, rows in frame.groupby(by)
    }
    return pd.Series(groups)


@dataclass(frozen=True, slots=True)
class Paired:
    """A difference of paired values, and how often chance alone would make one as large.

    Parameters
    ----------
    difference
        Mean of the first less the second, with its interval.
    p
        Two-sided p-value of the permutation test.
    """

    difference: Interval
    p: float

    def __post_init__(self) -> None:
        if not 0 < self.p <= 1:
            raise ValueError(f"a p-value lies above 0 and up to 1, got {self.p}")

    def __format__(self, spec: str) -> str:
        stars = "*" if self.p < 0.001 else ""
        return f"{self.difference:{spec}}{stars}"


def paired_permutation(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    seed: int,
    rounds: int = 9_999,
) -> Paired:
    """Test whether paired values differ, by exchanging them at random within whole clusters.

    If the two did not differ, the sign of all differences of a cluster could as well be the
    other. The p-value is the share of random signs whose mean is at least as far from zero, the
    signs as they are counted among them.

    Parameters
    ----------
    first, second
        Shape ``(n,)``, finite: the values of the same ``n`` things.
    clusters
        Shape ``(n,)``: rows of one cluster change sign together; without it each alone.
    seed
        Seed of the signs and of the interval.
    rounds
        Random signs; the smallest p-value is ``1 / (rounds + 1)``.

    Raises
    ------
    ValueError
        If the two do not have the same length, or a value is not finite.
    """
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if one.shape != other.shape:
        raise ValueError(f"paired values are of one shape, got {one.shape} and {other.shape}")
    difference = bootstrap_mean(one - other, clusters, seed=seed)
    labels = np.arange(one.size) if clusters is None else np.asarray(clusters)
    _, index = np.unique(labels, return_inverse=True)
    sums = np.bincount(index, one - other)
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(rounds, sums.size))
    slack = 1e-9 * np.abs(sums).sum()
    reached = np.abs(signs @ sums) >= abs(sums.sum()) - slack
    return Paired(difference, float((reached.sum() + 1) / (rounds + 1)))


def area_under_curve(
    scores: ArrayLike,
    positive: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return how often a positive row is scored above a negative one (a tie is one half).

    This is the area under the ROC curve. The interval resamples whole clusters; resamples
    that hold one kind alone are left out.

    Parameters
    ----------
    scores
        Shape ``(n,)``, finite.
    positive
        Shape ``(n,)``: which rows are positive.
    clusters
        Shape ``(n,)``, as for :func:`bootstrap_mean`.
    seed
        Seed of the resampling.

    Raises
    ------
    ValueError
        If a score is not finite, or all rows are of one kind.
    """
    values, labels = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    if not np.isfinite(values).all() or labels.all() or not labels.any():
        raise ValueError("need finite scores of both kinds, positive and negative")
    groups = np.arange(values.size) if clusters is None else np.asarray(clusters)
    _, index = np.unique(groups, return_inverse=True)
    drawn = cluster_weights(int(index.max()) + 1, seed=seed, resamples=resamples)[:, index]
    areas = _areas(values, labels, drawn)
    whole = _areas(values, labels, np.ones((1, values.size), dtype=np.int64))
    return _percentiles(float(whole[0]), areas[np.isfinite(areas)], values.size)


def _areas(
    values: NDArray[np.float64], labels: NDArray[np.bool_], weights: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the area for each row of weights; ``nan`` where one kind is missing."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=-np.inf))
    positive, negative = (
        np.add.reduceat(weights[:, order] * kind[order], starts, axis=1)
        for kind in (labels, ~labels)
    )
    below = np.cumsum(negative, axis=1) - negative / 2
    pairs = (positive.sum(axis=1) * negative.sum(axis=1)).astype(float)
    won = (positive * below).sum(axis=1)
    return np.divide(won, pairs, out=np.full(pairs.size, np.nan), where=pairs > 0)


def _percentiles(value: float, samples: NDArray[Any], n: int) -> Interval:
    low, high = np.percentile(samples, [2.5, 97.5])
    return Interval(value, min(float(low), value), max(float(high), value), n)
