"""Ratings drawn from a stated model, to try the machinery: they are not anybody's judgement.

A rater's impression of a comment is the sum of the method's effect, the rater's severity,
the move's difficulty, what is peculiar to the comment, and noise, all normal but the first.
Fixed thresholds cut it into the points of the scale, equally likely where the method's
effect is zero. The effect is chosen so that the *expected* score, rescaled to [0, 1], is the
one that is planted. Criteria are drawn independently. Raters differ in severity and not in
which methods they like: real ones may, and then more of them are needed than here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, stats

from chessgloss.stats import crossed_mean, share_of, sign_flip_p
from chessgloss.survey.blinding import Key, shown_order
from chessgloss.survey.reading import FORMAT
from chessgloss.survey.records import CAUSES, COLUMNS, DIMENSIONS, Ratings

#: How likely each cause is named for a simulated comment that is not fully correct.
_NAMED = (0.4, 0.4, 0.3, 0.3)


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations of what makes ratings differ, on the scale of impressions.

    Parameters
    ----------
    severity
        Between raters.
    move
        Between moves: shifts all comments of a move.
    comment
        Between comments of one method on different moves.
    noise
        Between a rater's ratings of comments that are alike; it keeps agreement low.
    """

    severity: float = 0.3
    move: float = 0.4
    comment: float = 1.0
    noise: float = 1.0

    def __post_init__(self) -> None:
        if min(self.severity, self.move, self.comment) < 0 or self.noise <= 0:
            raise ValueError(f"spreads are not negative and noise is positive: {self}")

    @property
    def total(self) -> float:
        """Standard deviation of an impression around the method's effect."""
        parts = (self.severity, self.move, self.comment, self.noise)
        return float(np.sqrt(np.square(parts).sum()))


#: Spreads for each criterion, set so that five raters of five methods planted at Table 1's
#: means agree about as much as Table 3 says: correctness more than the rest.
SPREADS: Mapping[str, Spread] = MappingProxyType(
    {name: Spread() for name in DIMENSIONS}
    | {"correctness": Spread(severity=0.1, move=0.4, comment=1.4, noise=0.4)}
)


def thresholds(points: int, spread: Spread) -> NDArray[np.float64]:
    """Return the ``points - 1`` impressions at which one point gives way to the next."""
    return spread.total * stats.norm.ppf(np.arange(1, points) / points)


def expected_score(effect: float, points: int, spread: Spread) -> float:
    """Return the expected rescaled score, 0 to 1, of a method with this effect."""
    above = stats.norm.sf((thresholds(points, spread) - effect) / spread.total)
    return float(np.mean(above))


def effect_of(score: float, points: int, spread: Spread) -> float:
    """Return the effect whose expected rescaled score is ``score``, between 0 and 1."""
    if not 0.005 <= score <= 0.995:
        raise ValueError(f"a planted score lies between 0.005 and 0.995, got {score}")
    reach = 12 * spread.total
    return float(
        optimize.brentq(lambda x: expected_score(x, points, spread) - score, -reach, reach)
    )


def draw_points(
    effects: Sequence[float],
    points: int,
    spread: Spread,
    shape: tuple[int, int],
    random: np.random.Generator,
    repeats: int = 1,
) -> NDArray[np.int64]:
    """Draw ratings: ``(repeats, moves, methods, raters)`` points from 1.

    Parameters
    ----------
    effects
        Of each method.
    points
        Of the scale.
    spread
        Of the impressions.
    shape
        Moves and raters.
    random
        Source of the draws.
    repeats
        Independent studies.
    """
    moves, raters = shape
    methods = len(effects)
    impression = (
        np.asarray(effects, dtype=float)[:, None]
        + spread.severity * random.normal(size=(repeats, 1, 1, raters))
        + spread.move * random.normal(size=(repeats, moves, 1, 1))
        + spread.comment * random.normal(size=(repeats, moves, methods, 1))
        + spread.noise * random.normal(size=(repeats, moves, methods, raters))
    )
    return 1 + np.searchsorted(thresholds(points, spread), impression)


def simulate(
    planted: pd.DataFrame,
    moves: Sequence[str],
    raters: int,
    *,
    seed: int,
    spreads: Mapping[str, Spread] = SPREADS,
) -> Ratings:
    """Return simulated ratings of every comment by every rater.

    Parameters
    ----------
    planted
        Expected rescaled score of each method (rows) on each criterion (columns).
    moves
        Names of the moves.
    raters
        How many.
    seed
        Of all draws.
    spreads
        By criterion.
    """
    random, methods = np.random.default_rng(seed), list(map(str, planted.index))
    shape = (len(moves), raters)
    columns: dict[str, NDArray[Any]] = {}
    for name, points in DIMENSIONS.items():
        effects = [effect_of(score, points, spreads[name]) for score in planted[name]]
        drawn = draw_points(effects, points, spreads[name], shape, random)[0]
        columns[name] = drawn.ravel().astype(float)
    names = [f"S{number:02d}" for number in range(1, raters + 1)]
    index = pd.MultiIndex.from_product([moves, methods, names], names=["move", "method", "rater"])
    frame = pd.DataFrame(columns, index=index).reset_index()
    causes = _draw_causes(frame["correctness"].to_numpy(), random)
    frame = pd.concat([frame, causes], axis=1)[list(COLUMNS)]
    return Ratings(frame, tuple(moves), tuple(methods), simulated=True)


def _draw_causes(correctness: NDArray[Any], random: np.random.Generator) -> pd.DataFrame:
    named = random.random((len(correctness), len(_NAMED))) < _NAMED
    named[~named.any(axis=1), -1] = True
    named &= (correctness < DIMENSIONS["correctness"])[:, None]
    marked = np.column_stack([named, np.zeros(len(named), dtype=bool)])
    return pd.DataFrame(marked, columns=[f"cause_{name}" for name in CAUSES])


def write_sessions(folder: Path, key: Key, ratings: Ratings) -> list[Path]:
    """Write simulated ratings as the form would, one file a rater, marked ``simulated``.

    Raises
    ------
    ValueError
        If the ratings are not simulated: real ones come from the form alone.
    """
    if not ratings.simulated:
        raise ValueError("only simulated ratings are written; real ones come from the form")
    paths = []
    for rater in ratings.raters:
        path = folder / f"simulated-{rater}.json"
        told = _session(key, rater, ratings.frame[ratings.frame["rater"] == rater])
        path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def _session(key: Key, rater: str, rows: pd.DataFrame) -> dict[str, Any]:
    given = {(row["move"], row["method"]): row for row in rows.to_dict("records")}
    comments: list[dict[str, Any]] = []
    for number, move in enumerate(key.study.moves, start=1):
        items = {key.item(move.name, method): method for method in key.study.methods}
        for item in shown_order(rater, items):
            row = given[move.name, items[item]]
            comments.append(
                {"place": len(comments) + 1, "move": number, "item": item}
                | {name: int(row[name]) for name in DIMENSIONS}
                | {"causes": [name for name in CAUSES if row[f"cause_{name}"]]}
                | {"other": "", "remark": "", "seconds": 0}
            )
    return {
        "format": FORMAT,
        "simulated": True,
        "study": key.study_id,
        "participant": rater,
        "pilot": False,
        "consent": True,
        "strength": {"scale": "none", "rating": None, "english": True},
        "comments": comments,
        "remarks": "",
    }


# ---------------------------------------------------------------- what the machinery recovers


def recovery(
    planted: pd.DataFrame,
    baseline: str,
    *,
    moves: int,
    raters: int,
    repeats: int,
    seed: int,
    spreads: Mapping[str, Spread] = SPREADS,
) -> pd.DataFrame:
    """Return, for many simulated studies, whether each planted difference was recovered.

    Columns ``repeat``, ``dimension``, ``method``, ``planted`` (difference from the
    baseline), ``found`` (its estimate), ``held`` (whether the 95 % interval over moves and
    raters holds the planted one), ``held_by_moves`` (the one over moves alone), ``mean_held``
    and ``mean_held_by_moves`` (the same of the method's own score) and ``sign`` (whether
    planted and found difference have the same sign).
    """
    random, rows = np.random.default_rng(seed), []
    base = list(planted.index).index(baseline)
    for name, points in DIMENSIONS.items():
        spread = spreads[name]
        effects = [effect_of(score, points, spread) for score in planted[name]]
        drawn = draw_points(effects, points, spread, (moves, raters), random, repeats)
        scores = (drawn - 1) / (points - 1)
        for place, method in enumerate(planted.index):
            if place == base:
                continue
            score = planted[name].iloc[place]
            due = score - planted[name].iloc[base]
            for repeat, study in enumerate(scores):
                less = study[:, place] - study[:, base]
                found = crossed_mean(less)
                row = {"repeat": repeat, "dimension": name, "method": method, "planted": due}
                row |= {"found": found.value, "sign": found.value * due > 0}
                row |= _holds(less, due, "") | _holds(study[:, place], score, "mean_")
                rows.append(row)
    return pd.DataFrame(rows)


def _holds(values: NDArray[np.float64], due: float, name: str) -> dict[str, bool]:
    """Return whether the intervals of ``(moves, raters)`` hold what was planted."""
    intervals = {"": crossed_mean(values), "_by_moves": crossed_mean(values.mean(1)[:, None])}
    return {f"{name}held{by}": one.low <= due <= one.high for by, one in intervals.items()}


def power_curve(
    raters: Sequence[int],
    moves: Sequence[int],
    *,
    difference: float = 0.1,
    dimension: str = "relevance",
    score: float = 0.6,
    levels: Sequence[float] = (0.05, 0.001),
    repeats: int = 200,
    seed: int,
    unit: Literal["move", "rating"] = "move",
    spread: Spread | None = None,
) -> pd.DataFrame:
    """Return how often simulated studies of each size find a difference between two methods.

    Parameters
    ----------
    raters, moves
        Sizes to be tried, all combinations.
    difference
        Planted, in rescaled points; 0 shows how often the test is wrong.
    dimension
        Criterion whose scale and spread are taken.
    score
        Of the better method.
    levels
        Of the test.
    repeats
        Simulated studies a size.
    seed
        Of all draws.
    unit
        What the test takes as independent: moves, as Table 1 here does
        (:func:`chessgloss.stats.sign_flip_p`), or every single rating, by a paired t-test.
    spread
        In place of the criterion's own.

    Returns
    -------
    pandas.DataFrame
        Columns ``raters``, ``moves``, ``level`` and ``power``, an interval (Wilson's).
    """
    points, spread = DIMENSIONS[dimension], spread or SPREADS[dimension]
    effects = [effect_of(one, points, spread) for one in (score, score - difference)]
    rows = []
    for count in raters:
        for size in moves:
            random = np.random.default_rng([seed, count, size])
            drawn = draw_points(effects, points, spread, (size, count), random, repeats)
            p = _p_values(drawn[:, :, 0] - drawn[:, :, 1], unit, seed)
            rows += [(count, size, one, share_of(p < one)) for one in levels]
    return pd.DataFrame(rows, columns=["raters", "moves", "level", "power"])


def _p_values(
    differences: NDArray[np.int64], unit: Literal["move", "rating"], seed: int
) -> NDArray[np.float64]:
    """Return a p-value for each study: ``(repeats, moves, raters) -> (repeats,)``."""
    if unit == "rating":
        every = differences.reshape(len(differences), -1).astype(float)
        return np.asarray(stats.ttest_1samp(every, 0, axis=1).pvalue)
    return sign_flip_p(differences.mean(axis=-1), seed=seed, flips=4_000)


def moves_needed(curve: pd.DataFrame, level: float, power: float = 0.8) -> pd.Series:
    """Return, for each number of raters, the fewest moves tried that reach a power (NaN: none)."""
    rows = curve[(curve["level"] == level)]
    reached = rows[[one.value >= power for one in rows["power"]]]
    return reached.groupby("raters")["moves"].min().reindex(sorted(set(curve["raters"])))
