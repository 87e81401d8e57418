"""What is written beside the moves of a game, as frozen records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import chess.engine
import chess.pgn

from chessgloss.commentary.briefings import Briefing

#: Numeric annotation glyphs that judge a move (PGN standard, section 10), as signs.
SIGNS: dict[int, str] = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}


class Words(Protocol):
    """A comment as a commentator gives it back."""

    @property
    def text(self) -> str:
        """The comment."""
        ...

    @property
    def method(self) -> str:
        """The method that wrote it."""
        ...

    @property
    def model(self) -> str:
        """The language model that wrote it; empty if none did."""
        ...


#: Writes a comment on a move from what is known of it.
Commentator: TypeAlias = Callable[[Briefing], Words]


@dataclass(frozen=True, slots=True)
class Note:
    """What is written beside one move of the main line.

    Parameters
    ----------
    ply
        Plies of the main line before the move.
    score
        The engine's score of the position after the move; ``None`` when the game is over.
    nag
        Glyph 1 to 6 that judges the move, or ``None``.
    text
        The comment; empty for most moves.
    better
        UCI moves of a better line from the position before the move; may be empty.
    better_score
        The engine's score of that line.
    """

    ply: int
    score: chess.engine.PovScore | None
    nag: int | None = None
    text: str = ""
    better: tuple[str, ...] = ()
    better_score: chess.engine.PovScore | None = None

    def __post_init__(self) -> None:
        if self.ply < 0:
            raise ValueError(f"ply must not be negative, got {self.ply}")
        if self.nag is not None and self.nag not in SIGNS:
            raise ValueError(f"a glyph that judges a move is 1 to 6, got {self.nag}")


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedGame:
    """A game as it was read, and the notes on the moves of its main line.

    Parameters
    ----------
    game
        The game as it was read; nothing is written into it.
    notes
        One for each move of the main line, in order.
    used
        What wrote the comments and what judged the moves, in one line.
    """

    game: chess.pgn.Game
    notes: tuple[Note, ...]
    used: str

    def __post_init__(self) -> None:
        plies = sum(1 for _ in self.game.mainline_moves())
        if [note.ply for note in self.notes] != list(range(plies)):
            raise ValueError(f"one note for each of {plies} plies, got {len(self.notes)}")
