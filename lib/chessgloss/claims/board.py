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
from itertools import chain, islice
from typing import Final, Literal

import chess

from chessgloss.claims.lexicon import Notation, noun_pieces, number, words
from chessgloss.claims.parser import Claim, Term
from chessgloss.facts.board import (
    after_pass,
    attackers,
    doubled,
    half_open_files,
    isolated,
    line_pieces,
    moved_squares,
    passed,
    pin_lines,
    shelter,
    taken_on,
)
from chessgloss.facts.fact import noun, side_name
from chessgloss.facts.tactics import (
    VALUES,
    balance,
    discovered_attacks,
    exchange,
    hanging,
    lines,
    mates,
)
from chessgloss.facts.tactics import captures as all_captures
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
holds, fails = partial(Finding, "holds"), partial(Finding, "fails")
absent, unknown = partial(Finding, "absent"), partial(Finding, "unknown")


def truth(value: bool, evidence: str, *, certain: bool = True) -> Finding:
    """Return the finding that a claim holds or fails; it may also fail to be certain."""
    return holds(evidence) if value else fails(evidence) if certain else unknown(evidence)


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
    """

    move: MoveInContext
    moments: tuple[Moment, ...]
    verdict: Verdict | None = None
    adrift: frozenset[int] = frozenset()

    @property
    def before(self) -> Moment:
        """The position before the move."""
        return self.moments[0]

    @property
    def after(self) -> Moment:
        """The position after the move."""
        return self.moments[1]

    def allowed(self, claim: Claim) -> tuple[Moment, ...]:
        """Return the moments that the words of a claim allow, latest line first."""
        last = max(claim.span[1], *(term.span[1] for term in claim.subjects), 0)
        lines = _lines_until(self.moments, last + 1)[: 3 * NEWEST_LINES]
        if claim.tense == "before":
            return (self.before, *lines)
        opponent = {term.side for term in claim.subjects} == {not self.move.mover}
        answers = claim.tense == "later" or (opponent and not claim.stance.negated)
        reply = [m for m in self.moments if m.anchor == "reply" and answers]
        before = [] if claim.tense == "after" else [self.before]
        return (self.after, *lines, *reply, *before)


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
    after = play(before, move.move)
    moments = [Moment("before", before), Moment("after", after, (before, move.move))]
    if reply is not None:
        answer = chess.Move.from_uci(reply)
        if answer not in after.legal_moves:
            raise ValueError(f"the reply {reply!r} is not legal in {after.fen()!r}")
        moments.append(Moment("reply", play(after, answer), (after, answer)))
    skipped = {id(moment.board): False for moment in moments}
    adrift, lost = set[int](), False
    for term in terms:
        if term.continues and lost:
            adrift.add(term.span[0])
        ways = ways_to_play(moments, term)
        lost = all(skipped.get(id(board), True) for board, _ in ways) or (term.continues and lost)
        played = [board is before and chosen == move.move for board, chosen in ways]
        opened = ways[: played.index(True)] if any(played) else ways
        for board, chosen in reversed(opened):  # the likeliest is to be the newest
            line = play(board, chosen)
            skipped[id(line)] = skipped.get(id(board), True)
            last = (board, chosen)
            moments.append(Moment("line", line, last, term.span[0], skipped[id(line)]))
    return Scene(move, tuple(moments), verdict, frozenset(adrift))


def _lines_until(moments: Sequence[Moment], stop: int) -> Sequence[Moment]:
    """Return the lines that begin before a place in the text, newest first."""
    end = bisect_left(moments, stop, key=lambda moment: moment.start)
    first = next((k for k in range(min(end, 4)) if moments[k].anchor == "line"), end)
    return moments[first:end][::-1]


def play(board: chess.Board, move: chess.Move) -> chess.Board:
    """Return the board after a move, as a copy without its history."""
    copy = board.copy(stack=False)
    copy.push(move)
    copy.clear_stack()
    return copy


def _both_turns(board: chess.Board) -> list[chess.Board]:
    """Return the board, and the board after a pass if there can be one."""
    turned = after_pass(board)
    return [board] if turned is None else [board, turned]


def ways_to_play(moments: Sequence[Moment], term: Term) -> list[_Event]:
    """Return where and how a written move can be played: one way for each board.

    The latest moment comes first; moves of the side not on turn, as after a pass, last. A
    move number that names the ply before or after the move leaves only that one, and the end of
    the line that the move goes on with.
    """
    written = term.move
    latest = list(_lines_until(moments, term.span[0])[:NEWEST_LINES])
    ordered = [*latest, *(m for m in moments[:3] if m.anchor != "line")]
    # after one dot the move may be Black's all the same
    plies = {term.numbered, term.numbered and term.numbered + (term.side is None)}
    numbered = [m for m in ordered if m.anchor != "reply" and m.board.ply() in plies]
    if numbered and term.continues:
        numbered += ordered[:1]
    boards: list[chess.Board] = [moment.board for moment in numbered or ordered]

    def playable(boards: Iterable[chess.Board | None]) -> Iterator[_Event]:
        for board in boards:
            if board is not None and written is not None and term.side in (None, board.turn):
                yield from ((board, move) for move in islice(written.moves(board), 1))

    turned = () if numbered else map(after_pass, boards)
    return list(islice(chain(playable(boards), playable(turned)), MOST_WAYS))


# ---------------------------------------------------------------- who is meant


def acting_squares(terms: Iterable[Term], moment: Moment) -> list[chess.Square]:
    """Return the squares of the pieces that may act, those of the first term first."""
    return list(dict.fromkeys(square for term in terms for square in _acting(term, moment)))


def _acting(term: Term, moment: Moment) -> list[chess.Square]:
    board = moment.board
    if term.role == "piece":
        return term.squares(board)
    if term.role == "side":
        return list(chess.scan_forward(board.occupied_co[bool(term.side)]))
    if term.role == "square":
        return [term.square] if term.square is not None and board.piece_at(term.square) else []
    if term.role == "this" and term.options:
        options = [option for option in term.options if option.role != "side"]
        return [square for option in options for square in _acting(option, moment)]
    if moment.last is None:
        return []
    move = term.move
    if move is None or move.fits(*moment.last):
        return [*moved_squares(*moment.last), *_opened(moment)]
    # a piece that a written move has brought there earlier
    stands = move.to is not None and board.piece_type_at(move.to) == move.piece
    return [move.to] if stands and move.to is not None and moment.anchor != "before" else []


def _opened(moment: Moment) -> list[chess.Square]:
    """Return the pieces of the mover that attack more squares because another moved away."""
    if moment.last is None:
        return []
    before, move = moment.last
    lines = line_pieces(before, before.turn, move.from_square) & ~chess.BB_SQUARES[move.to_square]
    return [
        square
        for square in chess.scan_forward(lines)
        if moment.board.attacks_mask(square) & ~before.attacks_mask(square)
    ]


def name(board: chess.Board, square: chess.Square) -> str:
    """Return what stands on a square: ``the white knight on f3``."""
    piece = board.piece_at(square)
    if piece is None:
        return f"nothing on {chess.square_name(square)}"
    return noun(piece.color, piece.piece_type, square)


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
    if claim.stance.asked:
        return "not checkable", "the text asks it, it does not say it", "none"
    if _is_played(term, scene):
        return "true", f"{scene.move.san} is the move played", "before"
    if claim.relation == "played" and _must_be_played(term, scene):
        return "false", f"the move played is {scene.move.san}", "before"
    past = claim.tense == "before"
    moments = [m for m in scene.moments if not past or m.anchor in ("before", "line")]
    for board, move in ways_to_play(moments, term):
        anchors = [moment.anchor for moment in scene.moments if moment.board is board]
        return "true", f"{board.san(move)} is legal", anchors[0] if anchors else "line"
    evidence = f"{term.text} is not legal before the move, after it, or in a line of the text"
    if _earlier(term, scene):
        return "true", "as the game went before", "before"
    if claim.stance.negated or not term.definite or _is_remote(term, scene):
        return "not checkable", evidence, "none"
    if claim.stance.supposed and not past:
        return "not checkable", evidence + "; the text only supposes it", "none"
    return "false", evidence, "before"


def impossible(claim: Claim, scene: Scene) -> tuple[Truth, str, Anchor]:
    """Decide on a move that is said to be impossible: true if it is not legal."""
    (term,) = claim.objects
    events = ways_to_play(scene.moments[0 if claim.tense == "before" else 1 :], term)
    if not events:
        return "true", f"{term.text} is not legal", "after"
    board, move = events[0]
    doubtful = claim.stance.asked or claim.stance.supposed or (term.move and not term.move.castles)
    return "not checkable" if doubtful else "false", f"{board.san(move)} is legal", "after"


def _earlier(term: Term, scene: Scene) -> bool:
    """Tell whether a numbered move was played earlier in the game, as far as that is known.

    One that was not may be of another line, to which the text goes back.
    """
    moves, ply = scene.move.position.moves, scene.before.board.ply()
    if term.numbered is None or term.move is None or not 0 < ply - term.numbered <= len(moves):
        return False
    board = scene.move.position.board()
    last = [board.pop() for _ in range(ply - term.numbered)][-1]
    return term.move.fits(board, last)


def _is_remote(term: Term, scene: Scene) -> bool:
    """Tell whether a move may be one that was played earlier in the game, or comes much later.

    Its number says so, or the line that it stands in, or the piece already stands where it is
    said to go.
    """
    board, move = scene.before.board, term.move
    if move is not None and move.file is not None and move.rank is not None:
        start = chess.square(move.file, move.rank)  # ``h7-h6``, of a piece that is not there
        found = {moment.board.piece_type_at(start) for moment in scene.moments}
        if found <= {None} or (move.piece is not None and move.piece not in found):
            return True
    if term.span[0] in scene.adrift:
        return True
    if term.numbered is not None:
        newest = max(moment.board.ply() for moment in scene.moments)
        if not board.ply() <= term.numbered <= newest:
            return True
    if move is None or move.to is None or move.piece is None or move.takes:
        return False
    there = board.piece_at(move.to)
    same = there is not None and there.piece_type == move.piece
    return same and term.side in (None, board.color_at(move.to))


def _is_played(term: Term, scene: Scene) -> bool:
    board = scene.before.board
    if term.move is None or term.side not in (None, board.turn):
        return False
    return term.numbered in (None, board.ply()) and term.move.fits(board, scene.move.move)


def _must_be_played(term: Term, scene: Scene) -> bool:
    if any(m.anchor == "line" and m.start < term.span[0] for m in scene.moments):
        return False
    if term.side is None:
        return not ways_to_play([scene.after], replace(term, side=not scene.move.mover))
    return term.side == scene.move.mover


def signed(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a move written with a sign of check or mate gives check or mates."""
    term, mate = claim.objects[0], claim.relation == "move_mates"
    events = [] if _is_remote(term, scene) else ways_to_play(scene.moments, term)
    events = [(b, each) for b, _ in events if term.move for each in term.move.moves(b)]
    if _is_played(term, scene):
        events = [(scene.before.board, scene.move.move)]
    if not events:
        return unknown(f"{term.text} is not legal")
    for board, move in events:
        end = play(board, move)
        if end.is_checkmate() if mate else end.is_check():
            return holds(f"{board.san(move)}")
    board, move = events[0]
    return fails(f"{board.san(move)} {'is no mate' if mate else 'gives no check'}")


def may_castle(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has a right to castle, to the wing if one is named."""
    has = any(_has_right(moment.board, side, wing) for side, wing in _castling(claim))
    if moment.last is not None and moment.last[0].is_castling(moment.last[1]) and not has:
        return unknown("the move is castling itself")
    return truth(has, f"castling rights are {moment.board.castling_xfen()}")


def loses_right(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a right to castle is there before the move and gone after it."""
    start, end = scene.before.board, scene.after.board
    lost = any(
        _has_right(start, side, wing) and not _has_right(end, side, wing)
        for side, wing in _castling(claim)
    )
    return truth(lost, f"castling rights were {start.castling_xfen()}, are {end.castling_xfen()}")


def castled(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a king can have castled: no rights left, and on that side of the board."""
    board = moment.board
    wings = {"K": range(5, 8), "Q": range(4), "either": (*range(4), *range(5, 8))}
    gone = [
        chess.square_file(board.king(side) or 0) in wings[wing]
        and not board.has_castling_rights(side)
        for side, wing in _castling(claim)
    ]
    if all(gone) if "both" in claim.detail else any(gone):
        return holds("king and rights are as after castling")
    return fails("the king does not stand there, or still has its rights")


def _castling(claim: Claim) -> list[tuple[chess.Color, str]]:
    """Return the sides that are spoken of, each with the wing."""
    (term,) = claim.objects
    wing = (term.move.castles if term.move else None) or "either"
    return [(side, wing) for side in (chess.COLORS if term.side is None else [term.side])]


def _has_right(board: chess.Board, side: chess.Color, wing: str) -> bool:
    king = wing != "Q" and board.has_kingside_castling_rights(side)
    return king or (wing != "K" and board.has_queenside_castling_rights(side))


def promotes(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn promotes as it is told, or is about to."""
    if moment.last is None:
        return NO_MOVE
    board, move = moment.last
    if move.promotion is None:
        nothing = f"{board.san(move)} promotes nothing"
        ready = moment.board.is_check() or any(
            answer.promotion for end in _both_turns(moment.board) for answer in end.legal_moves
        )
        return unknown(f"{nothing}, but a pawn can promote next") if ready else fails(nothing)
    made = {"piece": chess.piece_name(move.promotion), "square": chess.square_name(move.to_square)}
    good = all(claim.detail.get(key, value) == value for key, value in made.items())
    return truth(good, f"{board.san(move)} promotes")


def can_promote(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn could promote at once, were it its side's turn."""
    pawns, sides = claim.objects[0].squares(moment.board), _named_sides(claim)
    for board in _both_turns(moment.board):
        for move in board.legal_moves if board.turn in sides else ():
            if move.promotion and move.from_square in pawns:
                return holds(f"{board.san(move)} is legal")
    return fails("no such promotion is legal")


def on_turn(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the side that must find a move is the one on turn after the move."""
    side = scene.after.board.turn
    right = claim.subjects[0].side == side
    return truth(right, f"{side_name(side)} is on turn", certain=False)


def on_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the side that does something is the one that moves."""
    side = scene.move.mover
    return truth(claim.subjects[0].side == side, f"{side_name(side)} moves", certain=False)


def theme(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether what the text speaks of comes with the move: a check, a mate, a square."""
    (board, move), end = (scene.before.board, scene.move.move), scene.after.board
    subject, square = claim.detail["theme"], claim.detail.get("square")
    reached = end.attacks(move.to_square) | {move.from_square, move.to_square}
    there = {
        "check": lambda: end.is_check() or board.is_check(),
        "mate": lambda: end.is_checkmate() or any(mates(end, side) for side in chess.COLORS),
        "sacrifice": lambda: exchange(board, move) < 0,
        "square": lambda: square in [chess.square_name(each) for each in reached],
        "piece": lambda: any(_is_aim(term, scene) for term in claim.objects),
    }
    return truth(there[subject](), f"{board.san(move)}: {square or subject}", certain=False)


def _is_aim(term: Term, scene: Scene) -> bool:
    """Tell whether a piece is taken by the move, attacked by its piece, or a king close to it."""
    (board, move), end = (scene.before.board, scene.move.move), scene.after.board
    taken, attacked = taken_on(board, move), end.attacks(move.to_square)
    return (taken is not None and term.matches(taken, board.piece_at(taken))) or any(
        (square in attacked and end.color_at(square) == end.turn)
        or (is_king(term) and 0 < chess.square_distance(square, move.to_square) < 3)
        for square in term.squares(end)
    )


def there_is(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether there are such pieces; of plurals two."""
    (term,) = claim.objects
    squares, least = term.squares(moment.board), 2 if _PLURAL.search(term.text) else 1
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
    on_king, fails_here = any(map(is_king, claim.objects)), finding.outcome == "fails"
    if claim.relation == "attacks" and on_king and claim.tense != "after" and fails_here:
        return unknown("an attack on a king takes many forms")
    if claim.relation == "defends" and on_king and finding.outcome != "absent":
        return unknown("a king is sheltered rather than defended")
    vague = claim.relation == "defends" and fails_here and _is_vague(claim)
    return unknown(finding.evidence) if vague else finding


def _act_on_all(claim: Claim, moment: Moment) -> Finding:
    """Look whether the subjects attack (or defend) every object, in the numbers said."""
    board = moment.board
    actors = list(chess.scan_forward(board.occupied))
    if claim.subjects:
        actors = acting_squares(claim.subjects, moment)
    if not actors:
        return absent("there is no such piece")
    if "count" in claim.detail and claim.objects:
        return _counted(claim, moment)
    findings = [_act_on(claim, moment, actors, term) for term in claim.objects]
    idle = [finding for finding in findings if finding.outcome != "holds"]
    if idle:
        return idle[0]
    for subject in claim.subjects if claim.together else ():
        own = acting_squares([subject], moment)
        if not own:
            return absent(f"there is no {subject.text}")
        idle = [_act_on(claim, moment, own, term) for term in claim.objects]
        if all(finding.outcome != "holds" for finding in idle):
            return next((each for each in idle if each.outcome == "unknown"), idle[0])
    if len(claim.subjects) == 1 and claim.subjects[0].role == "piece":
        # each piece by itself, or with a plural those of one side, must act on every object
        groups = [[actor] for actor in actors]
        if _PLURAL.search(claim.subjects[0].text):
            groups = [[a for a in actors if board.color_at(a) == side] for side in chess.COLORS]
        acted = ({_act_on(claim, moment, g, t).outcome for t in claim.objects} for g in groups)
        if not any(outcomes <= {"holds"} for outcomes in acted):
            return fails(f"no such piece {_verb(claim)} all of them")
    return holds(", ".join(finding.evidence for finding in findings))


_PLURAL = re.compile(
    r"\b(?:king|queen|rook|bishop|knight|pawn|piece|minor|horse)s\b|\bboth\b", re.IGNORECASE
)


def _verb(claim: Claim) -> str:
    return "defends" if claim.relation == "defends" else "attacks"


def _is_vague(claim: Claim) -> bool:
    """Tell whether the verb is also used where other pieces stand between."""
    return claim.detail.get("verb", "").partition(" ")[0] in words("vague")


def _targets(term: Term, moment: Moment) -> list[chess.Square]:
    if term.role == "square" and term.square is not None:
        return [term.square]
    return acting_squares([term], moment) if term.role == "this" else term.squares(moment.board)


def _act_on(claim: Claim, moment: Moment, actors: list[chess.Square], term: Term) -> Finding:
    """Look whether one of the actors attacks (or defends) what a term means."""
    board, verb = moment.board, _verb(claim)
    targets = _targets(term, moment)
    if not targets:
        return absent(f"there is no {term.text}")
    doubtful: Finding | None = None
    for actor in actors:
        side = board.color_at(actor)
        for target in targets:
            owner = board.color_at(target)
            any_side = claim.relation == "controls" or owner is None or term.role == "square"
            if not any_side and (owner != side) != (claim.relation == "attacks"):
                continue
            if board.attacks_mask(actor) & chess.BB_SQUARES[target]:
                square = chess.square_name(target) if owner is None else name(board, target)
                line = pin_lines(board, bool(side)).get(actor, chess.BB_ALL)
                pinned = "" if line & chess.BB_SQUARES[target] else ", but is pinned"
                return holds(f"{name(board, actor)} {verb} {square}{pinned}")
            if (
                _is_vague(claim)
                and line_pieces(board, bool(side), target) & chess.BB_SQUARES[actor]
            ):
                doubtful = unknown(f"{name(board, actor)} looks at {chess.square_name(target)}")
    if doubtful is not None:
        return doubtful
    if len(actors) == 1:
        return fails(f"{name(board, actors[0])} does not {verb[:-1]} {term.text}")
    return fails(f"no such piece {verb} {term.text}")


def _counted(claim: Claim, moment: Moment) -> Finding:
    """Look whether as many pieces attack or defend a square as the words say."""
    board, wanted = moment.board, int(claim.detail["count"])
    targets = _targets(claim.objects[0], moment)
    if not targets:
        return absent(f"there is no {claim.objects[0].text}")
    owner = board.color_at(targets[0])
    if owner is None:
        return unknown("whose pieces count is not said")
    side = not owner if claim.relation == "attacks" else owner
    direct = board.attackers_mask(side, targets[0])
    # line pieces that stand behind another attacker of their own side
    hidden = sum(
        bool(direct & chess.between(square, targets[0]))
        for square in chess.scan_forward(line_pieces(board, side, targets[0]) & ~direct)
    )
    count = direct.bit_count()
    evidence = f"{count} pieces look at {name(board, targets[0])}"
    right = wanted in (count, len(attackers(board, side, targets[0])))
    return truth(right, evidence, certain=not count < wanted <= count + hidden)


def loose(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece is undefended, or can be won."""
    term = claim.objects[0]
    word = claim.detail["verb"].partition(" ")[0]
    squares = _targets(term, moment)
    if not squares:
        return absent(f"there is no {term.text}")
    findings = [_loose_at(word, moment.board, square) for square in squares]
    if not term.definite and term.square is None:
        findings = [each for each in findings if each.outcome != "unknown"]
        findings = findings or [fails("no such piece can be won")]
    return min(findings, key=lambda each: ("holds", "unknown", "fails").index(each.outcome))


def _loose_at(word: str, board: chess.Board, square: chess.Square) -> Finding:
    side = bool(board.color_at(square))
    defenders = attackers(board, side, square)
    who = name(board, square)
    by = ", ".join(name(board, defender) for defender in defenders) or "nothing"
    if word in ("undefended", "unprotected", "unguarded", "defenceless", "defenseless", "without"):
        return truth(not defenders, f"{who} is defended by {by}")
    if attackers(board, not side, square):
        won = not defenders or any(loss.square == square for loss in hanging(board, side))
        return truth(won, f"{who} is attacked and is defended by {by}")
    evidence = f"nothing attacks {who}"
    if defenders:
        return fails(evidence)
    return holds(evidence + " and nothing defends it") if word == "loose" else unknown(evidence)


def shelters(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether pawns stand before a king of theirs, on its file or one beside it."""
    board = moment.board
    kings = [king for term in claim.objects if is_king(term) for king in term.squares(board)]
    if not kings:
        return absent("there is no such king")
    pawns = set(shelter(board, bool(board.color_at(kings[0]))).pawns)
    evidence = f"{len(pawns)} pawns stand before {name(board, kings[0])}"
    if not claim.subjects:
        return truth(bool(pawns), evidence)
    return truth(all(pawns & {*term.squares(board)} for term in claim.subjects), evidence)


# ---------------------------------------------------------------- captures and what they win


def captures(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a capture is made, or can be made, as it is told.

    What the words say outright must be the move that led to the moment, or be possible in
    a line of the text; what can or will be done must be legal. A recapture must follow a
    capture on the same square.
    """
    if any(term.role == "piece" and is_king(term) for term in claim.objects):
        return fails("a king is never captured")
    verb, made, sides = claim.detail["verb"], "made" in claim.detail, _sides(claim)
    for board, move in _made(moment):
        if _is_meant(claim, board, move):
            return holds(f"{board.san(move)} is a capture")
    again = verb.startswith(("recapt", "retak", "takes back", "take back", "taking back"))
    # said outright: that it is only possible will do for the opponent, or a recapture
    opponent = sides == {not scene.move.mover} and moment.anchor != "before"
    possible = not made or moment.anchor == "line" or (opponent and not claim.stance.negated)
    possible = possible or (again and sides != {scene.move.mover})
    events = _answers(moment) if again else _possible(moment)
    for board, move in events if possible else ():
        if _is_meant(claim, board, move):
            return holds(f"{board.san(move)} is legal")
    if moment.last is None:
        return fails("no such capture is legal")
    if moment.board.is_check() and sides != {moment.board.turn} and not (made and sides):
        ends = [play(moment.board, answer) for answer in moment.board.legal_moves]
        if any(_is_meant(claim, b, m) for b in ends for m in b.generate_legal_captures()):
            return unknown("the check must be answered first")
    if _follows_another(claim, scene):
        return unknown("it may follow the move that is named")
    return fails(f"{moment.last[0].san(moment.last[1])} is no such capture")


def _follows_another(claim: Claim, scene: Scene) -> bool:
    """Tell whether the captures follow a written move that is none: ``Nd3+, winning b2``."""
    written = _written(claim.subjects)
    if not written or any(move.takes for move in written):
        return False
    board, verb = scene.before.board, claim.detail["verb"]
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
    for board in [moment.board] if moment.anchor == "reply" else _both_turns(moment.board):
        for move in board.generate_legal_captures():
            yield board, move


def _answers(moment: Moment) -> Iterator[_Event]:
    """Yield captures on the square where the last capture was made, or one could be."""
    squares = [(moment.board, move.to_square) for _, move in _made(moment)]
    first = list(_possible(moment))[:MOST_CAPTURES] if not squares else []
    for board, square in squares or ((play(board, move), move.to_square) for board, move in first):
        for move in board.generate_legal_captures(chess.BB_ALL, chess.BB_SQUARES[square]):
            yield board, move


def _is_meant(claim: Claim, board: chess.Board, move: chess.Move) -> bool:
    victim = taken_on(board, move)
    if victim is None or not all(_is_taken(term, board, move, victim) for term in claim.objects):
        return False
    return not claim.subjects or any(_takes(term, board, move) for term in claim.subjects)


def _is_taken(term: Term, board: chess.Board, move: chess.Move, victim: chess.Square) -> bool:
    if term.role == "square":
        return term.square in (move.to_square, victim)
    if term.role == "this":
        pieces = [option for option in term.options if option.role == "piece"]
        return not pieces or any(_is_taken(each, board, move, victim) for each in pieces)
    return term.matches(victim, board.piece_at(victim))


def _takes(term: Term, board: chess.Board, move: chess.Move) -> bool:
    if term.role == "this":
        return True
    if term.role == "side":
        return term.side == board.turn
    if term.role == "move":
        return term.move is not None and term.move.fits(board, move)
    piece = board.piece_at(move.from_square)
    return term.matches(move.from_square, piece) or term.matches(move.to_square, piece)


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
    only_named = bool(claim.subjects) and all(term.role == "piece" for term in claim.subjects)
    places = {term.square for term in claim.objects if alike and term.square is not None}
    for board, move in (*_made(moment), *_possible(moment)):
        if places and move.to_square not in places:
            continue
        taken = board.piece_at(move.to_square)
        if only_named and not any(
            _takes(term, board, move) or term.matches(move.to_square, taken)
            for term in claim.subjects
        ):
            continue
        pair = (board.piece_type_at(move.from_square), board.piece_type_at(move.to_square))
        if all((all if alike else any)(piece in kind for piece in pair) for kind in kinds):
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
    if written and not any(each.fits(board, move) for each in written):
        return ANOTHER_MOVE
    if not written and board.turn not in (_sides(claim) or {scene.move.mover}):
        return ANOTHER_MOVE
    gain = exchange(board, move)
    evidence = f"by exchange {board.san(move)} brings {gain:+d} in pawns"
    unit = claim.detail.get("unit", "material")
    outright = claim.text.lower().startswith("win") and unit != "material"
    bad = gain < 0 if written else gain <= 0 and outright and moment.anchor == "after"
    answers = moment.board.generate_legal_captures(chess.BB_ALL, chess.BB_SQUARES[move.to_square])
    if any(mates(play(moment.board, answer), board.turn) for answer in answers):
        return unknown(f"{evidence}, but taking back allows mate")
    return truth(gain >= _value(unit), evidence, certain=bad and board.is_capture(move))


def _value(unit: str) -> int:
    names = {chess.piece_name(kind): worth for kind, worth in VALUES.items()}
    return {**names, "exchange": 2, "piece": 3}.get(unit.removesuffix("s"), 1)


def can_win(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has, or would have on its turn, a capture that wins the piece.

    A capture that is legal but wins nothing by exchange is left open: more than an exchange
    may lie behind the words.
    """
    board = moment.board
    agents = [term for term in claim.subjects if term.role == "piece"]

    def are(terms: Iterable[Term], square: chess.Square) -> bool:
        return all(term.matches(square, board.piece_at(square)) for term in terms)

    legal = [
        capture
        for side in _named_sides(claim)
        for capture in all_captures(board, side)
        if are(agents, capture.from_square) and are(claim.objects, capture.square)
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
    board, move = moment.last
    if chess.square_name(move.to_square) != claim.detail["square"]:
        return absent("the move goes to another square")
    gain = exchange(board, move)
    wanted = 0
    if "even" not in claim.detail:
        wanted = int(claim.detail["count"]) * (1 if claim.detail["result"] == "wins" else -1)
        wanted *= -1 if claim.subjects and claim.subjects[0].side != board.turn else 1
    return truth(gain == wanted, f"by exchange {board.san(move)} brings {gain:+d} in pawns")


def brings(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look by how much the move of a moment changes a side's material at once."""
    if moment.last is None:
        return NO_MOVE
    change = balance(moment.board) - balance(moment.last[0])
    change *= 1 if claim.subjects[0].side else -1
    evidence = f"material changes by {change:+d} for that side"
    return truth(change == int(claim.detail["count"]), evidence)


# ---------------------------------------------------------------- checks and mates


def gives_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move of a moment gives check, with the piece that is named."""
    board = moment.board
    only_pieces = bool(claim.subjects) and all(term.role == "piece" for term in claim.subjects)
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
    return any(s in moment.board.checkers() for s in acting_squares(claim.subjects, moment))


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
    return truth(any(m.board.is_check() for m in scene.moments), "check in the moment before")


def discovered_check(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece that did not move gives check."""
    if moment.last is None:
        return NO_MOVE
    others = set(moment.board.checkers()) - set(moved_squares(*moment.last))
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
        return fails("the king has a way out" if board.is_check() else "no king is in check")
    evidence = f"{side_name(board.turn)} is checkmated"
    if claim.subjects and all(term.role in ("piece", "side") for term in claim.subjects):
        return truth(_checks(claim, moment), evidence)
    return truth(_right_king(claim, board), evidence)


def is_stalemate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a position is stalemate."""
    stalemate = moment.board.is_stalemate()
    evidence = "stalemate" if stalemate else "there are legal moves or a check"
    return truth(stalemate, evidence, certain="stalemated" not in claim.text)


def threatens_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side could mate at once; a longer mate is not searched for."""
    if moment.board.is_checkmate():
        return holds("it is mate already")
    kings = {not term.side for term in claim.objects if term.side is not None}
    for side in kings or _named_sides(claim):
        for move in mates(moment.board, side):
            return holds(f"{side_name(side)} could mate by {move.uci()}")
    at_once = claim.detail.get("count") == "1"
    return fails("no move mates at once") if at_once else unknown("a longer mate may exist")


def can_mate(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side could mate at once; with the move told, if one is.

    A mate that takes longer is not searched for, so that without a move it is left open.
    """
    if moment.board.is_checkmate():
        return unknown("it is mate already")
    named = _written(claim.objects)
    for side in _named_sides(claim):
        for move in mates(moment.board, side):
            if all(each.fits(moment.board, move) for each in named):
                return holds(f"{move.uci()} mates")
    return fails("that move does not mate") if named else unknown("a longer mate may exist")


def mate_in(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look for the mate that is counted: by the board for one move, else by the given score."""
    board, count = moment.board, int(claim.detail["count"])
    verdict = scene.verdict
    scores = [] if verdict is None else [verdict.before, verdict.after, verdict.played]
    mating = [score.relative.mate() for score in scores]
    known = sorted(abs(mate) for mate in mating if mate is not None)
    if count in known:
        return holds(f"the engine sees mate in {count}")
    if count > 1 and scores and (known or count <= SURE_MATE):
        return fails(f"the engine gives {f'mate in {known[0]}' if known else 'no mate'}")
    if count == 1:
        quick = board.is_checkmate() or any(mates(board, side) for side in chess.COLORS)
        return truth(quick, "mate in one" if quick else "no move mates at once")
    if board.is_checkmate() or mates(board, board.turn):
        return fails("there is a quicker mate")
    return unknown(f"a mate in {count} is not searched for")


# ---------------------------------------------------------------- tactics


def forks(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether one piece attacks all that it is said to fork, and two pieces at least."""
    board = moment.board
    actors = acting_squares(claim.subjects, moment)
    if not actors:
        return absent("there is no such piece")
    enemies = {actor: board.occupied_co[not board.color_at(actor)] for actor in actors}
    targets = {actor: list(board.attacks(actor) & enemies[actor]) for actor in actors}
    if any(term.role == "side" for term in claim.subjects) and claim.objects:
        together = [square for attacked in targets.values() for square in attacked]
        if all(_is_among(term, board, together) for term in claim.objects):
            return holds("its pieces attack all of them")
    for actor, attacked in targets.items():
        if len(attacked) >= 2 and all(_is_among(t, board, attacked) for t in claim.objects):
            names = " and ".join(name(board, square) for square in attacked)
            return holds(f"{name(board, actor)} attacks {names}")
    return fails("no such piece attacks all of them at once")


def _is_among(term: Term, board: chess.Board, squares: Sequence[chess.Square]) -> bool:
    if term.role == "square":
        return term.square in squares
    return bool({*term.squares(board)} & {*squares})


def pins(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece is pinned, to what is said if anything is."""
    board = moment.board
    pinned, *behind = claim.objects
    fronts = acting_squares([pinned], moment)
    if not fronts:
        return absent(f"there is no {pinned.text}")
    named = [term for term in claim.subjects if term.role != "square"]
    actors = acting_squares(named, moment)
    doubtful = False
    for pinner, front, back in _all_lines(board):
        if (named and pinner not in actors) or front not in fronts:
            continue
        worth = [_WORTH[board.piece_type_at(square) or chess.PAWN] for square in (front, back)]
        if _is_among(behind[0], board, [back]) if behind else worth[1] > worth[0]:
            return holds(f"{name(board, pinner)} pins {name(board, front)} to {name(board, back)}")
        doubtful = doubtful or not behind
    return unknown("something stands behind it") if doubtful else fails("no such pin")


_WORTH = {**VALUES, chess.KING: 100}


def skewers(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a line piece attacks one piece through another."""
    board = moment.board
    actors = acting_squares(claim.subjects, moment)
    if not actors:
        return absent("there is no such piece")
    for actor, front, back in _all_lines(board):
        if actor in actors and all(_is_among(t, board, [front, back]) for t in claim.objects):
            line = f"{name(board, back)} stands behind {name(board, front)}"
            return holds(f"{line}, attacked by {name(board, actor)}")
    return fails("no such pieces stand on one line")


def _all_lines(board: chess.Board) -> list[tuple[chess.Square, chess.Square, chess.Square]]:
    """Return each line piece with two enemy pieces behind each other on its line."""
    every = (line for colour in chess.COLORS for line in lines(board, colour))
    return sorted(every, key=lambda line: (board.color_at(line[2]) or 0, line[2], line[0]))


def discovers(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move of a moment opens an attack for another piece."""
    if moment.last is None:
        return NO_MOVE
    for attack in discovered_attacks(*moment.last):
        who, target = name(moment.board, attack.square), name(moment.board, attack.target)
        return holds(f"{who} now attacks {target}")
    return fails("the move opens no attack for another piece")


# ---------------------------------------------------------------- material, pawns and files


def ahead(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is ahead (or behind) in material, by what is said if anything is.

    Where no side is named, either may be.
    """
    turned = claim.relation == "behind"
    sides = [bool(term.side) != turned for term in claim.subjects] or list(chess.COLORS)
    findings = [_is_ahead(claim, moment.board, side) for side in sides]
    return next((finding for finding in findings if finding.outcome == "holds"), findings[0])


def _is_ahead(claim: Claim, board: chess.Board, side: chess.Color) -> Finding:
    pawns_up = balance(board) if side else -balance(board)
    evidence = f"{side_name(side)} is {pawns_up:+d} in pawns"
    if "unit" not in claim.detail:
        return truth(pawns_up > 0, evidence)
    more = {
        kind: len(board.pieces(kind, side)) - len(board.pieces(kind, not side))
        for kind in chess.PIECE_TYPES
    }
    count = number(claim.detail.get("count", "one"))
    unit = claim.detail["unit"].split()[-1].removesuffix("s")
    if unit == "exchange":
        minors = more[chess.KNIGHT] + more[chess.BISHOP]
        return truth(more[chess.ROOK] == count and minors == -count, evidence)
    if unit == "point":
        return truth(pawns_up == count, evidence)
    if unit in ("piece", "minor"):
        pieces = sum(more[kind] for kind in chess.PIECE_TYPES[1:5])
        return truth((pieces == count and pawns_up > 0) or pawns_up == 3 * count, evidence)
    (kind,) = noun_pieces(unit)
    least = count if kind == chess.PAWN else 1
    return truth(
        (more[kind] == count and pawns_up >= least) or pawns_up == VALUES[kind] * count, evidence
    )


def level(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether material is equal."""
    return truth(balance(moment.board) == 0, f"White is {balance(moment.board):+d} in pawns")


def pair(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has bishops on both colours of squares."""
    bishops = moment.board.pieces(chess.BISHOP, bool(claim.subjects[0].side))
    both = bool(bishops & chess.BB_LIGHT_SQUARES) and bool(bishops & chess.BB_DARK_SQUARES)
    return truth(both, f"it has {len(bishops)} bishops")


def counts(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has as many pieces of a kind as is said."""
    side, noun = bool(claim.subjects[0].side), claim.detail["noun"].split()[-1]
    if noun.startswith("piece"):
        return unknown("what counts as a piece is not said")
    have, want = _count(moment.board, noun, side), number(claim.detail["count"])
    evidence = f"it has {have} {noun}"
    if "more" in claim.detail:
        return truth(have - _count(moment.board, noun, not side) == want, evidence)
    if have > want and "whole" not in claim.detail:
        return unknown(f"{evidence}, more than the text speaks of")
    return truth(have == want, evidence)


def _count(board: chess.Board, noun: str, side: chess.Color) -> int:
    return sum(len(board.pieces(kind, side)) for kind in noun_pieces(noun))


def counts_both(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether both sides have as many pieces of a kind as is said; none if no number is."""
    have = [_count(moment.board, claim.detail["noun"], side) for side in chess.COLORS]
    if "count" not in claim.detail:
        return truth(not any(have), f"{sum(have)} are left")
    wanted = number(claim.detail["count"])
    return truth(have == [wanted, wanted], f"they have {have[0]} and {have[1]}")


def pawn_state(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether pawns are passed, doubled or isolated."""
    board, state, term = moment.board, claim.detail["state"], claim.objects[0]
    pawns = term.squares(board)
    if not pawns:
        return absent(f"there is no {term.text}")
    find = {"doubled": doubled, "isolated": isolated}.get(state, passed)
    fitting = [pawn for pawn in pawns if pawn in find(board, bool(board.color_at(pawn)))]
    if state == "connected":
        beside = {
            (chess.square_file(pawn) + step, board.color_at(pawn))
            for pawn in fitting
            for step in (-1, 1)
        }
        fitting = [p for p in fitting if (chess.square_file(p), board.color_at(p)) in beside]
    if fitting:
        return holds(f"the pawn on {chess.square_name(fitting[0])} is {state}")
    return fails(f"no such pawn is {state}")


def open_file(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a file is open, half-open or closed."""
    board, letter = moment.board, claim.detail["file"]
    file = chess.FILE_NAMES.index(letter)
    pawns = bool(board.pawns & chess.BB_FILES[file])
    sides = [bool(term.side) for term in claim.subjects] or chess.COLORS
    half = any(file in half_open_files(board, side) for side in sides)
    state = "half-open" if half else "closed" if pawns else "open"
    wording, evidence = claim.detail.get("half", "open"), f"the {letter}-file is {state}"
    if wording.startswith(("half", "semi")):
        return truth(half, evidence)
    if wording.startswith("closed"):
        return truth(pawns and not half, evidence)
    if half and claim.relation == "opens_file" and "fully" not in claim.detail:
        return unknown(evidence)
    return truth(not pawns, evidence, certain=claim.tense != "later")


# ---------------------------------------------------------------- the engine's verdict


def better(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is better, or neither is, by the bound of the words."""
    verdict, equal = scene.verdict, claim.relation == "equal"
    if verdict is None:
        return NO_ENGINE
    if not claim.subjects and not equal:
        return unknown("whose advantage is not told")
    before = moment.anchor == "before"
    if before and not re.search(r"\b(?:was|were|had)\b", claim.text.lower()):
        return absent("the position after the move is spoken of")
    value = verdict.centipawns_before if before else verdict.centipawns_after
    bound = int(claim.detail["bound"])
    if equal:
        evidence = f"{verdict.engine} gives {abs(value) / 100:.2f} to one side"
        return truth(abs(value) <= bound, evidence, certain=abs(value) > bound * (1 + TOLERANCE))
    side = bool(claim.subjects[0].side) != ("turned" in claim.detail)
    value *= 1 if side == verdict.mover else -1
    evidence = f"{verdict.engine} gives {value / 100:+.2f} for that side"
    return truth(value >= bound, evidence, certain=value < bound * (1 - TOLERANCE))


def loses(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a move loses as much (``low``) or as little (``high``) as the words say."""
    verdict = scene.verdict
    if verdict is None:
        return NO_ENGINE
    loss = _loss_of_another(claim, scene) if _of_another(claim, scene) else verdict.loss
    if loss is None:
        return unknown("the engine says nothing of the other move")
    evidence = f"{verdict.engine} says it loses {loss} centipawns"
    low, high = int(claim.detail.get("low", 0)), int(claim.detail.get("high", loss))
    certain = loss < low * (1 - TOLERANCE) or loss > 2 * high
    return truth(low <= loss <= high, evidence, certain=certain)


def _loss_of_another(claim: Claim, scene: Scene) -> int | None:
    """Return what the other move named loses, if it is among the engine's two best."""
    verdict, board, named = scene.verdict, scene.before.board, _written(claim.objects)
    if verdict is None or len(named) != 1:
        return None
    if named[0].fits(board, chess.Move.from_uci(verdict.best)):
        return 0
    if verdict.second and named[0].fits(board, chess.Move.from_uci(verdict.second)):
        return verdict.lead_of_best
    return None


def _of_another(claim: Claim, scene: Scene) -> bool:
    """Tell whether the sentence writes another move than the played one."""
    moves, board = _written(claim.objects), scene.before.board
    return bool(moves) and not any(move.fits(board, scene.move.move) for move in moves)


def better_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether another move that is named can be better than the one played."""
    verdict = scene.verdict
    if verdict is None:
        return NO_ENGINE
    if not _of_another(claim, scene):
        return unknown("the move compared is not told")
    before, named = scene.before.board, _written(claim.objects)
    if not any(list(move.moves(before)) for move in named):
        if any(list(move.moves(scene.after.board)) for move in named):
            return unknown("a move of the opponent is spoken of")
        return fails("the other move is not legal")
    evidence = f"{verdict.engine} prefers {verdict.best}; the move played loses {verdict.loss}"
    if verdict.loss <= BEST_LOSS:
        return fails(evidence)
    best = chess.Move.from_uci(verdict.best)
    return truth(any(move.fits(before, best) for move in named), evidence, certain=False)


def only_move(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether there is one legal move, or one that beats all others."""
    verdict, reply = scene.verdict, re.search("reply|answer", claim.text)
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
