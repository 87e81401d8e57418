"""How weights are moved: float32 masters of a model in bfloat16, AdamW, and Muon.

An update is too small for the 8 bits of a bfloat16, so each weight has a float32 master that
the optimiser moves and that is rounded back after each step. All weights of a model lie in one
flat array, and so do their gradients: a step is a handful of passes over memory, and nothing of
it waits for a device.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import torch
from torch import nn
from torch.optim import AdamW, Muon, Optimizer

from chessgloss.tracking.runs import Training

#: Adam's constants, the defaults of Kingma and Ba 2014; the second beta is a setting.
BETA1 = 0.9
EPSILON = 1e-8

#: In the names of matrices that are several square ones, stacked: queries, keys and values; an
#: LSTM's gates. Each is moved by itself.
STACKED = ("project", "weight_ih", "weight_hh")

#: What Muon keeps of a matrix, and what Adam keeps of the other weights.
_MOMENTUM = "momentum_buffer"
_MOMENTS = ("exp_avg", "exp_avg_sq", "step")


class MasterWeights:
    """The float32 weights of a model, and the optimisers that move them.

    Parameters
    ----------
    model
        Its parameters become views, in ``precision``, of one array that follows the masters.
        It stays on the device where it is.
    training
        The optimiser, its decay and the longest gradient.
    precision
        That in which the model computes.
    """

    def __init__(
        self,
        model: nn.Module,
        training: Training,
        precision: torch.dtype = torch.bfloat16,
    ) -> None:
        self.training = training
        matrices: list[nn.Parameter] = []
        decayed: list[nn.Parameter] = []
        others: list[nn.Parameter] = []
        shapes: list[tuple[int, ...]] = []
        for name, weights in model.named_parameters():
            hidden = name.startswith("body") and "weight" in name and weights.dim() == 2
            if training.optimiser == "muon" and hidden:
                matrices.append(weights)
                shapes += _moved_alone(name, weights)
            else:
                (decayed if weights.dim() > 1 else others).append(weights)
        # Matrices come first and are Muon's, then what decays, then what does not.
        parameters = [*matrices, *decayed, *others]
        self.flat = torch.cat(
            [weights.detach().float().flatten() for weights in parameters]
        )
        for name, buffer in model.named_buffers():
            owner, _, last = name.rpartition(".")
            setattr(model.get_submodule(owner), last, buffer.to(precision))
        self._rounded = self.flat.to(precision)
        self._gradient = torch.zeros_like(self._rounded)
        sizes = [weights.numel() for weights in parameters]
        values = self._rounded.split(sizes)
        gradients = self._gradient.split(sizes)
        for weights, value, gradient in zip(parameters, values, gradients, strict=True):
            weights.data = value.view(weights.shape)
            weights.grad = gradient.view(weights.shape)
        for group in (decayed, others):
            shapes.append((sum(weights.numel() for weights in group),))
        self._sizes = [math.prod(shape) for shape in shapes]
        self._masters = [
            nn.Parameter(part.view(shape), requires_grad=False)
            for part, shape in zip(self.flat.split(self._sizes), shapes, strict=True)
        ]
        *squares, decaying, plain = self._masters
        self._groups = [decaying, plain]
        rules = [
            {"params": [decaying], "weight_decay": training.decay},
            {"params": [plain], "weight_decay": 0.0},
        ]
        betas = (BETA1, training.beta2)
        self._adam = AdamW(rules, training.rate, betas, EPSILON, fused=True)
        self._optimisers: dict[Optimizer, float] = {self._adam: training.rate}
        self._momentum = torch.zeros_like(self.flat[: sum(self._sizes[:-2])])
        if squares:
            rate = training.matrix_rate
            muon = Muon(squares, rate, training.matrix_decay, training.momentum)
            self._optimisers[muon] = rate
            momenta = self._momentum.split(self._sizes[:-2])
            for square, momentum in zip(squares, momenta, strict=True):
                muon.state[square][_MOMENTUM] = momentum.view_as(square)

    def step(self, share: float) -> None:
        """Move the weights along the gradient that ``backward`` left, and forget it.

        Parameters
        ----------
        share
            Of the highest learning rates, 0 to 1.
        """
        gradient = self._gradient.float()
        length = gradient.norm().clamp(min=1e-12)
        gradient *= (self.training.clip / length).clamp(max=1.0)
        parts = gradient.split(self._sizes)
        for master, part in zip(self._masters, parts, strict=True):
            master.grad = part.view_as(master)
        for optimiser, rate in self._optimisers.items():
            for options in optimiser.param_groups:
                options["lr"] = rate * share
            optimiser.step()
        self._rounded.copy_(self.flat)
        self._gradient.zero_()

    def state(self) -> dict[str, torch.Tensor]:
        """Return all that a later step depends on, by name: copies."""
        state = {
            f"{name}.{number}": self._adam.state[group][name].clone()
            for number, group in enumerate(self._groups)
            for name in _MOMENTS
            if group in self._adam.state
        }
        if len(self._momentum):
            state[_MOMENTUM] = self._momentum.clone()
        return {"weights": self.flat.clone(), **state}

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Restore a state that :meth:`state` returned.

        Earlier states have the ``momentum`` as a sum; torch keeps a mean.
        """
        self.set_weights(state["weights"])
        if "momentum" in state:
            self._momentum.copy_(state["momentum"] * (1 - self.training.momentum))
        elif _MOMENTUM in state:
            self._momentum.copy_(state[_MOMENTUM])
        for number, group in enumerate(self._groups):
            if f"step.{number}" in state:
                self._adam.state[group] = {
                    name: state[f"{name}.{number}"].to(group.device, copy=True)
                    for name in _MOMENTS
                }

    def set_weights(self, weights: torch.Tensor) -> None:
        """Give masters and model the weights ``(n,)`` float32."""
        self.flat.copy_(weights)
        self._rounded.copy_(self.flat)


def _moved_alone(name: str, matrix: nn.Parameter) -> Iterator[tuple[int, int]]:
    """Yield the shapes of the parts of a matrix that are moved alone: square ones, or all of it."""
    rows, columns = matrix.shape
    height = columns if any(part in name for part in STACKED) else rows
    for _ in range(rows // height):
        yield height, columns
