"""How weights are moved: float32 masters of a model in bfloat16, AdamW, and Muon.

An update is too small for the 8 bits of a bfloat16, so each weight has a float32 master that
the optimiser moves and that is rounded back after each step. All weights of a model lie in one
flat array, and so do their gradients: a step is a handful of passes over memory, and nothing of
it waits for a device.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import torch
from torch import nn

from chessgloss.tracking.runs import Training

#: Adam's constants, the defaults of Kingma and Ba 2014; the second beta is a setting.
BETA1 = 0.9
EPSILON = 1e-8

#: Coefficients of the polynomial that draws singular values towards one, and how often it is
#: applied (Jordan and others 2024, "Muon: an optimizer for hidden layers in neural networks").
NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
STEPS = 5

#: In the names of matrices that are several square ones, stacked.
STACKED = ("project", "weight_ih", "weight_hh")

_STATE = ("exp_avg", "exp_avg_sq", "step")


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
        matrices: dict[str, nn.Parameter] = {}
        decayed: list[nn.Parameter] = []
        others: list[nn.Parameter] = []
        for name, weights in model.named_parameters():
            hidden = name.startswith("body") and "weight" in name and weights.dim() == 2
            if training.optimiser == "muon" and hidden:
                matrices[name] = weights
            else:
                (decayed if weights.dim() > 1 else others).append(weights)
        parameters = [*matrices.values(), *decayed, *others]
        self.flat = torch.cat(
            [weights.detach().float().flatten() for weights in parameters]
        )
        for name, buffer in model.named_buffers():
            owner, _, last = name.rpartition(".")
            setattr(model.get_submodule(owner), last, buffer.to(precision))
        self._rounded = self.flat.to(precision)
        self._gradient = torch.zeros_like(self._rounded)
        sizes = [weights.numel() for weights in parameters]
        ends = np.cumsum([0, *sizes]).tolist()
        for weights, (first, last) in zip(parameters, pairwise(ends), strict=True):
            weights.data = self._rounded[first:last].view(weights.shape)
            weights.grad = self._gradient[first:last].view(weights.shape)
        # Matrices come first and are Muon's, then what decays, then what does not.
        groups = [list(matrices.values()), decayed, others]
        self._sizes = [sum(weights.numel() for weights in group) for group in groups]
        first, *rest = self.flat.split(self._sizes)
        self._muon = _Muon(first, matrices, training, precision) if matrices else None
        self._groups = [nn.Parameter(part, requires_grad=False) for part in rest]
        decays = (training.decay, 0.0)
        rules = [
            {"params": [group], "weight_decay": decay}
            for group, decay in zip(self._groups, decays, strict=True)
        ]
        betas = (BETA1, training.beta2)
        self._adam = torch.optim.AdamW(rules, training.rate, betas, EPSILON, fused=True)

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
        first, *rest = gradient.split(self._sizes)
        if self._muon is not None:
            self._muon.step(first, share)
        for group, part, options in zip(
            self._groups, rest, self._adam.param_groups, strict=True
        ):
            group.grad = part
            options["lr"] = self.training.rate * share
        self._adam.step()
        self._rounded.copy_(self.flat)
        self._gradient.zero_()

    def state(self) -> dict[str, torch.Tensor]:
        """Return all that a later step depends on, by name: copies."""
        state = {
            f"{name}.{number}": self._adam.state[group][name].clone()
            for number, group in enumerate(self._groups)
            for name in _STATE
            if group in self._adam.state
        }
        if self._muon is not None:
            state["momentum"] = self._muon.momentum.clone()
        return {"weights": self.flat.clone(), **state}

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Go back to what :meth:`state` returned."""
        self.set_weights(state["weights"])
        if self._muon is not None:
            self._muon.momentum.copy_(state["momentum"])
        for number, group in enumerate(self._groups):
            if f"step.{number}" in state:
                kept = {
                    name: state[f"{name}.{number}"].to(group.device) for name in _STATE
                }
                self._adam.state[group] = {
                    name: part.clone() for name, part in kept.items()
                }

    def set_weights(self, weights: torch.Tensor) -> None:
        """Give masters and model the weights ``(n,)`` float32."""
        self.flat.copy_(weights)
        self._rounded.copy_(self.flat)


class _Muon:
    """Matrices that move along their orthogonalised momentum; those of one shape together.

    Parameters
    ----------
    masters
        The float32 weights of the matrices, flat, one after the other.
    matrices
        Their names and shapes; those stacked of several (queries, keys and values; an LSTM's
        gates) are moved each for itself.
    training
        Rate, momentum and decay.
    precision
        In which they are orthogonalised.
    """

    def __init__(
        self,
        masters: torch.Tensor,
        matrices: Mapping[str, nn.Parameter],
        training: Training,
        precision: torch.dtype,
    ) -> None:
        self.masters = masters
        self.training = training
        self.precision = precision
        self.momentum = torch.zeros_like(masters)
        self.spans: dict[tuple[int, int], list[tuple[int, int]]] = {}
        at = 0
        for name, matrix in matrices.items():
            rows, columns = matrix.shape
            height = columns if any(part in name for part in STACKED) else rows
            for _ in range(rows // height):
                end = at + height * columns
                alike = self.spans.setdefault((height, columns), [])
                alike.append((at, end))
                at = end

    def step(self, gradient: torch.Tensor, share: float) -> None:
        """Move the masters; ``gradient`` is flat as they are."""
        rate = self.training.matrix_rate * share
        self.momentum.mul_(self.training.momentum).add_(gradient)
        ahead = gradient.add(self.momentum, alpha=self.training.momentum)
        self.masters.mul_(1 - rate * self.training.matrix_decay)
        for (rows, columns), spans in self.spans.items():
            flat = torch.stack([ahead[first:last] for first, last in spans])
            stack = flat.view(-1, rows, columns).to(self.precision)
            moved = orthogonalise(stack)
            shape = rows / columns
            size = max(1.0, shape) ** 0.5
            steps = moved.flatten(1).float()
            for (first, last), matrix in zip(spans, steps, strict=True):
                masters = self.masters[first:last]
                masters.add_(matrix, alpha=-rate * size)


def orthogonalise(matrices: torch.Tensor) -> torch.Tensor:
    """Return matrices ``(n, rows, columns)`` with singular values near one, else the same.

    Five steps of a Newton-Schulz iteration: values from about 0.7 to 1.2 come out.
    """
    first, second, third = NEWTON_SCHULZ
    tall = matrices.shape[1] > matrices.shape[2]
    turned = matrices.mT if tall else matrices
    turned = turned / turned.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    for _ in range(STEPS):
        square = turned @ turned.mT
        turned = first * turned + (second * square + third * square @ square) @ turned
    return turned.mT if tall else turned
