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
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, stats

from chessgloss.survey.reading import FORMAT, Ratings
from chessgloss.survey.study import CAUSES, DIMENSIONS, Key, shown_order

#: How likely each cause is named for a simulated comment that is not fully correct.
_NAMED = (0.4, 0.4, 0.3, 0.3)


class Spread(NamedTuple):
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

    @property
    def total(self) -> float:
        """Standard deviation of an impression around the method's effect."""
        return float(np.linalg.norm(self))


#: Spreads for each criterion, set so that five raters of five methods planted at Table 1's
#: means agree about as much as Table 3 says: correctness more than the rest.
SPREADS: Mapping[str, Spread] = dict.fromkeys(DIMENSIONS, Spread()) | {
    "correctness": Spread(severity=0.1, move=0.4, comment=1.4, noise=0.4)
}


def thresholds(points: int, spread: Spread) -> NDArray[np.float64]:
    """Return the ``points - 1`` impressions at which one point gives way to the next."""
    return spread.total * stats.norm.ppf(np.arange(1, points) / points)


def effect_of(score: float, points: int, spread: Spread) -> float:
    """Return the effect whose expected rescaled score is ``score``, between 0 and 1."""
    if not 0.005 <= score <= 0.995:
        raise ValueError(f"a planted score lies between 0.005 and 0.995, got {score}")
    cuts = thresholds(points, spread)
    reach = 12 * spread.total

    def excess(effect: float) -> float:
        return float(np.mean(stats.norm.sf((cuts - effect) / spread.total))) - score

    return float(optimize.brentq(excess, -reach, reach))


def draw(
    planted: pd.Series,
    shape: tuple[int, int],
    random: np.random.Generator,
    repeats: int = 1,
) -> NDArray[np.int64]:
    """Draw ratings on one criterion: ``(repeats, moves, methods, raters)`` points from 1.

    Parameters
    ----------
    planted
        Expected rescaled score of each method; its name is the criterion.
    shape
        Moves and raters.
    random
        Source of the draws.
    repeats
        Independent studies.
    """
    name = str(planted.name)
    points = DIMENSIONS[name]
    spread = SPREADS[name]
    moves, raters = shape
    effects = np.array([effect_of(score, points, spread) for score in planted])
    impression = (
        effects[:, None]
        + spread.severity * random.normal(size=(repeats, 1, 1, raters))
        + spread.move * random.normal(size=(repeats, moves, 1, 1))
        + spread.comment * random.normal(size=(repeats, moves, effects.size, 1))
        + spread.noise * random.normal(size=(repeats, moves, effects.size, raters))
    )
    return 1 + np.searchsorted(thresholds(points, spread), impression)


def simulate(
    planted: pd.DataFrame, moves: Sequence[str], raters: int, *, seed: int
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
    """
    random = np.random.default_rng(seed)
    methods = list(map(str, planted.index))
    names = [f"S{number:02d}" for number in range(1, raters + 1)]
    index = pd.MultiIndex.from_product(
        [moves, methods, names], names=["move", "method", "rater"]
    )
    points = {
        name: draw(planted[name], (len(moves), raters), random).ravel().astype(float)
        for name in DIMENSIONS
    }
    frame = pd.DataFrame(points, index=index).reset_index()
    named = random.random((len(frame), len(_NAMED))) < _NAMED
    named[~named.any(axis=1), -1] = True
    named &= (frame["correctness"] < DIMENSIONS["correctness"]).to_numpy()[:, None]
    frame[[f"cause_{name}" for name in CAUSES]] = np.pad(named, ((0, 0), (0, 1)))
    return Ratings(frame, tuple(moves), tuple(methods), simulated=True)


def write_sessions(folder: Path, key: Key, ratings: Ratings) -> list[Path]:
    """Write simulated ratings as the form would, one file a rater, marked ``simulated``.

    Raises
    ------
    ValueError
        If the ratings are not simulated: real ones come from the form alone.
    """
    if not ratings.simulated:
        raise ValueError(
            "only simulated ratings are written; real ones come from the form"
        )
    known = key.items()
    paths = []
    for rater, rows in ratings.frame.groupby("rater"):
        given = rows.set_index(["move", "method"])
        comments: list[dict[str, Any]] = []
        for number, move in enumerate(key.study.moves, start=1):
            items = [item for item, (place, _) in known.items() if place == number]
            for item in shown_order(str(rater), items):
                row = given.loc[(move.name, known[item][1])]
                causes = [name for name in CAUSES if row[f"cause_{name}"]]
                comments.append(
                    {
                        "place": len(comments) + 1,
                        "move": number,
                        "item": item,
                        **{name: int(row[name]) for name in DIMENSIONS},
                        "causes": causes,
                        "other": "",
                        "remark": "",
                        "seconds": 0,
                    }
                )
        record: dict[str, Any] = {
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
        paths.append(folder / f"simulated-{rater}.json")
        paths[-1].write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return paths
