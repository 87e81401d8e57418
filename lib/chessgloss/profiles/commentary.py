"""Sizes of chapter 04, commentary."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class Commentary:
    """Sizes of chapter 04.

    Parameters
    ----------
    moves
        Evaluated moves, of those chosen; the recorded answers cover all of them.
    checked
        Moves whose briefings are made anew and compared with the committed ones.
    """

    moves: int
    checked: int


_SIZES = {
    "smoke": Commentary(9, 2),
    "book": Commentary(63, 63),
    "paper": Commentary(63, 63),
}


def load_sizes(profile: str) -> Commentary:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
