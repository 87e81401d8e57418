"""What comes of asking whether a predicate holds: an answer with its evidence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import chess

from chessgloss.predicates.words import listed, noun_at


class Finding(NamedTuple):
    """Whether a predicate holds of given arguments.

    Parameters
    ----------
    holds
        Whether it does; ``None`` if the board cannot tell.
    evidence
        Why, as a plain English clause: ``the white queen on d1 attacks the black knight on d4``.
    arguable
        Whether people also say the opposite: a rook *attacks* through another rook, strictly it
        does not. Neither is then called wrong.
    """

    holds: bool | None
    evidence: str
    arguable: bool = False

    def denied(self) -> Finding:
        """Return the finding on the opposite."""
        holds = None if self.holds is None else not self.holds
        return self._replace(holds=holds)

    @property
    def verdict(self) -> bool | None:
        """``True`` or ``False``; ``None`` where a false one would be arguable."""
        return None if self.holds is False and self.arguable else self.holds


def strongest(findings: Iterable[Finding]) -> Finding | None:
    """Return the first finding that holds, else one that is open, else the first."""
    ranked = list(findings)
    for verdict in (True, None):
        for finding in ranked:
            if finding.verdict is verdict:
                return finding
    return ranked[0] if ranked else None


def man(board: chess.Board, square: chess.Square) -> str:
    """Return what stands on a square: ``the white knight on f3``; ``f3`` if it is empty."""
    empty = board.piece_type_at(square) is None
    return chess.square_name(square) if empty else noun_at(board, square)


def men(board: chess.Board, squares: Iterable[chess.Square]) -> str:
    """Return what stands on squares as a list; ``nothing`` for none."""
    return listed([man(board, square) for square in squares] or ["nothing"])


def told(board: chess.Board, text: str, *squares: chess.Square) -> str:
    """Return a text with what stands on squares in its gaps: ``{} attacks {}``."""
    return text.format(*(man(board, square) for square in squares))


# ---------------------------------------------------------------- moves


def last_move(board: chess.Board) -> chess.Move | None:
    """Return the move made last, if it is on the board's stack and was no pass."""
    if not board.move_stack or not board.move_stack[-1]:
        return None
    return board.move_stack[-1]


def before_last(board: chess.Board) -> chess.Board:
    """Return the board before its last move."""
    copy = board.copy()
    copy.pop()
    return copy


def turned(board: chess.Board, side: chess.Color | None) -> chess.Board:
    """Return the board with ``side`` to move: itself, or after a pass, even in check."""
    if side is None or board.turn == side:
        return board
    copy = board.copy()
    copy.push(chess.Move.null())
    return copy


def legal_moves(
    board: chess.Board, side: chess.Color | None = None
) -> list[chess.Move]:
    """Return the moves of a side, after a pass if it is not its turn; no king is taken."""
    there = turned(board, side)
    return [
        m for m in there.legal_moves if not chess.BB_SQUARES[m.to_square] & there.kings
    ]


def san(board: chess.Board, move: chess.Move) -> str:
    """Return a move in SAN, as its own side would play it."""
    return turned(board, board.color_at(move.from_square)).san(move)


def sans(board: chess.Board, moves: Iterable[chess.Move], most: int = 4) -> str:
    """Return the first of some moves in SAN, as a list in words."""
    names = [san(board, move) for move in moves]
    shown = names[:most] + (["others"] if len(names) > most else [])
    return listed(shown or ["none"])
