"""What engine, expert and oracle say of the evaluated moves: asked, kept in a file, read again.

A prompt is the same on every machine because what fills it is kept; the chapter on commentary
makes it anew and compares. The file holds no human comment. ``data/commentary/brief.py`` writes
it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import chess
import chess.engine
import numpy as np
from numpy.typing import NDArray

from chessgloss.commentary.briefing import Briefing, after_pass
from chessgloss.commentary.moves import EvaluatedMove
from chessgloss.engine import analyse_many
from chessgloss.facts.change import Changes, ConceptChange, concept_and_side
from chessgloss.facts.replies import REPLIES, Refutation
from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import TERMS, Analysis, Line
from chessgloss.store import data_file

#: What is searched for each position, and how many lines before the move.
NODES, LINES = 200_000, 5


def briefings_file() -> Path:
    """Return where the briefings of the evaluated moves are."""
    return data_file("commentary/briefings.json")


def lectured_file() -> Path:
    """Return where the briefings of the other commented moves of the evaluated lectures are."""
    return data_file("commentary/lectured.json")


def released_file() -> Path:
    """Return where the briefings of the moves released with the CCC paper are."""
    return data_file("commentary/released.json")


def read_briefings(path: Path) -> dict[str, Briefing]:
    """Read the briefings of a file, by name.

    Raises
    ------
    ValueError
        If the file is missing or no such file; the message says what makes it.
    """
    try:
        _, *rows = json.loads(path.read_text(encoding="utf-8"))
        return {row["name"]: _briefing(row) for row in rows}
    except (OSError, ValueError, KeyError, TypeError) as error:
        remedy = "make it with: python data/commentary/brief.py"
        raise ValueError(
            f"{path} is no file of briefings ({error}); {remedy}"
        ) from error


def analysis_row(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis as plain values, ready for JSON."""
    lines = [
        [_score_row(line.score), line.depth, " ".join(line.moves)]
        for line in analysis.lines
    ]
    return {"engine": analysis.engine, "nodes": analysis.nodes, "lines": lines}


def _score_row(score: chess.engine.PovScore) -> str:
    relative = score.relative
    if relative.is_mate():
        return f"mate {relative.mate()}"
    return f"cp {relative.score()}"


def _read_score(text: str, side: chess.Color) -> chess.engine.PovScore:
    units = {"cp": chess.engine.Cp, "mate": chess.engine.Mate}
    unit, number = text.split()
    return chess.engine.PovScore(units[unit](int(number)), side)


def refutation_row(refutation: Refutation) -> list[str | int]:
    """Return why a move would be tried, what it costs, its score and line, ready for JSON."""
    line = " ".join(refutation.line)
    return [refutation.natural, refutation.loss, _score_row(refutation.score), line]


def read_refutation(move: MoveInContext, row: Sequence[Any]) -> Refutation:
    """Return the refutation, after or in place of a move, that :func:`refutation_row` tells of."""
    natural, loss, score, moves = row
    line = tuple(moves.split())
    is_reply = natural in REPLIES
    board = chess.Board((move.after() if is_reply else move.position).fen)
    return Refutation(
        tried=line[0],
        natural=natural,
        is_reply=is_reply,
        line=line,
        text=board.variation_san(map(chess.Move.from_uci, line)),
        score=_read_score(score, board.turn),
        loss=loss,
    )


def _briefing(row: Mapping[str, Any]) -> Briefing:
    position = Position(row["fen"], tuple(row["moves"].split()), row["root"])
    move = MoveInContext(position, row["move"])
    turned = after_pass(move.after())
    passed = None
    if turned and "passed" in row:
        passed = read_analysis(turned, row["passed"])
    return Briefing(
        name=row["name"],
        move=move,
        before=read_analysis(position, row["before"]),
        after=read_analysis(move.after(), row["after"]),
        concepts=_changes(row["concepts"]),
        oracle=_changes(row["oracle"]),
        noticed=_changes(row["noticed"]),
        passed=passed,
    )


def _changes(rows: Sequence[Sequence[Any]]) -> Changes:
    """Return concepts from rows of concept, side, before, after and change, by rank."""
    return tuple(
        ConceptChange(
            concept=concept,
            side=side,
            before=before,
            after=after,
            change=change,
            rank=rank,
        )
        for rank, (concept, side, before, after, change) in enumerate(rows, start=1)
    )


def read_analysis(position: Position, row: Mapping[str, Any]) -> Analysis:
    """Return the analysis of a position from what :func:`analysis_row` made of it."""
    lines = tuple(
        Line(tuple(moves.split()), _read_score(text, position.turn), depth)
        for text, depth, moves in row["lines"]
    )
    return Analysis(position, lines, row["nodes"], row["engine"])


def brief_moves(
    moves: Sequence[EvaluatedMove], *, nodes: int = NODES, progress: bool = True
) -> list[Briefing]:
    """Ask engine, expert and concept oracle about moves; return a briefing for each.

    Parameters
    ----------
    moves
        The moves.
    nodes
        Nodes searched before each move (with :data:`LINES` lines) and after it (with one); a
        quarter of them after a pass.
    """
    from chessgloss.concepts.priority import prioritise

    played = [evaluated.move for evaluated in moves]

    def analyse(
        positions: Sequence[Position], nodes: int, lines: int = 1
    ) -> list[Analysis]:
        return analyse_many(positions, nodes=nodes, multipv=lines, progress=progress)

    turned = [after_pass(move.after()) for move in played]
    passes = iter(analyse([each for each in turned if each], nodes // 4))
    before = analyse([move.position for move in played], nodes, LINES)
    after = analyse([move.after() for move in played], nodes)
    oracle = _oracle_changes(played)
    noticed = _noticed(played)
    return [
        Briefing(
            name=evaluated.name,
            move=evaluated.move,
            before=before[k],
            after=after[k],
            concepts=prioritise(evaluated.move.position, evaluated.move.uci).changes,
            oracle=oracle[k],
            noticed=noticed[k],
            passed=next(passes) if turned[k] else None,
        )
        for k, evaluated in enumerate(moves)
    ]


def _oracle_changes(moves: Sequence[MoveInContext]) -> list[tuple[ConceptChange, ...]]:
    """Return Stockfish 8's own changes of the 21 terms for each move, the largest first.

    Changes are in standard deviations of the term's change over the moves that the model of
    changes was trained on. Positions that the oracle has no table for count as all zero.
    """
    from chessgloss.concepts.changes import ask_oracle
    from chessgloss.concepts.priority import ChangeModel, weights_file

    before = np.nan_to_num(ask_oracle([move.position.fen for move in moves]))
    after = np.nan_to_num(ask_oracle([move.after().fen for move in moves]))
    changes = (after - before) / ChangeModel.load(weights_file("nnue")).spread
    return [_oracle_ranked(*rows) for rows in zip(before, after, changes, strict=True)]


def _oracle_ranked(
    before: NDArray[np.float32],
    after: NDArray[np.float32],
    changes: NDArray[np.float32],
) -> Changes:
    """Return the changes of one move, each array ``(21,)``, the largest first."""
    ranked = np.argsort(-np.abs(changes), kind="stable")
    return tuple(
        _oracle_change(
            TERMS[k], float(before[k]), float(after[k]), float(changes[k]), rank
        )
        for rank, k in enumerate(ranked, start=1)
    )


def _oracle_change(
    term: str, before: float, after: float, change: float, rank: int
) -> ConceptChange:
    concept, side = concept_and_side(term)
    return ConceptChange(
        concept=concept, side=side, before=before, after=after, change=change, rank=rank
    )


def _noticed(moves: Sequence[MoveInContext]) -> list[tuple[ConceptChange, ...]]:
    """Return for each move the concepts fitted on facts that it seems to bring about or end."""
    from chessgloss.concepts.facts import concept_scores, notice
    from chessgloss.experts import load_expert

    expert = load_expert("nnue")
    before, after = (
        concept_scores(fens, expert).to_numpy()
        for fens in (
            [move.position.fen for move in moves],
            [move.after().fen for move in moves],
        )
    )
    rows = zip(before, after, moves, strict=True)
    return [notice(first, last, not move.mover) for first, last, move in rows]
