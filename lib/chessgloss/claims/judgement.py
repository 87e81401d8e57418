"""What only an engine can decide: how a side stands, how good a move is, what is won by force.

The engine's word comes from a :class:`~chessgloss.facts.verdict.Verdict` on the move, which
knows the positions around it, or from a callable that analyses any position, with
:data:`NODES` nodes each. What neither knows is left open. The bounds are generous: between two
of them a claim is arguable, and never called wrong.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Final

import chess
from chess import Board, Color, Move
from chess.engine import Cp, Mate, PovScore

from chessgloss.facts.known import perpetual as repeated
from chessgloss.facts.verdict import Analyse, Verdict
from chessgloss.positions import MoveInContext, Position, natural_end
from chessgloss.predicates import tactics
from chessgloss.predicates.board import after_move
from chessgloss.predicates.finding import Finding, last_move, turned
from chessgloss.predicates.material import AMOUNTS, lead
from chessgloss.predicates.words import side_name
from chessgloss.scores import (
    MATE,
    MATES_FROM,
    Line,
    centipawns,
    read_centipawns,
    score_text,
    win_chance,
)

#: Nodes of a search of one position.
NODES: Final = 100_000

#: Centipawns from which a side stands so, and from which that is arguable.
STANDINGS: Final[dict[str, tuple[int, int]]] = {
    "winning": (250, 80),
    "better": (50, -30),
    "slightly_better": (20, -50),
}
#: Centipawns up to which a position is equal or drawn, and up to which that is arguable.
LEVELS: Final[dict[str, tuple[int, int]]] = {"equal": (50, 200), "drawn": (30, 250)}

#: Chance to win, 0 to 1, that a move so graded gives away: at most, and arguable up to.
GOOD: Final[dict[str, tuple[float, float]]] = {
    "best": (0.015, 0.1),
    "good": (0.05, 0.2),
}
#: The same of bad moves: at least, and arguable from.
BAD: Final[dict[str, tuple[float, float]]] = {
    "bad": (0.1, 0.03),
    "inaccuracy": (0.04, 0.02),
    "mistake": (0.1, 0.03),
    "blunder": (0.2, 0.06),
}
#: What every other move gives away where one is the only good one, and where that is arguable.
ONLY: Final = (0.12, 0.04)

#: Plies of the engine's line in which material is counted.
PLIES: Final = 10

#: Centipawns above which a side stands more than slightly better.
MOST_SLIGHT: Final = 150

_WORSE = {"worse": "better", "losing": "winning", "slightly_worse": "slightly_better"}

UNKNOWN: Final = Finding(None, "no engine was asked")


@dataclass(slots=True)
class Engine:
    """What an engine says of positions: from a verdict, from a search, or not at all.

    Parameters
    ----------
    move
        The move under discussion.
    verdict
        What an engine says of it.
    analyse
        Searches other positions.
    """

    move: MoveInContext
    verdict: Verdict | None = None
    analyse: Analyse | None = None
    _seen: dict[tuple[str, int], Sequence[Line]] = field(default_factory=dict)

    def lines(self, board: Board, count: int = 1) -> Sequence[Line]:
        """Return the best lines of a position, best first; none if nobody knows them."""
        if natural_end(board) is not None:
            score = Mate(0) if board.is_checkmate() else Cp(0)
            return [Line((), PovScore(score, board.turn), 0)]
        key = board.epd(), count
        if key not in self._seen:
            told = self._told(board)[:count]
            searched = [] if len(told) == count else self._searched(board, count)
            self._seen[key] = searched or told
        return self._seen[key]

    def score(self, board: Board, side: Color) -> int | None:
        """Return the value of a position in centipawns, seen by a side."""
        lines = self.lines(board)
        if not lines:
            return None
        return centipawns(lines[0].score, side)

    def _told(self, board: Board) -> list[Line]:
        verdict = self.verdict
        if verdict is None:
            return []
        if self._is_start(board):
            lines = [Line(verdict.best_line, verdict.before, 0)]
            if verdict.second is not None and verdict.second_centipawns is not None:
                score = read_centipawns(verdict.second_centipawns, verdict.mover)
                lines.append(Line((verdict.second,), score, 0))
            return lines
        after = Board(self.move.after().fen).epd() == board.epd()
        return [Line(verdict.reply_line, verdict.after, 0)] if after else []

    def _searched(self, board: Board, count: int) -> Sequence[Line]:
        if self.analyse is None or not board.is_valid():
            return []
        position = Position(board.fen())
        (analysis,) = self.analyse([position], NODES, count)
        return analysis.lines

    def _is_start(self, board: Board) -> bool:
        start = Board(self.move.position.fen)
        return board.epd() == start.epd()

    def value(self, board: Board, move: Move) -> int | None:
        """Return what a move is worth in centipawns, seen by the side that makes it."""
        verdict = self.verdict
        if verdict and self.analyse is None and self._is_start(board):
            known = {verdict.best: verdict.before, self.move.uci: verdict.played}
            if move.uci() in known:
                return centipawns(known[move.uci()], board.turn)
        return self.score(after_move(board, move), board.turn)

    def loss(self, board: Board, move: Move) -> float | None:
        """Return the chance to win, 0 to 1, that a move gives away against the best."""
        best = self.score(board, board.turn)
        played = self.value(board, move)
        if best is None or played is None:
            return None
        return _given_away(best, played)

    def is_mated(self, board: Board, move: Move) -> bool:
        """Return whether a move lets the other side mate: at once, or by the engine's word."""
        after = after_move(board, move)
        if tactics.mates(after, after.turn):
            return True
        return self.mates(after)

    def mates(self, board: Board) -> bool:
        """Return whether the side on turn mates by force, by the engine's word."""
        score = self.score(board, board.turn)
        return score is not None and score >= MATES_FROM

    def harm(self, board: Board, move: Move) -> float | None:
        """Return the chance to win that a move gives away; 1 if it loses by exchange."""
        if tactics.exchange(board, move) < 0:
            return 1.0
        return self.loss(board, move)

    def threatens(self, board: Board, moves: Sequence[Move]) -> Finding | None:
        """Return the finding that one of some moves, after a pass, gains by the engine's word."""
        side = not board.turn
        passed = turned(board, side)
        now = self.score(board, side)
        for move in moves[:5]:
            then = self.score(after_move(passed, move), side)
            if now is None or then is None:
                return None
            if _given_away(then, now) >= BAD["bad"][0]:
                return Finding(True, f"{passed.san(move)} would gain")
        return None


def _given_away(best: float, played: float) -> float:
    """Return the chance to win that the second of two values in centipawns gives away."""
    lost = win_chance(best) - win_chance(played)
    return max(0.0, lost)


def _reached(value: float, bounds: tuple[float, float], evidence: str) -> Finding:
    """Return whether a value reaches the first bound; from the second on that is arguable."""
    sure, arguable = bounds
    if sure < arguable:  # the less, the surer
        value, sure, arguable = -value, -sure, -arguable
    return Finding(value >= sure, evidence, arguable=value >= arguable)


# ---------------------------------------------------------------- standing


def evaluation(
    engine: Engine,
    board: Board,
    side: Color | None = None,
    standing: str = "better",
    number: Container[float] | None = None,
) -> Finding:
    """Return whether a side stands so by the engine."""
    value = engine.score(board, side is not False)
    if value is None:
        return UNKNOWN
    evidence = f"the engine's verdict: {score_text(engine.lines(board)[0].score)}"
    if standing == "unclear":
        return Finding(None, evidence)
    if standing in LEVELS:
        return _reached(abs(value), LEVELS[standing], evidence)
    if side is None:
        value = abs(value)
    if number is not None:
        pawns = value / 100
        near = any(pawns + step in number for step in (-2, -1, 0, 1, 2))
        return Finding(pawns in number, evidence, arguable=near)
    if standing in _WORSE:
        standing, value = _WORSE[standing], -value
    if standing == "slightly_better" and value > MOST_SLIGHT:
        return Finding(False, evidence, arguable=True)
    return _reached(value, STANDINGS[standing], evidence)


# ---------------------------------------------------------------- moves


def quality(engine: Engine, board: Board, moves: Sequence[Move], grade: str) -> Finding:
    """Return whether a move, one of ``moves``, is so good or bad."""
    if not moves:
        return Finding(False, "no such move can be played")
    losses = [engine.loss(board, move) for move in moves]
    known = [loss for loss in losses if loss is not None]
    if not known:
        return UNKNOWN
    name = board.san(moves[losses.index(min(known))])
    evidence = f"{name} gives away {100 * min(known):.0f} % of the chances to win"
    if grade == "only":
        other = loss_of_others(engine, board, moves)
        if other is None:
            return UNKNOWN
        finding = _reached(other, ONLY, f"{evidence}, others {100 * other:.0f} %")
        good = min(known) < GOOD["good"][0]
        return finding if good else finding._replace(holds=False)
    if grade in GOOD:
        finding = _reached(min(known), GOOD[grade], evidence)
    else:
        finding = _reached(max(known), BAD[grade], evidence)
    return finding._replace(arguable=finding.arguable or len(known) > 1)


def loss_of_others(engine: Engine, board: Board, moves: Sequence[Move]) -> float | None:
    """Return the chance to win that the best move outside ``moves`` gives away.

    1 if there is no other; ``None`` if it is not known.
    """
    others = {move.uci() for move in board.legal_moves if move not in moves}
    if not others:
        return 1.0
    count = min(len(moves), 4) + 1
    lines = engine.lines(board, count)
    for line in lines:
        if others & {*line.moves[:1]}:
            best = centipawns(lines[0].score, board.turn)
            value = centipawns(line.score, board.turn)
            return _given_away(best, value)
    return None


def better(
    engine: Engine,
    board: Board,
    moves: Sequence[Move],
    others: Sequence[Move],
) -> Finding:
    """Return whether one of ``moves`` is better than one of ``others``."""
    if not moves:
        return Finding(False, "no such move can be played")
    best = [engine.value(board, move) for move in moves]
    rest = [engine.value(board, move) for move in others if move not in moves]
    known = [value for value in best if value is not None]
    compared = [value for value in rest if value is not None]
    if not known or not compared:
        return UNKNOWN
    most, least = max(known), min(compared)
    gain = win_chance(most) - win_chance(least)
    evidence = f"{board.san(moves[0])} keeps {100 * gain:+.0f} % of the chances to win"
    if most > least and (most >= MATES_FROM or least <= -MATES_FROM):
        return Finding(True, evidence)
    return _reached(gain, (0.03, -0.03), evidence)


# ---------------------------------------------------------------- by force


def wins(
    engine: Engine,
    before: Board,
    board: Board,
    side: Color,
    amount: str | None = None,
    number: Container[float] | None = None,
) -> Finding:
    """Return whether a side comes out ahead, from ``before`` to the end of the engine's line."""
    least, most = AMOUNTS[amount or "material"]
    value = engine.score(board, side)
    if value is None:
        return _by_exchange(before, board, side, number or range(round(least), 100))
    copy = board.copy(stack=False)
    leads = [lead(board, side)]
    for move in engine.lines(board)[0].moves[:PLIES]:
        copy.push_uci(move)
        leads.append(lead(copy, side))
    last = sorted(leads[-3:]) if len(leads) > 3 else leads[-1:]
    won = last[len(last) // 2] - lead(before, side)
    evidence = f"with best play {side_name(side)} comes out {won:+d} pawns"
    gained = value - (engine.score(before, side) or 0)
    half = 50 * least
    doubt = 2 * won >= least or gained > half or value > 5 * half
    if number is not None:
        return Finding(won in number, evidence, arguable=doubt)
    over = natural_end(board) is not None
    if over and won > most + 1:
        return Finding(False, evidence)
    return Finding(won >= least, evidence, arguable=doubt)


def _by_exchange(
    before: Board,
    board: Board,
    side: Color,
    number: Container[float],
) -> Finding:
    """Return what the move brings by exchange on its square, where no engine says more."""
    move = last_move(board)
    played = len(board.move_stack) == len(before.move_stack) + 1
    if not played or move is None or before.turn != side or not before.is_capture(move):
        return UNKNOWN
    won = tactics.exchange(before, move)
    evidence = f"the exchanges bring {side_name(side)} {won} pawns"
    return Finding(True, evidence) if won in number else UNKNOWN


def mate_in(
    engine: Engine,
    board: Board,
    now: Board,
    firsts: Sequence[Move] | None,
    number: Container[float] | None,
) -> Finding:
    """Return whether a side mates by force, in so many moves.

    Parameters
    ----------
    engine
        Who is asked of more than one move.
    board
        The position with that side to move.
    now
        The position as it is: the other side may be to move.
    firsts
        The moves that it begins with; ``None`` for any.
    number
        Moves to mate; ``None`` for any number.
    """
    if firsts is not None and not firsts:
        return Finding(False, "no such move can be played")
    moves = list(board.legal_moves) if firsts is None else list(firsts)
    at_once = [move for move in moves if after_move(board, move).is_checkmate()]
    if at_once:
        text = f"{board.san(at_once[0])} mates at once"
        return Finding(number is None or 1 in number, text, arguable=firsts is None)
    if number is not None and 1 in number:
        return Finding(False, "no move mates at once")
    side = board.turn
    reached = (
        [now] if firsts is None else [after_move(board, move) for move in moves[:5]]
    )
    scores = [
        score for each in reached if (score := engine.score(each, side)) is not None
    ]
    if not scores:
        return UNKNOWN
    best = max(scores)
    if best < MATES_FROM:
        return Finding(False, "the engine sees no mate", arguable=best > 300)
    distance = MATE - best + (firsts is not None)
    fits = number is None or distance in number
    return Finding(fits, f"the engine sees mate in {distance}", arguable=True)


def perpetual(engine: Engine, board: Board, side: Color | None = None) -> Finding:
    """Return whether a side can check for ever: the engine's line shows it, or it is no draw."""
    value = engine.score(board, chess.WHITE)
    if value is None:
        return UNKNOWN
    (line, *_) = engine.lines(board)
    shown = repeated(board, line.moves, "after")
    if shown is not None and abs(value) <= LEVELS["drawn"][0]:
        return Finding(side in (None, shown.side), shown.text)
    evidence = score_text(line.score)
    drawn = abs(value) <= LEVELS["equal"][1]
    return Finding(False, evidence, arguable=drawn)
