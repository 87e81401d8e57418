"""The arithmetic of an NNUE network, layer by layer, in torch.

Every function rounds where Stockfish's integers do, and so repeats the engine to the last
bit; gradients pass through the rounding as if it were not there. 127 stands for an
activation of 1.0, as in the engine. Source: Stockfish 15.1, ``src/nnue/``
(``nnue_feature_transformer.h``, ``layers/*.h``, ``nnue_architecture.h``).
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import torch

from chessgloss.experts.nnue_format import OUTPUTS_1, Stack

ONE = 127  # the activation 1.0, and where every clipped layer saturates
_PAIR_DIVISOR = 128  # Stockfish divides the product of two activations by 128
_WEIGHT_SCALE = 64  # 2 ** WeightScaleBits, nnue_common.h
_SKIP_NUMERATOR = 600 * 16  # propagate(), nnue_architecture.h: 600 * OutputScale
_HALF = 512


class StackLayers:
    """One layer stack as float64 tensors: every integer in it is held exactly."""

    def __init__(self, stack: Stack) -> None:
        self.weights_1 = _float32(stack.weights_1)
        self.biases_1 = _float32(stack.biases_1)
        self.weights_2 = _float64(stack.weights_2)
        self.biases_2 = _float64(stack.biases_2)
        self.weights_3 = _float64(stack.weights_3)
        self.bias_3 = float(stack.bias_3[0])

    def first(self, pairs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Map pairwise products (n, 1024) to ``hidden1`` (n, 30) and the skip sum (n,)."""
        sums = (pairs @ self.weights_1.T + self.biases_1).double()
        body, skip = sums[:, : OUTPUTS_1 - 1], sums[:, OUTPUTS_1 - 1]
        squared = _floor(body * body / (_WEIGHT_SCALE**2 * _PAIR_DIVISOR))
        clipped = _floor(body / _WEIGHT_SCALE)
        hidden = torch.cat([squared.clamp(max=ONE), clipped.clamp(0, ONE)], dim=1)
        return hidden, _truncate(skip * _SKIP_NUMERATOR / (ONE * _WEIGHT_SCALE))

    def second(self, hidden: torch.Tensor) -> torch.Tensor:
        """Map ``hidden1`` (n, 30) to ``hidden2`` (n, 32)."""
        sums = hidden @ self.weights_2.T + self.biases_2
        return _floor(sums / _WEIGHT_SCALE).clamp(0, ONE)

    def output(self, hidden: torch.Tensor) -> torch.Tensor:
        """Map ``hidden2`` (n, 32) to the positional sum (n,), still without the skip."""
        return hidden @ self.weights_3 + self.bias_3


def clip(accumulators: torch.Tensor) -> torch.Tensor:
    """Clip accumulators to 0..127."""
    return accumulators.clamp(0, ONE)


def multiply_pairs(clipped: torch.Tensor) -> torch.Tensor:
    """Multiply a perspective's first half by its second: (..., 1024) to (..., 512).

    float32 holds the exact result, since products of two such integers stay below 2**14.
    """
    products = clipped[..., :_HALF] * clipped[..., _HALF:]
    return _floor(products.mul_(1 / _PAIR_DIVISOR))


def add_up(
    piece_squares: torch.Tensor, positional: torch.Tensor, skip: torch.Tensor
) -> torch.Tensor:
    """Return the evaluation (n,) in Stockfish's internal units, side to move's view.

    ``piece_squares`` is the mover's piece-square sum minus the opponent's (n,); division
    by 2 and by 16 rounds towards zero, as integers do in C++.
    """
    material = _truncate(piece_squares / 2)
    return _truncate((material + positional + skip) / 16)


class _Round(torch.autograd.Function):
    """Rounding with the gradient of the identity (a straight-through estimator)."""

    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, downwards: bool) -> torch.Tensor:
        """Round down, or towards zero."""
        return torch.floor(values) if downwards else torch.trunc(values)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Hand the gradient on unchanged."""
        return gradients[0], None


def _floor(values: torch.Tensor) -> torch.Tensor:
    return cast(torch.Tensor, _Round.apply(values, True))


def _truncate(values: torch.Tensor) -> torch.Tensor:
    return cast(torch.Tensor, _Round.apply(values, False))


def _float32(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array.astype(np.float32))


def _float64(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array.astype(np.float64))
