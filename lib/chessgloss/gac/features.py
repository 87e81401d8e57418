"""What the network is told of a move: three groups of short words, as GAC's features are.

``move`` says what is played, ``threat`` who attacks and defends whom afterwards (plain
attacks on the board: pins are not considered), ``score`` what the engine thinks. Words such
as ``to=f3`` are embedded like words of a language; their order within a group is fixed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import chess

from chessgloss.engine import Analysis, centipawns, score_of
from chessgloss.positions import MoveInContext

#: Words of the groups ``move``, ``threat`` and ``score``.
FeatureWords: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

#: Names of the three groups, in their order.
GROUPS = ("move", "threat", "score")

#: What the third group holds when no engine was asked.
NO_SCORE = ("score=unknown",)

#: Bounds, in centipawns, between the classes of a score and of a change of score.
SCORE_BOUNDS = (-600, -300, -150, -60, -20, 20, 60, 150, 300, 600)
CHANGE_BOUNDS = (-300, -100, -50, -20, 20, 50, 100)

#: Pieces other than kings and pawns below which a position counts as an ending.
_ENDING_PIECES = 7
_OPENING_MOVES = 12


@dataclass(frozen=True, slots=True)
class ScoreFeatures:
    """An engine's scores around a move.

    Parameters
    ----------
    before, after
        Centipawns before and after the move, both seen by the side that moves; mate in n
        moves counts as 10,000 less n.
    """

    before: int
    after: int

    def __post_init__(self) -> None:
        if max(abs(self.before), abs(self.after)) > 10_000:
            raise ValueError(f"scores lie within 10,000 centipawns, got {self}")

    @classmethod
    def of(cls, before: Analysis, after: Analysis) -> ScoreFeatures:
        """Read the scores of the analyses before and after a move.

        Raises
        ------
        ValueError
            If both are of the same side's turn, so that no single move lies between them.
        """
        mover = before.position.turn
        if after.position.turn == mover:
            raise ValueError("the two analyses must lie one move apart")
        return cls(centipawns(score_of(before), mover), centipawns(score_of(after), mover))

    def words(self) -> tuple[str, ...]:
        """Return the scores and their change as classes: the words of the third group."""
        change = self.after - self.before
        return (
            f"before={bisect_right(SCORE_BOUNDS, self.before)}",
            f"after={bisect_right(SCORE_BOUNDS, self.after)}",
            f"change={bisect_right(CHANGE_BOUNDS, change)}",
        )


def feature_words(move: MoveInContext, scores: ScoreFeatures | None = None) -> FeatureWords:
    """Return the three groups of words that describe a move.

    Parameters
    ----------
    move
        The move.
    scores
        The engine's scores around it; without them the third group says so.
    """
    before, after = chess.Board(move.position.fen), chess.Board(move.position.fen)
    after.push(move.move)
    score_words = NO_SCORE if scores is None else scores.words()
    return tuple(_move_words(before, after, move.move)), _threat_words(after), score_words


def _move_words(before: chess.Board, after: chess.Board, move: chess.Move) -> Iterable[str]:
    yield f"mover={chess.COLOR_NAMES[before.turn]}"
    yield f"piece={_kind(before, move.from_square)}"
    yield f"from={chess.square_name(move.from_square)}"
    yield f"to={chess.square_name(move.to_square)}"
    yield f"file={chess.FILE_NAMES[chess.square_file(move.to_square)]}"
    yield f"phase={_phase(before)}"
    if before.is_capture(move):
        passing = before.is_en_passant(move)
        yield f"takes={'passing' if passing else _kind(before, move.to_square)}"
    if move.promotion:
        yield f"promotes={chess.piece_name(move.promotion)}"
    if before.is_castling(move):
        yield f"castles={'short' if before.is_kingside_castling(move) else 'long'}"
    if after.is_checkmate():
        yield "mate"
    elif after.is_check():
        yield "check"


def _threat_words(after: chess.Board) -> tuple[str, ...]:
    """Describe who attacks whom; ``after.turn`` is the side that did not move."""
    here, other = after.peek().to_square, after.turn
    mover = not other
    found = [
        *_kinds(after, "attacked_by", after.attackers(other, here)),
        *_kinds(after, "defended_by", after.attackers(mover, here)),
        *_kinds(after, "attacks", after.attacks(here) & after.occupied_co[other]),
        *_kinds(after, "defends", after.attacks(here) & after.occupied_co[mover]),
        *_kinds(after, "theirs_loose", _loose(after, other)),
        *_kinds(after, "ours_loose", _loose(after, mover)),
    ]
    return tuple(found) or ("quiet",)


def _kinds(board: chess.Board, relation: str, squares: Iterable[chess.Square]) -> list[str]:
    """Name each kind of piece on the squares once, from pawn to king."""
    kinds = sorted({board.piece_type_at(square) or 0 for square in squares} - {0})
    return [f"{relation}={chess.piece_name(kind)}" for kind in kinds]


def _loose(board: chess.Board, side: chess.Color) -> list[chess.Square]:
    """Return the squares of a side's pieces that are attacked and not defended."""
    return [
        square
        for square in chess.SquareSet(board.occupied_co[side] & ~board.kings)
        if board.is_attacked_by(not side, square) and not board.is_attacked_by(side, square)
    ]


def _kind(board: chess.Board, square: chess.Square) -> str:
    kind = board.piece_type_at(square)
    if kind is None:
        raise ValueError(f"{chess.square_name(square)} is empty in {board.fen()!r}")
    return chess.piece_name(kind)


def _phase(board: chess.Board) -> str:
    pieces = chess.popcount(board.occupied & ~board.pawns & ~board.kings)
    if pieces < _ENDING_PIECES:
        return "ending"
    return "opening" if board.fullmove_number <= _OPENING_MOVES else "middlegame"
