"""What an engine says of a position, as frozen records that carry their point of view.

Also what its scores mean: centipawns, chances to win, points to expect. Nothing here asks an
engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import chess
import chess.engine

from chessgloss.positions import Position

#: Models of Stockfish's win, draw and loss chances that python-chess knows, by version.
WdlModel = Literal["sf16.1", "sf16", "sf15.1", "sf15", "sf14", "sf12", "lichess"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an engine's analysis.

    Parameters
    ----------
    moves
        Principal variation as UCI moves, best first.
    score
        Value of the line, with its point of view.
    depth
        Nominal depth reached, in plies.
    """

    moves: tuple[str, ...]
    score: chess.engine.PovScore
    depth: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an engine says of a position, best line first.

    Parameters
    ----------
    position
        The position analysed.
    lines
        One line per MultiPV rank; never empty unless the game is over.
    nodes
        Nodes searched in all.
    engine
        Name and version as the engine gives them.
    """

    position: Position
    lines: tuple[Line, ...]
    nodes: int
    engine: str

    def __post_init__(self) -> None:
        turn = self.position.turn
        if any(line.score.turn != turn for line in self.lines):
            raise ValueError(f"lines of {self.position.fen!r} must be seen by the side to move")

    @property
    def best(self) -> Line:
        """The first line; :class:`ValueError` when the game is over and there is none."""
        if not self.lines:
            raise ValueError(f"no line to read: the game is over in {self.position.fen!r}")
        return self.lines[0]


def score_of(analysis: Analysis) -> chess.engine.PovScore:
    """Return the value of a position, seen by the side to move.

    It is the first line's score; in a finished game, mate or a draw as the rules say.
    """
    if analysis.lines:
        return analysis.best.score
    board = analysis.position.board()
    score = chess.engine.Mate(0) if board.is_checkmate() else chess.engine.Cp(0)
    return chess.engine.PovScore(score, board.turn)


def centipawns(score: chess.engine.PovScore, pov: chess.Color, *, mate: int = 10_000) -> int:
    """Return a score in centipawns, seen by ``pov``; mate in n moves is ``mate - n``.

    The static-position plan grades moves on this scale, with ``mate_score=10000``.
    """
    return score.pov(pov).score(mate_score=mate)


def win_probability(
    score: chess.engine.PovScore, ply: int, pov: chess.Color, *, model: WdlModel = "sf15.1"
) -> float:
    """Return the chance, 0 to 1, that ``pov`` wins against an equal at long time control.

    Parameters
    ----------
    score
        The engine's verdict.
    ply
        Plies played since the start of the game: the model's only sign of the phase.
    pov
        The side whose chance it is.
    model
        Stockfish's own win-rate model of that version, fitted to its test games
        (``UCI::win_rate_model`` in its ``src/uci.cpp``), as python-chess carries it.
    """
    return score.pov(pov).wdl(model=model, ply=ply).winning_chance()


def expected_score(
    score: chess.engine.PovScore, ply: int, pov: chess.Color, *, model: WdlModel = "sf15.1"
) -> float:
    """Return the points, 0 to 1, that ``pov`` can expect: win 1, draw 1/2, loss 0.

    Parameters and model are those of :func:`win_probability`.
    """
    return score.pov(pov).wdl(model=model, ply=ply).expectation()
