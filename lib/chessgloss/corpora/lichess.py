"""Lichess's open databases: positions with Stockfish evaluations, and rated puzzles.

Both are streamed from their ``.zst`` files (https://database.lichess.org, CC0). A damaged
line is handed out as a :class:`DamagedLine` with its number and the rest is read on.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.engine

from chessgloss.corpora import streams
from chessgloss.corpora.streams import DamagedLine
from chessgloss.positions import MoveInContext, Position, Split, repair_fen, split_of

#: Columns of the puzzle file, as its first line names them.
PUZZLE_COLUMNS = (
    "PuzzleId",
    "FEN",
    "Moves",
    "Rating",
    "RatingDeviation",
    "Popularity",
    "NbPlays",
    "Themes",
    "GameUrl",
    "OpeningTags",
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A position and the best evaluation that Lichess holds of it.

    Parameters
    ----------
    position
        The position; Lichess gives no history and no game.
    score
        The evaluation. Lichess prints it for White; it is stored so.
    moves
        The principal variation as UCI moves; castling is written ``e1g1``.
    depth
        Depth of the search, in plies.
    knodes
        Thousands of nodes searched.
    repairs
        What was filled in or mended in the FEN (Lichess leaves out the counters).
    """

    position: Position
    score: chess.engine.PovScore
    moves: tuple[str, ...]
    depth: int
    knodes: int
    repairs: tuple[str, ...]

    @property
    def split(self) -> Split:
        """Part of the one split, by the position's hash: there is no game to split by."""
        return split_of(self.position.fen)


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle: the position to solve and its only good line.

    Parameters
    ----------
    name
        Lichess's id of the puzzle.
    position
        The position to solve, after the opponent's move that sets the puzzle.
    solution
        UCI moves, the solver's first, the two sides in turn.
    rating
        Glicko-2 rating of the puzzle.
    themes
        Lichess's tags, such as ``mateIn1``.
    game
        Address of the game that it comes from.
    """

    name: str
    position: Position
    solution: tuple[str, ...]
    rating: int
    themes: frozenset[str]
    game: str

    @property
    def first(self) -> MoveInContext:
        """The move to find."""
        return MoveInContext(self.position, self.solution[0])


def read_evaluations(path: Path) -> Iterator[Evaluation | DamagedLine]:
    """Stream a ``lichess_db_eval.jsonl.zst``; of several evaluations the deepest is taken.

    Raises
    ------
    chessgloss.corpora.streams.TruncatedFileError
        After the last whole line, if the file is cut off.
    """
    for number, line in enumerate(streams.lines(path), start=1):
        if line.strip():
            try:
                yield _evaluation(json.loads(line))
            except (ValueError, KeyError, TypeError, IndexError) as error:
                yield DamagedLine(number, _reason(error))


def read_puzzles(path: Path, themes: Collection[str] = ()) -> Iterator[Puzzle | DamagedLine]:
    """Stream a ``lichess_db_puzzle.csv.zst``; with ``themes``, those puzzles that have all.

    Raises
    ------
    ValueError
        If the first line does not name the columns that the database has.
    chessgloss.corpora.streams.TruncatedFileError
        After the last whole line, if the file is cut off.
    """
    wanted = frozenset(themes)
    columns: list[str] | None = None
    for number, line in enumerate(streams.lines(path), start=1):
        try:
            cells = next(csv.reader([line.decode("utf-8").strip()], strict=True), [])
            if columns is None:
                columns = _columns(cells, path)
            elif cells:
                row = dict(zip(columns, cells, strict=True))
                if wanted.issubset(row["Themes"].split()):
                    yield _puzzle(row)
        except (ValueError, KeyError, IndexError, csv.Error) as error:
            if columns is None:
                raise
            yield DamagedLine(number, _reason(error))


def _evaluation(row: Mapping[str, Any]) -> Evaluation:
    repaired = repair_fen(row["fen"])
    deepest = max(row["evals"], key=lambda entry: (int(entry["depth"]), int(entry["knodes"])))
    best = deepest["pvs"][0]
    board = repaired.position.board()
    return Evaluation(
        repaired.position,
        chess.engine.PovScore(_score(best), chess.WHITE),
        tuple(_moves(board, best["line"].split())),
        int(deepest["depth"]),
        int(deepest["knodes"]),
        repaired.repairs,
    )


def _score(variation: Mapping[str, Any]) -> chess.engine.Score:
    if "mate" in variation:
        return chess.engine.Mate(int(variation["mate"]))
    return chess.engine.Cp(int(variation["cp"]))


def _moves(board: chess.Board, line: list[str]) -> Iterator[str]:
    """Play UCI moves, castling in either notation (``e1h1`` or ``e1g1``), and yield them."""
    for uci in line:
        move = board.parse_uci(uci)
        board.push(move)
        yield move.uci()


def _columns(cells: list[str], path: Path) -> list[str]:
    missing = set(PUZZLE_COLUMNS) - {"OpeningTags"} - set(cells)
    if missing:
        raise ValueError(f"{path} lacks the columns {', '.join(sorted(missing))}; found {cells}")
    return cells


def _puzzle(row: Mapping[str, str]) -> Puzzle:
    before = repair_fen(row["FEN"]).position
    opponents, *solution = row["Moves"].split()
    position = MoveInContext(before, opponents).after()
    if not solution:
        raise ValueError("the puzzle has no solution")
    moves = tuple(_moves(position.board(), solution))
    themes = frozenset(row["Themes"].split())
    return Puzzle(row["PuzzleId"], position, moves, int(row["Rating"]), themes, row["GameUrl"])


def _reason(error: Exception) -> str:
    text = f"no {error}" if isinstance(error, KeyError) else str(error)
    return text or type(error).__name__
