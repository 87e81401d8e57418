"""Bradley-Terry strengths of methods that were compared in pairs, with intervals over moves.

Source: Bradley and Terry, "Rank Analysis of Incomplete Block Designs" (1952); a tie counts as
half a win for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from chessgloss.stats import RESAMPLES, cluster_weights, percentile_interval

#: Ties added to every pair that met, so that one who never lost has a finite strength.
PRIOR_TIES = 1.0


def win_points(outcomes: pd.DataFrame, methods: Sequence[str]) -> NDArray[np.float64]:
    """Return the points of each method against each other, move by move.

    Parameters
    ----------
    outcomes
        Columns ``move``, ``first``, ``second`` and ``points``, what the first gets
        (:func:`chessgloss.judges.pairwise.outcomes`).
    methods
        The methods, in the order of the answer.

    Returns
    -------
    numpy.ndarray
        Shape ``(moves, methods, methods)``, moves sorted by name: entry ``[m, i, j]`` is what
        ``i`` won against ``j``, ties half.
    """
    turned = outcomes.rename(columns={"first": "second", "second": "first"})
    turned["points"] = 1 - outcomes["points"]
    table = pd.concat([outcomes, turned]).pivot_table(
        index="move", columns=["first", "second"], values="points", aggfunc="sum", fill_value=0
    )
    pairs = pd.MultiIndex.from_product([methods, methods])
    cells = table.reindex(columns=pairs, fill_value=0).to_numpy(dtype=float)
    return cells.reshape(-1, len(methods), len(methods))


def bradley_terry(points: ArrayLike) -> NDArray[np.float64]:
    """Fit strengths: ``i`` beats ``j`` with chance ``1 / (1 + exp(s_j - s_i))``.

    A logistic regression (statsmodels) of wins and losses on which two methods met.

    Parameters
    ----------
    points
        Shape ``(n, n)``: what the row won against the column.

    Returns
    -------
    numpy.ndarray
        Shape ``(n,)``: log-odds with mean 0, of the largest likelihood.

    Raises
    ------
    ValueError
        If there are no points, or the methods fall into groups that never met.
    """
    import statsmodels.api as sm

    won = np.asarray(points, dtype=float)
    met = [(i, j) for i, j in combinations(range(len(won)), 2) if won[i, j] + won[j, i] > 0]
    design = np.zeros((len(met), len(won)))
    for row, (i, j) in enumerate(met):
        design[row, [i, j]] = 1, -1
    if not met or np.linalg.matrix_rank(design) < len(won) - 1:
        raise ValueError("strengths need points, and methods that all met, if by way of others")
    counts = [(won[i, j], won[j, i]) for i, j in met]
    fit = sm.GLM(counts, design[:, 1:], family=sm.families.Binomial()).fit()
    strength = np.concatenate([[0.0], fit.params])
    return strength - strength.mean()


def strengths(
    outcomes: pd.DataFrame, methods: Sequence[str], *, seed: int, resamples: int = RESAMPLES
) -> pd.Series:
    """Return Bradley-Terry strengths with intervals that draw whole moves.

    :data:`PRIOR_TIES` are added for every pair that met.

    Returns
    -------
    pandas.Series
        An :class:`Interval` for each method that took part, strongest first; ``n`` is the number
        of its answers. Of two methods ``d`` apart the stronger wins with chance
        ``1 / (1 + exp(-d))``.
    """
    present = set(outcomes["first"]) | set(outcomes["second"])
    names = [name for name in methods if name in present]
    points = win_points(outcomes, names)
    met = points.sum(axis=0) + points.sum(axis=0).T
    ties = PRIOR_TIES / 2 * (met > 0)
    value = bradley_terry(points.sum(axis=0) + ties)
    weights = cluster_weights(len(points), seed=seed, resamples=resamples)
    drawn = np.tensordot(weights, points, axes=1)
    samples = np.array([bradley_terry(table + ties) for table in drawn])
    intervals = {
        name: percentile_interval(value[k], samples[:, k], int(met[k].sum()), clusters=len(points))
        for k, name in enumerate(names)
    }
    strongest = sorted(intervals, key=lambda name: -intervals[name].value)
    return pd.Series({name: intervals[name] for name in strongest}, dtype=object)
