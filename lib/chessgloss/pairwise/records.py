"""Scores, decisions and ballots: what a judge said of two comments, and who wins by the rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from typing import Final, Literal, get_args

#: The six criteria in the rubric's order.
CRITERIA: Final = (
    "faithfulness",
    "relevance",
    "informativeness",
    "clarity",
    "human_likeness",
    "conciseness",
)

#: Every criterion is scored from 1 (unacceptable) to 5 (excellent).
LOWEST, HIGHEST = 1, 5

#: The criteria that break a tie of the totals, the first to differ decides.
TIE_BREAKS: Final = CRITERIA[:3]

#: Which of the two candidates wins.
Winner = Literal["A", "B", "TIE"]

#: How an answer contradicts itself.
Contradiction = Literal["total of A", "total of B", "winner"]


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one candidate, each a whole number from 1 to 5.

    Parameters
    ----------
    faithfulness, relevance, informativeness, clarity, human_likeness, conciseness
        The rubric's criteria in its order.
    """

    faithfulness: int
    relevance: int
    informativeness: int
    clarity: int
    human_likeness: int
    conciseness: int

    def __post_init__(self) -> None:
        for name, score in zip(CRITERIA, self, strict=True):
            if type(score) is not int or not LOWEST <= score <= HIGHEST:
                raise ValueError(f"{name} is a whole number from 1 to 5, got {score!r}")

    def __iter__(self) -> Iterator[int]:
        return iter(astuple(self))

    @property
    def total(self) -> int:
        """The plain sum, 6 to 30.

        The rubric speaks of "weighted totals", and then writes a sum without weights.
        """
        return sum(self)


@dataclass(frozen=True, slots=True)
class Decision:
    """Who wins by the rule, and what decided it.

    Parameters
    ----------
    winner
        ``A``, ``B`` or ``TIE``.
    by
        ``total``, the criterion that broke the tie, or ``nothing`` for a tie.
    """

    winner: Winner
    by: str


def decide(a: Scores, b: Scores) -> Decision:
    """Return the winner: the higher total, then the tie-breaks in their order, else a tie."""
    for name in ("total", *TIE_BREAKS):
        gap = getattr(a, name) - getattr(b, name)
        if gap:
            return Decision("A" if gap > 0 else "B", name)
    return Decision("TIE", "nothing")


@dataclass(frozen=True, slots=True)
class Ballot:
    """One answer of a judge on candidates A and B, as it was told.

    Parameters
    ----------
    a, b
        The scores of the candidates.
    told
        The winner that the judge named.
    told_totals
        The totals of A and B that the judge wrote.
    """

    a: Scores
    b: Scores
    told: Winner
    told_totals: tuple[int, int]

    def __post_init__(self) -> None:
        if self.told not in get_args(Winner):
            raise ValueError(f"a winner is A, B or TIE, got {self.told!r}")
        if len(self.told_totals) != 2 or min(self.told_totals) < 0:
            raise ValueError(f"totals are two whole numbers, got {self.told_totals!r}")

    @classmethod
    def of(cls, a: Scores, b: Scores) -> Ballot:
        """Return a ballot without contradiction: totals and winner as the rule has them."""
        return cls(a, b, decide(a, b).winner, (a.total, b.total))

    @property
    def decision(self) -> Decision:
        """The winner by the scores, whatever the judge named."""
        return decide(self.a, self.b)

    @property
    def winner(self) -> Winner:
        """Who wins by the rule."""
        return self.decision.winner

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Where what was told is not what the scores give; the scores are kept."""
        checks: dict[Contradiction, bool] = {
            "total of A": self.told_totals[0] == self.a.total,
            "total of B": self.told_totals[1] == self.b.total,
            "winner": self.told == self.winner,
        }
        return tuple(name for name, agrees in checks.items() if not agrees)

    def limited(self, a: int = HIGHEST, b: int = HIGHEST) -> Ballot:
        """Return the ballot with at most so many points of faithfulness for A and for B."""
        return replace(self, a=_limited(self.a, a), b=_limited(self.b, b))

    def swapped(self) -> Ballot:
        """Return the ballot with A and B renamed."""
        names: dict[Winner, Winner] = {"A": "B", "B": "A", "TIE": "TIE"}
        first, second = self.told_totals
        return Ballot(self.b, self.a, names[self.told], (second, first))


def _limited(scores: Scores, most: int) -> Scores:
    return replace(scores, faithfulness=min(scores.faithfulness, most))
