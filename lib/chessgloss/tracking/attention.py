"""Causal self-attention of four kinds: full, windowed, hashed, and by random features.

Each takes the projected input and returns, for every token, a mean of the values of tokens
that are not later. The approximate ones compute exactly the attention that their papers
define, as one masked product over the whole game: at 200 tokens that is faster than the
schedules that make them linear in the length, and gives the same numbers.
"""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional

#: What is added to a score to forbid it; half precision holds it, and its exponential is 0.
FORBIDDEN = -1e4

#: Reformer lets a token attend to itself only when nothing else is allowed.
_LAST_RESORT = -1e2


class SoftmaxAttention(nn.Module):
    """Attention of GPT-2 over all earlier tokens, or over a window of the latest.

    Parameters
    ----------
    context
        Most tokens of a sequence.
    window
        Tokens attended to, the token itself included; as many as ``context`` for all.
    """

    #: Projections of the input that it takes: queries, keys, values.
    inputs = 3

    def __init__(self, context: int, window: int) -> None:
        super().__init__()
        self.full = window >= context
        self.mask = nn.Buffer(banded(context, window), persistent=False)

    def forward(self, projected: torch.Tensor) -> torch.Tensor:
        """Return ``(3, n, length, size)`` queries, keys, values as means ``(n, length, size)``."""
        query, key, value = projected.unbind(0)
        length = query.shape[1]
        mask = self.mask[:length, :length]
        if not query.is_cuda:
            return _mean(query, key, value, mask)
        # The fused kernels ask for four dimensions.
        means = functional.scaled_dot_product_attention(
            query[None],
            key[None],
            value[None],
            attn_mask=None if self.full else mask[None, None],
            is_causal=self.full,
        )
        return means[0]


class HashAttention(nn.Module):
    """Reformer's attention (Kitaev and others 2020, section 2): among tokens of one bucket.

    Keys are the queries, normalised. A token may attend to those that share its bucket in
    any of the rounds (its equation 4), and to itself as a last resort.

    Parameters
    ----------
    context
        Most tokens of a sequence.
    size
        Length of a head's vectors.
    buckets, rounds
        Buckets of a hash, and hashes.
    """

    #: Projections of the input that it takes: queries, which are keys too, and values.
    inputs = 2

    def __init__(self, context: int, size: int, buckets: int, rounds: int) -> None:
        super().__init__()
        itself = torch.eye(context) * _LAST_RESORT
        earlier = banded(context, context) + itself
        self.mask = nn.Buffer(earlier, persistent=False)
        rotations = torch.randn(rounds, size, buckets // 2)
        self.rotations = nn.Buffer(rotations)

    def forward(self, projected: torch.Tensor) -> torch.Tensor:
        """Return ``(2, n, length, size)`` queries and values as means ``(n, length, size)``."""
        query, value = projected.unbind(0)
        length = query.shape[1]
        earlier = self.mask[:length, :length]
        mask = torch.where(self.shared(query), earlier, FORBIDDEN)
        scale = math.sqrt(query.shape[2])
        key = functional.normalize(query, dim=2) * scale
        return _mean(query, key, value, mask)

    @torch.no_grad()
    def shared(self, query: torch.Tensor) -> torch.Tensor:
        """Return a mask of the pairs that share a bucket in some round: ``(n, length, length)``."""
        together = torch.zeros((), dtype=torch.bool, device=query.device)
        for rotation in self.rotations:
            turned = query @ rotation
            sides = torch.cat([turned, -turned], dim=2)
            bucket = sides.argmax(dim=2).to(torch.uint8)
            same = bucket.unsqueeze(2) == bucket.unsqueeze(1)
            together = together | same
        return together


class FeatureAttention(nn.Module):
    """Performer's attention (Choromanski and others 2021, section 2): positive random features.

    The exponential of a product of query and key is, in the mean, the product of their
    random features. Those are drawn orthogonal, once.

    Parameters
    ----------
    size
        Length of a head's vectors.
    features
        Random features.
    """

    #: Projections of the input that it takes: queries, keys, values.
    inputs = 3

    #: Added to every feature, so that no token is left without weights.
    LEAST = 1e-4

    def __init__(self, size: int, features: int) -> None:
        super().__init__()
        self.directions = nn.Buffer(orthogonal_directions(features, size))

    def forward(self, projected: torch.Tensor) -> torch.Tensor:
        """Return ``(3, n, length, size)`` queries, keys, values as means ``(n, length, size)``."""
        query, key, value = projected.unbind(0)
        lifted = self.lift(query)
        weights = (lifted @ self.lift(key).mT).tril()
        total = weights.sum(dim=2, keepdim=True)
        return (weights @ value) / total

    def lift(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return the features ``(n, length, features)`` of vectors ``(n, length, size)``.

        The usual factor for their number is left out: it cancels in a mean.
        """
        size = vectors.shape[2]
        squares = vectors.square().sum(dim=2, keepdim=True)
        half_norm = squares / (2 * math.sqrt(size))
        directions = self.directions.T.expand(len(vectors), -1, -1)
        exponents = torch.baddbmm(
            half_norm, vectors, directions, beta=-1, alpha=size**-0.25
        )
        return exponents.exp() + self.LEAST


def banded(context: int, window: int) -> torch.Tensor:
    """Return a mask to add to scores ``(context, context)``: 0 where a row may see, else a lot."""
    earlier = torch.ones(context, context).tril()
    allowed = earlier.triu(1 - window)
    return (1 - allowed) * FORBIDDEN


def orthogonal_directions(count: int, size: int) -> torch.Tensor:
    """Return random directions ``(count, size)``: orthogonal in blocks, as long as normal ones."""
    needed = math.ceil(count / size)
    blocks = [torch.linalg.qr(torch.randn(size, size))[0].T for _ in range(needed)]
    lengths = torch.randn(count, size).norm(dim=1, keepdim=True)
    directions = torch.cat(blocks)[:count]
    return directions * lengths


def _mean(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor,
) -> torch.Tensor:
    """Return the values' means, weighed by the softmax of scaled products plus ``mask``."""
    scale = query.shape[2] ** -0.5
    scores = torch.baddbmm(mask, query, key.mT, alpha=scale)
    return scores.softmax(dim=2) @ value
