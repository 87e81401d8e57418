"""Chess engines over UCI: search, levels, and the loss of a move.

One driver for all of it, on :mod:`chess.engine`. :meth:`Engine.analyse` starts from an empty
hash table with fixed nodes or depth, so that an answer depends on nothing but the question.
:meth:`Engine.search` and :meth:`Engine.play` go through a whole game and keep the hash table
from move to move: many short searches, of which only the last depth is read.

What a score means, without a process, is in :mod:`chessgloss.scores`; a loss is a difference of
two values in centipawns (:func:`centipawn_loss`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue
from weakref import WeakKeyDictionary

import chess
import chess.engine
import numpy as np
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import (
    CAP,
    MATE,
    WIN_STEEPNESS,
    Analysis,
    ScoredMove,
    read_lines,
)

_REMEDY = "install it with `sudo apt-get install stockfish` or set CHESSGLOSS_STOCKFISH"

_INFO = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE | chess.engine.INFO_PV

# A move that cannot be read leaves python-chess waiting; the watchdog then cancels the wait.
_FAILURES = (chess.engine.EngineError, asyncio.TimeoutError, CancelledError)


#: Seconds in which an engine that is told to stop has to say its move.
_STOPS_WITHIN = 5


class EngineMissing(RuntimeError):
    """An engine that is not installed, or not in the version that is needed."""


class EngineFailed(RuntimeError):
    """An engine that crashed, hung or answered nonsense; the message names the position."""


# Scores of many moves


def win_chances(values: ArrayLike) -> NDArray[np.float64]:
    """Return the chance to win at many values: :func:`chessgloss.scores.win_chance` of arrays.

    Parameters
    ----------
    values
        Centipawns, of any shape.

    Returns
    -------
    ndarray
        float64, 0 to 1, of the shape of ``values``.
    """
    return 1 / (
        1 + np.exp(-WIN_STEEPNESS * np.clip(np.asarray(values, float), -CAP, CAP))
    )


def centipawn_loss(
    best: ArrayLike, played: ArrayLike, *, cap: float | None = CAP, floor: float = 0
) -> NDArray[np.float64]:
    """Return the losses of moves: the best value less the value of the move played.

    Parameters
    ----------
    best, played
        Centipawns (:func:`centipawns`), both seen by the side that moves.
    cap
        Both values are cut at plus and minus so many centipawns first (:data:`CAP`, Lichess's).
        ``None`` leaves them: the static-position plan counts a missed mate as about 10,000.
    floor
        Least loss. A second, deeper search may like a move better than the best before it,
        which is no gain of the player's.

    Returns
    -------
    ndarray
        float64, of the shape that ``best`` and ``played`` broadcast to.
    """
    limit = np.inf if cap is None else cap
    cut = [np.clip(np.asarray(value, float), -limit, limit) for value in (best, played)]
    return np.maximum(floor, cut[0] - cut[1])


# Engines


def find_stockfish(path: Path | None = None) -> Path:
    """Return the path of the Stockfish binary, or of another engine.

    What ``path`` names wins, then the environment variable ``CHESSGLOSS_STOCKFISH``; then the
    PATH, ``/usr/games`` and ``/usr/local/bin`` are searched.

    Raises
    ------
    EngineMissing
        If there is none, or no executable file is named.
    """
    named = path or os.environ.get("CHESSGLOSS_STOCKFISH") or "stockfish"
    folders = os.pathsep.join(
        [os.environ.get("PATH", ""), "/usr/games", "/usr/local/bin"]
    )
    binary = shutil.which(named, path=folders)
    if binary is None:
        raise EngineMissing(
            f"{str(named)!r} is no program on the PATH or elsewhere; {_REMEDY}"
        )
    return Path(binary)


def version(path: Path | None = None) -> str:
    """Return the name an engine gives itself over UCI, such as ``Stockfish 15.1``.

    Raises
    ------
    EngineMissing
        If there is no engine at ``path``.
    EngineFailed
        If it does not speak UCI within 10 seconds.
    """
    with Engine(path, timeout=10) as engine:
        return engine.name


class Engine(contextlib.AbstractContextManager["Engine"]):
    """One engine process, replaced when it fails. Use it as a context manager.

    The attribute ``name`` is the name and version that the engine gives itself. Several threads
    may ask at once: each waits for its turn. For searches side by side see :class:`EnginePool`.

    Parameters
    ----------
    path
        The engine's binary; :func:`find_stockfish` if not given.
    hash_mb
        Size of the hash table in MiB; there is one search thread, for only then the same
        question has the same answer. An analysis empties it first, which takes about a
        millisecond for 16 MiB.
    timeout
        Seconds a search may take before the engine counts as hung. Raise it for deep
        searches.
    keep_last
        Whether an analysis that takes longer gives its last whole result instead. That depends
        on the machine: it is for people who wait, never for results.

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
        hash_mb: int = 16,
        timeout: float = 60,
        keep_last: bool = False,
    ) -> None:
        self.path = find_stockfish(path)
        self.timeout = timeout
        self._keep_last = keep_last
        self._options: dict[str, int] = {"Threads": 1, "Hash": hash_mb}
        self._lock = threading.Lock()
        self._turn = threading.RLock()
        self._closed = False
        self._process: chess.engine.SimpleEngine | None = None
        self.name = self.path.name
        self._start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process and wait until it is gone. A closed engine stays closed."""
        with self._lock:
            self._closed = True
        self._drop()

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
        limits = [limit for limit in (nodes, depth) if limit is not None]
        if len(limits) != 1 or min(*limits, multipv) < 1:
            given = f"{nodes=} {depth=} {multipv=}"
            raise ValueError(f"give nodes or depth, and multipv, from 1: {given}")
        roots = None
        if root_moves is not None:
            roots = [MoveInContext(position, uci).move for uci in root_moves]
        board = _board_after(
            position.moves, position.root if position.moves else position.fen
        )
        if not any(board.legal_moves):
            return Analysis(position, (), 0, self.name)

        def ask() -> list[chess.engine.InfoDict]:
            process = self._process or self._start()
            with self._watch(process):
                search = process.analysis(
                    board,
                    chess.engine.Limit(nodes=nodes, depth=depth),
                    multipv=multipv,
                    game=object(),  # a game of its own: `ucinewgame`, hence an empty hash table
                    info=_INFO,
                    root_moves=roots,
                )
                with self._in_time(search):
                    infos = list(search)
            if not any("score" in info for info in infos):
                raise chess.engine.EngineError("the engine gave a move but no score")
            if not read_lines(infos):
                raise chess.engine.EngineError(
                    "the engine gave a score but no line (pv)"
                )
            return infos

        with self._turn:
            try:
                infos = ask()
            except _FAILURES:
                self._drop()
                try:
                    infos = ask()
                except (*_FAILURES, EngineFailed) as error:
                    raise self._failure("failed twice", board.fen(), error) from error
        searched = max(info.get("nodes", 0) for info in infos)
        return Analysis(position, read_lines(infos), searched, self.name)

    def new_game(self) -> None:
        """Forget earlier games: empty the hash table."""
        self._exchange("ucinewgame\nisready", "readyok", (), chess.STARTING_FEN)

    def search(
        self,
        moves: Sequence[str],
        *,
        nodes: int,
        lines: int = 1,
        root: str = chess.STARTING_FEN,
    ) -> list[ScoredMove]:
        """Search a position of a game, and keep the hash table for the next one.

        python-chess reads every depth of every search; at a few hundred nodes that costs more
        than the search itself. Here the last whole depth alone is read. It serves self-play
        and the grading of whole games.

        Parameters
        ----------
        moves
            UCI moves from ``root`` to the position, so that repetitions count.
        nodes
            Nodes to search.
        lines
            Lines wanted (MultiPV).
        root
            FEN from which ``moves`` starts.

        Returns
        -------
        list of ScoredMove
            First moves with their values, best first; empty when the game is over.

        Raises
        ------
        EngineFailed
            If the engine fails. It is not asked again: the answer depends on the game so far.
        """
        return _last_depth(self._go(moves, nodes, lines, root))

    def play(
        self,
        moves: Sequence[str],
        *,
        nodes: int,
        level: int | None = None,
        root: str = chess.STARTING_FEN,
    ) -> str:
        """Return the UCI move that the engine plays in a position of a game.

        Parameters
        ----------
        moves, nodes, root
            As for :meth:`search`.
        level
            Stockfish's ``Skill Level``, 0 to 20 (full strength). It draws its mistakes from the
            clock, so that no move of it can be made again.

        Returns
        -------
        str
            The engine's last word (``bestmove``): a weakened engine's choice is in no line.

        Raises
        ------
        EngineFailed
            If the engine fails, or knows no such level.
        """
        options = {} if level is None else {"Skill Level": level}
        with self._turn:
            try:
                (self._process or self._start()).configure(options)
            except _FAILURES as error:
                fen = _board_after(moves, root).fen()
                raise self._failure(f"refuses {options}", fen, error) from error
            return self._go(moves, nodes, 1, root)[-1].split()[1]

    def _start(self) -> chess.engine.SimpleEngine:
        process = None
        try:
            process = chess.engine.SimpleEngine.popen_uci(
                str(self.path), timeout=self.timeout
            )
            with self._watch(process):
                process.configure(
                    {k: v for k, v in self._options.items() if k in process.options}
                )
                self.name = process.id.get("name", self.path.name)
            with self._lock:
                if self._closed:
                    raise EngineFailed(f"{self.path} was closed")
                self._process = process
        except BaseException as error:
            _end(process)
            if isinstance(error, (*_FAILURES, OSError)):
                raise EngineFailed(
                    f"{self.path} does not start: {_reason(error)}"
                ) from error
            raise
        return process

    def _drop(self) -> None:
        with self._lock:
            process = self._process
            self._process = None
        _end(process)

    def _failure(self, event: str, fen: str, error: BaseException) -> EngineFailed:
        """End the process and return the error to raise."""
        self._drop()
        return EngineFailed(
            f"{self.path} {event} on {fen!r}: {_reason(error)} "
            f"(limit {self.timeout:g} s); check the position, or raise timeout"
        )

    @contextlib.contextmanager
    def _watch(self, process: chess.engine.SimpleEngine) -> Iterator[None]:
        """Kill a process that takes too long: SimpleEngine has no limit for nodes or depth."""
        limit = self.timeout + (_STOPS_WITHIN if self._keep_last else 0)
        with _after(limit, process.close):
            yield

    def _in_time(
        self, search: chess.engine.SimpleAnalysisResult
    ) -> contextlib.AbstractContextManager[None]:
        """Stop a search that takes too long, if its last whole result is wanted."""
        if self._keep_last:
            return _after(self.timeout, search.stop)
        return contextlib.nullcontext()

    def _exchange(
        self, question: str, last: str, moves: Sequence[str], root: str, lines: int = 0
    ) -> list[str]:
        """Send lines and return the answer; ``moves`` from ``root`` say where, if it fails."""
        with self._turn:
            process = self._process or self._start()
            try:
                return process.communicate(
                    lambda protocol: _Exchange(
                        protocol, question, last, lines, self.timeout
                    )
                )
            except _FAILURES as error:
                fen = _board_after(moves, root).fen()
                raise self._failure("failed", fen, error) from error

    def _go(self, moves: Sequence[str], nodes: int, lines: int, root: str) -> list[str]:
        question = f"position fen {root} moves {' '.join(moves)}\ngo nodes {nodes}"
        return self._exchange(question, "bestmove", moves, root, lines)


#: Whose turn it is with each engine that is lent, for as long as there is the engine.
_TURNS: WeakKeyDictionary[chess.engine.SimpleEngine, threading.RLock] = (
    WeakKeyDictionary()
)


@contextlib.contextmanager
def _after(seconds: float, call: Callable[[], object]) -> Iterator[None]:
    """Call something in another thread if what is done within takes longer."""
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class LentEngine(Engine):
    """An engine of python-chess's that somebody else has started, ends, and has set the options of.

    It is not replaced, and ended only where it hangs. What it answers may depend on its options.

    Parameters
    ----------
    process
        The engine.

    Raises
    ------
    EngineFailed
        If it is closed.
    """

    def __init__(self, process: chess.engine.SimpleEngine) -> None:
        try:
            self.name = process.id.get("name", "an engine without a name")
        except _FAILURES as error:
            raise EngineFailed(
                f"the engine that was given cannot be asked: {_reason(error)}"
            ) from error
        self.path = Path(self.name)
        self.timeout = 60
        self._keep_last = False
        self._turn = _TURNS.setdefault(process, threading.RLock())
        self._process = process

    def close(self) -> None:
        """Leave the engine as it is."""

    def _drop(self) -> None:
        pass


def borrow(engine: Engine | chess.engine.SimpleEngine) -> Engine:
    """Return an engine as this library asks it; python-chess's own stays its owner's.

    Raises
    ------
    TypeError
        If it is neither kind of engine.
    EngineFailed
        If python-chess's engine is closed.
    """
    if isinstance(engine, Engine):
        return engine
    if not isinstance(engine, chess.engine.SimpleEngine):
        raise TypeError(
            "engine must be one of chessgloss.engine.open_engine() or a "
            f"chess.engine.SimpleEngine, not {type(engine).__name__}"
        )
    return LentEngine(engine)


class _Exchange(chess.engine.BaseCommand[list[str]]):
    """Lines sent to the engine, and its answer up to the line that begins with ``last``."""

    def __init__(
        self,
        protocol: chess.engine.Protocol,
        question: str,
        last: str,
        lines: int,
        timeout: float,
    ) -> None:
        super().__init__(protocol)
        self._question = question
        self._last = last
        self._lines = lines
        self._timeout = timeout
        self._answer: list[str] = []

    def start(self) -> None:
        protocol = self._engine
        assert isinstance(protocol, chess.engine.UciProtocol)
        assert protocol.transport is not None
        if self._lines and protocol.config.get("MultiPV", self._lines) != self._lines:
            protocol.send_line(f"setoption name MultiPV value {self._lines}")
            protocol.config["MultiPV"] = self._lines
        protocol.send_line(self._question)
        self._watchdog = protocol.loop.call_later(
            self._timeout, protocol.transport.close
        )

    def line_received(self, line: str) -> None:
        self._answer.append(line)
        if line.startswith(self._last):
            self._watchdog.cancel()
            self.result.set_result(self._answer)
            self.set_finished()


def open_engine(
    path: Path | None = None,
    *,
    hash_mb: int = 16,
    timeout: float = 60,
    keep_last: bool = False,
) -> Engine:
    """Start an engine, to be used in a ``with`` statement; see :class:`Engine`."""
    return Engine(path, hash_mb=hash_mb, timeout=timeout, keep_last=keep_last)


def cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class EnginePool(contextlib.AbstractContextManager["EnginePool"]):
    """Several one-threaded engines, started as they are needed, that any thread may ask.

    Parameters
    ----------
    processes
        Most engines at once; one a core unless given. The answers do not depend on their number.
    path, keep_last
        As for :class:`Engine`.
    """

    def __init__(
        self,
        processes: int | None = None,
        path: Path | None = None,
        *,
        keep_last: bool = False,
    ) -> None:
        self._path = path
        self._keep_last = keep_last
        self.processes = processes or cores()
        self._threads = ThreadPoolExecutor(self.processes)
        self._free: SimpleQueue[Engine] = SimpleQueue()
        self._engines: list[Engine] = []
        self._lock = threading.Lock()
        self._closed = False

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Drop searches that have not begun, end the engines, wait for the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._closed = True
        for engine in self._engines:
            engine.close()
        self._threads.shutdown()

    def submit(
        self, positions: Iterable[Position], *, nodes: int, multipv: int = 1
    ) -> list[Future[Analysis]]:
        """Begin to analyse positions (:meth:`Engine.analyse`); return what comes of each."""

        def analyse(position: Position) -> Analysis:
            engine = self._take()
            try:
                return engine.analyse(position, nodes=nodes, multipv=multipv)
            finally:
                self._free.put(engine)

        return [self._threads.submit(analyse, position) for position in positions]

    def analyse(
        self,
        positions: Sequence[Position],
        nodes: int,
        lines: int,
        searched: Callable[[], object] = lambda: None,
    ) -> list[Analysis]:
        """Analyse positions with so many nodes and lines each; return the answers in order.

        ``searched`` is called, in some thread, after each.
        """
        futures = self.submit(positions, nodes=nodes, multipv=lines)
        for future in futures:
            future.add_done_callback(lambda _: searched())
        return [future.result() for future in futures]

    def _take(self) -> Engine:
        """Return an engine that is free; there are no more of them than threads."""
        with contextlib.suppress(Empty):
            return self._free.get_nowait()
        engine = Engine(self._path, keep_last=self._keep_last)
        with self._lock:
            if not self._closed:
                self._engines.append(engine)
                return engine
        engine.close()
        raise EngineFailed(f"{engine.path} was closed")


def analyse_many(
    positions: Iterable[Position],
    *,
    nodes: int,
    multipv: int = 1,
    processes: int = 2,
    progress: bool = True,
    path: Path | None = None,
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
    multipv, path
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
    if not todo:
        return []
    with EnginePool(min(processes, len(todo)), path) as pool:
        futures = pool.submit(todo, nodes=nodes, multipv=multipv)
        bar = tqdm(futures, desc="analysis", unit="position", disable=not progress)
        with contextlib.closing(bar):  # ends its line before an error is printed
            return [future.result() for future in bar]


def _board_after(moves: Iterable[str], root: str) -> chess.Board:
    """Replay moves without checking them: the record was checked when it was made."""
    board = chess.Board(root)
    for uci in moves:
        board.push(chess.Move.from_uci(uci))
    return board


def _last_depth(answer: Iterable[str]) -> list[ScoredMove]:
    """Read the deepest complete MultiPV table from a search's ``info`` lines."""
    table: dict[str, ScoredMove] = {}
    for line in answer:
        words = line.split()
        if "pv" not in words or "lowerbound" in words or "upperbound" in words:
            continue
        kind, value = words[words.index("score") + 1 : words.index("score") + 3]
        score = (chess.engine.Mate if kind == "mate" else chess.engine.Cp)(int(value))
        move = chess.Move.from_uci(words[words.index("pv") + 1])
        table[words[words.index("multipv") + 1]] = ScoredMove(
            move, score.score(mate_score=MATE)
        )
    return sorted(table.values(), key=lambda scored: -scored.centipawns)


def _end(process: chess.engine.SimpleEngine | None) -> None:
    if process is not None:
        process.close()
        with contextlib.suppress(Exception):
            process.returncode.result(
                timeout=5
            )  # the operating system has the process back


def _reason(error: BaseException) -> str:
    return str(error) or "no answer in time"
