"""Where the sizes of training set that were trained point to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Trend:
    """A straight line through errors and training games, both as logarithms.

    Parameters
    ----------
    exponent
        Errors fall as games to this power: -0.5 is a half for four times the games.
    factor
        Errors, in per cent, of a single game by the line.
    points
        How many sizes the line goes through.
    """

    exponent: float
    factor: float
    points: int

    def errors(self, games: float) -> float:
        """Return the errors, in per cent, that the line gives for a number of games."""
        return self.factor * games**self.exponent

    def games(self, errors: float) -> float:
        """Return the games at which the line reaches an error, in per cent."""
        return (errors / self.factor) ** (1 / self.exponent)


def fit_trend(games: Sequence[float], errors: Sequence[float]) -> Trend:
    """Fit how errors fall with training games by least squares of the logarithms.

    It describes the sizes trained; beyond them it says where they point, not what comes.

    Raises
    ------
    ValueError
        If there are fewer than two sizes, or an error is not positive.
    """
    if len(games) != len(errors) or len(games) < 2 or min(*games, *errors) <= 0:
        raise ValueError(f"a trend needs two sizes or more with errors, got {list(errors)}")
    exponent, start = np.polyfit(np.log(games), np.log(errors), 1)
    return Trend(float(exponent), float(np.exp(start)), len(games))
