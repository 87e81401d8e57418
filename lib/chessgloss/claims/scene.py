"""The moments a claim may speak of: before the move, after it, after the reply, in a line.

A text starts lines of its own: each written move that can be played in a moment opens a new
one, which holds for what is said from there on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import chess

from chessgloss.claims.records import Anchor, Claim, Term
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext

#: Lines a text may start before further ones are left out.
MOST_LINES = 24


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
    last: tuple[chess.Board, chess.Move] | None = None
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
    """

    move: MoveInContext
    moments: tuple[Moment, ...]
    verdict: Verdict | None = None

    @property
    def mate_counts(self) -> tuple[int, ...]:
        """Moves to mate that the engine's scores name, before and after the move."""
        if self.verdict is None:
            return ()
        scores = (self.verdict.before, self.verdict.after, self.verdict.played)
        counts = (score.relative.mate() for score in scores)
        return tuple(abs(count) for count in counts if count is not None)

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
        lines = [m for m in self.moments if m.anchor == "line" and m.start <= last]
        if claim.tense == "before":
            return (self.before, *lines[::-1])
        opponent = {term.side for term in claim.subjects} == {not self.move.mover}
        reply = [m for m in self.moments if m.anchor == "reply"]
        now = opponent and not claim.stance.negated
        later = reply if claim.tense == "later" or now else []
        before = [] if claim.tense == "after" else [self.before]
        return (self.after, *lines[::-1], *later, *before)


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
    fixed = len(moments)
    for term in terms:
        known = {id(moment.board): moment.skipped for moment in moments}
        for board, chosen in options(moments, term):
            if len(moments) >= fixed + MOST_LINES or (board is before and chosen == move.move):
                break
            moments.append(
                Moment(
                    "line",
                    play(board, chosen),
                    (board, chosen),
                    term.span[0],
                    known.get(id(board), True),
                )
            )
    return Scene(move, tuple(moments), verdict)


def play(board: chess.Board, move: chess.Move) -> chess.Board:
    """Return the board after a move, as a copy without its history."""
    copy = board.copy(stack=False)
    copy.push(move)
    copy.clear_stack()
    return copy


def passed(board: chess.Board) -> chess.Board | None:
    """Return the board with the other side to move; ``None`` in check."""
    if board.is_check():
        return None
    copy = board.copy(stack=False)
    copy.turn = not copy.turn
    copy.ep_square = None
    return copy


def options(moments: Sequence[Moment], term: Term) -> list[tuple[chess.Board, chess.Move]]:
    """Return where and how a written move can be played: one way for each board.

    The latest moment comes first; moves of the side not on turn, as after a pass, last. A
    move number that names the ply before or after the move leaves only that one.
    """
    latest = [m for m in moments if m.anchor == "line" and m.start < term.span[1]][::-1]
    fixed = [m for m in moments if m.anchor != "line"]
    known = [m for m in (*latest, *fixed) if m.anchor != "reply"]
    numbered = [m for m in known if m.board.ply() == term.numbered]
    if numbered:
        return [one for moment in numbered for one in _fitting(moment.board, term)]
    ordered = [*latest, *fixed]
    found = [one for moment in ordered for one in _fitting(moment.board, term)]
    for board in (passed(moment.board) for moment in ordered):
        if board is not None:
            found += _fitting(board, term)
    return found


def _fitting(board: chess.Board, term: Term) -> Iterator[tuple[chess.Board, chess.Move]]:
    if term.move is None or term.side not in (None, board.turn):
        return
    for move in term.move.moves(board):
        yield board, move
        return
