"""Reference values: what the four source documents print, cell by cell, with their flags.

The values live in ``data/reference``, one CSV file a document (``ccc``, ``rubric``,
``static_positions``, ``state_tracking``); its README gives the form, which a test checks. A
value is kept as printed and read as a number only where it is one. A flag says how the cell was
printed (``star``, ``underline``, ``bold``, ``absent``) or that it cannot be taken at its word
(``contradiction``, ``mistake``, ``ambiguous``); the note then says why.
"""

from __future__ import annotations

import csv
import difflib
import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from chessgloss.store import find_project

DOCUMENTS = ("ccc", "rubric", "static_positions", "state_tracking")

#: How a cell was printed; the star of the CCC paper's Table 1 means p < 0.001 against CCC.
PRINTED_FLAGS = frozenset({"star", "underline", "bold", "absent"})
#: The document against itself, against a fact that can be checked, or open to two readings.
DOUBT_FLAGS = frozenset({"contradiction", "mistake", "ambiguous"})

_NUMBER = re.compile(r"([-−]?\d[\d,]*(?:\.\d+)?)(%p|%|K|\+| million)?")
_POWER_OF_TEN = re.compile(r"(\d+(?:\.\d+)?) × 10\^(-?\d+)")
_FACTORS = {"K": 1e3, " million": 1e6}
_WORDS = {
    "one": 1,
    "two": 2,
    "second": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
}


@dataclass(frozen=True, slots=True)
class Reference:
    """One value as a document prints it.

    Parameters
    ----------
    document
        One of ``ccc``, ``rubric``, ``static_positions``, ``state_tracking``.
    table, row, column
        Where it stands: ``table6``, ``White Knights``, ``Accuracy``; a number of the running
        text has the table ``text4.4``, a part of a figure ``figureA5``.
    value
        The printed number in ``unit`` (57 for ``57%``), or None where no number is printed.
    printed
        The text as printed, without its star or emphasis.
    unit
        Unit of ``value``, empty where it has none.
    flag
        Flags joined by ``;`` (see :data:`PRINTED_FLAGS` and :data:`DOUBT_FLAGS`).
    source
        Document, table or section, and row.
    note
        What a reader must know of it; every doubt is explained here.
    """

    document: str
    table: str
    row: str
    column: str
    value: float | None
    printed: str
    unit: str
    flag: str
    source: str
    note: str

    @property
    def flags(self) -> frozenset[str]:
        """The flags as a set."""
        return frozenset(self.flag.split(";")) - {""}

    @property
    def doubtful(self) -> bool:
        """Whether the document contradicts itself here, errs, or can be read in two ways."""
        return bool(self.flags & DOUBT_FLAGS)

    @property
    def key(self) -> str:
        """``document/table/row/column``: the name by which a result cites this value."""
        return "/".join((self.document, self.table, self.row, self.column))


def load(
    document: str | None = None, folder: Path | None = None
) -> tuple[Reference, ...]:
    """Return the values of one document, or of all four, in the order printed.

    Parameters
    ----------
    document
        One of :data:`DOCUMENTS`; None for all.
    folder
        Folder of the CSV files; the project's ``data/reference`` if not given.

    Raises
    ------
    KeyError
        If the document is unknown.
    """
    if document is not None and document not in DOCUMENTS:
        raise KeyError(f"unknown document {document!r}; known: {', '.join(DOCUMENTS)}")
    names = DOCUMENTS if document is None else (document,)
    where = folder or find_project() / "data" / "reference"
    return tuple(cell for name in names for cell in _read(where / f"{name}.csv"))


def lookup(document: str, table: str, row: str, column: str) -> Reference:
    """Return the one value printed at ``row`` and ``column`` of ``table``.

    Raises
    ------
    KeyError
        If there is none; the message lists the nearest names that exist.
    """
    cells = _narrow(load(document), "table", table, f"document {document}")
    cells = _narrow(cells, "row", row, f"{document} {table}")
    return _narrow(cells, "column", column, f"{document} {table}, row {row}")[0]


def table(document: str, table: str) -> pd.DataFrame:
    """Return a printed table, rows and columns in the order printed.

    A column that prints only numbers (or nothing) holds floats, NaN where nothing is
    printed; any other column holds the printed text.

    Raises
    ------
    KeyError
        If the document has no such table.
    """
    cells = _narrow(load(document), "table", table, f"document {document}")
    rows = pd.Index(_in_order(cell.row for cell in cells), name="row")
    columns = {}
    for name in _in_order(cell.column for cell in cells):
        column = {cell.row: cell for cell in cells if cell.column == name}
        worded = any(
            c.value is None and "absent" not in c.flags for c in column.values()
        )
        printed = {
            row: cell.printed if worded else cell.value for row, cell in column.items()
        }
        columns[name] = pd.Series(printed, rows, dtype=object if worded else float)
    return pd.DataFrame(columns)


@functools.cache
def _read(path: Path) -> tuple[Reference, ...]:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, strict=True))
    cells = []
    for fields in rows:
        printed = fields.pop("value")
        value = None if "absent" in fields["flag"].split(";") else number_of(printed)
        cells.append(Reference(path.stem, value=value, printed=printed, **fields))
    return tuple(cells)


def number_of(printed: str) -> float | None:
    """Return the number that ``printed`` is, or None if it is not one.

    Thousands separators, ``%``, ``%p``, ``K``, ``million``, a closing ``+`` (a lower bound),
    ``5 × 10^-4`` and the small number words of the documents are understood; the number of
    ``57%`` is 57.
    """
    if printed in _WORDS:
        return float(_WORDS[printed])
    if power := _POWER_OF_TEN.fullmatch(printed):
        return float(f"{power[1]}e{power[2]}")
    if match := _NUMBER.fullmatch(printed):
        digits = match[1].replace(",", "").replace("−", "-")
        return float(digits) * _FACTORS.get(match[2] or "", 1.0)
    return None


def _narrow(
    cells: Sequence[Reference], field: str, wanted: str, where: str
) -> list[Reference]:
    kept = [cell for cell in cells if getattr(cell, field) == wanted]
    if not kept:
        names = _in_order(getattr(cell, field) for cell in cells)
        near = difflib.get_close_matches(wanted, names, n=5, cutoff=0.4) or names[:12]
        raise KeyError(
            f"{where} has no {field} {wanted!r}; near names: {', '.join(near)}"
        )
    return kept


def _in_order(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
