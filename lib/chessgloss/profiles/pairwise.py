"""Sizes of chapter 07, the pairwise rubric."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Sizes of chapter 07.

    Parameters
    ----------
    moves
        Moves whose comments are compared, of those with a human comment; a whole divisor of
        sixty, so that smaller choices are parts of larger ones.
    """

    moves: int

    def __post_init__(self) -> None:
        if self.moves < 1 or 60 % self.moves:
            raise ValueError(f"the moves compared must divide 60, got {self.moves}")


_SIZES = {"smoke": Pairwise(4), "book": Pairwise(20), "paper": Pairwise(60)}


def load_sizes(profile: str) -> Pairwise:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
