"""What a reader would try, and why it fails: natural replies and alternatives, searched shortly.

An engine's own line never holds the natural blunder. So each move that a reader would think of
is searched by itself: after the move what the opponent threatened before it, captures of the moved
piece and of what it left, and checks; before it the engine's second choice, other ways to take the
same piece, captures that seem to win something, and the mover's next move of the engine's line,
played at once. What fails is told with its line to the end::

    for each in refutations(move, before, after, analyse):
        print(each.text)  # 33...Nxf5 34. Qh8#
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

import chess
import chess.engine
from chess import Board, Color, Move

from chessgloss.facts.verdict import AHEAD, Analyse, standing, weigh
from chessgloss.positions import MoveInContext, Position
from chessgloss.predicates import board as boards
from chessgloss.predicates.outcome import to_the_end
from chessgloss.predicates.tactics import exchange, winning
from chessgloss.scores import CAP, Analysis, by_the_rules, centipawns, score_of

#: Why a reader would think of a reply: it was good before the move, takes the moved piece, takes
#: what that guarded or hid, gives check.
Reply = Literal["threatened", "takes it", "takes what it left", "check"]
#: Why of an alternative: the engine puts it second, it takes the same piece with another, seems to
#: win material, comes later in the engine's line.
Alternative = Literal["second", "takes too", "wins", "next"]

#: Reasons to think of a move that answers the one played.
REPLIES: Final[tuple[Reply, ...]] = get_args(Reply)

#: Nodes of each search, and the most moves that are tried after the move and before it.
TRIED_NODES: Final = 30_000
MOST_REPLIES, MOST_ALTERNATIVES = 5, 4

#: Centipawns, cut at :data:`~chessgloss.scores.CAP`, that a move must cost to fail.
FAILS: Final = 130


@dataclass(frozen=True, slots=True)
class Refutation:
    """A move that a reader would try, and the line in which it fails.

    Parameters
    ----------
    tried
        The move, UCI: of the opponent after the move, or of the mover in its place.
    natural
        Why a reader would think of it.
    is_reply
        Whether it answers the move.
    line
        UCI moves from the tried one on, to the end: mate, or what is won.
    text
        The line in SAN with its numbers: ``33...Nxf5 34. Qh8#``.
    score
        Score after the tried move; its point of view is the side that tried it.
    loss
        Centipawns, at least :data:`FAILS` unless it is mated sooner, that it costs that side: of
        a reply against the best one, of an alternative against the move played. Scores are cut
        at :data:`~chessgloss.scores.CAP`.
    """

    tried: str
    natural: Reply | Alternative
    is_reply: bool
    line: tuple[str, ...]
    text: str
    score: chess.engine.PovScore
    loss: int

    @property
    def move(self) -> Move:
        """The move tried, as python-chess holds it."""
        return Move.from_uci(self.tried)

    @property
    def mate(self) -> int | None:
        """Moves in which the line mates the side that tried it; ``None`` if it does not."""
        return len(self.line) // 2 if self.text.endswith("#") else None


def refutations(
    move: MoveInContext,
    before: Analysis,
    after: Analysis,
    analyse: Analyse,
    nodes: int = TRIED_NODES,
    idle: Analysis | None = None,
) -> tuple[Refutation, ...]:
    """Search what a reader would try after a move and in its place; return what fails.

    It fails if it costs :data:`FAILS` centipawns, or is mated sooner than with the best reply; a
    reply only if its side then stands no better than the other.

    Parameters
    ----------
    move
        The move.
    before, after
        The engine's analyses of the positions around it (:func:`chessgloss.facts.search`).
    analyse
        Analyses positions with so many nodes and lines each, in their order.
    nodes
        Nodes of each of at most :data:`MOST_REPLIES` and :data:`MOST_ALTERNATIVES` searches.
    idle
        The engine's analysis of the position before the move if its side passed instead.

    Returns
    -------
    tuple of Refutation
        Replies, then alternatives, in the order in which a reader would think of them.
    """
    return refute_all([(move, before, after, idle)], analyse, nodes)[0]


def refute_all(
    asked: Sequence[tuple[MoveInContext, Analysis, Analysis, Analysis | None]],
    analyse: Analyse,
    nodes: int = TRIED_NODES,
) -> list[tuple[Refutation, ...]]:
    """Return what fails of several moves, asked at once (:func:`refutations`).

    Each is given with the analyses before it, after it, and after a pass in its place.
    """
    tries = [[*_tries(*each)] for each in asked]
    positions = [
        MoveInContext(each.at, each.uci).after() for of in tries for each in of
    ]
    found = iter(analyse(positions, nodes, 1) if positions else ())
    failed = list[tuple[Refutation, ...]]()
    for of in tries:
        all_of_it = [_refuted(each, by_the_rules(next(found))) for each in of]
        failed.append(tuple(each for each in all_of_it if each is not None))
    return failed


class _Try(NamedTuple):
    """A move to be tried: where, why, and the score that it is held against."""

    at: Position
    uci: str
    natural: Reply | Alternative
    best: chess.engine.PovScore


def _tries(
    move: MoveInContext, before: Analysis, after: Analysis, idle: Analysis | None
) -> Iterator[_Try]:
    verdict = weigh(move, before, after)
    replies = _first(natural_replies(move, idle), {verdict.reply}, MOST_REPLIES)
    for uci, natural in replies:
        yield _Try(move.after(), uci, natural, verdict.after)
    known = {verdict.best, move.uci}
    others = _first(natural_alternatives(move, before), known, MOST_ALTERNATIVES)
    for uci, natural in others:
        yield _Try(move.position, uci, natural, verdict.played)


def _first(
    thought_of: Iterable[tuple[str, Reply | Alternative]],
    known: Container[str | None],
    most: int,
) -> list[tuple[str, Reply | Alternative]]:
    """Return the first moves that are not known, each with the first reason to think of it."""
    found = dict[str, Reply | Alternative]()
    for uci, natural in thought_of:
        if uci not in known:
            found.setdefault(uci, natural)
    return [*found.items()][:most]


def _refuted(tried: _Try, analysis: Analysis) -> Refutation | None:
    """Return the refutation of a move tried, ``None`` if it holds beside the best score."""
    at, uci, natural, best = tried
    side = at.turn
    board = Board(at.fen)
    played = score_of(analysis)
    loss = _cut(best, side) - _cut(played, side)
    line = to_the_end(board, (uci, *(analysis.best.moves if analysis.lines else ())))
    text = board.variation_san(map(Move.from_uci, line))
    mated_anyway = -(best.pov(side).mate() or 0)
    sooner = text.endswith("#") and not 0 < mated_anyway <= len(line) // 2
    is_reply = natural in REPLIES
    ahead = is_reply and standing(played, side) in AHEAD
    if ahead or (loss < FAILS and not sooner):
        return None
    return Refutation(
        tried=uci,
        natural=natural,
        is_reply=is_reply,
        line=line,
        text=text,
        score=chess.engine.PovScore(played.pov(side), side),
        loss=loss,
    )


def _cut(score: chess.engine.PovScore, side: Color) -> int:
    return max(-CAP, min(CAP, centipawns(score, side)))


# ---------------------------------------------------------------- what a reader would think of


def natural_replies(
    move: MoveInContext, idle: Analysis | None = None
) -> Iterator[tuple[str, Reply]]:
    """Yield the replies that a reader would think of (UCI), and why; the plainest first.

    What the engine plays where the mover passes; captures of the moved piece, by the cheapest
    first; of what the move no longer guards, and of what can be won only since it; checks. None
    of these loses material by exchange.
    """
    board = Board(move.position.fen)
    after = boards.after_move(board, move.move)
    end = move.move.to_square
    replies = sorted(
        (each for each in after.legal_moves if exchange(after, each) >= 0),
        key=lambda each: (boards.piece_on(after, each.from_square), each.uci()),
    )
    guarded = board.attacks(move.move.from_square) - after.attacks(end)
    won_before = winning(board, not move.mover).keys()
    left = {*winning(after, not move.mover)} - won_before
    left |= {*guarded & after.occupied_co[move.mover]}
    if idle is not None and idle.lines:
        uci = idle.best.moves[0]
        if after.is_legal(Move.from_uci(uci)):
            yield uci, "threatened"
    for each in replies:
        if boards.taken_on(after, each) == end:
            yield each.uci(), "takes it"
    for each in replies:
        if boards.taken_on(after, each) in left - {end}:
            yield each.uci(), "takes what it left"
    for each in replies:
        if after.gives_check(each):
            yield each.uci(), "check"


def natural_alternatives(
    move: MoveInContext, before: Analysis
) -> Iterator[tuple[str, Alternative]]:
    """Yield the moves that a reader would think of in place of one (UCI), and why.

    The engine's second choice where the move is its first; captures of the same piece by another,
    if they give no more by exchange; captures that win material by exchange, the dearest first;
    the mover's next move in the engine's line, played at once, if that leaves no piece to be taken.
    """
    board = Board(move.position.fen)
    taken = boards.taken_on(board, move.move)
    least = min(0, exchange(board, move.move))
    first, *rest = (line.moves[0] for line in before.lines)
    if rest and first == move.uci:
        yield rest[0], "second"
    for each in board.legal_moves:
        too = taken is not None and boards.taken_on(board, each) == taken
        if too and exchange(board, each) >= least:
            yield each.uci(), "takes too"
    for capture in winning(board, move.mover).values():
        if board.is_legal(capture.move):
            yield capture.move.uci(), "wins"
    lines = (line.moves for line in before.lines if line.moves[0] == move.uci)
    for uci in (each for line in lines for each in line[2:3]):
        following = Move.from_uci(uci)
        if board.is_legal(following) and not _hangs(board, following):
            yield uci, "next"


def _hangs(board: Board, move: Move) -> bool:
    """Return whether a move leaves a piece (no pawn) to be won by exchange."""
    lost = winning(boards.after_move(board, move), not board.turn).values()
    return any(each.victim != chess.PAWN for each in lost)
