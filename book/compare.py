"""Does it reproduce? Fresh results compared with the committed ones, key by key.

A result file ``NN_section.json`` holds ``{"key": {"value", "low", "high", "n", "unit",
"reference", "source"}}`` with dotted keys; the first component names the table. How far
a result may move is declared in ``book/tolerances.toml`` before the run; without a
declaration it must be identical.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from chessgloss.assets import REGISTRY
from chessgloss.report import Result, in_words

#: What may become of a result, and what of it makes a reproduction fail.
OUTCOMES = (
    "identical",
    "within tolerance",
    "different",
    "missing",
    "new",
    "asset absent",
)
FAILURES = ("different", "missing")

#: Fields of an entry that a tolerance covers, in the result's own unit; all others
#: must be identical.
MEASURED = ("value", "low", "high")


class ResultsFileError(ValueError):
    """A result file or a tolerance that cannot be read."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far the results whose ``chapter/key`` matches a pattern may move.

    Parameters
    ----------
    pattern
        Shell wildcards over ``chapter/key``, such as ``02_concept_vectors/table6.*``.
    absolute
        Allowed difference in the result's own unit.
    relative
        Allowed difference as a share of the committed value.
    reason
        Why the result may move at all.

    Raises
    ------
    ResultsFileError
        If an allowance is negative or not finite, or the reason is empty.
    """

    pattern: str
    absolute: float = 0.0
    relative: float = 0.0
    reason: str = ""

    def __post_init__(self) -> None:
        for allowance in (self.absolute, self.relative):
            if not (math.isfinite(allowance) and allowance >= 0):
                raise ResultsFileError(
                    f"tolerance {self.pattern!r}: {allowance} is no allowance"
                )
        if not self.reason.strip():
            raise ResultsFileError(f"tolerance {self.pattern!r} gives no reason")

    def covers(self, committed: Any, fresh: Any) -> bool:
        """Tell whether two numbers lie within the larger of the two allowances."""
        if not (_is_number(committed) and _is_number(fresh)):
            return False
        return abs(fresh - committed) <= max(
            self.absolute, self.relative * abs(committed)
        )


def read_tolerances(path: Path) -> tuple[Tolerance, ...]:
    """Read the declared tolerances, in the file's order; the first match counts.

    Raises
    ------
    ResultsFileError
        If the file is missing or malformed, or names an unknown field.
    """
    try:
        tables = tomllib.loads(path.read_text("utf-8")).get("tolerance", [])
        return tuple(Tolerance(**table) for table in tables)
    except (OSError, tomllib.TOMLDecodeError, TypeError) as error:
        raise ResultsFileError(f"{path}: {error}") from error


def read_results(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Read every ``*.json`` of a folder as ``{(chapter, key): entry}``, sorted.

    Raises
    ------
    ResultsFileError
        If a file is not a JSON object of objects that hold a value.
    """
    results = {}
    for path in sorted(folder.glob("*.json")):
        try:
            entries = json.loads(path.read_text("utf-8")).items()
        except (OSError, ValueError, AttributeError) as error:
            raise ResultsFileError(f"{path}: {error}") from error
        for key, entry in entries:
            if not (isinstance(entry, dict) and "value" in entry):
                raise ResultsFileError(f"{path}: {key!r} has no value")
            results[path.stem, key] = entry
    return results


def compare(
    committed: Path, fresh: Path, tolerances: Sequence[Tolerance]
) -> pd.DataFrame:
    """Compare two folders of result files.

    Returns
    -------
    pandas.DataFrame
        One row a result, chapter by chapter, the committed keys first: ``chapter``, ``key``,
        ``table`` (chapter and first component of the key), ``outcome`` (one of
        :data:`OUTCOMES`), ``detail``, what differs in words, and ``needs``, what is absent.

    Raises
    ------
    ResultsFileError
        If a file of either cannot be read.
    """
    old = read_results(committed)
    new = read_results(fresh)
    rows = []
    for chapter, key in dict.fromkeys([*old, *new]):
        entries = old.get((chapter, key)), new.get((chapter, key))
        outcome, detail = _outcome(f"{chapter}/{key}", *entries, tolerances)
        needs = entries[1]["needs"] if outcome == "asset absent" and entries[1] else ""
        table = f"{chapter} {key.split('.')[0]}"
        rows.append((chapter, key, table, outcome, detail, needs))
    columns = ["chapter", "key", "table", "outcome", "detail", "needs"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.sort_values("chapter", kind="stable", ignore_index=True)


def _outcome(
    name: str,
    old: dict[str, Any] | None,
    new: dict[str, Any] | None,
    tolerances: Sequence[Tolerance],
) -> tuple[str, str]:
    if new is None:
        return "missing", "committed, but not computed again"
    if new["value"] is None and new.get("needs"):
        return "asset absent", in_words(Result(**new), Result(**old) if old else None)
    if old is None or (old["value"] is None and old.get("needs")):
        return "new", "not among the committed results"
    changed = [
        field
        for field in sorted({*old, *new})
        if not _same(old.get(field), new.get(field))
    ]
    if not changed:
        return "identical", ""
    declared = next(
        (each for each in tolerances if fnmatchcase(name, each.pattern)), None
    )
    covered = declared is not None and all(
        field in MEASURED and declared.covers(old.get(field), new.get(field))
        for field in changed
    )
    detail = ", ".join(
        f"{field} {old.get(field)} -> {new.get(field)}" for field in changed
    )
    return "within tolerance" if covered else "different", detail


def _same(old: Any, new: Any) -> bool:
    if _is_number(old) and _is_number(new):
        return old == new
    return type(old) is type(new) and (old == new or repr(old) == repr(new) == "nan")


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def is_green(rows: pd.DataFrame) -> bool:
    """Tell whether nothing differs and nothing is missing."""
    return not rows["outcome"].isin(FAILURES).any()


def render(rows: pd.DataFrame) -> str:
    """Write what failed as text, a line a result."""
    failed = rows[rows["outcome"].isin(FAILURES)]
    return "\n".join(
        f"  {row.chapter}/{row.key}: {row.outcome}; {row.detail}"
        for row in failed.itertuples()
    )


def page(
    rows: pd.DataFrame,
    *,
    notebooks: str,
    failures: Sequence[str],
    times: Sequence[tuple[str, int, int | None]],
    declared: Path,
) -> str:
    """Write the comparison as a page of the book.

    Parameters
    ----------
    rows
        As :func:`compare` returns them.
    notebooks
        A sentence, without its stop, on which notebooks are byte-identical.
    failures
        Messages of the chapters that failed.
    times
        Of each chapter its name, the seconds that it took and its budget.
    declared
        The file of tolerances.
    """
    counts = pd.crosstab(rows["table"], rows["outcome"]).reindex(
        index=rows["table"].unique(), columns=OUTCOMES, fill_value=0
    )
    absent = rows[rows["outcome"] == "asset absent"]
    template = Path(__file__).with_name("reproduced.md.j2").read_text("utf-8")
    return jinja2.Template(template, keep_trailing_newline=True).render(
        verdict=summarise(rows, len(failures)),
        tolerances=len(read_tolerances(declared)),
        digest=f"SHA-256 {hashlib.sha256(declared.read_bytes()).hexdigest()[:16]}",
        notebooks=notebooks,
        failures=failures,
        moved=list(
            rows[~rows["outcome"].isin(("identical", "asset absent"))].itertuples()
        ),
        absent=[
            (what, list(each.itertuples()), _remedy(str(what)))
            for what, each in absent.groupby("needs")
        ],
        times=times,
        outcomes=OUTCOMES,
        counts=[(table, row) for table, row in counts.iterrows()],
    )


def _remedy(what: str) -> str:
    """Say which command or setting brings what was absent."""
    if model := re.fullmatch(r"recorded answers of (\S+)", what):
        return f"`make record MODEL={model[1]} PURPOSE=mate_in_one`"
    if "ratings" in what:
        return "`chessgloss survey collect`, then people; their files go into `data/ratings`"
    named = {"a Leela network": "leela", "people's games": "games"}
    found = [REGISTRY[asset].remedy for words, asset in named.items() if words in what]
    return found[0] if found else "`.venv/bin/chessgloss doctor` says what there is"


def summarise(rows: pd.DataFrame, failed_chapters: int = 0) -> str:
    """Say in one line whether it reproduces, such as ``GREEN: 40 results: 38 identical, 2 new``."""
    counts = rows["outcome"].value_counts()
    parts = [f"{counts[name]} {name}" for name in OUTCOMES if name in counts]
    parts += [f"{failed_chapters} chapters failed"] if failed_chapters else []
    colour = "GREEN" if is_green(rows) and not failed_chapters else "RED"
    return f"{colour}: {len(rows)} results: {', '.join(parts) or 'none'}"
