"""An NNUE file of the real size with made-up weights, and a slow reading of the rules."""

from __future__ import annotations

import struct
from pathlib import Path

import chess
import numpy as np

from chessgloss.experts.nnue import TRANSFORMER_HASH, VERSION, NnueNetwork


def write_nnue(path: Path, seed: int = 0) -> Path:
    """Write a network with random weights of a plausible size."""
    rng = np.random.default_rng(seed)

    def whole(kind: str, low: int, high: int, *shape: int) -> bytes:
        return rng.integers(low, high, shape).astype(kind).tobytes()

    text = b"made up for a test"
    parts = [struct.pack("<III", VERSION, 0, len(text)), text]
    parts.append(struct.pack("<I", TRANSFORMER_HASH))
    parts.append(whole("<i2", 0, 90, 1024))
    parts.append(whole("<i2", -40, 41, 22528, 1024))
    parts.append(whole("<i4", -9000, 9001, 22528, 8))
    for _ in range(8):
        parts.append(struct.pack("<I", 0))
        parts += [whole("<i4", -4000, 4001, 16), whole("i1", -30, 31, 16, 1024)]
        parts += [whole("<i4", -4000, 4001, 32), whole("i1", -90, 91, 32, 32)]
        parts += [whole("<i4", -4000, 4001, 1), whole("i1", -90, 91, 32)]
    path.write_bytes(b"".join(parts))
    return path


def slow_evaluation(network: NnueNetwork, fen: str) -> int:
    """Evaluate one position with Python's integers, one feature at a time; mover's view."""
    board = chess.Board(fen)
    us, them = board.turn, not board.turn
    pieces = len(board.piece_map())
    stack = network.stacks[(pieces - 1) // 4]
    inputs: list[int] = []
    sums = []
    for side in (us, them):
        features = _features(board, side)
        wide = network.biases.astype(int) + network.weights[features].astype(int).sum(axis=0)
        wide = np.clip(wide, 0, 127)
        inputs += [int(a) * int(b) // 128 for a, b in zip(wide[:512], wide[512:], strict=True)]
        sums.append(int(network.psqt[features, (pieces - 1) // 4].astype(int).sum()))
    first = [_dot(row, inputs, bias) for row, bias in _rows(stack.weights_1, stack.biases_1)]
    hidden = [min(127, (x * x) >> 19) for x in first[:15]]
    hidden += [max(0, min(127, x >> 6)) for x in first[:15]]
    second = [_dot(row, hidden, bias) for row, bias in _rows(stack.weights_2, stack.biases_2)]
    last = [max(0, min(127, x >> 6)) for x in second]
    positional = _dot(stack.weights_3, last, stack.bias_3[0])
    positional += _truncated(first[15] * 9600, 127 * 64)
    return _truncated(_truncated(sums[0] - sums[1], 2) + positional, 16)


def _features(board: chess.Board, side: chess.Color) -> list[int]:
    king = board.king(side)
    assert king is not None
    turn = (0 if side == chess.WHITE else 56) ^ (7 if chess.square_file(king) < 4 else 0)
    own = king ^ turn
    bucket = 4 * (7 - chess.square_rank(own)) + 7 - chess.square_file(own)
    found = []
    for square, piece in board.piece_map().items():
        plane = 2 * (piece.piece_type - 1) + (piece.color != side)
        found.append((square ^ turn) + 64 * min(plane, 10) + 704 * bucket)
    return found


def _rows(weights: np.ndarray, biases: np.ndarray) -> list[tuple[np.ndarray, int]]:
    return list(zip(weights, biases.tolist(), strict=True))


def _dot(weights: np.ndarray, values: list[int], bias: int) -> int:
    return int(bias) + sum(int(w) * v for w, v in zip(weights, values, strict=True))


def _truncated(number: int, divisor: int) -> int:
    return number // divisor if number >= 0 else -(-number // divisor)
