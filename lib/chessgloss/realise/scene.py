"""The scene of a comment: the boards around the move, and names for what stands on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import chess

from chessgloss.facts.wording import listed, side_name
from chessgloss.positions import MoveInContext


@dataclass(frozen=True, slots=True)
class Scene:
    """A move between its two boards; the boards are read, never changed.

    Parameters
    ----------
    context
        The move.
    before, after
        The position before it and after it, without their history.
    words
        What every phrase may use: sides, the move, its piece and squares (``us``, ``them``,
        ``san``, ``piece``, ``from``, ``to``, ``arrived``, ``moved``; of a capture also
        ``victim`` and ``victim_square``).
    """

    context: MoveInContext
    before: chess.Board
    after: chess.Board
    words: dict[str, str]

    @classmethod
    def of(cls, context: MoveInContext) -> Scene:
        """Set the scene of a move."""
        before = chess.Board(context.position.fen)
        after = before.copy(stack=False)
        after.push(context.move)
        return cls(context, before, after, _words(context.move, before, after))

    @property
    def move(self) -> chess.Move:
        """The move."""
        return self.context.move

    @property
    def us(self) -> chess.Color:
        """Side that moves."""
        return self.before.turn

    @property
    def piece(self) -> chess.PieceType:
        """Type of the piece that moves, as it was before the move."""
        found = self.before.piece_type_at(self.move.from_square)
        assert found is not None
        return found

    @property
    def victim_square(self) -> chess.Square | None:
        """Where the captured piece stood; ``None`` if nothing is captured."""
        return _victim_square(self.before, self.move)


def seen_by(side: chess.Color, square: chess.Square) -> chess.Square:
    """Return a square as a side sees it from its end of the board: White's own as they are."""
    return square if side else chess.square_mirror(square)


def piece_word(board: chess.Board, square: chess.Square) -> str:
    """Return the word for the piece on a square: ``knight``.

    Raises
    ------
    ValueError
        If the square is empty: the fact at hand belongs to another board.
    """
    kind = board.piece_type_at(square)
    if kind is None:
        raise ValueError(f"no piece on {chess.square_name(square)} in {board.fen()!r}")
    return chess.piece_name(kind)


def named(board: chess.Board, square: chess.Square) -> str:
    """Return a piece with its square: ``the knight on f7``."""
    return f"the {piece_word(board, square)} on {chess.square_name(square)}"


def owned(board: chess.Board, square: chess.Square) -> str:
    """Return a piece with its owner and square: ``Black's knight on f7``."""
    piece = piece_word(board, square)
    owner = side_name(bool(board.color_at(square)))
    return f"{owner}'s {piece} on {chess.square_name(square)}"


def named_all(board: chess.Board, squares: Iterable[chess.Square]) -> str:
    """Return several pieces as a list: ``the queen on d8 and the rook on h8``."""
    return listed([named(board, square) for square in squares])


def _words(move: chess.Move, before: chess.Board, after: chess.Board) -> dict[str, str]:
    start, end = move.from_square, move.to_square
    words = {
        "us": side_name(before.turn),
        "them": side_name(not before.turn),
        "san": before.san(move),
        "piece": piece_word(before, start),
        "from": chess.square_name(start),
        "to": chess.square_name(end),
        "arrived": piece_word(after, end),
        "moved": named(after, end),
    }
    victim = _victim_square(before, move)
    if victim is None:
        return words
    return words | {
        "victim": piece_word(before, victim),
        "victim_square": chess.square_name(victim),
    }


def _victim_square(board: chess.Board, move: chess.Move) -> chess.Square | None:
    if not board.is_capture(move):
        return None
    if not board.is_en_passant(move):
        return move.to_square
    return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
