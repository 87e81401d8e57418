"""How fast the concept oracles are read, beside what the bare engines can print.

For each oracle, in turns: the bare engine writes its tables to /dev/null, the library reads and
parses the same tables, the library of the last version does. One engine process each, start-up
not counted. Seconds in which the engine could have run but other work had the processor
(``/proc/PID/schedstat``) are not counted, so that a busy machine measures what an idle one does;
those in which it waits for its reader or for questions are. The value is the median of the
rounds' ratios with its 95 % interval (bootstrap).

    python benchmarks/oracle_speed.py

Needs Linux, and psutil, which comes with ipykernel.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import subprocess
import time
from collections.abc import Sequence
from functools import partial

import chess
import numpy as np
import psutil
from bench import ROOT, ask, in_turns, keep, last_library, machine, ratio
from oracle_speed_worker import waited_seconds

from chessgloss.engine import version
from chessgloss.oracle import Oracle, stockfish8, stockfish15

#: What was asked for: this share of what the bare engine prints.
TARGET = 0.95

#: The bare engine's output is thrown away, so that it cannot say when it is ready: it is
#: when it has used no processor time for this many seconds.
QUIET_SECONDS = 1.5

#: Holds all questions of a round, so that the bare engine never waits for one.
_PIPE_BYTES = 1 << 20


def main() -> None:
    """Measure both oracles and write the results."""
    options = parse_options()
    fens = random_play(max(options.positions8, options.positions15), options.seed)
    peers = (
        ("stockfish8", stockfish8(), options.positions8),
        ("stockfish15", stockfish15(), options.positions15),
    )
    results: dict[str, object] = {}
    with last_library() as library:
        for name, oracle, count in peers:
            asked = fens[:count]
            worker = partial(ask, "oracle_speed_worker.py", given=asked)
            works = {
                "bare": partial(bare_seconds, oracle, asked),
                "ours": partial(worker, ROOT / "lib", name),
                "last": partial(worker, library, name),
            }
            seconds = in_turns(works, options.rounds)
            results |= ratios_of(name, seconds, count)
    both = [results[f"oracle.{name}.ratio"] for name, *_ in peers]
    results["oracle.positions_per_second_ratio"] = min(both, key=lambda r: r["value"])
    peer = {"peers": [version(), "Stockfish 8 (npm stockfish 8.0.0)"]}
    results["machine"] = machine(options.note) | peer
    keep("oracle_speed", results)


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--positions8", type=int, default=3_000, help="Stockfish 8")
    parser.add_argument(
        "--positions15", type=int, default=12_000, help="Stockfish 15.1"
    )
    parser.add_argument("--seed", type=int, default=20_240)
    parser.add_argument("--note", default="", help="what else the machine was doing")
    return parser.parse_args()


def ratios_of(name: str, seconds: dict[str, list[float]], count: int) -> dict:
    """Return our speed over the bare engine's, and over the last version's."""
    target = {"reference": TARGET, "source": "target; peer: the bare engine"}
    over_bare = ratio(seconds["bare"], seconds["ours"], n=count, **target)
    over_last = ratio(seconds["last"], seconds["ours"], n=count)
    return {f"oracle.{name}.ratio": over_bare, f"oracle.{name}.over_last": over_last}


def random_play(count: int, seed: int) -> list[str]:
    """Return distinct positions of games of random moves, at most 120 plies each."""
    rng = np.random.default_rng(seed)
    fens: dict[str, None] = {}
    while len(fens) < count:
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 120 and len(fens) < count:
            moves = list(board.legal_moves)
            board.push(moves[rng.integers(len(moves))])
            fens[board.fen()] = None
    return list(fens)


def bare_seconds(oracle: Oracle, fens: Sequence[str]) -> float:
    """Return the seconds in which the engine alone prints the tables to /dev/null."""
    questions = "".join(f"position fen {fen}\neval\n" for fen in fens) + "quit\n"
    engine = subprocess.Popen(
        oracle.command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    with engine:
        fcntl.fcntl(engine.stdin, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        engine.stdin.write("\n".join([*oracle.setup, "isready", ""]))
        engine.stdin.flush()
        wait_until_quiet(engine.pid)
        waited = waited_seconds(engine.pid)
        begin = time.perf_counter()
        engine.stdin.write(questions)
        engine.stdin.flush()
        os.waitid(os.P_PID, engine.pid, os.WEXITED | os.WNOWAIT)
        seconds = time.perf_counter() - begin
        return seconds - (waited_seconds(engine.pid) - waited)


def wait_until_quiet(pid: int) -> None:
    """Wait until a process has started and does nothing but wait for its input."""
    process = psutil.Process(pid)
    used = -1.0
    since = time.perf_counter()
    while time.perf_counter() - since < QUIET_SECONDS:
        time.sleep(0.1)
        now = sum(process.cpu_times()[:2])
        if now > used + 0.01 or process.status() == psutil.STATUS_RUNNING:
            used = now
            since = time.perf_counter()


if __name__ == "__main__":
    main()
