"""Players: whoever chooses a move in a position, and those that need no engine.

A player has a name and the method ``choose``, which takes positions and returns one
:class:`~chessgloss.skill.answers.Answer` for each. It never raises for a position it cannot
deal with: errors, time-outs and refusals are answers too. Players of other kinds are in
:mod:`chessgloss.skill.engine_players` and :mod:`chessgloss.skill.llm_players`; a player that
sees nothing but the moves of the game, such as a language model trained on games, is a
:class:`MovesPlayer` around a function.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import chess

from chessgloss.positions import Position
from chessgloss.skill.answers import Answer, read_answer

#: What a move is worth in a position, for :func:`expected_of_random`.
Worth = Callable[[chess.Board, chess.Move], float]


@dataclass(frozen=True, slots=True)
class Asked:
    """A position in which a move is asked for.

    Parameters
    ----------
    name
        Name of the position, the same wherever it is asked.
    position
        The position; ``position.moves`` are the moves that led to it, where they are known.
    """

    name: str
    position: Position

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError(f"the position {self.position.fen!r} needs a name")

    @property
    def has_history(self) -> bool:
        """Whether the game that led here is known from the initial position."""
        known = bool(self.position.moves) or self.position.fen == self.position.root
        return known and self.position.root == chess.STARTING_FEN


class Player(Protocol):
    """Anything that chooses moves."""

    @property
    def name(self) -> str:
        """What to call it in tables and result keys: lower case, ``stockfish_05``."""
        ...

    def choose(self, asked: Sequence[Asked]) -> list[Answer]:
        """Return one answer for each position, in order; raises for none of them."""
        ...


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """Plays any legal move with equal chances; seed and name of the position decide which.

    A mean over what it might play is exact and needs no lot: :func:`expected_of_random`.
    """

    seed: int = 0
    name: str = "random"

    def choose(self, asked: Sequence[Asked]) -> list[Answer]:
        """Return one answer for each position, in order; see :class:`Player`."""
        return [self._one(one) for one in asked]

    def _one(self, asked: Asked) -> Answer:
        board = asked.position.board()
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        if not legal:
            return Answer.failed("the game is over")
        lot = hashlib.blake2b(f"{self.seed} {asked.name}".encode(), digest_size=8).digest()
        return Answer.of(legal[int.from_bytes(lot, "big") % len(legal)], board)


def expected_of_random(asked: Sequence[Asked], worth: Worth) -> list[float]:
    """Return what a random legal move is worth on average in each position, exactly.

    Parameters
    ----------
    asked
        The positions; none in which the game is over.
    worth
        What a move is worth, such as 1 if it mates.

    Raises
    ------
    ValueError
        If there is no legal move in a position.
    """
    return [_mean_worth(one, worth) for one in asked]


@dataclass(frozen=True, slots=True)
class MovesPlayer:
    """A player that sees the moves of the game and nothing else.

    Parameters
    ----------
    name
        What to call it: ``tracking_uci``.
    continue_games
        Takes games as UCI moves from the initial position and returns for each what it says
        comes next, as a text in SAN or UCI.
    """

    name: str
    continue_games: Callable[[Sequence[tuple[str, ...]]], Sequence[str]] = field(repr=False)

    def choose(self, asked: Sequence[Asked]) -> list[Answer]:
        """Return one answer for each position, in order; see :class:`Player`.

        A position whose game is not known from the start gets an ``error``.
        """
        known = [one for one in asked if one.has_history]
        said = self.continue_games([one.position.moves for one in known]) if known else []
        texts = dict(zip(known, said, strict=True))
        return [
            read_answer(texts[one], one.position.board()) if one in texts else NO_HISTORY
            for one in asked
        ]


#: The answer of a player that needs the game, where the game is not known.
NO_HISTORY = Answer.failed("the moves that led to the position are not known")


def _mean_worth(asked: Asked, worth: Worth) -> float:
    board = asked.position.board()
    values = [worth(board, move) for move in board.legal_moves]
    if not values:
        raise ValueError(f"{asked.name}: the game is over, there is no move to choose")
    return sum(values) / len(values)
