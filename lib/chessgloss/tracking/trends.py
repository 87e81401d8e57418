"""What changes along the games, the passes, the share of piece types and the seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from chessgloss.tracking.baselines import Baselines, baselines_of
from chessgloss.tracking.probe_scores import ProbeScores, score_probes
from chessgloss.tracking.probes import select
from chessgloss.tracking.tables import SIZES, Outcome, Predictor, score_baselines


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


def rap_curve(outcomes: Iterable[Outcome]) -> pd.DataFrame:
    """Return dev perplexity by probability (rows, per cent) and size (columns): Figure 2.

    Probability 0 is plain UCI. Only the first seed counts; nothing stands where none was
    trained.
    """
    found = [one for one in outcomes if one.model in ("uci", "uci_rap")]
    first = [one for one in found if one.seed == min(other.seed for other in found)]
    cells = {(round(100 * one.probability), one.size): one.dev for one in first}
    rows = sorted({percent for percent, _ in cells})
    columns = [size for size in SIZES if any(at == size for _, at in cells)]
    return pd.DataFrame(
        [[cells.get((row, column), np.nan) for column in columns] for row in rows],
        index=pd.Index(rows, name="RAP, %"),
        columns=columns,
    )


def seed_spread(outcomes: Iterable[Outcome]) -> pd.DataFrame:
    """Return lowest, middle and highest dev perplexity of runs that differ in the seed alone."""
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        percent = f" {round(100 * one.probability)} %" if one.probability else ""
        groups.setdefault(f"{one.size} {one.model}{percent}", []).append(one)
    rows = {
        name: {
            "seeds": len(runs),
            "lowest": min(one.dev for one in runs),
            "median": float(np.median([one.dev for one in runs])),
            "highest": max(one.dev for one in runs),
        }
        for name, runs in groups.items()
        if len(runs) > 1
    }
    return pd.DataFrame(rows).T.astype({"seeds": int}) if rows else pd.DataFrame()


def passes_table(
    outcomes: Iterable[Outcome],
    predict: Predictor,
    baselines: Baselines,
    *,
    task: str = "end_actual",
    seed: int,
) -> pd.DataFrame:
    """Return a row for each run: whether it stopped early, and its legal and exact answers.

    Rows have the titles of the runs, sorted so that the same training for longer stands under
    the shorter one; the baselines come last. Probes are those after 51 to 100 plies.

    Parameters
    ----------
    outcomes
        Runs of one size that differ in notation and in passes.
    predict, baselines
        Their answers, the questions and the answers of the baselines, as for
        :func:`chessgloss.tracking.tables.score_rows`.
    task
        The questions asked.
    seed
        Of the intervals.
    """
    asked = select(baselines.instances, task, "long")
    scored = {name: ("-", scores) for name, scores in _titled(baselines, task, seed)}
    rows = {}
    for one in sorted(outcomes, key=_place):
        answers = predict(one.name, task, "long")
        if answers is not None:
            ground = baselines.against(one.model, task, "long")
            scores = score_probes(answers[: len(asked)], asked, seed=seed, against=ground)
            rows[one.title] = ("yes" if one.stopped_early else "no", scores)
    return pd.DataFrame(
        {
            title: {
                "early stop": stop,
                "legal, %": scores.judged("lgm"),
                "as played, %": scores.judged("exm"),
            }
            for title, (stop, scores) in {**rows, **scored}.items()
        }
    ).T


def _titled(baselines: Baselines, task: str, seed: int) -> list[tuple[str, ProbeScores]]:
    titles = baselines_of(task)
    return [
        (titles[name], one) for name, one in score_baselines(baselines, task, seed=seed).items()
    ]


def _place(one: Outcome) -> tuple[str, float, float, int]:
    return one.model, one.probability, one.dropout, one.tokens
