"""Sphinx extension: figures of ``benchmarks/results``, each with its day and the age of its code.

- The role ``{measured}`table6_speed` `` says when a benchmark was run, and marks it "of older
  code" if what it measures of the library has changed since.
- The directive ``figures`` makes a table of results: a line for each, its benchmark, its key and
  what it is, separated by ``|``.

Pages that use one are read anew at each build, so that they never show a stale figure as today's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective, SphinxRole

import chessgloss

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HEAD = ("| Ratio | Value | 95 % interval | n | When |", "|:--|--:|:-:|--:|:--|")


def _benchmarks() -> Path:
    """Return the folder of benchmarks: of the pages, or of the library where they are a copy."""
    above = (*Path(__file__).resolve().parents, Path(chessgloss.__file__).parents[2])
    folders = (folder / "benchmarks" for folder in above)
    return next(folder for folder in folders if (folder / "bench.py").is_file())


def age(benchmark: str) -> str:
    """Return the words for how old a benchmark's figures are."""
    folder = str(_benchmarks())
    if folder not in sys.path:
        sys.path.append(folder)
    import bench

    found = bench.age_of(benchmark)
    day = f"measured on {found.date}" if found.date else "measured on a day not noted"
    return day if found.current else f"{day}, **of older code**"


def row(line: str) -> str:
    """Return the row of a table for a line ``benchmark | key | what it is``."""
    benchmark, key, what = (part.strip() for part in line.split("|"))
    path = _benchmarks() / "results" / f"{benchmark}.json"
    entry = json.loads(path.read_text("utf-8")).get(key)
    if entry is None:
        return f"| {what} | not measured | | | |"
    cells = (
        what,
        f"{entry['value']:g}",
        f"{entry['low']:g} to {entry['high']:g}",
        f"{entry['n']:,}",
        age(benchmark),
    )
    return f"| {' | '.join(cells)} |"


class Measured(SphinxRole):
    """When a benchmark was run, and whether its figures are of older code."""

    def run(self) -> tuple[list[nodes.Node], list[Any]]:
        """Return the words, of which the mark is strong."""
        self.env.note_reread()
        words, mark, older = age(self.text).partition("**of older code**")
        found: list[nodes.Node] = [nodes.Text(words)]
        if mark:
            found += [nodes.strong(text=mark.strip("*")), nodes.Text(older)]
        return found, []


class Figures(SphinxDirective):
    """A table of results."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        self.env.note_reread()
        rows = [row(line) for line in self.content if line.strip()]
        table = nodes.container()
        lines = StringList([*HEAD, *rows], source=self.env.docname)
        self.state.nested_parse(lines, self.content_offset, table)
        return table.children


def setup(app: Sphinx) -> dict[str, bool]:
    """Register role and directive."""
    app.add_role("measured", Measured())
    app.add_directive("figures", Figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
