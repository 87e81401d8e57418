"""What the checker accuses real comments of, and how often a reader finds the accusation right."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from chessgloss.claims import verify
from chessgloss.commentary.briefing import Briefing
from chessgloss.stats import Interval, share
from chessgloss.verified.records import false_of

#: What names an accusation: the same words said twice in one comment are read once.
KEY = ["method", "move", "claim", "kind"]


@dataclass(frozen=True, slots=True)
class Reading:
    """Accusations that were drawn and read one by one.

    Parameters
    ----------
    checker
        SHA-256 of the checker that made them (see :mod:`chessgloss.claims.checker`).
    seed
        Seed of the draw.
    most
        How many were drawn of each method, or all it has if these are fewer.
    rows
        One accusation a row: the columns of :data:`KEY`, ``evidence`` (the checker's),
        ``right`` (whether the claim is false indeed) and ``reason``.
    """

    checker: str
    seed: int
    most: Mapping[str, int]
    rows: pd.DataFrame

    def precision(self) -> dict[str, Interval]:
        """Return the share of right accusations of each method, with Wilson's interval."""
        return {
            str(method): share(int(rows["right"].sum()), len(rows))
            for method, rows in self.rows.groupby("method")
        }


def accuse(comments: pd.DataFrame, briefings: Mapping[str, Briefing]) -> pd.DataFrame:
    """Return every claim of some comments that the checker finds false.

    Parameters
    ----------
    comments
        As :func:`chessgloss.commentary.methods.collect_comments` returns it.
    briefings
        What is known of the moves, by name.

    Returns
    -------
    pandas.DataFrame
        Columns of :data:`KEY` and ``evidence``, sorted by method, move and place.
    """
    answered = comments[comments["state"] == "answered"]
    rows = [
        (row.method, row.move, one.claim.text, one.claim.kind, one.evidence)
        for row in answered.sort_values(["method", "move"]).itertuples(index=False)
        for one in false_of(verify(row.text, briefings[row.move].move, briefings[row.move].verdict))
    ]
    return pd.DataFrame(rows, columns=[*KEY, "evidence"]).drop_duplicates(KEY, ignore_index=True)


def draw(accusations: pd.DataFrame, most: Mapping[str, int], seed: int) -> pd.DataFrame:
    """Return some accusations of each method, drawn without a look at them.

    Parameters
    ----------
    accusations
        As :func:`accuse` returns it.
    most
        How many of each method; all that it has if these are fewer.
    seed
        Seed of the draw, the same for each method.
    """
    drawn = []
    for method, rows in accusations.groupby("method"):
        number = min(most.get(str(method), 0), len(rows))
        chosen = np.random.default_rng(seed).permutation(len(rows))[:number]
        drawn.append(rows.iloc[np.sort(chosen)])
    return pd.concat(drawn, ignore_index=True)


def read_reading(path: Path) -> Reading:
    """Read accusations with their labels.

    Raises
    ------
    ValueError
        If one is named twice, or has no label or no reason.
    """
    stored: dict[str, Any] = json.loads(path.read_text("utf-8"))
    rows = pd.DataFrame(stored["accusations"])
    if rows.duplicated(KEY).any():
        raise ValueError(f"{path} names an accusation twice")
    if not all(isinstance(label, bool) for label in rows["right"]) or not rows["reason"].all():
        raise ValueError(f"{path} has an accusation without a label or a reason")
    return Reading(stored["checker_sha256"], stored["seed"], stored["most"], rows)
