"""Sizes of chapter 12, language models of chess."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class StateTracking:
    """Sizes of chapter 12.

    Parameters
    ----------
    small, medium, large
        Training games; each set holds the smaller ones.
    dev, test, probe
        Games for perplexity, and for the questions about the board.
    live
        Test games on which the committed checkpoints are measured anew.
    drawn
        Test games in which the legal moves are counted, for a perplexity without a model.
    """

    small: int
    medium: int
    large: int
    dev: int
    test: int
    probe: int
    live: int
    drawn: int

    def __post_init__(self) -> None:
        if not 1 <= self.live <= self.drawn <= self.test:
            raise ValueError(f"live games are some of the drawn, and they of test, got {self}")


_OURS = (3_750, 12_500, 50_000, 3_750, 3_750, 12_500)

_SIZES = {
    "smoke": StateTracking(*_OURS, live=10, drawn=50),
    "book": StateTracking(*_OURS, live=200, drawn=3_750),
    "paper": StateTracking(
        *(15_000, 50_000, 200_000, 15_000, 15_000, 50_000), live=15_000, drawn=15_000
    ),
}


def load_sizes(profile: str) -> StateTracking:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
