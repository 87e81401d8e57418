"""Sizes of chapter 11, static positions."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class StaticPositions:
    """Sizes of chapter 11.

    Parameters
    ----------
    games
        Games of each level whose positions all players but language models are asked.
    model_games
        Games of each level whose positions language models are asked.
    nodes
        Nodes of the players that search.
    rounds
        Exchanges of a permutation test.
    """

    games: int
    model_games: int
    nodes: tuple[int, ...]
    rounds: int


_SIZES = {
    "smoke": StaticPositions(4, 2, (1,), 200),
    "book": StaticPositions(40, 15, (1, 1_000), 2_000),
    "paper": StaticPositions(40, 40, (1, 100, 1_000, 10_000), 9_999),
}


def load_sizes(profile: str) -> StaticPositions:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
