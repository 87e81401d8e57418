"""Agreement between raters, correlation between scores, means and differences over raters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from chessgloss.measures import Interval, percentile_interval

#: Signs are drawn this often where there are too many to go through all of them.
FLIPS = 10_000


def fleiss_kappa(counts: ArrayLike) -> float:
    """Return Fleiss' kappa of a table of counts; NaN where chance agreement is complete.

    Parameters
    ----------
    counts
        Shape ``(items, categories)``: how many raters put the item into the category; every
        item has the same number of raters, at least two.

    Notes
    -----
    Source: Fleiss, "Measuring nominal scale agreement among many raters" (1971).
    """
    table = np.asarray(counts, dtype=float)
    raters = table.sum(axis=1)
    if table.ndim != 2 or not table.size or raters[0] < 2 or (raters != raters[0]).any():
        raise ValueError("every item needs the same number of raters, two or more")
    agreed = ((table * (table - 1)).sum(axis=1) / (raters * (raters - 1))).mean()
    chance = float(((table.sum(axis=0) / table.sum()) ** 2).sum())
    return float("nan") if np.isclose(chance, 1) else float((agreed - chance) / (1 - chance))


def category_counts(values: ArrayLike, categories: int) -> NDArray[np.int64]:
    """Count values 1 … ``categories`` in each row: ``(items, raters) -> (items, categories)``.

    Rows with a missing value (NaN) are left out.
    """
    given = np.asarray(values, dtype=float)
    whole = given[~np.isnan(given).any(axis=1)]
    return np.stack([(whole == value).sum(axis=1) for value in range(1, categories + 1)], axis=1)


def ranks(scores: ArrayLike, axis: int) -> NDArray[np.float64]:
    """Return the rank of each score along an axis: 1 is the highest, equals share the best.

    A missing score (NaN) makes the ranks along its axis missing: a rank needs them all.
    """
    given = np.asarray(scores, dtype=float)
    found = stats.rankdata(-given, method="min", axis=axis, nan_policy="propagate")
    return np.where(np.isnan(given).any(axis=axis, keepdims=True), np.nan, found)


def krippendorff_alpha(ratings: ArrayLike, level: str = "ordinal") -> float:
    """Return Krippendorff's alpha; NaN where all values are the same or none can be paired.

    Parameters
    ----------
    ratings
        Shape ``(raters, units)``; NaN where a rater did not rate the unit.
    level
        ``nominal``, ``ordinal`` or ``interval``.

    Notes
    -----
    Source: Krippendorff, "Content Analysis" (2004), section 11.3.
    """
    given = np.asarray(ratings, dtype=float)
    values = np.unique(given[~np.isnan(given)])
    counts = np.stack([(given == value).sum(axis=0) for value in values] or [np.zeros(0)], axis=1)
    counts = counts[counts.sum(axis=1) > 1]
    if not counts.size:
        return float("nan")
    totals = counts.sum(axis=1)
    pairs = (counts / (totals - 1)[:, None]).T @ counts - np.diag(
        (counts / (totals - 1)[:, None]).sum(axis=0)
    )
    margins = pairs.sum(axis=1)
    distance = _distance(values, margins, level)
    chance = (np.outer(margins, margins) - np.diag(margins)) / (margins.sum() - 1)
    expected = float((chance * distance).sum())
    return 1 - float((pairs * distance).sum()) / expected if expected > 0 else float("nan")


def _distance(
    values: NDArray[np.float64], margins: NDArray[np.float64], level: str
) -> NDArray[np.float64]:
    if level == "nominal":
        return 1.0 - np.eye(values.size)
    if level == "interval":
        return np.subtract.outer(values, values) ** 2
    if level == "ordinal":
        middle = np.cumsum(margins) - margins / 2
        return np.subtract.outer(middle, middle) ** 2
    raise ValueError(f"no level {level!r}; choose nominal, ordinal or interval")


def pearson(left: ArrayLike, right: ArrayLike) -> float:
    """Return Pearson's correlation over the pairs that have both values; NaN if one is constant."""
    x, y = _paired(left, right)
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def kendall(left: ArrayLike, right: ArrayLike) -> float:
    """Return Kendall's tau-b over the pairs that have both values; NaN if one is constant."""
    x, y = _paired(left, right)
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(stats.kendalltau(x, y).statistic)


def _paired(left: ArrayLike, right: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(left, dtype=float).ravel(), np.asarray(right, dtype=float).ravel()
    if x.shape != y.shape:
        raise ValueError(f"scores must come in pairs, got {x.size} and {y.size}")
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


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
    data = data[:, ~np.isnan(data).all(axis=0)][~np.isnan(data).all(axis=1)]
    if not data.size:
        raise ValueError("a mean needs at least one value")
    n, value = int((~np.isnan(data)).sum()), float(np.nanmean(data))
    off = data - value
    freedom = [size - 1 for size in data.shape]
    parts = [
        (df + 1) / df * float((np.nansum(off, axis=axis) ** 2).sum()) / n**2 if df else 0.0
        for df, axis in zip(freedom, (1, 0), strict=True)
    ]
    rest = 0.0
    if all(freedom):
        rows, columns = (np.nanmean(off, axis=axis, keepdims=True) for axis in (1, 0))
        rest = float(np.nansum((off - rows - columns) ** 2)) / (freedom[0] * freedom[1] * n)
    variance = max(parts[0] + parts[1] - rest, rest)
    if not variance:
        return Interval(value, value, value, n)
    shares = [part**2 / df for part, df in zip(parts, freedom, strict=True) if df]
    shares += [rest**2 / (freedom[0] * freedom[1])] if all(freedom) else []
    df = max(variance**2 / sum(shares), min(one for one in freedom if one))
    reach = float(special.stdtrit(df, 0.975)) * variance**0.5
    return Interval(value, value - reach, value + reach, n)


def sign_flip_p(differences: ArrayLike, *, seed: int, flips: int = FLIPS) -> NDArray[np.float64]:
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
        bits = np.arange(2**units)[:, None] >> np.arange(units) & 1
    else:
        bits = np.random.default_rng(seed).integers(0, 2, (flips, units), dtype=np.int8)
    signs = (1 - 2 * bits).astype(float)
    observed = np.abs(data.sum(axis=-1))[..., None]
    reached = (np.abs(data @ signs.T) >= observed - 1e-9).sum(axis=-1)
    return reached / 2**units if exact else (reached + 1) / (flips + 1)


def bootstrap(
    values: NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], float],
    *,
    seed: int,
    resamples: int = 500,
) -> Interval:
    """Return a statistic with its 95 % percentile interval over whole rows.

    Parameters
    ----------
    values
        First axis: the units that are drawn (moves).
    statistic
        Takes an array like ``values``; resamples on which it is NaN are left out.
    seed
        Seed of the resampling.

    Raises
    ------
    ValueError
        If the statistic of ``values`` itself is NaN.
    """
    value = statistic(values)
    if np.isnan(value):
        raise ValueError("the statistic is not defined for these values")
    random = np.random.default_rng(seed)
    drawn = random.integers(0, len(values), (resamples, len(values)))
    found = np.array([statistic(values[rows]) for rows in drawn])
    kept = found[~np.isnan(found)] if not np.isnan(found).all() else [value]
    return percentile_interval(value, kept, len(values), clusters=len(values))
