"""Sizes of chapter 14, how much of the history a model needs."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class History:
    """Sizes of chapter 14.

    Parameters
    ----------
    instances
        Questions of each task and band that are scored.
    drawn
        Test games in which the legal moves are counted, for a perplexity without a model.
    counted
        Training games of the count tables.
    """

    instances: int
    drawn: int
    counted: int

    def __post_init__(self) -> None:
        if min(self.drawn, self.counted) < 1:
            raise ValueError(f"baselines need games, got {self}")
        if not 1 <= self.instances <= 1_000:
            raise ValueError(f"need 1 to 1,000 questions, got {self.instances}")


_SIZES = {
    "smoke": History(100, drawn=50, counted=3_750),
    "book": History(1_000, drawn=3_750, counted=3_750),
    "paper": History(1_000, drawn=3_750, counted=3_750),
}


def load_sizes(profile: str) -> History:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
