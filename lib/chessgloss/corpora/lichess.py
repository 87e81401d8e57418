"""Lichess's rated puzzles, streamed from their ``.zst`` file (https://database.lichess.org, CC0).

A damaged line is handed out as a :class:`~chessgloss.corpora.streams.DamagedLine` with its
number and the rest is read on. Lichess's evaluated positions are labelled as a stream by
:func:`chessgloss.bulk.label_stream`.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from chessgloss.corpora import streams
from chessgloss.corpora.streams import DamagedLine
from chessgloss.positions import MoveInContext, Position, repair_fen

_HEAD = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags"
#: Columns of the puzzle file, as its first line names them; older files lack the last one.
PUZZLE_COLUMNS = tuple(_HEAD.split(","))


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle: Lichess's id, and the position to solve, after the move that sets the puzzle."""

    name: str
    position: Position


def read_puzzles(path: Path, themes: Collection[str] = ()) -> Iterator[Puzzle | DamagedLine]:
    """Stream a ``lichess_db_puzzle.csv.zst``; with ``themes``, those puzzles that have all.

    Raises
    ------
    ValueError
        If the first line does not name the columns that the database has.
    chessgloss.corpora.streams.TruncatedFileError
        After the last whole line, if the file is cut off.
    """
    wanted, lines = frozenset(themes), streams.lines(path)
    columns = next(csv.reader([next(lines, b"").decode("utf-8").strip()]), [])
    if missing := set(PUZZLE_COLUMNS[:-1]) - set(columns):
        raise ValueError(f"{path} lacks the columns {', '.join(sorted(missing))}; found {columns}")
    for number, line in enumerate(lines, start=2):
        try:
            cells = next(csv.reader([line.decode("utf-8").strip()], strict=True), [])
            if cells:
                row = dict(zip(columns, cells, strict=True))
                if wanted.issubset(row["Themes"].split()):
                    before, (move, *_) = repair_fen(row["FEN"]).position, row["Moves"].split(" ")
                    yield Puzzle(row["PuzzleId"], MoveInContext(before, move).after())
        except (ValueError, csv.Error) as error:
            yield DamagedLine(number, str(error))
