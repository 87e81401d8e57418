"""One page a player, all in the same form, and the same numbers as CSV and JSON.

A page is made of rows: a group of positions (all, a level, a phase, a motif), a measure, its
value and interval. The page that is shown and the files that are written are those rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import chess
import numpy as np
import pandas as pd

from chessgloss.report import Html, table
from chessgloss.skill.grading import GRADES
from chessgloss.skill.motifs import MOTIFS, concepts, kind_of, motifs
from chessgloss.skill.static_scores import equal_weights, overall, plan_score, weighted_mean
from chessgloss.skill.suite import SuitePosition
from chessgloss.stats import Interval, mean_interval

#: Measures of all positions, and what a reader is told they are.
MEASURES: Final[Mapping[str, str]] = {
    "score": "mark, 1 to 5",
    "legal_rate": "legal moves",
    "acpl": "centipawns lost, legal moves",
    "charged": "centipawns lost, failures charged",
    "weighted": "the same, every phase and kind alike",
    "win_loss": "chance to win given away",
    "best": "the engine's best move",
    "plan_score": "mark as the plan's code counts",
    "plan_legal_rate": "legal moves as the plan's code counts",
}

#: Groupings of a page, in the order shown.
GROUPINGS: Final = ("level", "band", "phase", "side", "kind")


@dataclass(frozen=True, slots=True)
class Row:
    """One number of a player's page.

    Parameters
    ----------
    player, grouping, group, measure
        Whose, over which positions (``all`` or say ``phase`` and ``endgame``), of what.
    value, low, high
        With the 95 % interval, resampling games; both ends absent if there is none.
    n
        Positions behind it.
    """

    player: str
    grouping: str
    group: str
    measure: str
    value: float
    low: float | None
    high: float | None
    n: int

    def __post_init__(self) -> None:
        if not np.isfinite(self.value) or self.n < 1:
            raise ValueError(f"a row needs a finite value and positions behind it: {self}")


def suite_frame(chosen: Sequence[SuitePosition]) -> pd.DataFrame:
    """Return what each position is: the groups that results are broken down by.

    Returns
    -------
    DataFrame
        One row a position: ``name``, ``game`` (key), ``level``, ``band``, ``phase``, ``side``
        to move, ``kind`` (quiet or tactical), and a boolean column for each motif
        (``motif fork``) and each concept that holds for the side to move (``concept pin``).
    """
    return pd.DataFrame([_described(one) for one in chosen])


def make_page(player: str, sheet: pd.DataFrame, suite: pd.DataFrame, *, seed: int) -> list[Row]:
    """Return the rows of a player's page.

    Parameters
    ----------
    player
        Name of the player.
    sheet
        The player's answers, graded (:mod:`chessgloss.skill.static_scores`).
    suite
        The positions (:func:`suite_frame`), in the same order.
    """
    if list(sheet["name"]) != list(suite["name"]):
        raise ValueError(f"{player}: the answers are not of these positions in this order")
    return [*_all_rows(player, sheet, suite, seed), *_group_rows(player, sheet, suite, seed)]


def show_page(rows: Sequence[Row]) -> Html:
    """Show a player's page: its measures and grades, and the loss by every group."""
    told = {row.measure: _told(row) for row in rows if row.grouping == "all"}
    whole = {words: told[name] for name, words in MEASURES.items() if name in told}
    shares = {row.measure: f"{row.value:.0%}" for row in rows if row.measure in GRADES}
    groups = [row for row in rows if row.grouping != "all" and row.measure == "charged"]
    broken = pd.DataFrame(
        {
            "": [f"{row.grouping}: {row.group}" for row in groups],
            "n": [row.n for row in groups],
            "lost": [_told(row) for row in groups],
        }
    ).set_index("")
    shown = [table(pd.DataFrame({name: pd.Series(column, dtype=object)}))
             for name, column in (("measure", whole), ("grades", shares))]  # fmt: skip
    shown.append(table(broken))
    body = "".join(f"<div>{one.html}</div>" for one in shown)
    html = f'<h4 class="player">{rows[0].player}</h4><div class="boards">{body}</div>'
    return Html(html, "\n\n".join([rows[0].player, *(one.text for one in shown)]))


def show_pages(pages: Iterable[Sequence[Row]]) -> Html:
    """Show several pages below each other."""
    shown = [show_page(rows) for rows in pages]
    return Html("".join(one.html for one in shown), "\n\n".join(one.text for one in shown))


def page_frame(rows: Iterable[Row]) -> pd.DataFrame:
    """Return rows as a table, one column for each of their fields."""
    return pd.DataFrame([asdict(row) for row in rows])


def export(rows: Sequence[Row], folder: Path, *, about: Mapping[str, object]) -> tuple[Path, Path]:
    """Write all pages as ``dashboard.csv`` and ``dashboard.json``; return the two paths.

    Parameters
    ----------
    rows
        Rows of one player or of many.
    folder
        Where to write.
    about
        What a reader of the JSON file must know: suite, engine, settings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plain, structured = folder / "dashboard.csv", folder / "dashboard.json"
    page_frame(rows).to_csv(plain, index=False, float_format="%.6g", lineterminator="\n")
    players: dict[str, list[dict[str, object]]] = {}
    for row in rows:
        cells = {name: _rounded(cell) for name, cell in asdict(row).items() if name != "player"}
        players.setdefault(row.player, []).append(cells)
    text = json.dumps({**about, "players": players}, indent=1, ensure_ascii=False)
    structured.write_text(text + "\n", encoding="utf-8")
    return plain, structured


def _all_rows(player: str, sheet: pd.DataFrame, suite: pd.DataFrame, seed: int) -> Iterator[Row]:
    games = suite["game"].to_numpy()
    for measure, interval in overall(sheet, games, seed=seed).items():
        yield _of(interval, player, "all", "all", measure)
    weights = equal_weights(suite["phase"], suite["kind"])
    weighted = weighted_mean(sheet["charged"], weights, games, seed=seed)
    yield _of(weighted, player, "all", "all", "weighted")
    plan = plan_score(sheet)
    n = len(sheet)
    yield Row(player, "all", "all", "plan_score", plan["overall_score"], None, None, n)
    yield Row(player, "all", "all", "plan_legal_rate", plan["legal_move_rate"], None, None, n)
    for grade in GRADES:
        yield _of(mean_interval(sheet[grade], games, seed=seed), player, "all", "all", grade)


def _group_rows(player: str, sheet: pd.DataFrame, suite: pd.DataFrame, seed: int) -> Iterator[Row]:
    for grouping, group, chosen in _groups(suite):
        games = suite["game"].to_numpy()[chosen]
        for measure, column in (("charged", "charged"), ("score", "mark"), ("legal_rate", "legal")):
            interval = mean_interval(sheet[column].to_numpy()[chosen], games, seed=seed)
            yield _of(interval, player, grouping, group, measure)


def _groups(suite: pd.DataFrame) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield every group that has a position: the columns of one choice, then the flags."""
    for grouping in GROUPINGS:
        for group in sorted(suite[grouping].unique()):
            yield grouping, str(group), (suite[grouping] == group).to_numpy()
    for column in suite.columns:
        grouping, _, group = str(column).partition(" ")
        if group and suite[column].any():
            yield grouping, group, suite[column].to_numpy(dtype=bool)


def _described(one: SuitePosition) -> dict[str, object]:
    board = chess.Board(one.fen)
    found, held = motifs(board), concepts(board)
    row: dict[str, object] = {
        "name": one.name,
        "game": one.game,
        "level": one.level,
        "band": one.band,
        "phase": one.phase,
        "side": "White" if one.white else "Black",
        "kind": kind_of(found),
    }
    row |= {f"motif {name}": name in found for name in MOTIFS}
    return row | {f"concept {name}": name in held for name in _CONCEPTS}


#: Concepts that are no motif already.
_CONCEPTS: Final = ("doubled pawns", "open file", "mate in one", "fork", "pin")


def _of(interval: Interval, player: str, grouping: str, group: str, measure: str) -> Row:
    ends = (interval.value, interval.low, interval.high, interval.n)
    return Row(player, grouping, group, measure, *ends)


def _told(row: Row) -> str:
    digits = 0 if row.measure in ("acpl", "charged", "weighted") else 2
    told = f"{row.value:.{digits}f}"
    return told if row.low is None else f"{told} [{row.low:.{digits}f}, {row.high:.{digits}f}]"


def _rounded(cell: object) -> object:
    return round(cell, 6) if isinstance(cell, float) else cell
