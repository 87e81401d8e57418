"""What comes of asking whether a predicate holds: an answer with its evidence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import chess
from chess import Board, Color, Move, Square, square_name

from chessgloss.predicates.words import listed, noun_at

#: Which position it is: before the move, after it, or a line played on from one of them.
Anchor = Literal["before", "after", "line"]


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
    anchor
        The position that it is of: ``before`` the move, ``after`` it, or that of a ``line``.
    """

    holds: bool | None
    evidence: str
    arguable: bool = False
    anchor: Anchor = "after"

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
    return _first(findings, (True, None))


def weakest(findings: Iterable[Finding]) -> Finding | None:
    """Return the first finding that is false, else one that is open, else the first."""
    return _first(findings, (False, None))


def _first(
    findings: Iterable[Finding], verdicts: Iterable[bool | None]
) -> Finding | None:
    ranked = list(findings)
    sought = (each for said in verdicts for each in ranked if each.verdict is said)
    return next(sought, ranked[0] if ranked else None)


def man(board: Board, square: Square) -> str:
    """Return what stands on a square: ``the white knight on f3``; ``f3`` if it is empty."""
    if board.piece_type_at(square) is None:
        return square_name(square)
    return noun_at(board, square)


def men(board: Board, squares: Iterable[Square]) -> str:
    """Return what stands on squares as a list; ``nothing`` for none."""
    names = [man(board, square) for square in squares]
    return listed(names or ["nothing"])


def told(board: Board, text: str, *squares: Square) -> str:
    """Return a text with what stands on squares in its gaps: ``{} attacks {}``."""
    names = (man(board, square) for square in squares)
    return text.format(*names)


# ---------------------------------------------------------------- moves


def last_move(board: Board) -> Move | None:
    """Return the move made last, if it is on the board's stack and was no pass."""
    if not board.move_stack or not board.move_stack[-1]:
        return None
    return board.move_stack[-1]


def before_last(board: Board) -> Board:
    """Return the board before its last move."""
    copy = board.copy()
    copy.pop()
    return copy


def turned(board: Board, side: Color | None) -> Board:
    """Return the board with ``side`` to move: itself, or after a pass, even in check."""
    if side is None or board.turn == side:
        return board
    copy = board.copy()
    copy.push(Move.null())
    return copy


def legal_moves(board: Board, side: Color | None = None) -> list[Move]:
    """Return the moves of a side, after a pass if it is not its turn; no king is taken."""
    there = turned(board, side)
    return [
        m for m in there.legal_moves if not chess.BB_SQUARES[m.to_square] & there.kings
    ]


def san(board: Board, move: Move) -> str:
    """Return a move in SAN, as its own side would play it."""
    return turned(board, board.color_at(move.from_square)).san(move)


def sans(board: Board, moves: Iterable[Move], most: int = 4) -> str:
    """Return the first of some moves in SAN, as a list in words."""
    names = [san(board, move) for move in moves]
    if len(names) > most:
        names[most:] = ["others"]
    return listed(names or ["none"])
