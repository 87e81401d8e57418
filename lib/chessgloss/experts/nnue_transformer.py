"""The wide first layer of an NNUE network, for many boards at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from chessgloss.experts import nnue_layers as layers
from chessgloss.experts.nnue_features import FeatureBags
from chessgloss.experts.nnue_format import (
    ACCUMULATORS,
    FEATURES_PER_BUCKET,
    KING_BUCKETS,
    NnueNetwork,
)

_BAGS_AT_ONCE = 256  # their sums (1 MiB) stay in a core's cache until they are activated
_KING_PLANE = 10 * 64


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread inside: its operations here are too small to be shared.

    Two threads that wait for each other after every one of them are slower than one, ten
    times slower where another program has a core. Use processes to use more cores.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class FeatureTransformer:
    """Sums of feature weights, clipped and multiplied where asked for.

    Weights are int16 in the file and float32 here, where sums of 32 of them are exact.
    """

    def __init__(self, network: NnueNetwork) -> None:
        weights = network.weights.astype(np.float32)
        weights[_own_king_features()] += network.biases
        self._weights = torch.from_numpy(weights)

    def blocks(self, bags: FeatureBags, layer: str, swapped: np.ndarray) -> torch.Tensor:
        """Return a layer for both perspectives: float32 (n, 2, d).

        White's block comes first, or Black's where ``swapped``, bool (n,), is true.
        ``layer`` is ``accumulators`` or ``clipped`` (d = 1024) or ``pairwise`` (d = 512).
        Boards are taken in the order of their king's bucket, a few at a time, so that the
        704 rows of weights that a bucket needs stay in the cache: several times as fast.
        """
        n = len(bags.starts)
        width = ACCUMULATORS // 2 if layer == "pairwise" else ACCUMULATORS
        result = torch.empty((2 * n, width))
        ends = np.append(bags.starts[1:], bags.features.shape[1])
        for side in (0, 1):
            order = np.argsort(bags.king_buckets[side], kind="stable")
            for first in range(0, n, _BAGS_AT_ONCE):
                rows = order[first : first + _BAGS_AT_ONCE]
                picked, offsets = _join_ranges(bags.starts[rows], ends[rows])
                sums = self._sum(bags.features[side, picked], offsets)
                places = torch.from_numpy(2 * rows + (side ^ swapped[rows]))
                result.index_copy_(0, places, _activate(sums, layer))
        return result.view(n, 2, width)

    def _sum(self, features: np.ndarray, offsets: np.ndarray) -> torch.Tensor:
        return torch.nn.functional.embedding_bag(
            torch.from_numpy(features), self._weights, torch.from_numpy(offsets), mode="sum"
        )


def _own_king_features() -> np.ndarray:
    """Return the feature of a perspective's own king for each bucket: (32,).

    Exactly one of them is active on a board, and no other piece can share it; the biases
    are added to its weights once instead of to every board's sum.
    """
    buckets = np.arange(KING_BUCKETS)
    squares = 8 * (7 - buckets // 4) + 7 - buckets % 4
    return buckets * FEATURES_PER_BUCKET + _KING_PLANE + squares


def _activate(sums: torch.Tensor, layer: str) -> torch.Tensor:
    if layer == "accumulators":
        return sums
    clipped = sums.clamp_(0, layers.ONE)
    return clipped if layer == "clipped" else layers.multiply_pairs(clipped)


def _join_ranges(starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all indices of the ranges one after another, and where each range begins."""
    lengths = ends - starts
    offsets = np.cumsum(lengths, dtype=np.int32) - lengths.astype(np.int32)
    return np.arange(lengths.sum()) + np.repeat(starts - offsets, lengths), offsets
