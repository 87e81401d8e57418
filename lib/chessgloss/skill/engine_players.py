"""Players that ask an engine or its network: nodes, Stockfish's Skill Level, one ply of NNUE.

Stockfish's ``Skill Level`` draws its mistakes from the clock, so that what it played once
must be kept: a file of answers, made by :func:`record_levels`, is what such a player reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import chess
import numpy as np
from tqdm import tqdm

from chessgloss.engine import Analysis, Engine, EngineFailed, analyse_many
from chessgloss.positions import Position
from chessgloss.skill.answers import Answer
from chessgloss.skill.players import Asked

if TYPE_CHECKING:
    from chessgloss.experts import Expert

#: Columns of a file of answers by level; UCI moves.
COLUMNS: Final = ("level", "nodes", "name", "fen", "uci")

#: Stockfish's strongest Skill Level, at which it makes no mistake on purpose.
STRONGEST: Final = 20


class LevelsMissing(RuntimeError):
    """A position has no recorded answer of a Skill Level."""


@dataclass(frozen=True, slots=True)
class StockfishPlayer:
    """Stockfish with a fixed number of nodes and an empty hash table for each position.

    Parameters
    ----------
    nodes
        Nodes to search; 1 is as little as the engine can be told.
    processes
        Engine processes; the answers do not depend on their number.
    """

    nodes: int
    processes: int = 1

    def __post_init__(self) -> None:
        if self.nodes < 1 or self.processes < 1:
            raise ValueError(f"nodes and processes must be positive, got {self}")

    @property
    def name(self) -> str:
        """``stockfish_1_node``, ``stockfish_1000_nodes``."""
        return f"stockfish_{self.nodes}_node{'s' if self.nodes > 1 else ''}"

    def choose(self, asked: Sequence[Asked]) -> list[Answer]:
        """Return the first move of the best line in each position.

        A position on which the engine fails twice gets an ``error``, and so does one in
        which the game is over. A missing engine raises, as it can answer nothing.
        """
        positions = [one.position for one in asked]
        try:
            found: Sequence[Analysis | str] = analyse_many(
                positions, nodes=self.nodes, processes=self.processes, progress=False
            )
        except EngineFailed:
            found = self._one_by_one(asked)
        return [_first_move(*pair) for pair in zip(asked, found, strict=True)]

    def _one_by_one(self, asked: Sequence[Asked]) -> list[Analysis | str]:
        found: list[Analysis | str] = []
        for one in asked:
            try:
                with Engine() as engine:
                    found.append(engine.analyse(one.position, nodes=self.nodes))
            except EngineFailed as error:
                found.append(str(error))
        return found


@dataclass(frozen=True, slots=True)
class NnuePlayer:
    """Plays the move after which Stockfish's network likes its own side best.

    The network alone decides, at a depth of one ply: no search, and no knowledge of mate or
    stalemate, which the network was never shown. Of equal moves the first in UCI is taken.

    Parameters
    ----------
    expert
        A network with evaluations for White (see :func:`chessgloss.experts.load_expert`).
    name
        What to call it.
    """

    expert: Expert = field(repr=False)
    name: str = "nnue_one_ply"

    def choose(self, asked: Sequence[Asked]) -> list[Answer]:
        """Return the best move by the network in each position, all in one batch."""
        boards = [one.position.board() for one in asked]
        moves = [sorted(board.legal_moves, key=chess.Move.uci) for board in boards]
        fens = [_fen_after(b, move) for b, each in zip(boards, moves, strict=True) for move in each]
        values = iter(self.expert.evaluate(fens).tolist() if fens else [])
        rows = [[next(values) for _ in each] for each in moves]
        return [_likeliest(*three) for three in zip(boards, moves, rows, strict=True)]


@dataclass(frozen=True, slots=True)
class LevelPlayer:
    """Stockfish at a Skill Level, as it answered once.

    Parameters
    ----------
    level
        Skill Level, 0 to 20.
    path
        The file of answers, written by :func:`record_levels`.
    """

    level: int
    path: Path

    @property
    def name(self) -> str:
        """``stockfish_05`` ... ``stockfish_20``."""
        return f"stockfish_{self.level:02d}"

    def choose(self, asked: Sequence[Asked]) -> list[Answer]:
        """Return the recorded move in each position.

        Raises
        ------
        LevelsMissing
            If a position has none, which is no answer of the player's but a file to be made.
        """
        kept = read_levels(self.path)
        keys = [(self.level, one.name, one.position.fen) for one in asked]
        missing = [key for key in keys if key not in kept]
        if missing:
            raise LevelsMissing(
                f"{len(missing)} of {len(keys)} positions, such as {missing[0][1]!r}, have no "
                f"answer of Skill Level {self.level} in {self.path}; make it with record_levels"
            )
        moves = (chess.Move.from_uci(kept[key]) for key in keys)
        return [
            Answer.of(move, one.position.board()) for move, one in zip(moves, asked, strict=True)
        ]


def record_levels(
    asked: Sequence[Asked],
    levels: Iterable[int],
    path: Path,
    *,
    nodes: int,
    engine: Path | None = None,
    progress: bool = True,
) -> int:
    """Let Stockfish answer at several Skill Levels and keep what is not there yet.

    The answers come from a draw by the engine's clock: a second run into another file gives
    others. Each is appended as it comes, so that a run that is stopped goes on.

    Parameters
    ----------
    asked
        The positions.
    levels
        Skill Levels, 0 to 20.
    path
        The file (``.tsv``) to make or to go on with.
    nodes
        Nodes of each search, one thread.
    engine
        Stockfish; found by itself if not given.

    Returns
    -------
    int
        The answers added.

    Raises
    ------
    ValueError
        If a level is none, or the number of nodes is not positive.
    """
    wanted = [(level, one) for level in levels for one in asked]
    wrong = sorted({level for level, _ in wanted if not 0 <= level <= STRONGEST})
    if wrong or nodes < 1:
        raise ValueError(f"levels are 0 to {STRONGEST} and nodes positive, got {wrong}, {nodes=}")
    kept = read_levels(path) if path.exists() else {}
    todo = [(at, one) for at, one in wanted if (at, one.name, one.position.fen) not in kept]
    if not todo:
        return 0
    _mend(path)
    with Engine(engine) as process:
        for level, one in tqdm(todo, desc="levels", unit="move", disable=not progress):
            uci = play_position(process, one.position, nodes=nodes, level=level)
            _append(path, (str(level), str(nodes), one.name, one.position.fen, uci))
    return len(todo)


def read_levels(path: Path) -> Mapping[tuple[int, str, str], str]:
    """Return the UCI moves of a file of answers by level, name and FEN of the position.

    Raises
    ------
    LevelsMissing
        If there is no such file.
    ValueError
        If a line is not in its form, named by its number. A last line without an end is
        what a stopped run leaves; it is passed over.
    """
    if not path.is_file():
        raise LevelsMissing(f"there is no file of answers {path}; make it with record_levels")
    head, *lines = _whole_lines(path) or [""]
    if tuple(head.split("\t")) != COLUMNS:
        raise ValueError(f"{path.name} must begin with the columns {', '.join(COLUMNS)}")
    rows: dict[tuple[int, str, str], str] = {}
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != len(COLUMNS) or not cells[0].isdigit():
            raise ValueError(f"{path.name}, line {number}: no answer of a level: {line!r}")
        rows.setdefault((int(cells[0]), cells[2], cells[3]), cells[4])
    return rows


def play_position(engine: Engine, position: Position, **limits: int) -> str:
    """Return the UCI move that an engine plays in a position, from an empty hash table."""
    engine.new_game()
    root = position.root if position.moves else position.fen
    return engine.play(position.moves, root=root, **limits).replace("(none)", "0000")


def _whole_lines(path: Path) -> list[str]:
    """Return the lines that were written to their end."""
    text = path.read_text(encoding="utf-8")
    return text[: text.rfind("\n") + 1].splitlines()


def _mend(path: Path) -> None:
    """Cut off what a stopped run left of its last line; begin the file if there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (path.exists() and _whole_lines(path)) or ["\t".join(COLUMNS)]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def _append(path: Path, cells: Sequence[str]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("\t".join(cells) + "\n")


def _first_move(asked: Asked, found: Analysis | str) -> Answer:
    if isinstance(found, str):
        return Answer.failed(found)
    if not found.lines:
        return Answer.failed("the game is over")
    move = chess.Move.from_uci(found.lines[0].moves[0])
    return Answer.of(move, asked.position.board())


def _fen_after(board: chess.Board, move: chess.Move) -> str:
    board.push(move)
    try:
        return board.fen()
    finally:
        board.pop()


def _likeliest(board: chess.Board, moves: list[chess.Move], white: list[float]) -> Answer:
    if not moves:
        return Answer.failed("the game is over")
    sign = 1 if board.turn else -1
    return Answer.of(moves[int(np.argmax(sign * np.array(white)))], board)
