"""Statistics that the chapters share: intervals that respect the games behind the rows.

An interval is never empty because all answers were the same. Zeros and ones are recognised and
get Wilson's interval, everything else a bootstrap whose percentiles are widened for few
clusters; the tests simulate the coverage of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special

#: Resamples of a bootstrap unless a caller says otherwise.
RESAMPLES = 1_000

#: Standard normal quantile of a two-sided 95 % interval.
_Z = float(special.ndtri(0.975))


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

    def in_percent(self) -> Interval:
        """Return a share as a percentage, its interval too."""
        return Interval(100 * self.value, 100 * self.low, 100 * self.high, self.n)


def cluster_weights(clusters: int, *, seed: int, resamples: int = RESAMPLES) -> NDArray[np.int64]:
    """Draw how often each cluster enters each bootstrap sample: ``(resamples, clusters)``."""
    random = np.random.default_rng(seed)
    return random.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples)


def wilson(share: float, n: float) -> tuple[float, float]:
    """Return the ends of Wilson's 95 % interval of a share among ``n``, which may be effective.

    Notes
    -----
    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", Journal of the American Statistical Association 22 (1927).
    """
    centre = share + _Z**2 / (2 * n)
    reach = _Z * np.sqrt(share * (1 - share) / n + (_Z / (2 * n)) ** 2)
    scale = 1 + _Z**2 / n
    return max(0.0, float((centre - reach) / scale)), min(1.0, float((centre + reach) / scale))


def effective_size(hits: ArrayLike, counts: ArrayLike) -> float:
    """Return how many independent rows would tell as much of a share as rows in clusters do.

    Parameters
    ----------
    hits, counts
        Shape ``(clusters,)``: ones in each cluster, and its rows.

    Notes
    -----
    The number of rows over the design effect, at most the number of rows, and less still for
    few clusters, from which the design effect is badly known: E. L. Korn and B. I. Graubard,
    "Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data", Survey Methodology 24 (1998). If all rows are alike nothing
    says how alike the rows of one cluster are, and a cluster counts as one row.
    """
    ones, rows = np.asarray(hits, dtype=float), np.asarray(counts, dtype=float)
    n, k = float(rows.sum()), rows.size
    share = float(ones.sum() / n)
    if k == n:
        return n
    if k < 2 or share in (0.0, 1.0):
        return float(k)
    variance = k / (k - 1) * float(((ones - share * rows) ** 2).sum()) / n**2
    size = min(n, share * (1 - share) / variance) if variance else n
    return size * (_Z / float(special.stdtrit(k - 1, 0.975))) ** 2


def bootstrap_mean(
    values: ArrayLike, clusters: ArrayLike | None = None, *, seed: int, resamples: int = RESAMPLES
) -> Interval:
    """Return the mean of ``values`` with a 95 % interval over whole clusters.

    Zeros and ones are a share and get Wilson's interval at their :func:`effective_size`: it
    has a length at 0 and at 1 too, where a bootstrap has none. All other values get a
    bootstrap (:func:`percentile_interval`). For the difference of two shares see
    :func:`paired_difference`.

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
    sums, counts = _cluster_sums(data, clusters)
    if _binary(data):
        value = float(data.mean())
        low, high = wilson(value, effective_size(sums, counts))
        return Interval(value, min(low, value), max(high, value), data.size)
    return _resampled_mean(sums, counts, seed, resamples)


def percentile_interval(
    value: float, samples: ArrayLike, n: int, *, clusters: int, share: bool = False
) -> Interval:
    """Return an estimate with the percentile interval of its bootstrap samples.

    Plain percentiles are too narrow where clusters are few: they lack the factor of the
    standard deviation and the wider tails of Student's t. They are taken further out by both.

    Parameters
    ----------
    value
        The estimate.
    samples
        Shape ``(resamples,)``: the same from each bootstrap sample.
    n
        Rows behind the estimate.
    clusters
        What was drawn: so many.
    share
        Whether the estimate is a mean of shares. At 0 or 1, where all samples are alike, it
        then gets Wilson's interval with a cluster as one row.

    Notes
    -----
    Source: T. C. Hesterberg, "What teachers should know about the bootstrap", The American
    Statistician 69 (2015), section 5.3: the expanded percentile interval.
    """
    tail = 0.0
    if clusters > 1:
        factor = np.sqrt(clusters / (clusters - 1)) * special.stdtrit(clusters - 1, 0.975)
        tail = float(special.ndtr(-factor))
    low, high = map(float, np.quantile(np.asarray(samples, dtype=float), [tail, 1 - tail]))
    if share and low == high and value in (0.0, 1.0):
        low, high = wilson(value, clusters)
    return Interval(value, min(low, value), max(high, value), n)


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


def paired_difference(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None, *, seed: int
) -> Interval:
    """Return the mean of the first less the second of paired values, with a 95 % interval.

    For zeros and ones one more cluster is added in which the first wins and one in which the
    second does, and the interval is the normal one with Student's t: two shares that never
    differed in ``n`` pairs may still differ. All other values get a bootstrap.

    Parameters
    ----------
    first, second, clusters, seed
        As for :func:`paired_permutation`.

    Raises
    ------
    ValueError
        If the two do not have the same length, or a value is not finite.

    Notes
    -----
    Source: D. G. Bonett and R. M. Price, "Adjusted Wald confidence interval for a difference
    of binomial proportions based on paired data", Journal of Educational and Behavioral
    Statistics 37 (2012); here with clusters.
    """
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if one.shape != other.shape:
        raise ValueError(f"paired values are of one shape, got {one.shape} and {other.shape}")
    if not one.size or not np.isfinite(one - other).all():
        raise ValueError(f"need finite values, got {one.size} of which some may be nan or inf")
    sums, counts = _cluster_sums(one - other, clusters)
    if not (_binary(one) and _binary(other)):
        return _resampled_mean(sums, counts, seed, RESAMPLES)
    value, size = float((one - other).mean()), float(counts.mean())
    sums, rows = np.append(sums, [size, -size]), np.append(counts, [size, size])
    centre = sums.sum() / rows.sum()
    spread = np.sqrt(sums.size / (sums.size - 1) * ((sums - centre * rows) ** 2).sum()) / rows.sum()
    reach = special.stdtrit(sums.size - 1, 0.975) * spread
    low, high = max(-1.0, float(centre - reach)), min(1.0, float(centre + reach))
    return Interval(value, min(low, value), max(high, value), one.size)


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
    difference = paired_difference(first, second, clusters, seed=seed)
    sums, _ = _cluster_sums(np.asarray(first, float) - np.asarray(second, float), clusters)
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
    that hold one kind alone are left out, and it is as wide as the clusters of the rarer
    kind make it.

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
    rarer = min(np.unique(index[kind]).size for kind in (labels, ~labels))
    kept = areas[np.isfinite(areas)]
    return percentile_interval(float(whole[0]), kept, values.size, clusters=rarer, share=True)


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


def _binary(values: NDArray[np.float64]) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def _cluster_sums(
    values: NDArray[np.float64], clusters: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return sum and number of the values of each cluster: ``(clusters,)`` both."""
    labels = np.arange(values.size) if clusters is None else np.asarray(clusters)
    _, index = np.unique(labels, return_inverse=True)
    return np.bincount(index, values).astype(float), np.bincount(index)


def _resampled_mean(
    sums: NDArray[np.float64], counts: NDArray[Any], seed: int, resamples: int
) -> Interval:
    weights = cluster_weights(counts.size, seed=seed, resamples=resamples)
    n = int(counts.sum())
    samples = weights @ sums / (weights @ counts)
    return percentile_interval(float(sums.sum() / n), samples, n, clusters=counts.size)
