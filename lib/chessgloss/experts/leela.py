"""A Leela Chess Zero network as an expert: activations of every block, value and policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import chess
import numpy as np
import torch

from chessgloss.experts.batches import batched, check_layer, gather
from chessgloss.experts.boards import fen_of
from chessgloss.experts.leela_format import (
    LeelaFormat,
    LeelaFormatError,
    LeelaNetwork,
    read_network,
)
from chessgloss.experts.leela_moves import MOVES, legal_indices
from chessgloss.experts.leela_planes import Encoder
from chessgloss.experts.leela_tower import TensorSource, Tower
from chessgloss.positions import Position

Positions = Sequence[str | Position]

_BATCH = 256


class LeelaExpert:
    """A residual Leela network that shows its activations.

    Layers: ``input`` (after the first convolution) and ``block0``, ``block1`` ... (after each
    residual block), each of ``channels * 64`` columns: channel by channel, 64 squares each,
    a1 first, h1 eighth, as the side to move sees the board (``activations.reshape(n,
    channels, 8, 8)`` gives them back as boards).

    Orientation: always the mover's. The network sees Black's positions mirrored, with the
    colours swapped, so labels must be the mover's and the opponent's.

    History: a :class:`Position` with moves brings the positions before it, a FEN stands
    alone (see :mod:`chessgloss.experts.leela_planes`). The two differ: give every position
    of a study in the same way.

    Parameters
    ----------
    network
        The network's weights.
    random_weights
        A seed; if given, every weight is drawn at random from its tensor's values.
    """

    unit = "expected result, -1 lost to 1 won"

    def __init__(self, network: LeelaNetwork, random_weights: int | None = None) -> None:
        if network.format.input != "INPUT_CLASSICAL_112_PLANE":
            raise LeelaFormatError(
                f"{network.path.name} needs input planes of the format {network.format.input}; "
                "only INPUT_CLASSICAL_112_PLANE is made here, use a network that takes it"
            )
        drawn = random_weights is not None
        rng = np.random.default_rng(random_weights) if drawn else None
        stem = network.path.name.removesuffix(".gz").removesuffix(".pb")
        self.name = f"leela-{stem}" + (f"-random-{random_weights}" if drawn else "")
        self.format: LeelaFormat = network.format
        self.tower = Tower(TensorSource(network, rng))
        self.layers: tuple[str, ...] = ("input", *(f"block{i}" for i in range(network.blocks)))
        self._encoder = Encoder()

    @classmethod
    def from_file(cls, path: Path, *, random_weights: int | None = None) -> LeelaExpert:
        """Read a ``.pb.gz`` file.

        Raises
        ------
        LeelaFormatError
            If it is damaged or of an architecture not read here (it is named).
        """
        return cls(read_network(path), random_weights)

    @property
    def channels(self) -> int:
        """Filters of each layer."""
        return self.tower.channels

    def width(self, layer: str) -> int:
        """Return the number of columns of a layer: 64 times the filters."""
        check_layer(layer, self.layers, self.name)
        return 64 * self.channels

    def orientation(self, layer: str) -> Literal["mover"]:
        """Return whose labels fit a layer: always the mover's."""
        check_layer(layer, self.layers, self.name)
        return "mover"

    def stream(
        self,
        positions: Iterable[str | Position],
        layer: str,
        *,
        batch: int = _BATCH,
        progress: bool = False,
    ) -> Iterator[np.ndarray]:
        """Yield a layer's activations, float32 (at most ``batch``, d), in order."""
        check_layer(layer, self.layers, self.name)
        stop = self.layers.index(layer) + 1
        for planes in self._planes(positions, batch, progress, layer):
            with torch.inference_mode():
                yield self.tower.run(planes, 0, stop).flatten(1).numpy()

    def activations(
        self, positions: Positions, layer: str, *, batch: int = _BATCH, progress: bool = False
    ) -> np.ndarray:
        """Return a layer's activations, float32 (n, 64 * channels).

        Raises
        ------
        PositionError
            If a FEN cannot be read.
        ValueError
            If there is no such layer.
        """
        chunks = self.stream(positions, layer, batch=batch, progress=progress)
        return gather(chunks, len(positions), self.width(layer))

    def evaluate(
        self, positions: Positions, *, batch: int = _BATCH, progress: bool = False
    ) -> np.ndarray:
        """Return expected results from White's point of view, float32 (n,), in -1 .. 1."""
        stop = len(self.layers)
        values = []
        for planes in self._planes(positions, batch, progress, "evaluates"):
            with torch.inference_mode():
                values.append(self.tower.value(self.tower.run(planes, 0, stop)).numpy())
        return np.concatenate([*values, np.empty(0, np.float32)]) * _signs(positions)

    def evaluate_from(
        self, layer: str, activations: np.ndarray, positions: Positions
    ) -> np.ndarray:
        """Continue the evaluation from given activations of a layer.

        Parameters
        ----------
        layer
            Name of the layer that ``activations`` (n, d) belong to.
        activations
            Activations, steered as one likes.
        positions
            The n positions they were taken from (for the side to move).

        Returns
        -------
        float32 (n,)
            Expected results from White's point of view.
        """
        given = torch.from_numpy(np.asarray(activations, dtype=np.float32))
        with torch.inference_mode():
            return self.continue_from(layer, given, positions).numpy()

    def continue_from(
        self, layer: str, activations: torch.Tensor, positions: Positions
    ) -> torch.Tensor:
        """Do what :meth:`evaluate_from` does on tensors, for gradients."""
        expected = (len(positions), self.width(layer))
        if tuple(activations.shape) != expected:
            raise ValueError(f"{layer} needs shape {expected}, got {tuple(activations.shape)}")
        x = activations.reshape(-1, self.channels, 8, 8)
        x = x.contiguous(memory_format=torch.channels_last)
        last = self.tower.run(x, self.layers.index(layer) + 1, len(self.layers))
        values: torch.Tensor = self.tower.value(last)
        return values * torch.from_numpy(_signs(positions))

    def policy(
        self, positions: Positions, *, batch: int = _BATCH, progress: bool = False
    ) -> np.ndarray:
        """Return move logits, float32 (n, 1858), in the mover's order of moves.

        :func:`chessgloss.experts.leela_moves.legal_indices` tells which column is which
        legal move; :meth:`move_probabilities` does both.
        """
        stop = len(self.layers)
        chunks = []
        for planes in self._planes(positions, batch, progress, "policy"):
            with torch.inference_mode():
                chunks.append(self.tower.policy(self.tower.run(planes, 0, stop)).numpy())
        return gather(chunks, len(positions), MOVES)

    def move_probabilities(self, position: str | Position) -> dict[str, float]:
        """Return the probability of each legal move (UCI), likeliest first."""
        indices = legal_indices(chess.Board(fen_of(position)))
        if not indices:
            return {}
        logits = self.policy([position])[0, list(indices.values())].astype(np.float64)
        weights = np.exp(logits - logits.max())
        shares = zip(indices, weights / weights.sum(), strict=True)
        return {uci: float(share) for uci, share in sorted(shares, key=lambda pair: -pair[1])}

    def _planes(
        self, positions: Iterable[str | Position], batch: int, progress: bool, what: str
    ) -> Iterator[torch.Tensor]:
        for chunk in batched(positions, batch, progress=progress, label=f"{self.name} {what}"):
            planes = torch.from_numpy(self._encoder.encode(chunk))
            yield planes.contiguous(memory_format=torch.channels_last)


def _signs(positions: Positions) -> np.ndarray:
    """Return 1 where White is to move and -1 where Black is, float32 (n,)."""
    white = [fen_of(position).split(" ", 2)[1] == "w" for position in positions]
    return np.where(white, 1, -1).astype(np.float32)
