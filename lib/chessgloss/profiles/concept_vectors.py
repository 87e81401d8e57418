"""Sizes of chapter 02, concept vectors."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


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


_SIZES = {
    "smoke": ConceptVectors(160, 25, 3_000, 2_000, 2_000, 1, 60, 4),
    "book": ConceptVectors(9_500, 25, 200_000, 40_000, 16_000, 5, 1_000, 20),
    "paper": ConceptVectors(20_000, 25, 200_000, 200_000, 40_000, 5, 5_000, 100),
}


def load_sizes(profile: str) -> ConceptVectors:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
