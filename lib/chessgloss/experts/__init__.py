"""Experts: chess networks whose activations can be read, and bare boards to compare with.

One line names an expert::

    load_expert("nnue")                     # the network in Stockfish 15.1, always there
    load_expert("leela", "t78.pb.gz")       # a residual Leela network
    load_expert("nnue", random_weights=0)   # NNUE's architecture, random weights
    load_expert("onehot")                   # no network at all: the control of every probe

**Whose view?** Every layer is either White's (column blocks, and so labels, mean White and
Black) or the mover's (own and opponent); :meth:`Representation.orientation` says which.
Labels of the other kind cost a linear probe ten points of accuracy. Evaluations are always
from White's point of view.

``nnue.py`` and ``leela.py`` hold one network each, from the bytes of its file to the
evaluation; ``boards.py`` reads many FENs at once and holds the controls without a network.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from chessgloss import assets
from chessgloss.positions import Position

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

View = Literal["white", "mover"]
Positions: TypeAlias = Sequence[str | Position]


class Representation(ABC):
    """Anything that turns positions (FENs or records) into rows of numbers.

    Parameters
    ----------
    name
        What to call it in tables and file names.
    widths
        Number of columns of each layer, by name, from input to output.
    view
        Whose labels fit its layers: ``white`` (White, Black) or ``mover`` (own, opponent).
    batch
        Positions computed at once.
    """

    def __init__(
        self, name: str, widths: Mapping[str, int], view: View, batch: int
    ) -> None:
        if view not in get_args(View):
            raise ValueError(f"view must be 'white' or 'mover', got {view!r}")
        self.name, self.view = name, view
        self.layers: tuple[str, ...] = tuple(widths)
        self._widths, self._batch = widths, batch

    @abstractmethod
    def _layer(self, layer: str, positions: list[str | Position]) -> np.ndarray:
        """Compute a layer of one batch, float32 (n, d)."""

    def width(self, layer: str) -> int:
        """Return the number of columns of a layer; :class:`ValueError` if there is none such."""
        if layer not in self._widths:
            layers = ", ".join(self.layers)
            raise ValueError(
                f"{self.name} has no layer {layer!r}; its layers are {layers}"
            )
        return self._widths[layer]

    def orientation(self, layer: str) -> View:
        """Return the view of the labels that fit a layer: ``white`` (White, Black) or ``mover``."""
        self.width(layer)
        return self.view

    def stream(
        self, positions: Iterable[str | Position], layer: str
    ) -> Iterator[np.ndarray]:
        """Yield a layer's activations a batch at a time, float32 (at most so many, d), in order."""
        self.width(layer)
        for chunk in self._batches(positions):
            yield self._layer(layer, chunk)

    def activations(self, positions: Positions, layer: str) -> np.ndarray:
        """Return a layer's activations, float32 (n, d).

        Raises
        ------
        PositionError
            If a FEN cannot be read.
        ValueError
            If there is no such layer.
        """
        return joined_activations(self, positions, layer, dtype=np.float32)

    def _batches(
        self, positions: Iterable[str | Position]
    ) -> Iterator[list[str | Position]]:
        iterator = iter(positions)
        while chunk := list(islice(iterator, self._batch)):
            yield chunk


class Expert(Representation):
    """A representation that also judges positions, always from White's point of view.

    NNUE judges in pawns, Leela by the expected result from -1 (lost) to 1 (won).
    """

    #: The layer from which every position is judged: nothing before it need be computed twice.
    _judged_from: str

    @abstractmethod
    def _continued(
        self, layer: str, activations: np.ndarray, positions: Positions
    ) -> np.ndarray:
        """Evaluate for White from activations (n, d) of the right shape: float32 (n,)."""

    def evaluate(self, positions: Positions) -> np.ndarray:
        """Return evaluations, float32 (n,), good for White if positive, in the expert's unit."""
        layer = self._judged_from
        batches = self._batches(positions)
        parts = (
            self.evaluate_from(layer, self._layer(layer, each), each)
            for each in batches
        )
        return np.concatenate([*parts, np.empty(0, np.float32)])

    def evaluate_from(
        self, layer: str, activations: np.ndarray, positions: Positions
    ) -> np.ndarray:
        """Continue the evaluation from given (steered) activations of a layer.

        Whatever the layer does not carry is taken from ``positions``; unchanged activations
        give what :meth:`evaluate` gives.

        Parameters
        ----------
        layer
            Name of the layer that ``activations`` (n, d) belong to, in this expert's view; of
            NNUE ``pairwise``, the one that all its judging reads.
        activations
            Activations, steered as one likes.
        positions
            The n positions they were taken from.

        Returns
        -------
        float32 (n,)
            Evaluations in the expert's unit from White's point of view.
        """
        given = np.asarray(activations, dtype=np.float32)
        expected = (len(positions), self.width(layer))
        if given.shape != expected:
            raise ValueError(f"{layer} needs shape {expected}, got {given.shape}")
        return self._continued(layer, given, positions)


def joined_activations(
    expert: Representation,
    positions: Positions,
    layers: str,
    *,
    dtype: DTypeLike = np.float16,
) -> np.ndarray:
    """Return the activations of layers named with ``+`` between them, side by side.

    Parameters
    ----------
    expert
        The network, or a bare board.
    positions
        FENs or records, length ``n``.
    layers
        One layer, or several: ``pairwise+clipped``.
    dtype
        Type of the answer. NNUE's clipped values and products are whole numbers below
        128, so that half precision holds them exactly in half the memory.

    Returns
    -------
    ndarray
        Shape ``(n, d)``, d the sum of the layers' widths.
    """
    names = layers.split("+")
    whole = np.empty((len(positions), sum(map(expert.width, names))), dtype)
    left = 0
    for name in names:
        right = left + expert.width(name)
        top = 0
        for chunk in expert.stream(positions, name):
            whole[top : top + len(chunk), left:right] = chunk
            top += len(chunk)
        left = right
    return whole


def load_expert(
    name: str,
    path: Path | str | None = None,
    *,
    view: View | None = None,
    random_weights: int | None = None,
) -> Any:
    """Load an expert, or a control, by name.

    Parameters
    ----------
    name
        ``nnue``, ``leela``, ``onehot`` or ``piece_counts``.
    path
        Network file; by default the asset of that name, fetched if need be.
    view
        Whose blocks come first: ``white`` (the default) or ``mover``. Leela knows only
        ``mover``.
    random_weights
        A seed: keep NNUE's architecture, draw every weight at random from its tensor's values.

    Returns
    -------
    NnueExpert, LeelaExpert or BareBoard
        Every one a :class:`Representation`, the networks an :class:`Expert`.

    Raises
    ------
    ValueError
        If the name is unknown, or an option does not fit it.
    AssetMissing
        If there is no network file; the message says how to get one.
    """
    if random_weights is not None and name != "nnue":
        raise ValueError(
            f"only nnue is read with random weights; leave them out for {name}"
        )
    if name in ("onehot", "piece_counts"):
        from chessgloss.experts.boards import BareBoard

        if path is not None:
            raise ValueError(f"{name} has no weights: leave path out")
        return BareBoard(name, view or "white")
    if name not in ("nnue", "leela"):
        raise ValueError(
            f"there is no expert {name!r}; choose nnue, leela, onehot or piece_counts"
        )
    file = Path(path) if path else assets.locate(name)
    if name == "nnue":
        from chessgloss.experts.nnue import NnueExpert

        return NnueExpert(file, view=view or "white", random_weights=random_weights)
    from chessgloss.experts.leela import LeelaExpert

    if view == "white":
        raise ValueError("Leela sees every board from the mover's side; leave view out")
    return LeelaExpert(file)
