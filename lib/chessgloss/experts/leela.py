"""A Leela Chess Zero network as an expert: activations of every block, and the value.

In order: the file (``.pb.gz``), the input planes, the residual tower, the expert. Only
residual towers are read, classical and with squeeze-and-excitation units; other architectures
raise an error that names them. The policy head is not read. Sources, all of
LeelaChessZero/lc0: ``proto/net.proto`` (field numbers), ``src/neural/encoder.cc`` (planes),
``src/neural/backends/blas/network_blas.cc`` (arithmetic), ``src/neural/network_legacy.cc``.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import chess
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from chessgloss.experts import Expert, Positions
from chessgloss.experts.boards import fen_of, signs_of
from chessgloss.positions import Position, PositionError

MAGIC = 0x1C0

#: Most bytes of a network, unpacked: twice those of the largest, a T78 of 512 x 40.
MOST_UNPACKED = 3 << 28
_MOST_FIELDS = 10_000  # in a message; the weights of a T78 have about 60

# Numbers of net.proto's ``NetworkFormat``: what is read here, and what else there is.
_TOWERS = (1, 2, 3, 4)  # NETWORK_CLASSICAL, NETWORK_SE, and both WITH_HEADFORMAT
_OTHER_NETWORKS = {5: "an ONNX network", 6: "a transformer", 7: "a transformer"}
_VALUES = (1, 2)  # VALUE_CLASSICAL, VALUE_WDL
_ACTIVATIONS = {0: functional.relu, 1: functional.mish}

# net.proto: the fields of Weights that are read; a pair is a message with fields of its own.
_CONV = dict(
    enumerate(
        ("weights", "biases", "bn_means", "bn_stddivs", "bn_gammas", "bn_betas"), 1
    )
)
_SE = {1: "w1", 2: "b1", 3: "w2", 4: "b2"}
_WEIGHTS: Mapping[int, Any] = {
    1: ("input", _CONV),
    2: ("residual", {1: ("conv1", _CONV), 2: ("conv2", _CONV), 3: ("se", _SE)}),
    6: ("value", _CONV),
    **dict(enumerate(("ip1_val_w", "ip1_val_b", "ip2_val_w", "ip2_val_b"), 7)),
}
_ENCODER_LAYERS = 27

_VARINT, _BYTES, _FIXED32 = 0, 2, 5  # wire types

PLANES = 112
HISTORY = 8
_PER_POSITION = 13
_AUXILIARY = HISTORY * _PER_POSITION
_BATCH_NORM_EPSILON = 1e-5  # src/neural/network_legacy.cc

Activation: TypeAlias = Callable[[torch.Tensor], torch.Tensor]


# ---------------------------------------------------------------- the file


class LeelaFormatError(ValueError):
    """A file that is no Leela network, or one whose architecture is not read here."""


@dataclass(frozen=True, slots=True, eq=False)
class LeelaNetwork:
    """A network file: its tensors, decoded when they are asked for.

    Parameters
    ----------
    path
        Where it was read from, for messages.
    activation
        The function between its layers.
    layers
        Encoded tensors by name, such as ``residual.0.conv1.weights``.
    """

    path: Path
    activation: Activation
    layers: Mapping[str, memoryview]

    def tensor(self, name: str, default: np.ndarray | None = None) -> np.ndarray:
        """Decode one tensor, float32 (size,): 16-bit steps between two bounds.

        Raises
        ------
        LeelaFormatError
            If the file does not hold it and there is no default, or holds it damaged or in an
            unknown encoding.
        """
        if name not in self.layers:
            if default is None:
                raise _error(self.path, f"it has no tensor {name!r}")
            return default
        try:
            fields = {
                number: values[-1]
                for number, values in _collect(self.layers[name]).items()
            }
            bounds = struct.pack("<II", fields.get(1, 0), fields.get(2, 0))
            steps = np.frombuffer(fields.get(3, b""), dtype="<u2").astype(np.float32)
        except (IndexError, TypeError, ValueError, struct.error) as error:
            raise _error(
                self.path, f"its tensor {name!r} is damaged: {error}"
            ) from None
        if fields.get(4, 1) != 1:
            raise _error(
                self.path, f"its tensor {name!r} is not in the encoding LINEAR16"
            )
        low, high = struct.unpack("<ff", bounds)
        steps *= np.float32((high - low) / 65535)
        steps += np.float32(low)
        return steps

    def convolution(self, name: str, inputs: int, size: int = 3) -> nn.Conv2d:
        """Return a convolution whose number of outputs the file decides.

        Batch normalisation is folded into it.
        """
        weights = self.tensor(f"{name}.weights")
        if f"{name}.bn_means" not in self.layers:
            biases = self.tensor(f"{name}.biases")
        else:
            means = self.tensor(f"{name}.bn_means")
            variances = self.tensor(f"{name}.bn_stddivs")
            gammas = self.tensor(f"{name}.bn_gammas", np.ones_like(means))
            betas = self.tensor(f"{name}.bn_betas", np.zeros_like(means))
            means = means - self.tensor(f"{name}.biases", np.zeros_like(means))
            scale = gammas / np.sqrt(variances + _BATCH_NORM_EPSILON)
            biases = (betas - scale * means).astype(np.float32)
            weights = (
                (weights.reshape(len(scale), -1) * scale[:, None])
                .ravel()
                .astype(np.float32)
            )
        layer = nn.utils.skip_init(
            nn.Conv2d, inputs, len(biases), size, padding=size // 2
        )
        return self._fill(layer, name, weights, biases)

    def dense(self, name: str, biases: str, inputs: int) -> nn.Linear:
        """Return a dense layer whose number of outputs the file decides."""
        offsets = self.tensor(biases)
        layer = nn.utils.skip_init(nn.Linear, inputs, len(offsets))
        return self._fill(layer, name, self.tensor(name), offsets)

    def _fill(
        self, layer: Any, name: str, weights: np.ndarray, biases: np.ndarray
    ) -> Any:
        """Set a layer's parameters, and return it."""
        if len(weights) != layer.weight.numel():
            sizes = f"{len(weights)} numbers where {layer.weight.numel()} are needed"
            raise _error(self.path, f"its tensor {name!r} has {sizes}")
        layer.weight = nn.Parameter(
            torch.from_numpy(weights.reshape(layer.weight.shape))
        )
        layer.bias = nn.Parameter(torch.from_numpy(biases))
        return layer


def read_network(path: Path) -> LeelaNetwork:
    """Read a ``.pb.gz`` (or unpacked ``.pb``) file, one protobuf message.

    Raises
    ------
    LeelaFormatError
        If it is damaged, no Leela network, or an architecture other than a residual tower
        on classical input planes; the message names what it is.
    """
    with path.open("rb") as file:
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        try:
            data = (gzip.GzipFile(fileobj=file) if packed else file).read(
                MOST_UNPACKED + 1
            )
        except (EOFError, OSError, zlib.error) as error:
            raise _error(path, f"it cannot be unpacked: {error}") from None
    if len(data) > MOST_UNPACKED:
        raise _error(path, f"it holds more than {MOST_UNPACKED:,} bytes")
    try:
        fields = _collect(memoryview(data))
        if fields.get(1, [0])[-1] != MAGIC:
            raise _error(path, "it does not begin with Leela's magic number 0x1c0")
        activation = _check_format(fields, path)
        return LeelaNetwork(
            path, activation, dict(_tensors(fields[10][-1], _WEIGHTS, ""))
        )
    except (IndexError, struct.error):
        raise _error(path, "it is cut off, or no protobuf message") from None


def _error(path: Path, reason: str) -> LeelaFormatError:
    return LeelaFormatError(
        f"{path.name} cannot be used as a Leela network: {reason}. Use a '.pb.gz' file of a "
        "residual network (classical or SE), such as Maia, T60 or T78."
    )


def _fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """Yield (field number, value) of one message: int, or memoryview for nested bytes."""
    at = 0
    value: Any
    if not isinstance(data, memoryview):
        raise IndexError("a number stands where a message should")
    for _ in range(_MOST_FIELDS):
        if at == len(data):
            return
        key, at = _varint(data, at)
        number = key >> 3
        kind = key & 7
        if kind == _FIXED32:
            (value,) = struct.unpack_from("<I", data, at)
            at = at + 4
        elif kind in (_VARINT, _BYTES):
            value, at = _varint(data, at)
        else:
            raise IndexError(f"wire type {kind} is unknown")
        if kind == _BYTES:  # the number read was their size
            value, at = data[at : at + value], at + value
            if at > len(data):
                raise IndexError("a field runs past the end of its message")
        yield number, value
    raise IndexError(f"a message has over {_MOST_FIELDS:,} fields")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for place in range(10):
        byte = data[at + place]
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, at + place + 1
    raise IndexError("a number has over 10 bytes")


def _collect(data: memoryview) -> dict[int, list[Any]]:
    values: dict[int, list[Any]] = {}
    for number, value in _fields(data):
        values.setdefault(number, []).append(value)
    return values


def _check_format(fields: dict[int, list[Any]], path: Path) -> Activation:
    """Refuse formats that are not read here (``Format.network_format``); return the activation.

    Files without a format are the oldest, classical networks.
    """
    outer = _collect(fields[4][-1]) if fields.get(4) else {}
    inner = _collect(outer[2][-1]) if outer.get(2) else {}
    numbers = {field: values[-1] for field, values in inner.items()}
    network = numbers.get(3, 1)
    planes = numbers.get(1, 1)
    if network not in _TOWERS or not fields.get(10):
        name = _OTHER_NETWORKS.get(network, "unknown")
        raise _error(path, f"its architecture is {name} (network format {network})")
    if encoders := _collect(fields[10][-1]).get(_ENCODER_LAYERS):
        raise _error(path, f"it is a transformer with {len(encoders)} encoder layers")
    if planes != 1:
        raise _error(
            path,
            f"its input planes have the format {planes}; 1, the classical, is read",
        )
    value = numbers.get(5, 1)
    activation = numbers.get(7, 0)
    if (
        network > 2 and value not in _VALUES
    ):  # networks 1 and 2 are older than head formats
        raise _error(path, f"its value format has the unknown number {value}")
    if activation not in _ACTIVATIONS:
        raise _error(path, f"its activation format has the unknown number {activation}")
    return _ACTIVATIONS[activation]


def _tensors(
    message: memoryview, schema: Mapping[int, Any], prefix: str
) -> Iterator[tuple[str, memoryview]]:
    """Yield the encoded tensors of a message by name; residual blocks are numbered."""
    blocks = 0
    for number, value in _fields(message):
        entry = schema.get(number)
        if isinstance(entry, str):
            yield prefix + entry, value
        elif entry is not None:
            name, inner = entry
            if name == "residual":
                name = f"residual.{blocks}"
                blocks = blocks + 1
            yield from _tensors(value, inner, f"{prefix}{name}.")


# ---------------------------------------------------------------- the input planes

#: White's six bitboards, Black's six, and 1 if the position occurred before.
Frame: TypeAlias = tuple[int, ...]


def encode(positions: Sequence[str | Position]) -> np.ndarray:
    """Return Leela's input, float32 (n, 112, 8, 8): planes of 8 x 8, the mover's first rank first.

    Planes 13i to 13i + 12, for i = 0 (now) to 7: own pawn, knight, bishop, rook, queen, king,
    the opponent's six, and ones where the position occurred before. Planes 104 to 111:
    castling rights (own queen's and king's side, the opponent's), ones if Black is to move,
    the halfmove clock, zeros, ones. The board is always seen by the side to move: for Black
    the ranks are mirrored, in all eight positions alike.

    Positions with moves bring their history; FENs have none. Where fewer than seven earlier
    positions are known, the oldest known one is repeated, unless it is the start of a game,
    before which there are zeros. This is lc0's own default ("fen only"); a pawn that the oldest
    position shows to have just made a double step is put back.

    Raises
    ------
    PositionError
        If a FEN cannot be read.
    """
    n = len(positions)
    states = map(_state, positions)
    framed, turned, others = zip(*states, strict=True) if n else ((), (), ())
    frames = np.array(framed, dtype=np.uint64).reshape(n, HISTORY, _PER_POSITION)
    black = np.array(turned, dtype=bool)
    auxiliary = np.array(others, dtype=np.float32)
    bitboards = frames[:, :, :12]
    bitboards[black] = np.roll(bitboards[black], 6, axis=2).byteswap()
    octets = np.ascontiguousarray(bitboards, dtype="<u8").view(np.uint8)
    bits = np.unpackbits(octets, axis=-1, bitorder="little")  # a1 first
    planes = np.zeros((n, PLANES, 64), dtype=np.float32)
    history = planes[:, :_AUXILIARY].reshape(n, HISTORY, _PER_POSITION, 64)
    history[:, :, :12] = bits.reshape(n, HISTORY, 12, 64)
    history[:, :, 12] = frames[:, :, 12, None]
    planes[:, _AUXILIARY:] = auxiliary.reshape(n, 8, 1)
    return planes.reshape(n, PLANES, 8, 8)


def _state(position: str | Position) -> tuple[list[Frame], bool, tuple[float, ...]]:
    """Return the eight frames, newest first, whether Black is to move, and planes 104 to 111."""
    try:
        board = chess.Board(position) if isinstance(position, str) else position.board()
    except ValueError as error:
        raise PositionError(f"FEN {position!r} cannot be read: {error}") from None
    rights = board.clean_castling_rights()
    black = not board.turn
    castling = (
        float(bool(rights & chess.BB_RANKS[0 if colour else 7] & file))
        for colour in (board.turn, black)
        for file in (chess.BB_FILE_A, chess.BB_FILE_H)
    )
    auxiliary = (*castling, float(black), board.halfmove_clock, 0.0, 1.0)
    frames = [_frame(board)]
    while board.move_stack and len(frames) < HISTORY:
        board.pop()
        frames.append(_frame(board))
    if missing := HISTORY - len(frames):
        frames += [_filler(board)] * missing
    return frames, black, auxiliary


def _frame(board: chess.Board) -> Frame:
    kinds = (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
    )
    sides = (board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK])
    return (*(kind & side for side in sides for kind in kinds), board.is_repetition(2))


def _filler(board: chess.Board) -> Frame:
    """Return the planes before the oldest position known."""
    if board.board_fen() == chess.STARTING_BOARD_FEN and board.turn == chess.WHITE:
        return (0,) * _PER_POSITION
    if board.ep_square is not None:
        step = 8 if board.turn == chess.WHITE else -8
        start = board.ep_square + step
        end = board.ep_square - step
        board = board.copy(stack=False)
        board.set_piece_at(start, board.remove_piece_at(end))
    return _frame(board)


# ---------------------------------------------------------------- the residual tower


class SqueezeExcitation(nn.Module):
    """Scale and shift each channel by a function of the whole board's mean."""

    def __init__(self, network: LeelaNetwork, name: str, channels: int) -> None:
        super().__init__()
        self.squeeze = network.dense(f"{name}.w1", f"{name}.b1", channels)
        self.excite = network.dense(
            f"{name}.w2", f"{name}.b2", self.squeeze.out_features
        )
        self._act = network.activation

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (n, channels, 8, 8) to the same shape."""
        both = self.excite(self._act(self.squeeze(x.mean(dim=(2, 3)))))
        scale, shift = both[:, :, None, None].chunk(2, dim=1)
        return x * torch.sigmoid(scale) + shift


class Block(nn.Module):
    """A residual block: two 3 x 3 convolutions, perhaps an SE unit, and the way round them."""

    def __init__(self, network: LeelaNetwork, index: int, channels: int) -> None:
        super().__init__()
        name = f"residual.{index}"
        self.first = network.convolution(f"{name}.conv1", channels)
        self.second = network.convolution(f"{name}.conv2", channels)
        has_se = f"{name}.se.w1" in network.layers
        self.se = SqueezeExcitation(network, f"{name}.se", channels) if has_se else None
        self._act = network.activation

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (n, channels, 8, 8) to the same shape."""
        inner = self.second(self._act(self.first(x)))
        return self._act(x + (inner if self.se is None else self.se(inner)))


class ValueHead(nn.Module):
    """Expected result, from the mover's view: -1 lost, 1 won."""

    def __init__(self, network: LeelaNetwork, channels: int) -> None:
        super().__init__()
        self.conv = network.convolution("value", channels, size=1)
        self.hidden = network.dense(
            "ip1_val_w", "ip1_val_b", 64 * self.conv.out_channels
        )
        self.out = network.dense("ip2_val_w", "ip2_val_b", self.hidden.out_features)
        self._act = network.activation

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (n, channels, 8, 8) to (n,)."""
        hidden = self._act(self.hidden(self._act(self.conv(x)).flatten(1)))
        out = self.out(hidden)
        if out.shape[1] == 1:
            return torch.tanh(out[:, 0])
        outcomes = torch.softmax(out, dim=1)  # win, draw, loss
        return outcomes[:, 0] - outcomes[:, 2]


class Tower(nn.Module):
    """Input convolution, residual blocks, value head."""

    def __init__(self, network: LeelaNetwork) -> None:
        super().__init__()
        self._act = network.activation
        self.input = network.convolution("input", PLANES)
        self.channels = self.input.out_channels
        # residual.3.conv1.weights: a block is there if any tensor of it is
        numbers = {
            name.split(".")[1]
            for name in network.layers
            if name.startswith("residual.")
        }
        blocks = (Block(network, index, self.channels) for index in range(len(numbers)))
        self.blocks = nn.ModuleList(blocks)
        self.value = ValueHead(network, self.channels)
        self.requires_grad_(False)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def run(self, x: torch.Tensor, start: int, stop: int) -> torch.Tensor:
        """Take ``x`` through stages ``start`` to ``stop`` (0 is the input convolution)."""
        x = x.contiguous(memory_format=torch.channels_last)
        for stage in range(start, stop):
            x = self._act(self.input(x)) if stage == 0 else self.blocks[stage - 1](x)
        return x


# ---------------------------------------------------------------- the expert


class LeelaExpert(Expert):
    """A residual Leela network that shows its activations.

    Layers: ``input`` (after the first convolution) and ``block0``, ``block1`` ... (after each
    residual block), each of ``channels * 64`` columns: channel by channel, 64 squares each,
    a1 first, h1 eighth, as the side to move sees the board (``activations.reshape(n,
    channels, 8, 8)`` gives them back as boards).

    Orientation: always the mover's. The network sees Black's positions mirrored, with the
    colours swapped, so labels must be the mover's and the opponent's.

    History: a :class:`Position` with moves brings the positions before it, a FEN stands
    alone (see :func:`encode`). The two differ: give every position of a study in the same
    way.

    Parameters
    ----------
    path
        The network's file (``.pb.gz``).

    Raises
    ------
    LeelaFormatError
        If it is damaged or of an architecture not read here (it is named).
    """

    _judged_from = "input"

    def __init__(self, path: Path) -> None:
        name = f"leela-{path.name.removesuffix('.gz').removesuffix('.pb')}"
        self.tower = Tower(read_network(path))
        self.channels = self.tower.channels
        layers = [
            "input",
            *(f"block{index}" for index in range(len(self.tower.blocks))),
        ]
        super().__init__(
            name, dict.fromkeys(layers, 64 * self.channels), "mover", batch=256
        )

    @torch.inference_mode()
    def _layer(self, layer: str, positions: list[str | Position]) -> np.ndarray:
        planes = torch.from_numpy(encode(positions))
        stop = self.layers.index(layer) + 1
        return self.tower.run(planes, 0, stop).flatten(1).numpy()

    @torch.inference_mode()
    def _continued(
        self, layer: str, activations: np.ndarray, positions: Positions
    ) -> np.ndarray:
        x = torch.from_numpy(activations).reshape(-1, self.channels, 8, 8)
        end = self.tower.run(x, self.layers.index(layer) + 1, len(self.layers))
        values = self.tower.value(end).numpy()
        white = [fen_of(position).split(" ", 2)[1] == "w" for position in positions]
        return values * signs_of(np.array(white)).astype(np.float32)
