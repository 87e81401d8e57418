"""What a model of changes sees of a move: an expert's activations before and after it.

Both colours are treated alike. A position is seen twice, by White and by Black, each with
its own pieces as "own": mirroring the board only exchanges the two views, and so it can
only exchange White's and Black's terms. A model that respects this learns from each move
twice, once for either side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, get_args

import numpy as np
import torch
from numpy.typing import NDArray

from chessgloss.experts import load_expert
from chessgloss.experts.boards import read_boards
from chessgloss.experts.nnue import ACCUMULATORS, ONE, clip, multiply_pairs

SourceName = Literal["nnue", "onehot"]

_PAIRS = ACCUMULATORS // 2
_ONE_HOT = 12 * 64
_MIRRORED = (np.arange(64) ^ 56).astype(np.int64)
_SWAPPED = np.array([0, *range(7, 13), *range(1, 7)], dtype=np.uint8)


class Source(Protocol):
    """Where the features come from: a network, or the bare board as its control.

    Attributes
    ----------
    name
        As in :func:`load_source`.
    width
        Features a side.
    """

    name: str
    width: int

    def read(self, fens: Sequence[str]) -> NDArray:
        """Return the positions in a compact form, shape ``(n, 2, ...)``: White's view first."""
        ...

    def features(self, before: NDArray, after: NDArray) -> torch.Tensor:
        """Return the features of moves, float32 ``(n, 2, width)``, from what was read."""
        ...


class NnueSource:
    """Features from NNUE's sums and what the network makes of them, and nothing else.

    A side has 4,096 features: the changes of its 1,024 sums before clipping, of the 1,024
    clipped ones and of the 512 products, then the clipped sums and the products before the
    move. The unit is the network's own activation of 1.
    """

    name = "nnue"
    width = 3 * ACCUMULATORS + 2 * _PAIRS

    def __init__(self, path: str | None = None, *, random_weights: int | None = None) -> None:
        self._expert = load_expert("nnue", path, random_weights=random_weights)

    def read(self, fens: Sequence[str]) -> NDArray[np.int16]:
        """Return the accumulators, int16 ``(n, 2, 1024)``: whole numbers, exact."""
        whole = np.empty((len(fens), 2, ACCUMULATORS), np.int16)
        top = 0
        for chunk in self._expert.stream(fens, "accumulators"):
            whole[top : top + len(chunk)] = chunk.reshape(-1, 2, ACCUMULATORS)
            top += len(chunk)
        return whole

    def features(self, before: NDArray, after: NDArray) -> torch.Tensor:
        """Return the features of moves, float32 ``(n, 2, 4096)``."""
        first, last = (torch.from_numpy(one.astype(np.float32)) for one in (before, after))
        clipped, later = clip(first), clip(last)
        pairs, later_pairs = multiply_pairs(clipped), multiply_pairs(later)
        parts = [last - first, later - clipped, later_pairs - pairs, clipped, pairs]
        return torch.cat(parts, dim=-1).div_(ONE)


class BoardSource:
    """Features from the bare board: what the same model reads without any network.

    A side has 1,536 features: the change of each of the 12 x 64 bits (a piece on a
    square), and the bits before the move.
    """

    name = "onehot"
    width = 2 * _ONE_HOT

    def read(self, fens: Sequence[str]) -> NDArray[np.uint8]:
        """Return piece codes, uint8 ``(n, 2, 64)``; a side's own pieces are codes 1 to 6."""
        squares = read_boards(fens).squares
        return np.stack([squares, _SWAPPED[squares[:, _MIRRORED]]], axis=1)

    def features(self, before: NDArray, after: NDArray) -> torch.Tensor:
        """Return the features of moves, float32 ``(n, 2, 1536)``."""
        first, last = _bits(before), _bits(after)
        return torch.cat([last - first, first], dim=-1)


def load_source(name: str) -> Source:
    """Return the source of features of that name: ``nnue`` or ``onehot``.

    Raises
    ------
    ValueError
        If there is none of that name.
    AssetMissing
        If its network is not on this machine; the message says how to get it.
    """
    if name == "nnue":
        return NnueSource()
    if name == "onehot":
        return BoardSource()
    raise ValueError(f"no features from {name!r}; choose one of {', '.join(get_args(SourceName))}")


def _bits(codes: NDArray) -> torch.Tensor:
    kinds = torch.arange(1, 13, dtype=torch.uint8)[:, None]
    return (torch.from_numpy(codes)[:, :, None, :] == kinds).float().flatten(2)
