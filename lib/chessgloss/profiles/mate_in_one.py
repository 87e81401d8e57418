"""Sizes of chapter 09, mate in one."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.profiles import choose


@dataclass(frozen=True, slots=True)
class MateInOne:
    """Sizes of chapter 09.

    Parameters
    ----------
    problems
        Problems for players that need no recorded answer, the first of the file.
    recorded
        Problems for language models, the first of the file; their answers are recorded.
    purpose
        Under which name the answers are recorded.
    nodes
        Nodes of the search that confirms the best move told to the models.
    games
        Games, the first of the self-play file, whose positions without a mate show how often
        the vector for mate in one is wrong about them.
    """

    problems: int
    recorded: int
    purpose: str
    nodes: int
    games: int

    def __post_init__(self) -> None:
        if not 0 < self.recorded <= self.problems:
            raise ValueError(f"recorded problems are some of the problems, got {self}")


_SIZES = {
    "smoke": MateInOne(60, 20, "mate_in_one", 2_000, 200),
    "book": MateInOne(1_000, 200, "mate_in_one", 10_000, 2_000),
    "paper": MateInOne(1_000, 1_000, "mate_in_one_all", 10_000, 2_000),
}


def load_sizes(profile: str) -> MateInOne:
    """Return the sizes of a profile; see :func:`chessgloss.profiles.choose`."""
    return choose(profile, _SIZES)
