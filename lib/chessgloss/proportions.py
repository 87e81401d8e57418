"""Shares of what was counted, with intervals that are proper at 0 and 1 too."""

from __future__ import annotations

from collections.abc import Iterable

from chessgloss.measures import Interval, wilson


def share(count: int, total: int) -> Interval:
    """Return ``count / total`` with Wilson's 95 % interval (:func:`chessgloss.measures.wilson`).

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
    return Interval(value, min(low, value), max(high, value), total)


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
