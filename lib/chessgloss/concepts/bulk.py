"""Labels and activations in bulk: chunk by chunk, on one machine or on a cluster.

A chunk of positions is one task, dealt out by joblib. The process that computes it keeps the
result in a :class:`~chessgloss.store.Store` at once, under the digest of its positions and of
what computes it, and only its name travels back. So a run that is killed goes on where it
stopped, a worker that is lost costs the chunks it had in hand, nobody holds more than a few
chunks in memory, and the result is the same whoever computes which. On this machine the tasks
run in processes of joblib's; on a cluster of ``dask.distributed`` the same calls run unchanged::

    with dask.distributed.Client("scheduler:8786"), joblib.parallel_config(backend="dask"):
        parts = [*label(fens, stockfish8(), Store(Path("/shared/store")))]

The store's folder must then lie on a file system that all workers share. ``jobs`` is the number
of processes on this machine; a cluster has its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from tqdm import tqdm

from chessgloss import assets
from chessgloss.corpora import games
from chessgloss.corpora.samples import PositionSample
from chessgloss.experts import Representation, View, joined_activations, load_expert
from chessgloss.oracle import Oracle, TermTable, evaluate_terms
from chessgloss.positions import PositionError, repair_fen, split_of, text_digest
from chessgloss.store import Parts, Store, file_digest

#: Positions that one engine labels before the result is kept: some five seconds of
#: Stockfish 8, so that its start (half a second) counts little and a kill costs little.
LABEL_CHUNK = 32_768

#: Positions whose activations are kept together: 50 MB of NNUE's products and clipped sums.
ACTIVATION_CHUNK = 8_192


class LabelledTexts(NamedTuple):
    """The positions that consecutive texts hold, such as the lines of a file, with their terms.

    Parameters
    ----------
    fens
        Six-field FENs, mended by :func:`chessgloss.positions.repair_fen`; length ``n``.
    lines
        Shape ``(n,)``: the place of each among the texts, from 1: its line in an unpacked file.
    table
        The terms, one row a position.
    damaged
        Places of the texts that hold no legal position, with the reason.
    """

    fens: list[str]
    lines: NDArray[np.int64]
    table: TermTable
    damaged: list[tuple[int, str]]


def label(
    texts: Iterable[str],
    oracle: Oracle,
    store: Store,
    *,
    chunk: int = LABEL_CHUNK,
    jobs: int = 2,
) -> Iterator[LabelledTexts]:
    """Evaluate the concept terms of many positions chunk by chunk, in order, in bounded memory.

    Workers run ahead of the caller; what they finish waits in the store.

    Parameters
    ----------
    texts
        FENs, which :func:`chessgloss.positions.repair_fen` mends, read as they are needed: a
        list, or the lines of a file (:func:`stream_fens`).
    oracle
        Where the terms come from, such as :func:`chessgloss.oracle.stockfish8`. It names
        the engine's command, which must be the same on every worker.
    store
        Keeps each chunk under the digest of its texts and the oracle's name and version.
    chunk
        Texts of a task. Another size makes other chunks: what is kept is not found.

    Yields
    ------
    LabelledTexts
        The positions of a chunk. The whole table is
        ``TermTable.concatenate(part.table for part in label(...))``.

    Raises
    ------
    EngineMissing, EngineFailed
        As :func:`chessgloss.oracle.evaluate_terms` does.
    FileNotFoundError
        If a worker's store is not the caller's.
    """
    # What the numbers depend on: not the command's path, which machines differ in.
    recipe = {"oracle": [oracle.name, oracle.banner.strip(), *oracle.setup]}
    done = _computed("labels", texts, chunk, recipe, _label, (oracle,), store, jobs)
    for first, parts in zip(count(1, chunk), done, strict=False):
        table = TermTable(
            parts["middlegame"], parts["endgame"], parts["total"], parts["status"]
        )
        damaged = [(first + at, reason) for at, reason in parts["damaged"]]
        rows = parts["positions"]["fen"]
        yield LabelledTexts(
            rows.tolist(), first + rows.index.to_numpy(), table, damaged
        )


def stream_fens(path: Path) -> Iterator[str]:
    """Yield the FEN of each line of a file of Lichess evaluations; it is never unpacked whole.

    Where a line has none, its beginning comes instead, so that :func:`label` names it.

    Parameters
    ----------
    path
        A ``lichess_db_eval.jsonl.zst`` (https://database.lichess.org/#evals), or any file
        with one JSON object a line that has a ``fen``.

    Raises
    ------
    chessgloss.corpora.games.TruncatedFileError
        After the last whole line, if the file is cut off. All before it is labelled.
    """
    for line in games.stream_lines(path):
        try:
            yield str(json.loads(line)["fen"])
        except (ValueError, KeyError, TypeError, RecursionError):
            yield line[:80].decode(errors="replace").strip()


def sample_evaluated(
    path: Path | str, most: int
) -> tuple[PositionSample, NDArray[np.str_]]:
    """Take the positions on the first lines of a file of Lichess evaluations, and their parts.

    The file names no games. Each position stands for a game of its own, and its part is chosen by
    a hash of its board and side to move (:func:`chessgloss.positions.split_of`); sisters of one
    game may stand in different parts. The evaluations in the file are not read.

    Parameters
    ----------
    path
        As for :func:`stream_fens`.
    most
        Lines that are read; those without a legal position are left out.

    Returns
    -------
    tuple
        The sample, its FENs mended by :func:`chessgloss.positions.repair_fen`, and the part of
        each position, shape ``(n,)``.

    Raises
    ------
    ValueError
        If none of the lines holds a legal position.
    chessgloss.corpora.games.TruncatedFileError
        If the file is cut off within these lines.
    """
    fens = []
    for text in islice(stream_fens(Path(path)), most):
        with suppress(PositionError):
            fens.append(repair_fen(text).position.fen)
    if not fens:
        raise ValueError(f"{path} holds no position on its first {most:,} lines")
    boards = [" ".join(fen.split(" ")[:2]) for fen in fens]
    alone = np.arange(len(fens), dtype=np.int32)
    sample = PositionSample(tuple(fens), alone, np.zeros_like(alone))
    return sample, np.array([split_of(board) for board in boards])


def activate(
    fens: Sequence[str],
    expert: str,
    layers: str,
    store: Store,
    *,
    path: Path | str | None = None,
    view: View | None = None,
    chunk: int = ACTIVATION_CHUNK,
    jobs: int = 2,
) -> Iterator[NDArray[np.float16]]:
    """Yield the activations of many positions chunk by chunk, mapped from the store's files.

    No more than one chunk is held by each process; ``np.concatenate([*activate(...)])`` is all.

    Parameters
    ----------
    fens
        FENs of positions.
    expert, path, view
        As for :func:`chessgloss.experts.load_expert`. Without a path, a worker finds or fetches
        the network of that name itself; one whose file has another SHA-256 than the caller's
        refuses to compute.
    layers
        One layer, or several with ``+`` between them: ``pairwise+clipped``.
    store, chunk
        As for :func:`label`; the key is the FENs' digest, the network's SHA-256,
        its view and the layers.

    Yields
    ------
    ndarray
        Shape ``(at most chunk, d)``, the layers side by side, in half precision, which holds
        NNUE's clipped values and products exactly.
    """
    sha256 = _network_digest(expert, path)
    recipe = {"expert": [expert, sha256, view], "layers": layers}
    options = (
        layers,
        expert,
        None if path is None else str(Path(path).resolve()),
        view,
        sha256,
    )
    done = _computed(
        "activations", fens, chunk, recipe, _activate, options, store, jobs
    )
    return (parts["activations"] for parts in done)


def _computed(
    name: str,
    texts: Iterable[str],
    size: int,
    recipe: Mapping[str, Any],
    build: Callable[..., Parts],
    options: tuple,
    store: Store,
    jobs: int,
) -> Iterator[dict[str, Any]]:
    """Yield the parts of each chunk of ``size`` texts in order, computing those that are missing.

    Texts are read as they are needed, a few chunks ahead of the workers. What ``texts`` raises
    comes after all chunks before it: joblib reads its input in a thread of its own, where an
    error would vanish.
    """
    if size < 1:
        raise ValueError(f"chunk must be at least 1, got {size}")
    shared = Store(store.root.resolve())
    errors = list[Exception]()

    def calls() -> Iterator[Any]:
        iterator = iter(texts)
        try:
            while part := tuple(islice(iterator, size)):
                digest = text_digest("\n".join(part), 16)
                chunk = {"texts": digest, "rows": len(part), **recipe}
                yield delayed(_keep)(shared, name, chunk, build, (part, *options))
        except Exception as error:
            errors.append(error)

    with tqdm(desc=name, unit="position", disable=None) as bar:
        for chunk in Parallel(jobs, batch_size=1, return_as="generator")(calls()):
            try:
                yield shared.read(name, chunk)
            except FileNotFoundError as missing:
                missing.add_note(
                    "put the store on a file system that all workers share"
                )
                raise
            bar.update(chunk["rows"])
    if errors:
        raise errors[0]


def _keep(
    store: Store,
    name: str,
    chunk: Mapping[str, Any],
    build: Callable[..., Parts],
    given: tuple,
) -> Mapping[str, Any]:
    """Compute a chunk unless a sound artefact of it is kept; return its recipe only.

    The texts travel in a tuple: joblib scatters large arguments that take weak references over
    dask's workers, and those are lost with their worker.
    """
    store.fetch(name, chunk, lambda: build(*given))
    return chunk


def _label(texts: Sequence[str], oracle: Oracle) -> Parts:
    fens = dict[int, str]()
    damaged = list[tuple[int, str]]()
    for offset, text in enumerate(texts):
        try:
            fens[offset] = repair_fen(text).position.fen
        except PositionError as error:
            damaged.append((offset, str(error)))
    table = evaluate_terms(list(fens.values()), oracle, processes=1, progress=False)
    positions = pd.DataFrame({"fen": list(fens.values())}, index=list(fens), dtype=str)
    return {**table.arrays(), "positions": positions, "damaged": damaged}


def _activate(fens: Sequence[str], layers: str, *expert: Any) -> Parts:
    return {"activations": joined_activations(_load(*expert), fens, layers)}


@lru_cache(maxsize=1)
def _load(
    expert: str, path: str | None, view: View | None, sha256: str
) -> Representation:
    if (digest := _network_digest(expert, path)) != sha256:
        raise ValueError(
            f"the network file of {expert!r} has the SHA-256 {digest} on this machine, "
            f"not {sha256}: give every worker the same file"
        )
    return load_expert(expert, path, view=view)


def _network_digest(expert: str, path: Path | str | None) -> str:
    """Return the SHA-256 of the network file on this machine; empty for a bare board."""
    if expert not in ("nnue", "leela"):
        return ""
    return file_digest(Path(path) if path else assets.locate(expert))
