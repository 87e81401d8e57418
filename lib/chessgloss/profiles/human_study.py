"""Sizes of chapter 08, the human study."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class HumanStudy:
    """Sizes of chapter 08.

    Parameters
    ----------
    moves, raters
        Of the simulated studies; the paper's are 50 and 5.
    repeats
        Simulated studies whose planted differences are looked for.
    power_raters, power_moves
        Sizes of the power curve.
    power_repeats
        Simulated studies a size.
    """

    moves: int
    raters: int
    repeats: int
    power_raters: tuple[int, ...]
    power_moves: tuple[int, ...]
    power_repeats: int


_SIZES = {
    "smoke": HumanStudy(20, 3, 4, (1, 5), (10, 50), 40),
    "book": HumanStudy(50, 5, 500, (1, 2, 3, 5, 10), (10, 20, 30, 50, 80, 120, 200), 400),
    "paper": HumanStudy(50, 5, 1_000, (1, 2, 3, 5, 10, 20), (10, 20, 30, 50, 80, 120, 200), 2_000),
}


def load_sizes(profile: str) -> HumanStudy:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
