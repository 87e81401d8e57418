"""The page that sets every table and figure of the four documents beside our results.

:func:`render` makes the page's Markdown from these and nothing else: the reference values in
``data/reference``, the inventory in ``book``, the results that the chapters wrote, and the
list of chapters. The page therefore cannot drift from them. A result may cite a reference
value by its key (``ccc/table6/White Knights/Accuracy``) as its ``source``; the number it
compares with must then be the committed one, and the result stands under that table,
whichever chapter wrote it.
"""

from __future__ import annotations

import ast
import csv
import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import jinja2
from docutils.nodes import make_id

from chessgloss.book import reference
from chessgloss.book.reference import Reference
from chessgloss.report import Result, in_words

#: A chapter's results by dotted key.
Results: TypeAlias = dict[str, Result]

TITLES = {
    "ccc": "CCC paper",
    "rubric": "Pairwise rubric",
    "static_positions": "Static-position plan",
    "state_tracking": "State-tracking paper",
}

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

_MARKS = {"contradiction": "†", "mistake": "†", "ambiguous": "‡"}


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
        if self.document not in TITLES:
            raise ResultsError(
                f"inventory: unknown document {self.document!r} ({self.item})"
            )
        if not (len(self.chapter) == 2 and self.chapter.isdigit()):
            raise ResultsError(
                f"inventory: {self.item} has chapter {self.chapter!r}; form: 04"
            )
        if not self.prefix.endswith("."):
            raise ResultsError(
                f"inventory: prefix {self.prefix!r} of {self.item} needs a dot"
            )

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


#: Verdicts that bear a printed number out, and the share of them that reproduces a table.
AGREE = ("agrees", "equal", "within our interval")
MOST = 0.95


def verdict(result: Result, rounding: float = 0.0) -> str:
    """Return what a result says of the value it is compared with, in words.

    ``rounding`` is half a unit of the last digit printed: a printed 1.00 stands for any number
    that rounds to it.
    """
    if result.reference is None:
        return NOTHING
    if result.value is None:
        return f"not measured, needs {result.needs}"
    if result.low is None or result.high is None:
        return _without_interval(result.value, result.reference)
    if result.low - rounding <= result.reference <= result.high + rounding:
        return "agrees"
    return "ours is higher" if result.low > result.reference else "ours is lower"


def render(
    results_folder: Path,
    reference_folder: Path,
    inventory: Path,
    chapters_toml: Path,
    committed_folder: Path | None = None,
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
    committed_folder
        Folder of the results as the book has them, which are told where those have no value.

    Raises
    ------
    ResultsError
        If a results file, the inventory or a cited reference value does not fit.
    """
    chapters = tuple(tomllib.loads(chapters_toml.read_text(encoding="utf-8")))
    written, committed = (
        {name[:2]: read_results(folder / f"{name}.json") for name in chapters}
        for folder in (results_folder, committed_folder or results_folder)
    )
    items = read_inventory(inventory)
    cells = reference.load(folder=reference_folder)
    _check_citations(written.values(), cells)
    printed = {cell.key: cell for cell in cells}

    def judged(result: Result, item: Item) -> str:
        return _judged(result, item, printed)

    def told(key: str, result: Result, item: Item) -> str:
        known = _results_of(item, committed).get(key)
        words = judged(result, item) if result.value is not None else ""
        return words or f"not measured, {in_words(result, known)}"

    results = {(item.item, item.document): _results_of(item, written) for item in items}
    standing = {
        (item.item, item.document): status(
            item,
            results[item.item, item.document],
            written.get(item.chapter) is not None,
            printed,
        )
        for item in items
    }
    word = {place: in_a_word(words) for place, words in standing.items()}
    links = _links(chapters, written, chapters_toml.parent)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("reproduce.md.j2").render(
        titles=TITLES,
        items=items,
        links={name[:2]: name for name in chapters if written[name[:2]] is not None},
        compared=lambda item: _by_verdict(
            results[item.item, item.document], alone=False
        ),
        alone=lambda item: _by_verdict(results[item.item, item.document], alone=True),
        status=standing,
        word=lambda item: word[item.item, item.document],
        colour=lambda item: COLOURS[word[item.item, item.document]],
        anchor=lambda item: make_id(f"{item.document} {item.item}"),
        printed_tables=lambda item: _printed_tables(item, cells),
        in_text=lambda document: [
            cell
            for cell in cells
            if cell.document == document and cell.table.startswith("text")
        ],
        capitalised=lambda text: f"{text[:1].upper()}{text[1:]}",
        linked=lambda key, item: (
            links.get((item.chapter, key))
            or next(
                (link for (_, name), link in links.items() if name == key), f"`{key}`"
            )
        ),
        number=_number,
        verdict=told,
        marked=_marked,
        escaped=_escaped,
    )
    return page.rstrip() + "\n"


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
            raise ResultsError(
                f"{path.name}: columns must be {', '.join(INVENTORY_COLUMNS)}"
            )
        return tuple(Item(**row) for row in reader)


def read_places(notebook: Path) -> dict[str, tuple[int, int]]:
    """Return where a chapter computes the results of each prefix: number of the cell, line.

    What :func:`chessgloss.report.rows` is given is followed back, name by name, to the last
    assignment before the cell that saves; each key of a dictionary that is written out by itself.
    Where no name leads out of that cell, it is the place in it. Where a prefix is put together, it
    is the place of its beginning.
    """
    text = notebook.read_text("utf-8")
    heads = [
        n for n, line in enumerate(text.splitlines(), 1) if line.startswith("# %%")
    ]
    module = ast.parse(text)
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    saves = [call for call in calls if ast.unparse(call.func) == "report.save"]
    lines = {"": saves[-1].lineno} if saves else {}
    first = max(
        (head for call in saves for head in heads if head <= call.lineno), default=1
    )
    follow = _Origins(_assignments(module), first)
    for call in sorted(calls, key=lambda call: call.lineno):
        if ast.unparse(call.func) not in ("report.rows", "rows"):
            continue
        given, prefix = call.args[:2]
        texts = (part for part in ast.walk(prefix) if isinstance(part, ast.Constant))
        name = next((str(part.value).rstrip(".") for part in texts), "")
        lines.setdefault(name, follow.line(given, call.lineno))
        for key, value in follow.written_out(given, call.lineno):
            lines.setdefault(f"{name}.{key}", follow.line(value, call.lineno))
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
            begin, dot, _ = str(node.values[0].value).rpartition(".")
            if dot and " " not in begin:
                lines.setdefault(begin, node.lineno)
    return {
        name: (sum(head <= line for head in heads) - 1, line)
        for name, line in lines.items()
    }


def _assignments(module: ast.Module) -> dict[str, list[tuple[int, ast.expr]]]:
    """Return, for each name that the cells set, the lines where, with what it is made of."""
    found: dict[str, list[tuple[int, ast.expr]]] = {}
    waiting: list[ast.AST] = list(module.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AugAssign):
            targets, value = [node.target], node.value
        elif isinstance(node, ast.For):
            targets, value = [node.target], node.iter
        else:
            continue
        for part in (part for target in targets for part in ast.walk(target)):
            if isinstance(part, ast.Name):
                found.setdefault(part.id, []).append((node.lineno, value))
    return {
        name: sorted(lines, key=lambda each: each[0]) for name, lines in found.items()
    }


@dataclass(frozen=True)
class _Origins:
    """Where what a chapter saves was computed.

    Parameters
    ----------
    assigned
        Lines and values of each name, in order.
    first
        First line of the cell that saves.
    """

    assigned: Mapping[str, list[tuple[int, ast.expr]]]
    first: int

    def _last(self, name: str, before: int) -> tuple[int, ast.expr] | None:
        past = [each for each in self.assigned.get(name, ()) if each[0] < before]
        return past[-1] if past else None

    def line(self, given: ast.expr, before: int, steps: int = 8) -> int:
        """Return the line where an expression's first name was computed, else its own."""
        nodes = list(ast.walk(given))
        functions = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        inner = {
            name.id
            for node in nodes
            if isinstance(node, ast.comprehension)
            for name in ast.walk(node.target)
            if isinstance(name, ast.Name)
        }
        names = [
            node
            for node in nodes
            if isinstance(node, ast.Name)
            and id(node) not in functions
            and node.id not in inner
        ]
        lines = []
        for name in sorted(names, key=lambda node: (node.lineno, node.col_offset)):
            if (last := self._last(name.id, before)) is None:
                continue
            line, value = last
            if line >= self.first and steps:
                line = self.line(value, line, steps - 1)
            lines.append(line)
        outside = (line for line in lines if line < self.first)
        return next(outside, lines[0] if lines else given.lineno)

    def written_out(
        self, given: ast.expr, before: int
    ) -> Iterator[tuple[str, ast.expr]]:
        """Yield each key, as results name it, and value of a dictionary that is written out."""
        if isinstance(given, ast.Name) and (last := self._last(given.id, before)):
            given = last[1]
        for part in ast.walk(given):
            if not isinstance(part, ast.Dict):
                continue
            for key, value in zip(part.keys, part.values, strict=True):
                names = key.elts if isinstance(key, ast.Tuple) else [key]
                if all(isinstance(name, ast.Constant) for name in names):
                    yield ".".join(str(name.value) for name in names), value  # type: ignore[union-attr]


def place_of(key: str, places: Mapping[str, tuple[int, int]]) -> tuple[int, int] | None:
    """Return cell and line of the longest prefix of a key; else where the chapter saves."""
    prefixes = [prefix for prefix in places if f"{key}.".startswith(f"{prefix}.")]
    return places.get(max(prefixes, key=len, default=""))


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


def status(
    item: Item,
    results: Results,
    written: bool,
    printed: Mapping[str, Reference] | None = None,
) -> str:
    """Return where an item stands: one word and its verdicts, not yet, or not reproducible.

    ``results`` are those of the item alone; ``written`` says whether its chapter has any;
    ``printed`` are the reference values by key.
    """
    words = (_judged(result, item, printed or {}) for result in results.values())
    counts = Counter(each.split(" by ")[0] for each in words)
    counts.pop(NOTHING, 0)
    parts = [f"{count} {words}" for words, count in counts.items()]
    alone = Counter(
        f"not measured, needs {result.needs}"
        if result.value is None
        else "shown, nothing printed to compare with"
        for result in results.values()
        if result.reference is None
    )
    parts += [
        f"{count} {words}" for words, count in sorted(alone.items(), reverse=True)
    ]
    if item.obstacle:
        parts.insert(0, f"not reproducible: {item.obstacle}")
    missing = f" writes no `{item.prefix}`" if written else ""
    word = "" if item.obstacle else _in_one_word(counts)
    return word + "; ".join(parts) or f"not yet: chapter {item.chapter}{missing}"


def in_a_word(status: str) -> str:
    """Return the word that an item's status begins with, or amounts to: *shown* for pictures."""
    if bold := re.match(r"\*\*(.+?)\*\*", status):
        return bold[1].lower()
    plain = (word for word in COLOURS if status.startswith(word))
    return next(plain, "shown")


def _in_one_word(counts: Mapping[str, int]) -> str:
    """Return what the verdicts on an item's numbers amount to, in bold; nothing of none."""
    compared = {
        name: n for name, n in counts.items() if not name.startswith("not measured")
    }
    lacking = sum(counts.values()) - sum(compared.values())
    agree = sum(compared.get(name, 0) for name in AGREE)
    if lacking > sum(compared.values()):
        word = "not measured"
    elif not compared:
        return ""
    elif agree >= MOST * sum(compared.values()):
        word = "reproduced"
    else:
        word = "in part" if agree else "other values"
    return f"**{word.capitalize()}**: "


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


def _links(
    chapters: Iterable[str], written: Mapping[str, Results | None], folder: Path
) -> dict[tuple[str, str], str]:
    """Return a link for each key of each chapter to the cell that computes it."""
    links = {}
    for name in chapters:
        source = folder / f"{name}.py"
        places = read_places(source) if source.is_file() else {}
        for key in written[name[:2]] or {}:
            if (place := place_of(key, places)) is not None:
                cell, line = place
                links[name[:2], key] = (
                    f'<a href="executed/{name}.html#cell-{cell}" title="notebooks/{name}.py, '
                    f'line {line}"><code>{key}</code></a>'
                )
    return links


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


def _by_verdict(results: Results, *, alone: bool) -> Results:
    return {
        k: result
        for k, result in results.items()
        if (verdict(result) == NOTHING) is alone
    }


def _without_interval(value: float, expected: float) -> str:
    if math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-12):
        return "equal"
    return f"differs by {value - expected:+.3g} (no interval)"


def _check_citations(
    chapters: Iterable[Results | None], cells: tuple[Reference, ...]
) -> None:
    printed = {cell.key: cell for cell in cells}
    for key, result in (
        pair for chapter in chapters for pair in (chapter or {}).items()
    ):
        document, slash, _ = result.source.partition("/")
        if document not in TITLES or not slash:
            continue
        if (cell := printed.get(result.source)) is None:
            raise ResultsError(
                f"result {key} cites {result.source!r}, which is not there"
            )
        if not _same_number(result.reference, cell):
            raise ResultsError(
                f"result {key} compares with {result.reference}, "
                f"but {cell.key} is printed as {cell.printed!r}"
            )


def _same_number(given: float | None, cell: Reference) -> bool:
    if given is None or cell.value is None:
        return given is cell.value
    scales = (1.0, 0.01) if cell.unit == "%" else (1.0,)
    return any(
        math.isclose(given, cell.value * scale, rel_tol=1e-9) for scale in scales
    )


def _printed_tables(
    item: Item, cells: Iterable[Reference]
) -> list[tuple[dict[tuple[str, str], Reference], list[str], list[str]]]:
    """Return each printed table of an item: its cells by row and column, columns and rows."""
    named = [
        c
        for c in cells
        if c.document == item.document and c.table.lower() in item.tables
    ]
    grids = []
    for table in dict.fromkeys(cell.table for cell in named):
        grid = {(cell.row, cell.column): cell for cell in named if cell.table == table}
        rows, columns = (
            list(dict.fromkeys(key[axis] for key in grid)) for axis in (0, 1)
        )
        grids.append((grid, columns, rows))
    return grids


def _marked(cell: Reference | None) -> str:
    if not cell:
        return ""
    text = _escaped(cell.printed)
    if "bold" in cell.flags:
        text = f"**{text}**"
    if "underline" in cell.flags:
        text = f"<u>{text}</u>"
    star = "\\*" if "star" in cell.flags else ""
    return star + text + "".join(sorted({_MARKS[f] for f in cell.flags if f in _MARKS}))


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
