"""How well a model answers the questions of :mod:`chessgloss.tracking.probes`, in per cent.

Three scores of the state-tracking paper's section 3.3. *LgM accuracy*: is the most probable
next token right by the rules? *R-precision*: of the R most probable, how many are, where R is
the number of right answers? *ExM accuracy*: is the most probable one what was played? The
model chooses among all 77 tokens: that a prompt wants a square is part of what it must know.
Where tokens are equally probable each of them counts in part, as if the order of the equal
ones were drawn at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from chessgloss.stats import Interval, cluster_weights, mean_interval
from chessgloss.tracking.baselines import Judged
from chessgloss.tracking.probes import Instance
from chessgloss.tracking.tokens import VOCABULARY_SIZE


@dataclass(frozen=True, slots=True)
class ProbeScores:
    """Scores of one model on one set of instances, in per cent, each with its interval.

    Parameters
    ----------
    lgm
        Accuracy by the rules.
    rprec
        R-precision by the rules.
    exm
        Accuracy by the move played; None where no move was (the Other tasks).
    above
        Names of the scores that beat a baseline's on the same questions; None where none was
        set beside them, as for a baseline itself.
    """

    lgm: Interval
    rprec: Interval
    exm: Interval | None
    above: frozenset[str] | None = None

    def judged(self, name: str) -> Judged | Interval | None:
        """Return a score by its name, marked if it does not beat the baseline beside it."""
        value: Interval | None = getattr(self, name)
        return value if value is None or self.above is None else Judged(value, name in self.above)


def score_probes(
    log_probabilities: ArrayLike,
    instances: Sequence[Instance],
    *,
    seed: int,
    against: ArrayLike | None = None,
) -> ProbeScores:
    """Score next-token log-probabilities on the instances of one task.

    Parameters
    ----------
    log_probabilities
        Shape ``(n, 77)``; of each row only the order matters.
    instances
        The ``n`` questions, all of one task.
    seed
        Of the intervals, which resample games.
    against
        The answers of a baseline, in the same form. A score beats it if the 95 % interval of
        their difference on the same questions lies above 0; ExM has to beat an even draw among
        the right answers as well.

    Raises
    ------
    ValueError
        If there is no instance, the shapes differ, a value is not a number, or the tasks are
        mixed.
    """
    if len({one.task for one in instances}) != 1:
        raise ValueError("score the instances of one task at a time; choose them with select")
    rows = answer_table(log_probabilities, instances)
    means = {
        name: mean_interval(rows[name], rows["game"], seed=seed).in_percent()
        for name in ("lgm", "rprec", "exm")
        if name in rows
    }
    above = None
    if against is not None:
        ground = answer_table(against, instances)
        above = frozenset(name for name in means if beats(rows, ground, name, seed=seed))
        drawn = rows.assign(exm=[1 / len(one.legal) for one in instances])
        if "exm" in above and not beats(rows, drawn, "exm", seed=seed):
            above -= {"exm"}
    return ProbeScores(means["lgm"], means["rprec"], means.get("exm"), above)


def beats(rows: pd.DataFrame, ground: pd.DataFrame, name: str = "lgm", *, seed: int) -> bool:
    """Say whether one table of answers is better than another on the same questions.

    It is if the 95 % interval of the mean difference of a score (a column of
    :func:`answer_table`), over games, lies above 0.
    """
    _, index = np.unique(rows["game"], return_inverse=True)
    weights = _weights(int(index.max()) + 1, seed)
    drawn = weights @ np.bincount(index, rows[name] - ground[name])
    return bool(np.percentile(drawn / (weights @ np.bincount(index)), 2.5) > 0)


@lru_cache(maxsize=2)
def _weights(games: int, seed: int) -> NDArray[np.float64]:
    """Return the draws of games: the same for all models, made once, and ready for products."""
    return cluster_weights(games, seed=seed).astype(float)


def answer_table(log_probabilities: ArrayLike, instances: Sequence[Instance]) -> pd.DataFrame:
    """Return the scores of each instance, as shares from 0 to 1.

    Returns
    -------
    pandas.DataFrame
        One row an instance: ``game``, ``task``, ``band``, ``predicted`` (id of the most
        probable token, the lowest of equals), ``lgm``, ``rprec`` and, if every instance has an
        exact answer, ``exm``.
    """
    scores = _checked(log_probabilities, len(instances))
    right = _answers([one.legal for one in instances])
    columns = {
        "game": [one.game for one in instances],
        "task": [one.task for one in instances],
        "band": [one.band for one in instances],
        "predicted": scores.argmax(axis=1),
        "lgm": precision_at(scores, right, np.ones(len(instances), dtype=np.int64)),
        "rprec": precision_at(scores, right, right.sum(axis=1)),
    }
    exact = [frozenset({one.exact}) for one in instances if one.exact is not None]
    if len(exact) == len(instances):
        ones = np.ones(len(instances), dtype=np.int64)
        columns["exm"] = precision_at(scores, _answers(exact), ones)
    return pd.DataFrame(columns)


def precision_at(
    scores: NDArray, right: NDArray[np.bool_], count: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the share of right tokens among the ``count`` of highest score, row by row.

    Parameters
    ----------
    scores, right
        Shape ``(n, tokens)``.
    count
        Shape ``(n,)``, from 1 up: the R of R-precision, or 1 for accuracy.

    Returns
    -------
    numpy.ndarray
        Shape ``(n,)``. Tokens that tie for the last places share them: the expected value over
        all their orders.
    """
    falling = -np.sort(-scores, axis=1)
    last = np.take_along_axis(falling, count[:, None] - 1, axis=1)
    above, level = scores > last, scores == last
    places = count - above.sum(axis=1)
    shared = (level & right).sum(axis=1) * places / level.sum(axis=1)
    return ((above & right).sum(axis=1) + shared) / count


def random_legal(instances: Sequence[Instance], *, seed: int) -> Interval:
    """Return the ExM accuracy, in per cent, of drawing evenly among the right answers.

    It is computed, not drawn: the mean of one over the number of right answers (the *Random
    Legal* row of the paper's Tables 5 and 6).
    """
    chances = [100 / len(one.legal) for one in instances]
    return mean_interval(chances, [one.game for one in instances], seed=seed)


def _answers(sets: Sequence[frozenset[int]]) -> NDArray[np.bool_]:
    right = np.zeros((len(sets), VOCABULARY_SIZE), dtype=bool)
    for row, answers in zip(right, sets, strict=True):
        row[list(answers)] = True
    return right


def _checked(log_probabilities: ArrayLike, n: int) -> NDArray:
    scores = np.asarray(log_probabilities)
    if scores.shape != (n, VOCABULARY_SIZE):
        raise ValueError(
            f"need log-probabilities of shape {(n, VOCABULARY_SIZE)}, got {scores.shape}"
        )
    if np.isnan(scores).any():
        raise ValueError(f"row {int(np.isnan(scores).any(axis=1).argmax())} holds nan")
    return scores
