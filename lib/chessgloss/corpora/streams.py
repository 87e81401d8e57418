"""Lines of large files, compressed or not, never unpacked whole."""

from __future__ import annotations

import bz2
import gzip
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
    """Yield the lines of a ``.zst``, ``.gz``, ``.bz2`` or plain file, with their line ends.

    Raises
    ------
    TruncatedFileError
        After the last whole line, if a compressed file is cut off.
    ValueError
        If the file is not in the format its name says.
    """
    with path.open("rb") as file:
        try:
            yield from _split(_CHUNKS.get(path.suffix, _plain)(file))
        except EOFError as error:
            raise TruncatedFileError(
                f"{path} is cut off: {error}; fetch it again to read the rest"
            ) from None
        except (zstandard.ZstdError, gzip.BadGzipFile) as error:
            raise ValueError(f"{path} is not a sound {path.suffix} file: {error}") from None


def _split(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Cut chunks into lines; what follows the last line end is a line if the data end well."""
    rest = b""
    for chunk in chunks:
        whole, found, rest_of_chunk = chunk.rpartition(b"\n")
        if found:
            yield from io.BytesIO(rest + whole + b"\n")
            rest = rest_of_chunk
        else:
            rest += chunk
    if rest:
        yield rest


def _plain(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _zst(file: BinaryIO) -> Iterator[bytes]:
    """Unpack frame by frame: Lichess's files hold many, and empty ones between them."""
    unpacker = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    decoder = unpacker.decompressobj()
    open_frame = False
    while data := file.read(CHUNK):
        while data:
            yield decoder.decompress(data)
            open_frame = not decoder.eof
            data = decoder.unused_data
            if decoder.eof:
                decoder = unpacker.decompressobj()
    if open_frame:
        raise EOFError("the last zstd frame is not complete")


def _gz(file: BinaryIO) -> Iterator[bytes]:
    with gzip.open(file) as unpacked:
        while chunk := unpacked.read(CHUNK):
            yield chunk


def _bz2(file: BinaryIO) -> Iterator[bytes]:
    with bz2.open(file) as unpacked:
        while chunk := unpacked.read(CHUNK):
            yield chunk


_CHUNKS = {".zst": _zst, ".gz": _gz, ".bz2": _bz2}
