"""Does a network use a direction that can be read? Move along it and see what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chessgloss.experts import Expert


def steer(
    expert: Expert, layer: str, fens: Sequence[str], directions: NDArray, *, step: float
) -> NDArray[np.float32]:
    """Return how a step along each direction changes the evaluation of each position.

    Parameters
    ----------
    expert
        A network that continues its evaluation from given activations.
    layer
        Where to step.
    fens
        Positions, length ``n``.
    directions
        Shape ``(k, d)``, each of length 1.
    step
        Length of the step, in the layer's units. The change is half the difference between
        a step forward and a step back, so that what any disturbance does cancels.

    Returns
    -------
    ndarray
        Shape ``(k, n)``: change of the evaluation for White, in the expert's unit.
    """
    start = expert.activations(fens, layer)
    rows = []
    for direction in directions:
        ahead = expert.evaluate_from(layer, start + step * direction, fens)
        behind = expert.evaluate_from(layer, start - step * direction, fens)
        rows.append((ahead - behind) / 2)
    return np.array(rows, np.float32)
