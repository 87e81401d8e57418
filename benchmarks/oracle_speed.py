"""How fast the concept oracles are read, beside what the bare engines can print.

For each oracle, in turns (A B A B ...): the bare engine writes its tables to /dev/null (A),
and the library reads and parses the same tables (B), one engine process each, start-up not
counted on either side. A round's ratio is B's positions per second over A's; the value is
the median of the rounds, low and high are the least and the greatest (for six rounds or
more, an interval of at least 95 % for the median).

    python benchmarks/oracle_speed.py

Needs psutil, which comes with ipykernel.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version as package_version
from pathlib import Path

import chess
import numpy as np
import psutil
from tqdm import tqdm

from chessgloss.engine import version
from chessgloss.oracle import (
    Oracle,
    evaluate_terms,
    run_oracle,
    stockfish8,
    stockfish15,
)

RESULTS = Path(__file__).parent / "results" / "oracle_speed.json"

#: The bare engine's output is thrown away, so that it cannot say when it is ready: it is
#: when it has used no processor time for this many seconds.
QUIET_SECONDS = 1.5


def main() -> None:
    """Measure both oracles and write the results."""
    options = parse_options()
    fens = random_play(max(options.positions8, options.positions15), options.seed)
    results: dict[str, object] = {}
    ratios = []
    for key, oracle, count in (
        ("stockfish8", stockfish8(), options.positions8),
        ("stockfish15", stockfish15(), options.positions15),
    ):
        rounds = measure(oracle, fens[:count], options.rounds)
        ratios.append(ratio_entry(rounds, count))
        results[f"oracle.{key}.ratio"] = ratios[-1]
        for name in ("bare", "library"):
            speeds = [speed[name] for speed in rounds]
            results[f"oracle.{key}.{name}_per_second"] = entry(
                speeds, count, "positions/s"
            )
        results |= end_to_end(key, oracle, fens[:count])
    results["oracle.positions_per_second_ratio"] = min(
        ratios, key=lambda ratio: ratio["value"]
    )
    results["machine"] = machine(options.seed, options.note)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n")
    print(RESULTS.read_text())


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(
        "--positions8", type=int, default=20_000, help="for Stockfish 8"
    )
    parser.add_argument(
        "--positions15", type=int, default=60_000, help="for Stockfish 15.1"
    )
    parser.add_argument("--seed", type=int, default=20_240)
    parser.add_argument("--note", default="", help="what else the machine was doing")
    return parser.parse_args()


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


def measure(oracle: Oracle, fens: Sequence[str], rounds: int) -> list[dict[str, float]]:
    """Return the positions per second of the bare engine and of the library, by round."""
    speeds = []
    for _ in tqdm(range(rounds), desc=oracle.name, unit="round"):
        bare = len(fens) / bare_seconds(oracle, fens)
        speeds.append(
            {"bare": bare, "library": len(fens) / library_seconds(oracle, fens)}
        )
    return speeds


def bare_seconds(oracle: Oracle, fens: Sequence[str]) -> float:
    """Return the seconds in which the engine alone prints the tables to /dev/null."""
    questions = "".join(f"position fen {fen}\neval\n" for fen in fens) + "quit\n"
    with subprocess.Popen(
        oracle.command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as engine:
        engine.stdin.write("\n".join([*oracle.setup, "isready", ""]))
        engine.stdin.flush()
        wait_until_quiet(engine.pid)
        begin = time.perf_counter()
        engine.stdin.write(questions)
        engine.stdin.flush()
        engine.wait()
        return time.perf_counter() - begin


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


def library_seconds(oracle: Oracle, fens: Sequence[str]) -> float:
    """Return the seconds in which the library asks, reads and parses the tables."""
    with run_oracle(oracle) as process:
        begin = time.perf_counter()
        read = sum(len(table) for table in process.tables(fens))
        seconds = time.perf_counter() - begin
    if read != len(fens):
        raise RuntimeError(f"{read} tables of {len(fens)} were read")
    return seconds


def end_to_end(key: str, oracle: Oracle, fens: list[str]) -> dict[str, object]:
    """Return the speed of the public function, start-up included, with 1 and 2 processes."""
    entries = {}
    for processes in (1, 2):
        begin = time.perf_counter()
        evaluate_terms(fens, oracle, processes=processes, progress=False)
        speed = len(fens) / (time.perf_counter() - begin)
        name = f"oracle.{key}.evaluate_terms_{processes}_per_second"
        entries[name] = entry([speed], len(fens), "positions/s, start-up included")
    return entries


def ratio_entry(rounds: list[dict[str, float]], count: int) -> dict[str, float]:
    """Return the library's speed over the bare engine's, median over the rounds."""
    return entry(
        [speed["library"] / speed["bare"] for speed in rounds], count, "ratio", 3
    )


def entry(values: list[float], count: int, unit: str, digits: int = 0) -> dict:
    """Return a result with the median and, for several rounds, the least and greatest."""
    several = len(values) > 1
    return {
        "value": round(statistics.median(values), digits),
        "low": round(min(values), digits) if several else None,
        "high": round(max(values), digits) if several else None,
        "n": count,
        "rounds": len(values),
        "unit": unit,
        "reference": 0.9 if unit == "ratio" else None,
        "source": "target: nine tenths of the bare engine" if unit == "ratio" else "",
    }


def machine(seed: int, note: str) -> dict[str, object]:
    """Return what the numbers depend on: processor, versions, load, date."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [
        line.partition(":")[2].strip()
        for line in lines
        if line.startswith("model name")
    ]
    node = subprocess.run(
        [stockfish8().command[0], "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": len(models) or None,
        "python": platform.python_version(),
        "numpy": package_version("numpy"),
        "node": node.stdout.strip(),
        "peers": [version(), "Stockfish 8 (npm stockfish 8.0.0)"],
        "seed": seed,
        "note": note,
        "date": datetime.now(UTC).date().isoformat(),
    }


if __name__ == "__main__":
    sys.exit(main())
