"""Measures of a ranking of concepts against what a move really changed.

Rows are moves, columns are terms. ``truth`` is the true change of each term in standard
deviations; the *size* of the change is what counts, its direction has a measure of its own.
A move on which a measure says nothing gets NaN there: leave it out by name, not by chance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: How many concepts a comment can use: the documents name up to five a move.
TOP = 5


def ndcg(scores: ArrayLike, truth: ArrayLike, top: int = TOP) -> NDArray[np.float64]:
    """Return nDCG at ``top`` of each move, gain = size of the true change.

    Discounts are ``1 / log2(rank + 1)`` (Järvelin and Kekäläinen, 2002). NaN where nothing
    changes. Equal scores keep the order of the columns: break ties before, where it matters.

    Parameters
    ----------
    scores
        Shape ``(n, k)``: the higher, the earlier in the ranking.
    truth
        Shape ``(n, k)``: true changes, signed or not.
    """
    gain = np.abs(np.asarray(truth, float))
    discount = 1 / np.log2(np.arange(2, top + 2))
    found = np.take_along_axis(gain, top_columns(scores, top), axis=1) @ discount
    best = -np.sort(-gain, axis=1)[:, :top] @ discount
    return np.divide(found, best, out=np.full(len(gain), np.nan), where=best > 0)


def precision(scores: ArrayLike, truth: ArrayLike, top: int = TOP) -> NDArray[np.float64]:
    """Return the share of the ``top`` most changed terms among the first ``top`` ranked.

    NaN for a move that changes fewer than ``top`` terms: there a tie of zeros would decide.
    Where equal changes straddle the cut, any of them counts.
    """
    gain = np.abs(np.asarray(truth, float))
    cut = -np.sort(-gain, axis=1)[:, top - 1]
    hits = np.take_along_axis(gain, top_columns(scores, top), axis=1) >= cut[:, None]
    return np.where(cut > 0, hits.mean(axis=1), np.nan)


def sign_accuracy(
    scores: ArrayLike, changes: ArrayLike, truth: ArrayLike, top: int = TOP
) -> NDArray[np.float64]:
    """Return how often the direction is right among the first ``top`` terms that do change.

    NaN for a move none of whose first ``top`` terms changes.

    Parameters
    ----------
    scores
        Shape ``(n, k)``: what the terms are ranked by.
    changes
        Shape ``(n, k)``: predicted changes, of which the sign is used.
    truth
        Shape ``(n, k)``: true changes.
    """
    named = top_columns(scores, top)
    real, said = (np.take_along_axis(np.asarray(x), named, axis=1) for x in (truth, changes))
    moved = real != 0
    right = ((np.sign(real) == np.sign(said)) & moved).sum(axis=1)
    count = moved.sum(axis=1)
    return np.divide(right, count, out=np.full(len(real), np.nan), where=count > 0)


def top_columns(scores: ArrayLike, top: int = TOP) -> NDArray[np.int64]:
    """Return the columns of the ``top`` highest scores of each row, highest first."""
    return np.argsort(-np.asarray(scores), axis=1, kind="stable")[:, :top]


def top_mask(scores: ArrayLike, top: int = TOP) -> NDArray[np.bool_]:
    """Return which columns are among the ``top`` highest scores of each row, ``(n, k)``."""
    mask = np.zeros(np.shape(scores), bool)
    np.put_along_axis(mask, top_columns(scores, top), True, axis=1)
    return mask


def explained(predicted: ArrayLike, truth: ArrayLike) -> NDArray[np.float64]:
    """Return the share of the variance of each column that the prediction explains, ``(k,)``.

    Below zero where the column's mean would do better; NaN for a column that never varies.
    """
    told, real = np.asarray(predicted, float), np.asarray(truth, float)
    variance = real.var(axis=0)
    error = ((told - real) ** 2).mean(axis=0)
    return 1 - np.divide(error, variance, out=np.full(len(variance), np.nan), where=variance > 0)
