"""Stockfish's NNUE network as an expert: activations of every layer, and the evaluation.

The architecture is the one of Stockfish 15 and 15.1: HalfKAv2_hm features, 1,024
accumulators and 8 piece-square sums per perspective, and eight small networks ("layer
stacks") of which the number of pieces on the board chooses one. The arithmetic is the
engine's own, integer for integer, so that :meth:`NnueExpert.evaluate` equals the line
``NNUE evaluation`` that Stockfish 15.1 prints on its command ``eval``.

In order: the file and its dense layers, the features of a board, the wide first layer, the
expert. Source of every fact: Stockfish 15.1, ``src/nnue/`` (``nnue_architecture.h``,
``nnue_feature_transformer.h``, ``nnue_common.h``, ``layers/*.h``,
``features/half_ka_v2_hm.h`` and ``.cpp``, ``evaluate_nnue.cpp``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from chessgloss.experts import Expert, Positions, View
from chessgloss.experts.boards import Boards, read_boards, signs_of
from chessgloss.positions import Position

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

#: The activation 1.0 in the engine's integers, and where every clipped layer saturates.
ONE = 127
#: Stockfish 15.1's internal units in one pawn (``NormalizeToPawnValue``, src/uci.h).
UNITS_PER_PAWN = 361

_PAIR_DIVISOR = 128  # Stockfish divides the product of two activations by 128
_WEIGHT_SCALE = 64  # 2 ** WeightScaleBits, nnue_common.h
_SKIP_NUMERATOR = 600 * 16  # propagate(), nnue_architecture.h: 600 * OutputScale
_PADDED_INPUTS_2 = 32
_BOARDS_AT_ONCE = 256
_WIDTHS = dict.fromkeys(("accumulators", "clipped"), 2 * ACCUMULATORS)
_WIDTHS |= {"pairwise": ACCUMULATORS, "hidden1": INPUTS_2, "hidden2": OUTPUTS_2}


# ---------------------------------------------------------------- the file


class NnueFormatError(ValueError):
    """A file that is no NNUE network, or one of an architecture not read here."""


class Stack(NamedTuple):
    """One of the eight small networks: weights (outputs, inputs) and biases of three layers.

    Those of the first layer are float32, the others float64; both hold every integer exactly:
    1,024 products of at most 126 * 128 stay below 2**24, as do the first layer's biases.
    """

    weights_1: np.ndarray
    biases_1: np.ndarray
    weights_2: np.ndarray
    biases_2: np.ndarray
    weights_3: np.ndarray
    bias_3: np.ndarray

    @classmethod
    def of(cls, layers: Sequence[np.ndarray]) -> Stack:
        """Return the stack of the integers of a file, in the same order."""
        return cls(
            *(
                layer.astype(np.float32 if at < 2 else float)
                for at, layer in enumerate(layers)
            )
        )

    def first(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Map pairwise products (n, 1024) to ``hidden1`` (n, 30) and the skip sum (n,)."""
        sums = (pairs @ self.weights_1.T + self.biases_1).astype(float)
        body = sums[:, : OUTPUTS_1 - 1]
        skip = sums[:, OUTPUTS_1 - 1]
        squared = np.floor(body * body / (_WEIGHT_SCALE**2 * _PAIR_DIVISOR))
        clipped = np.floor(body / _WEIGHT_SCALE)
        hidden = np.hstack([squared.clip(max=ONE), clipped.clip(0, ONE)])
        return hidden, np.trunc(skip * _SKIP_NUMERATOR / (ONE * _WEIGHT_SCALE))

    def second(self, hidden: np.ndarray) -> np.ndarray:
        """Map ``hidden1`` (n, 30) to ``hidden2`` (n, 32)."""
        sums = hidden @ self.weights_2.T + self.biases_2
        return np.floor(sums / _WEIGHT_SCALE).clip(0, ONE)

    def output(self, hidden: np.ndarray) -> np.ndarray:
        """Map ``hidden2`` (n, 32) to the positional sum (n,), still without the skip."""
        return hidden @ self.weights_3 + self.bias_3


@dataclass(frozen=True, slots=True, eq=False)
class NnueNetwork:
    """An NNUE network as its file holds it.

    Parameters
    ----------
    biases
        int16 (1024,), the accumulators of an empty board.
    weights
        int16 (22528, 1024), what each feature adds to the accumulators: whole sums fit as well.
        Weights drawn at random are int32.
    psqt
        int32 (22528, 8), what each feature adds to the piece-square sum of each stack.
    stacks
        Eight :class:`Stack`; number ``(pieces - 1) // 4`` serves a board of so many pieces.
    """

    biases: np.ndarray
    weights: np.ndarray
    psqt: np.ndarray
    stacks: tuple[Stack, ...]


def read_network(path: Path, random_weights: int | None = None) -> NnueNetwork:
    """Read a network file; all its numbers are little-endian integers.

    Parameters
    ----------
    path
        The file.
    random_weights
        A seed; if given, every weight is drawn at random from its own tensor, which so keeps
        its distribution of values, hence its scale, and loses all that training put into their
        places: the control for "is it the training or the architecture?".

    Raises
    ------
    NnueFormatError
        If the file is cut off, is no NNUE file, or has another architecture; the message
        says which and how to get the right one.
    """
    data = path.read_bytes()
    offset = 0

    def refuse(reason: str) -> NoReturn:
        raise NnueFormatError(
            f"{path.name} cannot be read as an NNUE network of Stockfish 15.1: {reason}. "
            "Stockfish 15.1 writes the right file on the command 'export_net'."
        )

    def take(kind: str, *shape: int) -> np.ndarray:
        nonlocal offset
        count = math.prod(shape)
        start = offset
        offset += count * np.dtype(kind).itemsize
        if offset > len(data):
            refuse(f"it ends after {len(data)} bytes, in the middle of a field")
        # a copy, since numpy takes rows of what is not aligned by copying all of it
        return np.frombuffer(data, kind, count, start).reshape(shape).copy()

    # the hash of the whole architecture is passed over; the transformer's own follows
    version, _, length = (int(take("<u4")) for _ in range(3))
    if version != VERSION:
        refuse(f"its version is 0x{version:08x}, not 0x{VERSION:08x}")
    description = take("u1", length).tobytes().decode("utf-8", "replace")
    transformer = int(take("<u4"))
    if transformer != TRANSFORMER_HASH:
        refuse(
            f"its feature transformer is 0x{transformer:08x} ({description!r}), "
            f"not HalfKAv2_hm with {ACCUMULATORS} accumulators (0x{TRANSFORMER_HASH:08x})"
        )
    biases = take("<i2", ACCUMULATORS)
    weights = take("<i2", FEATURES, ACCUMULATORS)
    psqt = take("<i4", FEATURES, STACKS)
    stacks = []
    for _ in range(STACKS):
        take("<u4")  # hash of the stack's layers
        biases_1 = take("<i4", OUTPUTS_1)
        weights_1 = take("i1", OUTPUTS_1, ACCUMULATORS)
        biases_2 = take("<i4", OUTPUTS_2)
        weights_2 = take("i1", OUTPUTS_2, _PADDED_INPUTS_2)[:, :INPUTS_2]
        bias_3 = take("<i4", 1)
        weights_3 = take("i1", OUTPUTS_2)
        stacks.append([weights_1, biases_1, weights_2, biases_2, weights_3, bias_3])
    if offset != len(data):
        refuse(f"{len(data) - offset} bytes are left over at the end")
    if random_weights is not None:
        rng = np.random.default_rng(random_weights)

        def drawn(tensor: np.ndarray) -> np.ndarray:
            return tensor.ravel()[
                rng.integers(0, tensor.size, tensor.shape, dtype=np.uint32)
            ]

        biases, weights, psqt = map(drawn, (biases, weights, psqt))
        weights = weights.astype(
            np.int32
        )  # drawn sums may be larger than the network's
        stacks = [list(map(drawn, stack)) for stack in stacks]
    return NnueNetwork(biases, weights, psqt, tuple(map(Stack.of, stacks)))


# ---------------------------------------------------------------- the features of a board


@dataclass(frozen=True, slots=True, eq=False)
class FeatureBags:
    """The active features of n boards for both perspectives, White's first.

    A feature is (own king's square, a piece, its square), seen by one of the two players:
    Black sees the board with the ranks mirrored and the colours swapped, and whoever has the
    king on files a to d sees the files mirrored too.

    Parameters
    ----------
    features
        int32 (2, p): feature indices, board after board.
    starts
        int64 (n,): where each board's features start in a row of ``features``.
    king_buckets
        int64 (2, n): bucket of the own king, 0 to 31; all features of a board lie in
        ``[704 * bucket, 704 * (bucket + 1))``.
    """

    features: np.ndarray
    starts: np.ndarray
    king_buckets: np.ndarray


def feature_bags(boards: Boards) -> FeatureBags:
    """Return the features of every board for both perspectives."""
    rows, squares = np.nonzero(boards.squares)
    codes = boards.squares[rows, squares]
    counts = boards.piece_counts()
    buckets = np.empty((2, len(boards)), dtype=np.int64)
    features = np.empty((2, len(rows)), dtype=np.int32)
    for side, kings in enumerate(boards.king_squares()):
        # what to xor a square with: 56 mirrors the ranks, 7 the files
        turn = 56 * side ^ np.where(kings % 8 < 4, 7, 0)
        oriented = kings ^ turn
        buckets[side] = 4 * (7 - oriented // 8) + (
            7 - oriented % 8
        )  # h8 is 0, e8 is 3, e1 is 31
        base = (buckets[side] * FEATURES_PER_BUCKET).astype(np.int32)
        features[side] = (squares ^ turn[rows]) + _PLANES[side, codes] + base[rows]
    return FeatureBags(features, np.cumsum(counts) - counts, buckets)


#: First feature of each piece code (empty, PNBRQK, pnbrqk) for either perspective.
_PLANES = 64 * np.array(
    [
        [0, 0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 10],
        [0, 1, 3, 5, 7, 9, 10, 0, 2, 4, 6, 8, 10],
    ],
    dtype=np.int32,
)


# ---------------------------------------------------------------- the wide first layer


class FeatureTransformer:
    """Sums of feature weights, clipped and multiplied where asked for: integers, exact."""

    def __init__(self, network: NnueNetwork) -> None:
        self._weights = network.weights
        self._biases = network.biases

    def blocks(self, bags: FeatureBags, layer: str, swapped: np.ndarray) -> np.ndarray:
        """Return a layer for both perspectives: float32 (n, 2, d).

        White's block comes first, or Black's where ``swapped``, bool (n,), is true.
        ``layer`` is ``accumulators`` or ``clipped`` (d = 1024) or ``pairwise`` (d = 512).
        Boards are taken in the order of their king's bucket, a few at a time, so that the 704
        rows of weights that a bucket needs stay in the cache, and so do the sums.
        """
        n = len(bags.starts)
        result = np.empty((n, 2, _WIDTHS[layer] // 2), np.float32)
        starts = bags.starts.tolist()
        ends = [*starts[1:], bags.features.shape[1]]
        block = np.empty((_BOARDS_AT_ONCE, ACCUMULATORS), self._weights.dtype)
        for side, features in enumerate(bags.features):
            order = np.argsort(bags.king_buckets[side], kind="stable")
            for first in range(0, n, _BOARDS_AT_ONCE):
                rows = order[first : first + _BOARDS_AT_ONCE]
                for at, board in enumerate(rows.tolist()):
                    active = self._weights[features[starts[board] : ends[board]]]
                    np.add.reduce(active, axis=0, out=block[at])
                sums = block[: len(rows)]
                sums += self._biases
                if layer != "accumulators":
                    np.clip(sums, 0, ONE, out=sums)
                if layer == "pairwise":
                    sums = multiply_pairs(sums)
                result[rows, side ^ swapped[rows]] = sums
        return result


def multiply_pairs(clipped: np.ndarray) -> np.ndarray:
    """Multiply a perspective's first half by its second: (..., 1024) to (..., 512).

    Both int16 and float32 hold the exact result: products of two such integers stay below 2**14.
    """
    first, second = np.split(clipped, 2, axis=-1)
    return first * second // _PAIR_DIVISOR


# ---------------------------------------------------------------- the expert


class NnueExpert(Expert):
    """An NNUE network that shows its activations.

    Layers, all in the engine's integer units (127 is an activation of 1.0):

    ``accumulators`` (2048)
        Sums of feature weights, 1,024 for each player's perspective, before any clipping.
    ``clipped`` (2048)
        The same, clipped to 0..127.
    ``pairwise`` (1024)
        512 products of clipped pairs per perspective, divided by 128: the network's input
        to its dense layers.
    ``hidden1`` (30)
        First dense layer: 15 outputs squared and clipped, then the same 15 clipped.
    ``hidden2`` (32)
        Second dense layer, clipped.

    Orientation: the first three layers hold two blocks of equal width, one a player. With
    ``view="white"`` the first block is White's perspective and the second Black's, whoever
    is to move, and labels must be White's and Black's. With ``view="mover"`` the first
    block is the side to move's, as the network itself orders them, and labels must be the
    mover's and the opponent's. Within a block the board is always seen by that block's
    player. ``hidden1`` and ``hidden2`` exist from the mover's view only.

    Evaluations are in pawns; rounded to 0.01 they are what Stockfish 15.1 prints.

    Parameters
    ----------
    path
        The network's file.
    view
        Order of the two perspectives, see above.
    random_weights
        A seed; if given, every weight is drawn at random from its tensor's values.

    Raises
    ------
    NnueFormatError
        If the file is no network of this architecture.
    """

    _judged_from = "pairwise"

    def __init__(
        self, path: Path, *, view: View = "white", random_weights: int | None = None
    ) -> None:
        name = "nnue" if random_weights is None else f"nnue-random-{random_weights}"
        super().__init__(name, _WIDTHS, view, batch=2048)
        network = read_network(path, random_weights)
        self._psqt, self._stacks = network.psqt, network.stacks
        self._transformer = FeatureTransformer(network)

    def orientation(self, layer: str) -> View:
        """Return the view of the labels that fit a layer: ``white`` (White, Black) or ``mover``."""
        view = super().orientation(layer)
        return "mover" if layer.startswith("hidden") else view

    def _layer(self, layer: str, positions: list[str | Position]) -> np.ndarray:
        boards = read_boards(positions)
        dense = layer.startswith("hidden")
        swapped = ~boards.white_to_move & (self.orientation(layer) == "mover")
        wide = "pairwise" if dense else layer
        blocks = self._transformer.blocks(feature_bags(boards), wide, swapped)
        flat = blocks.reshape(len(boards), -1)
        if not dense:
            return flat
        result = np.empty((len(boards), self.width(layer)), np.float32)
        for stack, rows in self._by_stack(boards):
            hidden, _ = stack.first(flat[rows])
            result[rows] = stack.second(hidden) if layer == "hidden2" else hidden
        return result

    def _continued(
        self, layer: str, activations: np.ndarray, positions: Positions
    ) -> np.ndarray:
        """Evaluate in pawns for White, float32 (n,), from the products that the stacks read.

        Piece-square sums are the mover's minus the opponent's; divisions round towards zero,
        as integers do in C++.
        """
        if layer != self._judged_from:
            raise ValueError(
                f"{self.name} is judged from {self._judged_from}, not from {layer}"
            )
        boards = read_boards(positions)
        pairs = activations.reshape(len(boards), 2, -1)
        if self.view == "white":  # the network reads the mover's first
            turns = boards.white_to_move[:, None, None]
            pairs = np.where(turns, pairs, pairs[:, ::-1])
        flat = pairs.reshape(len(boards), -1)
        sums = np.empty(len(boards))
        for stack, rows in self._by_stack(boards):
            hidden, skip = stack.first(flat[rows])
            sums[rows] = stack.output(stack.second(hidden)) + skip
        bags = feature_bags(boards)
        stacks = np.repeat(_stack_numbers(boards), boards.piece_counts())
        white, black = (
            np.add.reduceat(self._psqt[features, stacks].astype(np.int64), bags.starts)
            for features in bags.features
        )
        signs = signs_of(boards.white_to_move)
        squares = np.trunc((white - black) * signs / 2)
        units = np.trunc((squares + sums) / 16)
        return (units * signs).astype(np.float32) / np.float32(UNITS_PER_PAWN)

    def _by_stack(self, boards: Boards) -> Iterator[tuple[Stack, np.ndarray]]:
        numbers = _stack_numbers(boards)
        for number in np.unique(numbers):
            yield self._stacks[number], np.flatnonzero(numbers == number)


def _stack_numbers(boards: Boards) -> np.ndarray:
    return (boards.piece_counts() - 1) // 4
