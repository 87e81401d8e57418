"""What looking at one moment gives, and how moments and stance make a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from chessgloss.claims.records import Anchor, Checked, Claim, Truth
from chessgloss.claims.scene import Moment, Scene

#: It holds; it does not; what it speaks of is not there; the board cannot tell.
Outcome = Literal["holds", "fails", "absent", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a look at one moment gives, with the board fact that decides it."""

    outcome: Outcome
    evidence: str


#: Looks at one moment for one claim.
Look = Callable[[Claim, Moment, Scene], Finding]

_WHEN: dict[Anchor, str] = {
    "before": "before the move",
    "after": "after the move",
    "reply": "after the expected reply",
    "line": "in the line",
    "none": "",
}


def decide(claim: Claim, moments: Iterable[Moment], look: Look, scene: Scene) -> Checked:
    """Return the verdict on a claim from every moment that its words allow.

    A claim is false only if it fails in all of them; a denied one only if what it denies
    holds in all of them where it can be asked. What is only supposed or asked is never
    false.
    """
    if claim.stance.asked:
        return Checked(claim, "not checkable", "the text asks it, it does not say it", "none")
    found: list[tuple[Moment, Finding]] = []
    wanted: Outcome = "fails" if claim.stance.negated else "holds"
    for moment in moments:
        finding = look(claim, moment, scene)
        if moment.skipped and finding.outcome == "fails" and _of_moves(claim):
            finding = unknown(f"{finding.evidence}, but moves may lie between")
        found.append((moment, finding))
        if finding.outcome == wanted:
            return _checked(claim, "true", moment, finding)
    return _not_found(claim, found)


def _not_found(claim: Claim, found: list[tuple[Moment, Finding]]) -> Checked:
    unknown = [one for one in found if one[1].outcome == "unknown"]
    if unknown:
        return _checked(claim, "not checkable", *unknown[0])
    if _is_supposed(claim) or not found:
        return Checked(claim, "not checkable", "the text only supposes it", "none")
    if claim.stance.negated and len(claim.subjects) > 1:
        return Checked(claim, "not checkable", "who is meant is not told", "none")
    if (_of_moves(claim) or claim.relation == "wins") and all(
        finding.outcome == "absent" for _, finding in found
    ):
        return Checked(claim, "not checkable", "the move it speaks of cannot be played", "none")
    against: Outcome = "holds" if claim.stance.negated else "fails"
    best = [one for one in found if one[1].outcome == against]
    if claim.stance.negated and not best:
        return Checked(claim, "not checkable", "what it denies cannot be asked here", "none")
    return _checked(claim, "false", *(best or found)[0])


def _is_supposed(claim: Claim) -> bool:
    """Tell whether the words leave open that it is so.

    What a side can do is said outright of captures and checks, for they are legal or not;
    of a written move its own line decides, whether it was played or not.
    """
    stance = claim.stance
    if _of_moves(claim):
        return False
    if claim.kind == "evaluation" and any(term.role == "move" for term in claim.objects):
        return False
    if claim.kind in ("capture", "structure"):
        return stance.supposed
    return stance.supposed or stance.able


def _of_moves(claim: Claim) -> bool:
    return bool(claim.subjects) and all(term.role == "move" for term in claim.subjects)


def _checked(claim: Claim, verdict: Truth, moment: Moment, finding: Finding) -> Checked:
    when = _WHEN[moment.anchor]
    evidence = f"{when}: {finding.evidence}" if when else finding.evidence
    return Checked(claim, verdict, evidence, moment.anchor)


def holds(evidence: str) -> Finding:
    """Return the finding that a claim holds."""
    return Finding("holds", evidence)


def fails(evidence: str) -> Finding:
    """Return the finding that a claim fails."""
    return Finding("fails", evidence)


def absent(evidence: str) -> Finding:
    """Return the finding that what a claim speaks of is not there."""
    return Finding("absent", evidence)


def unknown(evidence: str) -> Finding:
    """Return the finding that the board cannot tell."""
    return Finding("unknown", evidence)


def truth(value: bool, evidence: str) -> Finding:
    """Return the finding that a claim holds or fails."""
    return holds(evidence) if value else fails(evidence)
