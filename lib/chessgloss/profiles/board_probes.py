"""Sizes of chapter 13, the probes of the board."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class BoardProbes:
    """Sizes of chapter 13.

    Parameters
    ----------
    instances
        Questions of each task and band that are scored.
    live
        How many of them the committed checkpoints answer anew.
    """

    instances: int
    live: int

    def __post_init__(self) -> None:
        if not 1 <= self.live <= self.instances <= 1_000:
            raise ValueError(f"need 1 to 1,000 questions, the live ones among them, got {self}")


_SIZES = {
    "smoke": BoardProbes(100, 5),
    "book": BoardProbes(1_000, 100),
    "paper": BoardProbes(1_000, 1_000),
}


def load_sizes(profile: str) -> BoardProbes:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
