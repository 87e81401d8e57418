"""Does it reproduce? Fresh results compared with the committed ones, key by key.

A result file ``NN_section.json`` holds ``{"key": {"value", "low", "high", "n", "unit",
"reference", "source"}}`` with dotted keys; the first component names the table. How far
a result may move is declared in ``book/tolerances.toml`` before the run; without a
declaration it must be identical.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, get_args

Outcome = Literal["identical", "within tolerance", "different", "missing", "new", "asset absent"]

#: Outcomes that make a reproduction fail.
FAILURES: frozenset[Outcome] = frozenset({"different", "missing"})

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
                raise ResultsFileError(f"tolerance {self.pattern!r}: {allowance} is no allowance")
        if not self.reason.strip():
            raise ResultsFileError(f"tolerance {self.pattern!r} gives no reason")

    def covers(self, committed: Any, fresh: Any) -> bool:
        """Tell whether two numbers lie within the larger of the two allowances."""
        if not (_is_number(committed) and _is_number(fresh)):
            return False
        allowed = max(self.absolute, self.relative * abs(committed))
        return abs(fresh - committed) <= allowed


@dataclass(frozen=True, slots=True)
class Row:
    """What the comparison of one result gave.

    Parameters
    ----------
    chapter, key
        Name of the result file without ``.json``, and the dotted key in it.
    outcome
        One of :data:`Outcome`.
    committed, fresh
        The two values; None where there is none.
    detail
        What differs, in words; empty where nothing does.
    """

    chapter: str
    key: str
    outcome: Outcome
    committed: Any
    fresh: Any
    detail: str = ""

    @property
    def table(self) -> str:
        """Chapter and first component of the key: ``02_concept_vectors table6``."""
        return f"{self.chapter} {self.key.split('.')[0]}"

    def __str__(self) -> str:
        return f"{self.chapter}/{self.key}: {self.outcome}; {self.detail}".rstrip("; ")


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


def read_results(folder: Path) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Read every ``*.json`` of a folder as ``{(chapter, key): entry}``, sorted.

    Raises
    ------
    ResultsFileError
        If a file is not a JSON object of objects that hold a value.
    """
    results: dict[tuple[str, str], Mapping[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        for key, entry in _read_object(path).items():
            if not (isinstance(entry, dict) and "value" in entry):
                raise ResultsFileError(f"{path}: {key!r} has no value")
            results[path.stem, key] = entry
    return results


def _read_object(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsFileError(f"{path}: {error}") from error
    if not isinstance(content, dict):
        raise ResultsFileError(f"{path}: not a JSON object")
    return content


def compare(committed: Path, fresh: Path, tolerances: Sequence[Tolerance]) -> tuple[Row, ...]:
    """Compare two folders of result files, committed keys first within each chapter.

    Raises
    ------
    ResultsFileError
        If a file of either cannot be read.
    """
    old, new = read_results(committed), read_results(fresh)
    names = dict.fromkeys([*old, *new])
    rows = (_compared(name, old.get(name), new.get(name), tolerances) for name in names)
    return tuple(sorted(rows, key=lambda row: row.chapter))


def _compared(
    name: tuple[str, str],
    old: Mapping[str, Any] | None,
    new: Mapping[str, Any] | None,
    tolerances: Sequence[Tolerance],
) -> Row:
    def row(outcome: Outcome, detail: str = "") -> Row:
        return Row(*name, outcome, (old or {}).get("value"), (new or {}).get("value"), detail)

    if new is None:
        return row("missing", "committed, but not computed again")
    if new["value"] is None and new.get("absent"):
        return row("asset absent", f"needs: {new['absent']}")
    if old is None or (old["value"] is None and old.get("absent")):
        return row("new", "not among the committed results")
    changed = [field for field in sorted({*old, *new}) if not _same(old.get(field), new.get(field))]
    if not changed:
        return row("identical")
    tolerance = _tolerance_for("/".join(name), tolerances)
    covered = tolerance is not None and all(
        field in MEASURED and tolerance.covers(old.get(field), new.get(field)) for field in changed
    )
    detail = ", ".join(f"{field} {old.get(field)} -> {new.get(field)}" for field in changed)
    return row("within tolerance" if covered else "different", detail)


def _tolerance_for(name: str, tolerances: Iterable[Tolerance]) -> Tolerance | None:
    return next((entry for entry in tolerances if fnmatchcase(name, entry.pattern)), None)


def _same(old: Any, new: Any) -> bool:
    if _is_number(old) and _is_number(new):
        return old == new
    return type(old) is type(new) and (old == new or repr(old) == repr(new) == "nan")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_green(rows: Iterable[Row]) -> bool:
    """Tell whether nothing differs and nothing is missing."""
    return not any(row.outcome in FAILURES for row in rows)


def count_by_table(rows: Iterable[Row]) -> dict[str, Counter[Outcome]]:
    """Count the outcomes of each table, tables in the order of the rows."""
    tables: dict[str, Counter[Outcome]] = {}
    for row in rows:
        tables.setdefault(row.table, Counter())[row.outcome] += 1
    return tables


def render(rows: Sequence[Row]) -> str:
    """Write the comparison as text: one line a table, then each result that failed."""
    tables = count_by_table(rows)
    width = max([len("table"), *map(len, tables)])
    columns = get_args(Outcome)
    lines = [f"{'table':{width}}  " + "  ".join(columns)]
    for table, counts in tables.items():
        numbers = (f"{counts[name] or '·':>{len(name)}}" for name in columns)
        lines.append(f"{table:{width}}  " + "  ".join(numbers))
    return "\n".join([*lines, *(f"  {row}" for row in rows if row.outcome in FAILURES)])


def summarise(rows: Sequence[Row], failed_chapters: int = 0) -> str:
    """Say in one line whether it reproduces, such as ``GREEN: 40 results: 38 identical, 2 new``."""
    counts = Counter(row.outcome for row in rows)
    parts = [f"{counts[name]} {name}" for name in get_args(Outcome) if counts[name]]
    parts += [f"{failed_chapters} chapters failed"] if failed_chapters else []
    colour = "GREEN" if is_green(rows) and not failed_chapters else "RED"
    return f"{colour}: {len(rows)} results: {', '.join(parts) or 'none'}"
