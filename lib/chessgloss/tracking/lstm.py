"""The language model without attention: an LSTM, as in section 5.3 of the paper."""

from __future__ import annotations

import torch
from torch import nn


class Recurrence(nn.Module):
    """Layers of an LSTM over the vectors of a game's tokens.

    Parameters
    ----------
    width
        Length of the vectors, in and out.
    layers
        How many LSTMs feed one another.
    dropout
        Share of the vectors between layers dropped in training.
    """

    def __init__(self, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        between = dropout if layers > 1 else 0.0
        self.layers = nn.LSTM(width, width, layers, batch_first=True, dropout=between)

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Read ``(games, length, width)`` from left to right; return as many states."""
        return self.layers(vectors)[0]
