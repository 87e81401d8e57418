"""Where more games, and more passes over them, point to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from chessgloss.tracking.probe_scores import score_probes
from chessgloss.tracking.probes import Instance, select
from chessgloss.tracking.tables import Outcome, Predictor


@dataclass(frozen=True, slots=True)
class Trend:
    """A straight line through errors and training games, both as logarithms.

    Parameters
    ----------
    exponent
        Errors fall as games to this power: -0.5 is a half for four times the games.
    factor
        Errors, in per cent, of a single game by the line.
    points
        How many sizes the line goes through.
    """

    exponent: float
    factor: float
    points: int

    def errors(self, games: float) -> float:
        """Return the errors, in per cent, that the line gives for a number of games."""
        return self.factor * games**self.exponent

    def games(self, errors: float) -> float:
        """Return the games at which the line reaches an error, in per cent."""
        return (errors / self.factor) ** (1 / self.exponent)


def fit_trend(games: Sequence[float], errors: Sequence[float]) -> Trend:
    """Fit how errors fall with training games by least squares of the logarithms.

    It describes the sizes trained; beyond them it says where they point, not what comes.

    Raises
    ------
    ValueError
        If there are fewer than two sizes, or an error is not positive.
    """
    if len(games) != len(errors) or len(games) < 2 or min(*games, *errors) <= 0:
        raise ValueError(f"a trend needs two sizes or more with errors, got {list(errors)}")
    exponent, start = np.polyfit(np.log(games), np.log(errors), 1)
    return Trend(float(exponent), float(np.exp(start)), len(games))


def passes_table(
    outcomes: Iterable[Outcome],
    predict: Predictor,
    instances: Sequence[Instance],
    *,
    task: str = "end_actual",
    seed: int,
) -> pd.DataFrame:
    """Return a row for each run: whether it stopped early, and its legal and exact answers.

    Rows have the titles of the runs, sorted so that the same training for longer stands under
    the shorter one; probes are those after 51 to 100 plies.

    Parameters
    ----------
    outcomes
        Runs of one size that differ in notation and in passes.
    predict, instances
        Their answers and the questions, as for :func:`chessgloss.tracking.tables.score_rows`.
    task
        The questions asked.
    seed
        Of the intervals.
    """
    asked = select(instances, task, "long")
    rows = {}
    for one in sorted(outcomes, key=_place):
        answers = predict(one.name, task, "long")
        if answers is None:
            continue
        scores = score_probes(answers[: len(asked)], asked, seed=seed)
        rows[one.title] = {
            "early stop": "yes" if one.stopped_early else "no",
            "legal, %": scores.lgm,
            "as played, %": scores.exm,
        }
    return pd.DataFrame(rows).T


def _place(one: Outcome) -> tuple[str, float, float, int]:
    return one.model, one.probability, one.dropout, one.tokens
