"""What kind of error a wrong answer is: of the rules, or of where the pieces stand.

Every answer that is not right by the rules falls into one kind. For End tasks the authors'
released analysis of the state-tracking paper counts three (syntax, path obstruction, pseudo
legal); here the first two are divided, because the parts say other things about the model: a
square that another type would reach from there is a piece mistaken for another, as the paper's
section 3 puts it, and one that holds an own piece is a piece forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import chess
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss.tracking.probes import END_TASKS, Instance
from chessgloss.tracking.tokens import PIECES, SQUARES


class EndError(StrEnum):
    """Kinds of illegal ending squares, in the order in which they are looked for."""

    #: The answer is not a square at all.
    NOT_A_SQUARE = "not a square"
    #: No piece of any type could go there from here, wherever the others stand.
    UNREACHABLE = "unreachable"
    #: Not this piece, but one of another type could go there if the board were empty.
    WRONG_PIECE = "wrong piece"
    #: The piece moves so, but another stands on the way.
    PATH_OBSTRUCTION = "path obstruction"
    #: The piece moves so and the way is clear, but an own piece stands on the square.
    OWN_PIECE = "own piece"
    #: All that holds for the piece, but its own king would be in check.
    PSEUDO_LEGAL = "pseudo-legal"


class StartError(StrEnum):
    """Kinds of wrong starting squares, in the order in which they are looked for."""

    #: The answer is not a square at all.
    NOT_A_SQUARE = "not a square"
    #: Nothing stands there.
    EMPTY = "empty square"
    #: A piece of the other side stands there.
    OPPONENT = "opponent's piece"
    #: An own piece of another type stands there.
    OTHER_TYPE = "other type"
    #: An own piece of the type stands there, but it has no legal move.
    IMMOVABLE = "cannot move"


#: The three kinds of the authors' released analysis, by ours.
PUBLISHED: dict[EndError, str] = {
    EndError.NOT_A_SQUARE: "syntax",
    EndError.UNREACHABLE: "syntax",
    EndError.WRONG_PIECE: "syntax",
    EndError.PATH_OBSTRUCTION: "path obstruction",
    EndError.OWN_PIECE: "path obstruction",
    EndError.PSEUDO_LEGAL: "pseudo-legal",
}

#: Kinds that say the model does not know what stands where.
PIECE_TRACKING: frozenset[EndError | StartError] = frozenset(
    {
        EndError.WRONG_PIECE,
        EndError.PATH_OBSTRUCTION,
        EndError.OWN_PIECE,
        StartError.EMPTY,
        StartError.OPPONENT,
        StartError.OTHER_TYPE,
    }
)


def classify(instance: Instance, predicted: int) -> EndError | StartError | None:
    """Return the kind of error that an answer is, None for one right by the rules.

    Parameters
    ----------
    instance
        The question.
    predicted
        Id of the token answered.
    """
    if predicted in instance.legal:
        return None
    end = instance.task in END_TASKS
    if not SQUARES <= predicted < PIECES:
        return EndError.NOT_A_SQUARE if end else StartError.NOT_A_SQUARE
    board, square = instance.board(), predicted - SQUARES
    if end:
        return _end_error(board, instance.prompt - SQUARES, square)
    return _start_error(board, instance.piece - PIECES + chess.PAWN, square)


def count_errors(predicted: Sequence[int] | NDArray, instances: Sequence[Instance]) -> pd.Series:
    """Return how many answers fall into each kind, kinds without any included.

    Parameters
    ----------
    predicted
        Ids of the tokens answered, ``(n,)``.
    instances
        The ``n`` questions, all End tasks or all Start tasks.

    Raises
    ------
    ValueError
        If the two are not of one length, or End and Start tasks are mixed.
    """
    kinds = {one.task in END_TASKS for one in instances}
    if len(kinds) != 1:
        raise ValueError("count the errors of End tasks and of Start tasks apart")
    found = [classify(one, int(token)) for token, one in zip(predicted, instances, strict=True)]
    order = list(EndError if kinds.pop() else StartError)
    counts = [sum(one is kind for one in found) for kind in order]
    return pd.Series(counts, index=[str(kind) for kind in order], dtype=np.int64)


def _end_error(board: chess.Board, left: chess.Square, reached: chess.Square) -> EndError:
    piece = board.piece_at(left)
    if piece is None:
        raise ValueError(f"no piece stands on {chess.square_name(left)} in {board.fen()}")
    if not _moves_so(piece.piece_type, left, reached):
        reaching = any(_moves_so(kind, left, reached) for kind in (chess.QUEEN, chess.KNIGHT))
        return EndError.WRONG_PIECE if reaching else EndError.UNREACHABLE
    if chess.between(left, reached) & board.occupied and piece.piece_type != chess.KNIGHT:
        return EndError.PATH_OBSTRUCTION
    if board.color_at(reached) == piece.color:
        return EndError.OWN_PIECE
    return EndError.PSEUDO_LEGAL


def _moves_so(kind: chess.PieceType, left: chess.Square, reached: chess.Square) -> bool:
    """Say whether a piece goes from one square to the other on an empty board."""
    empty = chess.Board(None)
    empty.set_piece_at(left, chess.Piece(kind, chess.WHITE))
    return reached in empty.attacks(left)


def _start_error(board: chess.Board, kind: chess.PieceType, square: chess.Square) -> StartError:
    piece = board.piece_at(square)
    if piece is None:
        return StartError.EMPTY
    if piece.color != board.turn:
        return StartError.OPPONENT
    return StartError.IMMOVABLE if piece.piece_type == kind else StartError.OTHER_TYPE
