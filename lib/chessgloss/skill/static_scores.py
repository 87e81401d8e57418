"""What players' answers in static positions add up to: marks, losses, legal moves.

A sheet is a table with one row for each position a player was asked in, its columns those of
:data:`SHEET`. A player whose choice is known only as chances (a random legal move) gets the
exact mean over its moves, so that its row holds shares of grades. Answers that are no legal
move stay in every denominator that speaks of answers: their mark is the lowest, and in the
charged loss they cost what the worst legal move costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss.engine import CAP, centipawn_loss
from chessgloss.skill.answers import Answer
from chessgloss.skill.grading import (
    GRADES,
    MOVE_GRADES,
    OUTSIDE,
    Grade,
    MoveTable,
    grade_answer,
    grade_names,
    win_chance,
)
from chessgloss.stats import Interval, Paired, mean_interval, paired_permutation

#: Marks of the plan (3.2); an answer that is no legal move gets the lowest of its scale.
MARKS: Final[Mapping[Grade, int]] = {
    "Excellent": 5,
    "Good": 4,
    "Inaccuracy": 3,
    "Mistake": 2,
    "Blunder": 1,
    "Illegal": 1,
    "Unreadable": 1,
    "Refused": 1,
    "Error": 1,
}

#: Columns of a sheet: position, chance that the answer is a legal move, mark (1 to 5), loss
#: in centipawns of the legal answer (cut, then uncut) and the loss with failures charged, the
#: chance to win given away, whether it is the best move and among the five, shares of grades.
SHEET: Final = ("name", "legal", "mark", "loss", "uncut", "charged", "win_loss", "best", "top_five")
_COLUMNS: Final = (*SHEET, *GRADES)


def grade_sheet(
    names: Sequence[str],
    tables: Sequence[MoveTable],
    answers: Sequence[Answer],
    *,
    cap: float = CAP,
) -> pd.DataFrame:
    """Grade a player's answers: a sheet, rows in the order of ``names``."""
    rows = zip(names, tables, answers, strict=True)
    return pd.DataFrame([_row(*row, cap) for row in rows], columns=list(_COLUMNS))


def random_sheet(
    names: Sequence[str], tables: Sequence[MoveTable], *, cap: float = CAP
) -> pd.DataFrame:
    """Return the sheet of a random legal move: the mean over all, with no lot drawn."""
    rows = zip(names, tables, strict=True)
    return pd.DataFrame([_mean_row(*row, cap) for row in rows], columns=list(_COLUMNS))


def overall(sheet: pd.DataFrame, clusters: Sequence[object], *, seed: int) -> dict[str, Interval]:
    """Return what a player's sheet comes to, with intervals over clusters (games).

    Returns
    -------
    dict
        ``score`` (mark 1 to 5, all answers), ``legal_rate``, ``acpl`` (loss of legal answers;
        missing if there are none), ``charged`` (loss with failures charged), ``win_loss``,
        ``best`` (share that is the engine's best move).
    """
    groups = np.asarray(clusters)
    legal = sheet["legal"].to_numpy() > 0
    found = {
        "score": mean_interval(sheet["mark"], groups, seed=seed),
        "legal_rate": mean_interval(sheet["legal"], groups, seed=seed),
        "charged": mean_interval(sheet["charged"], groups, seed=seed),
        "best": mean_interval(sheet["best"], groups, seed=seed),
    }
    if legal.any():
        for name, column in (("acpl", "loss"), ("win_loss", "win_loss")):
            found[name] = mean_interval(sheet[column][legal], groups[legal], seed=seed)
    return found


def plan_score(sheet: pd.DataFrame) -> dict[str, float]:
    """Aggregate as the plan's code does (3.2): illegal moves leave the denominator.

    It drops ``Illegal`` answers from the mean mark, and counts every other failure among the
    legal moves with mark 0, outside its own scale. Without a legal answer both numbers are 0.
    """
    kept = sheet[sheet["Illegal"] == 0]
    if kept.empty:
        return {"overall_score": 0.0, "legal_move_rate": 0.0}
    marks = sum(kept[name] * MARKS[name] for name in MOVE_GRADES)
    return {
        "overall_score": float(np.mean(marks)),
        "legal_move_rate": len(kept) / len(sheet),
    }


def grade_shares(sheet: pd.DataFrame) -> pd.Series:
    """Return the share of each grade among all answers; they add up to 1."""
    return sheet[list(GRADES)].mean()


def by_group(
    sheet: pd.DataFrame,
    groups: Sequence[object],
    clusters: Sequence[object],
    *,
    value: str = "loss",
    seed: int,
) -> pd.Series:
    """Return the mean of a column within each group of positions, as intervals.

    Rows without a value (failures, in ``loss``) are left out; so is a group without any.
    """
    frame = pd.DataFrame({"value": sheet[value].to_numpy(), "group": groups, "cluster": clusters})
    rows = frame.dropna(subset=["value"]).groupby("group")
    means = {name: mean_interval(some["value"], some["cluster"], seed=seed) for name, some in rows}
    return pd.Series(means, dtype=object)


def equal_weights(*groupings: Sequence[object]) -> NDArray[np.float64]:
    """Return a weight for each position such that every cell of the groupings weighs the same.

    Parameters
    ----------
    groupings
        Such as phases and kinds of position, each of shape ``(n,)``.

    Returns
    -------
    ndarray
        Shape ``(n,)``, with mean 1.
    """
    cells = pd.Series(list(zip(*groupings, strict=True)))
    weights = 1 / cells.map(cells.value_counts()).to_numpy(dtype=float)
    return weights / weights.mean()


def weighted_mean(
    values: pd.Series, weights: NDArray[np.float64], clusters: Sequence[object], *, seed: int
) -> Interval:
    """Return a weighted mean of the values there are, with its interval over clusters.

    The values are weighted before the resampling; the weights are fixed by the suite.
    """
    there = values.notna().to_numpy()
    share = weights[there] / weights[there].mean()
    return mean_interval(values.to_numpy()[there] * share, np.asarray(clusters)[there], seed=seed)


def compare(
    first: pd.DataFrame,
    second: pd.DataFrame,
    clusters: Sequence[object],
    *,
    value: str = "charged",
    seed: int,
    rounds: int = 2_000,
) -> Paired:
    """Test whether two players differ on the same positions; see :func:`paired_permutation`."""
    if list(first["name"]) != list(second["name"]):
        raise ValueError("the two sheets are not of the same positions in the same order")
    groups = np.asarray(clusters)
    return paired_permutation(first[value], second[value], groups, seed=seed, rounds=rounds)


def cliffs_delta(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Cliff's delta, -1 to 1: how much oftener the first is larger than the second.

    Source: N. Cliff, "Dominance statistics", Psychological Bulletin 114 (1993). Usual words:
    from 0.147 small, from 0.33 medium, from 0.474 large (Romano and others, 2006).
    """
    one, other = np.asarray(first, dtype=float), np.sort(np.asarray(second, dtype=float))
    if not one.size or not other.size:
        raise ValueError("both groups need at least one value")
    below = np.searchsorted(other, one, side="left").sum()
    above = (other.size - np.searchsorted(other, one, side="right")).sum()
    return float((below - above) / (one.size * other.size))


def spread_at(
    values: Sequence[float], sizes: Sequence[int], *, seed: int, draws: int = 2_000
) -> pd.Series:
    """Return the half width of the 95 % interval of a mean at several sizes of a suite.

    Suites of each size are drawn from the values with replacement; half the distance between
    the 2.5 and 97.5 percentiles of their means is taken. One value stands for one game, so
    that the sizes count independent positions.
    """
    random, data = np.random.default_rng(seed), np.asarray(values, dtype=float)
    found = {}
    for size in sizes:
        means = data[random.integers(data.size, size=(draws, size))].mean(axis=1)
        low, high = np.percentile(means, [2.5, 97.5])
        found[size] = float(high - low) / 2
    return pd.Series(found)


def positions_to_tell(differences: Sequence[float], *, power: float = 0.8) -> float:
    """Return how many independent positions tell two players apart at the 5 % level.

    The usual normal approximation for a paired difference with its observed mean and spread;
    infinite if the mean is 0.
    """
    from scipy.stats import norm

    data = np.asarray(differences, dtype=float)
    mean, spread = float(data.mean()), float(data.std(ddof=1))
    quantiles = float(norm.ppf(0.975) + norm.ppf(power))
    return (quantiles * spread / mean) ** 2 if mean else float("inf")


def _row(name: str, table: MoveTable, answer: Answer, cap: float) -> dict[str, object]:
    found = grade_answer(table, answer, cap=cap)
    none = float("nan")
    row: dict[str, object] = {
        "name": name,
        "legal": float(found.legal),
        "mark": float(MARKS[found.grade]),
        "loss": none if found.loss is None else found.loss,
        "uncut": none if found.uncut is None else found.uncut,
        "charged": _worst(table, cap) if found.loss is None else found.loss,
        "win_loss": none if found.win_loss is None else found.win_loss,
        "best": float(found.loss == 0),
        "top_five": float(found.rank is not None and found.rank < OUTSIDE),
    }
    return row | {one: float(one == found.grade) for one in GRADES}


def _mean_row(name: str, table: MoveTable, cap: float) -> dict[str, object]:
    values = np.array(list(table.values.values()), dtype=float)
    lost = centipawn_loss(table.best, values, cap=cap)
    grades = grade_names(lost)
    shares = {one: float(np.mean(grades == one)) for one in GRADES}
    mean = float(lost.mean())
    row: dict[str, object] = {
        "name": name,
        "legal": 1.0,
        "mark": sum(MARKS[one] * share for one, share in shares.items()),
        "loss": mean,
        "uncut": float(np.mean(table.best - values)),
        "charged": mean,
        "win_loss": float(np.mean(win_chance(table.best) - win_chance(values))),
        "best": float(np.mean(lost == 0)),
        "top_five": len(table.ranked) / values.size,
    }
    return row | shares


def _worst(table: MoveTable, cap: float) -> float:
    return max(table.loss(uci, cap=cap) for uci in table.values)
