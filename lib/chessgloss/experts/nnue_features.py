"""HalfKAv2_hm: the features by which an NNUE network sees a board.

A feature is (own king's square, a piece, its square), seen by one of the two players: Black
sees the board with the ranks mirrored and the colours swapped, and whoever has the king on
files a to d sees the files mirrored too. Source: Stockfish 15.1,
``src/nnue/features/half_ka_v2_hm.h`` and ``.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chessgloss.experts.boards import Boards
from chessgloss.experts.nnue_format import FEATURES_PER_BUCKET

#: Order of the two perspectives in every array of this module.
WHITE, BLACK = 0, 1


def _planes() -> np.ndarray:
    """Return int32 (2, 13): first feature of each piece code for either perspective."""
    planes = np.zeros((2, 13), dtype=np.int32)
    for kind in range(6):
        own, other = (2 * kind, 2 * kind + 1) if kind < 5 else (10, 10)
        planes[WHITE, [kind + 1, kind + 7]] = (64 * own, 64 * other)
        planes[BLACK, [kind + 1, kind + 7]] = (64 * other, 64 * own)
    return planes


_PLANES = _planes()


@dataclass(frozen=True, slots=True, eq=False)
class FeatureBags:
    """The active features of n boards for both perspectives.

    Parameters
    ----------
    features
        int32 (2, p): feature indices, board after board; row 0 is White's perspective.
    starts
        int64 (n,): where each board's features start in a row of ``features``.
    king_buckets
        int64 (2, n): bucket of the own king, 0 to 31; all features of a board lie in
        ``[704 * bucket, 704 * (bucket + 1))``.
    """

    features: np.ndarray
    starts: np.ndarray
    king_buckets: np.ndarray


def feature_bags(boards: Boards) -> FeatureBags:
    """Return the features of every board for both perspectives."""
    rows, squares = np.nonzero(boards.squares)
    codes = boards.squares[rows, squares]
    counts = boards.piece_counts()
    starts = np.cumsum(counts) - counts
    buckets = np.empty((2, len(boards)), dtype=np.int64)
    features = np.empty((2, len(rows)), dtype=np.int32)
    for side, kings in zip((WHITE, BLACK), boards.king_squares(), strict=True):
        turn = _orientation(kings, side)
        buckets[side] = _king_bucket(kings ^ turn)
        base = (buckets[side] * FEATURES_PER_BUCKET).astype(np.int32)
        features[side] = (squares ^ turn[rows]) + _PLANES[side, codes] + base[rows]
    return FeatureBags(features, starts, buckets)


def _orientation(kings: np.ndarray, side: int) -> np.ndarray:
    """Return what to xor a square with: 56 mirrors the ranks, 7 the files."""
    return 56 * side ^ np.where(kings % 8 < 4, 7, 0)


def _king_bucket(kings: np.ndarray) -> np.ndarray:
    """Return the bucket of each square of files h to e: h8 is 0, e8 is 3, h1 is 28, e1 is 31."""
    return 4 * (7 - kings // 8) + (7 - kings % 8)
