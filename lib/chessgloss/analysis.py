"""What an engine says of a position, as frozen records that carry their point of view."""

from __future__ import annotations

from dataclasses import dataclass

import chess.engine

from chessgloss.positions import Position


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
