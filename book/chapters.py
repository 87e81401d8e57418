"""The book's chapters: their list, their freshness, their execution and the files kept of it.

A chapter is one notebook in ``notebooks/``, listed in ``notebooks/chapters.toml``. Its text
(``NN_name.py``, jupytext percent) is the source. An executed notebook carries one
fingerprint of all that it was made from, and is stale when that of today differs: a change
in the library re-runs only the chapters that import the changed file, and a fresh clone,
whatever its file times, runs nothing. What is kept of an execution holds nothing that
differs from run to run, so that two of the same text give the same bytes.

Papermill, jupytext and nbformat take seconds to import and are imported where used.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import json
import os
import re
import shlex
import sys
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

from chessgloss.book.profiles import sizes_of
from chessgloss.book.used_code import PACKAGE, code_sha256, used_code
from chessgloss.store import write_file

LOCK_FILE = "requirements.lock"
CHAPTERS_FILE = "notebooks/chapters.toml"

#: What every chapter's kernel sees beside the run's own folders and its threads: a fixed hash
#: seed, figures without a date, and the inline backend even where the reader's shell names another.
KERNEL_SETTINGS: Mapping[str, str] = {
    "PYTHONHASHSEED": "0",
    "SOURCE_DATE_EPOCH": "0",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}

#: What says how many threads add up numbers: one, unless the first is set. Sums in another order
#: differ in the last bits, and on a busy machine two threads wait for each other.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_KERNELSPEC = {
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "name": "python3",
}
_KEPT_CELL_METADATA = ("mystnb",)  # beside the tags

#: Stands below the heading of a chapter that was executed at its smallest sizes.
SMOKE_BANNER = """\
```{warning}
Executed with `profile = "smoke"`, which only shows that the chapter runs: these sizes mean
nothing, and neither do the numbers, tables and figures below.
```"""


#: A value that a chapter gives to its prose: name, and how it is written.
_PASTED = re.compile(r"\{glue:text\}`(?P<name>[^`]+)`")

#: Characters that are markup in Markdown.
_MARKUP = re.compile(r"[\\`*_\[\]<>$|]")


class ChapterError(RuntimeError):
    """A chapter that is not listed, cannot be executed, or failed while it ran."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """One notebook of the book, as ``notebooks/chapters.toml`` describes it.

    Parameters
    ----------
    name
        Stem of the notebook's files, ``NN_section``.
    title
        Heading of the chapter.
    sections
        What of the four documents the chapter regenerates.
    data
        Files and folders that the chapter reads, relative to the project; ``*`` stands for any
        name.
    budget_seconds
        Seconds on two cores that an execution may take, by profile.

    Raises
    ------
    ChapterError
        If the name is not ``NN_section`` or a path leads out of the project.
    """

    name: str
    title: str
    sections: str
    data: Sequence[str]
    budget_seconds: Mapping[str, int]

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\d\d_[a-z0-9_]+", self.name):
            raise ChapterError(
                f"{CHAPTERS_FILE}: {self.name!r} is not of the form NN_section"
            )
        for path in self.data:
            if Path(path).is_absolute() or ".." in Path(path).parts:
                raise ChapterError(
                    f"{CHAPTERS_FILE}: {self.name} reads {path!r}, out of the tree"
                )

    @property
    def source(self) -> str:
        """Path of the notebook's text, relative to the project."""
        return f"notebooks/{self.name}.py"


@dataclass(frozen=True, slots=True)
class Run:
    """Where one execution of the book reads and writes, and at which sizes.

    Parameters
    ----------
    project
        Folder that holds ``_toc.yml``; the kernel's working folder.
    profile
        ``book``, ``smoke`` or ``paper``. The notebooks' own default is ``book``.
    executed, results, store
        Folders of executed notebooks, of result files, and of artefacts.
    """

    project: Path
    profile: str
    executed: Path
    results: Path
    store: Path

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters to inject: none for ``book``, which is what the source says."""
        return {} if self.profile == "book" else {"profile": self.profile}

    def notebook(self, chapter: Chapter) -> Path:
        """Path of the chapter's executed notebook."""
        return self.executed / f"{chapter.name}.ipynb"

    def result(self, chapter: Chapter) -> Path:
        """Path of the chapter's result file."""
        return self.results / f"{chapter.name}.json"


def committed_run(project: Path) -> Run:
    """Return the run whose notebooks and results are committed."""
    book = project / "book"
    return Run(
        project, "book", book / "executed", book / "results", project / ".cache/store"
    )


def separate_run(project: Path, profile: str, folder: Path) -> Run:
    """Return a run that writes everything, its store included, under ``folder``."""
    return Run(
        project, profile, folder / "executed", folder / "results", folder / "store"
    )


def read_chapters(project: Path) -> tuple[Chapter, ...]:
    """Read ``notebooks/chapters.toml``, in the book's order.

    Raises
    ------
    ChapterError
        If the file is missing or malformed, or a table lacks a field or has one too many.
    """
    path = project / CHAPTERS_FILE
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
        return tuple(Chapter(name, **table) for name, table in tables.items())
    except (OSError, tomllib.TOMLDecodeError, TypeError) as error:
        raise ChapterError(f"{path}: {error}") from error


def find_chapter(chapters: Iterable[Chapter], wanted: str) -> Chapter:
    """Find a chapter by its number (``4`` or ``04``) or its name.

    Raises
    ------
    ChapterError
        If there is none; the message lists those there are.
    """
    by_name = {chapter.name: chapter for chapter in chapters}
    names = {name[:2]: name for name in by_name}
    if (name := names.get(wanted.zfill(2), wanted)) not in by_name:
        raise ChapterError(f"no chapter {wanted!r}; there are: {', '.join(by_name)}")
    return by_name[name]


# ---------------------------------------------------------------- freshness


def fingerprint(run: Run, chapter: Chapter) -> str:
    """Digest all that an executed chapter is made from, as 32 hexadecimal digits.

    That is the notebook's text, the files of the library that it imports, its sizes, the
    parameters injected, its data and the lock file: names and contents, never file times.

    Raises
    ------
    ChapterError
        If the notebook, its data or the lock file is missing.
    """
    project = run.project
    made_from: set[Path] = set()
    for pattern in (chapter.source, LOCK_FILE, *chapter.data):
        found = sorted(project.glob(pattern))
        if not found:
            raise ChapterError(f"{chapter.name}: {pattern} is missing")
        for path in found:
            made_from |= {
                file for file in (path, *path.rglob("[!.]*")) if file.is_file()
            }
    source = (project / chapter.source).read_text("utf-8")
    made_from.update(used_code(source, project / "lib"))
    sizes = sizes_of(project, chapter.name, run.profile)
    about = json.dumps([run.parameters, sizes, code_sha256(made_from, project)])
    return hashlib.blake2b(about.encode(), digest_size=16).hexdigest()


def is_stale(run: Run, chapter: Chapter) -> bool:
    """Return whether the chapter must be executed: nothing kept, or made from other things."""
    notebook = run.notebook(chapter)
    if not (notebook.is_file() and run.result(chapter).is_file()):
        return True
    try:
        kept = json.loads(notebook.read_text("utf-8"))["metadata"][PACKAGE][
            "fingerprint"
        ]
    except (ValueError, KeyError, TypeError):
        return True
    return kept != fingerprint(run, chapter)


# ---------------------------------------------------------------- execution


def execute(
    run: Run, chapter: Chapter, own: Mapping[str, Any] = MappingProxyType({})
) -> Path:
    """Execute a chapter and keep its notebook, stripped to what a re-run repeats.

    Progress, cell by cell, goes to stderr. A chapter that fails or is killed leaves the
    notebook and results kept before as they were; its own, with the error in it, is put under
    ``_build/failed``.

    Parameters
    ----------
    run
        Where it reads and writes, and at which sizes.
    chapter
        Which one.
    own
        Parameters in place of the chapter's own (:func:`read_parameters`).

    Returns
    -------
    Path
        The executed notebook.

    Raises
    ------
    ChapterError
        If a cell fails, the kernel dies, or the chapter writes no results.
    """
    parameters = {**run.parameters, **own}
    record = {"fingerprint": fingerprint(run, chapter), "parameters": parameters}
    started = time.monotonic()
    aside = replace(run, results=run.results / f".{chapter.name}")
    aside.results.mkdir(parents=True, exist_ok=True)
    aside.result(chapter).unlink(missing_ok=True)  # of an execution that was killed
    with kernel_environment(aside):
        notebook = _execute_cells(run, chapter, parameters)
    if not aside.result(chapter).is_file():
        raise ChapterError(f"{chapter.name} wrote no {run.result(chapter)}")
    aside.result(chapter).replace(run.result(chapter))
    aside.results.rmdir()
    budget = chapter.budget_seconds.get(run.profile)
    taken = f"{time.monotonic() - started:.0f} s" + (
        f" of {budget} s" if budget else ""
    )
    print(f"{chapter.name} ({run.profile}): {taken}", file=sys.stderr)
    write_values(notebook, pasted_values(notebook))
    return write_file(run.notebook(chapter), notebook_text(notebook, record))


def read_parameters(project: Path, chapter: Chapter, text: str) -> dict[str, Any]:
    """Return the parameters of a text such as ``seed=2 shown=[lec3/13,lec12/12]``.

    Values are YAML; what holds a blank is quoted as in a shell.

    Raises
    ------
    ChapterError
        If a part is not of this form, or the chapter has no such parameter.
    """
    import papermill
    import yaml

    known = papermill.inspect_notebook(project / f"notebooks/{chapter.name}.ipynb")
    parameters = {}
    for part in shlex.split(text):
        name, equals, value = part.partition("=")
        if not equals or name not in known:
            raise ChapterError(
                f"{part!r} names no parameter of {chapter.name}: give {', '.join(known)} "
                "as name=value"
            )
        try:
            parameters[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise ChapterError(
                f"{name}: {value!r} is no YAML ({error.problem}): write texts of a list in quotes"
            ) from None
    return parameters


def _execute_cells(run: Run, chapter: Chapter, parameters: Mapping[str, Any]) -> Any:
    import jupytext
    import papermill

    failed = run.project / "_build/failed" / f"{chapter.name}.ipynb"
    failed.parent.mkdir(parents=True, exist_ok=True)
    source = jupytext.read(run.project / chapter.source, fmt="py:percent")
    if run.profile == "smoke":
        heading, _, rest = source.cells[0].source.partition("\n")
        source.cells[0].source = f"{heading}\n\n{SMOKE_BANNER}\n{rest}"
    try:
        notebook = papermill.execute_notebook(
            source,
            failed,
            parameters=dict(parameters),
            kernel_name=_KERNELSPEC["name"],
            cwd=run.project,
            start_timeout=180,
            extra_arguments=[
                "--log-level=40"
            ],  # errors only: the kernel's, not the chapter's
            request_save_on_cell_execute=False,
            progress_bar={
                "desc": f"{chapter.name} ({run.profile})",
                "file": sys.stderr,
            },
        )
    except papermill.PapermillExecutionError as error:
        line = (error.source.strip().splitlines() or [""])[0]
        raise ChapterError(
            f"{chapter.name} failed in cell {error.exec_count} ({line}):\n"
            f"  {error.ename}: {error.evalue}\n  the notebook up to there: {failed}"
        ) from error
    except Exception as error:  # a dead kernel or a kernel that never answers
        raise ChapterError(f"{chapter.name} could not be run: {error}") from error
    failed.unlink(missing_ok=True)
    return notebook


def kernel_environment(run: Run) -> AbstractContextManager[Any]:
    """Set, while the context lasts, the environment that the kernel inherits."""
    folders = {
        "CHESSGLOSS_RESULTS": str(run.results),
        "CHESSGLOSS_STORE": str(run.store),
    }
    threads = dict.fromkeys(THREADS, os.environ.get(THREADS[0]) or "1")
    return patch.dict(os.environ, {**KERNEL_SETTINGS, **threads, **folders})


# ---------------------------------------------------------------- what is kept


def notebook_text(notebook: Any, record: Mapping[str, Any]) -> str:
    """Return a notebook's JSON without anything that differs from run to run.

    Times, papermill's marks, random cell names and what was written to stderr go; the
    injected cell is tagged so that the book does not show it.

    Parameters
    ----------
    notebook
        An ``nbformat`` notebook; it is changed in place.
    record
        Kept in the metadata under ``chessgloss``; nothing is, if empty.
    """
    import nbformat

    language = {"name": "python", "pygments_lexer": "ipython3"}
    notebook.metadata = {"kernelspec": dict(_KERNELSPEC), "language_info": language}
    if record:
        notebook.metadata[PACKAGE] = dict(record)
    for number, cell in enumerate(notebook.cells):
        _strip_cell(cell, number)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return nbformat.writes(nbformat.from_dict(notebook), version=4) + "\n"


def _strip_cell(cell: Any, number: int) -> None:
    tags = list(cell.metadata.get("tags", ()))
    if "injected-parameters" in tags and "remove-input" not in tags:
        tags.append("remove-input")
    kept = {
        "tags": tags,
        **{key: cell.metadata.get(key) for key in _KEPT_CELL_METADATA},
    }
    cell.metadata = {key: value for key, value in kept.items() if value}
    cell.id = f"cell-{number:03d}"
    if cell.cell_type == "code":
        cell.outputs = strip_outputs(cell.outputs)


def pasted_values(notebook: Any) -> dict[str, str]:
    """Return the values that an executed notebook gives to its prose, by name, as Python text."""
    values = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            about = output.get("metadata", {}).get("scrapbook", {})
            if "name" in about:
                data = output["data"]
                values[about["name"]] = data[f"{about['mime_prefix']}text/plain"]
    return values


def write_values(notebook: Any, values: Mapping[str, str]) -> None:
    """Write pasted values into the prose in place of ``{glue:text}`name:.2f```.

    So the text reads well wherever the notebook is opened. A name without a value stays, and is
    an error when the pages are built. The notebook is changed in place.
    """
    from myst_nb.core.variables import format_plain_text

    def value(match: re.Match[str]) -> str:
        name, _, form = match["name"].partition(":")
        if name not in values:
            return match[0]
        return _MARKUP.sub(r"\\\g<0>", format_plain_text(values[name], form))

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _PASTED.sub(value, cell.source)


def strip_outputs(outputs: Sequence[Any]) -> list[Any]:
    """Drop stderr and join the pieces in which a kernel happens to send its text."""
    kept: list[Any] = []
    for output in outputs:
        if output.get("name") == "stderr":
            continue
        if output.output_type == "stream" and kept and kept[-1].output_type == "stream":
            kept[-1].text += output.text
        else:
            kept.append(output)
    return kept


# ---------------------------------------------------------------- pairs
# Not `jupytext --sync`: it gives cells random names, so that two people's pairs would differ.


def pair_text(source: Path) -> str:
    """Return the ``.ipynb`` text, without outputs, that belongs to a notebook's ``.py``."""
    import jupytext

    return notebook_text(jupytext.read(source, fmt="py:percent"), {})


def percent_text(pair: Path) -> str:
    """Return the percent text of an ``.ipynb``, its header holding the kernelspec only."""
    import jupytext

    notebook = jupytext.read(pair)
    filters = {
        "notebook_metadata_filter": "kernelspec,-jupytext",
        "cell_metadata_filter": "tags",
    }
    notebook.metadata = {"kernelspec": dict(_KERNELSPEC), "jupytext": filters}
    return jupytext.writes(notebook, fmt="py:percent")


def sync_pair(source: Path) -> Path | None:
    """Bring a notebook's ``.py`` and ``.ipynb`` together.

    The newer of two that differ wins, so that an edit made in Jupyter is not lost. Outputs
    are never kept in the pair.

    Returns
    -------
    Path or None
        The file that was brought up to date; None if the two agreed.
    """
    pair = source.with_suffix(".ipynb")
    if pair.is_file() and pair.read_text("utf-8") == pair_text(source):
        return None
    edited_in_jupyter = pair.is_file() and pair.stat().st_mtime > source.stat().st_mtime
    if edited_in_jupyter:
        source.write_text(percent_text(pair), "utf-8")
    pair.write_text(pair_text(source), "utf-8")
    return source if edited_in_jupyter else pair


def without_solutions(notebook: Any, right: Sequence[Mapping[str, str]] = ()) -> Any:
    """Return a copy of a notebook in which the exercises wait to be solved.

    A cell tagged ``solution`` keeps its first line, which says what is to be shown, and the names
    of the results that the cell tagged ``check`` behind it looks at. Exercise, solution and check
    have one source.

    Parameters
    ----------
    notebook
        With a cell tagged ``check`` behind each one tagged ``solution``.
    right
        Hashes of the right results by name, check by check (:func:`right_results`).
    """
    blank = copy.deepcopy(notebook)
    solutions = tagged(blank, "solution")
    checks = tagged(blank, "check")
    for solution, check in zip(solutions, checks, strict=True):
        names = _checked_names(check.source)
        first = solution.source.splitlines()[0]
        solution.source = "\n".join([first, *(f"{name} = ..." for name in names)])
        solution.outputs = []
        solution.execution_count = None
        solution.metadata["tags"].remove("hide-cell")
        check.metadata["tags"].remove("remove-cell")
    for check, hashes in zip(checks, right, strict=False):
        if hashes:
            ending = f"    expected={dict(hashes)!r},\n)"
            check.source = check.source.removesuffix(")") + ending
    return blank


def right_results(notebook: Any) -> list[dict[str, str]]:
    """Return the hashes of an executed notebook's own solutions, from its cells tagged ``check``.

    Hashes of results by name (:func:`chessgloss.report.check`), a cell after the other.
    """
    found = []
    for cell in tagged(notebook, "check"):
        try:
            hashes = json.loads(cell.outputs[0]["data"]["text/plain"])
        except (LookupError, ValueError):  # all of its results are tested otherwise
            hashes = {}
        found.append(hashes)
    return found


def tagged(notebook: Any, tag: str) -> list[Any]:
    """Return the cells of a notebook that have this tag."""
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", ())]


def _checked_names(source: str) -> list[str]:
    """Return the names of the results in a call of ``report.check``."""
    (call,) = (node for node in ast.parse(source).body if isinstance(node, ast.Expr))
    assert isinstance(call.value, ast.Call)
    return [keyword.arg or "" for keyword in call.value.keywords]
