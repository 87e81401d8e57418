"""What is rated, by what questions, and the ratings themselves as checked records."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss.positions import MoveInContext

#: Criteria in the order they are asked, with the points of their scales.
#: Source: CCC paper, section 4.2 and Figure A3.
DIMENSIONS: Mapping[str, int] = MappingProxyType(
    {"correctness": 3, "relevance": 5, "completeness": 5, "clarity": 5, "fluency": 5}
)

#: Causes of incorrectness, as asked and as tabled; the last is in the rater's own words.
#: Source: CCC paper, Table 2 and Figure A3.
CAUSES: Mapping[str, str] = MappingProxyType(
    {
        "move": "Illegal move or piece that is not there",
        "tactical": "Tactical or immediate advantage misunderstood",
        "positional": "Positional or long-term advantage misunderstood",
        "evaluation": "Move or position wrongly evaluated",
        "other": "Another cause",
    }
)

#: What a rater may name as playing strength.
STRENGTHS: Mapping[str, str] = MappingProxyType(
    {
        "chesscom_rapid": "Chess.com rapid",
        "chesscom_blitz": "Chess.com blitz",
        "lichess_rapid": "Lichess rapid or classical",
        "lichess_blitz": "Lichess blitz",
        "fide": "FIDE",
        "national": "a national federation",
        "none": "no rating",
    }
)

#: Columns of the ratings: a row for each rater and comment.
COLUMNS = ("rater", "move", "method", *DIMENSIONS, *(f"cause_{name}" for name in CAUSES))


class StudyError(ValueError):
    """A study that cannot be rated; the message names the move or the file and line."""


@dataclass(frozen=True, slots=True)
class StudyMove:
    """A move and the comments of all methods on it.

    Parameters
    ----------
    name
        What the move is called in tables, such as ``lec9/12``.
    move
        The move.
    comments
        Method to text.
    """

    name: str
    move: MoveInContext
    comments: Mapping[str, str]

    def __post_init__(self) -> None:
        if not self.name or self.name != self.name.strip():
            raise StudyError(f"a move needs a plain name, got {self.name!r}")
        empty = [method for method, text in self.comments.items() if not text.strip()]
        if empty:
            raise StudyError(f"move {self.name}: the comment of {', '.join(empty)} is empty")


@dataclass(frozen=True, slots=True)
class Study:
    """Moves, the methods that comment on each, and the method all others are compared with.

    Parameters
    ----------
    title
        Stands at the head of the form.
    moves
        In the order they are shown.
    baseline
        Method that the stars of Table 1 compare with; the paper's is CCC.

    Raises
    ------
    StudyError
        If there are no moves, a name occurs twice, a move lacks a method that another has,
        there are fewer than two methods, or the baseline is none of them.
    """

    title: str
    moves: tuple[StudyMove, ...]
    baseline: str = "ccc"

    def __post_init__(self) -> None:
        if not self.moves:
            raise StudyError("a study needs at least one move")
        names = [one.name for one in self.moves]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise StudyError(f"moves named twice: {', '.join(twice)}")
        for one in self.moves:
            if differ := set(one.comments) ^ set(self.methods):
                raise StudyError(f"move {one.name}: not the same methods: {sorted(differ)}")
        if len(self.methods) < 2:
            raise StudyError(f"a study compares at least two methods, got {list(self.methods)}")
        if self.baseline not in self.methods:
            raise StudyError(
                f"the baseline {self.baseline!r} is not among {', '.join(self.methods)}"
            )

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in the order of the first move."""
        return tuple(self.moves[0].comments)

    def words(self) -> pd.DataFrame:
        """Return words per comment, split at white space: moves x methods."""
        rows = {
            one.name: [len(one.comments[method].split()) for method in self.methods]
            for one in self.moves
        }
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(self.methods))


@dataclass(frozen=True, slots=True)
class Settings:
    """How the form is run.

    Parameters
    ----------
    organiser
        Who runs the study and how to reach them; without it the page calls itself a
        demonstration.
    block
        Comments between two breaks.
    break_minutes
        How long a break lasts at least.
    pilot_moves
        Moves that a pilot participant rates.
    """

    organiser: str = ""
    block: int = 50
    break_minutes: float = 10
    pilot_moves: int = 4

    def __post_init__(self) -> None:
        if self.block < 1 or self.pilot_moves < 1 or self.break_minutes < 0:
            raise ValueError(f"block and pilot moves are at least 1, no time is negative: {self}")


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of one study, in points as given.

    Parameters
    ----------
    frame
        Columns :data:`COLUMNS`: ``rater``, ``move`` and ``method`` as text, the criteria as
        points (1 is the lowest; NaN where not answered), the causes as booleans.
    moves, methods
        All of the study, in its order.
    simulated
        Whether the ratings come from :mod:`chessgloss.survey.simulate` and not from people.
    notes
        What a reader must be told: files left out, answers that are missing.
    """

    frame: pd.DataFrame
    moves: tuple[str, ...]
    methods: tuple[str, ...]
    simulated: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if missing := set(COLUMNS) - set(self.frame.columns):
            raise ValueError(f"ratings lack the columns {sorted(missing)}")
        if self.frame.duplicated(["rater", "move", "method"]).any():
            raise ValueError("a rater rated the same comment twice")
        for name, points in DIMENSIONS.items():
            given = self.frame[name].dropna()
            if not given.isin(range(1, points + 1)).all():
                raise ValueError(f"{name} holds values outside 1 to {points}")

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

    def rescaled(self, dimension: str) -> NDArray[np.float64]:
        """Return :meth:`cube` rescaled from 1 … k points to [0, 1], as the paper's Table 1."""
        return (self.cube(dimension) - 1) / (DIMENSIONS[dimension] - 1)


def digest(*parts: str) -> str:
    """Return 16 hex digits of the SHA-256 of texts, in their order."""
    joined = "\0".join(parts)
    return hashlib.sha256(joined.encode()).hexdigest()[:16]


def complete_moves(comments: pd.DataFrame, methods: Sequence[str]) -> list[str]:
    """Return the moves of a table of comments on which every method has an answered one.

    Parameters
    ----------
    comments
        Columns ``move``, ``method``, ``state``, ``text``, as
        :func:`chessgloss.commentary.methods.gather_comments` returns them.
    methods
        Names of the methods.
    """
    usable = comments[(comments["state"] == "answered") & comments["method"].isin(methods)]
    counts = usable.groupby("move")["method"].nunique()
    ready = set(counts[counts == len(set(methods))].index)
    return [move for move in dict.fromkeys(comments["move"]) if move in ready]


def study_of(
    comments: pd.DataFrame,
    moves: Mapping[str, MoveInContext],
    methods: Sequence[str],
    *,
    title: str = "Chess commentary",
    baseline: str = "ccc",
) -> Study:
    """Return the study of the moves given, from a table of comments.

    Parameters
    ----------
    comments
        As in :func:`complete_moves`.
    moves
        Name to move, in the order to be shown.
    methods
        The methods to be compared.
    title, baseline
        As in :class:`Study`.

    Raises
    ------
    StudyError
        If a move lacks an answered comment of a method; :func:`complete_moves` names the
        moves that have them all.
    """
    usable = comments[comments["state"] == "answered"]
    text = {(row.move, row.method): row.text for row in usable.itertuples()}
    lacking = [f"{move} {one}" for move in moves for one in methods if (move, one) not in text]
    if lacking:
        raise StudyError(f"no usable comment: {', '.join(lacking)}; leave these moves out")
    found = (
        StudyMove(name, move, {one: text[name, one] for one in methods})
        for name, move in moves.items()
    )
    return Study(title, tuple(found), baseline)
