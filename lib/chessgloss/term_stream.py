"""A running oracle: positions are written by one thread while another reads tables.

So the engine never waits for its questions, and Python wakes for whole blocks of answers.
An engine that breaks off is replaced; the positions around the break are asked one by
one, so that a second failure has a name.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np

from chessgloss.engines import EngineFailed, EngineMissing
from chessgloss.term_tables import GarbledTraceError, TermTable, TraceFormat, in_check, read_tables

#: Tables parsed at once: enough to forget numpy's cost a call, few enough to stay in cache.
_BATCH = 256

#: Positions asked one by one after a failure: more than a batch and a read can hold.
_CAREFUL = 2048

#: Size asked for each pipe: the most that Linux grants any user (/proc/sys/fs/pipe-max-size),
#: some 15 ms of Stockfish 15.1's output, so that a reader that is late does not stop it.
_PIPE_BYTES = 1 << 20
_READ_BYTES = 1 << 18

#: Output that holds no answer: several times what a batch of tables takes (0.5 MB).
_BABBLE_BYTES = 1 << 22

#: Seconds in which the engine's output may gather in the pipe before it is read. Without
#: this pause Python would wake for every line, at the cost of the engine's processor.
_GATHER = 0.001

#: Seconds between two looks at whether the work has been called off.
_PATIENCE = 0.2

Advance = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Oracle:
    """A command that prints term tables, and how to read them. Picklable.

    Parameters
    ----------
    name
        The engine's name, for messages.
    command
        The command to run, as for :class:`subprocess.Popen`.
    banner
        How the first line of its output must begin: the version is part of the format.
    trace
        Format of the tables.
    setup
        UCI lines to send before the first position.
    timeout
        Seconds of silence after which the engine counts as hung.
    """

    name: str
    command: tuple[str, ...]
    banner: str
    trace: TraceFormat
    setup: tuple[str, ...] = ()
    timeout: float = 60.0


class CalledOffError(Exception):
    """Another lane failed, or the user interrupted: not an error of this engine."""


def stream_tables(
    fens: Sequence[str], oracle: Oracle, advance: Advance, stop: threading.Event
) -> Iterator[TermTable]:
    """Yield the tables of all positions, in order, some hundred at a time.

    ``advance`` is called with the number of positions of each table; once ``stop`` is
    set, :class:`CalledOffError` is raised and the engine is gone.

    Raises
    ------
    EngineMissing
        If the engine cannot be run, or is of another version.
    EngineFailed
        If it does not start, or fails on a position twice.
    """
    done = 0
    while done < len(fens):
        try:
            with OracleProcess(oracle, stop) as process:
                for table in process.tables(fens[done:]):
                    yield table
                    done += len(table)
                    advance(len(table))
        except _BrokenError:
            for table in _one_by_one(fens[done : done + _CAREFUL], oracle, stop):
                yield table
                done += len(table)
                advance(len(table))


def _one_by_one(fens: Sequence[str], oracle: Oracle, stop: threading.Event) -> Iterator[TermTable]:
    """Yield tables asked for singly, so that a second failure has a name."""
    with OracleProcess(oracle, stop) as process:
        for fen in fens:
            try:
                tables = list(process.tables([fen]))
            except _BrokenError as error:
                raise EngineFailed(
                    f"{oracle.name} failed twice on {fen!r}: {error}; check the position", fen
                ) from error
            yield from tables


class _BrokenError(Exception):
    """The engine ended, fell silent, or printed something else than tables."""


class OracleProcess:
    """A running oracle. It is killed on leaving the context, whatever it is doing.

    Parameters
    ----------
    oracle
        The command to run.
    stop
        Once set, every wait for the engine ends with :class:`CalledOffError`.
    """

    def __init__(self, oracle: Oracle, stop: threading.Event | None = None) -> None:
        self._oracle = oracle
        self._stop = stop or threading.Event()

    def __enter__(self) -> OracleProcess:
        if self._stop.is_set():
            raise CalledOffError
        try:
            self._popen = subprocess.Popen(
                self._oracle.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise EngineMissing(f"{self._oracle.name} cannot be run: {error}") from error
        self._in, self._out = _pipes(self._popen)
        try:
            self._shake_hands()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._popen.kill()
        self._popen.wait()
        for pipe in (self._in, self._out):
            with contextlib.suppress(OSError):  # what was still to be written is lost
                pipe.close()

    def tables(self, fens: Sequence[str]) -> Iterator[TermTable]:
        """Yield the tables of the positions in order, some hundred at a time."""
        trace, done = self._oracle.trace, 0
        with self._writing(fens):
            for count, raw in self._blocks(len(fens)):
                block = fens[done : done + count]
                checks = np.fromiter(map(in_check, block), bool, count=len(block))
                try:
                    yield read_tables(raw, checks, trace)
                except GarbledTraceError as error:
                    raise _BrokenError(str(error)) from error
                done += count

    def _shake_hands(self) -> None:
        said = b""
        try:
            self._write("\n".join([*self._oracle.setup, "isready", ""]))
            while b"readyok" not in said:
                said += self._read()
                _check_babble(len(said))
        except (_BrokenError, OSError) as error:
            raise EngineFailed(f"{self._oracle.name} does not start: {error}") from error
        banner = said.decode(errors="replace").lstrip().splitlines()[0]
        if not banner.startswith(self._oracle.banner):
            raise EngineMissing(
                f"{' '.join(self._oracle.command)} is {banner!r}, not {self._oracle.banner.strip()}"
                f": only that version prints the tables of the oracle {self._oracle.name}"
            )

    @contextlib.contextmanager
    def _writing(self, fens: Sequence[str]) -> Iterator[None]:
        """Write the questions in a thread of their own while the body reads the answers."""
        writer = threading.Thread(target=self._ask, args=(fens,), daemon=True)
        writer.start()
        try:
            yield
        except BaseException:
            self._popen.kill()  # or the writer might wait for ever on a full pipe
            raise
        finally:
            writer.join()

    def _ask(self, fens: Sequence[str]) -> None:
        with contextlib.suppress(OSError):  # the reader notices and says why
            for start in range(0, len(fens), _BATCH):
                block = fens[start : start + _BATCH]
                self._write("".join(f"position fen {fen}\neval\n" for fen in block))

    def _write(self, lines: str) -> None:
        self._in.write(lines.encode())
        self._in.flush()

    def _blocks(self, total: int) -> Iterator[tuple[int, bytes]]:
        """Yield whole tables with their number: the output, cut after a closing line.

        A closing text may be split between two reads, so each search begins a little
        before the fresh bytes; and a line counts only when its end has arrived.
        """
        closing = self._oracle.trace.closing
        buffer, seen = bytearray(), 0
        while total:
            overlap = max(0, len(buffer) - len(closing) + 1)
            buffer += self._read()
            _check_babble(len(buffer))
            seen += buffer.count(closing, overlap)
            if seen > total:
                raise _BrokenError(f"{seen} tables where {total} were asked for")
            end = buffer.find(b"\n", buffer.rfind(closing)) if seen >= min(_BATCH, total) else -1
            if end >= 0:
                yield seen, bytes(buffer[:end])
                del buffer[:end]
                total, seen = total - seen, 0

    def _read(self) -> bytes:
        deadline = time.monotonic() + self._oracle.timeout
        while not self._stop.is_set():
            time.sleep(_GATHER)
            if select.select([self._out], [], [], _PATIENCE)[0]:
                fresh = os.read(self._out.fileno(), _READ_BYTES)
                if not fresh:
                    raise _BrokenError("the engine has ended")
                return fresh
            if time.monotonic() > deadline:
                raise _BrokenError(f"no output for {self._oracle.timeout:g} s")
        raise CalledOffError


def _check_babble(size: int) -> None:
    if size > _BABBLE_BYTES:
        raise _BrokenError(f"{size} bytes of output without an answer")


def _pipes(popen: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if popen.stdin is None or popen.stdout is None:
        raise AssertionError("the process was started without pipes")
    for pipe in (popen.stdin, popen.stdout):
        with contextlib.suppress(OSError, AttributeError):  # an offer of Linux, not a need
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return popen.stdin, popen.stdout
