"""The bare board as columns: what a probe can read without any network.

These are the controls of every probe on an expert: what they reach, the network need not
have learned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import numpy as np

from chessgloss.experts.batches import batched, check_layer, gather
from chessgloss.experts.boards import read_boards
from chessgloss.positions import Position

View = Literal["white", "mover"]

_KINDS = 12
_COUNTED = (1, 2, 3, 4, 5, 7, 8, 9, 10, 11)  # piece codes but for the kings'


class BareBoard:
    """A fixed encoding of the board with the expert's way of asking, and no weights.

    Parameters
    ----------
    kind
        ``onehot``: 12 x 64 columns, one for each piece on each square (White's pawn,
        knight, bishop, rook, queen, king, then Black's; a1 first), and one that is 1 if
        White is to move: 769. ``piece_counts``: how many pawns, knights, bishops, rooks
        and queens White and Black have, and White to move: 11.
    view
        ``white``, or ``mover``: own pieces in place of White's, ranks mirrored for Black.
    """

    layers: tuple[str, ...] = ("board",)

    def __init__(self, kind: str, view: View = "white") -> None:
        if kind not in _ENCODINGS:
            raise ValueError(f"kind must be one of {', '.join(_ENCODINGS)}, got {kind!r}")
        if view not in ("white", "mover"):
            raise ValueError(f"view must be 'white' or 'mover', got {view!r}")
        self.name: str = kind
        self.view: View = view
        self._encode, self._width = _ENCODINGS[kind]

    def width(self, layer: str) -> int:
        """Return the number of columns."""
        check_layer(layer, self.layers, self.name)
        return self._width

    def orientation(self, layer: str) -> View:
        """Return whose labels fit: ``white`` (White, Black) or ``mover`` (own, opponent)."""
        check_layer(layer, self.layers, self.name)
        return self.view

    def stream(
        self,
        positions: Iterable[str | Position],
        layer: str = "board",
        *,
        batch: int = 8192,
        progress: bool = False,
    ) -> Iterator[np.ndarray]:
        """Yield the columns, float32 (at most ``batch``, d), in order."""
        check_layer(layer, self.layers, self.name)
        for chunk in batched(positions, batch, progress=progress, label=self.name):
            boards = read_boards(chunk)
            squares = boards.squares if self.view == "white" else boards.from_mover()
            yield np.column_stack([self._encode(squares), boards.white_to_move])

    def activations(
        self,
        positions: Sequence[str | Position],
        layer: str = "board",
        *,
        batch: int = 8192,
        progress: bool = False,
    ) -> np.ndarray:
        """Return the columns, float32 (n, d); :class:`PositionError` if a FEN cannot be read."""
        chunks = self.stream(positions, layer, batch=batch, progress=progress)
        return gather(chunks, len(positions), self.width(layer))


def _one_hot(squares: np.ndarray) -> np.ndarray:
    codes = np.arange(1, _KINDS + 1, dtype=np.uint8)[:, None]
    return (squares[:, None, :] == codes).reshape(len(squares), -1).astype(np.float32)


def _counts(squares: np.ndarray) -> np.ndarray:
    return np.stack([(squares == code).sum(axis=1) for code in _COUNTED], axis=1)


_ENCODINGS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], int]] = {
    "onehot": (_one_hot, _KINDS * 64 + 1),
    "piece_counts": (_counts, len(_COUNTED) + 1),
}
