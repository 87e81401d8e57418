"""The claims that a comment makes, each checked on the board and with the engine's verdict.

A text becomes tokens (``lexicon``, ``words.toml``), then sentences (``parser``), then claims by
the table of relations (``relations``, ``relations.toml``). Each claim is decided at the moments
that its words allow (``board``) and gets a verdict with evidence (``checker``); ``gold`` measures
how good that is.
"""

from chessgloss.claims.checker import Checked, disqualifier, extract, verify
from chessgloss.claims.looks.finding import Truth
from chessgloss.claims.parser import Claim, Kind
from chessgloss.claims.relations import CAUSES, Cause, Disqualifier

__all__ = [
    "CAUSES",
    "Cause",
    "Checked",
    "Claim",
    "Disqualifier",
    "Kind",
    "Truth",
    "disqualifier",
    "extract",
    "verify",
]
