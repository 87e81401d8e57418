"""Who is stronger: the win matrix, Bradley-Terry strengths, and win rates at equal length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import LogisticRegression

from chessgloss.stats import RESAMPLES, cluster_weights, percentile_interval

#: Ties added to every pair that met, so that one who never lost has a finite strength.
PRIOR_TIES = 1.0

#: Newton's method: most steps, longest step, and the step that counts as none.
_STEPS, _LONGEST, _STILL = 100, 1.0, 1e-10

#: Inverse strength of the penalty on the coefficients of the length-controlled fit.
_LOOSE = 10.0


def win_points(table: pd.DataFrame, methods: Sequence[str]) -> NDArray[np.float64]:
    """Return the points of each method against each other, move by move.

    Parameters
    ----------
    table
        Of :func:`chessgloss.pairwise.swaps.as_table`.
    methods
        The methods, in the order of the answer.

    Returns
    -------
    numpy.ndarray
        Shape ``(moves, methods, methods)``, moves sorted by name: entry ``[m, i, j]`` is what
        ``i`` won against ``j``, ties half.
    """
    names = {name: place for place, name in enumerate(methods)}
    moves = {name: place for place, name in enumerate(sorted(set(table["move"])))}
    points = np.zeros((len(moves), len(names), len(names)))
    for row in table.itertuples(index=False):
        m, i, j = moves[row.move], names[row.first], names[row.second]
        points[m, i, j] += row.points
        points[m, j, i] += 1 - row.points
    return points


def win_matrix(table: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Return the share of points of each row against each column; nan where they never met."""
    points = win_points(table, methods).sum(axis=0)
    met = points + points.T
    share = np.divide(points, met, out=np.full_like(points, np.nan), where=met > 0)
    return pd.DataFrame(share, index=list(methods), columns=list(methods))


def bradley_terry(points: ArrayLike, prior: float = PRIOR_TIES) -> NDArray[np.float64]:
    """Fit Bradley-Terry strengths: ``i`` beats ``j`` with chance ``1 / (1 + exp(s_j - s_i))``.

    Source: Bradley and Terry, "Rank Analysis of Incomplete Block Designs" (1952); a tie counts
    as half a win for each.

    Parameters
    ----------
    points
        Shape ``(..., n, n)``: what the row won against the column. Leading axes are fitted
        apart.
    prior
        Ties added to each pair that met in any of the tables. With 0 the strengths are those
        of the largest likelihood.

    Returns
    -------
    numpy.ndarray
        Shape ``(..., n)``: natural-logarithm strengths with mean 0 in the last axis.

    Raises
    ------
    ValueError
        If there are no points, or the methods fall into groups that never met.
    """
    won = np.asarray(points, dtype=float)
    size = won.shape[-1]
    everything = won.reshape(-1, size, size).sum(axis=0)
    met = (everything + everything.T > 0) & ~np.eye(size, dtype=bool)
    if not met.any() or not _connected(met):
        raise ValueError("strengths need points, and methods that all met, if by way of others")
    return _newton(won + prior / 2 * met)


def strengths(
    table: pd.DataFrame, methods: Sequence[str], *, seed: int, resamples: int = RESAMPLES
) -> pd.Series:
    """Return Bradley-Terry strengths with intervals that draw whole moves.

    Returns
    -------
    pandas.Series
        An :class:`Interval` for each method that took part, strongest first; ``n`` is the number
        of its answers. Of two methods ``d`` apart the stronger wins with chance
        ``1 / (1 + exp(-d))``.
    """
    seen = set(table["first"]) | set(table["second"])
    names = [name for name in methods if name in seen]
    points = win_points(table, names)
    value = bradley_terry(points.sum(axis=0))
    weights = cluster_weights(len(points), seed=seed, resamples=resamples)
    drawn = np.tensordot(weights, points, axes=1)
    samples = bradley_terry(drawn)
    counts = (points + points.transpose(0, 2, 1)).sum(axis=(0, 2)).astype(int)
    found = {
        name: percentile_interval(
            float(value[k]), samples[:, k], int(counts[k]), clusters=len(points)
        )
        for k, name in enumerate(names)
    }
    return pd.Series(dict(sorted(found.items(), key=lambda one: -one[1].value)), dtype=object)


def length_controlled(
    table: pd.DataFrame, words: Mapping[tuple[str, str], int], methods: Sequence[str]
) -> tuple[pd.DataFrame, float]:
    """Return win rates at equal length, beside the raw ones.

    A logistic regression explains who wins an answer by the strength of both methods, by the
    place (first or second) and by the difference of their lengths; the win rate is then
    computed with the difference set to nought and averaged over both places.
    Source of the idea: Dubois et al., "Length-Controlled AlpacaEval" (2024).

    Parameters
    ----------
    table
        Of :func:`chessgloss.pairwise.swaps.as_table`.
    words
        Words of each comment, by move and method.
    methods
        The methods.

    Returns
    -------
    rates : pandas.DataFrame
        Columns ``raw`` and ``at equal length``, a row a method: mean chance to win against each
        other method that it met.
    worth : float
        What ten more words than the rival add to the log-odds of winning.
    """
    gap = np.array(
        [
            (words[row.move, row.first] - words[row.move, row.second]) / 10
            for row in table.itertuples(index=False)
        ]
    )
    strength, worth, place = _fit_lengths(table, gap, methods)
    matrix = win_matrix(table, methods)
    level = pd.DataFrame(_chances(strength, place), index=list(methods), columns=list(methods))
    raw = matrix.mean(axis=1)
    return pd.DataFrame(
        {"raw": raw, "at equal length": level.where(matrix.notna()).mean(axis=1)}
    ), worth


def _fit_lengths(
    table: pd.DataFrame, gap: NDArray[np.float64], methods: Sequence[str]
) -> tuple[NDArray[np.float64], float, float]:
    """Return the strengths, the worth of ten words and of the first place, in log-odds."""
    sides = [
        table[side].to_numpy()[:, None] == np.array(methods)[None] for side in ("first", "second")
    ]
    features = np.column_stack([sides[0].astype(float) - sides[1], gap])
    won = table["points"].to_numpy(dtype=float)
    rows, outcomes = np.vstack([features, features]), np.repeat([1, 0], len(table))
    fit = LogisticRegression(C=_LOOSE, max_iter=1_000)
    fit.fit(rows, outcomes, sample_weight=np.concatenate([won, 1 - won]))
    return fit.coef_[0, :-1], float(fit.coef_[0, -1]), float(fit.intercept_[0])


def _chances(strength: NDArray[np.float64], place: float) -> NDArray[np.float64]:
    """Return the chance of each to beat each, averaged over both places."""
    gap = strength[:, None] - strength[None]
    return (_logistic(gap + place) + _logistic(gap - place)) / 2


def _newton(points: NDArray[np.float64]) -> NDArray[np.float64]:
    games = points + np.swapaxes(points, -1, -2)
    strength = np.zeros(points.shape[:-1])
    for _ in range(_STEPS):
        chance = _logistic(strength[..., :, None] - strength[..., None, :])
        gradient = (points - games * chance).sum(axis=-1)
        step = np.linalg.solve(_curvature(games * chance * (1 - chance)), gradient[..., None])
        step = np.clip(step[..., 0], -_LONGEST, _LONGEST)
        strength = strength + step
        if np.abs(step).max() < _STILL:
            break
    return strength - strength.mean(axis=-1, keepdims=True)


def _curvature(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return minus the second derivatives, made invertible along the free constant."""
    size = weight.shape[-1]
    diagonal = np.eye(size) * weight.sum(axis=-1)[..., None]
    return diagonal - weight + 1 / size


def _connected(met: NDArray[np.bool_]) -> bool:
    reach = np.eye(len(met), dtype=bool) | met
    for _ in range(len(met)):
        reach = reach @ reach
    return bool(reach.all())


def _logistic(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-odds))
