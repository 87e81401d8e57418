"""What the judge gave and what the program made of it, as tables and as steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

import pandas as pd

from chessgloss.pairwise.judging import Judged, Rulings
from chessgloss.pairwise.records import CRITERIA, Contradiction


def scores_table(judged: Iterable[Judged]) -> pd.DataFrame:
    """Return the scores that the judge gave, before the hard rule: two rows an answer.

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, ``method``, ``place`` (``A`` or ``B``), the criteria, ``total``.
    """
    rows = [
        (one.move, method, place, *scores, scores.total)
        for one in judged
        if one.ballot
        for method, place, scores in (
            (one.first, "A", one.ballot.a),
            (one.second, "B", one.ballot.b),
        )
    ]
    return pd.DataFrame(rows, columns=["move", "method", "place", *CRITERIA, "total"])


def contradiction_table(judged: Iterable[Judged]) -> pd.DataFrame:
    """Return which answers contradict themselves: a row for each that could be read.

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, one for each kind of contradiction, and ``any``; 1 where it does.
    """
    rows = [
        (one.move, *(float(kind in found) for kind in get_args(Contradiction)), float(bool(found)))
        for one in judged
        if one.ballot
        for found in [one.ballot.contradictions]
    ]
    return pd.DataFrame(rows, columns=["move", *get_args(Contradiction), "any"])


def ruling_table(rulings: Rulings) -> pd.DataFrame:
    """Return what the hard rule says of each comment.

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, ``method``, and as 0 or 1 ``disqualified``, ``false on the board``
        (one of its events is) and ``struck, not false`` (only the context lacks them).
    """
    rows = [
        (*key, one.disqualified, one.false_on_board, one.disqualified and not one.false_on_board)
        for key, one in rulings.items()
    ]
    shares = ["disqualified", "false on the board", "struck, not false"]
    table = pd.DataFrame(rows, columns=["move", "method", *shares])
    return table.astype(dict.fromkeys(shares, float))


def event_table(rulings: Rulings) -> pd.DataFrame:
    """Return how many claims of each event were made, by the board's word and the context's."""
    names = ["event", "board says", "in the context"]
    rows = [
        (event.name, event.checked.verdict, "yes" if event.in_context else "no")
        for ruling in rulings.values()
        for event in ruling.events
    ]
    table = pd.DataFrame(rows, columns=names)
    return table.groupby(names).size().rename("claims").reset_index()


def steps(one: Judged) -> dict[str, str]:
    """Return how an answer becomes a decision, step by step in words.

    Raises
    ------
    ValueError
        If the answer could not be read.
    """
    if one.ballot is None or one.ruled is None:
        raise ValueError(f"the answer on {one.move} could not be read: {one.trouble}")
    ballot = one.ballot
    return {
        "totals told": "{} and {}".format(*ballot.told_totals),
        "totals added up": f"{ballot.a.total} and {ballot.b.total}",
        "winner told": ballot.told,
        "winner by the scores": ballot.winner,
        "decided by": ballot.decision.by,
        "contradictions": ", ".join(ballot.contradictions) or "none",
        "hard rule": "no candidate is struck" if one.state == "read" else one.state,
        "winner after the rule": one.ruled.winner,
    }
