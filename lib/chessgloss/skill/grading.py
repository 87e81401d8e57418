"""Grades of moves: what each loses against the best, by one search setting for all moves.

The static-position plan (step 2) values the position before a move and the one after it by
two searches, and a move can then gain what only the second search saw. Here every legal move
is a line of the position itself: a MultiPV search gives the five best, the other moves are
searched five at a time with the same nodes for each five (``searchmoves``). The best is the
highest of all lines, so that no loss is negative, and one table grades every answer that
anyone may give (:func:`graded_moves`, :func:`graded_answers`).

A search at a fixed number of nodes depends on the order in which it goes through the moves, and
so on the colours. Each position is therefore searched twice, as it is and with colours exchanged
(:func:`mirrored`), and a move's value is the mean of the two (:func:`mean_table`).

Values are in centipawns for the side that moves; mate in n moves counts as 10,000 - n, as in
the plan. Losses are taken after both values are cut at :data:`~chessgloss.scores.CAP`. Tables
are kept in a file by the content of their position, so that positions from sources under
other terms can be in it; what a file does not hold is searched and kept in the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, get_args

import chess
import numpy as np
import pandas as pd
from tqdm import tqdm

from chessgloss.corpora.games import unpack
from chessgloss.engine import Engine, centipawn_loss, open_engine, win_chances
from chessgloss.facts.verdict import RANKED_LINES, MistakeClass, mistake_class
from chessgloss.positions import Position, text_digest
from chessgloss.scores import CAP, centipawns
from chessgloss.store import Store

#: The plan's grades of moves from best to worst, then those of answers without a move.
MOVE_GRADES: Final[tuple[str, ...]] = get_args(MistakeClass)
GRADES: Final = (*MOVE_GRADES, "Illegal", "Unreadable", "Refused", "Error")

#: Marks of the plan (3.2), 5 to 1; an answer that is no legal move gets the lowest.
MARKS: Final = dict(zip(MOVE_GRADES, (5, 4, 3, 2, 1), strict=True))


@dataclass(frozen=True, slots=True)
class Settings:
    """How positions are searched for grading: nodes of a search of five lines, or a depth.

    Fewer lines get their share of the nodes. The default grades the suite.
    """

    nodes: int | None = 20_000
    depth: int | None = None

    @property
    def label(self) -> str:
        """The limit as a word: ``nodes-20000``, ``depth-18``."""
        return f"nodes-{self.nodes}" if self.depth is None else f"depth-{self.depth}"


#: Other limits, which say how much the limit matters; the plan's depth among them (its 2 seconds
#: depend on the machine and are left out).
OTHER_NODES: Final = (Settings(1_000), Settings(5_000), Settings(100_000))
PLAN_DEPTH: Final = Settings(nodes=None, depth=18)


class MoveTable(NamedTuple):
    """What the moves of a position are worth.

    Parameters
    ----------
    values
        UCI move to centipawns for the side that moves, uncut; every legal move, or some.
    ranked
        The best moves of the MultiPV search, best first, at most five.
    """

    values: Mapping[str, int]
    ranked: Sequence[str]


# ---------------------------------------------------------------- moves and answers, graded


def graded_moves(tables: Mapping[str, MoveTable], *, cap: float = CAP) -> pd.DataFrame:
    """Grade every move of some tables.

    Parameters
    ----------
    tables
        Tables by the name of their position.
    cap
        Centipawns at which values are cut before a loss is taken.

    Returns
    -------
    pandas.DataFrame
        One row a move, index ``name`` and ``uci``: ``value`` (centipawns for the mover, uncut),
        ``rank`` (1 to 5, or 6 outside the five best), ``loss`` (values cut), ``uncut`` (the
        same without a cut), ``win_loss`` (chance to win given away, 0 to 1), ``grade``,
        ``mark`` (5 to 1), ``best`` (1 or 0).
    """
    rows = []
    last = RANKED_LINES + 1
    for name, table in tables.items():
        ranks = {uci: rank for rank, uci in enumerate(table.ranked, start=1)}
        rows += [
            (name, uci, value, ranks.get(uci, last))
            for uci, value in table.values.items()
        ]
    moves = pd.DataFrame(rows, columns=["name", "uci", "value", "rank"])
    moves = moves.set_index(["name", "uci"])
    best = moves.groupby("name")["value"].transform("max")
    moves["loss"] = centipawn_loss(best, moves["value"], cap=cap)
    moves["uncut"] = (best - moves["value"]).astype(float)
    moves["win_loss"] = win_chances(best) - win_chances(moves["value"])
    moves["grade"] = moves["loss"].map(mistake_class)
    moves["mark"] = moves["grade"].map(MARKS).astype(float)
    moves["best"] = (moves["loss"] == 0).astype(float)
    return moves


def graded_answers(answers: pd.Series, moves: pd.DataFrame) -> pd.DataFrame:
    """Grade a player's answers.

    Answers that are no legal move stay: their mark is the lowest, and in the charged loss they
    cost what the worst legal move costs.

    Parameters
    ----------
    answers
        What was answered (:class:`~chessgloss.skill.players.MoveAnswer`), by the position's name.
    moves
        The positions' moves (:func:`graded_moves`).

    Returns
    -------
    pandas.DataFrame
        One row a position: ``name``, ``legal`` (1 or 0), ``mark``, ``loss``, ``uncut``,
        ``win_loss`` (missing without a legal move), ``charged``, ``best``, and 1 in the
        column of its grade (:data:`GRADES`), 0 in the others.

    Raises
    ------
    KeyError
        If a legal move has no value.
    """
    legal = np.array([answer.legal for answer in answers], dtype=bool)
    keys = [
        (name, answer.uci if answer.legal else "") for name, answer in answers.items()
    ]
    sheet = moves.reindex(keys).reset_index(drop=True).drop(columns=["value", "rank"])
    if (unvalued := legal & sheet["loss"].isna().to_numpy()).any():
        raise KeyError(f"no value for {keys[int(unvalued.argmax())]}")
    worst = moves.groupby("name")["loss"].max().reindex(answers.index).to_numpy()
    failures = [answer.state.capitalize() for answer in answers]
    grades = sheet.pop("grade").where(legal, failures)
    charged = sheet["loss"].fillna(pd.Series(worst))
    sheet = sheet.assign(
        name=list(answers.index), legal=legal.astype(float), charged=charged
    )
    return sheet.fillna({"mark": 1.0, "best": 0.0}).join(_indicators(grades))


def random_answers(names: Sequence[str], moves: pd.DataFrame) -> pd.DataFrame:
    """Grade a random legal move, with no lot drawn: the exact mean over all moves.

    Returns what :func:`graded_answers` does, with shares of grades.
    """
    each = moves.drop(columns=["value", "rank", "grade"]).join(
        _indicators(moves["grade"])
    )
    means = each.groupby("name").mean().loc[list(names)]
    return means.assign(legal=1.0, charged=means["loss"]).reset_index()


def _indicators(grades: pd.Series) -> pd.DataFrame:
    return pd.get_dummies(grades, dtype=float).reindex(
        columns=list(GRADES), fill_value=0.0
    )


# ---------------------------------------------------------------- tables of moves


def analyse_moves(
    engine: Engine,
    position: Position,
    settings: Settings,
    asked: Sequence[str] | None = None,
) -> MoveTable:
    """Value the moves of a position, each search from an empty hash table.

    Parameters
    ----------
    engine
        A running engine.
    position
        A position with a legal move.
    settings
        How to search.
    asked
        UCI moves wanted beside the five best; by default every legal one.
    """

    def search(lines: int, moves: Sequence[str] | None = None) -> dict[str, int]:
        nodes = (
            None
            if settings.nodes is None
            else max(1, settings.nodes * lines // RANKED_LINES)
        )
        analysis = engine.analyse(
            position, nodes=nodes, depth=settings.depth, multipv=lines, root_moves=moves
        )
        return {
            line.moves[0]: centipawns(line.score, position.turn)
            for line in analysis.lines
        }

    values = search(RANKED_LINES)
    ranked = tuple(sorted(values, key=lambda uci: -values[uci]))
    legal = [move.uci() for move in chess.Board(position.fen).legal_moves]
    rest = sorted(set(legal if asked is None else asked) - set(values))
    for start in range(0, len(rest), RANKED_LINES):
        batch = rest[start : start + RANKED_LINES]
        values |= search(len(batch), batch)
    return MoveTable(values, ranked)


def position_key(position: Position) -> str:
    """Return a hash, 16 hex digits, of a position and its history."""
    return text_digest(" ".join((_first_of(position), *position.moves)))


def _first_of(position: Position) -> str:
    return position.root if position.moves else position.fen


def tables_path(folder: Path, settings: Settings) -> Path:
    """Return where the tables of these settings lie in a folder."""
    return folder / f"tables-{settings.label}.tsv.zst"


def read_tables(path: Path) -> dict[str, MoveTable]:
    """Return the tables of a file by the keys of their positions; none if there is no file.

    Raises
    ------
    ValueError
        At the first line that is no table, or when the file is cut off.
    """
    if not path.exists():
        return {}
    tables = {}
    for number, line in enumerate(unpack(path), start=1):
        try:
            key, ranked, values = line.split("\t")
            pairs = (word.split(":") for word in values.split(" "))
            tables[key] = MoveTable(
                {uci: int(value) for uci, value in pairs}, ranked.split(" ")
            )
        except ValueError as error:
            raise ValueError(
                f"{path.name}, line {number} is no table: {error}"
            ) from None
    return tables


#: Squares seen from across the board: in a UCI move only the ranks change.
ACROSS: Final = str.maketrans("12345678", "87654321")


def mirrored(position: Position) -> Position:
    """Return a position with colours exchanged and the board turned, its history too."""
    moves = (uci.translate(ACROSS) for uci in position.moves)
    return Position.after(moves, chess.Board(_first_of(position)).mirror().fen())


def mean_table(table: MoveTable, across: MoveTable) -> MoveTable:
    """Return the mean of a position's table and that of its mirror image, whole centipawns.

    Moves that only one of them values are left out; ranks follow the means.
    """
    other = {uci.translate(ACROSS): value for uci, value in across.values.items()}
    values = {
        uci: (value + other[uci]) // 2
        for uci, value in table.values.items()
        if uci in other
    }
    return MoveTable(
        values, sorted(values, key=lambda uci: -values[uci])[:RANKED_LINES]
    )


def find_tables(
    positions: Sequence[Position],
    settings: Settings,
    kept: Mapping[str, MoveTable],
    store: Store,
) -> list[MoveTable]:
    """Return each position's table, the mean of both colours (:func:`mean_table`).

    Parameters are those of :func:`search_tables`.
    """
    both = [*positions, *map(mirrored, positions)]
    tables = search_tables(both, settings, kept, store)
    return list(map(mean_table, tables[: len(positions)], tables[len(positions) :]))


def search_tables(
    positions: Sequence[Position],
    settings: Settings,
    kept: Mapping[str, MoveTable],
    store: Store,
    *,
    asked: Mapping[str, Sequence[str]] | None = None,
) -> list[MoveTable]:
    """Return the table of each position as it stands: kept, the store's, or a new search's.

    Parameters
    ----------
    positions
        Positions with a legal move.
    settings
        How the tables were, and are, searched.
    kept
        Tables by key (:func:`read_tables`); empty to search all of them again.
    store
        Keeps what is searched.
    asked
        By position key, the moves wanted beside the five best; by default every legal one.
    """
    keys = [position_key(position) for position in positions]
    tables = dict(kept)
    wanted = asked or {}
    missing = {
        key: each for key, each in zip(keys, positions, strict=True) if key not in kept
    }
    if missing:
        with open_engine(timeout=600) as engine:
            about = {
                "settings": settings.label,
                "lines": RANKED_LINES,
                "read": "exact",
                "engine": engine.name,
            }
            for key, position in tqdm(missing.items(), "tables", unit="position"):

                def build(position: Position = position, key: str = key) -> dict:
                    return analyse_moves(
                        engine, position, settings, wanted.get(key)
                    )._asdict()

                recipe = {**about, "position": key, "asked": wanted.get(key)}
                tables[key] = MoveTable(**store.fetch("move_table", recipe, build))
    return [tables[key] for key in keys]
