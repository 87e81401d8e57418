"""Briefings: a move and what is known of it, as a writer gets it, and the file that keeps them.

The file holds what engine, expert and oracle said, so that a prompt is the same on every
machine; the chapter on commentary makes it anew and compares. It holds no human comment.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import chess
import chess.engine

from chessgloss.engine import Analysis, Line
from chessgloss.facts import Facts, gather
from chessgloss.facts.verdict import Verdict, weigh
from chessgloss.positions import MoveInContext, Position
from chessgloss.priorities import ConceptChange


class BriefingError(ValueError):
    """A file of briefings that is damaged, or lacks a move."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """A move and what is known of it.

    Parameters
    ----------
    name
        What the move is called (see :class:`chessgloss.commentary.selection.EvaluatedMove`).
    move
        The move.
    before, after
        The engine's analyses of the positions around it.
    concepts
        The 21 concepts by rank, as the expert shows them.
    oracle
        The same as Stockfish 8 says: its own changes, ranked by size.
    noticed
        Concepts fitted on facts (fork, pin, ...) that the move seems to bring about or to
        end, as the expert shows them; changes in margins.
    """

    name: str
    move: MoveInContext
    before: Analysis
    after: Analysis
    concepts: tuple[ConceptChange, ...] = ()
    oracle: tuple[ConceptChange, ...] = ()
    noticed: tuple[ConceptChange, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The engine's verdict on the move."""
        return weigh(self.move, self.before, self.after)

    def facts(self) -> Facts:
        """Return the facts of the move, those of the engine among them."""
        return gather(self.move, self.verdict)


def write_briefings(path: Path, briefings: Iterable[Briefing], about: Mapping[str, str]) -> None:
    """Write briefings into a JSON file, one move a line below a line that says what made them."""
    rows = [dict(about), *map(_row, briefings)]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def read_briefings(path: Path) -> dict[str, Briefing]:
    """Read the briefings of a file, by name.

    Raises
    ------
    BriefingError
        If the file is missing or no such file; the message says what makes it.
    """
    try:
        _, *rows = json.loads(path.read_text(encoding="utf-8"))
        found = [_briefing(row) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BriefingError(
            f"{path} is no file of briefings ({error}); make it with: "
            "python -m chessgloss.brief_moves"
        ) from error
    return {one.name: one for one in found}


def _row(briefing: Briefing) -> dict[str, Any]:
    position = briefing.move.position
    return {
        "name": briefing.name,
        "fen": position.fen,
        "root": position.root,
        "moves": " ".join(position.moves),
        "move": briefing.move.uci,
        "before": _analysis_row(briefing.before),
        "after": _analysis_row(briefing.after),
        "concepts": _concept_rows(briefing.concepts),
        "oracle": _concept_rows(briefing.oracle),
        "noticed": _concept_rows(briefing.noticed),
    }


def _analysis_row(analysis: Analysis) -> dict[str, Any]:
    lines = [[_score_text(line.score), line.depth, " ".join(line.moves)] for line in analysis.lines]
    return {"engine": analysis.engine, "nodes": analysis.nodes, "lines": lines}


def _concept_rows(concepts: Sequence[ConceptChange]) -> list[list[Any]]:
    rows = (asdict(one) for one in concepts)
    keep = ("concept", "side", "before", "after", "change")
    return [
        [round(row[key], 3) if isinstance(row[key], float) else row[key] for key in keep]
        for row in rows
    ]


def _briefing(row: Mapping[str, Any]) -> Briefing:
    start = Position(row["fen"], tuple(row["moves"].split()), row["root"])
    move = MoveInContext(start, row["move"])
    return Briefing(
        row["name"],
        move,
        _analysis(start, row["before"]),
        _analysis(move.after(), row["after"]),
        _concepts(row["concepts"]),
        _concepts(row["oracle"]),
        _concepts(row["noticed"]),
    )


def _analysis(position: Position, row: Mapping[str, Any]) -> Analysis:
    lines = tuple(
        Line(tuple(moves.split()), _score(text, position.turn), depth)
        for text, depth, moves in row["lines"]
    )
    return Analysis(position, lines, row["nodes"], row["engine"])


def _concepts(rows: Sequence[Sequence[Any]]) -> tuple[ConceptChange, ...]:
    return tuple(
        ConceptChange(concept, side, before, after, change, rank)
        for rank, (concept, side, before, after, change) in enumerate(rows, start=1)
    )


def _score_text(score: chess.engine.PovScore) -> str:
    """Return a score seen by the side to move: ``cp 31`` or ``mate -2``."""
    mate = score.relative.mate()
    return f"cp {score.relative.score()}" if mate is None else f"mate {mate}"


def _score(text: str, turn: chess.Color) -> chess.engine.PovScore:
    kind, number = text.split()
    score = chess.engine.Mate(int(number)) if kind == "mate" else chess.engine.Cp(int(number))
    return chess.engine.PovScore(score, turn)
