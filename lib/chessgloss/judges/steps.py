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
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss.judges.contrasts import LEVEL, MATTERS, holm, verdict_of
from chessgloss.stats import (
    Interval,
    bootstrap,
    paired_difference,
    percentile_interval,
    sign_flip_p,
)

#: Bootstrap samples of a corrected share.
RESAMPLES = 2_000

#: What is said of steps, by their verdict.
SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "fewer": "Fewer comments {do} with: {steps}.",
        "more": "More comments {do} with: {steps}.",
        "alike": "As many comments {do}, within five points, with: {steps}.",
        "open": "Whether more or fewer comments {do} is open for: {steps}.",
        "cannot tell": "Whether more or fewer comments {do} cannot be told, for a floor or a "
        "ceiling, of: {steps}.",
    }
)

#: What is said of a step that does not show, by its verdict.
HOW_OFTEN: Mapping[str, str] = MappingProxyType(
    {
        "alike": "as often as",
        "open": "perhaps as often as",
        "cannot tell": "so seldom, or so nearly always, that it cannot be told from",
    }
)


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
        which they were asked: a sensitivity, since there are few. Where no move differs a
        bootstrap has nothing to draw; the interval is then
        :func:`~chessgloss.stats.paired_difference`'s.
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

    @property
    def how_often(self) -> str:
        """How often comments have the outcome with the step, against those without: ``… than``."""
        if self.verdict == "differs":
            return "more often than" if self.by_moves.value > 0 else "less often than"
        return HOW_OFTEN[self.verdict]


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
    ps = [
        float(sign_flip_p(pair.iloc[:, 0] - pair.iloc[:, 1], seed=seed))
        for pair in pairs.values()
    ]
    return [
        Step(
            outcome=key[0],
            name=key[1],
            taken=float(pairs[key].iloc[:, 0].mean()),
            left=float(pairs[key].iloc[:, 1].mean()),
            by_moves=_difference(pairs[key], None, seed),
            by_blocks=_difference(pairs[key], blocks, seed),
            p=p,
            adjusted=adjusted,
        )
        for key, p, adjusted in zip(pairs, ps, holm(ps), strict=True)
    ]


def _difference(
    pair: pd.DataFrame, blocks: Mapping[str, int] | None, seed: int
) -> Interval:
    """Return the mean difference of two columns, its interval over moves or over blocks."""
    first, second = pair.to_numpy().T
    clusters = [blocks[str(name)] for name in pair.index] if blocks else None
    if np.ptp(first - second) == 0:
        return paired_difference(first, second, clusters, seed=seed)
    return bootstrap(
        first - second, lambda rows: float(rows.mean()), clusters, seed=seed
    )


# ---------------------------------------------------------------- told


def laid_out(steps: Iterable[Step], words: Mapping[str, str]) -> pd.DataFrame:
    """Return a table of steps, by their words: of each outcome points, verdict and p."""
    rows = dict[str, dict[str, str]]()
    for each in steps:
        told = (
            f"{each.by_moves.in_percent():+.0f} {each.verdict}, p {each.adjusted:.3f}"
        )
        rows.setdefault(words[each.name], {})[each.outcome] = told
    return pd.DataFrame(rows).T.fillna("")


def concluded(
    steps: Iterable[Step], words: Mapping[str, str], outcomes: Mapping[str, str]
) -> list[str]:
    """Return what steps do, in sentences.

    Parameters
    ----------
    steps
        As :func:`compare_all` returns them.
    words, outcomes
        What each step is called, and what comments do that have each outcome: ``are false``.
    """
    found = dict[tuple[str, str], list[str]]()
    for each in steps:
        said = each.verdict
        if said == "differs":
            said = "more" if each.by_moves.value > 0 else "fewer"
        found.setdefault((outcomes[each.outcome], said), []).append(words[each.name])
    return [
        SENTENCES[said].format(do=do, steps="; ".join(names))
        for said in SENTENCES
        for (do, of), names in found.items()
        if of == said
    ]


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
            If it does not tell the two apart (:attr:`tells`).
        """
        if not self.tells:
            raise ValueError(f"errors are accused no more often than others: {self}")
        return self.found / self.planted, self.alarms / self.clean

    @property
    def tells(self) -> bool:
        """Whether errors are accused more often than what has none."""
        shown = self.planted > 0 and self.clean > 0
        return shown and self.found / self.planted > self.alarms / self.clean

    def drawn(self, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
        """Return draws of both shares, by Jeffreys' prior, each ``(RESAMPLES,)``."""
        counts = ((self.found, self.planted), (self.alarms, self.clean))
        return tuple(
            rng.beta(hits + 0.5, total - hits + 0.5, RESAMPLES)
            for hits, total in counts
        )


def corrected_shares(
    accused: pd.DataFrame, rulers: Mapping[str, Ruler], *, seed: int
) -> dict[str, Interval]:
    """Return each arm's share of comments with an error, from those accused (zeros and ones).

    An arm whose ruler does not tell errors from other comments is left out.
    """
    return {
        arm: _corrected(accused[[arm]].dropna(), [rulers[arm]], seed)
        for arm in accused
        if arm in rulers and rulers[arm].tells
    }


def corrected_steps(
    accused: pd.DataFrame,
    contrasts: Mapping[str, tuple[str, str]],
    rulers: Mapping[str, Ruler],
    *,
    seed: int,
) -> dict[str, Interval]:
    """Return the differences of the arms' shares of comments with an error, moves drawn together.

    A step is left out where the ruler of one of its arms tells nothing.
    """
    return {
        name: _corrected(accused[[*arms]].dropna(), [rulers[arm] for arm in arms], seed)
        for name, arms in contrasts.items()
        if {*arms} <= {*accused} and all(rulers[arm].tells for arm in arms)
    }


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
