"""What the realiser hands over, and what it considers saying."""

from __future__ import annotations

from dataclasses import dataclass

from chessgloss.facts.records import Fact


@dataclass(frozen=True, slots=True)
class Realised:
    """A comment made from facts.

    Parameters
    ----------
    text
        The comment: its sentences, one blank between them.
    used
        The facts that it puts into words, in the order of their telling.
    sentences
        The sentences, each with its capital and its full stop.
    """

    text: str
    used: tuple[Fact, ...]
    sentences: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.sentences or self.text != " ".join(self.sentences):
            raise ValueError(f"a comment is its sentences with blanks between, got {self.text!r}")


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that could be said of a move.

    Parameters
    ----------
    key
        Entry of the phrase tables that words it.
    weight
        How much it matters to a reader, from 0 (padding) to 100 (mate).
    phrasings
        Clauses that all say it; none ends in a full stop.
    facts
        The facts that make it true; empty for what the move alone shows.
    about
        What it speaks of, squares mostly: of points that share one only the weightiest is told.
    """

    key: str
    weight: float
    phrasings: tuple[str, ...]
    facts: tuple[Fact, ...]
    about: frozenset[str]

    def __post_init__(self) -> None:
        if not self.phrasings or any(one.endswith(".") or "  " in one for one in self.phrasings):
            raise ValueError(f"phrasings are clauses without a full stop, got {self.phrasings}")
