"""How long ``chessgloss --help`` takes to start, over Python with python-chess alone.

In turns: the command line's help; ``import chess, chess.engine``; the help of the library of
the last version. Processor seconds of the whole process, children included. The value is the
median of the rounds' ratios with its 95 % interval (bootstrap).

    python benchmarks/start_speed.py
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

from bench import ROOT, in_turns, keep, last_library, machine, ratio

#: What starts, as words after ``python``: the installed command, and its peer.
HELP = ("-c", "import sys; from chessgloss.cli import main; sys.exit(main())", "--help")
PEER = ("-c", "import chess, chess.engine")


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--note", default="", help="what else the machine was doing")
    options = parser.parse_args()
    with last_library() as library:
        works = {
            "help": partial(processor_seconds, HELP, ROOT / "lib"),
            "peer": partial(processor_seconds, PEER, ROOT / "lib"),
            "last": partial(processor_seconds, HELP, library),
        }
        in_turns(works, 1)  # compiles what is not yet compiled
        seconds = in_turns(works, options.rounds)
    unit = "processor seconds over processor seconds"
    peer = "peer: python -c 'import chess, chess.engine'"
    results = {
        "start.help_over_python": ratio(
            seconds["help"], seconds["peer"], unit=unit, source=peer
        ),
        "start.help_over_last": ratio(seconds["help"], seconds["last"], unit=unit),
        "machine": machine(options.note),
    }
    keep("start_speed", results)


def processor_seconds(words: tuple[str, ...], library: Path) -> float:
    """Return the processor seconds that Python takes for a command line and to end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(library)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
