"""Stockfish's NNUE network as an expert: activations of every layer, and the evaluation.

The arithmetic is the engine's own, integer for integer, so that :meth:`NnueExpert.evaluate`
equals the line ``NNUE evaluation`` that Stockfish 15.1 prints on its command ``eval``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from chessgloss.experts import nnue_layers as layers
from chessgloss.experts.batches import batched, check_layer, gather
from chessgloss.experts.boards import Boards, read_boards
from chessgloss.experts.nnue_features import FeatureBags, feature_bags
from chessgloss.experts.nnue_format import (
    ACCUMULATORS,
    NnueNetwork,
    randomised,
    read_network,
)
from chessgloss.experts.nnue_transformer import FeatureTransformer, one_thread
from chessgloss.positions import Position

View = Literal["white", "mover"]
Positions = Sequence[str | Position]

#: Stockfish 15.1's internal units in one pawn (``NormalizeToPawnValue``, src/uci.h).
UNITS_PER_PAWN = 361

_WIDTHS = {
    "accumulators": 2 * ACCUMULATORS,
    "clipped": 2 * ACCUMULATORS,
    "pairwise": ACCUMULATORS,
    "hidden1": 30,
    "hidden2": 32,
}


class NnueExpert:
    """An NNUE network that shows its activations.

    Layers, all in the engine's integer units (127 is an activation of 1.0):

    ``accumulators`` (2048)
        Sums of feature weights, 1,024 for each player's perspective, before any clipping.
    ``clipped`` (2048)
        The same, clipped to 0..127.
    ``pairwise`` (1024)
        512 products of clipped pairs per perspective, divided by 128: the network's input
        to its dense layers.
    ``hidden1`` (30)
        First dense layer: 15 outputs squared and clipped, then the same 15 clipped.
    ``hidden2`` (32)
        Second dense layer, clipped.

    Orientation: the first three layers hold two blocks of equal width, one a player. With
    ``view="white"`` the first block is White's perspective and the second Black's, whoever
    is to move, and labels must be White's and Black's. With ``view="mover"`` the first
    block is the side to move's, as the network itself orders them, and labels must be the
    mover's and the opponent's. Within a block the board is always seen by that block's
    player. ``hidden1`` and ``hidden2`` exist from the mover's view only.

    Parameters
    ----------
    network
        The network's weights.
    view
        Order of the two perspectives, see above.
    name
        What to call the expert in tables.
    """

    layers: tuple[str, ...] = tuple(_WIDTHS)
    unit = "pawns"

    def __init__(self, network: NnueNetwork, view: View = "white", name: str = "nnue") -> None:
        if view not in ("white", "mover"):
            raise ValueError(f"view must be 'white' or 'mover', got {view!r}")
        self.name = name
        self.view: View = view
        self._psqt = network.psqt
        self._transformer = FeatureTransformer(network)
        self._stacks = [layers.StackLayers(stack) for stack in network.stacks]

    @classmethod
    def from_file(
        cls, path: Path, *, view: View = "white", random_weights: int | None = None
    ) -> NnueExpert:
        """Read a network file; with ``random_weights``, draw its weights at random by that seed.

        Raises
        ------
        NnueFormatError
            If the file is no network of this architecture.
        """
        network = read_network(path)
        if random_weights is None:
            return cls(network, view)
        return cls(randomised(network, random_weights), view, f"nnue-random-{random_weights}")

    def width(self, layer: str) -> int:
        """Return the number of columns of a layer."""
        check_layer(layer, self.layers, self.name)
        return _WIDTHS[layer]

    def orientation(self, layer: str) -> View:
        """Return whose labels fit a layer: ``white`` (White, Black) or ``mover``."""
        check_layer(layer, self.layers, self.name)
        return "mover" if layer.startswith("hidden") else self.view

    def stream(
        self,
        positions: Iterable[str | Position],
        layer: str,
        *,
        batch: int = 2048,
        progress: bool = False,
    ) -> Iterator[np.ndarray]:
        """Yield a layer's activations, float32 (at most ``batch``, d), in order."""
        check_layer(layer, self.layers, self.name)
        for chunk in batched(positions, batch, progress=progress, label=f"{self.name} {layer}"):
            yield self._layer(layer, read_boards(chunk)).numpy()

    def activations(
        self, positions: Positions, layer: str, *, batch: int = 2048, progress: bool = False
    ) -> np.ndarray:
        """Return a layer's activations, float32 (n, d).

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
        self, positions: Positions, *, batch: int = 2048, progress: bool = False
    ) -> np.ndarray:
        """Return evaluations in pawns from White's point of view, float32 (n,).

        Rounded to 0.01 they are what Stockfish 15.1 prints as ``NNUE evaluation``.
        """
        chunks = self._stream_units(positions, batch, progress)
        signed = (units * _signs(boards) for boards, units in chunks)
        return gather(signed, len(positions)) / np.float32(UNITS_PER_PAWN)

    def internal_units(self, positions: Positions, *, batch: int = 2048) -> np.ndarray:
        """Return evaluations in Stockfish's internal units, side to move's view, int32 (n,)."""
        chunks = self._stream_units(positions, batch, progress=False)
        whole = [units.astype(np.int32) for _, units in chunks]
        return np.concatenate([*whole, np.empty(0, np.int32)])

    def evaluate_from(
        self, layer: str, activations: np.ndarray, positions: Positions
    ) -> np.ndarray:
        """Continue the evaluation from given activations of a layer.

        What the layer does not carry (piece-square sums, the choice of the stack, and past
        ``pairwise`` also the skip sum) is taken from ``positions``. Unchanged activations
        give exactly what :meth:`evaluate` gives.

        Parameters
        ----------
        layer
            Name of the layer that ``activations`` (n, d) belong to, in this expert's view.
        activations
            Activations, steered as one likes.
        positions
            The n positions they were taken from.

        Returns
        -------
        float32 (n,)
            Evaluations in pawns from White's point of view.
        """
        given = torch.from_numpy(np.asarray(activations, dtype=np.float32))
        with torch.inference_mode():
            return self.continue_from(layer, given, positions).numpy()

    def continue_from(
        self, layer: str, activations: torch.Tensor, positions: Positions
    ) -> torch.Tensor:
        """Do what :meth:`evaluate_from` does on tensors, for gradients.

        Gradients pass through the engine's rounding as if it were not there.
        """
        expected = (len(positions), self.width(layer))
        if tuple(activations.shape) != expected:
            raise ValueError(f"{layer} needs shape {expected}, got {tuple(activations.shape)}")
        boards = read_boards(positions)
        bags = feature_bags(boards)
        depth = self.layers.index(layer)
        if depth <= 2:
            pairs = self._pairs_from(depth, activations, boards)
            hidden, skip = self._hidden1(pairs, boards)
        else:
            _, skip = self._hidden1(self._own_pairs(boards, bags), boards)
            hidden = activations.double()
        last = hidden if layer == "hidden2" else self._hidden2(hidden, boards)
        units = self._units(last, skip, boards, bags)
        signs = torch.from_numpy(_signs(boards).astype(np.float64))
        return (units * signs / UNITS_PER_PAWN).float()

    def _pairs_from(self, depth: int, values: torch.Tensor, boards: Boards) -> torch.Tensor:
        """Continue ``accumulators`` (0), ``clipped`` (1) or ``pairwise`` (2): (n, 2, 512)."""
        blocks = values.reshape(len(boards), 2, -1)
        if self.view == "white":
            white = torch.from_numpy(boards.white_to_move)[:, None, None]
            blocks = torch.where(white, blocks, blocks.flip(1))
        if depth == 0:
            blocks = layers.clip(blocks)
        return blocks if depth == 2 else layers.multiply_pairs(blocks)

    def _stream_units(
        self, positions: Positions, batch: int, progress: bool
    ) -> Iterator[tuple[Boards, np.ndarray]]:
        for chunk in batched(positions, batch, progress=progress, label=f"{self.name} evaluates"):
            boards = read_boards(chunk)
            yield boards, self._exact_units(boards).numpy()

    @one_thread()
    @torch.inference_mode()
    def _exact_units(self, boards: Boards) -> torch.Tensor:
        bags = feature_bags(boards)
        hidden, skip = self._hidden1(self._own_pairs(boards, bags), boards)
        return self._units(self._hidden2(hidden, boards), skip, boards, bags)

    @one_thread()
    @torch.inference_mode()
    def _layer(self, layer: str, boards: Boards) -> torch.Tensor:
        bags = feature_bags(boards)
        if layer in ("accumulators", "clipped", "pairwise"):
            swapped = ~boards.white_to_move & (self.view == "mover")
            return self._transformer.blocks(bags, layer, swapped).view(len(boards), -1)
        hidden, _ = self._hidden1(self._own_pairs(boards, bags), boards)
        if layer == "hidden2":
            hidden = self._hidden2(hidden, boards)
        return hidden.float()

    def _own_pairs(self, boards: Boards, bags: FeatureBags) -> torch.Tensor:
        return self._transformer.blocks(bags, "pairwise", ~boards.white_to_move)

    def _hidden1(self, pairs: torch.Tensor, boards: Boards) -> tuple[torch.Tensor, torch.Tensor]:
        flat = pairs.reshape(len(boards), -1)
        hidden = flat.new_empty((len(boards), _WIDTHS["hidden1"]), dtype=torch.float64)
        skip = flat.new_empty(len(boards), dtype=torch.float64)
        for stack, rows in _by_stack(boards):
            hidden[rows], skip[rows] = self._stacks[stack].first(flat[rows])
        return hidden, skip

    def _hidden2(self, hidden: torch.Tensor, boards: Boards) -> torch.Tensor:
        result = hidden.new_empty((len(boards), _WIDTHS["hidden2"]))
        for stack, rows in _by_stack(boards):
            result[rows] = self._stacks[stack].second(hidden[rows])
        return result

    def _units(
        self,
        hidden: torch.Tensor,
        skip: torch.Tensor,
        boards: Boards,
        bags: FeatureBags,
    ) -> torch.Tensor:
        positional = hidden.new_empty(len(boards))
        for stack, rows in _by_stack(boards):
            positional[rows] = self._stacks[stack].output(hidden[rows])
        squares = torch.from_numpy(self._piece_squares(boards, bags).astype(np.float64))
        return layers.add_up(squares, positional, skip)

    def _piece_squares(self, boards: Boards, bags: FeatureBags) -> np.ndarray:
        """Return the mover's piece-square sum minus the opponent's, int64 (n,)."""
        stacks = np.repeat(_stack_numbers(boards), boards.piece_counts())
        white, black = (
            np.add.reduceat(self._psqt[features, stacks].astype(np.int64), bags.starts)
            for features in bags.features
        )
        return (white - black) * _signs(boards)


def _signs(boards: Boards) -> np.ndarray:
    """Return 1 where White is to move and -1 where Black is: between mover's and White's."""
    return np.where(boards.white_to_move, 1, -1)


def _stack_numbers(boards: Boards) -> np.ndarray:
    return (boards.piece_counts() - 1) // 4


def _by_stack(boards: Boards) -> Iterator[tuple[int, torch.Tensor]]:
    numbers = _stack_numbers(boards)
    for stack in np.unique(numbers):
        yield int(stack), torch.from_numpy(np.flatnonzero(numbers == stack))
