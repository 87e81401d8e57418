"""What is true of a move: facts of the board and of an engine's analysis, as typed records."""

from chessgloss.facts.gather import gather
from chessgloss.facts.records import Fact, Facts
from chessgloss.facts.verdict import Verdict, weigh

__all__ = ["Fact", "Facts", "Verdict", "gather", "weigh"]
