"""What is true of a move: facts of the board and of an engine's analysis, as typed records."""

from chessgloss.facts.fact import Fact, Facts, gather, linearise, listed, side_name
from chessgloss.facts.verdict import Analyse, Verdict, judge, search, standing, weigh

__all__ = [
    "Analyse",
    "Fact",
    "Facts",
    "Verdict",
    "gather",
    "judge",
    "linearise",
    "listed",
    "search",
    "side_name",
    "standing",
    "weigh",
]
