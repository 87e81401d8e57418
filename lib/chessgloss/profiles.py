"""Sizes of the three profiles. The same code runs in all; only these numbers differ.

``smoke`` is for continuous integration (seconds a chapter), ``book`` is what the
committed chapters show, ``paper`` is the documents' own scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

ProfileName = Literal["smoke", "book", "paper"]


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


@dataclass(frozen=True, slots=True)
class ConceptVectors:
    """Sizes of chapter 02.

    Parameters
    ----------
    games
        Self-play games sampled.
    per_game
        Most positions of one game.
    headline
        Positions behind the headline rows (the paper's 200,000).
    control
        Positions behind every other row.
    audit
        Positions of the sort audit.
    audit_seeds
        Its repetitions.
    steered
        Positions whose activations are steered.
    random_directions
        Directions that a concept is compared with when steering.
    """

    games: int
    per_game: int
    headline: int
    control: int
    audit: int
    audit_seeds: int
    steered: int
    random_directions: int


@dataclass(frozen=True, slots=True)
class Profile:
    """All sizes of one profile, a record per chapter."""

    name: ProfileName
    positions_and_engines: PositionsAndEngines
    concept_vectors: ConceptVectors


_PROFILES = {
    "smoke": Profile(
        "smoke",
        PositionsAndEngines(400, 1_000, 2, 500),
        ConceptVectors(320, 25, 6_000, 4_000, 4_000, 1, 100, 4),
    ),
    "book": Profile(
        "book",
        PositionsAndEngines(20_000, 60_000, 40, 5_000),
        ConceptVectors(9_000, 25, 200_000, 40_000, 20_000, 5, 1_000, 20),
    ),
    "paper": Profile(
        "paper",
        PositionsAndEngines(20_000, 200_000, 100, 100_000),
        ConceptVectors(20_000, 25, 200_000, 200_000, 40_000, 5, 5_000, 100),
    ),
}


def load_profile(name: str) -> Profile:
    """Return the profile of that name.

    Raises
    ------
    ValueError
        If there is no such profile; the message lists those there are.
    """
    if name not in _PROFILES:
        raise ValueError(f"no profile {name!r}; choose one of {', '.join(get_args(ProfileName))}")
    return _PROFILES[name]
