"""Whether a chapter's fingerprint holds all of the library that the chapter runs.

:mod:`chessgloss.book.used_code` reads from the text what a chapter uses. A function that is
reached in a way that the text does not show (by ``globals()``, by a registry, by a name put
together) is in no fingerprint, and a change in it would leave the chapter as if it were fresh.
So an execution can be recorded: ``_recorder/sitecustomize.py`` notes in the kernel what runs,
and what is not in the fingerprint is an error. `make smoke` records every chapter.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from chapters import Chapter, ChapterError, Run, execute
from chessgloss.book.used_code import used_code

RECORDER = Path(__file__).with_name("_recorder")


def execute_recorded(run: Run, chapter: Chapter) -> Path:
    """Execute a chapter and hold what ran of the library against its fingerprint.

    Returns
    -------
    Path
        The executed notebook.

    Raises
    ------
    ChapterError
        If the chapter fails, or runs a definition that its fingerprint does not hold; then
        no executed notebook stays, so that the next run does not take it for fresh.
    """
    record = run.executed / f".{chapter.name}.ran"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.unlink(missing_ok=True)
    with recorded(record):
        notebook = execute(run, chapter)
    ran = record.read_text("utf-8").split() if record.is_file() else []
    source = (run.project / chapter.source).read_text("utf-8")
    if unseen := not_in_fingerprint(ran, source, run.project / "lib"):
        notebook.unlink()
        raise ChapterError(
            f"{chapter.name} runs what its fingerprint does not hold, so that a change "
            f"there would leave it fresh: {', '.join(unseen)}"
        )
    return notebook


@contextmanager
def recorded(record: Path) -> Iterator[None]:
    """Have the processes that are started meanwhile append to a file what they run.

    Its lines are ``module:name``, definitions at the top of a module of the library; a
    method stands under its class, a function in a function under the outer one.
    """
    path = [str(RECORDER), os.environ.get("PYTHONPATH", "")]
    settings = {
        "CHESSGLOSS_RAN": str(record.resolve()),
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
    }
    with patch.dict(os.environ, settings):
        yield


def not_in_fingerprint(ran: Iterable[str], source: str, library: Path) -> list[str]:
    """Return the definitions that ran though a notebook's text does not lead to them.

    A module's ``__getattr__`` is passed over: importing a part of a package asks it too, and what
    it hands out is recorded where that runs.
    """
    unseen = {*ran} - used_code(source, library).keys()
    return sorted(each for each in unseen if not each.endswith(":__getattr__"))
