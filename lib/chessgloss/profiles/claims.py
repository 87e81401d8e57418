"""Sizes of chapter 05, claims."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class Claims:
    """Sizes of chapter 05.

    Parameters
    ----------
    moves
        Evaluated moves, of those chosen; the recorded answers cover all of them.
    nodes
        Nodes searched before and after each move of the gold set, for what it says of the
        evaluation.
    pairs
        Minimal pairs of a true sentence and its corrupted twin.
    listed
        Comments of the gold set whose claims the language model lists.
    """

    moves: int
    nodes: int
    pairs: int
    listed: int


_SIZES = {
    "smoke": Claims(9, 2_000, 60, 10),
    "book": Claims(63, 100_000, 450, 60),
    "paper": Claims(63, 200_000, 450, 60),
}


def load_sizes(profile: str) -> Claims:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
