"""The 1,858 moves of a Leela policy, and how the three kinds of policy head reach them.

Moves are seen by the side to move: for Black the ranks are mirrored. A pawn that reaches
the last rank and carries no piece in its name becomes a knight. Castling is the king's
move onto its own rook (``e1h1``). Source: LeelaChessZero/lc0, ``src/chess/bitboard.cc``
(the list) and ``src/neural/shared/`` (``policy_map.h``, ``attention_policy_map.h``); here
the list is built from its rule.
"""

from __future__ import annotations

from functools import cache

import chess
import numpy as np

MOVES = 1858
CONVOLUTION_PLANES = 73

_ROOK_AND_BISHOP = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
_KNIGHT = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_PROMOTIONS = (chess.QUEEN, chess.ROOK, chess.BISHOP)

Key = tuple[int, int, int | None]


@cache
def move_list() -> tuple[Key, ...]:
    """Return (from, to, promotion) of each index: moves of queen and knight, then promotions."""
    plain = [
        (start, end, None) for start in chess.SQUARES for end in chess.SquareSet(_reach(start))
    ]
    promoted = [
        (chess.square(start, 6), chess.square(end, 7), piece)
        for start in range(8)
        for end in range(max(0, start - 1), min(8, start + 2))
        for piece in _PROMOTIONS
    ]
    return (*plain, *promoted)


@cache
def move_index() -> dict[Key, int]:
    """Return the index of each (from, to, promotion)."""
    return {move: index for index, move in enumerate(move_list())}


def legal_indices(board: chess.Board) -> dict[str, int]:
    """Return the policy index of every legal move: UCI as python-chess writes it to index."""
    table = move_index()
    return {move.uci(): table[_key(board, move)] for move in board.legal_moves}


@cache
def convolution_map() -> np.ndarray:
    """Return for each move its place in the (73, 64) planes of a convolutional head: (1858,).

    Planes: 8 directions times 7 distances, 8 knight moves, then 3 promotions to each side.
    """
    table = move_index()
    places = np.full(MOVES, -1, dtype=np.int64)
    for plane, (step, piece) in enumerate(_plane_steps()):
        for start in chess.SQUARES:
            end = _step(start, step)
            index = -1 if end is None else table.get((start, end, piece), -1)
            if index >= 0:
                places[index] = 64 * plane + start
    return places


@cache
def attention_map() -> np.ndarray:
    """Return for each move its place in a head's 64 x 64 + 8 x 24 attention logits: (1858,)."""
    places = np.empty(MOVES, dtype=np.int64)
    for index, (start, end, piece) in enumerate(move_list()):
        if piece is None:
            places[index] = 64 * start + end
        else:
            files = 24 * chess.square_file(start) + 3 * chess.square_file(end)
            places[index] = 64 * 64 + files + _PROMOTIONS.index(piece)
    return places


def _reach(start: int) -> int:
    queen = chess.BB_RANK_ATTACKS[start][0] | chess.BB_FILE_ATTACKS[start][0]
    return queen | chess.BB_DIAG_ATTACKS[start][0] | chess.BB_KNIGHT_ATTACKS[start]


def _plane_steps() -> list[tuple[tuple[int, int], int | None]]:
    steps: list[tuple[tuple[int, int], int | None]] = [
        ((distance * x, distance * y), None)
        for x, y in _ROOK_AND_BISHOP
        for distance in range(1, 8)
    ]
    steps += [(step, None) for step in _KNIGHT]
    sides = ((-1, 1), (0, 1), (1, 1))
    return steps + [
        (side, piece) for side in sides for piece in (chess.ROOK, chess.BISHOP, chess.QUEEN)
    ]


def _step(start: int, step: tuple[int, int]) -> int | None:
    file, rank = chess.square_file(start) + step[0], chess.square_rank(start) + step[1]
    return chess.square(file, rank) if 0 <= file < 8 and 0 <= rank < 8 else None


def _key(board: chess.Board, move: chess.Move) -> Key:
    start, end, promotion = move.from_square, move.to_square, move.promotion
    if board.is_castling(move):
        end = _castling_rook(board, move)
    if board.turn == chess.BLACK:
        start, end = chess.square_mirror(start), chess.square_mirror(end)
    return start, end, None if promotion == chess.KNIGHT else promotion


def _castling_rook(board: chess.Board, move: chess.Move) -> int:
    file = 7 if board.is_kingside_castling(move) else 0
    return chess.square(file, chess.square_rank(move.from_square))
