"""Reads the files that raters send back, and makes Tables 1 to 4 of the CCC paper from them.

Every fault of a file is named, nothing is dropped silently. The paper does not name the test
behind its stars. Here a method's difference from the baseline is taken move by move, over the
raters who rated both, and the signs of these differences are flipped at random
(:func:`chessgloss.stats.sign_flip_p`): moves are the units, as another study would draw other
moves. A star stands for p < 0.001; as in the paper, p is not corrected for the number of
comparisons. The intervals of means and of differences allow for other raters too
(:func:`chessgloss.stats.crossed_mean`).
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import BaseModel, Field, ValidationError, model_validator

from chessgloss import stats
from chessgloss.survey.study import (
    CAUSES,
    DIMENSIONS,
    STRENGTHS,
    Key,
    faults,
    shown_order,
)

FORMAT = "chessgloss-ratings/1"

#: Level of a star in Table 1, as the paper has it.
STAR = 0.001

#: The column of Table 1 that is counted and not rated.
WORDS = "words"


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of one study, in points as given.

    Parameters
    ----------
    frame
        A row for each rater and comment: ``move``, ``method`` and ``rater`` as text, the criteria
        as points (1 is the lowest; NaN where not answered), ``cause_move`` and the other causes
        as booleans.
    moves, methods
        All of the study, in its order.
    simulated
        Whether the ratings come from :mod:`chessgloss.survey.simulate` and not from people.
    notes
        Who rated, their strength, and whether their file is left out as a pilot run.
    """

    frame: pd.DataFrame
    moves: tuple[str, ...]
    methods: tuple[str, ...]
    simulated: bool = False
    notes: tuple[str, ...] = ()

    @property
    def raters(self) -> tuple[str, ...]:
        """Names of the raters, sorted."""
        return tuple(sorted(set(self.frame["rater"])))

    @property
    def label(self) -> str:
        """``SIMULATED ratings`` or ``human ratings``: goes into every caption."""
        return "SIMULATED ratings" if self.simulated else "human ratings"

    def cube(self, dimension: str) -> NDArray[np.float64]:
        """Return the points of one criterion: ``(moves, methods, raters)``, NaN where missing."""
        grid = self.frame.set_index(["move", "method", "rater"])[dimension]
        index = pd.MultiIndex.from_product([self.moves, self.methods, self.raters])
        shape = (len(self.moves), len(self.methods), len(self.raters))
        return grid.reindex(index).to_numpy(dtype=float).reshape(shape)


# ---------------------------------------------------------------- a file of ratings

_Three = Annotated[int, Field(strict=True, ge=1, le=3)] | None
_Five = Annotated[int, Field(strict=True, ge=1, le=5)] | None
_Cause = Annotated[str, Field(pattern=f"^({'|'.join(CAUSES)})$")]


class _Strength(BaseModel):
    scale: Annotated[str, Field(pattern=f"^({'|'.join(STRENGTHS)})$")]
    rating: Annotated[int, Field(strict=True, ge=100, le=3500)] | None

    def __str__(self) -> str:
        return f"{STRENGTHS[self.scale]}{f' {self.rating}' if self.rating else ''}"

    @model_validator(mode="after")
    def _rated(self) -> _Strength:
        if (self.scale == "none") != (self.rating is None):
            raise ValueError(
                f"{STRENGTHS[self.scale]}, and the rating is {self.rating}"
            )
        return self


class _Comment(BaseModel):
    move: int
    item: str
    correctness: _Three = None
    relevance: _Five = None
    completeness: _Five = None
    clarity: _Five = None
    fluency: _Five = None
    causes: list[_Cause]
    other: str = Field(max_length=300)
    remark: str = Field(max_length=1_000)
    seconds: float = Field(strict=True, ge=0, lt=1e6)


class _Session(BaseModel):
    file: str
    study: str
    participant: str = Field(pattern=r"^[A-Z0-9_-]{1,24}$")
    pilot: bool = Field(strict=True)
    simulated: bool = Field(strict=True)
    consent: Literal[True]
    strength: _Strength
    remarks: str = Field(max_length=4_000)
    comments: list[_Comment]


class Problem(NamedTuple):
    """Something wrong in a file of ratings.

    Parameters
    ----------
    file
        The file, as it was named.
    place
        Where in it: ``comment 7, relevance``.
    text
        What is wrong, and what to do.
    """

    file: str
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.place}: {self.text}"


class RatingsError(ValueError):
    """Files of ratings that cannot be used as they are; ``problems`` lists every fault."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, problems)))


def read_ratings(paths: Iterable[Path], key: Key) -> Ratings:
    """Read and check the files of all raters of a study.

    Each file must belong to the key's study, name its comments by ids that the key knows,
    in the order that its participant's code draws, and answer every question within its
    scale. Files of pilot runs are checked, named in ``notes`` and not counted.

    Parameters
    ----------
    paths
        Files that the form made.
    key
        Of the study.

    Raises
    ------
    RatingsError
        If anything is wrong; it lists all faults of all files, each with its place.
    """
    read = [_read(path, key) for path in sorted(paths)]
    sessions = [session for session, _ in read if session]
    if problems := [
        *itertools.chain.from_iterable(wrong for _, wrong in read),
        *_across(sessions),
    ]:
        raise RatingsError(problems)
    counted = [session for session in sessions if not session.pilot]
    if not counted:
        raise RatingsError([Problem("(all files)", "-", "no file of a main run")])
    notes = [
        f"{each.participant}: {each.strength}{', a pilot run, not counted' * each.pilot}"
        for each in sessions
    ]
    known = key.items()
    names = tuple(move.name for move in key.study.moves)
    rows = [
        {
            "move": names[row.move - 1],
            "method": known[row.item][1],
            "rater": session.participant,
        }
        | {name: getattr(row, name) for name in DIMENSIONS}
        | {f"cause_{name}": name in row.causes for name in CAUSES}
        for session in counted
        for row in session.comments
    ]
    frame = pd.DataFrame(rows).astype(dict.fromkeys(DIMENSIONS, float))
    return Ratings(frame, names, key.study.methods, counted[0].simulated, tuple(notes))


def _read(path: Path, key: Key) -> tuple[_Session | None, list[Problem]]:
    """Return a file's content, if its fields are in range, and what is wrong with it."""
    session = None
    wrong = list[tuple[str, str]]()
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise ValueError(f"not a file of ratings ({FORMAT})")
        session = _Session.model_validate(record | {"file": str(path)})
        wrong = list(_faults(session, key))
    except ValidationError as error:
        wrong = faults(error)
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        wrong = [("the file", f"cannot be read: {reason}")]
    return session, [Problem(str(path), *fault) for fault in wrong]


def _faults(session: _Session, key: Key) -> Iterator[tuple[str, str]]:
    """Yield place and text of what is wrong with a file whose fields are in range."""
    if session.study != key.study_id:
        yield "study", f"{session.study!r} is not this key's study"
        return
    known = key.items()
    code = session.participant
    rated = {known[row.item][0] for row in session.comments if row.item in known}
    expected = [
        (number, item)
        for number, items in itertools.groupby(known, key=lambda item: known[item][0])
        if number in rated or not session.pilot
        for item in shown_order(code, items)
    ]
    given = [(row.move, row.item) for row in session.comments]
    for place, (row, wanted) in enumerate(
        itertools.zip_longest(given, expected), start=1
    ):
        if row != wanted:
            yield (
                f"comment {place}",
                f"not what {code} was shown here: edited, or another's file",
            )
            break
    for place, row in enumerate(session.comments, start=1):
        yield from _missing_answers(f"comment {place}", row)


def _missing_answers(where: str, row: _Comment) -> Iterator[tuple[str, str]]:
    for name in DIMENSIONS:
        if getattr(row, name) is None:
            yield f"{where}, {name}", "not answered"
    correct = DIMENSIONS["correctness"]
    if row.correctness == correct and row.causes:
        yield f"{where}, causes", "a fully correct comment has no cause of error"
    if row.correctness is not None and row.correctness < correct and not row.causes:
        yield f"{where}, causes", "not fully correct, and no cause is named"
    if ("other" in row.causes) != bool(row.other):
        yield f"{where}, other", "another cause needs its words, and only it"


def _across(sessions: Sequence[_Session]) -> Iterator[Problem]:
    """Yield the faults that show only when files are laid side by side."""
    first: dict[str, str] = {}
    for session in sessions:
        if (code := session.participant) in first:
            text = (
                f"{code} is also in {first[code]}; keep one file for each participant"
            )
            yield Problem(session.file, "participant", text)
        first.setdefault(code, session.file)
        if session.simulated and not all(each.simulated for each in sessions):
            text = "simulated ratings among human ones; read them by themselves"
            yield Problem(session.file, "simulated", text)


# ---------------------------------------------------------------- tables


def table1(
    ratings: Ratings, words: pd.DataFrame, baseline: str, *, seed: int
) -> pd.DataFrame:
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
    cubes = {name: (ratings.cube(name) - 1) / (k - 1) for name, k in DIMENSIONS.items()}
    cubes[WORDS] = words.loc[list(ratings.moves), list(ratings.methods)].to_numpy(
        float
    )[..., None]
    rows = []
    for name, cube in cubes.items():
        for place, method in enumerate(ratings.methods):
            row = {
                "method": method,
                "dimension": name,
                "mean": stats.crossed_mean(cube[:, place]),
            }
            row |= {"difference": None, "p": np.nan, "star": False}
            if place != base:
                less = cube[:, place] - cube[:, base]
                by_move = pd.DataFrame(less).mean(axis=1).dropna()
                p = float(stats.sign_flip_p(by_move, seed=seed))
                row |= {
                    "difference": stats.crossed_mean(less),
                    "p": p,
                    "star": p < STAR,
                }
            rows.append(row)
    return pd.DataFrame(rows)


def as_printed(table: pd.DataFrame) -> pd.DataFrame:
    """Return Table 1 as the paper prints it: methods x criteria, stars before the numbers."""
    cells = [
        f"{'*' * row.star}{row.mean.value:.{1 if row.dimension == WORDS else 2}f}"
        for row in table.itertuples()
    ]
    wide = table.assign(cell=cells).pivot(
        index="method", columns="dimension", values="cell"
    )
    wide = wide.loc[table["method"].unique(), table["dimension"].unique()]
    return wide.rename_axis(index=None, columns=None)


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
    if of not in ("comments", "incorrect"):
        raise ValueError(
            f"shares are of 'comments' or of 'incorrect' ones, not of {of!r}"
        )
    frame = ratings.frame[ratings.frame["correctness"].notna()]
    if of == "incorrect":
        frame = frame[frame["correctness"] < DIMENSIONS["correctness"]]
    rows = {
        text: stats.means_by(
            frame, "method", f"cause_{cause}", cluster="move", seed=seed
        )
        for cause, text in CAUSES.items()
    }
    named = [method for method in ratings.methods if method in set(frame["method"])]
    return pd.DataFrame(rows).T[named]


def table3(ratings: Ratings, *, seed: int, resamples: int = 300) -> pd.DataFrame:
    """Return the agreement of raters for each criterion, with intervals over moves.

    Columns: ``kappa_ranks``, Fleiss' kappa over the ranks that each rater gives the methods
    of a move (ties share the best rank: the paper speaks of ranks and does not say how);
    ``kappa_points``, the same over the points themselves; ``alpha``, Krippendorff's alpha
    of the points as an ordinal scale. A comment that a rater left out is left out of kappa.
    Cells are intervals, NaN where a measure is not defined.
    """
    if len(ratings.raters) < 2:
        raise ValueError(f"agreement needs two raters, got {len(ratings.raters)}")
    most = max(*DIMENSIONS.values(), len(ratings.methods))

    def kappa(values: NDArray[np.float64]) -> float:
        return stats.fleiss_kappa(values.reshape(-1, len(ratings.raters)), most)

    def alpha(values: NDArray[np.float64]) -> float:
        return stats.krippendorff_alpha(values.reshape(-1, len(ratings.raters)).T)

    rows = {}
    for name in DIMENSIONS:
        cube = ratings.cube(name)
        ranked = stats.ranks(cube, axis=1)
        measures = {"kappa_ranks": (ranked, kappa), "kappa_points": (cube, kappa)}
        rows[name] = {
            measure: np.nan
            if np.isnan(statistic(values))
            else stats.bootstrap(values, statistic, seed=seed, resamples=resamples)
            for measure, (values, statistic) in {
                **measures,
                "alpha": (cube, alpha),
            }.items()
        }
    return pd.DataFrame(rows).T


def read_scores(path: Path, ratings: Ratings) -> pd.DataFrame:
    """Read automatic scores: columns ``move``, ``method``, then one for each metric.

    An empty cell is a comment that the metric does not score. Every comment of the study
    has a row; rows of other moves or methods are errors, as are doubled ones.

    Raises
    ------
    ValueError
        With the file and the comment.
    """
    table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    if list(table.columns[:2]) != ["move", "method"] or table.shape[1] < 3:
        raise ValueError(f"{path}: columns are move, method and one for each metric")
    table = table.set_index(["move", "method"])
    wanted = pd.MultiIndex.from_product([ratings.moves, ratings.methods])
    numbers = table.apply(pd.to_numeric, errors="coerce").astype(float)
    unreadable = ~np.isfinite(numbers) & (
        table.map(lambda cell: str(cell).strip()) != ""
    )
    problems = {
        "occurs twice": table.index[table.index.duplicated()],
        "is no comment of this study": table.index.difference(wanted),
        "has no row": wanted.difference(table.index),
        "has a score that is no finite number": table.index[unreadable.any(axis=1)],
    }
    for what, rows in problems.items():
        if len(rows):
            raise ValueError(
                f"{path}: {' '.join(rows[0])} {what}; {len(rows)} such rows"
            )
    return numbers


def table4(
    ratings: Ratings, scores: pd.DataFrame, *, seed: int, resamples: int = 200
) -> pd.DataFrame:
    """Return correlations of automatic scores with the ratings, comment by comment.

    A comment's rating is the mean over its raters. Rows: metrics; columns: criterion and
    ``pearson`` or ``kendall`` (tau-b), as in the paper's Table 4; cells: intervals over
    moves, ``None`` where a correlation is not defined.

    Parameters
    ----------
    ratings
        The ratings.
    scores
        As :func:`read_scores` returns them.
    seed, resamples
        Of the intervals.
    """
    people = ratings.frame.groupby(["move", "method"])[list(DIMENSIONS)].mean()
    both = people.join(scores)
    moves = both.index.get_level_values("move")
    correlate = partial(
        stats.correlation, clusters=moves, seed=seed, resamples=resamples
    )
    cells = {
        (name, kind): {
            metric: correlate(both[metric], both[name], kind) for metric in scores
        }
        for name in DIMENSIONS
        for kind in get_args(stats.Kind)
    }
    return pd.DataFrame(cells, dtype=object)
