"""How weights are moved: float32 masters of a model in bfloat16, by AdamW and Muon.

An update is too small for the 8 bits of a bfloat16, so each weight has a float32 master that
the optimiser moves and that is rounded back after each step.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn
from torch.optim import AdamW, Muon

from chessgloss.tracking.runs import Training

#: Adam's memory of the gradient, Kingma and Ba's default; that of its square is a setting.
BETA1 = 0.9

#: In the names of matrices that are several square ones, stacked: queries, keys and values; an
#: LSTM's gates. Each is moved by itself.
STACKED = ("project", "weight_ih", "weight_hh")


class MasterWeights:
    """The float32 weights of a model, and the optimisers that move them.

    Parameters
    ----------
    model
        It is turned to ``precision``, and follows the masters. It stays on the device where it is.
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
        self.model = model
        self.clip = training.clip
        self.heights: list[int] = []
        self.masters: list[nn.Parameter] = []
        matrices: list[nn.Parameter] = []
        decayed: list[nn.Parameter] = []
        plain: list[nn.Parameter] = []
        for name, weights in model.named_parameters():
            height = len(weights)
            group = decayed if weights.dim() > 1 else plain
            hidden = name.startswith("body") and "weight" in name and weights.dim() == 2
            if hidden and training.optimiser == "muon":
                group = matrices
                if any(part in name for part in STACKED):
                    height = weights.shape[1]
            parts = weights.detach().float().clone().split(height)
            masters = [nn.Parameter(part, requires_grad=False) for part in parts]
            self.heights.append(height)
            self.masters += masters
            group += masters
        model.to(precision)
        groups = [
            {"params": decayed, "weight_decay": training.decay},
            {"params": plain, "weight_decay": 0.0},
        ]
        betas = (BETA1, training.beta2)
        adam = AdamW(groups, training.rate, betas, fused=True)
        self.optimisers: dict[torch.optim.Optimizer, float] = {adam: training.rate}
        if matrices:
            rate = training.matrix_rate
            muon = Muon(matrices, rate, training.matrix_decay, training.momentum)
            self.optimisers[muon] = rate

    def step(self, share: float) -> None:
        """Move the weights along the gradient that ``backward`` left, and forget it.

        Parameters
        ----------
        share
            Of the highest learning rates, 0 to 1.
        """
        gradients: list[torch.Tensor] = []
        for weights, height in zip(self.model.parameters(), self.heights, strict=True):
            assert weights.grad is not None
            gradients += weights.grad.float().split(height)
        for master, gradient in zip(self.masters, gradients, strict=True):
            master.grad = gradient
        nn.utils.clip_grad_norm_(self.masters, self.clip)
        for optimiser, rate in self.optimisers.items():
            for group in optimiser.param_groups:
                group["lr"] = rate * share
            optimiser.step()
        self.round()
        self.model.zero_grad()

    @torch.no_grad()
    def round(self) -> None:
        """Give the model the weights of the masters."""
        left = iter(self.masters)
        for weights, height in zip(self.model.parameters(), self.heights, strict=True):
            for part in weights.split(height):
                part.copy_(next(left))

    def state(self) -> dict[str, torch.Tensor]:
        """Return all that a later step depends on, by name."""
        state: dict[str, torch.Tensor] = {
            f"master.{place}": master for place, master in enumerate(self.masters)
        }
        for number, optimiser in enumerate(self.optimisers):
            for place, moments in optimiser.state_dict()["state"].items():
                for name, values in moments.items():
                    state[f"{number}.{place}.{name}"] = values
        return state

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Go to a state that :meth:`state` returned."""
        for place, master in enumerate(self.masters):
            master.copy_(state[f"master.{place}"])
        for number, optimiser in enumerate(self.optimisers):
            moments: dict[int, dict[str, torch.Tensor]] = {}
            for key, values in state.items():
                if key.startswith(f"{number}."):
                    _, part, name = key.split(".")
                    moments.setdefault(int(part), {})[name] = values
            groups = optimiser.state_dict()["param_groups"]
            optimiser.load_state_dict({"state": moments, "param_groups": groups})
        self.round()
