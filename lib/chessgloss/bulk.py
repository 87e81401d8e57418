"""Labels and activations in bulk: chunk by chunk, on one machine or on a cluster.

A chunk of positions is one task, kept in a :class:`~chessgloss.store.Store` under the
digest of its positions and of what computes it (see :mod:`chessgloss.tasks`). So a run
that is killed goes on where it stopped, and the result is the same whoever computes which
chunk. On this machine the tasks run in processes of joblib's; on a cluster of
``dask.distributed`` the same calls run unchanged::

    with dask.distributed.Client("scheduler:8786"), joblib.parallel_config(backend="dask"):
        table = label_positions(fens, stockfish8(), Store(Path("/shared/store")))

The store's folder must then lie on a file system that all workers share.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from chessgloss import assets
from chessgloss.corpora import streams
from chessgloss.corpora.streams import DamagedLine
from chessgloss.experts import joined_activations, load_expert
from chessgloss.oracles import Oracle, TermTable, label_chunk
from chessgloss.positions import PositionError, repair_fen
from chessgloss.store import Parts, Store, file_digest
from chessgloss.tasks import StoreNotShared, Task, computed, cut, digest_of

if TYPE_CHECKING:
    from chessgloss.experts import Representation, View

__all__ = [
    "ACTIVATION_CHUNK",
    "LABEL_CHUNK",
    "ExpertSource",
    "LabelledLines",
    "StoreNotShared",
    "activate",
    "activation_stream",
    "label_positions",
    "label_stream",
]

#: Positions that one engine labels before what it found is kept: some five seconds of
#: Stockfish 8, so that its start (half a second) counts little and a kill costs little.
LABEL_CHUNK = 32_768

#: Positions whose activations are kept together: 50 MB of NNUE's products and clipped sums.
ACTIVATION_CHUNK = 8_192

#: Characters of a line without a FEN that its report quotes.
_QUOTED = 80


@dataclass(frozen=True, slots=True)
class ExpertSource:
    """An expert by name and content: what is sent to a worker in its stead.

    Parameters
    ----------
    name, path, view, random_weights
        As for :func:`chessgloss.experts.load_expert`. Without a path, a worker finds or
        fetches the asset of that name itself.
    sha256
        SHA-256 of the network file, empty for a bare board. A worker whose file is another
        refuses to compute.
    """

    name: str
    path: str | None = None
    view: View | None = None
    random_weights: int | None = None
    sha256: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        path: Path | str | None = None,
        *,
        view: View | None = None,
        random_weights: int | None = None,
    ) -> ExpertSource:
        """Name an expert by the file that it has on this machine."""
        given = None if path is None else str(Path(path).resolve())
        unsigned = cls(name, given, view, random_weights)
        return cls(name, given, view, random_weights, unsigned.digest())

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

    def __post_init__(self) -> None:
        if not len(self.fens) == len(self.lines) == len(self.table):
            raise ValueError("labelled lines need one line and one row of terms for each FEN")


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
        Where the terms come from, such as :func:`chessgloss.oracles.stockfish8`. It names
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
        As :func:`chessgloss.oracles.evaluate_terms` does.
    StoreNotShared
        If a worker's store is not the caller's.
    """
    tasks = (_label_task(part, oracle) for part in cut(fens, chunk))
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
    texts = map(_fen_text, islice(streams.lines(path), limit))
    tasks = (_line_task(part, oracle) for part in cut(texts, chunk))
    with tqdm(total=limit, desc=oracle.name, unit="line", disable=not progress) as bar:
        done = computed(tasks, store, jobs, bar)
        for first, parts in zip(count(1, chunk), done, strict=False):
            yield _labelled_lines(first, parts)


def activate(
    fens: Sequence[str],
    source: ExpertSource,
    layers: str,
    store: Store,
    *,
    chunk: int = ACTIVATION_CHUNK,
    dtype: str = "float16",
    jobs: int = 2,
    progress: bool = True,
) -> NDArray:
    """Return the activations of many positions, computed and kept chunk by chunk.

    Parameters
    ----------
    fens
        FENs of positions.
    source
        The expert: ``ExpertSource.of("nnue")``.
    layers
        One layer, or several with ``+`` between them: ``pairwise+clipped``.
    dtype
        Type of the numbers kept; half precision holds NNUE's clipped values and products
        exactly (see :func:`chessgloss.experts.joined_activations`).
    store, chunk, jobs, progress
        As for :func:`label_positions`; the key is the FENs' digest, the network's SHA-256,
        its view and the layers.

    Returns
    -------
    ndarray
        Shape ``(n, d)``, the layers side by side.
    """
    options: dict[str, Any] = {"chunk": chunk, "dtype": dtype, "jobs": jobs, "progress": progress}
    whole, top = None, 0
    for rows in activation_stream(fens, source, layers, store, **options):
        if whole is None:
            whole = np.empty((len(fens), rows.shape[1]), dtype)
        whole[top : top + len(rows)] = rows
        top += len(rows)
    if whole is None:
        raise ValueError("there are no positions to activate; give at least one FEN")
    return whole


def activation_stream(
    fens: Sequence[str],
    source: ExpertSource,
    layers: str,
    store: Store,
    *,
    chunk: int = ACTIVATION_CHUNK,
    dtype: str = "float16",
    jobs: int = 2,
    progress: bool = True,
) -> Iterator[NDArray]:
    """Yield what :func:`activate` returns in chunks, mapped from the store's files.

    For sets that do not fit into memory: no more than one chunk is held by each process.
    """
    tasks = (_activation_task(part, source, layers, dtype) for part in cut(fens, chunk))
    title = f"{source.name} {layers}"
    with tqdm(total=len(fens), desc=title, unit="position", disable=not progress) as bar:
        for parts in computed(tasks, store, jobs, bar):
            yield parts["activations"]


# What a chunk is, and how a worker computes it


def _label_task(fens: tuple[str, ...], oracle: Oracle) -> Task:
    recipe = {"fens": digest_of(fens), "rows": len(fens), "oracle": _version(oracle)}
    return Task("labels", recipe, functools.partial(_label, fens, oracle))


def _line_task(texts: tuple[str, ...], oracle: Oracle) -> Task:
    recipe = {"lines": digest_of(texts), "rows": len(texts), "oracle": _version(oracle)}
    return Task("labelled-lines", recipe, functools.partial(_label_lines, texts, oracle))


def _activation_task(fens: tuple[str, ...], source: ExpertSource, layers: str, dtype: str) -> Task:
    recipe = {
        "fens": digest_of(fens),
        "rows": len(fens),
        "expert": [source.name, source.sha256, source.view, source.random_weights],
        "layers": layers,
        "dtype": dtype,
    }
    build = functools.partial(_activate, fens, source, layers, dtype)
    return Task("activations", recipe, build)


def _label(fens: Sequence[str], oracle: Oracle) -> Parts:
    table = label_chunk(fens, oracle)
    names = ("middlegame", "endgame", "total", "status")
    return {name: getattr(table, name) for name in names}


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


def _activate(fens: Sequence[str], source: ExpertSource, layers: str, dtype: str) -> Parts:
    return {"activations": joined_activations(source.load(), fens, layers, dtype=dtype)}


@functools.lru_cache(maxsize=1)
def _loaded(source: ExpertSource) -> Representation:
    found = source.digest()
    if found != source.sha256:
        raise ValueError(
            f"the network file of {source.name!r} has the SHA-256 {found} on this machine, "
            f"not {source.sha256}: give every worker the same file"
        )
    options: dict[str, Any] = {"view": source.view, "random_weights": source.random_weights}
    return load_expert(source.name, source.path, **options)  # type: ignore[call-overload]


def _fen_text(line: bytes) -> str:
    """Return the FEN of a line as it stands there, or the line's beginning if it has none."""
    try:
        text = json.loads(line)["fen"]
    except (ValueError, KeyError, TypeError):
        text = None
    return text if isinstance(text, str) else line[:_QUOTED].decode(errors="replace").strip()


def _labelled_lines(first: int, parts: Mapping[str, Any]) -> LabelledLines:
    damaged = (DamagedLine(first + offset, reason) for offset, reason in parts["damaged"])
    rows: pd.DataFrame = parts["positions"]
    lines = first + rows["offset"].to_numpy(np.int64)
    return LabelledLines(tuple(rows["fen"]), lines, _table_of(parts), tuple(damaged))


def _table_of(parts: Mapping[str, Any]) -> TermTable:
    return TermTable(parts["middlegame"], parts["endgame"], parts["total"], parts["status"])


def _version(oracle: Oracle) -> list[str]:
    """Return what the numbers depend on: not the command's path, which machines differ in."""
    return [oracle.name, oracle.banner.strip(), *oracle.setup]
