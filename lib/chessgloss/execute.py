"""Execution of a chapter, and what of its output is kept.

The notebook's text (``NN_name.py``, jupytext percent) is executed by papermill; what is
kept holds nothing that differs from run to run, so that two executions of the same text
give the same bytes. The paired ``.ipynb`` without outputs is derived here, too.

Papermill, jupytext and nbformat take seconds to import and are imported where used.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chessgloss.chapters import PACKAGE, Chapter, ChapterError, Run, fingerprint

#: What every chapter's kernel sees beside the run's own folders: a fixed hash seed and
#: number of threads (sums in another order differ in the last bits), figures without a
#: date, and the inline backend even where the reader's shell names another.
KERNEL_SETTINGS: Mapping[str, str] = {
    "PYTHONHASHSEED": "0",
    "SOURCE_DATE_EPOCH": "0",
    "OMP_NUM_THREADS": "2",
    "OPENBLAS_NUM_THREADS": "2",
    "MKL_NUM_THREADS": "2",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}

_KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
_KEPT_CELL_METADATA = ("mystnb",)  # beside the tags


# ---------------------------------------------------------------- pairs


def pair_text(source: Path) -> str:
    """Return the ``.ipynb`` text, without outputs, that belongs to a notebook's ``.py``."""
    import jupytext

    notebook = jupytext.read(source, fmt="py:percent")
    return notebook_text(notebook, {})


def sync_pair(source: Path) -> Path | None:
    """Bring a notebook's ``.py`` and ``.ipynb`` together.

    The newer of two that differ wins, as with ``jupytext --sync``, so that an edit made
    in Jupyter is not lost. Outputs are never kept in the pair.

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


def percent_text(pair: Path) -> str:
    """Return the percent text of an ``.ipynb``, its header holding the kernelspec only."""
    import jupytext

    notebook = jupytext.read(pair)
    filters = {"notebook_metadata_filter": "kernelspec,-jupytext", "cell_metadata_filter": "tags"}
    notebook.metadata = {"kernelspec": dict(_KERNELSPEC), "jupytext": filters}
    return jupytext.writes(notebook, fmt="py:percent")


# ---------------------------------------------------------------- execution


def execute(run: Run, chapter: Chapter) -> Path:
    """Execute a chapter and keep its notebook, stripped to what a re-run repeats.

    Progress, cell by cell, goes to stderr. A chapter that fails leaves the notebook kept
    before as it was; its own, with the error in it, is put under ``_build/failed``.

    Returns
    -------
    Path
        The executed notebook.

    Raises
    ------
    ChapterError
        If a cell fails, the kernel dies, or the chapter writes no results.
    """
    stamp = fingerprint(run.project, chapter, run.parameters)
    started = time.monotonic()
    run.results.mkdir(parents=True, exist_ok=True)
    with kernel_environment(run):
        notebook = _execute_cells(run, chapter)
    if not run.result(chapter).is_file():
        raise ChapterError(f"{chapter.name} wrote no {run.result(chapter)}")
    _report_time(run, chapter, time.monotonic() - started)
    text = notebook_text(notebook, {"fingerprint": stamp, "parameters": run.parameters})
    return write_atomically(run.notebook(chapter), text)


def _execute_cells(run: Run, chapter: Chapter) -> Any:
    import jupytext
    import papermill

    failed = run.project / "_build/failed" / f"{chapter.name}.ipynb"
    failed.parent.mkdir(parents=True, exist_ok=True)
    try:
        notebook = papermill.execute_notebook(
            jupytext.read(run.project / chapter.source, fmt="py:percent"),
            failed,
            parameters=run.parameters,
            kernel_name=_KERNELSPEC["name"],
            cwd=run.project,
            start_timeout=180,
            extra_arguments=["--log-level=40"],  # errors only: the kernel's, not the chapter's
            request_save_on_cell_execute=False,
            progress_bar={"desc": f"{chapter.name} ({run.profile})", "file": sys.stderr},
        )
    except papermill.PapermillExecutionError as error:
        raise ChapterError(_failure(chapter, error, failed)) from error
    except Exception as error:  # a dead kernel or a kernel that never answers
        raise ChapterError(f"{chapter.name} could not be run: {error}") from error
    failed.unlink(missing_ok=True)
    return notebook


def _report_time(run: Run, chapter: Chapter, seconds: float) -> None:
    budget = chapter.budget_seconds.get(run.profile)
    allowed = f" of {budget} s" if budget else ""
    print(f"{chapter.name} ({run.profile}): {seconds:.0f} s{allowed}", file=sys.stderr)


def _failure(chapter: Chapter, error: Any, failed: Path) -> str:
    first = error.source.strip().splitlines()[0] if error.source.strip() else ""
    return (
        f"{chapter.name} failed in cell {error.exec_count} ({first}):\n"
        f"  {error.ename}: {error.evalue}\n  the notebook up to there: {failed}"
    )


@contextmanager
def kernel_environment(run: Run) -> Iterator[None]:
    """Set the environment that the kernel inherits, and put the old one back."""
    folders = {"CHESSGLOSS_RESULTS": str(run.results), "CHESSGLOSS_STORE": str(run.store)}
    before = dict(os.environ)
    os.environ.update({**KERNEL_SETTINGS, **folders})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def write_atomically(path: Path, text: str) -> Path:
    """Write a text file so that a reader sees the old or the new content, nothing between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text, "utf-8")
    return part.replace(path)


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
    kept = {"tags": tags, **{key: cell.metadata.get(key) for key in _KEPT_CELL_METADATA}}
    cell.metadata = {key: value for key, value in kept.items() if value}
    cell.id = f"cell-{number:03d}"
    if cell.cell_type == "code":
        cell.outputs = strip_outputs(cell.outputs)


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
