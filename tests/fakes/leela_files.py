"""Small Leela networks written as ``.pb.gz`` files, with made-up weights."""

import gzip
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

Layers = list[
    tuple[tuple[int, ...], int]
]  # field numbers down from Weights, and the size
Encoded = tuple[tuple[int, ...], bytes]

_HEAD = 8  # channels of the heads' first convolutions
_HIDDEN = 16  # units of the value head


@dataclass(frozen=True)
class Architecture:
    """What to write: numbers are those of ``NetworkFormat`` in net.proto."""

    filters: int = 8
    blocks: int = 2
    se: int = 4  # units of the squeeze; 0 for a classical tower
    network: int = 4
    policy: int = 2
    value: int = 2
    activation: int = 0
    input: int = 1
    folded: bool = True  # biases in place of batch normalisation

    def layers(self) -> Layers:
        filters = self.filters
        found = self._convolution((1,), 112 * 9 * filters, filters)
        for block in range(self.blocks):
            for conv in (1, 2):
                found += self._convolution(
                    (2, block, conv), filters * filters * 9, filters
                )
            if self.se:
                sizes = (filters * self.se, self.se, self.se * 2 * filters, 2 * filters)
                found += [
                    ((2, block, 3, i), size) for i, size in enumerate(sizes, start=1)
                ]
        found += self._convolution((6,), _HEAD * filters, _HEAD)
        outputs = 3 if self.value == 2 else 1
        sizes = (_HEAD * 64 * _HIDDEN, _HIDDEN, outputs * _HIDDEN, outputs)
        found += [((7 + i,), size) for i, size in enumerate(sizes)]
        return found + self._policy_layers()

    def _policy_layers(self) -> Layers:
        filters = self.filters
        if self.policy == 1:
            dense = [((4,), _HEAD * 64 * 1858), ((5,), 1858)]
            return self._convolution((3,), _HEAD * filters, _HEAD) + dense
        first = self._convolution((11,), filters * filters * 9, filters)
        return first + self._convolution((3,), 80 * filters * 9, 80)

    def _convolution(self, at: tuple[int, ...], weights: int, outputs: int) -> Layers:
        statistics = (2,) if self.folded else (3, 4, 5, 6)
        return [((*at, 1), weights), *(((*at, field), outputs) for field in statistics)]


def write_leela(path: Path, architecture: Architecture, seed: int | None = 0) -> Path:
    """Write a network with random weights of a size that keeps activations near 1.

    Without a seed all tensors are made of one step: quick, and small packed.
    """
    rng = None if seed is None else np.random.default_rng(seed)
    path.write_bytes(gzip.compress(_net(architecture, rng), compresslevel=1))
    return path


def _net(architecture: Architecture, rng: np.random.Generator | None) -> bytes:
    a = architecture
    numbers = enumerate(
        (a.input, a.value, a.network, a.policy, a.value, 0, a.activation), 1
    )
    network = _field(2, b"".join(_number(field, number) for field, number in numbers))
    magic = struct.pack("<I", 0x1C0)
    version = _field(3, _number(1, 0) + _number(2, 30))
    head = _varint(1 << 3 | 5) + magic + version + _field(4, _number(1, 1) + network)
    return head + _field(10, b"".join(_message(_encode(a.layers(), rng))))


def _encode(layers: Layers, rng: np.random.Generator | None) -> Iterator[Encoded]:
    for at, size in layers:
        positive = at[-1] in (4, 5) and len(at) > 1  # variances and gammas
        low, high = (0.5, 1.5) if positive else (-0.2, 0.2)
        steps = np.full(size, 32768) if rng is None else rng.integers(0, 65536, size)
        bounds = struct.pack("<BfBf", 1 << 3 | 5, low, 2 << 3 | 5, high)
        yield at, bounds + _field(3, steps.astype("<u2").tobytes())


def _message(encoded: Iterable[Encoded]) -> Iterator[bytes]:
    """Nest (field numbers, bytes) into messages; the second number of field 2 only counts."""

    def own(item: Encoded) -> tuple[int, ...]:
        at, _ = item
        return at[: 2 if at[0] == 2 and len(at) > 2 else 1]

    for at, items in groupby(encoded, own):
        inner = [(path[len(at) :], content) for path, content in items]
        whole = b"".join(_message(inner)) if inner[0][0] else inner[0][1]
        yield _field(at[0], whole)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    octets = []
    while value > 0x7F:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*octets, value])
