"""The concepts of a move in the order of their change, as records that need no network."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

import pandas as pd

from chessgloss.positions import MoveInContext

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

    def __post_init__(self) -> None:
        if self.rank < 1 or not all(map(math.isfinite, (self.before, self.after, self.change))):
            raise ValueError(f"a rank starts at 1 and numbers are finite, got {self}")

    @property
    def term(self) -> str:
        """Name of the term as in the paper's Table 6: ``White Threats``."""
        return self.concept if self.side == "both" else f"{self.side} {self.concept}"


@dataclass(frozen=True, slots=True)
class Priorities:
    """The concepts of a move, most changed first; shows itself as a table in a notebook.

    Parameters
    ----------
    move
        The move.
    method
        How the concepts were ranked.
    changes
        All 21, by rank.
    """

    move: MoveInContext
    method: str
    changes: tuple[ConceptChange, ...]

    def __post_init__(self) -> None:
        if [one.rank for one in self.changes] != list(range(1, len(self.changes) + 1)):
            raise ValueError("changes must be in the order of their ranks, from 1")

    def __iter__(self) -> Iterator[ConceptChange]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def top(self, count: int = 5) -> tuple[ConceptChange, ...]:
        """Return the first ``count`` concepts."""
        return self.changes[:count]

    def table(self, count: int = 5) -> pd.DataFrame:
        """Return the first ``count`` concepts as a table, one row a concept."""
        frame = pd.DataFrame([asdict(one) for one in self.top(count)]).set_index("rank")
        return frame.rename(columns={"change": "change (sd)"})

    def _repr_html_(self) -> str:
        shown = self.table().round(2).to_html(classes="results", border=0)
        head = f"{self.move.numbered_san}: concepts changed most ({self.method})"
        return f'<div class="results"><p class="table-caption">{head}</p>{shown}</div>'

    def __str__(self) -> str:
        return f"{self.move.numbered_san} ({self.method})\n{self.table().round(2).to_string()}"


def concept_and_side(term: str) -> tuple[str, Side]:
    """Split the name of a term: ``White Threats`` is ``("Threats", "White")``."""
    first, _, rest = term.partition(" ")
    if first == "White":
        return rest, "White"
    return (rest, "Black") if first == "Black" else (term, "both")
