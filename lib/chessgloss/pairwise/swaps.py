"""Does the order decide? Pairs that were judged both ways, and what position is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from chessgloss.pairwise.judging import By, Judged
from chessgloss.stats import Interval, mean_interval

#: Columns of :func:`as_table`.
COLUMNS: Final = ("move", "first", "second", "winner", "points")

#: What the first candidate gets for each outcome.
POINTS: Final = {"A": 1.0, "TIE": 0.5, "B": 0.0}


def as_table(judged: Sequence[Judged], by: By = "rule") -> pd.DataFrame:
    """Return the answers that could be read, a row each.

    Returns
    -------
    pandas.DataFrame
        Columns :data:`COLUMNS`: ``winner`` is the name of a method or ``TIE``, ``points`` what
        candidate A gets: 1, 0, or one half for a tie.
    """
    rows = []
    for one in judged:
        word = one.winner(by)
        if word is not None:
            winner = {"A": one.first, "B": one.second, "TIE": "TIE"}[word]
            rows.append((one.move, one.first, one.second, winner, POINTS[word]))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def both_orders(table: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs that were read in both orders, a row each.

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, ``first``, ``second`` (the methods in alphabetical order) and
        ``consistent``: whether both orders have the same winner, or both a tie.
    """
    rows = [
        (*key, found["winner"].nunique() == 1)
        for key, found in table.groupby(_keys(table))
        if found["first"].nunique() == 2
    ]
    return pd.DataFrame(rows, columns=["move", "first", "second", "consistent"])


def swap_consistency(judged: Sequence[Judged], by: By = "rule", *, seed: int) -> Interval:
    """Return the share of pairs whose winner stays when A and B change places.

    A judge that always names A has 0. Intervals draw whole moves.

    Raises
    ------
    ValueError
        If no pair was read in both orders.
    """
    pairs = both_orders(as_table(judged, by))
    return mean_interval(pairs["consistent"].astype(float), pairs["move"], seed=seed)


def tie_rate(judged: Sequence[Judged], by: By = "rule", *, seed: int) -> Interval:
    """Return the share of read answers that are ties."""
    table = as_table(judged, by)
    return mean_interval((table["winner"] == "TIE").astype(float), table["move"], seed=seed)


def first_wins(judged: Sequence[Judged], by: By = "rule", *, seed: int) -> Interval:
    """Return the points of candidate A, ties half: one half if the position does not matter.

    Only pairs that were read in both orders count, so that the methods shown first are those
    shown second.
    """
    table = as_table(judged, by)
    pairs = both_orders(table)
    kept = set(pairs[["move", "first", "second"]].itertuples(index=False, name=None))
    rows = table[[key in kept for key in _keys(table)]]
    return mean_interval(rows["points"], rows["move"], seed=seed)


def agreement(
    judged: Sequence[Judged], other: Sequence[Judged], by: By = "rule", *, seed: int
) -> Interval:
    """Return the share of answers with the winner that another way of judging gives the pair.

    Parameters
    ----------
    judged
        The answers, in either order.
    other
        The other way, each pair once; pairs that it does not decide are left out.
    """
    table, others = as_table(judged, by), as_table(other, by)
    known = dict(zip(_keys(others), others["winner"], strict=True))
    told = [
        (move, winner == known[key])
        for key, move, winner in zip(_keys(table), table["move"], table["winner"], strict=True)
        if key in known
    ]
    moves, same = [move for move, _ in told], [float(one) for _, one in told]
    return mean_interval(same, moves, seed=seed)


def _keys(table: pd.DataFrame) -> pd.Series:
    """Return what names a pair in either order: the move, and the methods sorted."""
    rows = table[["move", "first", "second"]].itertuples(index=False, name=None)
    keys = [(move, *sorted(methods)) for move, *methods in rows]
    return pd.Series(keys, index=table.index, dtype=object)
