"""An Elo estimate from static results: what it is fitted on, and how far off it is.

Players of known strength name answer the suite; a straight line from the logarithm of the mean
loss to the Elo is fitted on some of them and checked on the others. The Elo is that of
Stockfish's own ``UCI_Elo`` scale: the names of settings, not ratings won in games, so an
estimate says "loses in these positions as much as that setting", no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss.stats import Interval, cluster_weights, percentile_interval

#: Added to a mean loss before its logarithm is taken, in centipawns: a player without a loss.
FLOOR = 0.5


@dataclass(frozen=True, slots=True)
class EloModel:
    """A straight line from the logarithm of the mean loss to Elo.

    Parameters
    ----------
    intercept, slope
        Elo = intercept + slope x ln(mean loss in centipawns + :data:`FLOOR`).
    lowest, highest
        Mean losses between which it was fitted; beyond, it extrapolates.
    """

    intercept: float
    slope: float
    lowest: float
    highest: float

    def __post_init__(self) -> None:
        if not np.isfinite([self.intercept, self.slope]).all() or self.lowest > self.highest:
            raise ValueError(f"a model has finite numbers and an order of losses: {self}")

    def estimate(self, loss: float) -> float:
        """Return the Elo of a player with this mean loss in centipawns."""
        return self.intercept + self.slope * float(np.log(loss + FLOOR))

    def extrapolates(self, loss: float) -> bool:
        """Return whether a mean loss lies outside those it was fitted on."""
        return not self.lowest <= loss <= self.highest


def tell_estimate(model: EloModel, loss: float, interval: Interval) -> str:
    """Return an estimate in words: a number where the line was fitted, else a bound.

    Parameters
    ----------
    model
        The line.
    loss
        The player's mean loss in centipawns.
    interval
        Its estimate (:func:`estimate_player`).
    """
    if not model.extrapolates(loss):
        return f"{interval:.0f}"
    weaker = loss > model.highest
    bound = model.estimate(model.highest if weaker else model.lowest)
    return f"{'below' if weaker else 'above'} {bound:.0f}"


def fit_elo(losses: Mapping[int, float]) -> EloModel:
    """Fit the line on mean losses by Elo, by least squares.

    Raises
    ------
    ValueError
        If there are fewer than three strengths, or a loss is negative.
    """
    if len(losses) < 3 or min(losses.values()) < 0:
        raise ValueError(f"need three strengths or more, and losses from 0 up: {dict(losses)}")
    means = np.array(list(losses.values()), dtype=float)
    slope, intercept = np.polyfit(np.log(means + FLOOR), np.array(list(losses), dtype=float), 1)
    return EloModel(float(intercept), float(slope), float(means.min()), float(means.max()))


def held_out(
    losses: Mapping[int, Sequence[float]], kept_out: Sequence[int]
) -> tuple[EloModel, pd.DataFrame]:
    """Fit on all strengths but some, and estimate every one.

    Parameters
    ----------
    losses
        By Elo, the loss in each position of the suite.
    kept_out
        Elos that the fit does not see.

    Returns
    -------
    EloModel
        Fitted without them.
    DataFrame
        Index Elo; ``loss`` (mean), ``estimate``, ``error`` (estimate less Elo), ``held_out``.
    """
    means = {elo: float(np.mean(values)) for elo, values in sorted(losses.items())}
    model = fit_elo({elo: mean for elo, mean in means.items() if elo not in kept_out})
    frame = pd.DataFrame({"loss": means})
    frame["estimate"] = [model.estimate(mean) for mean in means.values()]
    frame["error"] = frame["estimate"] - frame.index
    frame["held_out"] = frame.index.isin(kept_out)
    return model, frame


def estimate_player(
    losses: Mapping[int, Sequence[float]],
    player: Sequence[float],
    clusters: Sequence[object],
    *,
    kept_out: Sequence[int] = (),
    seed: int,
    resamples: int = 1_000,
) -> Interval:
    """Estimate a player's Elo; the interval resamples games, for the fit and the player alike.

    Parameters
    ----------
    losses
        By Elo, the loss of the fitted strengths in each position.
    player
        The player's loss in the same positions.
    clusters
        The game of each position.
    kept_out
        Elos not to fit on.
    seed
        Seed of the resampling.
    """
    fitted = {elo: values for elo, values in losses.items() if elo not in kept_out}
    data = np.column_stack([*fitted.values(), np.asarray(player, dtype=float)])
    _, index = np.unique(np.asarray(clusters), return_inverse=True)
    weights = cluster_weights(int(index.max()) + 1, seed=seed, resamples=resamples)[:, index]
    means = np.vstack([data.mean(axis=0), weights @ data / weights.sum(axis=1, keepdims=True)])
    found = _estimates(np.array(list(fitted), dtype=float), np.log(means + FLOOR))
    games = int(index.max()) + 1
    return percentile_interval(float(found[0]), found[1:], len(data), clusters=games)


def _estimates(elos: NDArray[np.float64], logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit a line on all columns but the last and estimate that: one fit for each row."""
    known, asked = logs[:, :-1], logs[:, -1]
    centred = known - known.mean(axis=1, keepdims=True)
    slopes = centred @ (elos - elos.mean()) / (centred**2).sum(axis=1)
    return elos.mean() + slopes * (asked - known.mean(axis=1))
