"""Stockfish as a search engine: where it is, what it says of a position, how sure it is.

Built on :mod:`chess.engine`. Every analysis starts from an empty hash table with fixed
nodes or depth, so that an answer depends on nothing but the question; every score is a
:class:`chess.engine.PovScore`, seen by the side to move. An engine that crashes or hangs
is replaced and asked once more; an engine process never outlives its context.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import chess
import chess.engine
from tqdm import tqdm

from chessgloss.analysis import (
    Analysis,
    Line,
    WdlModel,
    centipawns,
    expected_score,
    score_of,
    win_probability,
)
from chessgloss.engines import EngineFailed, EngineMissing, executable, find_stockfish, version
from chessgloss.positions import MoveInContext, Position

__all__ = [
    "Engine",
    "EngineFailed",
    "EngineMissing",
    "WdlModel",
    "analyse_many",
    "centipawns",
    "expected_score",
    "find_stockfish",
    "open_engine",
    "score_of",
    "version",
    "win_probability",
]

_INFO = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE | chess.engine.INFO_PV

# A move that cannot be read leaves python-chess waiting; the watchdog then cancels the wait.
_FAILURES = (chess.engine.EngineError, asyncio.TimeoutError, CancelledError)


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked of the engine: a board with history, a limit, lines, root moves."""

    board: chess.Board
    limit: chess.engine.Limit
    multipv: int
    root_moves: tuple[chess.Move, ...] | None


class Engine:
    """One engine process, replaced when it fails. Use it as a context manager.

    The attribute ``name`` is the name and version that the engine gives itself.

    Parameters
    ----------
    path
        The engine's binary; :func:`find_stockfish` if not given.
    threads
        Search threads. Only one thread gives the same answer twice.
    hash_mb
        Size of the hash table in MiB. It is emptied before every position, which takes
        about a millisecond for 16 MiB.
    timeout
        Seconds an analysis may take before the engine counts as hung. Raise it for deep
        searches.

    Raises
    ------
    EngineMissing
        If there is no such binary.
    EngineFailed
        If it does not start.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        threads: int = 1,
        hash_mb: int = 16,
        timeout: float = 60.0,
    ) -> None:
        self.path = executable(path, "path") if path else find_stockfish()
        self.timeout = timeout
        self._options = {"Threads": threads, "Hash": hash_mb}
        self._lock = threading.Lock()
        self._closed = False
        self._process: chess.engine.SimpleEngine | None = None
        self.name = self._start().id.get("name", self.path.name)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def analyse(
        self,
        position: Position,
        *,
        nodes: int | None = None,
        depth: int | None = None,
        multipv: int = 1,
        root_moves: Sequence[str] | None = None,
    ) -> Analysis:
        """Analyse a position, with its history, from an empty hash table.

        Parameters
        ----------
        position
            The position; a finished game gives an analysis without lines.
        nodes, depth
            The limit: exactly one of them, in nodes or in plies.
        multipv
            Number of lines, best first; fewer if there are fewer legal moves.
        root_moves
            UCI moves to which the search is restricted.

        Raises
        ------
        EngineFailed
            If the engine fails on the position twice, the second time freshly started.
        MoveError
            If a root move is not legal.
        """
        question = _question(position, nodes, depth, multipv, root_moves)
        if not any(question.board.legal_moves):
            return Analysis(position, (), 0, self.name)
        try:
            infos = self._ask(question)
        except _FAILURES:
            infos = self._ask_again(question)
        lines = tuple(_line(info) for info in infos)
        return Analysis(position, lines, max(info.get("nodes", 0) for info in infos), self.name)

    def close(self) -> None:
        """End the process and wait until it is gone. A closed engine stays closed."""
        with self._lock:
            self._closed = True
        self._drop()

    def _start(self) -> chess.engine.SimpleEngine:
        try:
            process = chess.engine.SimpleEngine.popen_uci(str(self.path), timeout=self.timeout)
        except (*_FAILURES, OSError) as error:
            raise EngineFailed(f"{self.path} does not start: {_words(error)}") from error
        try:
            with self._watch(process):
                process.configure({k: v for k, v in self._options.items() if k in process.options})
            return self._adopt(process)
        except BaseException as error:
            _end(process)
            if isinstance(error, _FAILURES):
                raise EngineFailed(f"{self.path} refuses its options: {_words(error)}") from error
            raise

    def _adopt(self, process: chess.engine.SimpleEngine) -> chess.engine.SimpleEngine:
        with self._lock:
            if self._closed:
                raise EngineFailed(f"{self.path} was closed")
            self._process = process
        return process

    def _drop(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        _end(process)

    def _ask(self, question: _Question) -> list[chess.engine.InfoDict]:
        process = self._process or self._start()
        with self._watch(process):
            infos = process.analyse(
                question.board,
                question.limit,
                multipv=question.multipv,
                game=object(),  # a game of its own: `ucinewgame`, hence an empty hash table
                info=_INFO,
                root_moves=question.root_moves,
            )
        if not all("score" in info for info in infos):
            raise chess.engine.EngineError("the engine gave a move but no score")
        return infos

    def _ask_again(self, question: _Question) -> list[chess.engine.InfoDict]:
        fen = question.board.fen()
        try:
            self._drop()
            return self._ask(question)
        except (*_FAILURES, EngineFailed) as error:
            self._drop()
            raise EngineFailed(
                f"{self.path} failed twice on {fen!r}: {_words(error)} "
                f"(limit {self.timeout:g} s); check the position, or raise timeout",
                fen,
            ) from error

    @contextlib.contextmanager
    def _watch(self, process: chess.engine.SimpleEngine) -> Iterator[None]:
        """Kill a process that takes too long: SimpleEngine has no limit for nodes or depth."""
        timer = threading.Timer(self.timeout, process.close)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def open_engine(
    path: Path | None = None, *, threads: int = 1, hash_mb: int = 16, timeout: float = 60.0
) -> Engine:
    """Start an engine, to be used in a ``with`` statement; see :class:`Engine`."""
    return Engine(path, threads=threads, hash_mb=hash_mb, timeout=timeout)


def analyse_many(
    positions: Iterable[Position],
    *,
    nodes: int,
    multipv: int = 1,
    processes: int = 2,
    progress: bool = True,
    path: Path | None = None,
    hash_mb: int = 16,
    timeout: float = 60.0,
) -> list[Analysis]:
    """Analyse many positions with fixed nodes, on several one-threaded engines.

    Parameters
    ----------
    positions
        Positions, independent of each other.
    nodes
        Nodes to search in each.
    processes
        Engine processes. The answers do not depend on their number.
    progress
        Whether to show a progress bar on the standard error stream.
    multipv, path, hash_mb, timeout
        As for :class:`Engine` and :meth:`Engine.analyse`.

    Returns
    -------
    list of Analysis
        In the order of ``positions``.

    Raises
    ------
    EngineFailed
        For the first position that makes an engine fail twice.
    """
    todo = list(positions)
    if processes < 1:
        raise ValueError(f"processes must be at least 1, got {processes}")
    lanes = min(processes, len(todo))
    if not lanes:
        return []
    free: SimpleQueue[Engine] = SimpleQueue()

    def analyse(position: Position) -> Analysis:
        engine = free.get()
        try:
            return engine.analyse(position, nodes=nodes, multipv=multipv)
        finally:
            free.put(engine)

    # Leaving in this order: drop what has not begun, end the engines, wait for the threads.
    with ThreadPoolExecutor(lanes) as pool, contextlib.ExitStack() as stack:
        for _ in range(lanes):
            free.put(stack.enter_context(Engine(path, hash_mb=hash_mb, timeout=timeout)))
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        futures: list[Future[Analysis]] = [pool.submit(analyse, position) for position in todo]
        bar = tqdm(futures, desc="analysis", unit="position", disable=not progress)
        return [future.result() for future in bar]


def _question(
    position: Position,
    nodes: int | None,
    depth: int | None,
    multipv: int,
    root_moves: Sequence[str] | None,
) -> _Question:
    if (nodes is None) == (depth is None):
        raise ValueError(f"give exactly one of nodes and depth, got {nodes=} and {depth=}")
    limit = nodes if depth is None else depth
    if limit is None or limit < 1 or multipv < 1:
        raise ValueError(f"nodes, depth and multipv must be positive: {nodes=} {depth=} {multipv=}")
    roots = None
    if root_moves is not None:
        roots = tuple(MoveInContext(position, uci).move for uci in root_moves)
    board = _board_with_history(position)
    return _Question(board, chess.engine.Limit(nodes=nodes, depth=depth), multipv, roots)


def _board_with_history(position: Position) -> chess.Board:
    """Replay the moves without checking them: the record was checked when it was made."""
    board = chess.Board(position.root if position.moves else position.fen)
    for uci in position.moves:
        board.push(chess.Move.from_uci(uci))
    return board


def _line(info: chess.engine.InfoDict) -> Line:
    moves = tuple(move.uci() for move in info.get("pv", ()))
    return Line(moves, info["score"], info.get("depth", 0))


def _end(process: chess.engine.SimpleEngine | None) -> None:
    if process is not None:
        process.close()
        with contextlib.suppress(Exception):
            process.returncode.result(timeout=5)  # the operating system has the process back


def _words(error: BaseException) -> str:
    return str(error) or "no answer in time"
