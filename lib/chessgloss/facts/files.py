"""Open and half-open files, as file numbers: 0 is the a-file, 7 the h-file."""

from __future__ import annotations

import chess


def open_files(board: chess.Board) -> tuple[int, ...]:
    """Return the files on which neither side has a pawn."""
    return tuple(file for file, mask in enumerate(chess.BB_FILES) if not board.pawns & mask)


def half_open_files(board: chess.Board, colour: chess.Color) -> tuple[int, ...]:
    """Return the files on which the opponent has a pawn and ``colour`` has none."""
    own = board.pawns & board.occupied_co[colour]
    enemy = board.pawns & ~own
    return tuple(
        file for file, mask in enumerate(chess.BB_FILES) if enemy & mask and not own & mask
    )


def heavy_pieces(board: chess.Board, colour: chess.Color, file: int) -> chess.SquareSet:
    """Return the rooks and queens of ``colour`` that stand on a file."""
    heavy = (board.rooks | board.queens) & board.occupied_co[colour]
    return chess.SquareSet(heavy & chess.BB_FILES[file])
