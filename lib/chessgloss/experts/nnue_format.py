"""Read a Stockfish NNUE file of the architecture that Stockfish 15 and 15.1 use.

HalfKAv2_hm features, 1,024 accumulators and 8 piece-square sums per perspective, and eight
small networks ("layer stacks") of which the number of pieces on the board chooses one.
Source of every fact: Stockfish 15.1, ``src/nnue/`` (``nnue_architecture.h``,
``nnue_feature_transformer.h``, ``features/half_ka_v2_hm.h``, ``evaluate_nnue.cpp``).
All numbers are little-endian integers.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

KING_BUCKETS = 32
FEATURES_PER_BUCKET = 11 * 64  # ten kinds of piece, and one shared by both kings
FEATURES = KING_BUCKETS * FEATURES_PER_BUCKET
ACCUMULATORS = 1024
STACKS = 8
OUTPUTS_1 = 16  # 15 go on to the next layer, the last straight to the output
INPUTS_2 = 30  # the 15 outputs squared and the 15 outputs clipped
OUTPUTS_2 = 32

VERSION = 0x7AF32F20
TRANSFORMER_HASH = 0x7F234CB8 ^ (2 * ACCUMULATORS)

_PADDED_INPUTS_2 = 32
_FLOAT32_EXACT = 2**24
_MOST_PIECES = 32


class NnueFormatError(ValueError):
    """A file that is no NNUE network, or one of an architecture not read here."""


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """One of the eight small networks: int8 weights (outputs, inputs), int32 biases."""

    weights_1: np.ndarray
    biases_1: np.ndarray
    weights_2: np.ndarray
    biases_2: np.ndarray
    weights_3: np.ndarray
    bias_3: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class NnueNetwork:
    """An NNUE network as its file holds it.

    Parameters
    ----------
    description
        The text in the file's header.
    biases
        int16 (1024,), the accumulators of an empty board.
    weights
        int16 (22528, 1024), what each feature adds to the accumulators.
    psqt
        int32 (22528, 8), what each feature adds to the piece-square sum of each stack.
    stacks
        Eight :class:`Stack`; number ``(pieces - 1) // 4`` serves a board of so many pieces.

    Raises
    ------
    NnueFormatError
        If sums could leave the range in which float32 holds every integer.
    """

    description: str
    biases: np.ndarray
    weights: np.ndarray
    psqt: np.ndarray
    stacks: tuple[Stack, ...]

    def __post_init__(self) -> None:
        reach = max(
            126.0 * np.abs(stack.weights_1.astype(np.float64)).sum(axis=1).max()
            + np.abs(stack.biases_1.astype(np.float64)).max()
            for stack in self.stacks
        )
        reach = max(reach, _MOST_PIECES * float(np.abs(self.weights.astype(np.int32)).max()))
        if reach >= _FLOAT32_EXACT:
            raise NnueFormatError(
                f"sums of this network can reach {reach:.0f}, beyond the {_FLOAT32_EXACT} up to "
                "which float32 is exact; it cannot be evaluated exactly here"
            )


def read_network(path: Path) -> NnueNetwork:
    """Read a network file.

    Raises
    ------
    NnueFormatError
        If the file is cut off, is no NNUE file, or has another architecture; the message
        says which and how to get the right one.
    """
    data = path.read_bytes()
    reader = _Reader(data, path)
    description = _read_header(reader)
    biases = reader.array("<i2", ACCUMULATORS)
    weights = reader.array("<i2", FEATURES, ACCUMULATORS)
    psqt = reader.array("<i4", FEATURES, STACKS)
    stacks = tuple(_read_stack(reader) for _ in range(STACKS))
    if reader.offset != len(data):
        raise reader.error(f"{len(data) - reader.offset} bytes are left over at the end")
    return NnueNetwork(description, biases, weights, psqt, stacks)


def randomised(network: NnueNetwork, seed: int) -> NnueNetwork:
    """Return the same architecture with every weight drawn at random from its own tensor.

    Every tensor keeps its distribution of values, hence its scale, and loses all that
    training put into their places: the control for "is it the training or the architecture?".
    """
    rng = np.random.default_rng(seed)

    def drawn(tensor: np.ndarray) -> np.ndarray:
        return tensor.ravel()[rng.integers(0, tensor.size, tensor.shape, dtype=np.uint32)]

    def drawn_stack(stack: Stack) -> Stack:
        names = Stack.__dataclass_fields__
        return Stack(**{name: drawn(getattr(stack, name)) for name in names})

    return NnueNetwork(
        f"weights drawn with seed {seed}: {network.description}",
        drawn(network.biases),
        drawn(network.weights),
        drawn(network.psqt),
        tuple(drawn_stack(stack) for stack in network.stacks),
    )


class _Reader:
    """A cursor over the bytes of a file, which knows how to complain."""

    def __init__(self, data: bytes, path: Path) -> None:
        self.data = data
        self.path = path
        self.offset = 0

    def error(self, reason: str) -> NnueFormatError:
        return NnueFormatError(
            f"{self.path.name} cannot be read as an NNUE network of Stockfish 15.1: {reason}. "
            "Stockfish 15.1 writes the right file on the command 'export_net'."
        )

    def take(self, size: int) -> bytes:
        if self.offset + size > len(self.data):
            raise self.error(f"it ends after {len(self.data)} bytes, in the middle of a field")
        self.offset += size
        return self.data[self.offset - size : self.offset]

    def uint32(self) -> int:
        return int(struct.unpack("<I", self.take(4))[0])

    def array(self, kind: str, *shape: int) -> np.ndarray:
        dtype = np.dtype(kind)
        size = int(np.prod(shape)) * dtype.itemsize
        return np.frombuffer(self.take(size), dtype=dtype).reshape(shape)


def _read_header(reader: _Reader) -> str:
    version = reader.uint32()
    if version != VERSION:
        raise reader.error(f"its version is 0x{version:08x}, not 0x{VERSION:08x}")
    reader.uint32()  # hash of the whole architecture; the transformer's own follows below
    description = reader.take(reader.uint32()).decode("utf-8", "replace")
    found = reader.uint32()
    if found != TRANSFORMER_HASH:
        raise reader.error(
            f"its feature transformer is 0x{found:08x} ({description!r}), "
            f"not HalfKAv2_hm with {ACCUMULATORS} accumulators (0x{TRANSFORMER_HASH:08x})"
        )
    return description


def _read_stack(reader: _Reader) -> Stack:
    reader.uint32()  # hash of the stack's layers
    biases_1 = reader.array("<i4", OUTPUTS_1)
    weights_1 = reader.array("i1", OUTPUTS_1, ACCUMULATORS)
    biases_2 = reader.array("<i4", OUTPUTS_2)
    weights_2 = reader.array("i1", OUTPUTS_2, _PADDED_INPUTS_2)[:, :INPUTS_2]
    bias_3 = reader.array("<i4", 1)
    weights_3 = reader.array("i1", OUTPUTS_2)
    return Stack(weights_1, biases_1, weights_2, biases_2, weights_3, bias_3)
