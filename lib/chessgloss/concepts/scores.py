"""What concepts and rankings of concepts are worth on games that no fit has seen.

Held-out scores are a tidy frame, one row a concept and position: ``concept``, ``game``,
``positive`` (its label), ``score`` (above zero means yes) and ``correct``. Intervals draw
whole games.

Rankings are arrays, rows are moves and columns are terms. ``truth`` is the true change of each
term in standard deviations; the *size* of the change is what counts. A move on which a measure
says nothing gets NaN there: leave it out by name, not by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from chessgloss.concepts.fit import Fitted, Labelled, Tails, turn_terms
from chessgloss.stats import (
    Floats,
    Interval,
    cluster_weights,
    mean_interval,
    percentile_interval,
)

#: A row an example that was held out: ``concept``, ``game``, and whether the sign was ``correct``
#: (:func:`held_out`).
Scored: TypeAlias = pd.DataFrame

#: How many concepts a comment can use: the documents name up to five a move.
TOP = 5


def held_out(
    fitted: Fitted,
    features: NDArray,
    labelled: Labelled,
    part: str = "test",
    *,
    tails: Sequence[Tails] | None = None,
    white_to_move: NDArray[np.bool_] | None = None,
) -> pd.DataFrame:
    """Score the positions of each concept's two classes in one part of the games.

    Parameters
    ----------
    fitted, features, labelled
        Fitted concepts, and the positions with their activations.
    part
        The part of the games.
    tails
        Other positions than those that each concept was fitted and chosen on.
    white_to_move
        Shape ``(n,)``: for vectors fitted on own and opponent's terms, whose scores are then
        turned back to White's and Black's (:func:`chessgloss.concepts.fit.turn_terms`).

    Returns
    -------
    DataFrame
        ``concept``, ``game``, ``positive``, ``score``, ``correct``.
    """
    vectors = fitted.vectors
    tables = []
    for k, its in enumerate(fitted.tails if tails is None else tails):
        here = its.take(labelled.splits[its.rows] == part)
        rows = np.asarray(features[here.rows], np.float32)
        if white_to_move is None:
            scores = rows @ vectors.weights[k] + vectors.biases[k]
        else:
            own = vectors.scores(rows)
            scores = turn_terms(own, labelled.terms, white_to_move[here.rows])[:, k]
        columns = {
            "game": labelled.games[here.rows],
            "positive": here.positive,
            "score": scores,
        }
        tables.append(pd.DataFrame({"concept": labelled.terms[k], **columns}))
    table = pd.concat(tables, ignore_index=True)
    return table.assign(correct=(table["score"] > 0) == table["positive"])


def table_of(results: Scored, *, seed: int) -> pd.DataFrame:
    """Return accuracy (with interval over games), precision and recall of each concept."""
    measures = {}
    for concept, rows in results.groupby("concept", sort=False):
        hits = (rows["correct"] & rows["positive"]).sum()
        named = (rows["score"] > 0).sum()
        measures[concept] = {
            "accuracy": accuracy(rows, seed=seed),
            "precision": hits / max(named, 1),
            "recall": hits / max(rows["positive"].sum(), 1),
            "n": len(rows),
        }
    return pd.DataFrame(measures).T


def accuracy(
    results: Scored,
    minus: Scored | None = None,
    *,
    seed: int,
    concepts: int | None = None,
) -> Interval:
    """Return the mean accuracy over concepts, or its difference to another probe's.

    Each concept counts alike; where ``concepts`` says how many there are, one without any row
    counts as 0 (no difference). Whole games are drawn, once for all concepts and both probes, so
    that the interval of a difference is a paired one. One concept alone is a plain share
    (:func:`chessgloss.stats.mean_interval`).
    """
    if results["concept"].nunique() == 1 and minus is None:
        return mean_interval(results["correct"], results["game"], seed=seed)
    less = [] if minus is None else [minus]
    return signed_accuracy([results], less, seed=seed, concepts=concepts)


def signed_accuracy(
    plus: Sequence[Scored],
    minus: Sequence[Scored] = (),
    *,
    seed: int,
    concepts: int | None = None,
) -> Interval:
    """Return the sum of some probes' mean accuracies less that of others.

    With two on each side it says by how much one gain is larger than another.

    Parameters
    ----------
    plus, minus
        Held-out results of each probe; their rows may differ.
    seed
        Of the bootstrap: whole games are drawn, once for all probes.
    concepts
        As for :func:`accuracy`.

    Returns
    -------
    Interval
        Its ``n`` counts the rows of the probe that has most: probes share their positions.
    """
    both = [*plus, *minus]
    games = np.unique(np.concatenate([table["game"] for table in both]))
    drawn = cluster_weights(games.size, seed=seed)
    weights = np.vstack([np.ones(games.size), drawn])

    def means(table: Scored) -> Floats:
        cells = table.groupby(["concept", "game"])["correct"].agg(["sum", "size"])
        right, rows = (cells[name].unstack(fill_value=0) for name in ("sum", "size"))
        columns = weights[:, np.searchsorted(games, rows.columns)]
        shares = (columns @ right.to_numpy(float).T) / np.maximum(
            columns @ rows.to_numpy().T, 1
        )
        return shares.sum(axis=1) / (concepts or shares.shape[1])

    samples = np.sum([means(table) for table in plus], axis=0)
    samples = samples - np.sum(
        [means(table) for table in minus] or [0.0 * samples], axis=0
    )
    value = float(samples[0])
    n = max(map(len, both))
    return percentile_interval(
        value, samples[1:], n, clusters=games.size, share=not minus
    )


def top_columns(scores: ArrayLike, top: int = TOP) -> NDArray[np.int64]:
    """Return the columns of the ``top`` highest scores of each row, highest first."""
    return np.argsort(-np.asarray(scores), axis=1, kind="stable")[:, :top]


def top_mask(scores: ArrayLike) -> NDArray[np.bool_]:
    """Return a mask of the :data:`TOP` highest scores of each row, ``(n, k)``."""
    mask = np.zeros(np.shape(scores), bool)
    np.put_along_axis(mask, top_columns(scores), True, axis=1)
    return mask


def ndcg(scores: ArrayLike, truth: ArrayLike) -> Floats:
    """Return nDCG at :data:`TOP` of each move, gain = size of the true change.

    Discounts are ``1 / log2(rank + 1)`` (Järvelin and Kekäläinen, 2002). NaN where nothing
    changes or a score is NaN. Equal scores keep the order of the columns: break ties before,
    where it matters.

    Parameters
    ----------
    scores
        Shape ``(n, k)``: the higher, the earlier in the ranking.
    truth
        Shape ``(n, k)``: true changes, signed or not.
    """
    gain = np.abs(np.asarray(truth, float))
    discount = 1 / np.log2(np.arange(2, TOP + 2))
    reached = np.take_along_axis(gain, top_columns(scores), axis=1) @ discount
    best = -np.sort(-gain, axis=1)[:, :TOP] @ discount
    known = (best > 0) & _has_scores(scores)
    return np.divide(reached, best, out=np.full(len(gain), np.nan), where=known)


def precision(scores: ArrayLike, truth: ArrayLike) -> Floats:
    """Return the share of the :data:`TOP` most changed terms among the first :data:`TOP` ranked.

    NaN for a move that changes fewer terms: there a tie of zeros would decide; and where a score
    is NaN. Where equal changes straddle the cut, any of them counts.
    """
    gain = np.abs(np.asarray(truth, float))
    cut = -np.sort(-gain, axis=1)[:, TOP - 1]
    hits = np.take_along_axis(gain, top_columns(scores), axis=1) >= cut[:, None]
    known = (cut > 0) & _has_scores(scores)
    return np.where(known, hits.mean(axis=1), np.nan)


def _has_scores(scores: ArrayLike) -> NDArray[np.bool_]:
    """Return a mask of the rows with a score in every column."""
    missing = np.isnan(np.asarray(scores))
    return ~missing.any(axis=1)
