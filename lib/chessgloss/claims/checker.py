"""Each claim of a text held against the board and, where one is given, an engine's verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from chessgloss.claims.clauses import read_whole
from chessgloss.claims.lexicon import tokenise
from chessgloss.claims.looks.finding import Outcome, Truth
from chessgloss.claims.looks.moves import check_move, impossible
from chessgloss.claims.parser import Claim, Term, chunk, sentences
from chessgloss.claims.relations import (
    CAUSES,
    Cause,
    Disqualifier,
    read_claims,
    read_elided,
    relations,
)
from chessgloss.claims.scene import (
    LOOK_BACK,
    PLURAL,
    Anchor,
    Moment,
    Scene,
    set_scene,
)
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
        ``true``, ``false``, or ``not checkable``; ``named`` for what is only named, and there.
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
    def holds(self) -> bool:
        """Whether it is true, or only named and there."""
        return self.verdict in ("true", "named")

    @property
    def cause(self) -> Cause | None:
        """The cause of error (CCC paper, Table 2) that a false claim counts under."""
        if self.verdict != "false" or self.claim.kind == "unread":
            return None
        return CAUSES[self.claim.kind]


# ---------------------------------------------------------------- what a text claims


def extract(
    text: str, *, presupposed: bool = False, unread: bool = False
) -> tuple[Claim, ...]:
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
    unread
        Also the clauses whose verb is not understood, as claims of kind ``unread``.
    """
    parsed = sentences(text, chunk(text, tokenise(text)))
    claims = list[Claim]()
    for sentence in parsed:
        said = [*read_claims(sentence, presupposed)]
        said += read_elided(sentence, said)
        claims += read_whole(sentence, said) if unread else said
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
            kept.setdefault((*key, claim.detail), claim)
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

    What a text only names, and what is there, is ``named``. A clause whose verb is not understood
    is a claim of kind ``unread``, which is not checkable.

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
    claims = extract(text, presupposed=presupposed, unread=True)
    scene = scene_of(claims, move, verdict, reply)
    return tuple(decide_claim(claim, scene) for claim in claims)


def scene_of(
    claims: Iterable[Claim],
    move: MoveInContext,
    verdict: Verdict | None = None,
    reply: str | None = None,
) -> Scene:
    """Return the moments of a text about a move that makes these claims (see :func:`verify`)."""
    moves = [
        term
        for claim in claims
        if claim.relation in ("legal", "played", "impossible")
        for term in claim.objects
    ]
    return set_scene(
        move, moves, verdict, reply or (verdict.reply if verdict else None)
    )


def decide_claim(claim: Claim, scene: Scene) -> Checked:
    """Return the verdict on a claim from every moment that its words allow.

    A claim is false only if it fails in all of them; a denied one only if what it denies
    holds in all of them where it can be asked. Even then one of the :data:`EXCUSES` can leave it
    open. What is asked is never false.
    """
    if claim.kind == "unread":
        return _open(claim, "the verb is not understood")
    checked = _decide(claim, scene)
    if claim.named and checked.verdict == "true":
        return replace(checked, verdict="named")
    return checked


def _decide(claim: Claim, scene: Scene) -> Checked:
    decide = relations()[claim.relation].decide
    if claim.stance.asked and decide is not impossible:
        return _open(claim, "the text asks it, it does not say it")
    if claim.stance.unclear:
        return _open(claim, "a word that bears on it is not understood")
    if decide in (check_move, impossible):
        return Checked(claim, *decide(claim, scene))
    case = look_at_all(claim, scene)
    if case.borne_out is not None:
        return case.borne_out
    for excuse in EXCUSES:
        if excuse.applies(case):
            untold = case.first.get("unknown") if excuse.why is None else None
            return untold or _open(claim, excuse.why or "")
    return case.first.get(case.against) or next(iter(case.first.values()))


@dataclass(frozen=True, slots=True)
class Case:
    """A claim, and what came of looking at the moments that its words allow.

    Parameters
    ----------
    claim, scene
        The claim, and the moments of its text.
    first
        The first answer of each outcome, in the order of the moments.
    borne_out
        The answer of the first moment that bears the claim out, if one does; no later moment is
        looked at.
    """

    claim: Claim
    scene: Scene
    first: Mapping[Outcome, Checked]
    borne_out: Checked | None = None

    @property
    def wanted(self) -> Outcome:
        """The outcome of a look that makes the claim true."""
        return "fails" if self.claim.stance.negated else "holds"

    @property
    def against(self) -> Outcome:
        """The outcome of a look that speaks against the claim."""
        return "holds" if self.claim.stance.negated else "fails"

    def outcomes(self, moments: Iterable[Moment]) -> Iterator[Outcome]:
        """Yield what looks at other moments come to."""
        decide = relations()[self.claim.relation].decide
        for moment in moments:
            yield decide(self.claim, moment, self.scene).outcome


def look_at_all(claim: Claim, scene: Scene) -> Case:
    """Look at the moments that the words of a claim allow, until one bears it out."""
    decide = relations()[claim.relation].decide
    first: dict[Outcome, Checked] = {}
    case = Case(claim, scene, first)
    of_moves = _is_of_moves(claim)
    after_pass: Checked | None = None
    for moment in scene.allowed(claim):
        finding = decide(claim, moment, scene)
        outcome = finding.outcome
        evidence = finding.evidence
        if outcome == case.wanted and (
            _is_of_another_time(claim, moment)
            or _is_of_another_piece(claim, moment, scene)
        ):
            outcome = "absent" if _is_gone(claim, moment, scene) else "unknown"
        if moment.skipped and outcome == "fails" and of_moves:
            evidence = f"{_WHEN[moment.anchor]}{evidence}, but moves may lie between"
            after_pass = Checked(claim, "not checkable", evidence, moment.anchor)
            continue
        verdict: Truth = "not checkable" if outcome == "unknown" else "false"
        if outcome == case.wanted:
            verdict = "true"
        evidence = _WHEN[moment.anchor] + evidence
        checked = Checked(claim, verdict, evidence, moment.anchor)
        if outcome == case.wanted:
            return replace(case, borne_out=checked)
        first.setdefault(outcome, checked)
    failed = first.get("fails")
    starts = {each.start for each in scene.moments if each.anchor == "line"}
    at_once = failed is not None and failed.anchor == "line" and len(starts) == 1
    if after_pass and not at_once:
        first.setdefault("unknown", after_pass)
    return case


def _is_of_another_time(claim: Claim, moment: Moment) -> bool:
    """Tell whether a state is said of now and looked at before the move, or the other way.

    That it holds there does not make the claim true; that it does not speaks against it.
    """
    lasts = relations()[claim.relation].state
    # that something cannot be taken lasts too
    barred = claim.relation == "captures" and claim.stance.negated
    if claim.named or not (lasts or barred):
        return False
    past = claim.tense == "past"
    if moment.anchor == "reply":
        return claim.kind in ("material", "structure") and claim.tense != "later"
    if moment.anchor == "before":
        return not past and claim.tense != "before"
    return past and moment.anchor == "after"


def _is_gone(claim: Claim, moment: Moment, scene: Scene) -> bool:
    """Tell whether it was so before the move of another piece, which stood where one stands now."""
    if moment.anchor != "before" or claim.kind not in ("attack", "tactic"):
        return False
    end = scene.after.board
    named = [
        term for term in (*claim.objects, *claim.subjects) if term.square is not None
    ]
    there = all(term.squares(end) for term in named)
    others = (
        moment.board.piece_at(square) != end.piece_at(square)
        for term in named
        for square in term.squares(end)
    )
    return there and any(others)


def _is_of_another_piece(claim: Claim, moment: Moment, scene: Scene) -> bool:
    """Tell whether a claim fails of the piece that has moved, which its words may mean.

    ``The bishop is defended`` behind a bishop's move is of that bishop.
    """
    if claim.named or moment.last is None or moment.anchor == "line":
        return False
    square = moment.last[1].to_square
    piece = moment.board.piece_at(square)

    def placed(term: Term) -> Term:
        alone = term.role == "piece" and term.square is None and term.file is None
        plain = alone and term.definite and not (term.every or PLURAL.search(term.text))
        meant = plain and len(term.pieces) == 1 and term.matches(square, piece)
        return replace(term, square=square) if meant else term

    objects = tuple(map(placed, claim.objects))
    subjects = tuple(map(placed, claim.subjects))
    by_move = claim.kind in ("attack", "tactic") and claim.relation != "controls"
    if by_move and any(term.role == "this" for term in subjects):
        # ``White castles and hits the pawn`` is of what has moved
        subjects = tuple(term for term in subjects if term.role != "side")
    if (objects, subjects) == (claim.objects, claim.subjects):
        return not claim.subjects and _is_of_one_of_several(claim, moment, scene)
    moved = replace(claim, objects=objects, subjects=subjects)
    finding = relations()[claim.relation].decide(moved, moment, scene)
    return finding.outcome != ("fails" if claim.stance.negated else "holds")


def _is_of_one_of_several(claim: Claim, moment: Moment, scene: Scene) -> bool:
    """Tell whether what is said of ``the pawn`` is so of one, and not of another."""
    if claim.kind != "attack" or len(claim.objects) != 1:
        return False
    (term,) = claim.objects
    alone = term.role == "piece" and term.square is None and term.definite
    if not alone or term.every or PLURAL.search(term.text):
        return False
    decide = relations()[claim.relation].decide
    wanted = "fails" if claim.stance.negated else "holds"
    each = (replace(term, square=square) for square in term.squares(moment.board))
    claims = (replace(claim, objects=(one,)) for one in each)
    return any(decide(one, moment, scene).outcome != wanted for one in claims)


def _is_of_moves(claim: Claim) -> bool:
    return bool(claim.subjects) and all(term.role == "move" for term in claim.subjects)


def _open(claim: Claim, why: str) -> Checked:
    return Checked(claim, "not checkable", why, "none")


# ---------------------------------------------------------------- why it may not be false


@dataclass(frozen=True, slots=True)
class Excuse:
    """A reason not to call a claim false that no moment bears out.

    Parameters
    ----------
    name
        What it is, in a word or two.
    applies
        Tells whether it is so.
    why
        The evidence; ``None`` for that of the look that could not tell.
    """

    name: str
    applies: Callable[[Case], bool]
    why: str | None


def _is_undecided(case: Case) -> bool:
    """Tell whether the board cannot tell in some moment, and the claim is not refuted."""
    return "unknown" in case.first and not _is_refuted(case)


def _is_only_supposed(case: Case) -> bool:
    """Tell whether the words only suppose it (``if``, ``would``), and it is not refuted.

    Of a written move its own line decides, whether it was played or not.
    """
    claim = case.claim
    its_line = _is_of_moves(claim) and claim.relation != "mate_in"
    return not its_line and _is_supposed(claim) and not _is_refuted(case)


def _is_refuted(case: Case) -> bool:
    """Tell whether a capture is false, however it is put, as no one move makes it so.

    It must name what or where, and not be of another time or line.
    """
    claim = case.claim
    if claim.stance.negated or claim.stance.past:
        return False
    if claim.span[0] >= case.scene.broken_at or claim.relation not in _CAPTURES:
        return False
    named = bool(claim.objects) and all(term.role != "this" for term in claim.objects)
    placed = any(term.square is not None for term in claim.objects)
    if not named or (claim.relation == "exchanges" and not placed):
        return False
    return all(each == "fails" for each in case.outcomes(case.scene.near()))


_CAPTURES = ("captures", "can_win", "exchanges")


def _is_supposed(claim: Claim) -> bool:
    """Tell whether the words leave open that it is so.

    What a side can do is said outright of captures and checks, for they are legal or not.
    """
    judges = claim.kind == "evaluation" and claim.relation not in ("better", "equal")
    if judges and any(term.role == "move" for term in claim.objects):
        return False
    if claim.relation == "captures":
        # one that is supposed must be possible, unless it comes later
        return claim.stance.distant
    return claim.stance.supposed or (claim.stance.able and claim.kind != "structure")


def _may_be_of_a_lost_line(case: Case) -> bool:
    """Tell whether it stands right behind a move that cannot be played."""
    behind = case.claim.span[0] - case.scene.broken_at
    of_a_line = case.claim.kind in ("check", "mate", "tactic")
    return of_a_line and 0 <= behind < LINE_REACH


def _was_so_earlier(case: Case) -> bool:
    """Tell whether what is told in the past was so some plies before."""
    if not case.claim.stance.past or case.claim.tense == "after":
        return False
    earlier = islice(case.scene.earlier(), LOOK_BACK)
    return any(each == case.wanted for each in case.outcomes(earlier))


def _may_come_next(case: Case) -> bool:
    """Tell whether what the other side is said to do now is what its next move can do."""
    claim = case.claim
    named = claim.text.startswith(("White ", "Black ", "white ", "black "))
    others = {term.side for term in claim.subjects} == {not case.scene.move.mover}
    if claim.kind not in ("attack", "tactic") or claim.tense == "any":
        return False
    if not (named and others):
        return False
    return any(each == "holds" for each in case.outcomes(case.scene.near()))


def _denies_of_several(case: Case) -> bool:
    """Tell whether something is denied of one of several pieces, but not of which."""
    claim = case.claim
    of_each = " nor " in claim.text.lower()
    return claim.stance.negated and len(claim.subjects) > 1 and not of_each


def _denies_of_it(case: Case) -> bool:
    """Tell whether something is denied of a pronoun that may stand for several pieces."""
    claim = case.claim
    named = any(term.square is not None for term in claim.subjects)
    if named or not claim.stance.negated or len(claim.objects) != 1:
        return False
    (term,) = claim.objects
    pieces = [each for each in term.options if each.role == "piece"]
    if len(pieces) == 1 and pieces[0].square is not None:
        return False
    board = case.scene.after.board
    decide = relations()[claim.relation].decide
    for piece in pieces:
        for square in piece.squares(board):
            alone = replace(claim, objects=(replace(piece, square=square),))
            if decide(alone, case.scene.after, case.scene).outcome != case.against:
                return True
    return False


def _speaks_of_no_move(case: Case) -> bool:
    """Tell whether it is said of a move that never comes to be played."""
    of_move = _is_of_moves(case.claim) or case.claim.relation == "wins"
    return of_move and case.first.keys() == {"absent"}


def _denies_what_is_not_there(case: Case) -> bool:
    """Tell whether something is denied of what is not on the board in any moment."""
    return case.claim.stance.negated and case.against not in case.first


#: Why a claim is left open though no moment bears it out: the first that applies counts.
EXCUSES: Final = (
    Excuse("undecided", _is_undecided, None),
    Excuse("supposed", _is_only_supposed, "the text only supposes it"),
    Excuse(
        "lost line",
        _may_be_of_a_lost_line,
        "it may be of a line that cannot be followed",
    ),
    Excuse("earlier", _was_so_earlier, "it was so earlier in the game"),
    Excuse("next", _may_come_next, "the next move can make it so"),
    Excuse("several", _denies_of_several, "who is meant is not told"),
    Excuse("of it", _denies_of_it, "what is meant is not told"),
    Excuse("no move", _speaks_of_no_move, "the move it speaks of cannot be played"),
    Excuse(
        "not there",
        _denies_what_is_not_there,
        "what it denies cannot be asked here",
    ),
)


# ---------------------------------------------------------------- the rubric's hard rule


def disqualifier(claim: Claim) -> Disqualifier | None:
    """Return the event of the rubric's hard rule that a claim speaks of, if it does.

    The rubric (Chess Commentary Pairwise Evaluation Rubric, criterion 1) sets Faithfulness to 1
    when a comment claims without support a check, a checkmate, a capture, a promotion, a trade,
    the win of a hanging piece, or a forced tactic or specific threat. A claim that is false has
    no support. A clause that is not understood (of kind ``unread``) speaks of no event.
    """
    if claim.kind == "unread":
        return None
    move = claim.objects[0].move if claim.objects else None
    if claim.kind == "move" and move is not None:
        return "promotion" if move.promotion else "capture" if move.takes else None
    return relations()[claim.relation].event
