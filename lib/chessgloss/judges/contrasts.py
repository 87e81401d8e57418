"""What is compared: the steps of the paper's argument, as decided before an answer was there.

The outcome of a comment is whether it makes at least one claim that the frozen checker finds
false. A contrast is the mean, over moves, of the outcome with a step less the outcome without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from chessgloss.stats import Interval, sign_flip_p

#: The smallest difference of shares that matters.
MATTERS = 0.05

#: Adjusted p-values below it count.
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Contrast:
    """A step of the argument and what it does to the share of comments with a false claim.

    Parameters
    ----------
    name
        As in tables and keys.
    by_moves, by_lecture
        The mean difference with its 95 % interval: moves as independent of each other, for
        moves like these; lectures as independent, for other lectures.
    p
        Of a test that flips the signs of the moves' differences.
    adjusted
        The same by Holm's method over all contrasts.
    """

    name: str
    by_moves: Interval
    by_lecture: Interval
    p: float
    adjusted: float

    @property
    def verdict(self) -> str:
        """What is decided (:func:`verdict_of`)."""
        return verdict_of(self.by_moves, self.adjusted)


def verdict_of(difference: Interval, adjusted: float) -> str:
    """Return ``differs``, ``alike`` (less than matters, whatever the truth) or ``open``.

    Parameters
    ----------
    difference
        Of two arms' shares, with its 95 % interval.
    adjusted
        The p-value of no difference, corrected for what else is tested.
    """
    if adjusted < LEVEL:
        return "differs"
    inside = difference.low > -MATTERS and difference.high < MATTERS
    return "alike" if inside else "open"


def compare(
    outcomes: pd.DataFrame,
    contrasts: Mapping[str, Sequence[tuple[str, str]]],
    *,
    seed: int,
) -> list[Contrast]:
    """Return all contrasts of arms.

    Parameters
    ----------
    outcomes
        A row a move, its name the index (``lec9/12``), a column an arm: 1 if the comment makes a
        false claim, 0 if it makes none, NaN where there is no comment. A move enters a
        contrast if all arms of it have one.
    contrasts
        By name the pairs of arms, the one that takes the step first; several are averaged.
    seed
        Of the flipped signs.
    """
    found = {
        name: differences(outcomes, pairs).dropna() for name, pairs in contrasts.items()
    }
    ps = [float(sign_flip_p(each, seed=seed)) for each in found.values()]
    rows = zip(found.items(), ps, holm(ps), strict=True)
    return [
        Contrast(name, by_moves(each), by_lecture(each), p, adjusted)
        for (name, each), p, adjusted in rows
    ]


def differences(outcomes: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> pd.Series:
    """Return the outcome with a step less the one without, move by move, meaned over pairs."""
    first = outcomes[[with_step for with_step, _ in pairs]].to_numpy(float)
    second = outcomes[[without for _, without in pairs]].to_numpy(float)
    return pd.Series((first - second).mean(axis=1), outcomes.index)


def by_moves(values: pd.Series) -> Interval:
    """Return the mean of differences with the normal interval of independent moves."""
    reach = float(ndtri(0.975)) * values.std() / np.sqrt(len(values))
    return _around(values, reach)


def by_lecture(values: pd.Series) -> Interval:
    """Return the same with lectures as the units: Student's t on what each adds to the mean."""
    groups = values.groupby(values.index.str.partition("/").get_level_values(0))
    surplus = groups.sum() - values.mean() * groups.size()
    units = len(surplus)
    if units < 2:
        raise ValueError("an interval by lecture needs two lectures")
    spread = np.sqrt(units / (units - 1) * (surplus**2).sum()) / len(values)
    return _around(values, float(stdtrit(units - 1, 0.975)) * spread)


def _around(values: pd.Series, reach: float) -> Interval:
    mean = float(values.mean())
    low = max(-1.0, mean - float(reach))
    high = min(1.0, mean + float(reach))
    return Interval(mean, low, high, len(values))


def holm(ps: ArrayLike) -> list[float]:
    """Return p-values adjusted so that all of them together err at their level.

    Notes
    -----
    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
    Journal of Statistics 6 (1979).
    """
    values = np.asarray(ps, dtype=float)
    order = np.argsort(values, kind="stable")
    stepped = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(stepped))
    return adjusted.tolist()
