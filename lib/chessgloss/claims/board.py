"""How the board decides a claim: the moments that a text may speak of, and a look at each.

A moment is a position: before the move, after it, after the expected reply, or in a line that
the text itself starts. A text starts lines of its own: each written move that can be played in
a moment opens a new one, which holds for what is said from there on. Every relation has a
function that looks at one moment and says whether what is claimed holds there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, product
from math import inf
from operator import gt
from typing import Final, Literal

import chess

from chessgloss.claims.lexicon import Notation, noun_pieces, number, words
from chessgloss.claims.parser import Claim, Term
from chessgloss.facts import board as facts
from chessgloss.facts import tactics
from chessgloss.facts.fact import noun_at, side_name
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext

Truth = Literal["true", "false", "not checkable"]

#: Where a claim was held against the board: before the move, after it, after the expected
#: reply, in a line that the text itself starts, or nowhere.
Anchor = Literal["before", "after", "reply", "line", "none"]

#: It holds; it does not; what it speaks of is not there; the board cannot tell.
Outcome = Literal["holds", "fails", "absent", "unknown"]

#: Newest lines in which a written move is looked for, and most ways to play it that open a line.
NEWEST_LINES: Final = 8
MOST_WAYS: Final = 4

#: Plies before the move in which what is told in the past tense may have been so.
LOOK_BACK: Final = 12

#: First captures tried where a recapture is spoken of and no capture was made.
MOST_CAPTURES: Final = 40

#: Mates up to this length are taken as seen by any engine that gives a verdict.
SURE_MATE: Final = 3

#: Thresholds on an engine's verdict, in centipawns; those of *better*, *winning*, *equal*, *good*
#: and *bad* stand with their words. The *best* move loses at most 10; an *only* move is the only
#: legal one or beats the second by 75. A claim that misses its bound by less than the share
#: :data:`TOLERANCE` of it is not called false.
BEST_LOSS: Final = 10
ONLY_MOVE_LEAD: Final = 75
TOLERANCE: Final = 0.3

_Event = tuple[chess.Board, chess.Move]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a look at one moment gives, with the board fact that decides it."""

    outcome: Outcome
    evidence: str


#: The findings by outcome, each of its evidence.
holds = partial(Finding, "holds")
fails = partial(Finding, "fails")
absent = partial(Finding, "absent")
unknown = partial(Finding, "unknown")


def truth(value: bool, evidence: str, *, certain: bool = True) -> Finding:
    """Return the finding that a claim holds or fails; it may also fail to be certain."""
    return (
        holds(evidence) if value else fails(evidence) if certain else unknown(evidence)
    )


NO_ENGINE: Final = unknown("no engine's verdict is given")
NO_MOVE: Final = absent("no move led here")
ANOTHER_MOVE: Final = absent("another move is spoken of")


# ---------------------------------------------------------------- moments


@dataclass(frozen=True, slots=True)
class Moment:
    """A position, and the move that led to it where that is known.

    Parameters
    ----------
    anchor
        Which moment it is.
    board
        The position; not to be changed.
    last
        The move that led to it, with the position before.
    start
        Where in the text the moment begins to count.
    skipped
        A side has passed on the way, so that moves the text leaves out may lie between.
    """

    anchor: Anchor
    board: chess.Board
    last: _Event | None = None
    start: int = 0
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """All moments of a text about a move.

    Parameters
    ----------
    move
        The move, its board before it and after it.
    moments
        Before, after, after the expected reply if given, then the lines in the text's order.
    verdict
        What an engine says of the move, if it was asked.
    adrift
        Where in the text moves stand that go on with a line which cannot be followed.
    astray
        Where in the text a move ends that cannot be played: what is said behind it of moves,
        checks and tactics may be of its line.
    """

    move: MoveInContext
    moments: tuple[Moment, ...]
    verdict: Verdict | None = None
    adrift: frozenset[int] = frozenset()
    astray: float = inf

    @property
    def before(self) -> Moment:
        """The position before the move."""
        return self.moments[0]

    @property
    def after(self) -> Moment:
        """The position after the move."""
        return self.moments[1]

    def earlier(self) -> Iterator[Moment]:
        """Yield the positions of the game before the move, newest first."""
        board = self.move.position.board()
        while board.move_stack:
            there = board.copy(stack=False)
            last = board.pop()
            yield Moment("line", there, (board.copy(stack=False), last))
        yield Moment("line", board)

    def near(self) -> Iterator[Moment]:
        """Yield the positions that the text may speak of, and what any one move makes of them."""
        yield from islice(self.earlier(), NEWEST_LINES)
        for moment in (*self.moments[:2], *self.moments[2:][-2:]):
            yield replace(moment, anchor="line")
            for board in _both_turns(moment.board):
                for move in board.legal_moves:
                    yield Moment("line", facts.after_move(board, move), (board, move))

    def allowed(self, claim: Claim) -> tuple[Moment, ...]:
        """Return the moments that the words of a claim allow, latest line first."""
        last = max(claim.span[1], *(term.span[1] for term in claim.subjects), 0)
        lines = lines_until(self.moments, last + 1)[: 3 * NEWEST_LINES]
        if claim.tense == "before":
            return (self.before, *lines)
        opponent = {term.side for term in claim.subjects} == {not self.move.mover}
        answers = claim.tense == "later" or (opponent and not claim.stance.negated)
        reply = [m for m in self.moments if m.anchor == "reply" and answers]
        return (
            self.after,
            *lines,
            *reply,
            *([] if claim.tense == "after" else [self.before]),
        )


def set_scene(
    move: MoveInContext,
    terms: Iterable[Term],
    verdict: Verdict | None = None,
    reply: str | None = None,
) -> Scene:
    """Return the moments of a text about a move that names the ``terms``.

    Parameters
    ----------
    move
        The move commented on.
    terms
        The moves that the text writes, in its order.
    verdict
        What an engine says of the move, if it was asked.
    reply
        The expected reply in UCI notation, if known.

    Raises
    ------
    ValueError
        If the reply is not legal after the move.
    """
    before = chess.Board(move.position.fen)
    after = facts.after_move(before, move.move)
    moments = [Moment("before", before), Moment("after", after, (before, move.move))]
    if reply is not None:
        answer = chess.Move.from_uci(reply)
        if answer not in after.legal_moves:
            raise ValueError(f"the reply {reply!r} is not legal in {after.fen()!r}")
        moments.append(
            Moment("reply", facts.after_move(after, answer), (after, answer))
        )
    skipped = {id(moment.board): False for moment in moments}
    adrift = set[int]()
    lost = False
    astray = inf
    for term in terms:
        if term.continues and lost:
            adrift.add(term.span[0])
        ways = ways_to_play(moments, term)
        lost = all(skipped.get(id(board), True) for board, _ in ways) or (
            term.continues and lost
        )
        astray = astray if ways else min(astray, term.span[1])
        played = [board is before and chosen == move.move for board, chosen in ways]
        opened = ways[: played.index(True)] if any(played) else ways
        for board, chosen in reversed(opened):  # the likeliest is to be the newest
            line = facts.after_move(board, chosen)
            skipped[id(line)] = skipped.get(id(board), True)
            last = (board, chosen)
            moments.append(Moment("line", line, last, term.span[0], skipped[id(line)]))
    return Scene(move, tuple(moments), verdict, frozenset(adrift), astray)


def lines_until(moments: Sequence[Moment], stop: int) -> Sequence[Moment]:
    """Return the lines that begin before a place in the text, newest first."""
    end = bisect_left(moments, stop, key=lambda moment: moment.start)
    first = next((k for k in range(min(end, 4)) if moments[k].anchor == "line"), end)
    return moments[first:end][::-1]


def _castling(claim: Claim) -> tuple[Sequence[chess.Color], str]:
    """Return the sides that are spoken of and the wing, ``either`` if none is told."""
    (term,) = claim.objects
    wing = term.move and term.move.castles
    return chess.COLORS if term.side is None else [term.side], wing or "either"


def _rights(claim: Claim, board: chess.Board) -> list[bool]:
    """Tell of each side that is spoken of whether it has the right to castle."""
    sides, wing = _castling(claim)
    rooks = {"K": chess.BB_FILE_H, "Q": chess.BB_FILE_A}.get(wing, chess.BB_ALL)
    ranks = (chess.BB_RANK_1 if side else chess.BB_RANK_8 for side in sides)
    return [bool(board.castling_rights & rooks & rank) for rank in ranks]


def _both_turns(board: chess.Board) -> list[chess.Board]:
    """Return the board, and the board after a pass if there can be one."""
    return [*filter(None, (board, facts.after_pass(board)))]


def ways_to_play(moments: Sequence[Moment], term: Term) -> list[_Event]:
    """Return where and how a written move can be played: one way for each board.

    The latest moment comes first; moves of the side not on turn, as after a pass, last. A
    move number that names the ply before or after the move leaves only that one, and the end of
    the line that the move goes on with.
    """
    latest = lines_until(moments, term.span[0])[:NEWEST_LINES]
    ordered = [*latest, *(m for m in moments[:3] if m.anchor != "line")]
    # after one dot the move may be Black's all the same
    plies = {term.numbered, term.numbered and term.numbered + (term.side is None)}
    numbered = [m for m in ordered if m.anchor != "reply" and m.board.ply() in plies]
    if numbered and term.continues:
        numbered += ordered[:1]
    boards = [moment.board for moment in numbered or ordered]

    def playable(boards: Iterable[chess.Board | None]) -> Iterator[_Event]:
        for board in boards:
            if board is not None and term.side in (None, board.turn):
                yield from ((board, move) for move in islice(term.plays(board), 1))

    turned = () if numbered else map(facts.after_pass, boards)
    return list(islice(chain(playable(boards), playable(turned)), MOST_WAYS))


# ---------------------------------------------------------------- who is meant


def acting_squares(terms: Iterable[Term], moment: Moment) -> list[chess.Square]:
    """Return the squares of the pieces that may act, those of the first term first."""
    return list(
        dict.fromkeys(square for term in terms for square in _acting(term, moment))
    )


def _acting(term: Term, moment: Moment) -> list[chess.Square]:
    board, move = moment.board, term.move
    if term.role in ("piece", "square"):
        return term.squares(board)
    if term.role == "side":
        return list(chess.scan_forward(board.occupied_co[bool(term.side)]))
    if term.role == "this" and term.options:
        return acting_squares(
            (each for each in term.options if each.role != "side"), moment
        )
    if moment.last is None:
        return []
    if move is None or move.fits(*moment.last):
        # what moved, and pieces behind it that attack more squares now
        before, played = moment.last
        behind = facts.line_pieces(before, before.turn, played.from_square)
        others = chess.scan_forward(behind & ~chess.BB_SQUARES[played.to_square])
        opened = [s for s in others if board.attacks_mask(s) & ~before.attacks_mask(s)]
        return [*facts.moved_squares(before, played), *opened]
    # a piece that a written move has brought there earlier
    if (
        move.to is None
        or moment.anchor == "before"
        or board.piece_type_at(move.to) != move.piece
    ):
        return []
    return [move.to]


def name(board: chess.Board, square: chess.Square) -> str:
    """Return what stands on a square: ``the white knight on f3``."""
    there = board.piece_type_at(square) is not None
    return (
        noun_at(board, square) if there else f"nothing on {chess.square_name(square)}"
    )


def is_king(term: Term) -> bool:
    """Tell whether a phrase can mean a king alone."""
    return term.pieces == {chess.KING}


def _sides(claim: Claim) -> set[chess.Color]:
    return {term.side for term in claim.subjects if term.side is not None}


def _written(terms: Iterable[Term]) -> list[Notation]:
    """Return the written moves among terms."""
    return [term.move for term in terms if term.move is not None]


# ---------------------------------------------------------------- moves


def check_move(claim: Claim, scene: Scene) -> tuple[Truth, str, Anchor]:
    """Decide on a move that is named: played, or legal where it may be meant."""
    (term,) = claim.objects
    stance = claim.stance
    past = claim.tense == "before"
    if _is_played(term, scene):
        return "true", f"{scene.move.san} is the move played", "before"
    followed = claim.span[0] < scene.astray
    if claim.relation == "played" and followed and _must_be_played(term, scene):
        return "false", f"the move played is {scene.move.san}", "before"
    moments = [m for m in scene.moments if not past or m.anchor in ("before", "line")]
    for board, move in ways_to_play(moments, term):
        anchors = (moment.anchor for moment in scene.moments if moment.board is board)
        return "true", f"{board.san(move)} is legal", next(anchors, "line")
    known = term.definite and followed and not _is_remote(term, scene)
    # the text may go back to what was played before, or could have been
    before = scene.earlier() if stance.past or term.numbered is not None else ()
    for back, (board, last) in enumerate(m.last for m in before if m.last):
        if term.numbered == board.ply() and term.fits(board, last):
            return "true", "as the game went before", "before"
        if stance.past and back < LOOK_BACK and term.side in (None, board.turn):
            known = known and not any(term.plays(board))
    evidence = (
        f"{term.text} is not legal before the move, after it, or in a line of the text"
    )
    if stance.negated or not known:
        return "not checkable", evidence, "none"
    if stance.supposed and not past:
        return "not checkable", evidence + "; the text only supposes it", "none"
    return "false", evidence, "before"


def impossible(claim: Claim, scene: Scene) -> tuple[Truth, str, Anchor]:
    """Decide on a move that is said to be impossible: true if it is not legal."""
    (term,), stance = claim.objects, claim.stance
    open_ = (
        stance.asked or stance.supposed or not (term.move is None or term.move.castles)
    )
    for board, move in ways_to_play(scene.moments[claim.tense != "before" :], term):
        return (
            "not checkable" if open_ else "false",
            f"{board.san(move)} is legal",
            "after",
        )
    return "true", f"{term.text} is not legal", "after"


def _is_remote(term: Term, scene: Scene) -> bool:
    """Tell whether a move may be one that was played earlier in the game, or comes much later.

    Its number says so, or the line that it stands in, or the piece already stands where it is
    said to go.
    """
    board = scene.before.board
    move = term.move or Notation()
    if move.file is not None and move.rank is not None:
        start = chess.square(
            move.file, move.rank
        )  # ``h7-h6``, of a piece that is not there
        found = {moment.board.piece_type_at(start) for moment in scene.moments}
        if found <= {None} or (move.piece is not None and move.piece not in found):
            return True
    newest = max(moment.board.ply() for moment in scene.moments)
    numbered = board.ply() if term.numbered is None else term.numbered
    if term.span[0] in scene.adrift or not board.ply() <= numbered <= newest:
        return True
    there = None if move.to is None or move.takes else board.piece_at(move.to)
    same = there is not None and there.piece_type == move.piece
    return same and term.side in (None, there and there.color)


def _is_played(term: Term, scene: Scene) -> bool:
    board = scene.before.board
    named = term.side in (None, board.turn) and term.numbered in (None, board.ply())
    return named and term.fits(board, scene.move.move)


def _must_be_played(term: Term, scene: Scene) -> bool:
    if any(m.anchor == "line" and m.start < term.span[0] for m in scene.moments):
        return False
    if term.side is None:
        return not ways_to_play([scene.after], replace(term, side=not scene.move.mover))
    return term.side == scene.move.mover


def signed(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a move written with a sign of check or mate gives check or mates."""
    term = claim.objects[0]
    mate = claim.relation == "move_mates"
    if _is_played(term, scene):
        events = [(scene.before.board, scene.move.move)]
    else:
        ways = [] if _is_remote(term, scene) else ways_to_play(scene.moments, term)
        events = [(board, move) for board, _ in ways for move in term.plays(board)]
    if not events:
        return unknown(f"{term.text} is not legal")
    for board, move in events:
        end = facts.after_move(board, move)
        if end.is_checkmate() if mate else end.is_check():
            return holds(f"{board.san(move)}")
    board, move = events[0]
    return fails(f"{board.san(move)} {'is no mate' if mate else 'gives no check'}")


def may_castle(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has a right to castle, to the wing if one is named."""
    has = any(_rights(claim, moment.board))
    return truth(has, f"castling rights are {moment.board.castling_xfen()}")


def loses_right(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a right to castle is there before the move and gone after it."""
    start, end = scene.before.board, scene.after.board
    lost = any(map(gt, _rights(claim, start), _rights(claim, end)))
    return truth(
        lost, f"castling rights were {start.castling_xfen()}, are {end.castling_xfen()}"
    )


def castled(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a king can have castled: no rights left, and on that side of the board."""
    board = moment.board
    (sides, wing) = _castling(claim)
    files = {"K": range(5, 8), "Q": range(4)}.get(wing, (*range(4), *range(5, 8)))
    away = [
        side for side in sides if chess.square_file(facts.king_of(board, side)) in files
    ]
    gone = [side for side in away if not board.has_castling_rights(side)]
    if len(gone) == len(sides) if "both" in claim.detail else gone:
        return holds("king and rights are as after castling")
    return fails("the king does not stand there, or still has its rights")


def promotes(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn promotes as it is told, or is about to."""
    if moment.last is None:
        return NO_MOVE
    board, move = moment.last
    if move.promotion is None:
        nothing = f"{board.san(move)} promotes nothing"
        end = moment.board
        answers = chain.from_iterable(turned.legal_moves for turned in _both_turns(end))
        if end.is_check() or any(answer.promotion for answer in answers):
            return unknown(f"{nothing}, but a pawn can promote next")
        return fails(nothing)
    made = {
        "piece": chess.piece_name(move.promotion),
        "square": chess.square_name(move.to_square),
    }
    good = all(claim.detail.get(key, value) == value for key, value in made.items())
    return truth(good, f"{board.san(move)} promotes")


def can_promote(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn could promote at once, were it its side's turn."""
    pawns = claim.objects[0].squares(moment.board)
    sides = _named_sides(claim)
    for board in _both_turns(moment.board):
        for move in board.legal_moves if board.turn in sides else ():
            if move.promotion and move.from_square in pawns:
                return holds(f"{board.san(move)} is legal")
    return fails("no such promotion is legal")


def on_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is the one that moves, or (``on_turn``) is on turn after the move."""
    answers = claim.relation == "on_turn"
    side = scene.move.mover != answers
    evidence = f"{side_name(side)} {'is on turn' if answers else 'moves'}"
    return truth(claim.subjects[0].side == side, evidence, certain=False)


def theme(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether what the text speaks of comes with the move: a check, a mate, a square.

    A piece comes with it that it takes or that its piece attacks, and a king close to it.
    """
    (board, move) = (scene.before.board, scene.move.move)
    end = scene.after.board
    subject = claim.detail["theme"]
    square = claim.detail.get("square", "")
    attacked = end.attacks(move.to_square)
    taken = facts.taken_on(board, move)
    if subject == "check":
        comes = end.is_check() or board.is_check()
    elif subject == "mate":
        comes = end.is_checkmate() or any(
            tactics.mates(end, side) for side in chess.COLORS
        )
    elif subject == "sacrifice":
        comes = tactics.exchange(board, move) < 0
    elif subject == "square":
        comes = square in map(
            chess.square_name, attacked | {move.from_square, move.to_square}
        )
    else:
        comes = any(
            (taken is not None and term.matches(taken, board.piece_at(taken)))
            or any(
                (each in attacked and end.color_at(each) == end.turn)
                or (
                    is_king(term)
                    and 0 < chess.square_distance(each, move.to_square) < 3
                )
                for each in term.squares(end)
            )
            for term in claim.objects
        )
    return truth(comes, f"{board.san(move)}: {square or subject}", certain=False)


def there_is(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether there are such pieces; of plurals two."""
    (term,) = claim.objects
    squares = term.squares(moment.board)
    least = 2 if _PLURAL.search(term.text) else 1
    return truth(len(squares) >= least, f"{len(squares)} of them", certain=False)


def legal_count(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look how many legal moves there are."""
    count = moment.board.legal_moves.count()
    return truth(count == number(claim.detail["count"]), f"{count} moves are legal")


# ---------------------------------------------------------------- pieces, attacks and defences


def stands(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the pieces stand on their squares."""
    board = moment.board
    for term in claim.objects:
        if not term.squares(board):
            there = "no such piece" if term.square is None else name(board, term.square)
            # ``the Rf1`` may be a move
            doubtful = term.move is not None and ways_to_play(scene.moments, term)
            return truth(False, f"there is {there}", certain=not doubtful)
    pieces = [name(board, term.squares(board)[0]) for term in claim.objects]
    return holds(f"there is {' and '.join(pieces)}")


def attacks(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the pieces named attack, defend or control all that they are said to."""
    finding = _act_on_all(claim, moment)
    on_king = any(map(is_king, claim.objects))
    failed = finding.outcome == "fails"
    if claim.relation == "attacks" and on_king and claim.tense != "after" and failed:
        return unknown("an attack on a king takes many forms")
    if claim.relation == "defends" and on_king and finding.outcome != "absent":
        return unknown("a king is sheltered rather than defended")
    vague = claim.relation == "defends" and failed and _is_vague(claim)
    return unknown(finding.evidence) if vague else finding


def _act_on_all(claim: Claim, moment: Moment) -> Finding:
    """Look whether the subjects attack (or defend) every object, in the numbers said."""
    board, subjects = moment.board, claim.subjects
    actors = (
        acting_squares(subjects, moment)
        if subjects
        else [*chess.SquareSet(board.occupied)]
    )
    if not actors:
        return absent("there is no such piece")
    if "count" in claim.detail and claim.objects:
        return _counted(claim, moment)
    findings = [_act_on(claim, moment, actors, term) for term in claim.objects]
    if idle := [finding for finding in findings if finding.outcome != "holds"]:
        return idle[0]
    for subject in subjects if claim.together else ():
        if not (own := acting_squares([subject], moment)):
            return absent(f"there is no {subject.text}")
        alone = [_act_on(claim, moment, own, term) for term in claim.objects]
        if all(finding.outcome != "holds" for finding in alone):
            return next((each for each in alone if each.outcome == "unknown"), alone[0])
    if len(subjects) == 1 and subjects[0].role == "piece":
        # each piece by itself, or with a plural those of one side, must act on every object
        groups = [[actor] for actor in actors]
        if _PLURAL.search(subjects[0].text):
            groups = [
                [a for a in actors if board.color_at(a) == side]
                for side in chess.COLORS
            ]
        acted = (
            {_act_on(claim, moment, g, t).outcome for t in claim.objects}
            for g in groups
        )
        if not any(outcomes <= {"holds"} for outcomes in acted):
            return fails(f"no such piece {_verb(claim)} all of them")
    return holds(", ".join(finding.evidence for finding in findings))


_PLURAL = re.compile(
    r"\b(?:king|queen|rook|bishop|knight|pawn|piece|minor|horse)s\b|\bboth\b",
    re.IGNORECASE,
)


def _verb(claim: Claim) -> str:
    return "defends" if claim.relation == "defends" else "attacks"


def _is_vague(claim: Claim) -> bool:
    """Tell whether the verb is also used where other pieces stand between."""
    return claim.detail.get("verb", "").partition(" ")[0] in words("vague")


def _targets(term: Term, moment: Moment) -> list[chess.Square]:
    """Return the squares that a term means as what is acted on, empty ones that it names too."""
    if term.role == "square" and term.square is not None:
        return [term.square]
    return (
        acting_squares([term], moment)
        if term.role == "this"
        else term.squares(moment.board)
    )


def _act_on(
    claim: Claim, moment: Moment, actors: list[chess.Square], term: Term
) -> Finding:
    """Look whether one of the actors attacks (or defends) what a term means."""
    board = moment.board
    verb = _verb(claim)
    targets = _targets(term, moment)
    doubtful = None
    if not targets:
        return absent(f"there is no {term.text}")
    for actor, target in product(actors, targets):
        side = bool(board.color_at(actor))
        owner = board.color_at(target)
        any_side = (
            claim.relation == "controls" or owner is None or term.role == "square"
        )
        if not any_side and (owner != side) != (claim.relation == "attacks"):
            continue
        aim = chess.BB_SQUARES[target]
        if board.attacks_mask(actor) & aim:
            square = chess.square_name(target) if owner is None else name(board, target)
            free = board.pin_mask(side, actor) & aim
            return holds(
                f"{name(board, actor)} {verb} {square}{'' if free else ', but is pinned'}"
            )
        if (
            _is_vague(claim)
            and facts.line_pieces(board, side, target) & chess.BB_SQUARES[actor]
        ):
            doubtful = unknown(
                f"{name(board, actor)} looks at {chess.square_name(target)}"
            )
    if doubtful is None and len(actors) == 1:
        return fails(f"{name(board, actors[0])} does not {verb[:-1]} {term.text}")
    return doubtful or fails(f"no such piece {verb} {term.text}")


def _counted(claim: Claim, moment: Moment) -> Finding:
    """Look whether as many pieces attack or defend a square as the words say."""
    board = moment.board
    wanted = int(claim.detail["count"])
    term = claim.objects[0]
    targets = _targets(term, moment)
    if not targets:
        return absent(f"there is no {term.text}")
    target = targets[0]
    owner = board.color_at(targets[0])
    if owner is None:
        return unknown("whose pieces count is not said")
    side = owner != (claim.relation == "attacks")
    direct = board.attackers_mask(side, target)
    # line pieces that stand behind another attacker of their own side
    behind = chess.SquareSet(facts.line_pieces(board, side, target) & ~direct)
    hidden = sum(bool(direct & chess.between(square, target)) for square in behind)
    count = direct.bit_count()
    right = wanted in (count, len(facts.attackers(board, side, target)))
    certain = not count < wanted <= count + hidden
    return truth(
        right, f"{count} pieces look at {name(board, target)}", certain=certain
    )


def loose(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece is undefended, or can be won."""
    term = claim.objects[0]
    word = claim.detail["verb"].partition(" ")[0]
    squares = _targets(term, moment)
    if not squares:
        return absent(f"there is no {term.text}")
    findings = [_loose_at(word, moment.board, square) for square in squares]
    return min(
        findings, key=lambda each: ("holds", "unknown", "fails").index(each.outcome)
    )


def _loose_at(word: str, board: chess.Board, square: chess.Square) -> Finding:
    side = bool(board.color_at(square))
    who = name(board, square)
    defenders = facts.attackers(board, side, square)
    by = ", ".join(name(board, defender) for defender in defenders) or "nothing"
    if word.startswith(("un", "defen", "without", "has", "have", "lack")):
        return truth(not defenders, f"{who} is defended by {by}")
    if facts.attackers(board, not side, square):
        won = not defenders or any(
            loss.square == square for loss in tactics.hanging(board, side)
        )
        return truth(won, f"{who} is attacked and is defended by {by}")
    if defenders:
        return fails(f"nothing attacks {who}")
    open_ = f"nothing attacks {who}"
    return (
        holds(f"{open_} and nothing defends it") if word == "loose" else unknown(open_)
    )


def shelters(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether pawns stand before a king of theirs, on its file or one beside it."""
    board = moment.board
    kings = [
        king for term in claim.objects if is_king(term) for king in term.squares(board)
    ]
    if not kings:
        return absent("there is no such king")
    pawns = set(facts.shelter(board, bool(board.color_at(kings[0])))[1])
    evidence = f"{len(pawns)} pawns stand before {name(board, kings[0])}"
    return truth(
        all(pawns & {*term.squares(board)} for term in claim.subjects), evidence
    )


# ---------------------------------------------------------------- captures and what they win


def captures(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a capture is made, or can be made, as it is told.

    What the words say outright must be the move that led to the moment, or be possible in
    a line of the text; what can or will be done must be legal. A recapture must follow a
    capture on the same square.
    """
    if any(term.role == "piece" and is_king(term) for term in claim.objects):
        return fails("a king is never captured")
    verb = claim.detail["verb"]
    made = "made" in claim.detail
    sides = _sides(claim)
    board, last = moment.board, moment.last
    for before, move in _made(moment):
        if _is_meant(claim, before, move):
            return holds(f"{before.san(move)} is a capture")
    again = verb.startswith(
        ("recapt", "retak", "takes back", "take back", "taking back")
    )
    # said outright: that it is only possible will do for the opponent, or a recapture
    opponent = sides == {not scene.move.mover} and moment.anchor != "before"
    possible = (
        not made or moment.anchor == "line" or (opponent and not claim.stance.negated)
    )
    possible = possible or (again and sides != {scene.move.mover})
    for at, move in (
        (_answers(moment) if again else _possible(moment)) if possible else ()
    ):
        if _is_meant(claim, at, move):
            return holds(f"{at.san(move)} is legal")
    if last is None:
        return fails("no such capture is legal")
    if board.is_check() and sides != {board.turn} and not (made and sides):
        ends = (facts.after_move(board, answer) for answer in board.legal_moves)
        later = ((end, move) for end in ends for move in end.generate_legal_captures())
        if any(_is_meant(claim, *event) for event in later):
            return unknown("the check must be answered first")
    if moment.anchor != "line" and _follows_another(claim, scene):
        return unknown("it may follow the move that is named")
    return fails(f"{last[0].san(last[1])} is no such capture")


def _follows_another(claim: Claim, scene: Scene) -> bool:
    """Tell whether the captures follow a written move that is none: ``Nd3+, winning b2``."""
    written = _written(claim.subjects)
    if not written or any(move.takes for move in written):
        return False
    board = scene.before.board
    verb = claim.detail["verb"]
    if not all(move.fits(board, scene.move.move) for move in written):
        return True
    # a move itself is said to capture: ``e4 captures``, ``10. b4 captures``
    if "made" in claim.detail:
        return not verb.startswith(("captur", "takes", "took"))
    numbered = any(term.numbered == board.ply() for term in claim.subjects)
    return not (numbered and verb in ("captures", "captured", "takes", "took"))


def _made(moment: Moment) -> list[_Event]:
    last = moment.last
    return [last] if last is not None and last[0].is_capture(last[1]) else []


def _possible(moment: Moment) -> Iterator[_Event]:
    for board in (
        [moment.board] if moment.anchor == "reply" else _both_turns(moment.board)
    ):
        yield from ((board, move) for move in board.generate_legal_captures())


def _answers(moment: Moment) -> Iterator[_Event]:
    """Yield captures on the square where the last capture was made, or one could be."""
    squares = [(moment.board, move.to_square) for _, move in _made(moment)]
    first = list(_possible(moment))[:MOST_CAPTURES] if not squares else []
    for board, square in squares or (
        (facts.after_move(board, move), move.to_square) for board, move in first
    ):
        for move in board.generate_legal_captures(
            chess.BB_ALL, chess.BB_SQUARES[square]
        ):
            yield board, move


def _is_meant(claim: Claim, board: chess.Board, move: chess.Move) -> bool:
    victim = facts.taken_on(board, move)
    if victim is None or not all(
        _is_taken(term, board, move, victim) for term in claim.objects
    ):
        return False
    return not claim.subjects or any(
        _takes(term, board, move) for term in claim.subjects
    )


def _is_taken(
    term: Term, board: chess.Board, move: chess.Move, victim: chess.Square
) -> bool:
    if term.role == "square":
        return term.square in (move.to_square, victim)
    if term.role == "this":
        pieces = [option for option in term.options if option.role == "piece"]
        return not pieces or any(
            _is_taken(each, board, move, victim) for each in pieces
        )
    return term.matches(victim, board.piece_at(victim))


def _takes(term: Term, board: chess.Board, move: chess.Move) -> bool:
    if term.role == "side":
        return term.side == board.turn
    if term.role in ("this", "move"):
        return term.role == "this" or term.fits(board, move)
    start, end = move.from_square, move.to_square
    return term.matches(start, board.piece_at(start)) or term.matches(
        end, board.piece_at(start)
    )


def en_passant(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn is taken in passing, or can be."""
    if moment.last is not None and moment.last[0].is_en_passant(moment.last[1]):
        return holds(f"{moment.last[0].san(moment.last[1])} is en passant")
    return truth(moment.board.has_legal_en_passant(), "whether en passant is legal")


def exchanges(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether pieces of the kinds named take each other, or can at once.

    Where the words name the pieces that take part, one of them does.
    """
    kinds = [term.pieces for term in claim.objects]
    alike = len(kinds) == 1 and _PLURAL.search(claim.objects[0].text) is not None
    named = [term for term in claim.subjects if term.role == "piece"]
    only_named = bool(named) and len(named) == len(claim.subjects)
    places = {
        term.square for term in claim.objects if alike and term.square is not None
    }
    for board, move in (*_made(moment), *_possible(moment)):
        start, end = move.from_square, move.to_square
        meets = [
            _takes(t, board, move) or t.matches(end, board.piece_at(end)) for t in named
        ]
        if (places and end not in places) or (only_named and not any(meets)):
            continue
        pair = (board.piece_type_at(start), board.piece_type_at(end))
        if all(
            (all if alike else any)(piece in kind for piece in pair) for kind in kinds
        ):
            return holds(f"{board.san(move)} exchanges")
    return fails("no such exchange can be made at once")


def wins(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look what the move of a moment wins by exchange on its square, against what is told.

    A move that loses material by exchange does not win any; whether a quiet move wins
    something later the board cannot tell.
    """
    if moment.last is None:
        return ANOTHER_MOVE
    board, move = moment.last
    written = _written(claim.subjects)
    sides = _sides(claim) or {scene.move.mover}
    meant = (
        any(each.fits(board, move) for each in written)
        if written
        else board.turn in sides
    )
    if not meant:
        return ANOTHER_MOVE
    gain = tactics.exchange(board, move)
    unit = claim.detail.get("unit", "material")
    evidence = f"by exchange {board.san(move)} brings {gain:+d} in pawns"
    outright = claim.text.lower().startswith("win") and unit != "material"
    bad = gain < 0 if written else gain <= 0 and outright and moment.anchor == "after"
    answers = moment.board.generate_legal_captures(
        chess.BB_ALL, chess.BB_SQUARES[move.to_square]
    )
    if any(
        tactics.mates(facts.after_move(moment.board, answer), board.turn)
        for answer in answers
    ):
        return unknown(f"{evidence}, but taking back allows mate")
    values = {chess.piece_name(kind): worth for kind, worth in tactics.VALUES.items()}
    worth = {**values, "exchange": 2, "piece": 3}.get(unit, 1)
    return truth(gain >= worth, evidence, certain=bad and board.is_capture(move))


def can_win(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has, or would have on its turn, a capture that wins the piece.

    A capture that is legal but wins nothing by exchange is left open: more than an exchange
    may lie behind the words.
    """
    board = moment.board
    agents = [term for term in claim.subjects if term.role == "piece"]
    legal = [
        capture
        for side in _named_sides(claim)
        for capture in tactics.captures(board, side)
        for start, end in [(capture.from_square, capture.square)]
        if all(term.matches(start, board.piece_at(start)) for term in agents)
        and all(term.matches(end, board.piece_at(end)) for term in claim.objects)
    ]
    if not legal:
        return fails("no such capture is legal")
    best = max(legal, key=lambda capture: capture.gain)
    evidence = f"{best.move.uci()[:4]} wins {best.gain:+d} in pawns"
    return truth(best.gain > 0, evidence, certain=False)


def _named_sides(claim: Claim) -> list[chess.Color]:
    sides = [bool(term.side) for term in claim.subjects if term.role == "side"]
    return sides or [chess.WHITE, chess.BLACK]


def exchange_result(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look what the exchanges on a square come to when the move has started them."""
    if moment.last is None:
        return NO_MOVE
    (board, move), detail = moment.last, claim.detail
    gain = tactics.exchange(board, move)
    wanted = 0 if "even" in detail else int(detail["count"])
    loses = detail.get("result") == "loses"
    opponent = bool(claim.subjects) and claim.subjects[0].side != board.turn
    wanted *= -1 if loses != opponent else 1
    return truth(
        gain == wanted, f"by exchange {board.san(move)} brings {gain:+d} in pawns"
    )


def brings(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look by how much the move of a moment changes a side's material at once."""
    if moment.last is None:
        return NO_MOVE
    change = tactics.balance(moment.board) - tactics.balance(moment.last[0])
    change *= 1 if claim.subjects[0].side else -1
    evidence = f"material changes by {change:+d} for that side"
    return truth(change == int(claim.detail["count"]), evidence)


# ---------------------------------------------------------------- checks and mates


def gives_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move of a moment gives check, with the piece that is named."""
    board = moment.board
    only_pieces = bool(claim.subjects) and all(
        term.role == "piece" for term in claim.subjects
    )
    if _speaks_of_another(claim, moment) or (moment.last is None and not only_pieces):
        return ANOTHER_MOVE
    if not board.is_check():
        return fails("no king is in check")
    if not _right_king(claim, board):
        return fails(f"it is {side_name(board.turn)} who is in check")
    checkers = board.checkers()
    if claim.subjects and not _checks(claim, moment):
        return fails(f"the check comes from {name(board, checkers.pop())}")
    return holds(f"{name(board, next(iter(checkers)))} gives check")


def _speaks_of_another(claim: Claim, moment: Moment) -> bool:
    """Tell whether the only subject is a written move that did not lead to the moment."""
    moves = _written(claim.subjects)
    if not moves or len(moves) < len(claim.subjects):
        return False
    return moment.last is None or not any(move.fits(*moment.last) for move in moves)


def _checks(claim: Claim, moment: Moment) -> bool:
    return any(
        s in moment.board.checkers() for s in acting_squares(claim.subjects, moment)
    )


def _right_king(claim: Claim, board: chess.Board) -> bool:
    return all(term.side in (None, board.turn) for term in claim.objects)


def in_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a king is in check."""
    board = moment.board
    if not board.is_check():
        return fails("no king is in check")
    return truth(_right_king(claim, board), f"{side_name(board.turn)} is in check")


def was_in_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether there was a check to answer, before the move or in any other moment."""
    return truth(
        any(m.board.is_check() for m in scene.moments), "check in the moment before"
    )


def discovered_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece that did not move gives check."""
    if moment.last is None:
        return NO_MOVE
    others = set(moment.board.checkers()) - set(facts.moved_squares(*moment.last))
    return truth(bool(others), "the check comes from the moved piece or there is none")


def double_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether two pieces give check."""
    checkers = len(moment.board.checkers())
    return truth(checkers == 2, f"{checkers} pieces check")


def is_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a position is checkmate."""
    if moment.last is None or _speaks_of_another(claim, moment):
        return ANOTHER_MOVE
    board = moment.board
    if not board.is_checkmate():
        return fails(
            "the king has a way out" if board.is_check() else "no king is in check"
        )
    evidence = f"{side_name(board.turn)} is checkmated"
    if claim.subjects and all(
        term.role in ("piece", "side") for term in claim.subjects
    ):
        mating = board.checkers() | chess.SquareSet(facts.moved_squares(*moment.last))
        by = " and ".join(name(board, square) for square in board.checkers())
        right = not mating.isdisjoint(acting_squares(claim.subjects, moment))
        return truth(right, evidence if right else f"{evidence} by {by}")
    return truth(_right_king(claim, board), evidence)


def is_stalemate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a position is stalemate."""
    stalemate = moment.board.is_stalemate()
    evidence = "stalemate" if stalemate else "there are legal moves or a check"
    return truth(stalemate, evidence, certain="stalemated" not in claim.text)


def threatens_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side could mate at once; a longer mate is not searched for."""
    board = moment.board
    if board.is_checkmate():
        return holds("it is mate already")
    kings = {not term.side for term in claim.objects if term.side is not None}
    square = claim.detail.get("square", "")
    for side in kings or _named_sides(claim):
        for move in tactics.mates(moment.board, side):
            if move.uci()[2:4].startswith(square):
                return holds(f"{side_name(side)} could mate by {move.uci()}")
    aim = chess.BB_SQUARES[chess.parse_square(square)] if square else chess.BB_ALL
    barred = not any(
        any(b.generate_legal_moves(to_mask=aim)) for b in _both_turns(board)
    )
    at_once = claim.detail.get("count") == "1" or barred
    return (
        fails("no move mates at once")
        if at_once
        else unknown("a longer mate may exist")
    )


def can_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side could mate at once; with the move told, if one is.

    A mate that takes longer is not searched for, so that without a move it is left open.
    """
    if moment.board.is_checkmate():
        return unknown("it is mate already")
    named = _written(claim.objects)
    for side in _named_sides(claim):
        for move in tactics.mates(moment.board, side):
            if all(each.fits(moment.board, move) for each in named):
                return holds(f"{move.uci()} mates")
    return (
        fails("that move does not mate")
        if named
        else unknown("a longer mate may exist")
    )


def mate_in(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look for the mate that is counted: by the board for one move, else by the given score."""
    board = moment.board
    count = int(claim.detail["count"])
    verdict = scene.verdict
    scores = [] if verdict is None else [verdict.before, verdict.after, verdict.played]
    mating = [score.relative.mate() for score in scores]
    known = sorted(abs(mate) for mate in mating if mate is not None)
    if count in known:
        return holds(f"the engine sees mate in {count}")
    if count > 1 and scores and (known or count <= SURE_MATE):
        return fails(
            f"the engine gives {f'mate in {known[0]}' if known else 'no mate'}"
        )
    if count == 1:
        quick = board.is_checkmate() or any(
            tactics.mates(board, side) for side in chess.COLORS
        )
        return truth(quick, "mate in one" if quick else "no move mates at once")
    if board.is_checkmate() or tactics.mates(board, board.turn):
        return fails("there is a quicker mate")
    return unknown(f"a mate in {count} is not searched for")


# ---------------------------------------------------------------- tactics


def forks(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether one piece attacks all that it is said to fork, and two pieces at least."""
    board, named = moment.board, claim.objects
    actors = acting_squares(claim.subjects, moment)
    if not actors:
        return absent("there is no such piece")
    targets = [
        [*(board.attacks(actor) & board.occupied_co[not board.color_at(actor)])]
        for actor in actors
    ]
    together = [*chain.from_iterable(targets)]
    of_side = named and any(term.role == "side" for term in claim.subjects)
    if of_side and all(_is_among(term, board, together) for term in named):
        return holds("its pieces attack all of them")
    for actor, attacked in zip(actors, targets, strict=True):
        if len(attacked) >= 2 and all(
            _is_among(term, board, attacked) for term in named
        ):
            names = " and ".join(name(board, square) for square in attacked)
            return holds(f"{name(board, actor)} attacks {names}")
    return fails("no such piece attacks all of them at once")


def _is_among(term: Term, board: chess.Board, squares: Iterable[chess.Square]) -> bool:
    meant = [term.square] if term.role == "square" else term.squares(board)
    return not {*squares}.isdisjoint(meant)


def pins(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece is pinned, to what is said if anything is.

    Of a skewer either of the two pieces on the line may be named first.
    """
    board = moment.board
    (pinned, *behind) = claim.objects
    skewer = claim.relation == "skewers"
    fronts = acting_squares([pinned], moment)
    if not fronts:
        return absent(f"there is no {pinned.text}")
    named = [term for term in claim.subjects if term.role != "square"]
    actors = acting_squares(named, moment)
    doubtful = False
    lines = chain.from_iterable(tactics.lines(board, colour) for colour in chess.COLORS)
    for pinner, front, back in lines:
        ends = (front, back) if skewer else (front,)
        if (named and pinner not in actors) or {*ends}.isdisjoint(fronts):
            continue
        rises = skewer or tactics.worth(board, back) > tactics.worth(board, front)
        if _is_among(behind[0], board, (*ends[:-1], back)) if behind else rises:
            return holds(
                f"{name(board, pinner)} pins {name(board, front)} to {name(board, back)}"
            )
        doubtful = doubtful or not behind
    return unknown("something stands behind it") if doubtful else fails("no such pin")


def discovers(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move of a moment opens an attack for another piece."""
    if moment.last is None:
        return NO_MOVE
    for square, target, _ in tactics.discovered_attacks(*moment.last):
        return holds(
            f"{name(moment.board, square)} now attacks {name(moment.board, target)}"
        )
    return fails("the move opens no attack for another piece")


# ---------------------------------------------------------------- material, pawns and files


def ahead(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is ahead (or behind) in material, by what is said if anything is.

    Where no side is named, either may be.
    """
    behind = claim.relation == "behind"
    sides = [bool(term.side) != behind for term in claim.subjects] or list(chess.COLORS)
    findings = [_is_ahead(claim, moment.board, side) for side in sides]
    return next(
        (finding for finding in findings if finding.outcome == "holds"), findings[0]
    )


def _is_ahead(claim: Claim, board: chess.Board, side: chess.Color) -> Finding:
    pawns_up = tactics.balance(board) * (1 if side else -1)
    more = [
        len(board.pieces(kind, side)) - len(board.pieces(kind, not side))
        for kind in chess.PIECE_TYPES
    ]
    knights, bishops, rooks, _ = figures = more[1:5]
    count = number(claim.detail.get("count", "one"))
    unit = claim.detail.get("unit", "")
    word = "".join(unit.split()[-1:]).removesuffix("s")
    pieces_up = (sum(figures) == count and pawns_up > 0) or pawns_up == 3 * count
    is_ahead = {
        "": pawns_up > 0,
        "point": pawns_up == count,
        "piece": pieces_up,
        "minor": pieces_up,
        "exchange": rooks == count and knights + bishops == -count,
    }.get(word)
    if is_ahead is None:
        (kind,) = noun_pieces(word)
        least = count if kind == chess.PAWN else 1
        exact = pawns_up == tactics.VALUES[kind] * count
        is_ahead = exact or (more[kind - 1] == count and pawns_up >= least)
    return truth(is_ahead, f"{side_name(side)} is {pawns_up:+d} in pawns")


def level(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether material is equal."""
    pawns_up = tactics.balance(moment.board)
    return truth(pawns_up == 0, f"White is {pawns_up:+d} in pawns")


def pair(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has bishops on both colours of squares."""
    bishops = moment.board.pieces(chess.BISHOP, bool(claim.subjects[0].side))
    both = bool(bishops & chess.BB_LIGHT_SQUARES) and bool(
        bishops & chess.BB_DARK_SQUARES
    )
    return truth(both, f"it has {len(bishops)} bishops")


def counts(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has as many pieces of a kind as is said."""
    side = bool(claim.subjects[0].side)
    noun = claim.detail["noun"].split()[-1]
    if noun.startswith("piece"):
        return unknown("what counts as a piece is not said")
    have = _count(moment.board, noun, side)
    wanted = number(claim.detail["count"])
    evidence = f"it has {have} {noun}"
    if "more" in claim.detail:
        return truth(have - _count(moment.board, noun, not side) == wanted, evidence)
    if have > wanted and "whole" not in claim.detail:
        return unknown(f"{evidence}, more than the text speaks of")
    return truth(have == wanted, evidence)


def _count(board: chess.Board, noun: str, side: chess.Color) -> int:
    return sum(len(board.pieces(kind, side)) for kind in noun_pieces(noun))


def counts_both(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether both sides have as many pieces of a kind as is said; none if no number is."""
    have = [_count(moment.board, claim.detail["noun"], side) for side in chess.COLORS]
    wanted = number(claim.detail.get("count", "no"))
    return truth(have == [wanted, wanted], f"they have {have[0]} and {have[1]}")


def pawn_state(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether pawns are passed, doubled or isolated."""
    board = moment.board
    state = claim.detail["state"]
    term = claim.objects[0]
    pawns = term.squares(board)
    if not pawns:
        return absent(f"there is no {term.text}")
    find = {"doubled": facts.doubled, "isolated": facts.isolated}.get(
        state, facts.passed
    )
    fitting = [
        pawn for pawn in pawns if pawn in find(board, bool(board.color_at(pawn)))
    ]
    if state == "connected":
        places = [(chess.square_file(pawn), board.color_at(pawn)) for pawn in fitting]
        beside = {(file + step, side) for file, side in places for step in (-1, 1)}
        fitting = [
            pawn for pawn, at in zip(fitting, places, strict=True) if at in beside
        ]
    if fitting:
        return holds(f"the pawn on {chess.square_name(fitting[0])} is {state}")
    return fails(f"no such pawn is {state}")


def open_file(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a file is open, half-open or closed."""
    board = moment.board
    letter = claim.detail["file"]
    file = chess.FILE_NAMES.index(letter)
    pawns = bool(board.pawns & chess.BB_FILES[file])
    sides = [bool(term.side) for term in claim.subjects] or chess.COLORS
    half = any(file in facts.half_open_files(board, side) for side in sides)
    state = "half-open" if half else "closed" if pawns else "open"
    wording = claim.detail.get("half", "open")
    evidence = f"the {letter}-file is {state}"
    if wording.startswith(("half", "semi", "closed")):
        return truth(
            state == "closed" if wording.startswith("closed") else half, evidence
        )
    if half and claim.relation == "opens_file" and "fully" not in claim.detail:
        return unknown(evidence)
    return truth(not pawns, evidence, certain=claim.tense != "later")


# ---------------------------------------------------------------- the engine's verdict


def better(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is better, or neither is, by the bound of the words."""
    verdict = scene.verdict
    equal = claim.relation == "equal"
    if verdict is None:
        return NO_ENGINE
    line = tuple(term for term in claim.objects if term.span[1] <= claim.span[0])
    if _of_another(replace(claim, objects=line), scene):
        return unknown("the end of a line is spoken of")
    if not claim.subjects and not equal:
        return unknown("whose advantage is not told")
    before = moment.anchor == "before"
    if before and not re.search(r"\b(?:was|were|had)\b", claim.text.lower()):
        return absent("the position after the move is spoken of")
    value = verdict.centipawns_before if before else verdict.centipawns_after
    bound = int(claim.detail["bound"])
    if equal:
        evidence = f"{verdict.engine} gives {abs(value) / 100:.2f} to one side"
        return truth(
            abs(value) <= bound, evidence, certain=abs(value) > bound * (1 + TOLERANCE)
        )
    side = bool(claim.subjects[0].side) != ("turned" in claim.detail)
    value *= 1 if side == verdict.mover else -1
    evidence = f"{verdict.engine} gives {value / 100:+.2f} for that side"
    return truth(value >= bound, evidence, certain=value < bound * (1 - TOLERANCE))


def loses(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a move loses as much (``low``) or as little (``high``) as the words say."""
    verdict = scene.verdict
    before = scene.before.board
    loss = None
    if verdict is None:
        return NO_ENGINE
    if not _of_another(claim, scene):
        loss = verdict.loss
    elif len(named := _written(claim.objects)) == 1:
        # what another move loses is known of the engine's two best
        if named[0].fits(before, chess.Move.from_uci(verdict.best)):
            loss = 0
        elif verdict.second and named[0].fits(
            before, chess.Move.from_uci(verdict.second)
        ):
            loss = verdict.lead_of_best
    if loss is None:
        return unknown("the engine says nothing of the other move")
    low = int(claim.detail.get("low", 0))
    high = int(claim.detail.get("high", loss))
    certain = loss < low * (1 - TOLERANCE) or loss > 2 * high
    evidence = f"{verdict.engine} says it loses {loss} centipawns"
    return truth(low <= loss <= high, evidence, certain=certain)


def _of_another(claim: Claim, scene: Scene) -> bool:
    """Tell whether the sentence writes another move than the played one."""
    moves = _written(claim.objects)
    board = scene.before.board
    return bool(moves) and not any(move.fits(board, scene.move.move) for move in moves)


def better_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether another move that is named can be better than the one played."""
    verdict = scene.verdict
    before = scene.before.board
    named = _written(claim.objects)
    if verdict is None:
        return NO_ENGINE
    if not _of_another(claim, scene):
        return unknown("the move compared is not told")
    if not any(any(move.moves(before)) for move in named):
        if any(any(move.moves(scene.after.board)) for move in named):
            return unknown("a move of the opponent is spoken of")
        return fails("the other move is not legal")
    evidence = (
        f"{verdict.engine} prefers {verdict.best}; the move played loses {verdict.loss}"
    )
    if verdict.loss <= BEST_LOSS:
        return fails(evidence)
    best = chess.Move.from_uci(verdict.best)
    return truth(
        any(move.fits(before, best) for move in named), evidence, certain=False
    )


def only_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether there is one legal move, or one that beats all others."""
    verdict = scene.verdict
    reply = re.search("reply|answer", claim.text)
    legal = (scene.after if reply else scene.before).board.legal_moves.count()
    if not reply and _of_another(claim, scene):
        return unknown("another move is spoken of")
    if legal == 1:
        return holds("it is the only legal move")
    if "legal" in claim.text:
        return fails(f"{legal} moves are legal")
    margin = verdict.lead_of_best if verdict else None
    if verdict is None or margin is None:
        return NO_ENGINE
    if reply or side_name(not scene.move.mover) in claim.detail.get("sides", ""):
        return unknown("the opponent's move is spoken of")
    evidence = f"the best move leads by {margin} centipawns"
    only = verdict.loss <= BEST_LOSS and margin >= ONLY_MOVE_LEAD
    certain = verdict.loss > 2 * BEST_LOSS or margin < ONLY_MOVE_LEAD / 2
    return truth(only, evidence, certain=certain)
