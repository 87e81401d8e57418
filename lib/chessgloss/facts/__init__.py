"""What is true of a move: facts of the board and of an engine's analysis, as typed records."""

from chessgloss.facts.gathering import gather
from chessgloss.facts.records import Fact, Facts
from chessgloss.facts.verdict import (
    Analyse,
    Verdict,
    judgement_of,
    search,
    standing,
    weigh,
)
from chessgloss.predicates.words import listed, side_name

__all__ = [
    "Analyse",
    "Fact",
    "Facts",
    "Verdict",
    "gather",
    "judgement_of",
    "listed",
    "search",
    "side_name",
    "standing",
    "weigh",
]
