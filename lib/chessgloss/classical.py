"""Classical measures of a text against a human one, and how scores go together.

The measures are the CCC paper's (Table 4): BLEU-1 as sacrebleu computes it for one sentence,
the F-measures of ROUGE-1, ROUGE-2 and ROUGE-L as rouge-score does. All are shares, 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import pandas as pd

from chessgloss.stats import Kind, correlation

#: Name of each measure in keys, and as the CCC paper's Table 4 calls it.
MEASURES: Mapping[str, str] = MappingProxyType(
    {"bleu1": "BLEU-1", "rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougel": "ROUGE-L"}
)

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


@cache
def _bleu() -> Any:
    from sacrebleu.metrics import BLEU

    return BLEU(max_ngram_order=1, effective_order=True, lowercase=True)


@cache
def _rouge() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(list(_ROUGE.values()), use_stemmer=True)
