"""Tasks whose results are kept: dealt out by joblib, on one machine or on a cluster.

A task is pure and named by all that goes into it. The process that computes it keeps the
result in a :class:`~chessgloss.store.Store` at once, and only its name travels back. So a
run that is killed goes on where it stopped, a worker that is lost costs the tasks it had in
hand, and nobody holds more than a few tasks in memory, however long their list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from joblib import Parallel, delayed
from tqdm import tqdm

from chessgloss.store import Parts, Store

T = TypeVar("T")


class StoreNotShared(RuntimeError):
    """A worker kept its result where the caller cannot see it."""


@dataclass(frozen=True, slots=True)
class Task:
    """An artefact to compute.

    With slots it takes no weak references, and that matters: joblib scatters large
    arguments that take them over dask's workers, and those are lost with their worker.

    Parameters
    ----------
    name
        What the artefact is, for people.
    recipe
        All that changes it, as JSON values, and ``rows``: how many rows it has.
    build
        A picklable function that makes its parts.
    """

    name: str
    recipe: Mapping[str, Any]
    build: Callable[[], Parts]


def computed(tasks: Iterable[Task], store: Store, jobs: int, bar: tqdm) -> Iterator[dict[str, Any]]:
    """Yield the parts of each task's artefact in order, computing those that are missing.

    Parameters
    ----------
    tasks
        Read as they are needed, a few ahead of the workers.
    store
        Where results are kept; each is checked when it is read.
    jobs
        Processes on this machine; a cluster has its own number.
    bar
        Told the rows of each task that is done.

    Raises
    ------
    StoreNotShared
        If a result is not where this process looks for it.
    joblib.externals.loky.process_executor.TerminatedWorkerError
        If a process on this machine is killed; a cluster gives its tasks to another.
    Exception
        What a task raised, or, after all earlier tasks are done, what ``tasks`` raised.
    """
    shared = Store(store.root.resolve())
    errors: list[Exception] = []
    calls = (delayed(_keep)(shared, task) for task in _until_error(tasks, errors))
    for name, recipe in Parallel(jobs, batch_size=1, return_as="generator")(calls):
        parts = _read_back(shared, name, recipe)
        bar.update(recipe["rows"])
        yield parts
    if errors:
        raise errors[0]


def cut(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """Yield the items in chunks of ``size``, the last one shorter if need be."""
    if size < 1:
        raise ValueError(f"chunk must be at least 1, got {size}")
    iterator = iter(items)
    while part := tuple(islice(iterator, size)):
        yield part


def digest_of(texts: Sequence[str]) -> str:
    """Return the hash, 32 hex digits, of texts in their order."""
    return hashlib.blake2b("\n".join(texts).encode(), digest_size=16).hexdigest()


def _keep(store: Store, task: Task) -> tuple[str, Mapping[str, Any]]:
    """Compute a task unless a sound artefact of it is kept; return its name only."""
    store.fetch(task.name, task.recipe, task.build)
    return task.name, task.recipe


def _read_back(store: Store, name: str, recipe: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return store.read(name, recipe)
    except FileNotFoundError:
        raise StoreNotShared(
            f"a worker finished {store.path(name, recipe).name}, but it is not in {store.root}; "
            "put the store on a file system that the caller and all workers share"
        ) from None


def _until_error(items: Iterable[T], errors: list[Exception]) -> Iterator[T]:
    """Yield items until their source fails, and note the error.

    joblib reads its input in a thread of its own, where an error would vanish.
    """
    try:
        yield from items
    except Exception as error:  # raised by the caller once all before it is in
        errors.append(error)
