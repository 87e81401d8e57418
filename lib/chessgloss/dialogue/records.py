"""What a dialogue is about, the facts found for a question, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import chess

from chessgloss.engine import Analysis
from chessgloss.facts import Verdict, weigh
from chessgloss.positions import MoveInContext, Position, PositionError

#: How a move that somebody speaks of stands to the move under discussion: the move itself,
#: another in its place, an answer to it, one further on, one after a pass by the opponent, or
#: none that the rules allow. Facts of pieces, squares and the whole position are ``board``.
Place = Literal["played", "instead", "reply", "later", "threat", "illegal", "board"]

#: Analyses one position, with at least two lines where there are two moves.
Look: TypeAlias = Callable[[Position], Analysis]


@dataclass(frozen=True, slots=True)
class Ground:
    """Facts found for one thing that a text speaks of.

    Parameters
    ----------
    about
        The thing: a move with its number, a piece with its square, ``the threats``.
    place
        How it stands to the move under discussion.
    sentences
        The facts as full English sentences, the most telling first.
    move
        The move in its position, where it is a legal one.
    """

    about: str
    place: Place
    sentences: tuple[str, ...]
    move: MoveInContext | None = None

    def __post_init__(self) -> None:
        if not self.sentences or any(not one.endswith(".") for one in self.sentences):
            raise ValueError(f"{self.about!r} needs full sentences, got {self.sentences}")

    @property
    def text(self) -> str:
        """All sentences in one line."""
        return " ".join(self.sentences)


class Scene:
    """The move under discussion, and an engine that remembers what it was asked.

    Parameters
    ----------
    move
        The move.
    look
        Analyses a position; asked once for each.
    """

    def __init__(self, move: MoveInContext, look: Look) -> None:
        self.move = move
        self._look = look
        self._seen: dict[str, Analysis] = {}

    @property
    def after(self) -> Position:
        """The position after the move."""
        return self.move.after()

    @property
    def passed(self) -> Position | None:
        """The position after the move and a pass; ``None`` if the opponent cannot pass."""
        board = chess.Board(self.after.fen)
        if board.is_check() or board.is_game_over():
            return None
        board.push(chess.Move.null())
        try:
            return Position(board.fen())
        except PositionError:
            return None

    def analyse(self, position: Position) -> Analysis:
        """Return the engine's analysis of a position."""
        key = f"{position.fen} {' '.join(position.moves)}"
        if key not in self._seen:
            self._seen[key] = self._look(position)
        return self._seen[key]

    def weigh(self, move: MoveInContext) -> Verdict:
        """Return the engine's verdict on any move."""
        return weigh(move, self.analyse(move.position), self.analyse(move.after()))
