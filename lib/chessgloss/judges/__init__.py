"""Judging commentary with a language model: GCC-Eval, and tests of the judge itself.

>>> from chessgloss.judges import Candidate, judge
>>> judge([Candidate(briefing, "Wins a pawn.", "llm")], "relevance", client)  # doctest: +SKIP
"""

from chessgloss.judges.gcc import DIMENSIONS, Candidate, gcc_requests, judge, judge_request
from chessgloss.judges.hint import expert_hint, verifier_findings
from chessgloss.judges.scale import Score, read_score

__all__ = [
    "DIMENSIONS",
    "Candidate",
    "Score",
    "expert_hint",
    "gcc_requests",
    "judge",
    "judge_request",
    "read_score",
    "verifier_findings",
]
