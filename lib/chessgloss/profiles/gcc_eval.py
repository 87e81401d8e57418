"""Sizes of chapter 06, GCC-Eval."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class GccEval:
    """Sizes of chapter 06; the recorded answers cover the largest.

    Parameters
    ----------
    moves
        Evaluated moves in Table 5.
    pairs
        Minimal pairs.
    few
        Moves of the smaller tests: wordings, empty changes, best of four.
    labelled
        Sentences of each half of the gold set.
    choices
        Choices between two moves.
    resamples
        Bootstrap samples behind each correlation of Table 4.
    """

    moves: int
    pairs: int
    few: int
    labelled: int
    choices: int
    resamples: int


_SIZES = {
    "smoke": GccEval(9, 30, 5, 60, 8, 50),
    "book": GccEval(63, 150, 20, 400, 15, 300),
    "paper": GccEval(63, 150, 20, 400, 15, 300),
}


def load_sizes(profile: str) -> GccEval:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
