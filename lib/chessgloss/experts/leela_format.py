"""Read Leela Chess Zero's network files (``.pb.gz``) without a protobuf library.

A file is one gzipped protobuf message. Its schema is ``proto/net.proto`` of LeelaChessZero/lc0;
the field numbers below are that file's. Only residual towers are read (classical and with
squeeze-and-excitation units); other architectures raise an error that names them.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

MAGIC = 0x1C0

#: ``NetworkFormat`` enumerations, by number.
INPUTS = {
    1: "INPUT_CLASSICAL_112_PLANE",
    2: "INPUT_112_WITH_CASTLING_PLANE",
    3: "INPUT_112_WITH_CANONICALIZATION",
    4: "INPUT_112_WITH_CANONICALIZATION_HECTOPLIES",
    5: "INPUT_112_WITH_CANONICALIZATION_V2",
    132: "INPUT_112_WITH_CANONICALIZATION_HECTOPLIES_ARMAGEDDON",
    133: "INPUT_112_WITH_CANONICALIZATION_V2_ARMAGEDDON",
}
NETWORKS = {
    1: "NETWORK_CLASSICAL",
    2: "NETWORK_SE",
    3: "NETWORK_CLASSICAL_WITH_HEADFORMAT",
    4: "NETWORK_SE_WITH_HEADFORMAT",
    5: "NETWORK_ONNX",
    6: "NETWORK_ATTENTIONBODY_WITH_HEADFORMAT (a transformer)",
    7: "NETWORK_ATTENTIONBODY_WITH_MULTIHEADFORMAT (a transformer)",
    134: "NETWORK_AB_LEGACY_WITH_MULTIHEADFORMAT (a transformer)",
}
POLICIES = {1: "POLICY_CLASSICAL", 2: "POLICY_CONVOLUTION", 3: "POLICY_ATTENTION"}
VALUES = {1: "VALUE_CLASSICAL", 2: "VALUE_WDL", 3: "VALUE_PARAM"}
ACTIVATIONS = {0: "relu", 1: "mish"}

_TOWERS = (1, 2, 3, 4)

# net.proto: which fields of a message are messages themselves, and how they are called here.
_CONV = {
    1: "weights",
    2: "biases",
    3: "bn_means",
    4: "bn_stddivs",
    5: "bn_gammas",
    6: "bn_betas",
}
_SE = {1: "w1", 2: "b1", 3: "w2", 4: "b2"}
_RESIDUAL = {1: ("conv1", _CONV), 2: ("conv2", _CONV), 3: ("se", _SE)}
_WEIGHTS: dict[int, Any] = {
    1: ("input", _CONV),
    2: ("residual", _RESIDUAL),
    11: ("policy1", _CONV),
    3: ("policy", _CONV),
    4: "ip_pol_w",
    5: "ip_pol_b",
    17: "ip2_pol_w",
    18: "ip2_pol_b",
    19: "ip3_pol_w",
    20: "ip3_pol_b",
    22: "ip4_pol_w",
    6: ("value", _CONV),
    7: "ip1_val_w",
    8: "ip1_val_b",
    9: "ip2_val_w",
    10: "ip2_val_b",
}
_REPEATED = {"residual"}
_ENCODER_FIELDS = {27: "encoder layers", 21: "policy encoder layers"}

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class LeelaFormatError(ValueError):
    """A file that is no Leela network, or one whose architecture is not read here."""


@dataclass(frozen=True, slots=True)
class LeelaFormat:
    """What a network file says of itself, in the words of ``net.proto``."""

    input: str
    network: str
    policy: str
    value: str
    activation: str


@dataclass(frozen=True, slots=True, eq=False)
class LeelaNetwork:
    """A network file: its format and its tensors, decoded when they are asked for.

    Parameters
    ----------
    path
        Where it was read from, for messages.
    format
        The architecture.
    layers
        Encoded tensors by name, such as ``residual.0.conv1.weights``.
    """

    path: Path
    format: LeelaFormat
    layers: Mapping[str, memoryview]

    @property
    def blocks(self) -> int:
        """Number of residual blocks."""
        return len({name.split(".")[1] for name in self.layers if name.startswith("residual.")})

    def has(self, name: str) -> bool:
        """Tell whether the file holds a tensor of this name."""
        return name in self.layers

    def tensor(self, name: str) -> np.ndarray:
        """Decode one tensor, float32 (size,).

        Raises
        ------
        LeelaFormatError
            If the file does not hold it, or holds it in an unknown encoding.
        """
        if name not in self.layers:
            raise _error(self.path, f"it has no tensor {name!r}")
        return _decode(self.layers[name], name, self.path)


def read_network(path: Path) -> LeelaNetwork:
    """Read a ``.pb.gz`` (or unpacked ``.pb``) file.

    Raises
    ------
    LeelaFormatError
        If it is damaged, no Leela network, or an architecture other than a residual tower;
        the message names what was found.
    """
    data = memoryview(_unpack(path))
    try:
        fields = _collect(data)
    except (IndexError, struct.error):
        raise _error(path, "it is cut off, or no protobuf message") from None
    if not fields.get(1) or fields[1][-1] != MAGIC:
        raise _error(path, "it does not begin with Leela's magic number 0x1c0")
    found = _read_format(fields, path)
    layers = dict(_named_layers(fields[10][-1], _WEIGHTS, "", path))
    return LeelaNetwork(path, found, layers)


def _unpack(path: Path) -> bytes:
    data = path.read_bytes()
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise _error(path, f"it cannot be unpacked: {error}") from None


def _error(path: Path, reason: str) -> LeelaFormatError:
    return LeelaFormatError(
        f"{path.name} cannot be used as a Leela network: {reason}. Use a '.pb.gz' file of a "
        "residual network (classical or SE), such as Maia, T60 or T78."
    )


def _fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """Yield (field number, value) of one message: int, or memoryview for nested bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield number, value
        elif kind == _BYTES:
            size, at = _varint(data, at)
            if at + size > len(data):
                raise IndexError("a field runs past the end of its message")
            yield number, data[at : at + size]
            at += size
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
            yield number, struct.unpack("<I" if size == 4 else "<Q", data[at : at + size])[0]
            at += size
        else:
            raise IndexError(f"wire type {kind} is unknown")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _collect(data: memoryview) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for number, value in _fields(data):
        found.setdefault(number, []).append(value)
    return found


def _read_format(fields: dict[int, list[Any]], path: Path) -> LeelaFormat:
    """Read ``Format.network_format``; files without one are the oldest, classical nets."""
    outer = _collect(fields[4][-1]) if fields.get(4) else {}
    inner = _collect(outer[2][-1]) if outer.get(2) else {}
    number = {key: values[-1] for key, values in inner.items()}
    network = number.get(3, 1)
    if network not in _TOWERS or not fields.get(10):
        raise _error(path, f"its architecture is {NETWORKS.get(network, network)}")
    weights = _collect(fields[10][-1])
    for field, what in _ENCODER_FIELDS.items():
        if weights.get(field):
            raise _error(path, f"it is {NETWORKS[network]} with {len(weights[field])} {what}")
    old = network in (1, 2)  # before head formats were written down, both heads were classical
    return LeelaFormat(
        _known(INPUTS, number.get(1, 1), "input", path),
        NETWORKS[network],
        _known(POLICIES, 1 if old else number.get(4, 1), "policy", path),
        _known(VALUES, 1 if old else number.get(5, 1), "value", path),
        _known(ACTIVATIONS, number.get(7, 0), "activation", path),
    )


def _known(names: dict[int, str], number: int, what: str, path: Path) -> str:
    if number not in names:
        raise _error(path, f"its {what} format has the unknown number {number}")
    return names[number]


def _named_layers(
    message: memoryview, schema: Mapping[int, Any], prefix: str, path: Path
) -> Iterator[tuple[str, memoryview]]:
    counts: dict[str, int] = {}
    for number, value in _fields(message):
        entry = schema.get(number)
        if entry is None:
            continue
        if isinstance(entry, str):
            yield prefix + entry, value
            continue
        name, inner = entry
        if name in _REPEATED:
            counts[name] = counts.get(name, -1) + 1
            name = f"{name}.{counts[name]}"
        yield from _named_layers(value, inner, f"{prefix}{name}.", path)


def _decode(layer: memoryview, name: str, path: Path) -> np.ndarray:
    """Decode ``Weights.Layer``: by default 16-bit steps between a smallest and largest value."""
    fields = {number: values[-1] for number, values in _collect(layer).items()}
    raw = fields.get(3, b"")
    encoding = fields.get(4, 1)
    if encoding == 1:
        low, high = (_float(fields.get(number, 0)) for number in (1, 2))
        steps = np.frombuffer(raw, dtype="<u2").astype(np.float32)
        steps *= np.float32((high - low) / 65535)
        steps += np.float32(low)
        return steps
    if encoding == 2:
        return np.frombuffer(raw, dtype="<f2").astype(np.float32)
    if encoding == 3:
        return (np.frombuffer(raw, dtype="<u2").astype("<u4") << 16).view("<f4")
    if encoding == 4:
        return np.frombuffer(raw, dtype="<f4")
    raise _error(path, f"its tensor {name!r} has the unknown encoding {encoding}")


def _float(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])
