"""The pairwise rubric's hard rule as a program: what disqualifies a comment.

The rubric (Chess Commentary Pairwise Evaluation Rubric, criterion 1) sets Faithfulness to 1 when a
comment claims, without support in the feature context, a check, a checkmate, a capture, a
promotion, a trade, the win of a hanging piece, or a forced tactic or specific threat. Here the
context is the facts of the move, and a claim has no support when it is false by the claim
checker.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chessgloss.claims.records import Checked, Claim
from chessgloss.claims.verify import verify
from chessgloss.facts import Facts
from chessgloss.facts.verdict import Verdict

Disqualifier = Literal[
    "check",
    "checkmate",
    "capture",
    "promotion",
    "trade",
    "hanging-piece win",
    "forced tactic or threat",
]

#: Faithfulness of a comment that breaks the rule.
DISQUALIFIED = 1

_BY_RELATION: dict[str, Disqualifier] = {
    "promotes": "promotion",
    "can_promote": "promotion",
    "exchanges": "trade",
    "loose": "hanging-piece win",
    "can_win": "hanging-piece win",
    "wins": "hanging-piece win",
    "threatens_mate": "forced tactic or threat",
    "mate_in": "forced tactic or threat",
    "can_mate": "forced tactic or threat",
}
_BY_KIND: dict[str, Disqualifier] = {
    "check": "check",
    "mate": "checkmate",
    "capture": "capture",
    "tactic": "forced tactic or threat",
}


@dataclass(frozen=True, slots=True)
class Breach:
    """A claim that breaks the hard rule.

    Parameters
    ----------
    disqualifier
        Which of the rubric's events is claimed without support.
    checked
        The claim with its evidence.
    """

    disqualifier: Disqualifier
    checked: Checked


def breaches(text: str, facts: Facts, verdict: Verdict | None = None) -> tuple[Breach, ...]:
    """Return the claims of a text that break the hard rule, in the order of their spans.

    Parameters
    ----------
    text
        The comment.
    facts
        The facts of the move, as the rubric's feature context is made from.
    verdict
        The engine's verdict, if the context has one; it supports mates that are counted.
    """
    found = []
    for checked in verify(text, facts.move, verdict):
        event = disqualifier(checked.claim)
        if checked.verdict == "false" and event is not None:
            found.append(Breach(event, checked))
    return tuple(found)


def disqualifier(claim: Claim) -> Disqualifier | None:
    """Return the rubric's event that a claim speaks of; ``None`` if the rule is silent on it."""
    if claim.relation == "move_mates":
        return "checkmate"
    term = claim.objects[0] if claim.objects else None
    if claim.kind == "move" and term is not None and term.move is not None:
        if term.move.promotion is not None:
            return "promotion"
        return "capture" if term.move.takes else None
    return _BY_RELATION.get(claim.relation) or _BY_KIND.get(claim.kind)


def most_faithfulness(text: str, facts: Facts, verdict: Verdict | None = None) -> int:
    """Return the most points for Faithfulness that the hard rule leaves a text: 1 or 5."""
    return DISQUALIFIED if breaches(text, facts, verdict) else 5
