"""Lines of large files, compressed by zstd or plain, never unpacked whole."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import zstandard

#: Bytes read from the disk at a time.
CHUNK = 1 << 20

#: Largest zstd window accepted, in bytes; files packed with ``--long=31`` need this much.
MAX_WINDOW = 1 << 31


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A line that could not be read.

    Parameters
    ----------
    line
        Its number in the unpacked file, from 1.
    reason
        What is wrong with it.
    """

    line: int
    reason: str


class TruncatedFileError(EOFError):
    """A compressed file that ends before its last frame does."""


def lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a ``.zst`` or plain file, with their line ends.

    Raises
    ------
    TruncatedFileError
        After the last whole line, if a compressed file is cut off.
    ValueError
        If a ``.zst`` file is not in that format.
    """
    rest = b""
    with path.open("rb") as file:
        for chunk in _unpacked(file, path) if path.suffix == ".zst" else _chunks(file):
            whole, end, last = chunk.rpartition(b"\n")
            if end:
                yield from io.BytesIO(rest + whole + end)
                rest = last
            else:
                rest += chunk
    if rest:
        yield rest


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _unpacked(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """Unpack frame by frame: Lichess's files hold many, and empty ones between them."""
    unpacker = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    decoder = unpacker.decompressobj()
    open_frame = False
    try:
        for data in _chunks(file):
            while data:
                yield decoder.decompress(data)
                open_frame = not decoder.eof
                data = decoder.unused_data
                if decoder.eof:
                    decoder = unpacker.decompressobj()
    except zstandard.ZstdError as error:
        raise ValueError(f"{path} is not a sound .zst file: {error}") from None
    if open_frame:
        raise TruncatedFileError(f"{path} is cut off in its last zstd frame; fetch it again")
