"""The project's file of games, and anybody's files read into the same records.

The project's file holds one game a line, tab-separated (series number, White, Black, result,
termination, opening plies, UCI moves), under zstd. ``data/games/play.py`` plays the committed ones.

Anybody's file (:func:`read_anybody`) may be plain or packed (``.zst``, ``.gz``, ``.bz2``) and
larger than memory. It holds PGN (:mod:`chessgloss.corpora.pgn`), or a table as the optional asset
of people's games has it: tab-separated, with the columns of :data:`COLUMNS` in the first line and
moves in UCI. Games of standard chess from the usual first position are taken; names, dates and
addresses are left out, ratings stand in place of the players.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, cast

import chess
import chess.pgn

from chessgloss import assets
from chessgloss.corpora.pgn import PACKED, read_pgn
from chessgloss.positions import Game, Result, natural_end
from chessgloss.store import MOST_UNPACKED, read_zstd, write_file

#: Columns of a table of games, its first line.
COLUMNS = ("white_rating", "black_rating", "clock", "result", "ended", "moves")
_UNSAFE = re.compile(r"[^ -~]")

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
    """Compress lines into ``target``, as :func:`chessgloss.store.write_file` writes."""
    import zstandard

    text = "".join(lines).encode("ascii")
    packer = zstandard.ZstdCompressor(level=ZSTD_LEVEL)
    return write_file(target, packer.compress(text))


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
    assets.needs("zstandard")
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


def lines_of(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, plain or packed, as :func:`stream_lines` does."""
    if path.suffix == ".gz":
        return _unpacked_lines(path, gzip.open)
    if path.suffix == ".bz2":
        return _unpacked_lines(path, bz2.open)
    return stream_lines(path)


def _unpacked_lines(path: Path, unpacked: Callable[..., Any]) -> Iterator[bytes]:
    with unpacked(path, "rb") as file:
        try:
            while line := file.readline(MOST_IN_LINE + 1):
                if len(line) > MOST_IN_LINE:
                    raise GamesFileError(
                        f"{path}: a line of over {MOST_IN_LINE:,} bytes; is it whole?"
                    )
                yield line
        except EOFError:
            raise TruncatedFileError(f"{path} is cut off; fetch it again") from None
        except OSError as error:
            raise GamesFileError(f"{path} is damaged: {error}") from None


# ---------------------------------------------------------------- anybody's games


class Skipped(NamedTuple):
    """A game that is not taken.

    Parameters
    ----------
    number
        Its place in the file, from 1.
    line
        Number of its first line, from 1.
    reason
        Why it is not taken.
    """

    number: int
    line: int
    reason: str


class Converted(NamedTuple):
    """The numbers of games that were written and that were not taken."""

    written: int
    skipped: int


def read_anybody(path: Path) -> Iterator[Game | Skipped]:
    """Yield the games of a file in its order; in place of those that are not taken, why.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    GamesFileError
        If the file is damaged as a whole: not of its packing, an endless line.
    TruncatedFileError
        After the last whole line, if a packed file is cut off.
    """
    lines = lines_of(path)
    first = next(lines, b"")
    header = first.removeprefix(codecs.BOM_UTF8).decode("latin-1").split()
    if tuple(header) == COLUMNS:
        yield from _games_of_table(lines)
        return
    packed = path.suffix in PACKED
    for read in read_pgn(chain([first], lines) if packed else path):
        problem = read.problem or read.unplayed or _unusual(read.game)
        if problem:
            yield Skipped(read.number, read.line, problem)
        else:
            yield _game_of(read.game)


def people_games(most: int) -> list[Game]:
    """Return games of the optional asset of people's games; none on a machine without it.

    Parameters
    ----------
    most
        Games of the file that are looked at, from its first; those that are not taken are left out.

    Raises
    ------
    GamesFileError
        As :func:`read_anybody`.
    """
    try:
        path = assets.locate("games", fetch=False)
    except assets.AssetMissing:
        return []
    first_games = islice(read_anybody(path), most)
    return [game for game in first_games if isinstance(game, Game)]


def convert(
    source: Path, target: Path, limit: int | None = None
) -> Iterator[Skipped | Converted]:
    """Write a file's games in the project's form, atomically; yield what is skipped, then counts.

    Parameters
    ----------
    source
        A file for :func:`read_anybody`.
    target
        The file to write (:func:`pack`); a kill leaves none, or the old one.
    limit
        Most games to write.

    Raises
    ------
    GamesFileError
        If the games need more than :data:`.store.MOST_UNPACKED` bytes, or none is taken;
        and as :func:`read_anybody`.
    """
    written: list[str] = []
    size = 0
    skipped = 0
    for game in read_anybody(source):
        if len(written) == limit:
            break
        if isinstance(game, Skipped):
            skipped += 1
            yield game
            continue
        written.append(line_of(len(written), game))
        size += len(written[-1])
        if size > MOST_UNPACKED:
            raise GamesFileError(
                f"{source} holds more games than one file may; say --limit {len(written) - 1}"
            )
    if not written:
        raise GamesFileError(f"{source} holds no game of standard chess")
    pack(written, target)
    yield Converted(len(written), skipped)


def _unusual(game: chess.pgn.Game) -> str:
    """Say why a sound game is not taken; empty if it is."""
    if game.board().fen() != chess.STARTING_FEN:
        return "begins from a set-up position"
    if game.headers.get("Result", "*") not in ("1-0", "0-1", "1/2-1/2", "*"):
        return f"result {game.headers['Result']!r}"
    return ""


def _game_of(game: chess.pgn.Game) -> Game:
    headers = game.headers
    moves = tuple(move.uci() for move in game.mainline_moves())
    end = headers.get("Termination", "")
    if not end:
        natural = natural_end(game.end().board())
        end = natural[1] if natural else "unknown"
    return Game(
        moves,
        cast(Result, headers.get("Result", "*")),
        _plain(headers.get("WhiteElo", "?")),
        _plain(headers.get("BlackElo", "?")),
        _plain(end),
    )


def _plain(text: str) -> str:
    return _UNSAFE.sub("?", text).strip() or "?"


def _games_of_table(lines: Iterable[bytes]) -> Iterator[Game | Skipped]:
    for number, line in enumerate(lines, start=1):
        try:
            yield _game_of_row(line.decode("latin-1").rstrip("\r\n"))
        except ValueError as error:
            yield Skipped(number, number + 1, str(error))


def _game_of_row(row: str) -> Game:
    cells = row.split("\t")
    if len(cells) != len(COLUMNS):
        raise ValueError(f"{len(cells)} columns, expected {len(COLUMNS)}")
    white, black, _, result, end, written = cells
    moves = tuple(written.split(" "))
    board = chess.Board()
    for uci in moves:
        board.push(board.parse_uci(uci))
    return Game(moves, cast(Result, result), _plain(white), _plain(black), _plain(end))
