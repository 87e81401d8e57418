"""The registered steps between arms, on every outcome, corrected for what readers miss and make up.

A step is the outcome with it less the outcome without, move by move. Readers find a share ``r`` of
planted errors and accuse a share ``f`` of what is right; of comments of which they accuse a share
``q``, ``(q - f) / (r - f)`` then have an error. What is not known of ``r`` and ``f`` is part of the
interval.

Source: W. J. Rogan and B. Gladen, "Estimating prevalence from the results of a screening test",
American Journal of Epidemiology 107 (1978).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss.judges.contrasts import LEVEL, MATTERS, holm, verdict_of
from chessgloss.stats import Interval, bootstrap, percentile_interval, sign_flip_p

#: Bootstrap samples of a corrected share.
RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Step:
    """What one step does to one outcome.

    Parameters
    ----------
    outcome, name
        As in tables and keys.
    taken, left
        The outcome's mean with the step and without it, on moves that have both.
    by_moves, by_blocks
        The mean difference with its 95 % bootstrap interval over moves, and over the blocks in
        which they were asked: a sensitivity, since there are few.
    p, adjusted
        Of a test that flips the signs of the moves' differences; by Holm's method over all
        steps on all outcomes.
    """

    outcome: str
    name: str
    taken: float
    left: float
    by_moves: Interval
    by_blocks: Interval
    p: float
    adjusted: float

    @property
    def verdict(self) -> str:
        """``differs``, ``alike``, ``open``; ``cannot tell`` of two on a floor or a ceiling."""
        ends = (self.taken, self.left)
        at_an_end = max(ends) < MATTERS or min(ends) > 1 - MATTERS
        if at_an_end and self.adjusted >= LEVEL:
            return "cannot tell"
        return verdict_of(self.by_moves, self.adjusted)


def compare_all(
    outcomes: Mapping[str, pd.DataFrame],
    contrasts: Mapping[str, tuple[str, str]],
    blocks: Mapping[str, int],
    *,
    seed: int,
) -> list[Step]:
    """Return every step on every outcome, with one correction over all.

    Parameters
    ----------
    outcomes
        By name: a row a move, its name the index, a column an arm, from 0 to 1; NaN where there
        is no comment.
    contrasts
        By name the arm that takes a step, and the one that does not. Where an arm was not asked the
        step is left out.
    blocks
        In which block each move was asked.
    seed
        Of resampling and flipped signs.
    """
    pairs = {
        (outcome, name): frame[[*arms]].dropna().astype(float)
        for outcome, frame in outcomes.items()
        for name, arms in contrasts.items()
        if {*arms} <= {*frame}
    }
    differences = {
        key: pair.iloc[:, 0] - pair.iloc[:, 1] for key, pair in pairs.items()
    }
    ps = [float(sign_flip_p(each, seed=seed)) for each in differences.values()]
    return [
        Step(
            outcome=key[0],
            name=key[1],
            taken=float(pairs[key].iloc[:, 0].mean()),
            left=float(pairs[key].iloc[:, 1].mean()),
            by_moves=_mean(each, None, seed),
            by_blocks=_mean(each, [blocks[str(name)] for name in each.index], seed),
            p=p,
            adjusted=adjusted,
        )
        for (key, each), p, adjusted in zip(
            differences.items(), ps, holm(ps), strict=True
        )
    ]


def _mean(values: pd.Series, clusters: list[int] | None, seed: int) -> Interval:
    return bootstrap(
        values.to_numpy(), lambda rows: float(rows.mean()), clusters, seed=seed
    )


# ---------------------------------------------------------------- corrected


@dataclass(frozen=True, slots=True)
class Ruler:
    """How far the accusations of comments by one arm can be trusted.

    Parameters
    ----------
    found, planted
        Planted errors that were accused, of how many.
    alarms, clean
        Comments without an error that were accused, of how many.
    """

    found: int
    planted: int
    alarms: int
    clean: int

    @classmethod
    def of(cls, planted: Iterable[bool], clean: Iterable[bool]) -> Ruler:
        """Return the ruler of accusations: of planted errors, and of comments without any."""
        errors, others = list(planted), list(clean)
        return cls(sum(errors), len(errors), sum(others), len(others))

    def rates(self) -> tuple[float, float]:
        """Return the shares of errors and of others that are accused.

        Raises
        ------
        ValueError
            If none was shown, or errors are accused no more often than others.
        """
        if not (self.planted and self.clean):
            raise ValueError(
                f"a ruler needs comments with an error and without: {self}"
            )
        recall, alarm = self.found / self.planted, self.alarms / self.clean
        if recall <= alarm:
            raise ValueError(f"errors are accused no more often than others: {self}")
        return recall, alarm

    def drawn(self, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
        """Return draws of both shares, by Jeffreys' prior, each ``(RESAMPLES,)``."""
        counts = ((self.found, self.planted), (self.alarms, self.clean))
        return tuple(
            rng.beta(hits + 0.5, total - hits + 0.5, RESAMPLES)
            for hits, total in counts
        )


def corrected_share(accused: pd.Series, ruler: Ruler, *, seed: int) -> Interval:
    """Return the share of comments with an error, from those accused (zeros and ones)."""
    return _corrected(accused.dropna().to_frame(), [ruler], seed)


def corrected_step(
    accused: pd.DataFrame,
    arms: tuple[str, str],
    rulers: Mapping[str, Ruler],
    *,
    seed: int,
) -> Interval:
    """Return the difference of two arms' shares of comments with an error, moves drawn together."""
    pair = accused[[*arms]].dropna()
    return _corrected(pair, [rulers[arm] for arm in arms], seed)


def _corrected(accused: pd.DataFrame, rulers: list[Ruler], seed: int) -> Interval:
    """Return the first column's corrected share, less that of the second if there is one."""
    values = accused.to_numpy(float)
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(values), (RESAMPLES, len(values)))
    shares = values[rows].mean(axis=1)
    estimate = 0.0
    samples = np.zeros(RESAMPLES)
    for column, (ruler, sign) in enumerate(zip(rulers, (1, -1), strict=False)):
        estimate += sign * float(_share(values[:, column].mean(), *ruler.rates()))
        recall, alarm = ruler.drawn(rng)
        known = np.where(recall > alarm, recall, np.nan)
        samples += sign * _share(shares[:, column], known, alarm)
    told = samples[np.isfinite(samples)]
    return percentile_interval(estimate, told, len(values), clusters=len(values))


def _share(
    accused: float | NDArray[np.float64],
    recall: float | NDArray[np.float64],
    alarm: float | NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return shares with an error; what chance takes below 0 or above 1 is cut there."""
    return np.clip((np.asarray(accused) - alarm) / (recall - alarm), 0.0, 1.0)
