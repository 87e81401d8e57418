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


def _percentiles(value: float, samples: NDArray[Any], n: int) -> Interval:
    low, high = np.percentile(samples, [2.5, 97.5])
    return Interval(value, min(float(low), value), max(float(high), value), n)
