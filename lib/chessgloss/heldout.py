"""What fitted concepts are worth on games that no fit has seen, with intervals over games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from chessgloss.concepts import cut_tails, turn_terms
from chessgloss.probing import Fitted, Labelled, fit_concepts
from chessgloss.stats import (
    RESAMPLES,
    Interval,
    cluster_weights,
    mean_interval,
    percentile_interval,
)

Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Scores of one concept on the tail rows of games that no fit has seen.

    Parameters
    ----------
    concept
        Name of the concept.
    games, positive, scores
        Shape ``(m,)`` each: the row's game, its label, its score (positive means yes).
    """

    concept: str
    games: NDArray[np.int32]
    positive: NDArray[np.bool_]
    scores: NDArray[np.float32]

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each row falls on the right side of the plane."""
        return (self.scores > 0) == self.positive


def held_out(
    fitted: Fitted, features: NDArray, labelled: Labelled, part: str = "test"
) -> list[HeldOut]:
    """Score the tail rows of one part of the games, one record a concept."""
    found = []
    for k, (concept, tails) in enumerate(zip(labelled.terms, fitted.tails, strict=True)):
        here = labelled.splits[tails.rows] == part
        rows, positive = tails.rows[here], tails.positive[here]
        weights, bias = fitted.vectors.weights[k], fitted.vectors.biases[k]
        scores = np.asarray(features[rows], np.float32) @ weights + bias
        found.append(HeldOut(concept, labelled.games[rows], positive, scores))
    return found


def held_out_turned(
    fitted: Fitted,
    features: NDArray,
    labelled: Labelled,
    white_to_move: NDArray[np.bool_],
    *,
    seed: int,
    part: str = "test",
) -> list[HeldOut]:
    """Score White's and Black's terms with vectors fitted on own and opponent's terms.

    Parameters
    ----------
    fitted
        Fitted on :func:`chessgloss.concepts.turn_terms` of the values.
    labelled
        The positions with White's and Black's terms, whose tails are cut here.
    white_to_move
        Shape ``(n,)``.
    seed
        Seed of the lot among ties.
    """
    found = []
    for k, concept in enumerate(labelled.terms):
        tails = cut_tails(labelled.values[:, k], seed=seed)
        here = labelled.splits[tails.rows] == part
        rows = tails.rows[here]
        own = fitted.vectors.scores(features[rows])
        scores = turn_terms(own, labelled.terms, white_to_move[rows])[:, k]
        found.append(HeldOut(concept, labelled.games[rows], tails.positive[here], scores))
    return found


def score_in_view(
    features: NDArray,
    labelled: Labelled,
    white_to_move: NDArray[np.bool_],
    view: Literal["white", "mover"],
    *,
    c: float,
    seed: int,
    part: str = "test",
) -> list[HeldOut]:
    """Fit concepts on the terms as the features see the board; score White's and Black's.

    So that layers with different points of view can be compared: one that sees the board from
    the side to move is fitted on own and opponent's terms, and its scores are turned back.

    Parameters
    ----------
    features
        Shape ``(n, d)``.
    labelled
        The positions with White's and Black's terms.
    white_to_move
        Shape ``(n,)``.
    view
        Whose the features are; see :meth:`chessgloss.experts.Representation.orientation`.
    c, seed
        Of the support vector machines.
    part
        The part of the games that is scored.
    """
    if view == "white":
        fitted = fit_concepts(features, labelled, cs=(c,), seed=seed)
        return held_out(fitted, features, labelled, part)
    values = turn_terms(labelled.values, labelled.terms, white_to_move)
    fitted = fit_concepts(features, replace(labelled, values=values), cs=(c,), seed=seed)
    return held_out_turned(fitted, features, labelled, white_to_move, seed=seed, part=part)


def table_of(results: Iterable[HeldOut], *, seed: int) -> pd.DataFrame:
    """Return accuracy (with interval over games), precision and recall of each concept."""
    rows = {}
    for one in results:
        said, right = one.scores > 0, one.positive
        rows[one.concept] = {
            "accuracy": accuracy([one], seed=seed),
            "precision": float((said & right).sum() / max(said.sum(), 1)),
            "recall": float((said & right).sum() / max(right.sum(), 1)),
            "n": len(right),
        }
    return pd.DataFrame(rows).T


def accuracy(
    results: Sequence[HeldOut],
    minus: Sequence[HeldOut] = (),
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return the mean accuracy over concepts, or its difference to another probe's.

    Parameters
    ----------
    results, minus
        Records of the same concepts; each concept counts alike.
    seed, resamples
        Of the bootstrap. Whole games are drawn, once for all concepts and both probes, so
        that the interval of a difference is a paired one. One concept alone is a plain share
        (:func:`chessgloss.stats.mean_interval`).
    """
    if len(results) == 1 and not minus:
        return mean_interval(results[0].correct, results[0].games, seed=seed)
    return _signed_accuracy((results,), (minus,) if minus else (), seed, resamples)


def gain_difference(
    first: tuple[Sequence[HeldOut], Sequence[HeldOut]],
    second: tuple[Sequence[HeldOut], Sequence[HeldOut]],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return by how much one gain in mean accuracy is larger than another.

    Parameters
    ----------
    first, second
        Each the records of a probe and of the probe that it is compared with; the rows of the
        two gains may differ.
    seed, resamples
        Of the bootstrap: whole games are drawn, once for all four.
    """
    return _signed_accuracy((first[0], second[1]), (first[1], second[0]), seed, resamples)


def full_range(
    fitted: Fitted, features: NDArray, labelled: Labelled, *, rows: NDArray[np.int64] | None = None
) -> pd.DataFrame:
    """Measure the scores on the middle 90 % of held-out positions, which no tail holds.

    Parameters
    ----------
    fitted, features, labelled
        As for :func:`held_out`.
    rows
        Rows to look at, for a set too large to score whole; all by default.

    Returns
    -------
    DataFrame
        For each concept: ``auc`` (above against below the median of the middle),
        ``spearman``, and ``r2``: the share of the term's variance that its score explains,
        with the straight line between them fitted on training games.
    """
    rows = np.arange(len(labelled)) if rows is None else rows
    scores = fitted.vectors.scores(features[rows])
    found = {}
    for k, concept in enumerate(labelled.terms):
        middle = ~np.isin(rows, fitted.tails[k].rows)
        train, test = (middle & (labelled.splits[rows] == part) for part in ("train", "test"))
        found[concept] = _range_row(scores[:, k], labelled.values[rows, k], train, test)
    return pd.DataFrame(found).T


def _range_row(
    score: Floats, term: Floats, train: NDArray[np.bool_], test: NDArray[np.bool_]
) -> dict[str, float]:
    slope, offset = np.polyfit(score[train].astype(float), term[train].astype(float), 1)
    seen, truth = score[test].astype(float), term[test].astype(float)
    above, varies = truth > np.median(truth), truth.var() > 0
    return {
        "auc": roc_auc_score(above, seen) if 0 < above.sum() < above.size else np.nan,
        "spearman": float(spearmanr(seen, truth).statistic) if varies else np.nan,
        "r2": 1 - float((truth - slope * seen - offset).var() / truth.var()) if varies else np.nan,
    }


def _signed_accuracy(
    plus: Sequence[Sequence[HeldOut]], minus: Sequence[Sequence[HeldOut]], seed: int, resamples: int
) -> Interval:
    """Return the sum of mean accuracies less that of others, games drawn once for all."""
    records = [one for group in (*plus, *minus) for one in group]
    games, index = np.unique(np.concatenate([one.games for one in records]), return_inverse=True)
    weights = cluster_weights(games.size, seed=seed, resamples=resamples)
    weights = np.vstack([np.ones(games.size, weights.dtype), weights])
    parts = iter(np.split(index, np.cumsum([len(one.games) for one in records])[:-1]))
    means = [
        np.mean([_drawn_accuracy(one, next(parts), weights) for one in group], axis=0)
        for group in (*plus, *minus)
    ]
    samples = sum(means[: len(plus)]) - sum(means[len(plus) :])
    return percentile_interval(
        float(samples[0]), samples[1:], index.size, clusters=games.size, share=not minus
    )


def _drawn_accuracy(one: HeldOut, index: NDArray, weights: NDArray) -> Floats:
    size = weights.shape[1]
    right = weights @ np.bincount(index, one.correct, minlength=size)
    return right / np.maximum(weights @ np.bincount(index, minlength=size), 1)
