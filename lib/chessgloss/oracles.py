"""The concept oracles: Stockfish 8's and Stockfish 15.1's own ``eval`` tables, in bulk.

The CCC paper (Section 3.1.1 and Appendix A) takes the terms of Stockfish 8's evaluation
as the labels of its concepts. A thread writes positions to the engine while the caller's
thread reads and parses tables, so that the engine never waits; several engines run side
by side. Evaluation has no memory: a table depends on nothing but its position.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from chessgloss.engines import find_stockfish, find_stockfish8
from chessgloss.term_stream import CalledOffError, Oracle, stream_tables
from chessgloss.term_tables import STOCKFISH_8, STOCKFISH_15, TERMS, Status, TermTable

__all__ = [
    "TERMS",
    "Oracle",
    "Status",
    "TermTable",
    "evaluate_terms",
    "label_chunk",
    "network_evaluations",
    "stockfish8",
    "stockfish15",
]

_NETWORK_LINE = re.compile(r"^NNUE evaluation +(\S+) \(white side\)", re.MULTILINE)
_FEN = re.compile(r"[1-8pnbrqkPNBRQK/]{15,71} [wb] (?:-|[KQkq]{1,4}) (?:-|[a-h][36]) \d+ \d+")


def stockfish8(command: Sequence[str] | None = None) -> Oracle:
    """Return the paper's oracle, Stockfish 8 (npm ``stockfish`` 8.0.0 under node).

    Raises
    ------
    EngineMissing
        If no command is given and node or the package is missing.
    """
    found = find_stockfish8() if command is None else tuple(command)
    return Oracle("Stockfish 8", found, "Stockfish.js 8 ", STOCKFISH_8)


def stockfish15(path: Path | None = None) -> Oracle:
    """Return the oracle for comparison, the classical evaluation of Stockfish 15.1.

    Raises
    ------
    EngineMissing
        If no path is given and Stockfish is not installed.
    """
    command = (str(path or find_stockfish()),)
    classical = ("setoption name Use NNUE value false",)
    return Oracle("Stockfish 15.1", command, "Stockfish 15.1 ", STOCKFISH_15, classical)


def evaluate_terms(
    fens: Sequence[str], oracle: Oracle, *, processes: int = 2, progress: bool = True
) -> TermTable:
    """Evaluate the concept terms of many positions.

    Parameters
    ----------
    fens
        Six-field FENs of legal positions (as :class:`chessgloss.positions.Position` holds
        them). Each distinct one is evaluated once.
    oracle
        Where the terms come from: :func:`stockfish8` or :func:`stockfish15`.
    processes
        Engine processes; the answer does not depend on their number.
    progress
        Whether to show a progress bar on the standard error stream.

    Returns
    -------
    TermTable
        One row a position, in the order of ``fens``.

    Raises
    ------
    ValueError
        If a text is no FEN; the message names it and its place.
    EngineMissing
        If the oracle's engine is missing or of another version.
    EngineFailed
        If the engine crashes or hangs on a position twice; the message names it.
    """
    if processes < 1:
        raise ValueError(f"processes must be at least 1, got {processes}")
    _check_fens(fens)
    place = {fen: row for row, fen in enumerate(dict.fromkeys(fens))}
    distinct = list(place)
    with tqdm(total=len(distinct), desc=oracle.name, unit="position", disable=not progress) as bar:
        table = TermTable.concatenate(_in_lanes(distinct, oracle, processes, bar))
    return table if len(distinct) == len(fens) else table.take([place[fen] for fen in fens])


def network_evaluations(fens: Sequence[str], path: Path | None = None) -> NDArray[np.float64]:
    """Return what Stockfish 15.1 prints as its network's evaluation, one value a position.

    Parameters
    ----------
    fens
        Six-field FENs of positions that are not in check (of those it prints nothing).
    path
        The engine; found by :func:`chessgloss.engines.find_stockfish` if not given.

    Returns
    -------
    ndarray
        Shape ``(n,)``: pawns from White's point of view, two decimals as printed.

    Raises
    ------
    ValueError
        If there are not as many values as positions: one of them is in check.
    """
    commands = "".join(f"position fen {fen}\neval\n" for fen in fens) + "quit\n"
    done = subprocess.run(
        [path or find_stockfish()], input=commands, capture_output=True, text=True, check=True
    )
    printed = _NETWORK_LINE.findall(done.stdout)
    if len(printed) != len(fens):
        raise ValueError(f"{len(printed)} evaluations of {len(fens)}: leave out positions in check")
    return np.array(printed, float)


def label_chunk(fens: Sequence[str], oracle: Oracle) -> TermTable:
    """Evaluate one chunk of positions on one engine process: a pure function.

    Oracle and table are plain data, so that joblib, dask or a scheduler of your own can
    run chunks anywhere; a chunk should be worth the start of the engine (half a second
    for Stockfish 8: thousands of positions). Errors are those of :func:`evaluate_terms`.
    """
    _check_fens(fens)
    return TermTable.concatenate(stream_tables(fens, oracle, lambda _: None, threading.Event()))


def _check_fens(fens: Sequence[str]) -> None:
    for place, fen in enumerate(fens):
        placement = fen.split(" ", 1)[0]
        kings = placement.count("K"), placement.count("k")
        if kings != (1, 1) or not _FEN.fullmatch(fen):
            raise ValueError(
                f"position {place} is no six-field FEN with one king a side: {fen!r}; "
                "read it with positions.read_fen or positions.repair_fen first"
            )


def _in_lanes(fens: list[str], oracle: Oracle, processes: int, bar: tqdm) -> list[TermTable]:
    """Share the positions out to lanes, one engine each, and return the tables in order."""
    lanes = min(processes, len(fens))
    bounds = [len(fens) * lane // lanes for lane in range(lanes + 1)] if lanes else [0]
    stop, lock = threading.Event(), threading.Lock()

    def advance(count: int) -> None:
        with lock:
            bar.update(count)

    def lane(begin: int, end: int) -> TermTable:
        return TermTable.concatenate(stream_tables(fens[begin:end], oracle, advance, stop))

    with ThreadPoolExecutor(max(lanes, 1)) as pool:
        try:
            shares = itertools.pairwise(bounds)
            futures = [pool.submit(lane, *share) for share in shares]
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            stop.set()
        return _results(futures)


def _results(futures: list[Future[TermTable]]) -> list[TermTable]:
    """Return all results, or raise the error that called the others off."""
    errors = [error for error in (future.exception() for future in futures) if error]
    for error in errors:
        if not isinstance(error, CalledOffError):
            raise error
    return [future.result() for future in futures]
