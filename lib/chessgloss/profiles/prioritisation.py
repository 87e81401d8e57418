"""Sizes of chapter 03, prioritisation."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class Prioritisation:
    """Sizes of chapter 03.

    Parameters
    ----------
    fitted_games
        Training games whose moves fit the linear methods and the constants.
    held_out_games
        Most validation games and most test games.
    per_game
        Most moves of one game.
    """

    fitted_games: int
    held_out_games: int
    per_game: int


_SIZES = {
    "smoke": Prioritisation(150, 40, 6),
    "book": Prioritisation(5_000, 1_500, 6),
    "paper": Prioritisation(16_000, 2_000, 20),
}


def load_sizes(profile: str) -> Prioritisation:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
