"""Shares of what was counted, with intervals that are proper at 0 and 1 too."""

from __future__ import annotations

from collections.abc import Iterable

from scipy import stats

from chessgloss.measures import Interval


def share(count: int, total: int) -> Interval:
    """Return ``count / total`` with Wilson's 95 % interval.

    What is counted counts as independent: one row a game, or a position each.

    Raises
    ------
    ValueError
        Unless ``0 <= count <= total`` and there is something counted.

    Notes
    -----
    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", Journal of the American Statistical Association 22 (1927).
    """
    if not 0 <= count <= total or not total:
        raise ValueError(f"a share is of at least one, got {count} of {total}")
    found = stats.binomtest(count, total).proportion_ci(method="wilson")
    value = count / total
    return Interval(value, min(float(found.low), value), max(float(found.high), value), total)


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
