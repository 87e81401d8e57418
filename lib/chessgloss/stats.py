"""Statistics that the chapters share: intervals, paired tests, agreement, correlation.

An interval is never empty because all answers were the same. Zeros and ones are recognised and
get Wilson's interval, everything else a bootstrap over whole clusters whose percentiles are
widened for few clusters; the tests simulate the coverage of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

Floats: TypeAlias = NDArray[np.float64]
#: What is measured of rows, which stand along the first axis.
Measure: TypeAlias = Callable[[Floats], float]
#: The cluster of each row; without it each row is a cluster of its own.
Groups: TypeAlias = ArrayLike | None

#: Resamples of a bootstrap unless a caller says otherwise.
RESAMPLES = 1_000

#: How two scores go together: Pearson's correlation, or Kendall's tau-b.
Kind = Literal["pearson", "kendall"]

#: Signs are drawn this often where there are too many to go through all of them.
FLIPS = 10_000

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
            raise ValueError(
                f"{self.value} lies outside its interval {self.low} to {self.high}"
            )

    def __format__(self, spec: str) -> str:
        low = format(self.low, spec)
        high = format(self.high, spec)
        return f"{format(self.value, spec)} [{low}, {high}]"

    def in_percent(self) -> Interval:
        """Return a share as a percentage, its interval too."""
        return Interval(100 * self.value, 100 * self.low, 100 * self.high, self.n)


def cluster_weights(
    clusters: int,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> NDArray[np.int64]:
    """Draw the count of each cluster in each bootstrap sample: ``(resamples, clusters)``."""
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
    low = float((centre - reach) / scale)
    high = float((centre + reach) / scale)
    return max(0.0, low), min(1.0, high)


def share(count: int, total: int) -> Interval:
    """Return ``count / total`` with Wilson's 95 % interval (:func:`wilson`).

    What is counted counts as independent: one row a game, or a position each.

    Raises
    ------
    ValueError
        Unless ``0 <= count <= total`` and there is something counted.
    """
    if not 0 <= count <= total or not total:
        raise ValueError(f"a share is of at least one, got {count} of {total}")
    value = count / total
    low, high = wilson(value, total)
    return _reaching(value, low, high, total)


def share_of(hits: Iterable[float]) -> Interval:
    """Return the :func:`share` of ones among zeros and ones (or of true values).

    Raises
    ------
    ValueError
        If there is no value, or one that is neither 0 nor 1.
    """
    kept = [float(hit) for hit in hits]
    if not kept or set(kept) - {0.0, 1.0}:
        raise ValueError(f"a share is of zeros and ones, got {sorted(set(kept))[:5]}")
    return share(int(sum(kept)), len(kept))


def effective_size(hits: ArrayLike, counts: ArrayLike) -> float:
    """Return the effective number of rows: as many independent ones tell as much of a share.

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
    ones = np.asarray(hits, dtype=float)
    rows = np.asarray(counts, dtype=float)
    n = float(rows.sum())
    k = rows.size
    share = float(ones.sum() / n)
    if k == n:
        return n
    if k < 2 or share in (0.0, 1.0):
        return float(k)
    surplus = ones - share * rows
    variance = k / (k - 1) * float((surplus**2).sum()) / n**2
    size = n
    if variance:
        size = min(n, share * (1 - share) / variance)
    factor = _Z / _student(k - 1)
    return size * factor**2


def mean_interval(
    values: ArrayLike,
    clusters: Groups = None,
    *,
    seed: int,
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
    sums, counts = _cluster_sums(data, clusters)
    if _binary(data):
        value = float(data.mean())
        low, high = wilson(value, effective_size(sums, counts))
        return _reaching(value, low, high, data.size)
    return _resampled_mean(sums, counts, seed)


def percentile_interval(
    value: float,
    samples: ArrayLike,
    n: int,
    *,
    clusters: int,
    share: bool = False,
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
        factor = np.sqrt(clusters / (clusters - 1)) * _student(clusters - 1)
        tail = float(special.ndtr(-factor))
    drawn = np.asarray(samples, dtype=float)
    low, high = np.quantile(drawn, [tail, 1 - tail]).tolist()
    if share and low == high and value in (0.0, 1.0):
        low, high = wilson(value, clusters)
    return _reaching(value, low, high, n)


def means_by(
    frame: pd.DataFrame,
    by: str | list[str],
    value: str,
    *,
    cluster: str,
    seed: int,
) -> pd.Series:
    """Return the mean of a column within each group of rows, as a series of intervals.

    Parameters
    ----------
    frame
        One row an observation.
    by
        Column or columns that name the group: the index of the answer.
    value, cluster
        Columns of the values and of what they are resampled by (see :func:`mean_interval`).
    seed
        Seed of the resampling, the same for each group.
    """
    found = {}
    for name, rows in frame.groupby(by):
        found[name] = mean_interval(rows[value], rows[cluster], seed=seed)
    return pd.Series(found)


@dataclass(frozen=True, slots=True)
class Paired:
    """A difference of paired values, and the probability of one as large by chance alone.

    Parameters
    ----------
    difference
        Mean of the first less the second, with its interval.
    p
        Two-sided p-value of the permutation test.
    """

    difference: Interval
    p: float

    def __format__(self, spec: str) -> str:
        return f"{self.difference:{spec}}{'*' if self.p < 0.001 else ''}"


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Groups = None,
    *,
    seed: int,
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
    x = np.asarray(first, dtype=float)
    y = np.asarray(second, dtype=float)
    if x.shape != y.shape:
        raise ValueError(f"paired values are of one shape, got {x.shape} and {y.shape}")
    sums, counts = _cluster_sums(x - y, clusters)
    if not (_binary(x) and _binary(y)):
        return _resampled_mean(sums, counts, seed)
    value = float((x - y).mean())
    size = float(counts.mean())
    sums = np.append(sums, [size, -size])
    rows = np.append(counts, [size, size])
    n = rows.sum()
    k = sums.size
    centre = sums.sum() / n
    squares = ((sums - centre * rows) ** 2).sum()
    spread = np.sqrt(k / (k - 1) * squares) / n
    reach = _student(k - 1) * spread
    low = max(-1.0, float(centre - reach))
    high = min(1.0, float(centre + reach))
    return _reaching(value, low, high, x.size)


def sign_flip_p(differences: ArrayLike, *, seed: int, flips: int = FLIPS) -> Floats:
    """Return two-sided p-values of "no difference": the signs of units are flipped at random.

    Where there are at most ``flips`` ways to flip, all are gone through and p is exact;
    otherwise ``flips`` are drawn and the observed one is counted among them.

    Parameters
    ----------
    differences
        Shape ``(..., units)``: paired differences, one a unit (a move), without NaN.
    seed
        Of the draws; the same draws serve every row.

    Returns
    -------
    numpy.ndarray
        Shape ``(...)``.
    """
    data = np.asarray(differences, dtype=float)
    units = data.shape[-1]
    if not units or np.isnan(data).any():
        raise ValueError("need at least one paired difference, and no missing one")
    exact = units < 60 and 2**units <= flips
    if exact:
        every = np.arange(2**units)[:, None]
        bits = every >> np.arange(units) & 1
    else:
        random = np.random.default_rng(seed)
        bits = random.integers(0, 2, (flips, units), dtype=np.int8)
    signs = (1 - 2 * bits).astype(float)
    observed = np.abs(data.sum(axis=-1))[..., None]
    flipped = np.abs(data @ signs.T)
    reached = (flipped >= observed - 1e-9).sum(axis=-1)
    if exact:
        return reached / 2**units
    return (reached + 1) / (flips + 1)


def paired_permutation(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Groups = None,
    *,
    seed: int,
    rounds: int = 9_999,
) -> Paired:
    """Test whether paired values differ, by exchanging them at random within whole clusters.

    If the two did not differ, the sign of all differences of a cluster could as well be the
    other: :func:`sign_flip_p` on the clusters' sums.

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
    x = np.asarray(first, dtype=float)
    y = np.asarray(second, dtype=float)
    sums, _ = _cluster_sums(x - y, clusters)
    p = sign_flip_p(sums, seed=seed, flips=rounds)
    return Paired(difference, float(p))


def area_under_curve(
    scores: ArrayLike,
    positive: ArrayLike,
    clusters: Groups = None,
    *,
    seed: int,
) -> Interval:
    """Return the share of pairs whose positive row is scored higher (a tie is one half).

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
        Shape ``(n,)``, as for :func:`mean_interval`.
    seed
        Seed of the resampling.

    Raises
    ------
    ValueError
        If a score is not finite, or all rows are of one kind.
    """
    values = np.asarray(scores, dtype=float)
    labels = np.asarray(positive, dtype=bool)
    one_kind = labels.all() or not labels.any()
    if one_kind or not np.isfinite(values).all():
        raise ValueError("need finite scores of both kinds, positive and negative")
    index = _cluster_index(values.size, clusters)
    n = values.size
    once = np.ones((1, n), dtype=np.int64)
    whole = float(_areas(values, labels, once)[0])
    drawn = cluster_weights(int(index.max()) + 1, seed=seed)
    samples = _areas(values, labels, drawn[:, index])
    finite = samples[np.isfinite(samples)]
    rarer = min(
        np.unique(index[labels]).size,
        np.unique(index[~labels]).size,
    )
    return percentile_interval(whole, finite, n, clusters=rarer, share=True)


def fleiss_kappa(ratings: ArrayLike, categories: int) -> float:
    """Return Fleiss' kappa (statsmodels); NaN where chance agreement is complete.

    Parameters
    ----------
    ratings
        Shape ``(items, raters)``, two raters at least: categories from 1. An item that a rater
        left out (NaN) is left out.
    categories
        How many there are.
    """
    from statsmodels.stats import inter_rater

    given = np.asarray(ratings, dtype=float)
    missing = np.isnan(given).any(axis=1)
    whole = given[~missing]
    chosen = [(whole == one).sum(axis=1) for one in range(1, categories + 1)]
    counts = np.stack(chosen, axis=1)
    if (counts.sum(axis=0) > 0).sum() < 2:
        return float("nan")
    return float(inter_rater.fleiss_kappa(counts))


def ranks(scores: ArrayLike, axis: int) -> Floats:
    """Return the rank of each score along an axis: 1 is the highest, equals share the best.

    A missing score (NaN) makes the ranks along its axis missing: a rank needs them all.
    """
    given = np.asarray(scores, dtype=float)
    places = stats.rankdata(-given, method="min", axis=axis, nan_policy="propagate")
    missing = np.isnan(given).any(axis=axis, keepdims=True)
    return np.where(missing, np.nan, places)


def krippendorff_alpha(ratings: ArrayLike) -> float:
    """Return Krippendorff's alpha of ordinal ratings; NaN if all are the same or none are paired.

    Parameters
    ----------
    ratings
        Shape ``(raters, units)``; NaN where a rater did not rate the unit.
    """
    import krippendorff

    given = np.asarray(ratings, dtype=float)
    rated = ~np.isnan(given)
    pairable = rated.sum(axis=0) > 1
    paired = given[:, pairable]
    values = paired[rated[:, pairable]]
    if np.unique(values).size < 2:
        return float("nan")
    return float(krippendorff.alpha(paired, level_of_measurement="ordinal"))


def together(first: ArrayLike, second: ArrayLike, kind: Kind = "pearson") -> float:
    """Return the correlation of the pairs that have both values; NaN if one side is constant.

    ``kind`` is ``pearson``, or ``kendall`` for Kendall's tau-b.
    """
    x = np.asarray(first, dtype=float).ravel()
    y = np.asarray(second, dtype=float).ravel()
    if x.shape != y.shape:
        raise ValueError(f"scores must come in pairs, got {x.size} and {y.size}")
    both = np.isfinite(x) & np.isfinite(y)
    x = x[both]
    y = y[both]
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    measure: Callable[..., Any] = (
        stats.pearsonr if kind == "pearson" else stats.kendalltau
    )
    return float(measure(x, y).statistic)


def correlation(
    first: ArrayLike,
    second: ArrayLike,
    kind: Kind = "pearson",
    clusters: Groups = None,
    *,
    seed: int,
    resamples: int = 300,
) -> Interval | None:
    """Return the correlation of two scores of the same things, with a bootstrap interval.

    Parameters
    ----------
    first, second
        Shape ``(n,)``; rows in which one is NaN are left out.
    kind
        As for :func:`together`.
    clusters
        Shape ``(n,)``: rows of one cluster (a move) are drawn together.
    seed, resamples
        As for :func:`bootstrap`.

    Returns
    -------
    Interval or None
        ``None`` if a score is the same in all rows.
    """
    if np.isnan(together(first, second, kind)):
        return None
    x = np.asarray(first, dtype=float)
    y = np.asarray(second, dtype=float)
    pairs = np.column_stack([x, y])
    known = np.isfinite(pairs).all(axis=1)
    groups = None
    if clusters is not None:
        groups = np.asarray(clusters)[known]

    def measure(rows: Floats) -> float:
        return together(rows[:, 0], rows[:, 1], kind)

    return bootstrap(pairs[known], measure, groups, seed=seed, resamples=resamples)


def bootstrap(
    values: Floats,
    statistic: Measure,
    clusters: Groups = None,
    *,
    seed: int,
    resamples: int = 500,
) -> Interval:
    """Return a statistic with its 95 % interval over whole clusters of rows.

    Parameters
    ----------
    values
        First axis: the rows (moves, pairs of scores).
    statistic
        Takes an array like ``values``; resamples on which it is NaN are left out.
    clusters
        Shape ``(rows,)``: rows of one cluster are drawn together; without it each alone.
    seed
        Seed of the resampling.
    resamples
        How many.

    Raises
    ------
    ValueError
        If the statistic of ``values`` itself is NaN.
    """
    value = statistic(values)
    if np.isnan(value):
        raise ValueError("the statistic is not defined for these values")
    index = _cluster_index(len(values), clusters)
    drawn = int(index.max()) + 1
    weights = cluster_weights(drawn, seed=seed, resamples=resamples)[:, index]
    samples = [statistic(np.repeat(values, each, axis=0)) for each in weights]
    finite = list(filter(np.isfinite, samples)) or [value]
    return percentile_interval(value, finite, len(values), clusters=drawn)


def crossed_mean(values: ArrayLike) -> Interval:
    """Return the mean of a table with an interval for other rows *and* other columns.

    With moves down and raters across, it says what other raters would have said of other
    moves. An interval over moves alone takes the raters for all there are.

    Parameters
    ----------
    values
        Shape ``(rows, columns)``; NaN where there is no value. With one column this is the
        t interval over rows.

    Raises
    ------
    ValueError
        If there is no value.

    Notes
    -----
    Rows and columns are random effects of a two-way table; the variance of the mean is that
    between rows plus that between columns less the rest, with Satterthwaite's degrees of
    freedom: S. R. Searle, G. Casella and C. E. McCulloch, "Variance Components" (1992),
    chapter 4. Where values are missing this is an approximation.
    """
    data = np.asarray(values, dtype=float)
    empty = np.isnan(data)
    data = data[:, ~empty.all(axis=0)][~empty.all(axis=1)]
    if not data.size:
        raise ValueError("a mean needs at least one value")
    n = int((~np.isnan(data)).sum())
    value = float(np.nanmean(data))
    off = data - value
    row_freedom = data.shape[0] - 1
    column_freedom = data.shape[1] - 1
    of_rows = _part(np.nansum(off, axis=1), row_freedom, n)
    of_columns = _part(np.nansum(off, axis=0), column_freedom, n)
    freedom = row_freedom * column_freedom
    rest = 0.0
    if freedom:
        rows = np.nanmean(off, axis=1, keepdims=True)
        columns = np.nanmean(off, axis=0, keepdims=True)
        left = (off - rows - columns) ** 2
        rest = float(np.nansum(left)) / (freedom * n)
    variance = max(of_rows + of_columns - rest, rest)
    if not variance:
        return Interval(value, value, value, n)
    parts = (
        (of_rows, row_freedom),
        (of_columns, column_freedom),
        (rest, freedom),
    )
    shares = [part**2 / df for part, df in parts if df]
    fewest = min(df for _, df in parts if df)
    df = max(variance**2 / sum(shares), fewest)
    reach = _student(df) * variance**0.5
    return Interval(value, value - reach, value + reach, n)


def _part(sums: Floats, freedom: int, n: int) -> float:
    """Return the part of rows (or columns) in the variance of a mean of ``n``, from their sums."""
    if not freedom:
        return 0.0
    return (freedom + 1) / freedom * float((sums**2).sum()) / n**2


def _student(freedom: float) -> float:
    """Return Student's quantile of a two-sided 95 % interval."""
    return float(special.stdtrit(freedom, 0.975))


def _reaching(value: float, low: float, high: float, n: int) -> Interval:
    """Return an interval that includes its estimate, which rounding may have left outside."""
    return Interval(value, min(low, value), max(high, value), n)


def _areas(
    values: Floats, labels: NDArray[np.bool_], weights: NDArray[np.int64]
) -> Floats:
    """Return the area for each row of weights ``(resamples, n)``; NaN where a kind is missing.

    All counts are whole numbers: an area is that of the rows repeated as often, bit for bit.
    """
    order = np.argsort(values, kind="stable")
    equals = np.flatnonzero(np.diff(values[order], prepend=-np.inf))
    sorted_weights = weights[:, order]
    kinds = labels[order]
    positive = np.add.reduceat(sorted_weights * kinds, equals, axis=1)
    negative = np.add.reduceat(sorted_weights * ~kinds, equals, axis=1)
    twice_below = 2 * negative.cumsum(axis=1) - negative
    twice_won = (positive * twice_below).sum(axis=1)
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    areas = np.full(len(weights), np.nan)
    return np.divide(twice_won / 2, pairs, out=areas, where=pairs > 0)


def _binary(values: Floats) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def _cluster_index(rows: int, clusters: Groups) -> NDArray[np.intp]:
    """Return the number of each row's cluster, from 0; without clusters each row is its own."""
    if clusters is None:
        return np.arange(rows)
    return np.unique(np.asarray(clusters), return_inverse=True)[1]


def _cluster_sums(values: Floats, clusters: Groups) -> tuple[Floats, NDArray[Any]]:
    """Return sum and number of the values of each cluster: ``(clusters,)`` both."""
    if not values.size or not np.isfinite(values).all():
        raise ValueError(
            f"need finite values, got {values.size} of which some may be nan or inf"
        )
    index = _cluster_index(values.size, clusters)
    sums = np.bincount(index, values).astype(float)
    return sums, np.bincount(index)


def _resampled_mean(sums: Floats, counts: NDArray[Any], seed: int) -> Interval:
    """Return the bootstrap's interval of a mean from the clusters' sums and sizes."""
    weights = cluster_weights(counts.size, seed=seed)
    n = int(counts.sum())
    samples = weights @ sums / (weights @ counts)
    value = float(sums.sum() / n)
    return percentile_interval(value, samples, n, clusters=counts.size)
