"""Classical measures of a text against a human one, and how scores go together.

The measures are the CCC paper's (Table 4): BLEU-1 as sacrebleu computes it for one sentence,
the F-measures of ROUGE-1, ROUGE-2 and ROUGE-L as rouge-score does. All are shares, 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from chessgloss.measures import Interval, cluster_weights, percentile_interval

#: Name of each measure in keys, and as the CCC paper's Table 4 calls it.
MEASURES: Mapping[str, str] = MappingProxyType(
    {"bleu1": "BLEU-1", "rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougel": "ROUGE-L"}
)

Kind = Literal["pearson", "kendall"]

_ROUGE = {"rouge1": "rouge1", "rouge2": "rouge2", "rougel": "rougeL"}


def similarity(text: str, human: str) -> dict[str, float]:
    """Return each of :data:`MEASURES` for a text against the human comment on the same move.

    BLEU-1 is the share of the text's words that the human text holds, times a penalty if the
    text is shorter; case does not count. ROUGE compares stems.

    Raises
    ------
    ValueError
        If one of the two is empty.
    """
    if not text.strip() or not human.strip():
        raise ValueError("two texts are compared, one is empty")
    bleu = _bleu().sentence_score(text, [human]).score / 100
    rouge = _rouge().score(human, text)
    return {"bleu1": bleu} | {name: rouge[key].fmeasure for name, key in _ROUGE.items()}


def similarities(comments: pd.DataFrame, references: Mapping[str, str]) -> pd.DataFrame:
    """Return the measures of all comments whose move has a human comment.

    Parameters
    ----------
    comments
        Columns ``move``, ``method``, ``state``, ``text``; the human ones (``reference``) and
        those that were not answered are left out.
    references
        Human comments by move.

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, ``method`` and the names of :data:`MEASURES`.
    """
    told = comments[(comments["state"] == "answered") & (comments["method"] != "reference")]
    rows = [
        {"move": one.move, "method": one.method, **similarity(one.text, references[one.move])}
        for one in told.itertuples()
        if one.move in references
    ]
    return pd.DataFrame(rows, columns=["move", "method", *MEASURES])


def correlation(
    first: ArrayLike,
    second: ArrayLike,
    kind: Kind,
    clusters: ArrayLike | None = None,
    *,
    seed: int,
    resamples: int = 300,
) -> Interval | None:
    """Return how two scores of the same texts go together, with a bootstrap interval.

    Parameters
    ----------
    first, second
        Shape ``(n,)``; rows in which one is ``nan`` are left out.
    kind
        ``pearson``, or ``kendall`` for Kendall's tau-b.
    clusters
        Shape ``(n,)``: rows of one cluster (a move) are drawn together.
    seed
        Seed of the resampling.
    resamples
        How many; those in which a score is constant are left out.

    Returns
    -------
    Interval or None
        ``None`` if a score is the same in all rows.
    """
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    labels = np.arange(one.size) if clusters is None else np.asarray(clusters)
    known = np.isfinite(one) & np.isfinite(other)
    one, other = one[known], other[known]
    value = _together(one, other, kind)
    if not np.isfinite(value):
        return None
    drawn = [
        _together(one[rows], other[rows], kind) for rows in _draws(labels[known], seed, resamples)
    ]
    held = [each for each in drawn if np.isfinite(each)] or [value]
    drawn_from = np.unique(labels[known]).size
    return percentile_interval(value, held, one.size, clusters=drawn_from)


def correlations(
    scores: pd.DataFrame,
    rows: Sequence[str],
    columns: Sequence[str],
    cluster: str,
    *,
    seed: int,
    resamples: int = 300,
) -> pd.DataFrame:
    """Return Pearson's and Kendall's correlations, laid out as in the CCC paper's Table 4.

    Parameters
    ----------
    scores
        One row a comment, one column a score.
    rows, columns
        Names of the scores down the side and across the top.
    cluster
        Column of what is resampled.
    seed, resamples
        As for :func:`correlation`.

    Returns
    -------
    pandas.DataFrame
        Rows as given; columns are pairs of a score and ``pearson`` or ``kendall``; cells are
        intervals, or ``None`` where a score is constant.
    """
    kinds: tuple[Kind, ...] = ("pearson", "kendall")
    cells = {
        (column, kind): {
            row: correlation(
                scores[row], scores[column], kind, scores[cluster], seed=seed, resamples=resamples
            )
            for row in rows
        }
        for column in columns
        for kind in kinds
    }
    return pd.DataFrame(cells, index=list(rows), dtype=object)


def _together(one: NDArray[Any], other: NDArray[Any], kind: Kind) -> float:
    """Return a correlation; ``nan`` if one side is constant."""
    from scipy import stats

    if one.size < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    measure: Callable[..., Any] = stats.pearsonr if kind == "pearson" else stats.kendalltau
    return float(measure(one, other).statistic)


def _draws(labels: NDArray[Any], seed: int, resamples: int) -> list[NDArray[np.int64]]:
    """Return the rows of each bootstrap sample, whole clusters at a time."""
    _, index = np.unique(labels, return_inverse=True)
    weights = cluster_weights(int(index.max()) + 1, seed=seed, resamples=resamples)[:, index]
    return [np.repeat(np.arange(index.size), each) for each in weights]


@cache
def _bleu() -> Any:
    from sacrebleu.metrics import BLEU

    return BLEU(max_ngram_order=1, effective_order=True, lowercase=True)


@cache
def _rouge() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(list(_ROUGE.values()), use_stemmer=True)
