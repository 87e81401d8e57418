"""Small Leela networks written as ``.pb.gz`` files, with made-up weights."""

import gzip
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

Fields = tuple[int, ...]  # numbers of fields, down from Weights
Layers = list[tuple[Fields, int]]  # and the size
Encoded = tuple[Fields, bytes]

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
                at = (2, block, conv)
                found += self._convolution(at, filters * filters * 9, filters)
            if self.se:
                found += [
                    ((2, block, 3, 1), filters * self.se),
                    ((2, block, 3, 2), self.se),
                    ((2, block, 3, 3), self.se * 2 * filters),
                    ((2, block, 3, 4), 2 * filters),
                ]
        found += self._convolution((6,), _HEAD * filters, _HEAD)
        outputs = 3 if self.value == 2 else 1
        found += [
            ((7,), _HEAD * 64 * _HIDDEN),
            ((8,), _HIDDEN),
            ((9,), outputs * _HIDDEN),
            ((10,), outputs),
        ]
        return found + self._policy_layers()

    def _policy_layers(self) -> Layers:
        filters = self.filters
        if self.policy == 1:
            return [
                *self._convolution((3,), _HEAD * filters, _HEAD),
                ((4,), _HEAD * 64 * 1858),
                ((5,), 1858),
            ]
        first = self._convolution((11,), filters * filters * 9, filters)
        return first + self._convolution((3,), 80 * filters * 9, 80)

    def _convolution(self, at: Fields, weights: int, outputs: int) -> Layers:
        statistics = (2,) if self.folded else (3, 4, 5, 6)
        found = [((*at, 1), weights)]
        found += [((*at, field), outputs) for field in statistics]
        return found


def write_leela(path: Path, architecture: Architecture, seed: int | None = 0) -> Path:
    """Write a network with random weights of a size that keeps activations near 1.

    Without a seed all tensors are made of one step: quick, and small packed.
    """
    rng = None if seed is None else np.random.default_rng(seed)
    path.write_bytes(gzip.compress(_net(architecture, rng), compresslevel=1))
    return path


def _net(architecture: Architecture, rng: np.random.Generator | None) -> bytes:
    a = architecture
    numbers = (
        a.input,
        a.value,
        a.network,
        a.policy,
        a.value,
        0,
        a.activation,
    )
    network = b"".join(map(_number, range(1, 8), numbers))
    weights = b"".join(_message(_encode(a.layers(), rng)))
    parts = (
        _varint(1 << 3 | 5),
        struct.pack("<I", 0x1C0),
        _field(3, _number(1, 0) + _number(2, 30)),
        _field(4, _number(1, 1) + _field(2, network)),
        _field(10, weights),
    )
    return b"".join(parts)


def _encode(layers: Layers, rng: np.random.Generator | None) -> Iterator[Encoded]:
    for at, size in layers:
        positive = at[-1] in (4, 5) and len(at) > 1  # variances and gammas
        low, high = (0.5, 1.5) if positive else (-0.2, 0.2)
        steps = np.full(size, 32768) if rng is None else rng.integers(0, 65536, size)
        bounds = struct.pack("<BfBf", 1 << 3 | 5, low, 2 << 3 | 5, high)
        yield at, bounds + _field(3, steps.astype("<u2").tobytes())


def _message(encoded: Iterable[Encoded]) -> Iterator[bytes]:
    """Nest (field numbers, bytes) into messages; the second number of field 2 only counts."""

    def own(item: Encoded) -> Fields:
        at, _ = item
        counted = at[0] == 2 and len(at) > 2
        return at[:2] if counted else at[:1]

    for at, items in groupby(encoded, own):
        inner = [(path[len(at) :], content) for path, content in items]
        path, whole = inner[0]
        if path:
            whole = b"".join(_message(inner))
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
