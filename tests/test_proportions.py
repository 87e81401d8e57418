"""Shares and their intervals."""

from __future__ import annotations

import pytest

from chessgloss.proportions import share, share_of


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_shares_have_wilsons_interval(count: int, total: int, low: float, high: float) -> None:
    """Worked by hand; the last row is Newcombe's (1998) first example."""
    found = share(count, total)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    assert found.value == count / total


@pytest.mark.parametrize(("count", "total"), [(0, 0), (3, 2), (-1, 2)])
def test_a_share_is_of_something(count: int, total: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        share(count, total)


def test_ones_among_zeros_are_counted():
    half = share_of([1.0, 0.0] * 5)
    assert (half.value, half.n) == (0.5, 10)
    assert (half.low, half.high) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    none = share_of([0.0] * 200)
    assert (none.low, none.high) == pytest.approx((0.0, 0.0188), abs=1e-4)
    for wrong in ([], [0.5]):
        with pytest.raises(ValueError, match="zeros and ones"):
            share_of(wrong)
