"""The one table behind the book's pages: of every result its key, value, reference and verdict.

A chapter keeps its results in ``book/results/NN_section.json``, ``{"key": {"value", "low", "high",
"n", "unit", "reference", "source", "needs"}}`` with dotted keys. :class:`Book` reads those of one
run beside the committed ones. From it come three pages, none with a number typed by hand:

- :func:`overview`, every table and figure of the four documents beside ours. A result may cite a
  value of ``data/reference`` by its key (``ccc/table6/White Knights/Accuracy``) as its ``source``;
  the number it compares with must then be that one, and the result stands under that table,
  whichever chapter wrote it;
- :func:`page`, whether it reproduces here: a run compared with the committed results. How far a
  result may move is declared in ``book/tolerances.toml`` before the run; else it is identical;
- the claims with their verdicts (:mod:`findings`).
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias

import jinja2
import pandas as pd
from docutils.nodes import make_id

from chessgloss.assets import REGISTRY
from chessgloss.book import reference
from chessgloss.book.reference import Reference
from chessgloss.report import Result, in_words
from places import Place, place_of, read_places

#: A chapter's results by dotted key.
Results: TypeAlias = Mapping[str, Result]

TITLES = {
    "ccc": "CCC paper",
    "rubric": "Pairwise rubric",
    "static_positions": "Static-position plan",
    "state_tracking": "State-tracking paper",
}

TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent),
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
    keep_trailing_newline=True,
)


class ResultsError(ValueError):
    """A file of results, tolerances, the inventory or a claim that does not fit; it is named."""


# ---------------------------------------------------------------- what is read


def read_results(folder: Path) -> dict[str, Results]:
    """Read every ``*.json`` of a folder: results by chapter and key, sorted by chapter.

    Raises
    ------
    ResultsError
        If a file is not JSON of the agreed form.
    """
    found: dict[str, Results] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            entries = json.loads(path.read_text("utf-8")).items()
            found[path.stem] = {key: Result(**entry) for key, entry in entries}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise ResultsError(f"{path.name} is not a results file: {error}") from error
    return found


@dataclass(frozen=True, slots=True)
class Book:
    """All chapters by number: names, results, headings, and the places of their computation.

    ``committed`` are the results of the project, which ``results`` may be too. A chapter that has
    written none is in neither.
    """

    names: Mapping[str, str]
    results: Mapping[str, Results]
    committed: Mapping[str, Results]
    headings: Mapping[str, Sequence[str]]
    places: Mapping[str, Mapping[str, Place]]

    @classmethod
    def read(cls, project: Path, folder: Path) -> Book:
        """Read the chapters listed in a project, and their results in a folder."""
        chapters = project / "notebooks/chapters.toml"
        names = {name[:2]: name for name in tomllib.loads(chapters.read_text("utf-8"))}
        headings = {}
        places = {}
        for number, name in names.items():
            source = project / f"notebooks/{name}.py"
            lines = source.read_text("utf-8").splitlines()
            heads = (line for line in lines if line[:4] == "# ##")
            headings[number] = [line.split("# ", 2)[-1] for line in heads]
            places[number] = read_places(source)
        run, committed = (
            {name[:2]: read[name] for name in names.values() if name in read}
            for read in map(read_results, (folder, project / "book/results"))
        )
        return cls(names, run, committed, headings, places)

    def result(self, address: str, entry: str) -> Result:
        """Return the result at ``chapter/key``.

        Raises
        ------
        ResultsError
            If there is none; ``entry`` says who asks.
        """
        number, _, key = address.partition("/")
        if (found := self.results.get(number, {}).get(key)) is None:
            raise ResultsError(f"{entry}: no result {address!r} in book/results")
        return found

    def keys(self) -> list[str]:
        """Return the addresses of all results."""
        return [f"{n}/{key}" for n, found in self.results.items() for key in found]

    def words(self, address: str, entry: str) -> str:
        """Return the result at ``chapter/key`` in words; if it is absent, the committed one too."""
        number, _, key = address.partition("/")
        committed = self.committed.get(number, {}).get(key)
        return in_words(self.result(address, entry), committed)

    def as_committed(self) -> Book:
        """Return the book with the project's own results."""
        return replace(self, results=self.committed)

    def cell(self, address: str) -> str:
        """Return the address of the cell that computes the result at ``chapter/key``."""
        number, _, key = address.partition("/")
        place = place_of(key, self.places[number])
        anchor = f"#cell-{place[0]}" if place else ""
        return f"executed/{self.names[number]}.html{anchor}"

    def link(self, number: str, key: str) -> str:
        """Return a key of a chapter with a link to the cell; the key alone if it is unknown."""
        places = self.places.get(number, {})
        place = place_of(key, places) if key in self.results.get(number, {}) else None
        if place is None:
            return f"`{key}`"
        title = f"notebooks/{self.names[number]}.py, line {place[1]}"
        address = self.cell(f"{number}/{key}")
        return f'<a href="{address}" title="{title}"><code>{key}</code></a>'


# ---------------------------------------------------------------- beside what is printed

INVENTORY_COLUMNS = (
    "document",
    "item",
    "shows",
    "chapter",
    "prefix",
    "obstacle",
    "by_whom",
)

#: What an item comes to in a word, and the colour of it: those of verdicts on claims.
COLOURS = {
    "reproduced": "holds",
    "in part": "part",
    "other values": "fails",
    "shown": "open",
    "not measured": "needs",
    "not reproducible": "needs",
    "not yet": "needs",
}

#: What is said of a result beside which the documents print nothing.
NOTHING = "no reference value"

#: Verdicts that bear a printed number out, and the share of them that reproduces a table.
AGREE = ("agrees", "equal", "within our interval")
MOST = 0.95

#: Tables of the reference files that stand under one item, where the item's name is not theirs.
_JOINT = {
    "Criteria": ("criteria", "anchors"),
    "Decision rule": ("tie_break", "output", "length"),
    "Grades": ("grades", "grader"),
    "Test suite": ("suite",),
    "Dashboard": ("score",),
}

_MARKS = {"contradiction": "†", "mistake": "†", "ambiguous": "‡"}


@dataclass(frozen=True, slots=True)
class Item:
    """A table or figure of a document, and the chapter that regenerates it.

    Parameters
    ----------
    document
        One of :data:`chessgloss.book.reference.DOCUMENTS`.
    item
        Its name in the document: ``Table 6``, ``Figure A1``.
    shows
        What it shows, in a few words.
    chapter
        Number of the chapter, two digits.
    prefix
        Start of its keys in the chapter's results: ``table6.``. The chapter writes at least one
        such result (for a picture, a count such as ``figure1.boards``).
    obstacle
        Why it cannot be reproduced as printed, or empty.
    by_whom
        Who or what measures it in the document and here, where that differs.
    """

    document: str
    item: str
    shows: str
    chapter: str
    prefix: str
    obstacle: str
    by_whom: str = ""

    def __post_init__(self) -> None:
        faults = {
            "an unknown document": self.document not in TITLES,
            "no chapter of the form 04": not re.fullmatch(r"\d\d", self.chapter),
            "a prefix without its dot": not self.prefix.endswith("."),
        }
        if found := [fault for fault, there in faults.items() if there]:
            raise ResultsError(f"inventory: {self.item} has {' and '.join(found)}")

    @property
    def tables(self) -> tuple[str, ...]:
        """Names, in lower case, under which the reference files hold the printed values."""
        return _JOINT.get(self.item, (self.item.replace(" ", "").lower(),))

    def results(self, written: Mapping[str, Results]) -> Results:
        """Return its results of all that chapters wrote: its chapter's, then those that cite it."""
        own = written.get(self.chapter, {})
        found = {k: result for k, result in own.items() if k.startswith(self.prefix)}
        sources = tuple(f"{self.document}/{name}/" for name in self.tables)
        for results in written.values():
            for key, result in results.items():
                if result.source.startswith(sources):
                    found.setdefault(key, result)
        return found


def read_inventory(path: Path) -> tuple[Item, ...]:
    """Read the list of tables and figures, in its order.

    Raises
    ------
    ResultsError
        If a column or a field is wrong.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, strict=True)
        if tuple(reader.fieldnames or ()) != INVENTORY_COLUMNS:
            columns = ", ".join(INVENTORY_COLUMNS)
            raise ResultsError(f"{path.name}: columns must be {columns}")
        return tuple(Item(**row) for row in reader)


def verdict(result: Result, rounding: float = 0.0) -> str:
    """Return the verdict of a result on the value it is compared with, in words.

    ``rounding`` is half a unit of the last digit printed: a printed 1.00 stands for any number
    that rounds to it.
    """
    expected = result.reference
    if expected is None:
        return NOTHING
    if result.value is None:
        return f"not measured, needs {result.needs}"
    if result.low is None or result.high is None:
        if math.isclose(result.value, expected, rel_tol=1e-9, abs_tol=1e-12):
            return "equal"
        return f"differs by {result.value - expected:+.3g} (no interval)"
    if result.low - rounding <= expected <= result.high + rounding:
        return "agrees"
    return "ours is higher" if result.low > expected else "ours is lower"


def status(
    item: Item,
    results: Results,
    written: bool,
    printed: Mapping[str, Reference] | None = None,
) -> str:
    """Return an item's status: one word and its verdicts, not yet, or not reproducible.

    ``results`` are those of the item alone; ``written`` says whether its chapter has any;
    ``printed`` are the reference values by key.
    """
    verdicts: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for result in results.values():
        if result.reference is not None:
            words = _judged(result, item, printed or {})
            verdicts[words.split(" by ")[0]] += 1
        elif result.value is None:
            alone[f"not measured, needs {result.needs}"] += 1
        else:
            alone["shown, nothing printed to compare with"] += 1
    counts = [*verdicts.items(), *sorted(alone.items(), reverse=True)]
    parts = [f"{count} {words}" for words, count in counts]
    if item.obstacle:
        return "; ".join([f"not reproducible: {item.obstacle}", *parts])
    if parts:
        return _in_one_word(verdicts) + "; ".join(parts)
    missing = f" writes no `{item.prefix}`" if written else ""
    return f"not yet: chapter {item.chapter}{missing}"


def in_a_word(status: str) -> str:
    """Return the word that an item's status begins with, or amounts to: *shown* for pictures."""
    if bold := re.match(r"\*\*(.+?)\*\*", status):
        return bold[1].lower()
    plain = (word for word in COLOURS if status.startswith(word))
    return next(plain, "shown")


def _in_one_word(counts: Mapping[str, int]) -> str:
    """Return the sum of the verdicts on an item's numbers in a word, in bold; nothing of none."""
    lacking = sum(n for name, n in counts.items() if name.startswith("not measured"))
    compared = sum(counts.values()) - lacking
    agree = sum(counts.get(name, 0) for name in AGREE)
    if lacking > compared:
        return "**Not measured**: "
    if not compared:
        return ""
    if agree >= MOST * compared:
        return "**Reproduced**: "
    return "**In part**: " if agree else "**Other values**: "


def _judged(result: Result, item: Item, printed: Mapping[str, Reference]) -> str:
    """Return the verdict in an item's words: what others measured does not *agree*."""
    cell = printed.get(result.source)
    words = verdict(result, _rounding(cell, result) if cell else 0.0)
    return "within our interval" if item.by_whom and words == "agrees" else words


def _rounding(cell: Reference, result: Result) -> float:
    """Return half a unit of the last digit that a value is printed with, in a result's unit."""
    number = re.fullmatch(r"-?\d+\.(\d+)%?", cell.printed)
    if number is None or not cell.value or result.reference is None:
        return 0.0
    return abs(result.reference / cell.value) * 0.5 * 10 ** -len(number[1])


def overview(project: Path, folder: Path) -> str:
    """Return the page of all tables and figures, as MyST Markdown, for the results in a folder.

    Raises
    ------
    ResultsError
        If a results file, the inventory or a cited reference value does not fit.
    """
    book = Book.read(project, folder)
    items = read_inventory(project / "book/inventory.csv")
    cells = reference.load(folder=project / "data/reference")
    printed = {cell.key: cell for cell in cells}
    for results in book.results.values():
        for key, result in results.items():
            _check_citation(key, result, printed)

    def told(key: str, result: Result, item: Item) -> str:
        if result.value is not None:
            return _judged(result, item, printed)
        known = item.results(book.committed).get(key)
        return f"not measured, {in_words(result, known)}"

    def linked(key: str, item: Item) -> str:
        by = [item.chapter, *(n for n in book.names if n in book.results)]
        owner = next((n for n in by if key in book.results.get(n, {})), item.chapter)
        return book.link(owner, key)

    entries = []
    for item in items:
        results = item.results(book.results)
        standing = status(item, results, item.chapter in book.results, printed)
        word = in_a_word(standing)
        entries.append(
            {
                "item": item,
                "status": standing,
                "word": word,
                "colour": COLOURS[word],
                "anchor": make_id(f"{item.document} {item.item}"),
                "compared": {
                    k: r for k, r in results.items() if r.reference is not None
                },
                "alone": {k: r for k, r in results.items() if r.reference is None},
                "grids": _printed_tables(item, cells),
            }
        )
    return TEMPLATES.get_template("reproduce.md.j2").render(
        titles=TITLES,
        entries=entries,
        names={number: book.names[number] for number in book.results},
        texts=[cell for cell in cells if cell.table.startswith("text")],
        linked=linked,
        number=_number,
        verdict=told,
        marked=_marked,
    )


def tables_in_a_word(project: Path, book: Book) -> Counter[str]:
    """Return how many tables of the documents come to which word (:data:`COLOURS`)."""
    cells = reference.load(folder=project / "data/reference")
    printed = {cell.key: cell for cell in cells}
    words = Counter[str]()
    for item in read_inventory(project / "book/inventory.csv"):
        if item.item.startswith("Table"):
            results = item.results(book.results)
            standing = status(item, results, item.chapter in book.results, printed)
            words[in_a_word(standing)] += 1
    return words


def _check_citation(key: str, result: Result, printed: Mapping[str, Reference]) -> None:
    """Check that a result which cites a reference value compares with that one."""
    document, slash, _ = result.source.partition("/")
    if document not in TITLES or not slash:
        return
    if (cell := printed.get(result.source)) is None:
        raise ResultsError(f"result {key} cites {result.source!r}, which is not there")
    if not _same_number(result.reference, cell):
        raise ResultsError(
            f"result {key} compares with {result.reference}, "
            f"but {cell.key} is printed as {cell.printed!r}"
        )


def _same_number(given: float | None, cell: Reference) -> bool:
    if given is None or cell.value is None:
        return given is cell.value
    scales = (1.0, 0.01) if cell.unit == "%" else (1.0,)
    numbers = (cell.value * scale for scale in scales)
    return any(math.isclose(given, number, rel_tol=1e-9) for number in numbers)


def _printed_tables(
    item: Item, cells: Iterable[Reference]
) -> list[tuple[dict[tuple[str, str], Reference], list[str], list[str]]]:
    """Return each printed table of an item: its cells by row and column, columns and rows."""
    grids: dict[str, dict[tuple[str, str], Reference]] = {}
    for cell in cells:
        if cell.document == item.document and cell.table.lower() in item.tables:
            grids.setdefault(cell.table, {})[cell.row, cell.column] = cell
    return [
        (
            grid,
            list(dict.fromkeys(column for _, column in grid)),
            list(dict.fromkeys(row for row, _ in grid)),
        )
        for grid in grids.values()
    ]


def _marked(cell: Reference | None) -> str:
    if not cell:
        return ""
    text = cell.printed
    for mark in ("\\", "|", "*", "_", "<", "{", "[", "`", "$"):
        text = text.replace(mark, "\\" + mark)
    if "bold" in cell.flags:
        text = f"**{text}**"
    if "underline" in cell.flags:
        text = f"<u>{text}</u>"
    star = "\\*" if "star" in cell.flags else ""
    return star + text + "".join(sorted({_MARKS[f] for f in cell.flags if f in _MARKS}))


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.4g}"


# ---------------------------------------------------------------- beside what is committed

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

#: Fields of a result that a tolerance covers, in its own unit; all others must be identical.
MEASURED = ("value", "low", "high")


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
    ResultsError
        If an allowance is negative or not finite, or the reason is empty.
    """

    pattern: str
    absolute: float = 0.0
    relative: float = 0.0
    reason: str = ""

    def __post_init__(self) -> None:
        for allowance in (self.absolute, self.relative):
            if not (math.isfinite(allowance) and allowance >= 0):
                raise ResultsError(
                    f"tolerance {self.pattern!r}: {allowance} is no allowance"
                )
        if not self.reason.strip():
            raise ResultsError(f"tolerance {self.pattern!r} gives no reason")

    def covers(self, committed: Any, fresh: Any) -> bool:
        """Return whether two numbers lie within the larger of the two allowances."""
        if committed is None or fresh is None:
            return False
        allowed = max(self.absolute, self.relative * abs(committed))
        return abs(fresh - committed) <= allowed


def read_tolerances(path: Path) -> tuple[Tolerance, ...]:
    """Read the declared tolerances, in the file's order; the first match counts.

    Raises
    ------
    ResultsError
        If the file is missing or malformed, or names an unknown field.
    """
    try:
        tables = tomllib.loads(path.read_text("utf-8")).get("tolerance", [])
        return tuple(Tolerance(**table) for table in tables)
    except (OSError, tomllib.TOMLDecodeError, TypeError) as error:
        raise ResultsError(f"{path}: {error}") from error


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
    ResultsError
        If a file of either cannot be read.
    """
    old = read_results(committed)
    new = read_results(fresh)
    rows = []
    for chapter in sorted({*old, *new}):
        before = old.get(chapter, {})
        now = new.get(chapter, {})
        for key in dict.fromkeys([*before, *now]):
            result = now.get(key)
            outcome, detail = _outcome(
                f"{chapter}/{key}", before.get(key), result, tolerances
            )
            needs = result.needs if result and outcome == "asset absent" else ""
            table = f"{chapter} {key.split('.')[0]}"
            rows.append((chapter, key, table, outcome, detail, needs))
    columns = ["chapter", "key", "table", "outcome", "detail", "needs"]
    return pd.DataFrame(rows, columns=columns)


def _outcome(
    name: str, old: Result | None, new: Result | None, tolerances: Sequence[Tolerance]
) -> tuple[str, str]:
    if new is None:
        return "missing", "committed, but not computed again"
    if new.value is None:
        return "asset absent", in_words(new, old)
    if old is None or old.value is None:
        return "new", "not among the committed results"
    before = asdict(old)
    now = asdict(new)
    changed = [field for field in sorted(before) if before[field] != now[field]]
    if not changed:
        return "identical", ""
    allowed = (each for each in tolerances if fnmatchcase(name, each.pattern))
    declared = next(allowed, None)
    covered = declared is not None and all(
        field in MEASURED and declared.covers(before[field], now[field])
        for field in changed
    )
    detail = ", ".join(f"{each} {before[each]} -> {now[each]}" for each in changed)
    return "within tolerance" if covered else "different", detail


def is_green(rows: pd.DataFrame) -> bool:
    """Return whether nothing differs and nothing is missing."""
    return not rows["outcome"].isin(FAILURES).any()


def failed_lines(rows: pd.DataFrame) -> str:
    """Return the failed results as text, a line each."""
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
    """Return the comparison as a page of the book.

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
    moved = rows[~rows["outcome"].isin(("identical", "asset absent"))]
    return TEMPLATES.get_template("reproduced.md.j2").render(
        verdict=summarise(rows, len(failures)),
        tolerances=len(read_tolerances(declared)),
        digest=f"SHA-256 {hashlib.sha256(declared.read_bytes()).hexdigest()[:16]}",
        notebooks=notebooks,
        failures=failures,
        moved=list(moved.itertuples()),
        absent=[
            (what, list(each.itertuples()), _remedy(str(what)))
            for what, each in absent.groupby("needs")
        ],
        times=times,
        outcomes=OUTCOMES,
        counts=list(counts.iterrows()),
    )


def _remedy(what: str) -> str:
    """Return the command or setting that brings an absent asset."""
    if model := re.fullmatch(r"recorded answers of (\S+)", what):
        return f"`make record MODEL={model[1]} PURPOSE=mate_in_one`"
    if "ratings" in what:
        return "`chessgloss survey collect`, then people; their files go into `data/ratings`"
    named = {"a Leela network": "leela", "people's games": "games"}
    found = [REGISTRY[asset].remedy for words, asset in named.items() if words in what]
    return found[0] if found else "`.venv/bin/chessgloss doctor` says what there is"


def summarise(rows: pd.DataFrame, failed_chapters: int = 0) -> str:
    """Return the outcome in one line, such as ``GREEN: 40 results: 38 identical, 2 new``."""
    counts = rows["outcome"].value_counts()
    parts = [f"{counts[name]} {name}" for name in OUTCOMES if name in counts]
    parts += [f"{failed_chapters} chapters failed"] if failed_chapters else []
    colour = "GREEN" if is_green(rows) and not failed_chapters else "RED"
    return f"{colour}: {len(rows)} results: {', '.join(parts) or 'none'}"
