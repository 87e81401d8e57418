"""Sizes of chapter 10, move grading."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class MoveGrading:
    """Sizes of chapter 10.

    Parameters
    ----------
    games
        Games of each level, of those stored.
    mirrored
        Positions whose mirror images are searched.
    nodes
        Nodes of these searches.
    resamples
        Drawings of one game a level.
    """

    games: int
    mirrored: int
    nodes: int
    resamples: int


_SIZES = {
    "smoke": MoveGrading(10, 4, 2_000, 500),
    "book": MoveGrading(40, 40, 20_000, 10_000),
    "paper": MoveGrading(40, 200, 100_000, 10_000),
}


def load_sizes(profile: str) -> MoveGrading:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
