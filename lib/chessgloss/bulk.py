"""Labels and activations in bulk: chunk by chunk, on one machine or on a cluster.

A chunk of positions is one task, dealt out by joblib. The process that computes it keeps the
result in a :class:`~chessgloss.store.Store` at once, under the digest of its positions and of
what computes it, and only its name travels back. So a run that is killed goes on where it
stopped, a worker that is lost costs the chunks it had in hand, nobody holds more than a few
chunks in memory, and the result is the same whoever computes which. On this machine the tasks
run in processes of joblib's; on a cluster of ``dask.distributed`` the same calls run unchanged::

    with dask.distributed.Client("scheduler:8786"), joblib.parallel_config(backend="dask"):
        table = label_positions(fens, stockfish8(), Store(Path("/shared/store")))

The store's folder must then lie on a file system that all workers share.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from tqdm import tqdm

from chessgloss import assets
from chessgloss.corpora import streams
from chessgloss.corpora.streams import DamagedLine
from chessgloss.experts import joined_activations, load_expert
from chessgloss.oracle import Oracle, TermTable, evaluate_terms
from chessgloss.positions import PositionError, repair_fen
from chessgloss.store import Parts, Store, file_digest

if TYPE_CHECKING:
    from chessgloss.experts import Representation, View

#: Positions that one engine labels before the result is kept: some five seconds of
#: Stockfish 8, so that its start (half a second) counts little and a kill costs little.
LABEL_CHUNK = 32_768

#: Positions whose activations are kept together: 50 MB of NNUE's products and clipped sums.
ACTIVATION_CHUNK = 8_192

#: Characters of a line without a FEN that its report quotes.
_QUOTED = 80


class StoreNotShared(RuntimeError):
    """A worker kept its result where the caller cannot see it."""


@dataclass(frozen=True, slots=True)
class ExpertSource:
    """An expert by name and content: what is sent to a worker in its stead.

    Parameters
    ----------
    name, path, view
        As for :func:`chessgloss.experts.load_expert`. Without a path, a worker finds or
        fetches the asset of that name itself.
    sha256
        SHA-256 of the network file, empty for a bare board. A worker whose file is another
        refuses to compute.
    """

    name: str
    path: str | None = None
    view: View | None = None
    sha256: str = ""

    @classmethod
    def of(
        cls, name: str, path: Path | str | None = None, *, view: View | None = None
    ) -> ExpertSource:
        """Name an expert by the file that it has on this machine."""
        source = cls(name, None if path is None else str(Path(path).resolve()), view)
        return replace(source, sha256=source.digest())

    def digest(self) -> str:
        """Return the SHA-256 of the network file on this machine; empty for a bare board."""
        if self.name not in ("nnue", "leela"):
            return ""
        return file_digest(Path(self.path) if self.path else assets.locate(self.name))

    def load(self) -> Representation:
        """Load the expert; a process that loads the same one again gets it at once.

        Raises
        ------
        ValueError
            If the network file on this machine is another than the caller's.
        """
        return _loaded(self)


@dataclass(frozen=True, slots=True, eq=False)
class LabelledLines:
    """The positions of consecutive lines of a file, with their terms.

    Parameters
    ----------
    fens
        Six-field FENs, mended by :func:`chessgloss.positions.repair_fen`; length ``n``.
    lines
        Shape ``(n,)``: the line of each in the unpacked file, from 1.
    table
        The terms, one row a position.
    damaged
        Lines that hold no legal position, with the reason.
    """

    fens: tuple[str, ...]
    lines: NDArray[np.int64]
    table: TermTable
    damaged: tuple[DamagedLine, ...]


def label_positions(
    fens: Sequence[str],
    oracle: Oracle,
    store: Store,
    *,
    chunk: int = LABEL_CHUNK,
    jobs: int = 2,
    progress: bool = True,
) -> TermTable:
    """Evaluate the concept terms of many positions, chunk by chunk.

    Parameters
    ----------
    fens
        Six-field FENs of legal positions.
    oracle
        Where the terms come from, such as :func:`chessgloss.oracle.stockfish8`. It names
        the engine's command, which must be the same on every worker.
    store
        Keeps each chunk under the digest of its FENs and the oracle's name and version.
    chunk
        Positions of a task. Another size makes other chunks: what is kept is not found.
    jobs
        Processes, each with an engine of its own; a cluster has its own number.
    progress
        Whether to show a progress bar on the standard error stream.

    Returns
    -------
    TermTable
        One row a position, in the order of ``fens``: values in pawns, White's and Black's
        terms as printed.

    Raises
    ------
    ValueError
        If a text is no FEN; the message names it and its place in its chunk.
    EngineMissing, EngineFailed
        As :func:`chessgloss.oracle.evaluate_terms` does.
    StoreNotShared
        If a worker's store is not the caller's.
    """
    recipe = {"oracle": _version(oracle)}
    tasks = _tasks("labels", fens, chunk, recipe, functools.partial(_label, oracle=oracle))
    with tqdm(total=len(fens), desc=oracle.name, unit="position", disable=not progress) as bar:
        return TermTable.concatenate(map(_table_of, computed(tasks, store, jobs, bar)))


def label_stream(
    path: Path,
    oracle: Oracle,
    store: Store,
    *,
    chunk: int = LABEL_CHUNK,
    limit: int | None = None,
    jobs: int = 2,
    progress: bool = True,
) -> Iterator[LabelledLines]:
    """Label a file of Lichess evaluations, in the file's order and in bounded memory.

    Workers run ahead of the caller; what they finish waits in the store.

    Parameters
    ----------
    path
        A ``lichess_db_eval.jsonl.zst`` (https://database.lichess.org/#evals), or any file
        with one JSON object a line that has a ``fen``. It is never unpacked whole.
    limit
        Read so many lines only.
    oracle, store, chunk, jobs, progress
        As for :func:`label_positions`; a chunk is counted in lines.

    Raises
    ------
    chessgloss.corpora.streams.TruncatedFileError
        After the last whole line, if the file is cut off. All before it is labelled.
    """
    texts, recipe = map(_fen_text, islice(streams.lines(path), limit)), {"oracle": _version(oracle)}
    label = functools.partial(_label_lines, oracle=oracle)
    tasks = _tasks("labelled-lines", texts, chunk, recipe, label)
    with tqdm(total=limit, desc=oracle.name, unit="line", disable=not progress) as bar:
        done = computed(tasks, store, jobs, bar)
        for first, parts in zip(count(1, chunk), done, strict=False):
            rows, table = parts["positions"], _table_of(parts)
            damaged = tuple(DamagedLine(first + at, reason) for at, reason in parts["damaged"])
            lines = first + rows["offset"].to_numpy(np.int64)
            yield LabelledLines(tuple(rows["fen"]), lines, table, damaged)


def activate(
    fens: Sequence[str],
    source: ExpertSource,
    layers: str,
    store: Store,
    *,
    chunk: int = ACTIVATION_CHUNK,
    jobs: int = 2,
    progress: bool = True,
) -> NDArray[np.float16]:
    """Return the activations of many positions, computed and kept chunk by chunk.

    Parameters
    ----------
    fens
        FENs of positions.
    source
        The expert: ``ExpertSource.of("nnue")``.
    layers
        One layer, or several with ``+`` between them: ``pairwise+clipped``.
    store, chunk, jobs, progress
        As for :func:`label_positions`; the key is the FENs' digest, the network's SHA-256,
        its view and the layers.

    Returns
    -------
    ndarray
        Shape ``(n, d)``, the layers side by side, in half precision, which holds NNUE's clipped
        values and products exactly (see :func:`chessgloss.experts.joined_activations`).
    """
    if not fens:
        raise ValueError("there are no positions to activate; give at least one FEN")
    chunks = activation_stream(
        fens, source, layers, store, chunk=chunk, jobs=jobs, progress=progress
    )
    return np.concatenate(list(chunks))


def activation_stream(
    fens: Sequence[str],
    source: ExpertSource,
    layers: str,
    store: Store,
    *,
    chunk: int = ACTIVATION_CHUNK,
    jobs: int = 2,
    progress: bool = True,
) -> Iterator[NDArray[np.float16]]:
    """Yield what :func:`activate` returns in chunks, mapped from the store's files.

    For sets that do not fit into memory: no more than one chunk is held by each process.
    """
    recipe = {"expert": [source.name, source.sha256, source.view], "layers": layers}
    build = functools.partial(_activate, source=source, layers=layers)
    tasks = _tasks("activations", fens, chunk, recipe, build)
    title = f"{source.name} {layers}"
    with tqdm(total=len(fens), desc=title, unit="position", disable=not progress) as bar:
        for parts in computed(tasks, store, jobs, bar):
            yield parts["activations"]


# Tasks: computed anywhere, each kept once


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


def _tasks(
    name: str,
    texts: Iterable[str],
    size: int,
    recipe: Mapping[str, Any],
    build: Callable[[tuple[str, ...]], Parts],
) -> Iterator[Task]:
    """Cut texts into chunks of ``size``, the last one shorter if need be: one task each."""
    if size < 1:
        raise ValueError(f"chunk must be at least 1, got {size}")
    iterator = iter(texts)
    while part := tuple(islice(iterator, size)):
        digest = hashlib.blake2b("\n".join(part).encode(), digest_size=16).hexdigest()
        chunk = {"texts": digest, "rows": len(part), **recipe}
        yield Task(name, chunk, functools.partial(build, part))


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


def _until_error(tasks: Iterable[Task], errors: list[Exception]) -> Iterator[Task]:
    """Yield tasks until their source fails, and note the error.

    joblib reads its input in a thread of its own, where an error would vanish.
    """
    try:
        yield from tasks
    except Exception as error:  # raised by the caller once all before it is in
        errors.append(error)


# How a worker computes a chunk


def _label(fens: Sequence[str], oracle: Oracle) -> Parts:
    return evaluate_terms(fens, oracle, processes=1, progress=False).arrays()


def _label_lines(texts: Sequence[str], oracle: Oracle) -> Parts:
    fens, offsets, damaged = [], [], []
    for offset, text in enumerate(texts):
        try:
            fens.append(repair_fen(text).position.fen)
            offsets.append(offset)
        except PositionError as error:
            damaged.append([offset, str(error)])
    rows = pd.DataFrame({"fen": fens, "offset": np.array(offsets, np.int64)})
    return {**_label(fens, oracle), "positions": rows, "damaged": damaged}


def _activate(fens: Sequence[str], source: ExpertSource, layers: str) -> Parts:
    return {"activations": joined_activations(source.load(), fens, layers)}


@functools.lru_cache(maxsize=1)
def _loaded(source: ExpertSource) -> Representation:
    found = source.digest()
    if found != source.sha256:
        raise ValueError(
            f"the network file of {source.name!r} has the SHA-256 {found} on this machine, "
            f"not {source.sha256}: give every worker the same file"
        )
    return load_expert(source.name, source.path, view=source.view)  # type: ignore[call-overload]


def _fen_text(line: bytes) -> str:
    """Return the FEN of a line as it stands there, or the line's beginning if it has none."""
    try:
        text = json.loads(line)["fen"]
    except (ValueError, KeyError, TypeError):
        text = None
    return text if isinstance(text, str) else line[:_QUOTED].decode(errors="replace").strip()


def _table_of(parts: Mapping[str, Any]) -> TermTable:
    return TermTable(parts["middlegame"], parts["endgame"], parts["total"], parts["status"])


def _version(oracle: Oracle) -> list[str]:
    """Return what the numbers depend on: not the command's path, which machines differ in."""
    return [oracle.name, oracle.banner.strip(), *oracle.setup]
