"""An NNUE file of the real size with made-up weights."""

import struct
from pathlib import Path

import numpy as np

from chessgloss.experts.nnue import TRANSFORMER_HASH, VERSION


def write_nnue(path: Path, seed: int = 0) -> Path:
    """Write a network with random weights of a plausible size."""
    rng = np.random.default_rng(seed)

    def whole(kind: str, low: int, high: int, *shape: int) -> bytes:
        drawn = rng.integers(low, high, shape)
        return drawn.astype(kind).tobytes()

    text = b"made up for a test"
    parts = [
        struct.pack("<III", VERSION, 0, len(text)),
        text,
        struct.pack("<I", TRANSFORMER_HASH),
        whole("<i2", 0, 90, 1024),
        whole("<i2", -40, 41, 22528, 1024),
        whole("<i4", -9000, 9001, 22528, 8),
    ]
    for _ in range(8):
        parts += [
            struct.pack("<I", 0),
            whole("<i4", -4000, 4001, 16),
            whole("i1", -30, 31, 16, 1024),
            whole("<i4", -4000, 4001, 32),
            whole("i1", -90, 91, 32, 32),
            whole("<i4", -4000, 4001, 1),
            whole("i1", -90, 91, 32),
        ]
    path.write_bytes(b"".join(parts))
    return path
