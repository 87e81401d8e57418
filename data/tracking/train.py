"""Train the language models of games whose records and answers ``data/tracking`` holds.

    python data/tracking/train.py --list
    python data/tracking/train.py S-uci-1 S-rap25-1
    python data/tracking/train.py --all
    python data/tracking/train.py 2000-uci-1 --games my.tsv.zst

``--list`` prints the plan, and of each run that is done its tokens, device and CPU seconds.

A run that was stopped goes on where it was; one that is done is left alone (remove its record to
make it again). Several commands may work through the list side by side, one a core with
``--threads 1`` or several on one GPU, each at another run. The states of unfinished runs lie in a
folder beside the store. Where the questions of the chapters are missing, they are made first.

``--games`` trains on any file of the games form (``data/games/from_pgn.py`` writes one from PGN):
8,500 games are held out, and all that comes of it is kept apart, in a folder beside the store,
which the last line names.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from chessgloss.assets import AssetMissing
from chessgloss.tracking.plan import PLAN, Run, find_run
from chessgloss.tracking.runs import kept_path
from chessgloss.tracking.train import file_folder, listing, train_runs


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="data/tracking/train.py")
    parser.add_argument(
        "runs", nargs="*", metavar="RUN", help="such as S-uci-1 or M-rap25-1"
    )
    parser.add_argument(
        "--all", action="store_true", help="the whole plan, the shortest first"
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="show the plan, what is done and what it took",
    )
    parser.add_argument(
        "--threads", type=int, default=2, help="of torch (default: %(default)s)"
    )
    parser.add_argument(
        "--device", default="cpu", choices=("cpu", "cuda"), help="to compute on"
    )
    parser.add_argument(
        "--precision",
        default="bfloat16",
        choices=("bfloat16", "float32"),
        help="to train in",
    )
    parser.add_argument(
        "--games",
        type=Path,
        metavar="FILE",
        help="to train and measure on, in place of the project's",
    )
    given = parser.parse_args(arguments)
    try:
        planned = PLAN if given.all else ()
        runs = [find_run(name) for name in (*given.runs, *planned)]
        if given.list or not runs:
            print(listing())
            return 0
        torch.set_num_threads(given.threads)
        train_runs(runs, given.device, getattr(torch, given.precision), given.games)
        if given.games:
            print(*_reached(runs, file_folder(given.games)), sep="\n")
    except (AssetMissing, FileNotFoundError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _reached(runs: Sequence[Run], folder: Path) -> Iterator[str]:
    """Say what each run has reached on held-out games, and where it is kept."""
    for run in runs:
        path = kept_path("runs", run.name, folder)
        if path.is_file():
            record = json.loads(path.read_text("utf-8"))
            reached = f"perplexity {record['test_perplexity']:.2f} on test games"
            yield f"{run.name}: {record['games']:,} games, {reached}; {path}"


if __name__ == "__main__":
    sys.exit(main())
