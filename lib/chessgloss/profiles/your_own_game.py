"""Sizes of chapter 15, your own game."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class YourOwnGame:
    """Sizes of chapter 15.

    Parameters
    ----------
    nodes
        Nodes searched in each position.
    """

    nodes: int


_SIZES = {
    "smoke": YourOwnGame(5_000),
    "book": YourOwnGame(100_000),
    "paper": YourOwnGame(1_000_000),
}


def load_sizes(profile: str) -> YourOwnGame:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
