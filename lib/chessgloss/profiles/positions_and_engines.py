"""Sizes of chapter 01, positions and engines."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class PositionsAndEngines:
    """Sizes of chapter 01.

    Parameters
    ----------
    games
        Self-play games read.
    term_positions
        Positions whose 21 terms are read from Stockfish 8.
    games_per_level
        Equal-level games whose moves are graded, for each level.
    grading_nodes
        Nodes of each search that grades a move.
    """

    games: int
    term_positions: int
    games_per_level: int
    grading_nodes: int


_SIZES = {
    "smoke": PositionsAndEngines(400, 1_000, 2, 500),
    "book": PositionsAndEngines(20_000, 60_000, 40, 5_000),
    "paper": PositionsAndEngines(20_000, 200_000, 100, 100_000),
}


def load_sizes(profile: str) -> PositionsAndEngines:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
