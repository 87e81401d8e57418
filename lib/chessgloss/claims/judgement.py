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
from chess.engine import Cp, Mate, PovScore

from chessgloss.facts.known import perpetual as repeated
from chessgloss.facts.verdict import Analyse, Verdict
from chessgloss.positions import MoveInContext, Position, natural_end
from chessgloss.predicates import tactics
from chessgloss.predicates.finding import Finding
from chessgloss.predicates.material import AMOUNTS, lead
from chessgloss.predicates.words import side_name
from chessgloss.scores import (
    MATE,
    MATES_FROM,
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

_WORSE = {"worse": "better", "losing": "winning", "slightly_worse": "slightly_better"}

UNKNOWN: Final = Finding(None, "no engine was asked")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an engine: its score and its moves."""

    score: PovScore
    moves: tuple[chess.Move, ...] = ()


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
    _seen: dict[tuple[str, int], list[Line]] = field(default_factory=dict)

    def lines(self, board: chess.Board, count: int = 1) -> list[Line]:
        """Return the best lines of a position, best first; none if nobody knows them."""
        if natural_end(board) is not None:
            score = Mate(0) if board.is_checkmate() else Cp(0)
            return [Line(PovScore(score, board.turn))]
        key = board.epd(), count
        if key not in self._seen:
            self._seen[key] = self._told(board, count) or self._searched(board, count)
        return self._seen[key]

    def score(self, board: chess.Board, side: chess.Color) -> int | None:
        """Return the value of a position in centipawns, seen by a side."""
        lines = self.lines(board)
        return centipawns(lines[0].score, side) if lines else None

    def _told(self, board: chess.Board, count: int) -> list[Line]:
        verdict = self.verdict
        if verdict is None:
            return []
        if board.epd() == chess.Board(self.move.position.fen).epd():
            best = Line(verdict.before, _moves(verdict.best_line))
            if count == 1 or verdict.second is None:
                return [best] if count == 1 else []
            second = read_centipawns(verdict.second_centipawns or 0, verdict.mover)
            return [best, Line(second, _moves((verdict.second,)))]
        after = chess.Board(self.move.after().fen).epd() == board.epd()
        return [Line(verdict.after, _moves(verdict.reply_line))] if after else []

    def _searched(self, board: chess.Board, count: int) -> list[Line]:
        if self.analyse is None or not board.is_valid():
            return []
        (analysis,) = self.analyse([Position(board.fen())], NODES, count)
        return [Line(each.score, _moves(each.moves)) for each in analysis.lines]

    def value(self, board: chess.Board, move: chess.Move) -> int | None:
        """Return what a move is worth in centipawns, seen by the side that makes it."""
        verdict = self.verdict
        if verdict and self.analyse is None and self._is_start(board):
            known = {verdict.best: verdict.before, self.move.uci: verdict.played}
            if move.uci() in known:
                return centipawns(known[move.uci()], board.turn)
        return self.score(_after(board, move), board.turn)

    def loss(self, board: chess.Board, move: chess.Move) -> float | None:
        """Return the chance to win, 0 to 1, that a move gives away against the best."""
        best = self.score(board, board.turn)
        played = self.value(board, move)
        if best is None or played is None:
            return None
        return max(0.0, win_chance(best) - win_chance(played))

    def is_mated(self, board: chess.Board, move: chess.Move) -> bool:
        """Return whether a move lets the other side mate: at once, or by the engine's word."""
        after = _after(board, move)
        if tactics.mates(after, after.turn):
            return True
        score = self.score(after, board.turn) if board.is_valid() else None
        return score is not None and score <= -MATES_FROM

    def harm(self, board: chess.Board, move: chess.Move) -> float | None:
        """Return the chance to win that a move gives away; 1 if it loses by exchange."""
        if tactics.exchange(board, move) < 0:
            return 1.0
        return self.loss(board, move) if board.is_valid() else None

    def threatens(
        self, board: chess.Board, moves: Sequence[chess.Move]
    ) -> Finding | None:
        """Return the finding that one of some moves, after a pass, gains by the engine's word."""
        side = not board.turn
        now = self.score(board, side)
        passed = _after(board, chess.Move.null())
        for move in moves[:5]:
            then = self.score(_after(passed, move), side)
            if now is None or then is None:
                return None
            if win_chance(then) - win_chance(now) >= BAD["bad"][0]:
                return Finding(True, f"{passed.san(move)} would gain")
        return None

    def _is_start(self, board: chess.Board) -> bool:
        return board.epd() == chess.Board(self.move.position.fen).epd()


def _moves(line: Sequence[str]) -> tuple[chess.Move, ...]:
    return tuple(map(chess.Move.from_uci, line))


def _between(value: float, sure: float, arguable: float) -> tuple[bool, bool]:
    """Return whether a value reaches a bound, and whether it is in doubt that it does not."""
    if sure > arguable:
        return value >= sure, value >= arguable
    return value <= sure, value <= arguable


# ---------------------------------------------------------------- standing


def evaluation(
    engine: Engine,
    board: chess.Board,
    side: chess.Color | None = None,
    standing: str | None = None,
    number: Container[float] | None = None,
) -> Finding:
    """Return whether a side stands so by the engine."""
    lines = engine.lines(board)
    if not lines:
        return UNKNOWN
    evidence = f"the engine's verdict: {score_text(lines[0].score)}"
    if standing == "unclear":
        return Finding(None, evidence)
    level = standing in LEVELS
    value = centipawns(lines[0].score, chess.WHITE if side is None else side)
    if side is None and not level:
        value = abs(value)
    if number is not None:
        near = any(value / 100 + step in number for step in (-2, -1, 0, 1, 2))
        return Finding(value / 100 in number, evidence, arguable=near)
    if level:
        holds, doubt = _between(abs(value), *LEVELS[str(standing)])
        return Finding(holds, evidence, arguable=doubt)
    if standing in _WORSE:
        standing, value = _WORSE[standing], -value
    holds, doubt = _between(value, *STANDINGS[standing or "better"])
    if standing == "slightly_better" and value > 150:
        holds, doubt = False, True
    return Finding(holds, evidence, arguable=doubt)


# ---------------------------------------------------------------- moves


def quality(
    engine: Engine, board: chess.Board, moves: Sequence[chess.Move], grade: str
) -> Finding:
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
        return _only(engine, board, moves, min(known), evidence)
    bound = GOOD.get(grade) or BAD[grade]
    least = min(known) if grade in GOOD else max(known)
    holds, doubt = _between(least, *bound)
    return Finding(holds, evidence, arguable=doubt or len(known) > 1)


def _only(
    engine: Engine,
    board: chess.Board,
    moves: Sequence[chess.Move],
    loss: float,
    evidence: str,
) -> Finding:
    other = least_loss_of_others(engine, board, moves)
    if other is None:
        return UNKNOWN
    sure, arguable = ONLY
    text = f"{evidence}, the best other move {100 * other:.0f} %"
    holds = loss < GOOD["good"][0] and other >= sure
    return Finding(holds, text, arguable=other >= arguable)


def least_loss_of_others(
    engine: Engine, board: chess.Board, moves: Sequence[chess.Move]
) -> float | None:
    """Return the chance to win that the best move outside ``moves`` gives away.

    1 if there is no other; ``None`` if it is not known.
    """
    others = [move for move in board.legal_moves if move not in moves]
    if not others:
        return 1.0
    lines = engine.lines(board, min(len(moves), 4) + 1)
    first = next(
        (each for each in lines if each.moves[:1] != () and each.moves[0] in others),
        None,
    )
    if first is None:
        return None
    best, value = (centipawns(each.score, board.turn) for each in (lines[0], first))
    return max(0.0, win_chance(best) - win_chance(value))


def better(
    engine: Engine,
    board: chess.Board,
    moves: Sequence[chess.Move],
    others: Sequence[chess.Move],
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
    mates = most > least and (most >= MATES_FROM or least <= -MATES_FROM)
    evidence = f"{board.san(moves[0])} keeps {100 * gain:+.0f} % of the chances to win"
    return Finding(mates or gain > 0.03, evidence, arguable=gain > -0.03)


# ---------------------------------------------------------------- by force


def wins(
    engine: Engine,
    before: chess.Board,
    board: chess.Board,
    side: chess.Color,
    amount: str | None = None,
    number: Container[float] | None = None,
) -> Finding:
    """Return whether a side comes out ahead, from ``before`` to the end of the engine's line."""
    lines = engine.lines(board)
    if not lines:
        return _by_exchange(before, board, side, amount, number)
    copy = board.copy(stack=False)
    leads = [lead(board, side)]
    for move in lines[0].moves[:PLIES]:
        copy.push(move)
        leads.append(lead(copy, side))
    last = sorted(leads[-3:]) if len(leads) > 3 else leads[-1:]
    won = last[len(last) // 2] - lead(before, side)
    evidence = f"with best play {side_name(side)} comes out {won:+d} pawns"
    value = centipawns(lines[0].score, side)
    started = engine.score(before, side)
    gained = value - (started or 0)
    least, most = AMOUNTS[amount or "material"]
    half = 50 * least
    doubt = 2 * won >= least or gained > half or value > 5 * half
    if number is not None:
        return Finding(won in number, evidence, arguable=doubt)
    if natural_end(board) is not None and won > most + 1:
        return Finding(False, evidence)
    return Finding(won >= least, evidence, arguable=doubt)


def _by_exchange(
    before: chess.Board,
    board: chess.Board,
    side: chess.Color,
    amount: str | None,
    number: Container[float] | None,
) -> Finding:
    """Return what the move brings by exchange on its square, where no engine says more."""
    if len(board.move_stack) != len(before.move_stack) + 1 or before.turn != side:
        return UNKNOWN
    won = tactics.exchange(before, board.peek())
    enough = won >= AMOUNTS[amount or "material"][0]
    sure = before.is_capture(board.peek()) and (won in number if number else enough)
    evidence = f"the exchanges bring {side_name(side)} {won} pawns"
    return Finding(True, evidence) if sure else UNKNOWN


def mate_in(
    engine: Engine,
    board: chess.Board,
    now: chess.Board,
    firsts: Sequence[chess.Move] | None,
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
    at_once = [move for move in moves if _after(board, move).is_checkmate()]
    if at_once:
        text = f"{board.san(at_once[0])} mates at once"
        return Finding(number is None or 1 in number, text, arguable=firsts is None)
    if number is not None and 1 in number:
        return Finding(False, "no move mates at once")
    side = board.turn
    reached = [now] if firsts is None else [_after(board, move) for move in moves[:5]]
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


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    copy = board.copy()
    copy.push(move)
    return copy


def perpetual(
    engine: Engine, board: chess.Board, side: chess.Color | None = None
) -> Finding:
    """Return whether a side can check for ever: the engine's line shows it, or it is no draw."""
    lines = engine.lines(board)
    if not lines:
        return UNKNOWN
    value = centipawns(lines[0].score, chess.WHITE)
    line = [move.uci() for move in lines[0].moves]
    shown = repeated(board, line, "after")
    if shown is not None and abs(value) <= LEVELS["drawn"][0]:
        return Finding(side in (None, shown.side), shown.text)
    drawn = abs(value) <= LEVELS["equal"][1]
    return Finding(False, score_text(lines[0].score), arguable=drawn)
