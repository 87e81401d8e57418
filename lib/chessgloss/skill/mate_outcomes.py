"""What became of answers to mate-in-one problems: mates, kinds of error, shares, Table 7."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

import chess
import pandas as pd

from chessgloss.book.reference import Reference, load
from chessgloss.skill.answers import Answer
from chessgloss.skill.mate_prompts import TABLE7
from chessgloss.skill.mates import Problem, mates_with
from chessgloss.stats import Interval, share_of

Outcome = Literal["mate", "check", "no check", "illegal", "unreadable", "refused", "error"]

#: Every outcome from the best to none at all; only the first counts.
OUTCOMES: Final[tuple[Outcome, ...]] = (
    "mate",
    "check",
    "no check",
    "illegal",
    "unreadable",
    "refused",
    "error",
)

#: Groups of problems by their legal moves, each up to and with the number, and their names.
MOVE_GROUPS: Final = (20, 30, 40)
MOVE_GROUP_NAMES: Final = ("up to 20", "21 to 30", "31 to 40", "over 40")


def move_group(legal_moves: int) -> str:
    """Return the group of a number of legal moves: ``up to 20``, ``21 to 30``, ``over 40``."""
    return MOVE_GROUP_NAMES[sum(legal_moves > upper for upper in MOVE_GROUPS)]


def outcome_of(problem: Problem, answer: Answer) -> Outcome:
    """Return what an answer does: any mating move counts, whichever it is.

    A legal move that does not mate is told apart by whether it gives check.
    """
    if answer.move is None:
        assert answer.state != "legal"
        return answer.state
    board = problem.board
    if mates_with(board, answer.move):
        return "mate"
    return "check" if board.gives_check(answer.move) else "no check"


def outcomes(
    problems: Sequence[Problem], answers: Sequence[Answer], player: str, prompt: str
) -> pd.DataFrame:
    """Return one row a problem.

    Returns
    -------
    DataFrame
        ``player``, ``prompt``, ``problem``, ``said`` (the answer's text), ``outcome``,
        ``mates`` (1.0 or 0.0), ``legal moves`` (their group), ``piece``, ``phase``, ``side``.
    """
    rows = zip(problems, answers, strict=True)
    return pd.DataFrame(
        [
            {
                "player": player,
                "prompt": prompt,
                "problem": problem.name,
                "said": answer.text,
                "outcome": (outcome := outcome_of(problem, answer)),
                "mates": float(outcome == "mate"),
                "legal moves": move_group(problem.legal_moves),
                "piece": problem.piece,
                "phase": problem.phase,
                "side": problem.side,
            }
            for problem, answer in rows
        ]
    )


def shares(frame: pd.DataFrame, by: str | list[str]) -> pd.Series:
    """Return the share of mates in each group of rows of :func:`outcomes`, as intervals."""
    return pd.Series({name: share_of(rows["mates"]) for name, rows in frame.groupby(by)})


def groups(frame: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the share of mates by a column: a row a group, a column a player and prompt.

    Groups are sorted; those by legal moves from the fewest.
    """
    names = frame["player"] + ", " + frame["prompt"]
    found = {name: shares(rows, by) for name, rows in frame.groupby(names, sort=False)}
    table = pd.DataFrame(found).astype(object).fillna("")
    known = [name for name in MOVE_GROUP_NAMES if name in table.index]
    return table.loc[known] if known else table.sort_index()


def error_kinds(frame: pd.DataFrame) -> pd.DataFrame:
    """Return how many answers had which outcome: a row a player and prompt, in their order."""
    names = frame["player"] + ", " + frame["prompt"]
    counts = pd.crosstab(names.to_numpy(), frame["outcome"].to_numpy())
    counts = counts.reindex(index=pd.unique(names), columns=list(OUTCOMES), fill_value=0)
    return counts.rename_axis(index=None, columns=None)


def mates_worth(board: chess.Board, move: chess.Move) -> float:
    """Return 1.0 if a legal move mates, else 0.0: the worth that counts here."""
    return float(mates_with(board, move))


def table7(
    ours: Mapping[tuple[str, str], Interval], command: Callable[[str], str]
) -> tuple[pd.DataFrame, dict[tuple[str, str], Reference]]:
    """Return the paper's Table 7 with ours beside it, and its values by row and prompt.

    Parameters
    ----------
    ours
        Shares by the row's name and the prompt. Rows that the paper does not have follow
        its own.
    command
        Returns the command that fills a row of the paper's which is not there.

    Returns
    -------
    tuple
        A frame with the columns ``bare``, ``bare (paper)`` and so on, ``vector``, and ``to
        fill``: the command for a row without any answer; the reference values.
    """
    cells = {(one.row, one.column): one for one in load("ccc") if one.table == "table7"}
    printed: dict[tuple[str, str], Reference] = {
        (row, kind): cells[row, column]
        for row in dict.fromkeys(name for name, _ in cells)
        for kind, column in TABLE7.items()
    }
    papers = dict.fromkeys(row for row, _ in printed)
    names = [*papers, *dict.fromkeys(row for row, _ in ours if row not in papers)]
    lacking = {row for row in papers if not any(row == name for name, _ in ours)}
    frame = pd.DataFrame(
        {
            row: _cells(row, ours, printed) | {"to fill": command(row) if row in lacking else ""}
            for row in names
        }
    )
    return frame.T.astype(object), printed


def _cells(
    row: str,
    ours: Mapping[tuple[str, str], Interval],
    printed: Mapping[tuple[str, str], Reference],
) -> dict[str, object]:
    found: dict[str, object] = {}
    for kind in TABLE7:
        found[kind] = ours.get((row, kind), "")
        cell = printed.get((row, kind))
        found[f"{kind} (paper)"] = "" if cell is None or cell.value is None else cell.value
    return found | {"vector": ours.get((row, "vector"), "")}
