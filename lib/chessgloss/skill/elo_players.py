"""Stockfish limited to an Elo, by its own scale, as it answered once.

``UCI_LimitStrength`` with ``UCI_Elo`` weakens Stockfish 15.1 by the same draw from the clock
as ``Skill Level``, with a fractional level made from the Elo. The authors fitted that scale at
long time controls against engines of the CCRL 40/4 list (``Skill`` in ``search.h``); at fixed
nodes, as here, it is a name for a strength rather than a rating.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
from tqdm import tqdm

from chessgloss.engine import Engine
from chessgloss.skill.answers import Answer
from chessgloss.skill.engine_players import COLUMNS, LevelsMissing, play_position, read_levels
from chessgloss.skill.players import Asked

#: Twelve strengths over the range that Stockfish 15.1 takes.
ELOS = (1350, 1490, 1620, 1760, 1900, 2030, 2170, 2310, 2440, 2580, 2720, 2850)

#: Those kept out of the fit: every third.
HELD_OUT = ELOS[1::3]

_COMMAND = "python -m chessgloss.skill.artefacts answers"


@dataclass(frozen=True, slots=True)
class EloPlayer:
    """Stockfish limited to an Elo, read from a file of answers.

    Parameters
    ----------
    elo
        ``UCI_Elo``, 1350 to 2850.
    path
        The file, written by :func:`record_elos`; its first column holds the Elo.
    """

    elo: int
    path: Path

    @property
    def name(self) -> str:
        """``stockfish_elo_1350``."""
        return f"stockfish_elo_{self.elo}"

    def choose(self, asked: Sequence[Asked]) -> list[Answer]:
        """Return the recorded move in each position.

        Raises
        ------
        LevelsMissing
            If a position has none.
        """
        kept = read_levels(self.path)
        keys = [(self.elo, one.name, one.position.fen) for one in asked]
        missing = [key[1] for key in keys if key not in kept]
        if missing:
            raise LevelsMissing(
                f"{len(missing)} of {len(keys)} positions, such as {missing[0]!r}, have no answer "
                f"at Elo {self.elo} in {self.path.name}; run `{_COMMAND}`"
            )
        moves = [chess.Move.from_uci(kept[key]) for key in keys]
        boards = [one.position.board() for one in asked]
        return [Answer.of(move, board) for move, board in zip(moves, boards, strict=True)]


def record_elos(
    asked: Sequence[Asked], path: Path, *, nodes: int, elos: Sequence[int] = ELOS
) -> int:
    """Let Stockfish answer at several Elos, append what is not there yet, return how many.

    Each answer is written as it comes, so that a run that is stopped goes on.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\t".join(COLUMNS) + "\n", encoding="utf-8")
    kept = read_levels(path)
    wanted = [(elo, one) for elo in elos for one in asked]
    todo = [(elo, one) for elo, one in wanted if (elo, one.name, one.position.fen) not in kept]
    if not todo:
        return 0
    with (
        Engine() as process,
        path.open("a", encoding="utf-8", newline="") as lines,
    ):
        writer = csv.writer(lines, delimiter="\t", lineterminator="\n")
        for elo, one in tqdm(todo, desc="Elo", unit="move"):
            uci = play_position(process, one.position, nodes=nodes, elo=elo)
            writer.writerow((elo, nodes, one.name, one.position.fen, uci))
            lines.flush()
    return len(todo)
