"""What an engine says of a move, weighed from its analyses before and after it.

All values are seen by the side that moves. Centipawns follow the static-position plan: mate in
n moves counts as 10,000 - n, being mated in n as -10,000 + n. Chances to win and points to
expect come from Stockfish 15.1's own win-rate model (see
:func:`chessgloss.engine.win_probability`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import chess
import chess.engine

from chessgloss.engine import (
    Analysis,
    centipawn_loss,
    centipawns,
    expected_score,
    score_of,
    win_probability,
)
from chessgloss.positions import MoveInContext

MistakeClass = Literal["Excellent", "Good", "Inaccuracy", "Mistake", "Blunder"]

#: The plan's step 2.1: the most centipawns that a move of the class may lose; above, a Blunder.
CLASS_BOUNDS: Final[tuple[tuple[MistakeClass, int], ...]] = (
    ("Excellent", 10),
    ("Good", 30),
    ("Inaccuracy", 60),
    ("Mistake", 100),
)

#: Lines among which a move is ranked: the plan asks for five.
RANKED_LINES = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """An engine's verdict on a move, seen by the side that moves.

    Parameters
    ----------
    engine
        Name and version of the engine.
    nodes
        Nodes searched before and after the move, together.
    before, after
        Score of the position before the move (its best line) and after it (its own analysis).
    played
        Score of the played move, as it was compared with the best: its line in the analysis
        before the move if it has one there, else ``after``.
    win_before, win_after
        Chance of the mover to win, 0 to 1, from ``before`` and ``after``.
    expected_before, expected_after
        Points the mover can expect, 0 to 1 (win 1, draw 1/2), from the same.
    loss
        Centipawns that the move loses against the best line; never negative.
    rank
        Place of the move among the best lines, 1 to 5; ``None`` if it is not among them.
    ranked
        Number of lines among which it was looked for.
    best
        The best move, UCI.
    second, second_centipawns
        The second-best move and its value; ``None`` if there is no second line.
    best_line
        The best line from the position before the move, UCI.
    reply
        The answer that the engine expects to the played move, UCI; ``None`` if the game is
        over or no line says.
    reply_line
        The engine's line from the position after the move, UCI; empty if the game is over.
    """

    engine: str
    nodes: int
    before: chess.engine.PovScore
    after: chess.engine.PovScore
    played: chess.engine.PovScore
    win_before: float
    win_after: float
    expected_before: float
    expected_after: float
    loss: int
    rank: int | None
    ranked: int
    best: str
    second: str | None
    second_centipawns: int | None
    best_line: tuple[str, ...]
    reply: str | None
    reply_line: tuple[str, ...]

    @property
    def mover(self) -> chess.Color:
        """Side that moves, whose point of view this is."""
        return self.before.turn

    @property
    def mistake_class(self) -> MistakeClass:
        """Class of the move by its loss: the plan's Excellent to Blunder."""
        return mistake_class(self.loss)

    @property
    def centipawns_before(self) -> int:
        """Value before the move in centipawns."""
        return centipawns(self.before, self.mover)

    @property
    def centipawns_after(self) -> int:
        """Value after the move in centipawns."""
        return centipawns(self.after, self.mover)

    @property
    def lead_of_best(self) -> int | None:
        """Centipawns by which the best move beats the second; ``None`` without a second."""
        if self.second_centipawns is None:
            return None
        return self.centipawns_before - self.second_centipawns

    def summary(self) -> dict[str, object]:
        """Return the verdict as plain values, ready for JSON, seen by the side that moves."""
        chances = ("win_before", "win_after", "expected_before", "expected_after")
        choice = ("rank", "ranked", "best", "second", "second_centipawns", "best_line", "reply")
        return {
            "engine": self.engine,
            "nodes": self.nodes,
            "point_of_view": "White" if self.mover else "Black",
            "centipawns_before": self.centipawns_before,
            "centipawns_after": self.centipawns_after,
            "mate_before": self.before.relative.mate(),
            "mate_after": self.after.relative.mate(),
            **{name: round(getattr(self, name), 4) for name in chances},
            "loss": self.loss,
            "class": self.mistake_class,
            **{name: getattr(self, name) for name in (*choice, "reply_line")},
        }


def mistake_class(loss: float) -> MistakeClass:
    """Return the class of a move that loses ``loss`` centipawns (the plan's step 2.1).

    Excellent up to 10, Good up to 30, Inaccuracy up to 60, Mistake up to 100, above that
    Blunder.

    Raises
    ------
    ValueError
        If the loss is negative or no number.
    """
    if not loss >= 0:
        raise ValueError(f"a loss is at least 0 centipawns, got {loss}")
    return next((name for name, bound in CLASS_BOUNDS if loss <= bound), get_args(MistakeClass)[-1])


def weigh(move: MoveInContext, before: Analysis, after: Analysis) -> Verdict:
    """Weigh a move by what an engine says of the positions before and after it.

    Parameters
    ----------
    move
        The move.
    before
        Analysis of the position before it, with several lines (MultiPV) for a rank.
    after
        Analysis of the position after it, by the same engine; without lines if the game is
        over.

    Raises
    ------
    ValueError
        If an analysis is of another position, they come from different engines, or ``before``
        has no line: the game was over.
    """
    for analysis, position in ((before, move.position), (after, move.after())):
        if analysis.position.fen != position.fen:
            raise ValueError(f"an analysis of {analysis.position.fen!r}, not of {position.fen!r}")
    if before.engine != after.engine:
        raise ValueError(f"one engine must weigh a move, got {before.engine} and {after.engine}")
    mover = move.mover
    ply = chess.Board(move.position.fen).ply()
    lines = before.lines[:RANKED_LINES]
    rank = next((n for n, line in enumerate(lines, 1) if line.moves[:1] == (move.uci,)), None)
    best, end = _seen_by(before.best.score, mover), _seen_by(score_of(after), mover)
    played = lines[rank - 1].score if rank else _a_move_earlier(end)
    second = lines[1] if len(lines) > 1 and lines[1].moves else None
    reply_line = after.lines[0].moves if after.lines else ()
    # Where the analysis after the move says no reply, its line before the move may.
    replies = reply_line[:1] or (lines[rank - 1].moves[1:2] if rank and after.lines else ())
    return Verdict(
        engine=before.engine,
        nodes=before.nodes + after.nodes,
        before=best,
        after=end,
        played=played,
        win_before=win_probability(best, ply, mover),
        win_after=win_probability(end, ply + 1, mover),
        expected_before=expected_score(best, ply, mover),
        expected_after=expected_score(end, ply + 1, mover),
        loss=int(centipawn_loss(centipawns(best, mover), centipawns(played, mover), cap=None)),
        rank=rank,
        ranked=len(lines),
        best=before.best.moves[0],
        second=second.moves[0] if second else None,
        second_centipawns=centipawns(second.score, mover) if second else None,
        best_line=before.best.moves,
        reply=replies[0] if replies else None,
        reply_line=reply_line,
    )


def _seen_by(score: chess.engine.PovScore, colour: chess.Color) -> chess.engine.PovScore:
    return chess.engine.PovScore(score.pov(colour), colour)


def _a_move_earlier(score: chess.engine.PovScore) -> chess.engine.PovScore:
    """Return a score after a move as one before it: a mate that the mover gives is one further."""
    mate = score.relative.mate()
    if mate is None or not score.relative > chess.engine.Cp(0):
        return score
    return chess.engine.PovScore(chess.engine.Mate(mate + 1), score.turn)
