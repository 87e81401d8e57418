"""Our NNUE evaluation beside Stockfish 15.1's own, and positions a second.

Every position is asked of the engine's command ``eval``; positions in check have no
evaluation there and are left out. Run: ``python benchmarks/nnue_agreement.py``.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time
from collections.abc import Callable

import chess
import numpy as np
import torch
from bench import keep

from chessgloss.experts import Expert, load_expert
from chessgloss.experts.boards import read_boards
from chessgloss.oracle import network_evaluations


def random_fens(count: int, seed: int) -> list[str]:
    """Return positions of random games, every fourth move a capture if there is one."""
    rng = random.Random(seed)
    fens: list[str] = []
    while len(fens) < count:
        board = chess.Board()
        for _ in range(rng.randint(4, 160)):
            if not (moves := list(board.legal_moves)):
                break
            captures = [move for move in moves if board.is_capture(move)]
            board.push(
                rng.choice(captures if captures and rng.random() < 0.25 else moves)
            )
            if not board.is_check() and rng.random() < 0.3:
                fens.append(board.fen())
    return fens[:count]


def rate(work: Callable[[], object], positions: int) -> float:
    """Return positions a second on the wall clock, best of three."""
    best = 0.0
    for _ in range(3):
        start = time.perf_counter()
        work()
        best = max(best, positions / (time.perf_counter() - start))
    return best


def speeds(expert: Expert, fens: list[str]) -> dict[str, float]:
    """Return rates of reading FENs, of streaming a layer, and of the whole network."""

    def drain(layer: str) -> None:
        for _ in expert.stream(fens, layer):
            pass

    works: dict[str, Callable[[], object]] = {
        "read_fens": lambda: read_boards(fens),
        "accumulators": lambda: drain("accumulators"),
        "pairwise": lambda: drain("pairwise"),
        "evaluate": lambda: expert.evaluate(fens),
    }
    return {name: rate(work, len(fens)) for name, work in works.items()}


def entry(
    value: float, n: int, unit: str, reference: float | None
) -> dict[str, object]:
    """Return one result in the form of every results file."""
    bounds = {"low": None, "high": None}
    return {
        "value": value,
        **bounds,
        "n": n,
        "unit": unit,
        "reference": reference,
        "source": None,
    }


def main() -> None:
    """Measure, print and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=3000)
    parser.add_argument("--timed", type=int, default=40_000)
    options = parser.parse_args()
    expert = load_expert("nnue")
    fens = random_fens(options.timed, seed=0)
    asked = fens[:: max(1, len(fens) // options.positions)][: options.positions]
    ours = np.round(expert.evaluate(asked).astype(float), 2)
    difference = float(np.abs(ours - network_evaluations(asked)).max())
    result = {
        "nnue.max_abs_difference_pawns": entry(
            round(difference, 6), len(asked), "pawns", 0.01
        )
    }
    for name, value in speeds(expert, fens).items():
        key = f"nnue.positions_per_second.{name}"
        result[key] = entry(
            round(value), len(fens), "positions a second, one thread", None
        )
    result["machine"] = {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "torch": torch.__version__,
        "peer": "Stockfish 15.1, command eval",
    }
    keep("nnue_agreement", result)


if __name__ == "__main__":
    main()
