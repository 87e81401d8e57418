"""The file that keeps games, and lines of files of any size.

A file holds one game a line, tab-separated (series number, White, Black, result,
termination, opening plies, UCI moves), under zstd. ``data/games/play.py`` plays the
committed ones. :func:`stream_lines` reads larger files, compressed or plain, never unpacked whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import cast

from chessgloss.assets import needs
from chessgloss.positions import Game, Result
from chessgloss.positions import natural_end as natural_end
from chessgloss.store import read_zstd

#: Compression level; 19 is zstd's strongest that a default reader's memory allows.
ZSTD_LEVEL = 19

#: Bytes read from the disk at a time; of a packed file, where they may become 32,768 times as many.
CHUNK = 1 << 20
PACKED_CHUNK = 1 << 9

#: Most bytes in a line; those of Lichess's files have some thousand.
MOST_IN_LINE = 1 << 20

#: Largest zstd window accepted, in bytes; files packed with ``--long=31`` need this much.
MAX_WINDOW = 1 << 31


class GamesFileError(ValueError):
    """A packed file that is cut off, or a games file that is not in its form."""


def pack(lines: Iterable[str], target: Path) -> Path:
    """Compress lines into ``target``, atomically."""
    import zstandard

    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_suffix(".part")
    text = "".join(lines).encode("ascii")
    aside.write_bytes(zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(text))
    return aside.rename(target)


def unpack(path: Path) -> list[str]:
    """Return the lines of a file that :func:`pack` wrote.

    Raises
    ------
    GamesFileError
        If the file is cut off, damaged or too large (:data:`chessgloss.store.MOST_UNPACKED`).
    """
    try:
        return read_zstd(path, GamesFileError).decode("ascii").splitlines()
    except UnicodeDecodeError as error:
        raise GamesFileError(f"{path.name} is damaged: {error}") from None


def read_games(path: Path, limit: int | None = None) -> Iterator[Game]:
    """Yield the games of a file in its order, at most ``limit`` of them.

    Raises
    ------
    GamesFileError
        At the first line that is not a game, named by its number, or when the file is
        cut off.
    """
    for number, line in enumerate(unpack(path)[:limit], start=1):
        try:
            _, white, black, result, end, opening, moves = line.split("\t")
            played = tuple(moves.split(" "))
            yield Game(played, cast(Result, result), white, black, end, int(opening))
        except ValueError as error:
            raise GamesFileError(
                f"{path.name}, line {number} is not a game: {error}"
            ) from None


def of_split(games: Iterable[Game], split: str) -> list[Game]:
    """Return the games that the one split by game puts into ``split``, in order."""
    return [game for game in games if game.split == split]


def line_of(number: int, game: Game) -> str:
    """Return a game as a line of the file."""
    players = (game.white, game.black)
    end = (game.result, game.termination, game.opening_plies)
    return "\t".join(map(str, (number, *players, *end, " ".join(game.moves)))) + "\n"


class TruncatedFileError(EOFError):
    """A compressed file that ends before its last frame does."""


def stream_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a ``.zst`` or plain file, with their line ends.

    Raises
    ------
    TruncatedFileError
        After the last whole line, if a compressed file is cut off.
    GamesFileError
        If a ``.zst`` file is not in that format, or a line has more than :data:`MOST_IN_LINE`.
    """
    rest = b""
    with path.open("rb") as file:
        packed = path.suffix == ".zst"
        chunks = iter(partial(file.read, PACKED_CHUNK if packed else CHUNK), b"")
        for chunk in _unpacked(chunks, path) if packed else chunks:
            *whole, rest = (rest + chunk).split(b"\n")
            if max(map(len, (*whole, rest))) > MOST_IN_LINE:
                raise GamesFileError(
                    f"{path}: a line of over {MOST_IN_LINE:,} bytes; is it whole?"
                )
            yield from (line + b"\n" for line in whole)
    if rest:
        yield rest


def _unpacked(chunks: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """Unpack frame by frame: Lichess's files hold many, and empty ones between them."""
    needs("zstandard")
    import zstandard

    unpacker = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    decoder = unpacker.decompressobj()
    within = False
    try:
        for data in chunks:
            while data:
                yield decoder.decompress(data)
                data = decoder.unused_data
                within = not decoder.eof
                if not within:
                    decoder = unpacker.decompressobj()
    except zstandard.ZstdError as error:
        raise GamesFileError(f"{path} is not a sound .zst file: {error}") from None
    if within:
        raise TruncatedFileError(
            f"{path} is cut off in its last zstd frame; fetch it again"
        )
