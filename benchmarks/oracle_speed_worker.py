"""Print the seconds in which the library on the path reads an oracle's tables, as JSON.

The word on the command line names the oracle, standard input holds the FENs.
``oracle_speed.py`` runs this.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import psutil

try:  # the library of 22 November 2026
    from chessgloss.oracles import stockfish8, stockfish15
    from chessgloss.term_stream import OracleProcess as run_oracle  # noqa: N813
except ImportError:
    from chessgloss.oracle import run_oracle, stockfish8, stockfish15

ORACLES = {"stockfish8": stockfish8, "stockfish15": stockfish15}


def main() -> None:
    """Read all tables once."""
    fens = json.load(sys.stdin)
    with run_oracle(ORACLES[sys.argv[1]]()) as process:
        (engine,) = psutil.Process().children()
        waited = waited_seconds(engine.pid)
        begin = time.perf_counter()
        read = sum(len(table) for table in process.tables(fens))
        seconds = time.perf_counter() - begin
        seconds -= waited_seconds(engine.pid) - waited
    if read != len(fens):
        raise RuntimeError(f"{read} tables of {len(fens)} were read")
    print(json.dumps(seconds))


def waited_seconds(pid: int) -> float:
    """Return how long a process's main thread could have run but had no processor."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9


if __name__ == "__main__":
    main()
