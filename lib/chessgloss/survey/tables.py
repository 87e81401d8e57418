"""Tables 1 to 4 of the CCC paper, from ratings.

The paper does not name the test behind its stars. Here a method's difference from the
baseline is taken move by move, over the raters who rated both, and the signs of these
differences are flipped at random (:func:`chessgloss.stats.sign_flip_p`): moves are the
units, as another study would draw other moves. A star stands for p < 0.001; as in the
paper, p is not corrected for the number of comparisons. The intervals of means and of
differences allow for other raters too (:func:`chessgloss.stats.crossed_mean`).
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss.stats import (
    Kind,
    bootstrap,
    category_counts,
    crossed_mean,
    fleiss_kappa,
    krippendorff_alpha,
    mean_interval,
    ranks,
    sign_flip_p,
    together,
)
from chessgloss.survey.records import CAUSES, DIMENSIONS, Ratings

#: Level of a star in Table 1, as the paper has it.
STAR = 0.001

#: The column of Table 1 that is counted and not rated.
WORDS = "words"


def table1(ratings: Ratings, words: pd.DataFrame, baseline: str, *, seed: int) -> pd.DataFrame:
    """Return the mean scores of Table 1 with intervals and tests.

    Parameters
    ----------
    ratings
        The ratings.
    words
        Words per comment, moves x methods, as :meth:`Study.words` returns them.
    baseline
        Method that the others are compared with.
    seed
        Of the test.

    Returns
    -------
    pandas.DataFrame
        A row for each ``method`` and ``dimension`` (the criteria rescaled to [0, 1], then
        ``words``): ``mean`` (an interval over moves and raters), ``difference`` from the
        baseline (one too), ``p`` and ``star``; for the baseline itself the last three are
        empty.
    """
    base = ratings.methods.index(baseline)
    cubes = {name: ratings.rescaled(name) for name in DIMENSIONS}
    cubes[WORDS] = words.loc[list(ratings.moves), list(ratings.methods)].to_numpy(float)[..., None]
    rows = [
        {"method": method, "dimension": name} | _against(cube, place, base, seed)
        for name, cube in cubes.items()
        for place, method in enumerate(ratings.methods)
    ]
    return pd.DataFrame(rows, columns=["method", "dimension", "mean", "difference", "p", "star"])


def _against(cube: NDArray[np.float64], place: int, base: int, seed: int) -> dict[str, object]:
    one = cube[:, place]
    row: dict[str, object] = {"mean": crossed_mean(one)}
    if place == base:
        return row | {"difference": None, "p": np.nan, "star": False}
    less = one - cube[:, base]
    by_move = mean_where_given(less)
    p = float(sign_flip_p(by_move[~np.isnan(by_move)], seed=seed))
    return row | {"difference": crossed_mean(less), "p": p, "star": p < STAR}


def mean_where_given(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return means along the last axis over the values there are; NaN where there is none."""
    counts = (~np.isnan(values)).sum(axis=-1)
    sums = np.nansum(values, axis=-1)
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)


def as_printed(found: pd.DataFrame) -> pd.DataFrame:
    """Return Table 1 as the paper prints it: methods x criteria, stars before the numbers."""
    digits = {WORDS: 1}
    cells = [
        f"{'*' if row.star else ''}{row.mean.value:.{digits.get(row.dimension, 2)}f}"
        for row in found.itertuples()
    ]
    wide = found.assign(cell=cells).pivot(index="method", columns="dimension", values="cell")
    order = list(dict.fromkeys(found["method"])), list(dict.fromkeys(found["dimension"]))
    return wide.loc[order[0], order[1]].rename_axis(index=None, columns=None)


def table2(ratings: Ratings, *, of: str = "comments", seed: int) -> pd.DataFrame:
    """Return how often each cause of incorrectness was named: causes x methods, as intervals.

    Parameters
    ----------
    ratings
        The ratings.
    of
        ``comments``: share of all rated comments; ``incorrect``: share of those that the
        rater did not call fully correct. The paper does not say which its Table 2 shows.
    seed
        Of the intervals over moves.
    """
    frame = ratings.frame[ratings.frame["correctness"].notna()]
    if of == "incorrect":
        frame = frame[frame["correctness"] < DIMENSIONS["correctness"]]
    elif of != "comments":
        raise ValueError(f"shares are of 'comments' or of 'incorrect' ones, not of {of!r}")
    rows = {
        text: {
            method: mean_interval(group[f"cause_{cause}"], group["move"], seed=seed)
            for method, group in frame.groupby("method")
        }
        for cause, text in CAUSES.items()
    }
    named = [method for method in ratings.methods if method in set(frame["method"])]
    return pd.DataFrame.from_dict(rows, orient="index", columns=named)


def table3(ratings: Ratings, *, seed: int, resamples: int = 300) -> pd.DataFrame:
    """Return the agreement of raters for each criterion, with intervals over moves.

    Columns: ``kappa_ranks``, Fleiss' kappa over the ranks that each rater gives the methods
    of a move (ties share the best rank: the paper speaks of ranks and does not say how);
    ``kappa_points``, the same over the points themselves; ``alpha``, Krippendorff's alpha
    of the points as an ordinal scale. A comment that a rater left out is left out of kappa.
    """
    if len(ratings.raters) < 2:
        raise ValueError(f"agreement needs two raters, got {len(ratings.raters)}")
    rows = {name: _agreement(ratings, name, seed, resamples) for name in DIMENSIONS}
    return pd.DataFrame.from_dict(rows, orient="index")


def _agreement(ratings: Ratings, name: str, seed: int, resamples: int) -> dict[str, object]:
    cube = ratings.cube(name)
    ranked = ranks(cube, axis=1)
    places, points = cube.shape[1], DIMENSIONS[name]
    measured = {
        "kappa_ranks": (ranked, lambda one: _kappa(one, places)),
        "kappa_points": (cube, lambda one: _kappa(one, points)),
        "alpha": (cube, lambda one: krippendorff_alpha(one.reshape(-1, one.shape[2]).T)),
    }
    return {
        column: np.nan
        if np.isnan(statistic(values))
        else bootstrap(values, statistic, seed=seed, resamples=resamples)
        for column, (values, statistic) in measured.items()
    }


def _kappa(values: NDArray[np.float64], categories: int) -> float:
    counts = category_counts(values.reshape(-1, values.shape[2]), categories)
    return fleiss_kappa(counts) if len(counts) else float("nan")


def read_scores(path: Path, ratings: Ratings) -> pd.DataFrame:
    """Read automatic scores: columns ``move``, ``method``, then one for each metric.

    An empty cell is a comment that the metric does not score. Every comment of the study
    has a row; rows of other moves or methods are errors, as are doubled ones.

    Raises
    ------
    ValueError
        With file and line.
    """
    wanted = {(move, method) for move in ratings.moves for method in ratings.methods}
    rows: dict[tuple[str, str], list[float]] = {}
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, strict=True)
        header = next(reader, [])
        if header[:2] != ["move", "method"] or len(header) < 3:
            raise ValueError(f"{path}, line 1: columns are move, method and one for each metric")
        for cells in reader:
            where = f"{path}, line {reader.line_num}"
            if len(cells) != len(header):
                raise ValueError(f"{where}: {len(cells)} cells instead of {len(header)}")
            name = (cells[0], cells[1])
            if name not in wanted or name in rows:
                what = "occurs twice" if name in rows else "is no comment of this study"
                raise ValueError(f"{where}: {' '.join(name)} {what}")
            rows[name] = [_score(cell, where) for cell in cells[2:]]
    if absent := sorted(wanted - set(rows)):
        raise ValueError(f"{path}: {len(absent)} comments have no row, first {' '.join(absent[0])}")
    index = pd.MultiIndex.from_tuples(list(rows), names=["move", "method"])
    return pd.DataFrame(list(rows.values()), index=index, columns=header[2:])


def _score(cell: str, where: str) -> float:
    try:
        value = float(cell) if cell.strip() else float("nan")
    except ValueError:
        raise ValueError(f"{where}: {cell!r} is no number") from None
    if np.isinf(value) or (cell.strip() and np.isnan(value)):
        raise ValueError(f"{where}: {cell!r} is no finite number")
    return value


def table4(
    ratings: Ratings, scores: pd.DataFrame, *, seed: int, resamples: int = 200
) -> pd.DataFrame:
    """Return correlations of automatic scores with the ratings, comment by comment.

    A comment's rating is the mean over its raters. Rows: metrics; columns: criterion and
    ``pearson`` or ``kendall`` (tau-b), as in the paper's Table 4; cells: intervals over
    moves, NaN where a correlation is not defined.

    Parameters
    ----------
    ratings
        The ratings.
    scores
        As :func:`read_scores` returns them.
    seed, resamples
        Of the intervals.
    """
    index = pd.MultiIndex.from_product([ratings.moves, ratings.methods])
    shape = (len(ratings.moves), len(ratings.methods))
    rows = {}
    for metric in scores:
        automatic = scores[metric].reindex(index).to_numpy(float).reshape(shape)
        rows[metric] = {
            (name, kind): _correlation(human, automatic, kind, seed, resamples)
            for name in DIMENSIONS
            for human in [mean_where_given(ratings.rescaled(name))]
            for kind in get_args(Kind)
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _correlation(
    human: NDArray[np.float64],
    automatic: NDArray[np.float64],
    kind: Kind,
    seed: int,
    resamples: int,
) -> object:
    both = np.stack([human, automatic], axis=-1)
    if np.isnan(together(human, automatic, kind)):
        return np.nan
    return bootstrap(
        both,
        lambda rows: together(rows[..., 0], rows[..., 1], kind),
        seed=seed,
        resamples=resamples,
    )
