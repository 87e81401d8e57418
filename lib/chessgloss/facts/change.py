"""What a move does to one concept, as a record: the concept, whose it is, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Side = Literal["White", "Black", "both"]


@dataclass(frozen=True, slots=True)
class ConceptChange:
    """What a move does to one concept, as the expert shows it.

    Parameters
    ----------
    concept
        Name of the concept without its side: ``Threats``.
    side
        Whose it is; ``both`` for Material, Imbalance and Pawns, which count White minus
        Black. White's and Black's are each good for their own side when positive.
    before, after
        Estimate of the term in pawns; with the paper's method, the margin of its classifier.
    change
        After less before, in standard deviations of the change over all moves.
    rank
        1 for the concept that the move changes most.
    """

    concept: str
    side: Side
    before: float
    after: float
    change: float
    rank: int

    @property
    def term(self) -> str:
        """Name of the term as in the paper's Table 6: ``White Threats``."""
        return self.concept if self.side == "both" else f"{self.side} {self.concept}"


#: The changes of one move, the first in rank first.
Changes: TypeAlias = tuple[ConceptChange, ...]


def concept_and_side(term: str) -> tuple[str, Side]:
    """Split the name of a term: ``White Threats`` is ``("Threats", "White")``."""
    first, _, rest = term.partition(" ")
    if first == "White":
        return rest, "White"
    return (rest, "Black") if first == "Black" else (term, "both")
