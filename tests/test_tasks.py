"""Tasks: in order, each kept once, whatever dies or fails on the way."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError
from tqdm import tqdm

from chessgloss import tasks
from chessgloss.store import Store
from chessgloss.tasks import StoreNotShared, Task, computed, cut, digest_of

QUIET = tqdm(disable=True)


def build_rows(first: int, rows: int, log: Path, seconds: float = 0) -> dict:
    """Make the numbers from ``first`` on, and leave a line in the log."""
    time.sleep(seconds)
    with log.open("a") as lines:
        lines.write(f"{first}\n")
    return {"numbers": np.arange(first, first + rows)}


def build_nothing(reason: str) -> dict:
    raise ArithmeticError(reason)


def row_tasks(log: Path, count: int, seconds: float = 0) -> Iterator[Task]:
    for first in range(0, 10 * count, 10):
        build = functools.partial(build_rows, first, 10, log, seconds)
        yield Task("rows", {"first": first, "rows": 10}, build)


def numbers(found) -> list[int]:
    return [number for parts in found for number in parts["numbers"].tolist()]


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def log(tmp_path) -> Path:
    path = tmp_path / "log"
    path.touch()
    return path


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order_and_are_computed_once(store, log, jobs):
    for _ in range(2):
        found = computed(row_tasks(log, 5), store, jobs, QUIET)
        assert numbers(found) == list(range(50))
    assert sorted(map(int, log.read_text().split())) == [0, 10, 20, 30, 40]


def test_the_bar_counts_rows(store, log, capsys):
    with tqdm(total=30, mininterval=0) as bar:
        list(computed(row_tasks(log, 3), store, 1, bar))
    assert "30/30" in capsys.readouterr().err


def test_an_altered_result_is_computed_again(store, log):
    list(computed(row_tasks(log, 2), store, 1, QUIET))
    victim = next(store.root.glob("rows-*/numbers.npy"))
    victim.write_bytes(victim.read_bytes()[:-8])
    assert numbers(computed(row_tasks(log, 2), store, 1, QUIET)) == list(range(20))
    assert len(log.read_text().split()) == 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_source_comes_after_all_before_it(store, log, jobs):
    def broken() -> Iterator[Task]:
        yield from row_tasks(log, 3)
        raise EOFError("the source is cut off")

    found = []
    with pytest.raises(EOFError, match="cut off"):
        for parts in computed(broken(), store, jobs, QUIET):
            found.append(parts)
    assert numbers(found) == list(range(30))


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_a_task_is_raised_as_it_is(store, jobs):
    failing = Task("nothing", {"rows": 1}, functools.partial(build_nothing, "seven"))
    with pytest.raises(ArithmeticError, match="seven"):
        list(computed([failing], store, jobs, QUIET))


def test_a_result_that_the_caller_cannot_see_is_an_error(store, log, monkeypatch):
    monkeypatch.setattr(tasks, "_keep", lambda _, task: (task.name, task.recipe))
    with pytest.raises(StoreNotShared, match="file system"):
        list(computed(row_tasks(log, 1), store, 1, QUIET))


def test_a_process_that_dies_ends_the_run_and_the_next_run_goes_on(store, log):
    def kill_one() -> None:
        limit = time.monotonic() + 60
        while not log.read_text() and time.monotonic() < limit:
            time.sleep(0.01)
        children = psutil.Process().children()
        workers = [one for one in children if "popen_loky" in " ".join(one.cmdline())]
        workers[0].kill()

    killer = threading.Thread(target=kill_one)
    killer.start()
    with pytest.raises(TerminatedWorkerError):
        list(computed(row_tasks(log, 8, seconds=0.5), store, 2, QUIET))
    killer.join()
    finished = {path.name for path in store.root.glob("rows-*")}
    assert len(finished) < 8
    log.write_text("")
    assert numbers(computed(row_tasks(log, 8), store, 2, QUIET)) == list(range(80))
    assert len(log.read_text().split()) <= 8 - len(finished)
    assert finished < {path.name for path in store.root.glob("rows-*")}


def test_a_task_takes_no_weak_references(log):
    """joblib scatters what takes them, and dask cannot bring scattered data back."""
    import weakref

    with pytest.raises(TypeError, match="weak reference"):
        weakref.ref(next(row_tasks(log, 1)))


def test_items_are_cut_lazily():
    seen = []
    chunks = cut((seen.append(number) or number for number in range(7)), 3)
    assert next(chunks) == (0, 1, 2)
    assert seen == [0, 1, 2]
    assert list(chunks) == [(3, 4, 5), (6,)]
    assert list(cut([], 3)) == []
    with pytest.raises(ValueError, match="at least 1, got 0"):
        next(cut([1], 0))


def test_a_digest_depends_on_texts_and_their_order():
    assert digest_of(["a", "b"]) == digest_of(("a", "b"))
    assert len({digest_of(texts) for texts in (["a", "b"], ["b", "a"], ["ab"], ["a"])}) == 4
