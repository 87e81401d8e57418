"""Small opening books in Polyglot's format."""

import struct
from collections.abc import Sequence
from pathlib import Path

import chess.polyglot


def write_book(path: Path, *lines: Sequence[tuple[str, int]]) -> Path:
    """Write a book of lines from the start: moves in UCI, each with its weight."""
    entries = set()
    for line in lines:
        board = chess.Board()
        for move, weight in (
            (chess.Move.from_uci(uci), weight) for uci, weight in line
        ):
            raw = move.to_square | move.from_square << 6
            entries.add(
                struct.pack(">QHHI", chess.polyglot.zobrist_hash(board), raw, weight, 0)
            )
            board.push(move)
    path.write_bytes(b"".join(sorted(entries)))
    return path
