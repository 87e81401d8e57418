"""Anybody's games, from PGN or from a table, as games of the project: streamed, the bad ones named.

A file may be plain or packed (``.zst``, ``.gz``, ``.bz2``) and larger than memory. It holds PGN,
or a table as the optional asset of people's games has it: tab-separated, with the columns of
:data:`COLUMNS` in the first line and moves in UCI. Games of standard chess from the usual first
position are taken; names, dates and addresses are left out, ratings stand in place of the players.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, cast

import chess
import chess.pgn

from chessgloss import assets
from chessgloss.corpora.games import (
    MOST_IN_LINE,
    GamesFileError,
    TruncatedFileError,
    line_of,
    pack,
    stream_lines,
)
from chessgloss.corpora.pgn import PgnError, read_pgn
from chessgloss.positions import Game, Result, natural_end
from chessgloss.store import MOST_UNPACKED

#: Columns of a table of games, its first line.
COLUMNS = ("white_rating", "black_rating", "clock", "result", "ended", "moves")

#: Most bytes of one game in PGN, comments included.
MOST_IN_GAME = 1 << 20

_TAG = re.compile(rb'\[[A-Za-z0-9_]+\s+"')
_UNSAFE = re.compile(r"[^ -~]")


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
    """How many games were written, and how many were not taken."""

    written: int
    skipped: int


def read_anybody(path: Path) -> Iterator[Game | Skipped]:
    """Yield the games of a file in its order; in place of those that are not taken, why.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    chessgloss.corpora.games.GamesFileError
        If the file is damaged as a whole: not of its packing, UTF-16, an endless line.
    chessgloss.corpora.games.TruncatedFileError
        After the last whole line, if a packed file is cut off.
    """
    lines = _lines(path)
    first = next(lines, b"")
    whole = chain([first] if first else [], lines)
    header = first.removeprefix(codecs.BOM_UTF8).decode("latin-1").split()
    if tuple(header) == COLUMNS:
        yield from _games_of_table(islice(whole, 1, None))
        return
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise GamesFileError(f"{path} is UTF-16; save it as UTF-8")
    yield from _games_of_pgn(whole)


def people_games(most: int) -> list[Game]:
    """Return games of the optional asset of people's games; none on a machine without it.

    Parameters
    ----------
    most
        Games of the file that are looked at, from its first; those that are not taken are left out.

    Raises
    ------
    chessgloss.corpora.games.GamesFileError
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
        The file to write (:mod:`chessgloss.corpora.games`); a kill leaves none, or the old one.
    limit
        Most games to write.

    Raises
    ------
    chessgloss.corpora.games.GamesFileError
        If the games need more than :data:`chessgloss.store.MOST_UNPACKED` bytes, or none is taken;
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


# ---------------------------------------------------------------- lines


def _lines(path: Path) -> Iterator[bytes]:
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


# ---------------------------------------------------------------- PGN


def _games_of_pgn(lines: Iterable[bytes]) -> Iterator[Game | Skipped]:
    number = 0
    for first, text in _texts(lines):
        if len(text) > MOST_IN_GAME:
            number += 1
            yield Skipped(number, first, f"over {MOST_IN_GAME:,} bytes in one game")
            continue
        try:
            for read in read_pgn(text):
                number += 1
                line = first + read.line - 1
                problem = read.problem or read.unplayed or _unusual(read.game)
                yield Skipped(number, line, problem) if problem else _game_of(read.game)
        except PgnError as error:
            number += 1
            yield Skipped(number, first, str(error))


def _texts(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the number of the first line and the text of each game: headers, then moves.

    What is past :data:`MOST_IN_GAME` is passed over.
    """
    text: list[bytes] = []
    size = 0
    first = 1
    moves = False
    for number, line in enumerate(lines, start=1):
        tag = _TAG.match(line.removeprefix(codecs.BOM_UTF8))
        if tag and moves:
            yield first, b"".join(text)
            text = []
            size = 0
            first = number
            moves = False
        if not tag and line.strip():
            moves = True
        if size <= MOST_IN_GAME:
            text.append(line)
        size += len(line)
    if any(map(bytes.strip, text)):
        yield first, b"".join(text)


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


# ---------------------------------------------------------------- tables


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
