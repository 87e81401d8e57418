"""Weights in half precision with masters in single: what lets a processor train quickly.

The model computes in bfloat16, whose products a recent processor does in tiles. An update is
too small for its 8 bits, so each weight has a float32 master that Adam moves and that is
rounded back after each step. All weights of a model lie in one flat array, and so do their
gradients: a step is a handful of passes over memory, and its state three arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import torch
from torch import nn

from chessgloss.tracking.settings import Training

#: Adam's constants, the defaults of Kingma and Ba 2014.
BETAS, EPSILON = (0.9, 0.999), 1e-8

_STATE = ("exp_avg", "exp_avg_sq", "step")


class MasterWeights:
    """The float32 weights of a model, and the optimiser that moves them.

    Parameters
    ----------
    model
        Its parameters become views, in ``precision``, of one array that follows the masters.
    training
        Decay and the longest gradient.
    precision
        That in which the model computes.
    """

    def __init__(
        self, model: nn.Module, training: Training, precision: torch.dtype = torch.bfloat16
    ) -> None:
        self.clip = training.clip
        decayed = [one for one in model.parameters() if one.dim() > 1]
        others = [one for one in model.parameters() if one.dim() <= 1]
        self._parameters = [*decayed, *others]
        self.flat = torch.cat([one.detach().float().flatten() for one in self._parameters])
        for name, buffer in model.named_buffers():
            _replace_buffer(model, name, buffer.to(precision))
        self._rounded = self.flat.to(precision)
        self._gradient = torch.zeros_like(self._rounded)
        self._bind()
        parts = self.flat.split(_sizes(decayed, others))
        self.groups = [nn.Parameter(part, requires_grad=False) for part in parts]
        decays = (training.decay, 0.0)
        self._adam = torch.optim.AdamW(
            [
                {"params": [group], "weight_decay": decay}
                for group, decay in zip(self.groups, decays, strict=False)
            ],
            lr=training.rate,
            betas=BETAS,
            eps=EPSILON,
            fused=True,
        )

    def step(self, rate: float) -> float:
        """Move the weights along the gradient that ``backward`` left; return its length.

        Parameters
        ----------
        rate
            Learning rate of this step.
        """
        gradient = self._gradient.float()
        length = float(gradient.norm())
        if length > self.clip:
            gradient *= self.clip / length
        parts = gradient.split([group.numel() for group in self.groups])
        for group, part, options in zip(self.groups, parts, self._adam.param_groups, strict=True):
            group.grad, options["lr"] = part, rate
        self._adam.step()
        self._rounded.copy_(self.flat)
        self._gradient.zero_()
        return length

    def state(self) -> dict[str, torch.Tensor]:
        """Return all that a later step depends on, by name: copies."""
        moments = {
            f"{name}.{number}": self._adam.state[group][name].clone()
            for number, group in enumerate(self.groups)
            for name in _STATE
            if group in self._adam.state
        }
        return {"weights": self.flat.clone(), **moments}

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Go back to what :meth:`state` returned."""
        self.set_weights(state["weights"])
        for number, group in enumerate(self.groups):
            if f"step.{number}" in state:
                kept = {name: state[f"{name}.{number}"].clone() for name in _STATE}
                self._adam.state[group] = kept

    def set_weights(self, weights: torch.Tensor) -> None:
        """Give masters and model the weights ``(n,)`` float32."""
        self.flat.copy_(weights)
        self._rounded.copy_(self.flat)

    def _bind(self) -> None:
        sizes = [one.numel() for one in self._parameters]
        ends = torch.tensor([0, *sizes]).cumsum(0).tolist()
        for one, (first, last) in zip(self._parameters, pairwise(ends), strict=True):
            one.data = self._rounded[first:last].view(one.shape)
            one.grad = self._gradient[first:last].view(one.shape)


def _sizes(*groups: list[nn.Parameter]) -> list[int]:
    return [sum(one.numel() for one in group) for group in groups if group]


def _replace_buffer(model: nn.Module, name: str, value: torch.Tensor) -> None:
    owner, _, last = name.rpartition(".")
    setattr(model.get_submodule(owner), last, value)
