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
    counted
        Training games of the count tables that stand in all tables.
    counted_more
        Training games of larger ones, to see whether more games would make a difference.
    """

    instances: int
    live: int
    counted: int
    counted_more: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 1 <= self.live <= self.instances <= 1_000:
            raise ValueError(f"need 1 to 1,000 questions, the live ones among them, got {self}")
        if min((self.counted, *self.counted_more)) < 1:
            raise ValueError(f"baselines need games, got {self}")


_SIZES = {
    "smoke": BoardProbes(100, 5, 3_750, ()),
    "book": BoardProbes(1_000, 100, 3_750, (12_500, 50_000)),
    "paper": BoardProbes(1_000, 1_000, 3_750, (12_500, 50_000)),
}


def load_sizes(profile: str) -> BoardProbes:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
