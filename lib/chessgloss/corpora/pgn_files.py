"""PGN collections of any size, compressed or not: Millionbase, Lichess's months, your own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from chessgloss.corpora import streams
from chessgloss.pgn import PgnEntry, read_pgn_lines, to_game
from chessgloss.positions import Game


def read_collection(path: Path, *, strict: bool = False) -> Iterator[PgnEntry]:
    """Stream the entries of a ``.pgn``, ``.pgn.zst``, ``.pgn.gz`` or ``.pgn.bz2`` file.

    Raises
    ------
    chessgloss.corpora.streams.TruncatedFileError
        After the last whole line of a file that is cut off.
    chessgloss.pgn.PgnError
        As :func:`chessgloss.pgn.read_pgn` does.
    """
    yield from read_pgn_lines(streams.lines(path), name=str(path), strict=strict)


def games(path: Path) -> Iterator[Game]:
    """Stream the main lines of the good games of a collection."""
    for entry in read_collection(path):
        if entry.game is not None:
            yield to_game(entry.game)
