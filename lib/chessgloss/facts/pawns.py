"""Passed, doubled and isolated pawns."""

from __future__ import annotations

import chess

_FILES = chess.BB_FILES


def passed(board: chess.Board, colour: chess.Color) -> chess.SquareSet:
    """Return the passed pawns of ``colour``.

    A pawn is passed when no enemy pawn stands on its own or a neighbouring file on any rank
    that it has yet to cross. Pieces in its way do not matter, nor does a pawn of its own.
    """
    enemy = _pawns(board, not colour)
    return chess.SquareSet(
        square
        for square in chess.scan_forward(_pawns(board, colour))
        if not enemy & _near_files(square) & ranks_ahead(square, colour)
    )


def doubled(board: chess.Board, colour: chess.Color) -> chess.SquareSet:
    """Return every pawn of ``colour`` that shares its file with another of ``colour``."""
    return chess.SquareSet(pawn for group in doubled_groups(board, colour) for pawn in group)


def doubled_groups(board: chess.Board, colour: chess.Color) -> tuple[tuple[chess.Square, ...], ...]:
    """Return the :func:`doubled` pawns of ``colour`` file by file, from the a-file."""
    pawns = _pawns(board, colour)
    groups = (pawns & file for file in _FILES)
    return tuple(tuple(chess.scan_forward(one)) for one in groups if one & (one - 1))


def isolated(board: chess.Board, colour: chess.Color) -> chess.SquareSet:
    """Return the pawns of ``colour`` that have none of their own on a neighbouring file."""
    pawns = _pawns(board, colour)
    return chess.SquareSet(
        square
        for square in chess.scan_forward(pawns)
        if not pawns & _near_files(square) & ~_FILES[chess.square_file(square)]
    )


def ranks_ahead(square: chess.Square, colour: chess.Color) -> chess.Bitboard:
    """Return the ranks in front of a square, as ``colour`` advances, whole ranks."""
    rank = chess.square_rank(square)
    if colour == chess.WHITE:
        return chess.BB_ALL & ~((1 << 8 * (rank + 1)) - 1)
    return (1 << 8 * rank) - 1


def _near_files(square: chess.Square) -> chess.Bitboard:
    file = chess.square_file(square)
    return sum(_FILES[max(file - 1, 0) : file + 2])


def _pawns(board: chess.Board, colour: chess.Color) -> chess.Bitboard:
    return board.pawns & board.occupied_co[colour]
