"""Claims decided on the board: true, false, or not checkable, each with its evidence.

A claim holds or not in each position that its words allow (``when``, ``line``). It is true if it
holds in one of them, and false only if it fails in all; what is arguable is left open
(:class:`~chessgloss.predicates.finding.Finding`). Of a list each member must be true.

*No*, *only*, *all* and numbers are decided alike for every predicate, by asking it of each man that
the first argument can mean (:func:`quantified`). *Can* and *cannot* are decided on the legal moves
of a side, after a pass if it is not on turn: :func:`_can`, or any predicate after ``line=*``
with ``branches=some``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Final, Literal, get_args

import chess
from chess import Color, Move, PieceType, Square, SquareSet

from chessgloss.claims import judgement, read_rules
from chessgloss.claims.judgement import Engine
from chessgloss.claims.language import (
    PIECES,
    PREDICATES,
    Claim,
    Count,
    Disqualifier,
    Kind,
    MoveSpec,
    Read,
    Reference,
    SquarePattern,
    Value,
)
from chessgloss.claims.moments import (
    Moment,
    directions,
    fits,
    moment_after,
    moment_before,
    move_words,
    played_on,
    reference_words,
)
from chessgloss.facts.openings import opening, openings
from chessgloss.facts.verdict import Analyse, Verdict
from chessgloss.positions import MoveInContext
from chessgloss.predicates import (
    attacks,
    captures,
    development,
    kings,
    lines,
    material,
    pawns,
)
from chessgloss.predicates.finding import (
    Anchor,
    Finding,
    legal_moves,
    men,
    sans,
    strongest,
    told,
    turned,
    weakest,
)
from chessgloss.predicates.words import side_name

Truth = Literal["true", "false", "not checkable"]

Cause = Literal[
    "illegal move or missing piece",
    "tactical or immediate advantage",
    "positional or long-term advantage",
    "evaluation of the move or position",
]

_MOVE, _TACTICAL, _POSITIONAL, _EVALUATION = get_args(Cause)

#: The cause of error (CCC paper, Table 2) that a false claim of each kind counts under.
CAUSES: Final[dict[Kind, Cause]] = dict.fromkeys(get_args(Kind), _TACTICAL) | {
    "move": _MOVE,
    "piece": _MOVE,
    "structure": _POSITIONAL,
    "evaluation": _EVALUATION,
}


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
        What decides it on the board or by the engine, in words.
    anchor
        The position that it was decided on.
    text
        The words that make the claim.
    """

    claim: Claim
    verdict: Truth
    evidence: str
    anchor: Anchor = "after"
    text: str = ""

    @property
    def kind(self) -> Kind:
        """What sort of claim it is."""
        return self.claim.kind

    @property
    def span(self) -> tuple[int, int]:
        """Characters of the text that make the claim, from and to."""
        return self.claim.span or (0, len(self.text))

    @property
    def holds(self) -> bool:
        """Whether it is true."""
        return self.verdict == "true"

    @property
    def cause(self) -> Cause | None:
        """The cause of error (CCC paper, Table 2) that a false claim counts under."""
        return CAUSES[self.kind] if self.verdict == "false" else None


def verify(
    text: str,
    move: MoveInContext,
    verdict: Verdict | None = None,
    *,
    read: Read = read_rules.read,
    analyse: Analyse | None = None,
) -> tuple[Checked, ...]:
    """Return every claim of a text on a move with its verdict, in the order of their spans.

    Words that were not read are claims of kind ``unread``, which are not checkable.

    Parameters
    ----------
    text
        The comment, in English.
    move
        The move it is about.
    verdict, analyse
        What decides claims of judgement; see :func:`decide`.
    read
        The reader: by rules, or a model (:func:`chessgloss.claims.read_model.reader`).
    """
    reading = read(text, move.mover, move.san)
    unread = [UNREAD.at(*span) for span in reading.unread]
    every = (*reading.claims, *unread)
    claims = sorted(every, key=lambda each: each.span or (0, 0))
    checked = decide(claims, move, verdict, analyse)
    return tuple(
        replace(each, text=text[slice(*(each.claim.span or (0, None)))])
        for each in checked
    )


def decide(
    claims: Iterable[Claim],
    move: MoveInContext,
    verdict: Verdict | None = None,
    analyse: Analyse | None = None,
) -> tuple[Checked, ...]:
    """Return claims on a move with their verdicts, in their order.

    Parameters
    ----------
    claims
        The claims.
    move
        The move under discussion.
    verdict
        What an engine says of the move.
    analyse
        Searches other positions, :data:`~chessgloss.claims.judgement.NODES` nodes each. Without
        either, what only an engine can tell is not checkable.
    """
    before = moment_before(move)
    after = moment_after(before, move.move)
    scene = Scene(before, after, Engine(move, verdict, analyse))
    return tuple(_decide(claim, scene) for claim in claims)


@dataclass(frozen=True, slots=True)
class Scene:
    """A move between its two positions, and an engine to ask."""

    before: Moment
    after: Moment
    engine: Engine

    @property
    def move(self) -> Move:
        """The move under discussion."""
        return self.engine.move.move

    @property
    def mover(self) -> Color:
        """Who made it."""
        return self.before.board.turn


#: Predicates of the move itself, which is before no position and after none.
OF_THE_MOVE: Final = frozenset({"played", "develops", "prevents"})
OF_THE_LAST_MOVE: Final = frozenset({"opens", "sacrifice", "wins"})


def agreed(first: Sequence[Checked], second: Sequence[Checked]) -> tuple[Checked, ...]:
    """Return a reading's verdicts, where accusations stand only if another reading bears them out.

    A false claim stands if the second reading of the same text has one of the same kind, or with
    the same predicate, at words that overlap; else it is not checkable.
    """
    accused = [each for each in second if each.verdict == "false"]
    return tuple(
        each
        if each.verdict != "false" or any(_is_alike(each, other) for other in accused)
        else replace(each, verdict="not checkable", evidence=_ALONE)
        for each in first
    )


_ALONE: Final = "a second reading does not bear it out"


def _is_alike(one: Checked, other: Checked) -> bool:
    (start, stop) = one.span
    overlap = start < other.span[1] and other.span[0] < stop
    same = one.claim.predicate == other.claim.predicate
    return overlap and (same or one.kind == other.kind)


_UNPLAYED: Final = Finding(False, "nothing is claimed")

#: Words that a reader did not read, as a claim.
UNREAD: Final = Claim.of("unsaid", said="not read")


def _decide(claim: Claim, scene: Scene) -> Checked:
    if claim.predicate == "unsaid":
        why = "it was not read" if claim == UNREAD else "there is no predicate for it"
        return Checked(claim, "not checkable", why)
    finding = weakest([_overall(each, scene) for each in _single(claim)]) or _UNPLAYED
    evidence = finding.evidence
    opinion = claim.modality != "asserted" and _is_matter_of_opinion(claim)
    truth: Truth = "not checkable"
    if claim.modality == "hypothetical" or (opinion and finding.verdict is False):
        evidence = f"only supposed; {evidence}"
    elif finding.verdict is not None:
        truth = "true" if finding.verdict else "false"
    return Checked(claim, truth, evidence, finding.anchor)


def _is_matter_of_opinion(claim: Claim) -> bool:
    return claim.row.engine or claim.predicate in (
        "threat",
        "hanging",
        "trapped",
        "sacrifice",
    )


def _single(claim: Claim) -> Iterator[Claim]:
    """Yield a claim for each combination of members of its lists, where each must be true."""
    together = {("fork", "target"), ("must", "move")}
    counted = claim.quantity == "only" or isinstance(claim.quantity, Count)
    choices = list[list[tuple[str, Value]]]()
    for name, value in claim.arguments:
        kept = (claim.predicate, name) in together
        kept |= counted and name == claim.row.subject
        if isinstance(value, tuple) and not kept:
            members: tuple[Any, ...] = value
            choices.append([(name, (member,)) for member in members])
        else:
            choices.append([(name, value)])
    for arguments in product(*choices):
        yield replace(claim, arguments=arguments)


def _overall(claim: Claim, scene: Scene) -> Finding:
    """Return what a claim comes to over the positions that its words allow."""
    starts = {
        "before": [scene.before],
        "after": [scene.after],
        "either": [scene.after, scene.before],
    }[claim.when]
    if claim.predicate in OF_THE_MOVE:
        starts = [scene.before]
    elif claim.predicate in OF_THE_LAST_MOVE and not claim.line:
        starts = starts[:1]
    return strongest([_of_start(claim, start, scene) for start in starts]) or _UNPLAYED


def _of_start(claim: Claim, start: Moment, scene: Scene) -> Finding:
    """Return what a claim comes to behind its line, played on from one position."""
    line = list(claim.line)
    if line and start is scene.after and not played_on(start, line[:1]):
        before = scene.before.board
        if fits(before, scene.move, line[0]):
            line = line[1:]  # the line begins with the move under discussion
    moments = played_on(start, line)
    if not moments:
        words = " ".join(map(move_words, line))
        return Finding(False, f"{words} cannot be played", anchor="line")
    some = claim.branches == "some"
    asked = replace(claim, denied=False) if some else claim
    found = [_asked(asked, each, scene) for each in moments]
    finding = found[0]
    if some:
        finding = strongest(found) or finding
        finding = finding.denied() if claim.denied else finding
    elif claim.branches == "all":
        finding = weakest(found) or finding
    elif len({each.verdict for each in found}) > 1:
        finding = Finding(None, f"it depends on the moves: {finding.evidence}")
    return finding._replace(anchor=moments[0].anchor)


def _asked(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Return whether a claim, denied or not, holds in one position."""
    handler = _HANDLERS.get(claim.predicate)
    if handler is None:
        return quantified(claim, moment)
    finding = handler(claim, moment, scene)
    none = claim.quantity == "none"
    return finding.denied() if claim.denied != none else finding


# ---------------------------------------------------------------- who, and how many


def quantified(claim: Claim, moment: Moment) -> Finding:
    """Return whether a predicate holds of as many men as a claim says, in one position."""
    name = claim.row.subject
    if name is None:
        finding = _any(claim, moment, {})
        return finding.denied() if claim.denied else finding
    references: tuple[Reference, ...] = claim.get(name) or (Reference(),)
    meant = (square for each in references for square in moment.squares(each))
    squares = list(dict.fromkeys(meant))
    found = [_any(claim, moment, {name: (square, references[0])}) for square in squares]
    none = Finding(False, f"there is no {reference_words(references[0])}")
    quantity = claim.quantity
    if isinstance(quantity, Count):
        finding = _counted(found, quantity, none)
    elif quantity == "only":
        finding = _only(claim, moment, squares, found) or none
    elif quantity == "all":
        finding = weakest(found) or none
    else:
        finding = strongest(found) or none
    if quantity == "none":
        return finding if claim.denied else finding.denied()
    if not claim.denied:
        return finding
    if quantity == "the" and claim.predicate != "stands":
        if not found:
            return none
        if len({each.holds for each in found}) > 1:
            return Finding(None, f"which is meant is not said: {finding.evidence}")
    return finding.denied()


def _counted(found: Sequence[Finding], number: Count, none: Finding) -> Finding:
    holding = [each for each in found if each.holds]
    sure = sum(not each.arguable for each in holding)
    possible = sum(bool(each.holds) or each.verdict is None for each in found)
    doubtful = any(
        (count in number) != (len(holding) in number)
        for count in range(sure, possible + 1)
    )
    first = holding[0].evidence if holding else none.evidence
    evidence = f"it holds of {len(holding)}: {first}" if holding else first
    return Finding(len(holding) in number, evidence, arguable=doubtful)


def _only(
    claim: Claim,
    moment: Moment,
    squares: Sequence[Square],
    found: Sequence[Finding],
) -> Finding | None:
    """Return whether it holds of these men, and of no other of their side."""
    finding = strongest(found)
    if finding is None or not finding.holds:
        return finding
    board = moment.board
    sides = {board.color_at(square) for square in squares}
    others = (each for each in SquareSet(board.occupied) if each not in squares)
    rest = [
        _any(claim, moment, {claim.row.subject: (each, Reference())})
        for each in others
        if board.color_at(each) in sides
    ]
    other = strongest(rest)
    if other is None or other.holds is False:
        return finding
    return Finding(
        False, other.evidence, arguable=other.arguable or other.holds is None
    )


#: A square that an argument means, and the reference that it is one of.
Meant = tuple[Square, Reference]


def _any(claim: Claim, moment: Moment, subject: Mapping[str | None, Meant]) -> Finding:
    """Return whether a predicate holds with any of the squares that its other arguments mean."""
    values = dict[str, Any]()
    choices = list[list[tuple[str, Meant]]]()
    for name, value in claim.arguments:
        if name in subject:
            continue
        if claim.row.types[name] is not PIECES:
            values[name] = value
        elif (claim.predicate, name) == ("mobility", "to"):
            squares = (s for r in claim.get(name) for s in moment.squares(r))
            values[name] = SquareSet(squares)
        else:
            (reference,) = claim.get(name)
            meant = moment.squares(reference)
            if not meant:
                return Finding(False, f"there is no {reference_words(reference)}")
            choices.append([(name, (square, reference)) for square in meant])
    start = {str(name): meant for name, meant in subject.items()}
    options = (start | dict(each) for each in product(*choices))
    sensible = [each for each in options if _is_sensible(claim, moment, each)]
    holds = _HOLDS[claim.predicate]
    found = [
        holds(moment.board, **{k: square for k, (square, _) in each.items()}, **values)
        for each in sensible
    ]
    best = strongest(found)
    if best is None:
        return Finding(False, "the pieces that are meant are of the wrong side")
    for square, reference in subject.values():
        moved = reference.role == "moved" or square in _last_squares(moment)
        if best.holds is False and moved and _is_by_discovery(claim, moment):
            return best._replace(arguable=True)
    return best


def _is_sensible(claim: Claim, moment: Moment, squares: Mapping[str, Meant]) -> bool:
    """Return whether men are distinct, and of the sides that they attack and defend."""
    used = {square for square, _ in squares.values()}
    if len(used) < len(squares):
        return False
    friends = _FRIENDS.get(claim.predicate)
    men = [squares[name] for name in ("piece", "target", "by") if name in squares]
    if friends is None or len(men) < 2:
        return True
    colours = [moment.board.color_at(square) for square, _ in men]
    bare = None in colours or any(each.role == "square" for _, each in men)
    return bare or (colours[0] == colours[1]) == friends


#: Whether the two men of a predicate are friends, or enemies.
_FRIENDS: Final = {
    "attacks": False,
    "attacked": False,
    "defends": True,
    "defended": True,
}


def _last_squares(moment: Moment) -> list[Square]:
    """Return where the piece stands that a line has moved last; nothing without a line."""
    if moment.anchor != "line":
        return []
    return moment.squares(Reference("last"))


def _is_by_discovery(claim: Claim, moment: Moment) -> bool:
    """Return whether the last move lets another piece attack the target."""
    if claim.predicate not in ("attacks", "fork"):
        return False
    references: tuple[Reference, ...] = claim.get("target") or ()
    targets = (square for each in references for square in moment.squares(each))
    return any(lines.opens(moment.board, target=each).holds for each in targets)


#: What decides predicates of men, squares and sides: the function of the predicate's name.
_HOLDS: Final[Mapping[str, Callable[..., Finding]]] = {
    name: getattr(module, name)
    for module in (development, material, captures, pawns, kings, lines, attacks)
    for name in PREDICATES
    if hasattr(module, name)
}


# ---------------------------------------------------------------- predicates of moves


def _side(claim: Claim, default: Color) -> Color:
    """Return the side of a claim; a default where none is said."""
    side: Color | None = claim.get("side")
    return default if side is None else side


def _spec(claim: Claim) -> MoveSpec:
    """Return what a claim says of a move: nothing, if it has none."""
    first: MoveSpec = (claim.get("move") or (MoveSpec(),))[0]
    return first


def _played(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    spec = _spec(claim)
    board = scene.before.board
    by = claim.get("side") in (None, scene.mover)
    yes = by and fits(board, scene.move, spec)
    san = board.san(scene.move)
    fits_word = "is" if yes else "is no"
    return Finding(yes, f"the move played, {san}, {fits_word} {move_words(spec)}")


def _can(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Decide what a side can play; where none is named, of the side that it is true of."""
    turn = moment.board.turn
    named = claim.get("side")
    sides = [turn, not turn] if named is None else [named]
    if named is None and (owners := _owners_of_taken(claim, moment)):
        sides = [not owner for owner in owners]
    findings = [_can_play(claim, moment, scene, side) for side in sides]
    wanted = not claim.denied
    return next((each for each in findings if each.verdict is wanted), findings[0])


def _owners_of_taken(claim: Claim, moment: Moment) -> set[Color]:
    """Return whose the men are that a claim says can be taken on a square; empty if none is."""
    spec = _spec(claim)
    kinds = spec.captures
    if not isinstance(kinds, frozenset) or not isinstance(spec.target, SquarePattern):
        return set()
    there = moment.squares(Reference(kinds=kinds, place=spec.target))
    return {bool(moment.board.color_at(each)) for each in there}


def _can_play(claim: Claim, moment: Moment, scene: Scene, side: Color) -> Finding:
    spec = _spec(claim)
    moves = moment.moves(spec, side)
    number = claim.get("number")
    board = turned(moment.board, side)
    if claim.denied and spec.direction:  # a step aside is no retreat that is denied
        moves = [each for each in moves if len(directions(board, each)) == 1]
    shown = sans(board, moves)
    evidence = f"{side_name(side)} can play {shown}"
    if not moves:
        evidence = f"{side_name(side)} has no legal {move_words(spec)}"
    if claim.quantity == "only":
        return Finding(len(moves) == len(legal_moves(board)) > 0, evidence)
    if number is not None:
        return Finding(len(moves) in number, evidence)
    if not moves:
        later = bool(spec.mate and claim.line) and scene.engine.mates(board)
        return Finding(False, evidence, arguable=later)
    # what is mated at once cannot be played, people say
    mated = map(partial(scene.engine.is_mated, board), moves)
    fatal = claim.denied and all(mated)
    return Finding(True, evidence, arguable=fatal)


def _must(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    board = moment.board
    specs: tuple[MoveSpec, ...] = claim.get("move")
    if claim.get("side") not in (None, board.turn):
        return Finding(None, f"{side_name(not board.turn)} is not on turn")
    every = legal_moves(board)
    fitting = [m for m in every if any(fits(board, m, spec) for spec in specs)]
    if not fitting:
        words = " or ".join(map(move_words, specs))
        return Finding(False, f"{side_name(board.turn)} has no legal {words}")
    others = [move for move in every if move not in fitting]
    if not others:
        return Finding(True, f"{sans(board, every)} is all that is legal")
    evidence = f"{side_name(board.turn)} can also play {sans(board, others)}"
    loss = judgement.loss_of_others(scene.engine, board, fitting)
    if loss is None:
        return Finding(False if board.is_check() else None, evidence)
    sure, arguable = judgement.ONLY
    if board.is_check():  # there forced means most often that nothing else is legal
        return Finding(False, evidence, arguable=loss >= sure)
    return Finding(loss >= sure, evidence, arguable=loss >= arguable)


def _prevents(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    spec = _spec(claim)
    side = _side(claim, not scene.mover)
    earlier = scene.before.moves(spec, side)
    later = scene.after.moves(spec, side)
    words = f"{side_name(side)}'s {move_words(spec)}"
    if not later:
        kinds = spec.kinds or frozenset(range(1, 7))
        masks = (scene.after.board.pieces_mask(kind, side) for kind in kinds)
        evidence = f"{words} is not possible after the move"
        if not any(masks):
            return Finding(False, f"{side_name(side)} has no piece for {words}")
        return Finding(True, evidence, arguable=not earlier)
    board = turned(scene.after.board, side)
    evidence = f"{words} is still possible: {sans(board, later)}"
    if spec.castles or spec.check or spec.mate:
        return Finding(False, evidence)
    sure, arguable = judgement.BAD["bad"]
    harms = [scene.engine.harm(board, move) for move in later]
    if all(harm is not None and harm >= sure for harm in harms):
        return Finding(True, f"{words} would lose something")
    harmless = any(harm is not None and harm < arguable for harm in harms)
    return Finding(False if harmless else None, evidence)


def _develops(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    (reference,) = claim.get("piece")
    board, move = scene.before.board, scene.move
    meant = scene.after.squares(reference) + scene.before.squares(reference)
    ends = {move.from_square, move.to_square} | set(scene.after.moved)
    if not ends & set(meant):
        return Finding(False, f"the move played is {board.san(move)}")
    home = development.undeveloped(board, move.from_square)
    pawn = board.piece_type_at(move.from_square) in (chess.PAWN, chess.KING)
    return Finding(bool(home.holds), home.evidence, arguable=pawn)


def _threat(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    side = _side(claim, not moment.board.turn)
    specs = claim.get("move")
    moves = None if specs is None else moment.moves(specs[0], side)
    finding = captures.threat(moment.board, side, moves)
    if moves == [] and moment.board.turn == side and moment.board.is_check():
        return finding._replace(arguable=True)  # once the check is answered
    if finding.verdict is None and moves and moment.board.turn != side:
        return scene.engine.threatens(moment.board, moves) or finding
    return finding


def _trade(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    first: Reference = (claim.get("piece") or (Reference(),))[0]
    second: Reference = (claim.get("other") or (first,))[0]
    kinds = tuple(_kinds(each, moment, scene) for each in (first, second))
    return captures.trade(moment.board, (kinds[0], kinds[1]), claim.get("side"))


def _kinds(reference: Reference, moment: Moment, scene: Scene) -> frozenset[PieceType]:
    """Return the kinds that a reference can mean, of men that may be gone by now."""
    if reference.role == "piece":
        return reference.kinds
    squares = moment.squares(reference)
    found = [moment.board.piece_type_at(square) for square in squares]
    moved = scene.before.board.piece_type_at(scene.move.from_square)
    return frozenset(kind for kind in (*found, moved) if kind)


def _more(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    counts = [
        len({s for r in claim.get(name) for s in moment.squares(r)})
        for name in ("piece", "than")
    ]
    words = [reference_words(claim.get(name)[0]) for name in ("piece", "than")]
    number = claim.get("number")
    more = counts[0] - counts[1]
    evidence = f"{words[0]}: {counts[0]}, {words[1]}: {counts[1]}"
    return Finding(more in number if number is not None else more > 0, evidence)


def _fork(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    (reference,) = claim.get("piece")
    board = moment.board
    named: tuple[Reference, ...] = claim.get("target") or ()
    targets = [moment.squares(each) for each in named]
    wanted = claim.get("number") or Count(2, ">=")
    found = list[Finding]()
    for square in moment.squares(reference):
        enemies = board.occupied_co[not board.color_at(square)]
        hit = SquareSet(board.attacks_mask(square) & enemies)
        evidence = told(board, f"{{}} attacks {men(board, hit)}", square)
        all_hit = all(not hit.isdisjoint(each) for each in targets)
        pieces = len(hit - SquareSet(board.pawns))
        holds = (all_hit and len(hit) > 1) if targets else pieces in wanted
        arguable = not targets and len(hit) in wanted
        found.append(Finding(holds, evidence, arguable))
    if not found:
        return Finding(False, f"there is no {reference_words(reference)}")
    finding = strongest(found) or found[0]
    discovered = reference.role == "moved" and _is_by_discovery(claim, moment)
    # ``White forks king and rook``
    together = bool(targets) and reference == Reference(side=reference.side)
    for meant in targets:
        hits = (board.attackers(not board.color_at(each), each) for each in meant)
        together = together and any(hits)
    return finding._replace(arguable=finding.arguable or discovered or together)


# ---------------------------------------------------------------- predicates of judgement


def _opening(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Return whether the opening has a name; another name is arguable while it can be reached."""
    wanted = _letters(claim.get("name"))
    move = scene.engine.move
    reached = (opening(move.after()), opening(move.position))
    known = [each for each in reached if each]
    if not known:
        return Finding(None, "the opening is not known by name")
    evidence = f"the opening is called {known[0].name}"
    if any(wanted in _letters(each.name) for each in known):
        return Finding(True, evidence)
    others = openings().values()
    named = any(wanted in _letters(each.name) for each in others)
    return Finding(False, evidence, arguable=not named)


def _letters(name: str) -> str:
    plain = name.lower().replace("defense", "defence")
    for word in ("the ", " defence", " opening", " game", " attack", " system"):
        plain = plain.replace(word, "")
    return "".join(letter for letter in plain if letter.isalnum())


def _evaluation(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    values = dict(claim.arguments)
    return judgement.evaluation(scene.engine, moment.board, **values)  # type: ignore[arg-type]


def _quality(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    specs = claim.get("move")
    if specs is None:
        start, moves = scene.before, [scene.move]
        if claim.line:
            return Finding(None, "the quality of moves of a line is not judged")
    else:
        start = scene.before if claim.when != "after" else moment
        side = claim.get("side")
        start = start.on_turn(side)
        moves = start.moves(specs[0])
        if not moves and claim.when == "either":
            start = scene.after.on_turn(side)
            moves = start.moves(specs[0])
    return judgement.quality(scene.engine, start.board, moves, claim.get("grade"))


def _better(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    start = scene.before if claim.when == "either" and not claim.line else moment
    others = [scene.move] if start is scene.before else []
    if (over := claim.get("over")) is not None:
        others = start.moves(over[0])
    (said, *_) = claim.get("move")
    moves = start.moves(said)
    if not moves and start.moves(said, not start.board.turn):
        return Finding(None, "that side is not on turn")
    return judgement.better(scene.engine, start.board, moves, others)


def _wins(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    boards = (scene.before.board, moment.board)
    values = (claim.get("amount"), claim.get("number"))
    side = _side(claim, scene.mover)
    return judgement.wins(scene.engine, *boards, side, *values)


def _mate_in(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    side: Color = claim.get("side")
    start = moment.on_turn(side)
    specs = claim.get("move")
    moves = None if specs is None else start.moves(specs[0])
    boards = (start.board, moment.board)
    return judgement.mate_in(scene.engine, *boards, moves, claim.get("number"))


def _perpetual(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    return judgement.perpetual(scene.engine, moment.board, claim.get("side"))


_HANDLERS: Final[Mapping[str, Callable[[Claim, Moment, Scene], Finding]]] = {
    "played": _played,
    "can": _can,
    "must": _must,
    "prevents": _prevents,
    "develops": _develops,
    "threat": _threat,
    "trade": _trade,
    "more": _more,
    "fork": _fork,
    "opening": _opening,
    "evaluation": _evaluation,
    "quality": _quality,
    "better": _better,
    "wins": _wins,
    "mate_in": _mate_in,
    "perpetual": _perpetual,
}


# ---------------------------------------------------------------- the rubric's hard rule


def disqualifier(claim: Claim) -> Disqualifier | None:
    """Return the event of the rubric's hard rule that a claim speaks of, if it does.

    The rubric (Chess Commentary Pairwise Evaluation Rubric, criterion 1) sets Faithfulness to 1
    when a comment claims without support a check, a checkmate, a capture, a promotion, a trade,
    the win of a hanging piece, or a forced tactic or specific threat. A claim that is false has
    no support.
    """
    if claim.predicate not in ("played", "can"):
        return claim.row.event
    specs: tuple[MoveSpec, ...] = claim.get("move") or ()
    for event, said in _EVENTS.items():
        if any(getattr(spec, said) for spec in specs):
            return event
    return None


#: What a move does, by the field of its description that says so.
_EVENTS: Final[Mapping[Disqualifier, str]] = {
    "checkmate": "mate",
    "promotion": "promotes",
    "check": "check",
    "capture": "captures",
}
