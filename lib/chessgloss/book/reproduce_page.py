"""The page that sets every table and figure of the four documents beside our results.

:func:`render` makes the page's Markdown from these and nothing else: the reference values in
``data/reference``, the inventory in ``book``, the results that the chapters wrote, and the
list of chapters. The page therefore cannot drift from them. A result may cite a reference
value by its key (``ccc/table6/White Knights/Accuracy``) as its ``source``; the number it
compares with must then be the committed one, and the result stands under that table,
whichever chapter wrote it.
"""

from __future__ import annotations

import csv
import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from chessgloss.book import reference
from chessgloss.book.reference import Reference
from chessgloss.report import Result

#: A chapter's results by dotted key.
Results: TypeAlias = dict[str, Result]

TITLES = {
    "ccc": "CCC paper",
    "rubric": "Pairwise rubric",
    "static_positions": "Static-position plan",
    "state_tracking": "State-tracking paper",
}

INVENTORY_COLUMNS = ("document", "item", "shows", "chapter", "prefix", "obstacle")
_MARKS = {"contradiction": "†", "mistake": "†", "ambiguous": "‡"}

_INTRODUCTION = """\
# Every table and figure, reproduced or not

One line for each table and figure of the four documents that this book implements, then
each of them with the printed value beside ours. An interval is the 95 % interval of our
value. The verdict asks one thing: does that interval hold the printed value? This page is
generated from `data/reference` and `book/results`; nothing on it is typed by hand.
"""


class ResultsError(ValueError):
    """A results file or an inventory that cannot be set beside the reference values."""


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
        Start of its keys in the chapter's results: ``table6.``.
    obstacle
        Why it cannot be reproduced as printed, or empty.
    """

    document: str
    item: str
    shows: str
    chapter: str
    prefix: str
    obstacle: str

    def __post_init__(self) -> None:
        if self.document not in TITLES:
            raise ResultsError(f"inventory: unknown document {self.document!r} ({self.item})")
        if not (len(self.chapter) == 2 and self.chapter.isdigit()):
            raise ResultsError(f"inventory: {self.item} has chapter {self.chapter!r}; form: 04")
        if not self.prefix.endswith("."):
            raise ResultsError(f"inventory: prefix {self.prefix!r} of {self.item} needs a dot")

    @property
    def tables(self) -> tuple[str, ...]:
        """Names, in lower case, under which the reference files hold the printed values."""
        joint = {
            "Criteria": ("criteria", "anchors"),
            "Decision rule": ("tie_break", "output", "length"),
            "Grades": ("grades", "grader"),
            "Test suite": ("suite",),
            "Dashboard": ("score",),
        }
        return joint.get(self.item, (self.item.replace(" ", "").lower(),))

    @property
    def sources(self) -> tuple[str, ...]:
        """Starts of the keys of its printed values: ``ccc/table6/``."""
        return tuple(f"{self.document}/{name}/" for name in self.tables)


def verdict(result: Result) -> str:
    """Return what a result says of the value it is compared with, in words."""
    if result.absent:
        return f"asset absent: {result.absent}"
    if result.reference is None or result.value is None:
        return "no reference value"
    if result.low is None or result.high is None:
        return _without_interval(result.value, result.reference)
    if result.low <= result.reference <= result.high:
        return "agrees"
    return "ours is higher" if result.low > result.reference else "ours is lower"


def render(
    results_folder: Path, reference_folder: Path, inventory: Path, chapters_toml: Path
) -> str:
    """Return the page as MyST Markdown.

    Parameters
    ----------
    results_folder
        Folder of the chapters' results, ``NN_section.json`` each.
    reference_folder
        Folder of the reference values.
    inventory
        List of tables and figures (:func:`read_inventory`).
    chapters_toml
        List of chapters: one table each, named as the notebook.

    Raises
    ------
    ResultsError
        If a results file, the inventory or a cited reference value does not fit.
    """
    chapters = tuple(tomllib.loads(chapters_toml.read_text(encoding="utf-8")))
    written = {name[:2]: read_results(results_folder / f"{name}.json") for name in chapters}
    links = {name[:2]: name for name in chapters if written[name[:2]] is not None}
    items = read_inventory(inventory)
    cells = reference.load(folder=reference_folder)
    _check_citations(written.values(), cells)
    found = {item: _results_of(item, written) for item in items}
    parts = [_INTRODUCTION, _overview(found, links)]
    parts += [_section(name, found, links, cells) for name in TITLES]
    return "\n".join([*parts, _doubts(cells)]).rstrip() + "\n"


def read_inventory(path: Path) -> tuple[Item, ...]:
    """Read the list of tables and figures, in its order.

    Its columns are ``document,item,shows,chapter,prefix,obstacle``. A chapter that regenerates
    an item writes at least one result whose key starts with ``prefix`` (for a picture, a count
    such as ``figure1.boards``); ``obstacle`` says why one cannot be reproduced as printed.

    Raises
    ------
    ResultsError
        If a column or a field is wrong.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, strict=True)
        if tuple(reader.fieldnames or ()) != INVENTORY_COLUMNS:
            raise ResultsError(f"{path.name}: columns must be {', '.join(INVENTORY_COLUMNS)}")
        return tuple(Item(**row) for row in reader)


def read_results(path: Path) -> Results | None:
    """Read one chapter's results by key; None if the chapter has written none.

    Raises
    ------
    ResultsError
        If the file is not JSON of the agreed form.
    """
    if not path.is_file():
        return None
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return {key: Result(**entry) for key, entry in entries.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise ResultsError(f"{path.name} is not a results file: {error}") from error


def status(item: Item, results: Results, written: bool) -> str:
    """Return where an item stands: done with its verdicts, not yet, or not reproducible.

    ``results`` are those of the item alone; ``written`` says whether its chapter has any.
    """
    counts = Counter(verdict(result).split(" by ")[0] for result in results.values())
    parts = [f"{count} {words}" for words, count in counts.items()]
    if item.obstacle:
        parts.insert(0, f"not reproducible: {item.obstacle}")
    missing = f" writes no `{item.prefix}`" if written else ""
    return "; ".join(parts) or f"not yet: chapter {item.chapter}{missing}"


def _results_of(item: Item, written: Mapping[str, Results | None]) -> Results:
    own = written.get(item.chapter) or {}
    named = {key: result for key, result in own.items() if key.startswith(item.prefix)}
    cited = {
        key: result
        for results in written.values()
        for key, result in (results or {}).items()
        if result.source.startswith(item.sources)
    }
    return named | {key: result for key, result in cited.items() if key not in named}


def _without_interval(value: float, expected: float) -> str:
    if math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-12):
        return "equal"
    return f"differs by {value - expected:+.3g} (no interval)"


def _check_citations(chapters: Iterable[Results | None], cells: tuple[Reference, ...]) -> None:
    printed = {cell.key: cell for cell in cells}
    for key, result in (pair for chapter in chapters for pair in (chapter or {}).items()):
        document, slash, _ = result.source.partition("/")
        if document not in TITLES or not slash:
            continue
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
    return any(math.isclose(given, cell.value * scale, rel_tol=1e-9) for scale in scales)


def _overview(found: Mapping[Item, Results], links: Mapping[str, str]) -> str:
    lines = ["| document | item | shows | chapter | status |", "|---|---|---|---|---|"]
    for item, results in found.items():
        name = links.get(item.chapter)
        chapter = f"[{item.chapter}](executed/{name}.ipynb)" if name else item.chapter
        stands = status(item, results, name is not None)
        fields = (TITLES[item.document], item.item, item.shows, chapter, stands)
        lines.append(f"| {' | '.join(fields)} |")
    return "## Overview\n\n" + "\n".join(lines) + "\n"


def _section(
    document: str,
    found: Mapping[Item, Results],
    links: Mapping[str, str],
    cells: tuple[Reference, ...],
) -> str:
    parts = [f"## {TITLES[document]}\n"]
    for item, results in found.items():
        if item.document == document:
            parts.append(f"### {item.item}: {item.shows}\n")
            stands = status(item, results, item.chapter in links)
            parts.append(f"{stands[:1].upper()}{stands[1:]}.\n")
            parts.append(_results_table(results) if results else "")
            parts.append(_printed_tables(item, cells))
    return "\n".join([*parts, _numbers_in_text(document, cells)])


def _results_table(results: Results) -> str:
    lines = [
        "| key | reference | ours | 95 % interval | n | unit | verdict |",
        "|---|--:|--:|:-:|--:|---|---|",
    ]
    for key, r in results.items():
        interval = "–" if r.low is None else f"{_number(r.low)} to {_number(r.high)}"
        fields = (f"`{key}`", _number(r.reference), _number(r.value), interval)
        lines.append(f"| {' | '.join((*fields, _number(r.n), r.unit, verdict(r)))} |")
    return "\n".join(lines) + "\n"


def _printed_tables(item: Item, cells: tuple[Reference, ...]) -> str:
    named = (c for c in cells if c.document == item.document and c.table.lower() in item.tables)
    grids = [_grid(list(group)) for group in _by_table(named)]
    if not grids:
        return ""
    return "```{dropdown} As printed\n" + "\n\n".join(grids) + "\n```\n"


def _numbers_in_text(document: str, cells: tuple[Reference, ...]) -> str:
    named = [c for c in cells if c.document == document and c.table.startswith("text")]
    if not named:
        return ""
    lines = ["| section | of | what | printed | unit |", "|---|---|---|---|---|"]
    for c in named:
        lines.append(f"| {c.table[4:]} | {c.row} | {c.column} | {_marked(c)} | {c.unit} |")
    return "### Numbers in the text\n\n```{dropdown} As printed\n" + "\n".join(lines) + "\n```\n"


def _by_table(cells: Iterable[Reference]) -> Iterable[list[Reference]]:
    groups: dict[str, list[Reference]] = {}
    for cell in cells:
        groups.setdefault(cell.table, []).append(cell)
    return groups.values()


def _grid(cells: list[Reference]) -> str:
    texts = {(cell.row, cell.column): _marked(cell) for cell in cells}
    columns = dict.fromkeys(cell.column for cell in cells)
    lines = [f"| | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
    for row in dict.fromkeys(cell.row for cell in cells):
        lines.append(f"| {row} | {' | '.join(texts.get((row, c), '') for c in columns)} |")
    return "\n".join(lines)


def _marked(cell: Reference) -> str:
    text = _escaped(cell.printed)
    if "bold" in cell.flags:
        text = f"**{text}**"
    if "underline" in cell.flags:
        text = f"<u>{text}</u>"
    star = "\\*" if "star" in cell.flags else ""
    return star + text + "".join(sorted({_MARKS[f] for f in cell.flags if f in _MARKS}))


def _doubts(cells: tuple[Reference, ...]) -> str:
    groups: dict[tuple[str, str], list[Reference]] = {}
    for cell in cells:
        if cell.doubtful:
            groups.setdefault((cell.document, cell.note), []).append(cell)
    lines = ["| document | where | kind | printed | what does not fit |", "|---|---|---|---|---|"]
    lines += [_doubt_line(group) for group in groups.values()]
    head = "## Where the documents contradict themselves, err or leave a doubt\n\n"
    marks = "† contradiction or mistake; ‡ can be read in two ways.\n\n"
    return head + marks + "\n".join(lines) + "\n"


def _doubt_line(group: list[Reference]) -> str:
    first = group[0]
    kind = ", ".join(sorted(first.flags & reference.DOUBT_FLAGS))
    names = list(dict.fromkeys(f"{cell.row}, {cell.column}" for cell in group))
    where = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    printed = _escaped(first.printed if len(first.printed) <= 60 else first.printed[:57] + "…")
    fields = (
        TITLES[first.document],
        f"{first.table}: {_escaped(where)}",
        kind,
        printed,
        _escaped(first.note),
    )
    return f"| {' | '.join(fields)} |"


def _escaped(text: str) -> str:
    for mark in ("\\", "|", "*", "_", "<", "{", "[", "`", "$"):
        text = text.replace(mark, "\\" + mark)
    return text


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.4g}"
