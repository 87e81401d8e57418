"""Leela's residual tower and its heads as torch modules.

Names and order of the tensors follow ``net.proto``, the arithmetic follows
``src/neural/backends/blas/network_blas.cc`` of LeelaChessZero/lc0. Batch normalisation is
folded into the convolutions when the tensors are read.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from chessgloss.experts.leela_format import LeelaFormatError, LeelaNetwork
from chessgloss.experts.leela_moves import (
    CONVOLUTION_PLANES,
    attention_map,
    convolution_map,
)
from chessgloss.experts.leela_planes import PLANES

Activation = Callable[[torch.Tensor], torch.Tensor]

_ACTIVATIONS: dict[str, Activation] = {"relu": functional.relu, "mish": functional.mish}
_BATCH_NORM_EPSILON = 1e-5  # src/neural/network_legacy.cc


class TensorSource:
    """Hands out a network's tensors, shaped; with a generator, drawn at random.

    Each weight is then drawn from the values of its own tensor, which so keeps their
    distribution, hence its scale, and loses what training put into their places. Batch
    normalisation is folded in before.
    """

    def __init__(self, network: LeelaNetwork, rng: np.random.Generator | None = None) -> None:
        self.network = network
        self._rng = rng

    def convolution(self, name: str, inputs: int, size: int = 3) -> nn.Conv2d:
        """Return a convolution whose number of outputs the file decides."""
        weights, biases = self._fold(name)
        outputs = len(biases)
        self._check(name, weights, outputs * inputs * size * size)
        layer = nn.utils.skip_init(nn.Conv2d, inputs, outputs, size, padding=size // 2)
        _fill(layer, self._mix(weights).reshape(outputs, inputs, size, size), self._mix(biases))
        return layer

    def dense(self, weights: str, biases: str | None, inputs: int) -> nn.Linear:
        """Return a dense layer whose number of outputs the file decides."""
        matrix = self.network.tensor(weights)
        offset = None if biases is None else self.network.tensor(biases)
        outputs = len(matrix) // inputs if offset is None else len(offset)
        self._check(weights, matrix, outputs * inputs)
        layer = nn.utils.skip_init(nn.Linear, inputs, outputs, bias=offset is not None)
        mixed = None if offset is None else self._mix(offset)
        _fill(layer, self._mix(matrix).reshape(outputs, inputs), mixed)
        return layer

    def _mix(self, tensor: np.ndarray) -> np.ndarray:
        if self._rng is None:
            return tensor
        return tensor[self._rng.integers(0, len(tensor), len(tensor), dtype=np.uint32)]

    def _check(self, name: str, tensor: np.ndarray, size: int) -> None:
        if len(tensor) != size:
            raise LeelaFormatError(
                f"{self.network.path.name} is inconsistent: tensor {name!r} has {len(tensor)} "
                f"numbers where {size} are needed; the file is damaged or of an unknown kind"
            )

    def _fold(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return a convolution's weights and biases with batch normalisation folded in."""
        read, has = self.network.tensor, self.network.has
        weights = read(f"{name}.weights")
        if not has(f"{name}.bn_means"):
            return weights, read(f"{name}.biases")
        means, variances = read(f"{name}.bn_means"), read(f"{name}.bn_stddivs")
        gammas = read(f"{name}.bn_gammas") if has(f"{name}.bn_gammas") else np.ones_like(means)
        betas = read(f"{name}.bn_betas") if has(f"{name}.bn_betas") else np.zeros_like(means)
        if has(f"{name}.biases"):
            means = means - read(f"{name}.biases")
        scale = gammas / np.sqrt(variances + _BATCH_NORM_EPSILON)
        folded = weights.reshape(len(scale), -1) * scale[:, None]
        return folded.ravel().astype(np.float32), (betas - scale * means).astype(np.float32)


class SqueezeExcitation(nn.Module):
    """Scale and shift each channel by what the whole board's mean says."""

    def __init__(self, source: TensorSource, name: str, channels: int, act: Activation) -> None:
        super().__init__()
        self.squeeze = source.dense(f"{name}.w1", f"{name}.b1", channels)
        self.excite = source.dense(f"{name}.w2", f"{name}.b2", self.squeeze.out_features)
        self._act = act

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (n, channels, 8, 8) to the same shape."""
        both = self.excite(self._act(self.squeeze(x.mean(dim=(2, 3)))))
        scale, shift = both[:, :, None, None].chunk(2, dim=1)
        return x * torch.sigmoid(scale) + shift


class Block(nn.Module):
    """A residual block: two 3 x 3 convolutions, perhaps an SE unit, and the way round them."""

    def __init__(self, source: TensorSource, index: int, channels: int, act: Activation) -> None:
        super().__init__()
        name = f"residual.{index}"
        self.first = source.convolution(f"{name}.conv1", channels)
        self.second = source.convolution(f"{name}.conv2", channels)
        has_se = source.network.has(f"{name}.se.w1")
        self.se = SqueezeExcitation(source, f"{name}.se", channels, act) if has_se else None
        self._act = act

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (n, channels, 8, 8) to the same shape."""
        inner = self.second(self._act(self.first(x)))
        return self._act(x + (inner if self.se is None else self.se(inner)))


class ValueHead(nn.Module):
    """Expected result, from the mover's view: -1 lost, 1 won."""

    def __init__(self, source: TensorSource, channels: int, act: Activation) -> None:
        super().__init__()
        self.conv = source.convolution("value", channels, size=1)
        self.hidden = source.dense("ip1_val_w", "ip1_val_b", 64 * self.conv.out_channels)
        self.out = source.dense("ip2_val_w", "ip2_val_b", self.hidden.out_features)
        self._act = act

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (n, channels, 8, 8) to (n,)."""
        hidden = self._act(self.hidden(self._act(self.conv(x)).flatten(1)))
        out = self.out(hidden)
        if out.shape[1] == 1:
            return torch.tanh(out[:, 0])
        outcomes = torch.softmax(out, dim=1)  # win, draw, loss
        return outcomes[:, 0] - outcomes[:, 2]


class ClassicalPolicy(nn.Module):
    """One convolution, then a dense layer with an output for every move."""

    def __init__(self, source: TensorSource, channels: int, act: Activation) -> None:
        super().__init__()
        self.conv = source.convolution("policy", channels, size=1)
        self.out = source.dense("ip_pol_w", "ip_pol_b", 64 * self.conv.out_channels)
        self._act = act

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (n, channels, 8, 8) to logits (n, 1858)."""
        logits: torch.Tensor = self.out(self._act(self.conv(x)).flatten(1))
        return logits


class ConvolutionPolicy(nn.Module):
    """Two convolutions; a plane for each way to move, a square for each place to start."""

    def __init__(self, source: TensorSource, channels: int, act: Activation) -> None:
        super().__init__()
        self.first = source.convolution("policy1", channels)
        self.second = source.convolution("policy", self.first.out_channels)
        self._places = torch.from_numpy(convolution_map())
        self._act = act

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (n, channels, 8, 8) to logits (n, 1858)."""
        planes = self.second(self._act(self.first(x)))[:, :CONVOLUTION_PLANES]
        return planes.flatten(1)[:, self._places]


class AttentionPolicy(nn.Module):
    """Each square asks every other how well it moves there."""

    def __init__(self, source: TensorSource, channels: int) -> None:
        super().__init__()
        self.embedding = source.dense("ip_pol_w", "ip_pol_b", channels)
        width = self.embedding.out_features
        self.queries = source.dense("ip2_pol_w", "ip2_pol_b", width)
        self.keys = source.dense("ip3_pol_w", "ip3_pol_b", width)
        self.promotions = source.dense("ip4_pol_w", None, self.keys.out_features)
        self._places = torch.from_numpy(attention_map())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (n, channels, 8, 8) to logits (n, 1858)."""
        squares = functional.selu(self.embedding(x.flatten(2).transpose(1, 2)))
        queries, keys = self.queries(squares), self.keys(squares)
        moves = queries @ keys.transpose(1, 2) / keys.shape[2] ** 0.5
        pieces = self.promotions(keys[:, 56:])  # (n, file, queen rook bishop shared)
        offsets = pieces[:, :, :3] + pieces[:, :, 3:]
        promoted = moves[:, 48:56, 56:, None] + offsets[:, None]
        return torch.cat([moves.flatten(1), promoted.flatten(1)], dim=1)[:, self._places]


class Tower(nn.Module):
    """Input convolution, residual blocks, value and policy heads."""

    def __init__(self, source: TensorSource) -> None:
        super().__init__()
        network = source.network
        self._act = _ACTIVATIONS[network.format.activation]
        self.input = source.convolution("input", PLANES)
        channels = self.input.out_channels
        self.blocks = nn.ModuleList(
            Block(source, index, channels, self._act) for index in range(network.blocks)
        )
        self.value = ValueHead(source, channels, self._act)
        self.policy = _policy_head(source, channels, self._act)
        self.requires_grad_(False)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    @property
    def channels(self) -> int:
        """Filters of each convolution in the tower."""
        return self.input.out_channels

    def run(self, x: torch.Tensor, start: int, stop: int) -> torch.Tensor:
        """Take ``x`` through stages ``start`` to ``stop`` (0 is the input convolution)."""
        for stage in range(start, stop):
            x = self._act(self.input(x)) if stage == 0 else self.blocks[stage - 1](x)
        return x

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Map planes (n, 112, 8, 8) to values (n,) and move logits (n, 1858)."""
        x = self.run(planes, 0, 1 + len(self.blocks))
        return self.value(x), self.policy(x)


def _policy_head(source: TensorSource, channels: int, act: Activation) -> nn.Module:
    kind = source.network.format.policy
    if kind == "POLICY_ATTENTION":
        return AttentionPolicy(source, channels)
    head = ConvolutionPolicy if kind == "POLICY_CONVOLUTION" else ClassicalPolicy
    return head(source, channels, act)


def _fill(layer: nn.Conv2d | nn.Linear, weights: np.ndarray, biases: np.ndarray | None) -> None:
    layer.weight = nn.Parameter(torch.from_numpy(np.ascontiguousarray(weights)))
    if biases is not None:
        layer.bias = nn.Parameter(torch.from_numpy(np.ascontiguousarray(biases)))
