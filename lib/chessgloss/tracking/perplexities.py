"""Canonical perplexities with their intervals, from what each game cost a run.

What is measured when a training ends is kept: for every test game, the sum of ``-ln p`` over
its moves, and for every prefix of the questions, the probability on squares of own pieces.
Intervals draw whole games; two runs are compared on the same draws. Dev games only say when to
stop: their perplexity is a number of the record, without interval.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from chessgloss.stats import Interval, cluster_weights
from chessgloss.tracking.checkpoints import read_tensors_of
from chessgloss.tracking.runs import data_folder


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """What a run made of one set of games.

    Parameters
    ----------
    nats
        Sum of ``-ln p`` over the moves of each game, ``(n,)``.
    plies
        Moves of each game, ``(n,)``.
    """

    nats: NDArray[np.float64]
    plies: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.nats.shape != self.plies.shape or not self.nats.size or self.plies.min() < 1:
            raise ValueError(
                f"losses need games, each with moves: {self.nats.size} losses, "
                f"{self.plies.size} lengths"
            )


def measures_path(name: str, folder: Path | None = None) -> Path:
    """Return where the measures of a run are kept, if they are."""
    return (folder or data_folder()) / "measures" / f"{name}.safetensors"


def read_losses(name: str, folder: Path | None = None) -> Losses:
    """Return the losses of a run on the test games.

    Raises
    ------
    FileNotFoundError
        If they were not kept; the message says how to make them.
    CheckpointError
        If the file is another run's.
    """
    tensors = _read(name, folder)
    nats, plies = (tensors[f"test.{one}"].numpy() for one in ("nats", "plies"))
    return Losses(nats.astype(float), plies.astype(int))


def read_own_pieces(name: str, band: str, folder: Path | None = None) -> NDArray[np.float32]:
    """Return the probability that a run gave to own pieces after each prefix of a band, ``(n,)``.

    The prefixes are those of the ``end_actual`` questions, in their order
    (:func:`chessgloss.tracking.evaluate.share_on_own_pieces`).

    Raises
    ------
    FileNotFoundError, CheckpointError
        As :func:`read_losses`.
    ValueError
        If the run reads a type before every move, so that a type comes next and no square.
    """
    tensors = _read(name, folder)
    if f"own.{band}" not in tensors:
        raise ValueError(f"{name} says a type after whole moves, and no square of a {band} prefix")
    return tensors[f"own.{band}"].numpy()


def perplexity_of(losses: Losses, *, seed: int) -> Interval:
    """Return the canonical perplexity of some games, with its interval over games."""
    return _interval(np.exp(_drawn(losses, seed)), losses.plies.size)


def read_perplexities(
    names: Iterable[str], *, seed: int, folder: Path | None = None
) -> dict[str, Interval]:
    """Return the test perplexities of some runs, by name.

    Raises
    ------
    FileNotFoundError, CheckpointError
        As :func:`read_losses`.
    """
    return {name: perplexity_of(read_losses(name, folder), seed=seed) for name in names}


def change_of_perplexity(
    first: str, second: str, *, seed: int, folder: Path | None = None
) -> Interval:
    """Return by how many per cent one run changes another's perplexity on the test games.

    Raises
    ------
    FileNotFoundError, CheckpointError
        As :func:`read_losses`.
    """
    losses = [read_losses(name, folder) for name in (first, second)]
    return compare_perplexities(*losses, seed=seed)


def first_games(losses: Losses, count: int) -> Losses:
    """Return the losses of the first so many games."""
    return Losses(losses.nats[:count], losses.plies[:count])


def compare_perplexities(first: Losses, second: Losses, *, seed: int) -> Interval:
    """Return by how many per cent ``first`` changes the perplexity of ``second``.

    Raises
    ------
    ValueError
        If they are not of the same games.
    """
    if not np.array_equal(first.plies, second.plies):
        raise ValueError("perplexities of two runs can be compared on the same games only")
    return _interval(100 * np.expm1(_drawn(first, seed) - _drawn(second, seed)), first.plies.size)


def _read(name: str, folder: Path | None) -> dict[str, Tensor]:
    path = measures_path(name, folder)
    if not path.is_file():
        raise FileNotFoundError(
            f"{name} has no measures here; run: python -m chessgloss.tracking.retrain {name}"
        )
    return read_tensors_of(name, path)


def _drawn(losses: Losses, seed: int) -> NDArray[np.float64]:
    """Return nats a move: of all games, then of each draw of games."""
    weights = _weights(losses.plies.size, seed)
    drawn = (weights @ losses.nats) / (weights @ losses.plies)
    return np.concatenate([[losses.nats.sum() / losses.plies.sum()], drawn])


@lru_cache(maxsize=2)
def _weights(games: int, seed: int) -> NDArray[np.float64]:
    """Return the draws of games: the same for all runs, made once, and ready for products."""
    return cluster_weights(games, seed=seed).astype(float)


def _interval(values: NDArray[np.float64], n: int) -> Interval:
    low, high = np.percentile(values[1:], [2.5, 97.5])
    value = float(values[0])
    return Interval(value, min(float(low), value), max(float(high), value), n)
