"""Grades of moves: what each loses against the best, by one search setting for all moves.

The static-position plan (step 2) values the position before a move and the one after it by
two searches, and a move can then gain what only the second search saw. Here every legal move
is a line of the position itself: a MultiPV search gives the five best, the other moves are
searched five at a time with the same nodes for each five (``searchmoves``). The best is the
highest of all lines, so that no loss is negative, and one table grades every answer that
anyone may give.

Values are in centipawns for the side that moves; mate in n moves counts as 10,000 - n, as in
the plan. Losses are taken after both values are cut at :data:`~chessgloss.engine.CAP`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

import chess
import numpy as np
from numpy.typing import ArrayLike, NDArray

from chessgloss.engine import CAP, Analysis, Engine, centipawn_loss, centipawns
from chessgloss.facts.verdict import CLASS_BOUNDS, RANKED_LINES, MistakeClass
from chessgloss.positions import Position
from chessgloss.skill.answers import Answer

#: Grades of answers that are no legal move.
Failure = Literal["Illegal", "Unreadable", "Refused", "Error"]
Grade = MistakeClass | Failure

#: The plan's grades of moves from best to worst, then those of answers without a move.
MOVE_GRADES: Final[tuple[MistakeClass, ...]] = get_args(MistakeClass)
GRADES: Final[tuple[Grade, ...]] = (*MOVE_GRADES, *get_args(Failure))

#: Rank of a move that is not among the five best (the plan's ``_classify_move``).
OUTSIDE = RANKED_LINES + 1

#: Steepness of Lichess's curve from centipawns to the chance to win, fitted to its games.
#: Source: lila, ``WinPercent`` (https://lichess.org/page/accuracy).
WIN_STEEPNESS = 0.00368208


@dataclass(frozen=True, slots=True)
class Settings:
    """How positions are searched for grading.

    Parameters
    ----------
    nodes
        Nodes of a search of :attr:`lines` lines; fewer lines get their share of them.
    depth
        Plies to search instead.
    lines
        Lines of a search.
    """

    nodes: int | None = 20_000
    depth: int | None = None
    lines: int = RANKED_LINES

    def __post_init__(self) -> None:
        if (self.nodes is None) == (self.depth is None):
            raise ValueError(f"give exactly one of nodes and depth, got {self}")
        numbers = (self.nodes, self.depth, self.lines)
        if any(number is not None and number < 1 for number in numbers):
            raise ValueError(f"nodes, depth and lines must be positive, got {self}")

    @property
    def label(self) -> str:
        """The limit as a word: ``nodes-20000``, ``depth-18``."""
        return f"nodes-{self.nodes}" if self.depth is None else f"depth-{self.depth}"

    def search(
        self, engine: Engine, position: Position, lines: int, moves: tuple[str, ...] | None = None
    ) -> Analysis:
        """Search so many lines, restricted to ``moves`` if they are given."""
        nodes = None if self.nodes is None else max(1, self.nodes * lines // self.lines)
        return engine.analyse(
            position, nodes=nodes, depth=self.depth, multipv=lines, root_moves=moves
        )


@dataclass(frozen=True, slots=True)
class MoveTable:
    """What the moves of a position are worth.

    Parameters
    ----------
    position
        The position.
    values
        UCI move to centipawns for the side that moves, uncut; every legal move, or some.
    ranked
        The best moves of the MultiPV search, best first, at most five.
    """

    position: Position
    values: Mapping[str, int]
    ranked: tuple[str, ...]

    def __post_init__(self) -> None:
        legal = {move.uci() for move in chess.Board(self.position.fen).legal_moves}
        if not self.values or not legal.issuperset(self.values):
            raise ValueError(f"the values of {self.position.fen!r} must be of its legal moves")
        if not set(self.values).issuperset(self.ranked) or not self.ranked:
            raise ValueError(f"the ranked moves of {self.position.fen!r} must have values")
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    @property
    def best(self) -> int:
        """The highest value, uncut, in centipawns for the side that moves."""
        return max(self.values.values())

    def loss(self, uci: str, *, cap: float = CAP) -> float:
        """Return the centipawns that a move loses against the best, both cut at ``cap``."""
        return float(centipawn_loss(self.best, self._value(uci), cap=cap))

    def win_loss(self, uci: str) -> float:
        """Return the chance to win, 0 to 1, that a move gives away (:func:`win_chance`)."""
        return float(win_chance(self.best) - win_chance(self._value(uci)))

    def rank(self, uci: str) -> int:
        """Return the place of a move among the five best, :data:`OUTSIDE` if it has none."""
        return self.ranked.index(uci) + 1 if uci in self.ranked else OUTSIDE

    def _value(self, uci: str) -> int:
        try:
            return self.values[uci]
        except KeyError:
            raise ValueError(
                f"no value for {uci!r} in the table of {self.position.fen!r}"
            ) from None


@dataclass(frozen=True, slots=True)
class Graded:
    """An answer with its grade.

    Parameters
    ----------
    grade
        One of :data:`GRADES`.
    uci
        The legal move, ``None`` if the answer is none.
    loss, uncut
        Centipawns lost against the best, cut at the cap and as they are (mates count about
        10,000); ``None`` without a legal move.
    win_loss
        Chance to win given away, 0 to 1.
    rank
        1 to 5, or 6 for a move outside the five best.
    """

    grade: Grade
    uci: str | None = None
    loss: float | None = None
    uncut: float | None = None
    win_loss: float | None = None
    rank: int | None = None

    def __post_init__(self) -> None:
        if self.grade not in GRADES:
            raise ValueError(f"no such grade: {self.grade!r}; they are {', '.join(GRADES)}")
        numbers = (self.loss, self.uncut, self.win_loss, self.rank)
        if any((number is None) == self.legal for number in numbers) or (self.loss or 0) < 0:
            raise ValueError(f"legal moves, and only they, lose something from 0 up: {self}")

    @property
    def legal(self) -> bool:
        """Whether the answer is a legal move."""
        return self.grade in MOVE_GRADES


def win_chance(values: ArrayLike) -> NDArray[np.float64]:
    """Return the chance to win, 0 to 1, at values in centipawns, cut at 1,000 as Lichess does."""
    cut = np.clip(np.asarray(values, dtype=float), -1_000, 1_000)
    return 1 / (1 + np.exp(-WIN_STEEPNESS * cut))


def grade_names(losses: ArrayLike) -> NDArray[np.str_]:
    """Return the plan's grade of each loss in centipawns: Excellent up to 10, and so on."""
    bounds = [bound for _, bound in CLASS_BOUNDS]
    return np.array(MOVE_GRADES)[np.searchsorted(bounds, np.asarray(losses, dtype=float))]


def grade(table: MoveTable, uci: str, *, cap: float = CAP) -> Graded:
    """Grade a legal move by the table of its position.

    Raises
    ------
    ValueError
        If the table has no value for the move.
    """
    loss = table.loss(uci, cap=cap)
    uncut = table.loss(uci, cap=np.inf)
    name: Grade = str(grade_names(loss))  # type: ignore[assignment]
    return Graded(name, uci, loss, uncut, table.win_loss(uci), table.rank(uci))


def grade_answer(table: MoveTable, answer: Answer, *, cap: float = CAP) -> Graded:
    """Grade an answer: its move if it is legal, else the way in which it fails."""
    if answer.state == "legal" and answer.uci is not None:
        return grade(table, answer.uci, cap=cap)
    return Graded(answer.state.capitalize())  # type: ignore[arg-type]


def analyse_moves(
    engine: Engine,
    position: Position,
    settings: Settings | None = None,
    *,
    asked: tuple[str, ...] | None = None,
) -> MoveTable:
    """Value the moves of a position, each search from an empty hash table.

    Parameters
    ----------
    engine
        A running engine.
    position
        A position with a legal move.
    settings
        How to search; by default 20,000 nodes for five lines.
    asked
        Moves wanted beside the five best; by default every legal one.

    Raises
    ------
    ValueError
        If the game is over.
    """
    settings = settings or Settings()
    values = _values(settings.search(engine, position, settings.lines))
    ranked = sorted(values, key=lambda uci: -values[uci])
    for batch in _batches(position, set(values), settings.lines, asked):
        values |= _values(settings.search(engine, position, len(batch), batch))
    return MoveTable(position, values, tuple(ranked))


def position_key(position: Position) -> str:
    """Return a hash, 16 hex digits, of a position and its history."""
    root = position.root if position.moves else position.fen
    text = " ".join((root, *position.moves))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _values(analysis: Analysis) -> dict[str, int]:
    turn = analysis.position.turn
    return {line.moves[0]: centipawns(line.score, turn) for line in analysis.lines}


def _batches(
    position: Position, known: set[str], size: int, asked: tuple[str, ...] | None
) -> Iterator[tuple[str, ...]]:
    """Yield the moves not yet valued, ``size`` at a time, in the order of their names."""
    legal = sorted(move.uci() for move in chess.Board(position.fen).legal_moves)
    wanted = legal if asked is None else sorted(set(asked))
    left = [uci for uci in wanted if uci not in known]
    for start in range(0, len(left), size):
        yield tuple(left[start : start + size])
