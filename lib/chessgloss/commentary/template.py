"""The method ``template``: a comment from facts and concepts alone, without a model."""

from __future__ import annotations

from chessgloss.commentary.briefings import Briefing
from chessgloss.commentary.methods import Comment
from chessgloss.realise import realise


def write_from_facts(briefing: Briefing, *, seed: int = 0) -> Comment:
    """Write a comment by the method ``template``: no model, nothing but facts."""
    concepts = [(one.concept, one.side, one.change) for one in briefing.concepts]
    told = realise(briefing.facts(), briefing.verdict, concepts, seed=seed)
    return Comment(told.text, "template")
