"""A model of how much a move changes each concept term, on an expert's activations.

Two answers for each term: the signed root of its change, and the root of its size. The
second ranks: a term may be sure to change a lot in a direction that is hard to tell.
Changes are in standard deviations of the term's change over training moves; roots keep
the rare large ones from drowning the rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn

from chessgloss.change_features import Source
from chessgloss.oracle import TERMS

_TOTALS = 3
_SIDED = (len(TERMS) - _TOTALS) // 2
_ANSWERS = _TOTALS + _SIDED


class TwoViews(nn.Module):
    """A linear layer on two views that treats both sides alike.

    With ``s`` the sum and ``d`` the difference of the two views, one side's answer is
    ``P s + Q d`` and the other's ``P s - Q d``: exchanging the views exchanges the answers,
    at half the cost of applying one matrix to both orders.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.common = nn.Linear(width, hidden)
        self.difference = nn.Linear(width, hidden, bias=False)

    def forward(self, views: torch.Tensor) -> torch.Tensor:
        """Map ``(n, 2, width)`` to ``(n, 2, hidden)``."""
        first, second = views.unbind(dim=1)
        common, difference = self.common(first + second), self.difference(first - second)
        return torch.stack([common + difference, common - difference], dim=1)


class ChangeNetwork(nn.Module):
    """Two views in, two numbers a term out.

    Parameters
    ----------
    width
        Features a view.
    hidden, trunk
        Units of the first layer and of the second.
    """

    def __init__(self, width: int, hidden: int = 512, trunk: int = 256) -> None:
        super().__init__()
        self.sizes = (width, hidden, trunk)
        self.views = TwoViews(width, hidden)
        self.trunk = nn.Linear(hidden, trunk)
        self.heads = nn.Linear(trunk, 2 * _ANSWERS)

    def forward(self, views: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return signed roots of changes and roots of sizes, ``(n, 21)``, as in ``TERMS``."""
        hidden = torch.relu(self.views(views))
        answers = self.heads(torch.relu(self.trunk(hidden)))
        signed, size = answers.unflatten(-1, (2, _ANSWERS)).unbind(dim=2)
        return _by_term(signed, -1), _by_term(size, 1)


@dataclass(frozen=True, slots=True, eq=False)
class ChangeModel:
    """A trained network with the units of its answers.

    Parameters
    ----------
    network
        The network.
    spread
        float32 ``(21,)``: standard deviation of each term's change over training moves, in
        pawns: the unit of every predicted change.
    about
        Where it comes from: source of the features, oracle, data hash, seed, settings.
    """

    network: ChangeNetwork
    spread: NDArray[np.float32]
    about: Mapping[str, str]

    def __post_init__(self) -> None:
        if self.spread.shape != (len(TERMS),) or not (self.spread > 0).all():
            raise ValueError(f"every term needs a positive spread, got {self.spread}")

    def predict(
        self, source: Source, before: Sequence[str], after: Sequence[str], *, batch: int = 1024
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return changes and what ranks them, float32 ``(n, 21)`` each.

        Changes are signed, in standard deviations; the ranking is by the root of the size,
        which may be a little below zero.

        Parameters
        ----------
        source
            Where the features come from; the one that the model was trained on.
        before, after
            FENs around the moves, length ``n``.

        Raises
        ------
        ValueError
            If the source is another than the model's.
        """
        if source.width != self.network.sizes[0]:
            raise ValueError(f"this model reads {self.about.get('source')}, not {source.name}")
        starts = range(0, len(before), batch)
        answers = [
            self._answer(source, before[at : at + batch], after[at : at + batch]) for at in starts
        ]
        if not answers:
            return np.empty((0, len(TERMS)), np.float32), np.empty((0, len(TERMS)), np.float32)
        changes, sizes = (torch.cat(one).numpy() for one in zip(*answers, strict=True))
        return changes, sizes

    @torch.inference_mode()
    def _answer(
        self, source: Source, before: Sequence[str], after: Sequence[str]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        signed, size = self.network(source.features(source.read(before), source.read(after)))
        return signed * signed.abs(), size

    def save(self, path: Path) -> Path:
        """Write a safetensors file in half precision, with sizes and origin in its header."""
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(".part")
        weights = {name: one.half().contiguous() for name, one in self.network.state_dict().items()}
        header = {**self.about, "sizes": json.dumps(self.network.sizes)}
        save_file({**weights, "spread": torch.from_numpy(self.spread)}, aside, header)
        aside.rename(path)
        return path

    @classmethod
    def load(cls, path: Path) -> ChangeModel:
        """Read a file that :meth:`save` wrote.

        Raises
        ------
        ValueError
            If the file holds no model of changes.
        """
        try:
            with safe_open(path, framework="pt") as file:
                about = dict(file.metadata() or {})
                network = ChangeNetwork(*json.loads(about.pop("sizes")))
                tensors = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
                spread = tensors.pop("spread").numpy()
                network.load_state_dict(tensors)
                return cls(network.eval(), spread, about)
        except (KeyError, RuntimeError, SafetensorError) as error:
            raise ValueError(f"{path} holds no model of changes: {error}") from None


def _by_term(sides: torch.Tensor, sign: int) -> torch.Tensor:
    """Lay out ``(n, 2, 12)`` as ``(n, 21)``: totals from both views, then White, Black, White...

    A total seen by Black is the same with the other sign; its size is the same.
    """
    white, black = sides.unbind(dim=1)
    totals = (white[:, :_TOTALS] + sign * black[:, :_TOTALS]) / 2
    pairs = torch.stack([white[:, _TOTALS:], black[:, _TOTALS:]], dim=-1)
    return torch.cat([totals, pairs.flatten(1)], dim=-1)
