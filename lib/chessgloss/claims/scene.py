"""The moments that a text about a move may speak of, and which pieces it means in them.

A moment is a position: before the move, after it, after the expected reply, or in a line that
the text itself starts. A text starts lines of its own: each written move that can be played in
a moment opens a new one, which holds for what is said from there on.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from math import inf
from typing import Final, Literal

import chess

from chessgloss.claims.lexicon import Notation
from chessgloss.claims.parser import Claim, Term
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext
from chessgloss.predicates import board as boards
from chessgloss.predicates.words import noun_at

#: Where a claim was held against the board: before the move, after it, after the expected
#: reply, in a line that the text itself starts, or nowhere.
Anchor = Literal["before", "after", "reply", "line", "none"]

#: Newest lines in which a written move is looked for, and most ways to play it that open a line.
NEWEST_LINES: Final = 8

MOST_WAYS: Final = 4


#: Plies before the move in which what is told in the past tense may have been so.
LOOK_BACK: Final = 12

#: A move, and the board on which it is played.
Event = tuple[chess.Board, chess.Move]


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
    last: Event | None = None
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
    unfollowed
        Where in the text moves stand that go on with a line which cannot be followed.
    broken_at
        Where in the text a move ends that cannot be played: what is said behind it of moves,
        checks and tactics may be of its line.
    """

    move: MoveInContext
    moments: tuple[Moment, ...]
    verdict: Verdict | None = None
    unfollowed: frozenset[int] = frozenset()
    broken_at: float = inf

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
            for board in both_turns(moment.board):
                for move in board.legal_moves:
                    yield Moment("line", boards.after_move(board, move), (board, move))

    def allowed(self, claim: Claim) -> tuple[Moment, ...]:
        """Return the moments that the words of a claim allow, latest line first."""
        last = max(claim.span[1], *(term.span[1] for term in claim.subjects), 0)
        lines = lines_until(self.moments, last + 1)[: 3 * NEWEST_LINES]
        if claim.tense == "before":
            return (self.before, *lines)
        if claim.tense == "past":
            return (self.before, *lines, self.after)
        allowed = [self.after, *lines]
        opponent = {term.side for term in claim.subjects} == {not self.move.mover}
        if claim.tense == "later" or (opponent and not claim.stance.negated):
            allowed += [moment for moment in self.moments if moment.anchor == "reply"]
        if claim.tense != "after":
            allowed.append(self.before)
        return tuple(allowed)


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
    moments = _without_lines(move, reply)
    before = moments[0].board
    skipped = {id(moment.board): False for moment in moments}
    unfollowed = set[int]()
    lost = False
    broken_at = inf
    for term in terms:
        if term.continues and lost:
            unfollowed.add(term.span[0])
        ways = ways_to_play(moments, term)
        passed = all(skipped.get(id(board), True) for board, _ in ways)
        lost = passed or (term.continues and lost)
        if not ways:
            broken_at = min(broken_at, term.span[1])
        opened = ways
        for place, (board, chosen) in enumerate(ways):
            if board is before and chosen == move.move:
                opened = ways[:place]
                break
        for board, chosen in reversed(opened):  # the likeliest is to be the newest
            line = boards.after_move(board, chosen)
            by_pass = skipped.get(id(board), True)
            skipped[id(line)] = by_pass
            opening = Moment("line", line, (board, chosen), term.span[0], by_pass)
            moments.append(opening)
    return Scene(move, tuple(moments), verdict, frozenset(unfollowed), broken_at)


@lru_cache(maxsize=256)
def _board(fen: str) -> chess.Board:
    """Return the board of a FEN, not to be changed: many texts speak of the same position."""
    return chess.Board(fen)


def _without_lines(move: MoveInContext, reply: str | None) -> list[Moment]:
    """Return the moments before and after a move, and after the reply if there is one."""
    before = _board(move.position.fen).copy(stack=False)
    after = boards.after_move(before, move.move)
    moments = [Moment("before", before), Moment("after", after, (before, move.move))]
    if reply is not None:
        answer = chess.Move.from_uci(reply)
        if answer not in after.legal_moves:
            raise ValueError(f"the reply {reply!r} is not legal in {after.fen()!r}")
        end = boards.after_move(after, answer)
        moments.append(Moment("reply", end, (after, answer)))
    return moments


def lines_until(moments: Sequence[Moment], stop: int) -> Sequence[Moment]:
    """Return the lines that begin before a place in the text, newest first."""
    end = bisect_left(moments, stop, key=lambda moment: moment.start)
    first = 0
    while first < min(end, 4) and moments[first].anchor != "line":
        first += 1
    return moments[first:end][::-1] if first < 4 else []


def both_turns(board: chess.Board) -> list[chess.Board]:
    """Return the board, and the board after a pass if there can be one."""
    turned = boards.after_pass(board)
    return [board] if turned is None else [board, turned]


def ways_to_play(moments: Sequence[Moment], term: Term) -> list[Event]:
    """Return where and how a written move can be played: one way for each board.

    The latest moment comes first; moves of the side not on turn, as after a pass, last. A
    move number that names the ply before or after the move leaves only that one, and the end of
    the line that the move goes on with.
    """
    latest = lines_until(moments, term.span[0])[:NEWEST_LINES]
    ordered = [*latest, *(m for m in moments[:3] if m.anchor != "line")]
    plies = {term.numbered}
    if term.numbered and term.side is None:
        # after one dot the move may be Black's all the same
        plies.add(term.numbered + 1)
    numbered = [
        moment
        for moment in ordered
        if moment.anchor != "reply" and moment.board.ply() in plies
    ]
    if numbered and term.continues:
        numbered += ordered[:1]
    there = [moment.board for moment in numbered or ordered]

    def playable(positions: Iterable[chess.Board | None]) -> Iterator[Event]:
        for board in positions:
            if board is None or term.side not in (None, board.turn):
                continue
            for move in islice(term.plays(board), 1):
                yield board, move

    turned = () if numbered else map(boards.after_pass, there)
    return list(islice(chain(playable(there), playable(turned)), MOST_WAYS))


# ---------------------------------------------------------------- who is meant


def acting_squares(terms: Iterable[Term], moment: Moment) -> list[chess.Square]:
    """Return the squares of the pieces that may act, those of the first term first."""
    acting = (square for term in terms for square in _acting(term, moment))
    return list(dict.fromkeys(acting))


def _acting(term: Term, moment: Moment) -> list[chess.Square]:
    board = moment.board
    move = term.move
    if term.role in ("piece", "square"):
        return term.squares(board)
    if term.role == "side":
        return list(chess.scan_forward(board.occupied_co[bool(term.side)]))
    if term.role == "this" and term.options:
        options = (option for option in term.options if option.role != "side")
        return acting_squares(options, moment)
    if moment.last is None:
        return []
    if move is None or move.fits(*moment.last):
        # what moved, and pieces behind it that attack more squares now
        before, played = moment.last
        behind = boards.line_pieces(before, before.turn, played.from_square)
        others = chess.scan_forward(behind & ~chess.BB_SQUARES[played.to_square])
        opened = [
            other
            for other in others
            if board.attacks_mask(other) & ~before.attacks_mask(other)
        ]
        return [*boards.moved_squares(before, played), *opened]
    # a piece that a written move has brought there earlier
    if move.to is None or moment.anchor == "before":
        return []
    if board.piece_type_at(move.to) != move.piece:
        return []
    return [move.to]


def name(board: chess.Board, square: chess.Square) -> str:
    """Return what stands on a square: ``the white knight on f3``."""
    if board.piece_type_at(square) is None:
        return f"nothing on {chess.square_name(square)}"
    return noun_at(board, square)


def is_king(term: Term) -> bool:
    """Tell whether a phrase can mean a king alone."""
    return term.pieces == {chess.KING}


def named_sides(claim: Claim) -> set[chess.Color]:
    """Return the sides that the subjects of a claim name."""
    return {term.side for term in claim.subjects if term.side is not None}


def written_moves(terms: Iterable[Term]) -> list[Notation]:
    """Return the written moves among terms."""
    return [term.move for term in terms if term.move is not None]


#: A noun in the plural, or ``both``: more than one piece is meant.
PLURAL = re.compile(
    r"\b(?:king|queen|rook|bishop|knight|pawn|piece|minor|horse)s\b|\bboth\b",
    re.IGNORECASE,
)


def sides_or_both(claim: Claim) -> list[chess.Color]:
    """Return the sides that are the subjects of a claim; both where none is."""
    sides = [bool(term.side) for term in claim.subjects if term.role == "side"]
    return sides or [chess.WHITE, chess.BLACK]
