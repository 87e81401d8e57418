"""A bare UCI session for many short searches with fixed nodes.

python-chess's engine interface (see :mod:`chessgloss.stockfish`) parses every depth of
every search; at a few hundred nodes a move that costs more than the search itself. This
session reads the last depth only. It serves self-play and the grading of whole games.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import chess

#: Centipawns that stand for mate in 0 when lines are compared (a mate in n is n less).
MATE = 10_000


@dataclass(frozen=True, slots=True)
class Scored:
    """The first move of a line and its value in centipawns for the side to move."""

    move: chess.Move
    centipawns: int


class Searcher:
    """One engine process with one thread and a small hash table.

    Use as a context manager; the process is ended on leaving, whatever happened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = subprocess.Popen(
            [str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._lines = 1
        self._send("uci", "setoption name Threads value 1", "setoption name Hash value 2")
        self._ready()

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def new_game(self) -> None:
        """Forget everything learnt in earlier games."""
        self._send("ucinewgame")
        self._ready()

    def search(
        self, moves: Sequence[str], *, nodes: int, lines: int = 1, root: str = chess.STARTING_FEN
    ) -> list[Scored]:
        """Return up to ``lines`` first moves with their values, best first.

        Parameters
        ----------
        moves
            UCI moves from ``root`` to the position searched, so that repetitions count.
        nodes
            Nodes to search.
        lines
            MultiPV lines wanted.
        root
            FEN from which ``moves`` starts.

        Returns
        -------
        list of Scored
            Values in centipawns for the side to move; empty when the game is over.

        Raises
        ------
        RuntimeError
            If the engine ends before it answers.
        """
        if lines != self._lines:
            self._send(f"setoption name MultiPV value {lines}")
            self._lines = lines
        self._send(f"position fen {root} moves {' '.join(moves)}", f"go nodes {nodes}")
        return _last_depth(self._until("bestmove"))

    def _ready(self) -> None:
        self._send("isready")
        self._until("readyok")

    def _send(self, *commands: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(command + "\n" for command in commands))
        self._process.stdin.flush()

    def _until(self, word: str) -> list[str]:
        assert self._process.stdout is not None
        read: list[str] = []
        for line in self._process.stdout:
            if line.startswith(word):
                return read
            read.append(line)
        raise RuntimeError(f"the engine at {self._path} ended before it answered {word!r}")


def _last_depth(lines: list[str]) -> list[Scored]:
    """Read the deepest complete MultiPV table from a search's ``info`` lines."""
    table: dict[int, Scored] = {}
    for line in lines:
        words = line.split()
        if "pv" not in words or "lowerbound" in words or "upperbound" in words:
            continue
        rank = int(words[words.index("multipv") + 1])
        kind, value = words[words.index("score") + 1 : words.index("score") + 3]
        move = chess.Move.from_uci(words[words.index("pv") + 1])
        table[rank] = Scored(move, _centipawns(kind, int(value)))
    return sorted(table.values(), key=lambda scored: -scored.centipawns)


def _centipawns(kind: str, value: int) -> int:
    if kind == "cp":
        return value
    return MATE - value if value > 0 else -MATE - value
