"""Several layers of one expert side by side, in as few bytes as hold them exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from chessgloss.experts import Representation
    from chessgloss.positions import Position


def joined_activations(
    expert: Representation,
    positions: Sequence[str | Position],
    layers: str,
    *,
    dtype: DTypeLike = np.float16,
    progress: bool = False,
) -> NDArray:
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
        right, top = left + expert.width(name), 0
        for chunk in expert.stream(positions, name, progress=progress):
            whole[top : top + len(chunk), left:right] = chunk
            top += len(chunk)
        left = right
    return whole
