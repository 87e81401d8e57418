"""A score of correctness that combines judge and verifier.

Chance that all claims of a text are true, by a logistic regression on the judge's score of
relevance and on how many claims the verifier holds for true and for false.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chessgloss.claims import Checked

#: More claims of a kind than this say nothing more.
MOST_CLAIMS = 3


@dataclass(frozen=True, slots=True)
class Correctness:
    """A fitted combination.

    Parameters
    ----------
    intercept
        Logit of a text that the judge scores lowest and in which no claim was decided.
    judge
        Change of the logit from the judge's lowest score to its highest.
    true, false
        Change with each claim that the verifier holds for true, for false.
    """

    intercept: float
    judge: float
    true: float
    false: float

    def score(self, judged: ArrayLike, counts: ArrayLike) -> NDArray[np.float64]:
        """Return the chance, 0 to 1, that all claims are true.

        Parameters
        ----------
        judged
            Shape ``(n,)``: the judge's scores as shares of the scale.
        counts
            Shape ``(n, 2)``: claims held for true and for false (:func:`claim_counts`).
        """
        logit = _features(judged, counts) @ np.array([self.judge, self.true, self.false])
        return 1 / (1 + np.exp(-(logit + self.intercept)))


def fit_correctness(judged: ArrayLike, counts: ArrayLike, true: ArrayLike) -> Correctness:
    """Fit the combination on labelled texts.

    Parameters
    ----------
    judged, counts
        As for :meth:`Correctness.score`.
    true
        Shape ``(n,)``: whether all claims of the text are true.

    Raises
    ------
    ValueError
        If all texts have the same label.
    """
    from sklearn.linear_model import LogisticRegression

    labels = np.asarray(true, dtype=bool)
    if labels.all() or not labels.any():
        raise ValueError("true and false texts are needed to fit a score of correctness")
    fitted = LogisticRegression().fit(_features(judged, counts), labels)
    judge, held_true, held_false = (float(one) for one in fitted.coef_[0])
    return Correctness(float(fitted.intercept_[0]), judge, held_true, held_false)


def claim_counts(texts: Iterable[Sequence[Checked]]) -> NDArray[np.int64]:
    """Return how many claims of each text are held for true and for false: ``(n, 2)``."""
    rows = [
        [sum(one.verdict == verdict for one in checked) for verdict in ("true", "false")]
        for checked in texts
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def _features(judged: ArrayLike, counts: ArrayLike) -> NDArray[np.float64]:
    scores = np.asarray(judged, dtype=float)
    if not np.isfinite(scores).all():
        raise ValueError("leave unscored texts out: a judge's score is missing")
    return np.column_stack([scores, np.minimum(np.asarray(counts), MOST_CLAIMS)])
