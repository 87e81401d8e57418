"""Is the grader right? Pairs of known moves, mirrored boards, other limits, people's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import chess
import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from chessgloss.engine import CAP, Engine
from chessgloss.positions import Position
from chessgloss.skill.answers import Answer
from chessgloss.skill.grading import (
    MOVE_GRADES,
    MoveTable,
    Settings,
    analyse_moves,
    grade,
    position_key,
)
from chessgloss.skill.known import Known, Pair
from chessgloss.skill.static_scores import grade_sheet
from chessgloss.stats import together

#: Steps from the best grade.
_ORDER: dict[str, int] = {name: steps for steps, name in enumerate(MOVE_GRADES)}


def grade_pairs(pairs: Sequence[Pair], tables: Mapping[str, MoveTable]) -> pd.DataFrame:
    """Grade pairs of a good and a bad move.

    Parameters
    ----------
    pairs
        The pairs.
    tables
        By position key, the tables of their positions.

    Returns
    -------
    DataFrame
        Index the pair's name; ``source``, ``good`` and ``bad`` (losses, values cut),
        ``verdict``: ``right`` if the good move loses less, ``tied`` if both lose the same (a
        position so won or lost that the cap hides the difference), else ``wrong``.
    """
    rows = {}
    for pair in pairs:
        table = tables[position_key(pair.position)]
        good, bad = table.loss(pair.good), table.loss(pair.bad)
        verdict = "right" if good < bad else "tied" if good == bad else "wrong"
        rows[pair.name] = {"source": pair.source, "good": good, "bad": bad, "verdict": verdict}
    return pd.DataFrame(rows).T.astype({"good": float, "bad": float})


def mirrored(position: Position, uci: str) -> tuple[Position, str]:
    """Return a position and a move with the colours exchanged, the history left out."""
    move = chess.Move.from_uci(uci)
    flipped = chess.Move(
        chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
    )
    return Position(chess.Board(position.fen).mirror().fen()), flipped.uci()


def compare_mirrored(
    engine: Engine, known: Sequence[tuple[Position, str]], settings: Settings
) -> pd.DataFrame:
    """Grade moves and their mirror images, both without history.

    Returns
    -------
    DataFrame
        One row a move: ``loss`` and ``mirrored`` (centipawns), ``same grade``.
    """
    rows = []
    for position, uci in known:
        plain = (Position(position.fen), uci)
        tables = [
            (analyse_moves(engine, one, settings, asked=(move,)), move)
            for one, move in (plain, mirrored(position, uci))
        ]
        first, second = (grade(table, move) for table, move in tables)
        rows.append((first.loss, second.loss, first.grade == second.grade))
    return pd.DataFrame(rows, columns=["loss", "mirrored", "same grade"])


def compare_settings(
    moves: Sequence[Sequence[str]],
    tables: Sequence[MoveTable],
    others: Sequence[MoveTable],
) -> dict[str, float]:
    """Compare two settings on the same moves of the same positions.

    Parameters
    ----------
    moves
        For each position the moves that are graded by both; unknown ones are left out.
    tables, others
        The two settings' tables, one for each position.

    Returns
    -------
    dict
        ``moves`` compared, ``same grade`` (share), ``within one grade`` (share), ``rank
        correlation`` of the losses (Spearman), ``mean difference`` of the losses in
        centipawns, absolute, and ``best by the other``: the mean loss, by ``others``, of the
        move that ``tables`` takes for the best.
    """
    triples = zip(moves, tables, others, strict=True)
    pairs = [
        (grade(one, uci), grade(other, uci))
        for asked, one, other in triples
        for uci in dict.fromkeys(asked)
        if uci in one.values and uci in other.values
    ]
    losses = np.array([(a.loss, b.loss) for a, b in pairs], dtype=float)
    steps = np.array([abs(_ORDER[str(a.grade)] - _ORDER[str(b.grade)]) for a, b in pairs])
    best = [
        other.loss(one.ranked[0])
        for one, other in zip(tables, others, strict=True)
        if one.ranked[0] in other.values
    ]
    return {
        "moves": len(pairs),
        "same grade": float(np.mean(steps == 0)),
        "within one grade": float(np.mean(steps <= 1)),
        "rank correlation": float(spearmanr(losses[:, 0], losses[:, 1]).statistic),
        "mean difference": float(np.abs(losses[:, 0] - losses[:, 1]).mean()),
        "best by the other": float(np.mean(best)),
    }


def grade_judged(
    judged: Sequence[tuple[Known, bool]], tables: Mapping[str, MoveTable]
) -> pd.DataFrame:
    """Grade the moves on which a lecturer's word is known.

    Returns
    -------
    DataFrame
        Index the move's name; ``lecture``, ``praised`` (else blamed), ``loss``, ``win_loss``,
        ``grade``.
    """
    rows = {}
    for one, praised in judged:
        found = grade(tables[position_key(one.position)], one.move)
        rows[one.name] = (one.name.split(".")[0], praised, found.loss, found.win_loss, found.grade)
    columns = ["lecture", "praised", "loss", "win_loss", "grade"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def ranking_by(
    answers: Mapping[str, Sequence[Answer]],
    names: Sequence[str],
    tables: Sequence[MoveTable],
    *,
    cap: float = CAP,
    value: str = "charged",
) -> pd.Series:
    """Return each player's mean of a column, by the tables and the cap given."""
    means = {
        player: float(grade_sheet(names, tables, given, cap=cap)[value].mean())
        for player, given in answers.items()
    }
    return pd.Series(means)


def rank_agreement(first: pd.Series, second: pd.Series) -> float:
    """Return Kendall's tau between two rankings of the same players, 1 if they agree."""
    return together(first, second.reindex(first.index), "kendall")
