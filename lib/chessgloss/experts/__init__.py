"""Experts: chess networks whose activations can be read, and bare boards to compare with.

One line names an expert::

    load_expert("nnue")                     # the network in Stockfish 15.1, always there
    load_expert("leela", "t78.pb.gz")       # a residual Leela network
    load_expert("nnue", random_weights=0)   # the same architecture, random weights
    load_expert("onehot")                   # no network at all: the control of every probe

**Whose view?** Every layer is either White's (column blocks, and so labels, mean White and
Black) or the mover's (own and opponent); :meth:`Representation.orientation` says which.
Labels of the other kind cost a linear probe ten points of accuracy. Evaluations are always
from White's point of view.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, overload

if TYPE_CHECKING:
    import numpy as np

    from chessgloss.positions import Position

View = Literal["white", "mover"]
ExpertName = Literal["nnue", "leela"]
ControlName = Literal["onehot", "piece_counts"]


class Representation(Protocol):
    """Anything that turns positions (FENs or records) into rows of numbers.

    Attributes
    ----------
    name
        What to call it in tables and file names.
    layers
        Names of its layers, from input to output.
    """

    name: str
    layers: tuple[str, ...]

    def width(self, layer: str) -> int:
        """Return the number of columns of a layer."""
        ...

    def orientation(self, layer: str) -> View:
        """Return whose labels fit a layer: ``white`` (White, Black) or ``mover``."""
        ...

    def stream(
        self,
        positions: Iterable[str | Position],
        layer: str,
        *,
        batch: int = ...,
        progress: bool = False,
    ) -> Iterator[np.ndarray]:
        """Yield a layer's activations, float32 (at most ``batch``, d), in order."""
        ...

    def activations(
        self,
        positions: Sequence[str | Position],
        layer: str,
        *,
        batch: int = ...,
        progress: bool = False,
    ) -> np.ndarray:
        """Return a layer's activations, float32 (n, d)."""
        ...


class Expert(Representation, Protocol):
    """A representation that also judges positions, always from White's point of view.

    Attributes
    ----------
    unit
        Unit of the evaluations: pawns (NNUE) or expected result (Leela).
    """

    unit: str

    def evaluate(
        self, positions: Sequence[str | Position], *, batch: int = ..., progress: bool = False
    ) -> np.ndarray:
        """Return evaluations, float32 (n,), good for White if positive."""
        ...

    def evaluate_from(
        self, layer: str, activations: np.ndarray, positions: Sequence[str | Position]
    ) -> np.ndarray:
        """Continue the evaluation from (steered) activations of a layer, float32 (n,)."""
        ...


@overload
def load_expert(
    name: ExpertName,
    path: Path | str | None = None,
    *,
    view: View | None = None,
    random_weights: int | None = None,
) -> Expert: ...


@overload
def load_expert(
    name: ControlName,
    path: None = None,
    *,
    view: View | None = None,
    random_weights: None = None,
) -> Representation: ...


def load_expert(
    name: str,
    path: Path | str | None = None,
    *,
    view: View | None = None,
    random_weights: int | None = None,
) -> Representation:
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
        A seed: keep the architecture, draw every weight at random from its tensor's values.

    Raises
    ------
    ValueError
        If the name is unknown, or an option does not fit it.
    AssetMissing
        If there is no network file; the message says how to get one.
    """
    if name == "nnue":
        from chessgloss.experts.nnue import NnueExpert

        file = _locate(name, path)
        return NnueExpert.from_file(file, view=view or "white", random_weights=random_weights)
    if name == "leela":
        from chessgloss.experts.leela import LeelaExpert

        if view == "white":
            raise ValueError("Leela sees every board from the mover's side; leave view out")
        return LeelaExpert.from_file(_locate(name, path), random_weights=random_weights)
    if name == "onehot" or name == "piece_counts":
        from chessgloss.experts.bare import BareBoard

        if path is not None or random_weights is not None:
            raise ValueError(f"{name} has no weights: leave path and random_weights out")
        return BareBoard(name, view or "white")
    raise ValueError(f"there is no expert {name!r}; choose nnue, leela, onehot or piece_counts")


def _locate(name: str, path: Path | str | None) -> Path:
    if path is None:
        from chessgloss import assets

        return assets.locate(name)
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no network file {str(path)!r} for the expert {name!r}")
    return Path(path)
