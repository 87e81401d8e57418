"""Each claim of a text held against the board and, where one is given, an engine's verdict."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from chessgloss.claims.lexicon import tokenise
from chessgloss.claims.looks.finding import Truth
from chessgloss.claims.looks.moves import check_move, impossible
from chessgloss.claims.parser import Claim, chunk, sentences
from chessgloss.claims.relations import (
    CAUSES,
    Cause,
    Disqualifier,
    read_claims,
    relations,
)
from chessgloss.claims.scene import LOOK_BACK, Anchor, Scene, set_scene
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext

_WHEN: dict[Anchor, str] = {
    "before": "before the move: ",
    "after": "after the move: ",
    "line": "in the line: ",
    "reply": "after the expected reply: ",
}


#: How many characters behind a move that cannot be played a check may be of its line.
LINE_REACH = 80


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim and what came of it.

    Parameters
    ----------
    claim
        The claim.
    verdict
        ``true``, ``false``, or ``not checkable``.
    evidence
        The board fact or the engine's line that decides it, in words.
    anchor
        The moment it was held against.
    """

    claim: Claim
    verdict: Truth
    evidence: str
    anchor: Anchor

    @property
    def cause(self) -> Cause | None:
        """The cause of error (CCC paper, Table 2) that a false claim counts under."""
        return CAUSES[self.claim.kind] if self.verdict == "false" else None


# ---------------------------------------------------------------- what a text claims


def extract(text: str, *, presupposed: bool = False) -> tuple[Claim, ...]:
    """Return the checkable claims of an English text on a move, in the order of their spans.

    Nothing is looked up on a board: a claim says what the words say. Empty for a text
    without any.

    Parameters
    ----------
    text
        The text.
    presupposed
        Also what the words take for granted: whose turn it is, that there are such pieces, that
        a square, a check, a capture that they speak of comes with the move.
    """
    parsed = sentences(text, chunk(text, tokenise(text)))
    claims = [
        claim for sentence in parsed for claim in read_claims(sentence, presupposed)
    ]
    # what is said twice of the same words counts once
    kept: dict[tuple[object, ...], Claim] = {}
    announced = [
        claim.span for claim in claims if claim.relation in ("gives_check", "is_mate")
    ]
    for claim in claims:
        (first, last) = claim.span
        signed = claim.relation in ("move_checks", "move_mates")
        if not (
            signed and any(start <= first and last <= stop for start, stop in announced)
        ):
            key = (claim.span, claim.kind, claim.relation)
            kept.setdefault((*key, *sorted(claim.detail.items())), claim)
    return tuple(
        sorted(
            kept.values(), key=lambda claim: (claim.span, claim.kind, claim.relation)
        )
    )


# ---------------------------------------------------------------- whether it is so


def verify(
    text: str,
    move: MoveInContext,
    verdict: Verdict | None = None,
    reply: str | None = None,
    *,
    presupposed: bool = False,
) -> tuple[Checked, ...]:
    """Return every claim of a text on a move with its verdict, in the order of their spans.

    Parameters
    ----------
    text
        The comment, in English.
    move
        The move it is about.
    verdict
        What an engine says of the move; without it, evaluations are not checkable.
    reply
        The expected reply in UCI notation; the verdict's own if none is given.
    presupposed
        Also what the words take for granted (see :func:`extract`); it is true or not checkable.

    Raises
    ------
    ValueError
        If the reply is not legal after the move.
    """
    claims = extract(text, presupposed=presupposed)
    of_moves = [
        each for each in claims if each.relation in ("legal", "played", "impossible")
    ]
    moves = [term for claim in of_moves for term in claim.objects]
    scene = set_scene(
        move, moves, verdict, reply or (verdict.reply if verdict else None)
    )
    return tuple(check(claim, scene) for claim in claims)


def check(claim: Claim, scene: Scene) -> Checked:
    """Return the verdict on a claim from every moment that its words allow.

    A claim is false only if it fails in all of them; a denied one only if what it denies
    holds in all of them where it can be asked. What is only supposed or asked is never
    false.
    """
    stance = claim.stance
    decide = relations()[claim.relation].decide
    if stance.asked and decide is not impossible:
        return _open(claim, "the text asks it, it does not say it")
    if decide in (check_move, impossible):
        return Checked(claim, *decide(claim, scene))
    of_moves = bool(claim.subjects) and all(
        term.role == "move" for term in claim.subjects
    )
    wanted, against = ("fails", "holds") if stance.negated else ("holds", "fails")
    first: dict[str, Checked] = {}  # of each outcome
    for moment in scene.allowed(claim):
        finding = decide(claim, moment, scene)
        outcome, evidence = finding.outcome, finding.evidence
        if moment.skipped and outcome == "fails" and of_moves:
            outcome = "unknown"
            evidence = f"{evidence}, but moves may lie between"
        verdict: Truth = "not checkable" if outcome == "unknown" else "false"
        if outcome == wanted:
            verdict = "true"
        checked = Checked(
            claim, verdict, _WHEN[moment.anchor] + evidence, moment.anchor
        )
        if outcome == wanted:
            return checked
        first.setdefault(outcome, checked)
    supposed = (not of_moves or claim.relation == "mate_in") and _is_supposed(claim)
    if ("unknown" in first or supposed) and not (
        _can_be_refuted(claim, scene)
        and all(decide(claim, m, scene).outcome == "fails" for m in scene.near())
    ):
        return first.get("unknown") or _open(claim, "the text only supposes it")
    if (
        claim.kind in ("check", "mate", "tactic")
        and 0 <= claim.span[0] - scene.astray < LINE_REACH
    ):
        return _open(claim, "it may be of a line that cannot be followed")
    told = scene.earlier() if stance.past and claim.tense != "after" else ()
    if any(
        decide(claim, moment, scene).outcome == wanted
        for moment in islice(told, LOOK_BACK)
    ):
        return _open(claim, "it was so earlier in the game")
    next_ = scene.near() if _may_be_next(claim, scene) else ()
    if any(decide(claim, moment, scene).outcome == "holds" for moment in next_):
        return _open(claim, "the next move can make it so")
    if stance.negated and len(claim.subjects) > 1:
        return _open(claim, "who is meant is not told")
    if (of_moves or claim.relation == "wins") and first.keys() == {"absent"}:
        return _open(claim, "the move it speaks of cannot be played")
    if stance.negated and against not in first:
        return _open(claim, "what it denies cannot be asked here")
    return first.get(against) or next(iter(first.values()))


def _can_be_refuted(claim: Claim, scene: Scene) -> bool:
    """Tell whether a claim is false, however it is put, if no one move makes it so.

    It is one of captures that names what or where, and is not of another time or line.
    """
    placed = any(term.square is not None for term in claim.objects)
    named = bool(claim.objects) and all(term.role != "this" for term in claim.objects)
    captures = named and claim.relation in (
        ["captures", "can_win"] + placed * ["exchanges"]
    )
    elsewhere = claim.stance.past or claim.span[0] >= scene.astray
    return captures and not (claim.stance.negated or elsewhere)


def _may_be_next(claim: Claim, scene: Scene) -> bool:
    """Tell whether what the other side is said to do now may be what its next move does."""
    named = claim.text.startswith(("White ", "Black ", "white ", "black "))
    others = {term.side for term in claim.subjects} == {not scene.move.mover}
    return (
        named and others and claim.tense != "any" and claim.kind in ("attack", "tactic")
    )


def _is_supposed(claim: Claim) -> bool:
    """Tell whether the words leave open that it is so.

    What a side can do is said outright of captures and checks, for they are legal or not;
    of a written move its own line decides, whether it was played or not.
    """
    judges = claim.kind == "evaluation" and claim.relation not in ("better", "equal")
    if judges and any(term.role == "move" for term in claim.objects):
        return False
    if (
        claim.relation == "captures"
    ):  # one that is supposed must be possible, unless it comes later
        return claim.stance.distant
    return claim.stance.supposed or (claim.stance.able and claim.kind != "structure")


def _open(claim: Claim, why: str) -> Checked:
    return Checked(claim, "not checkable", why, "none")


def disqualifier(claim: Claim) -> Disqualifier | None:
    """Return the event of the rubric's hard rule that a claim speaks of, if it does.

    The rubric (Chess Commentary Pairwise Evaluation Rubric, criterion 1) sets Faithfulness to 1
    when a comment claims without support a check, a checkmate, a capture, a promotion, a trade,
    the win of a hanging piece, or a forced tactic or specific threat. A claim that is false has
    no support.
    """
    move = claim.objects[0].move if claim.objects else None
    if claim.kind == "move" and move is not None:
        return "promotion" if move.promotion else "capture" if move.takes else None
    return relations()[claim.relation].event
