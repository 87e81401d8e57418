"""What is measured of a judge's answers: pairs won, the same comment asked in two ways, points.

Everything here takes frames as :func:`chessgloss.judges.gcc.scored` and
:func:`chessgloss.judges.pairwise.outcomes` return them, and gives frames or series back, a row an
observation, from which a chapter takes means and intervals.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from chessgloss.judges.strong import TWINS


def twins(scored: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of comments and of their broken copies, a row a pair.

    Parameters
    ----------
    scored
        Columns ``pair``, ``error``, ``move``, ``variant`` and ``score``.

    Returns
    -------
    pandas.DataFrame
        Columns ``pair``, ``error``, ``move``, ``true``, ``broken`` and ``won``: 1 where the
        unbroken comment has the higher score, one half for a tie. Pairs that lack a score have no
        row.
    """
    wide = scored.pivot(
        index=["pair", "error", "move"],
        columns="variant",
        values="score",
    )
    sides = list(TWINS)
    found = wide.reindex(columns=sides)
    found = found.dropna()
    found = found.reset_index()
    gap = found["true"] - found["broken"]
    sign = np.sign(gap)
    found["won"] = (sign + 1) / 2
    return found


def beside(more: pd.DataFrame, less: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of comments that were asked about in two ways, a row a comment.

    Parameters
    ----------
    more, less
        Columns ``move``, ``method`` and ``score``; each comment once.

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, ``method``, ``more``, ``less`` and ``gain``, more less less. A comment
        that lacks one has no row.
    """
    comment = ["move", "method"]
    columns = [*comment, "score"]
    found = more[columns].merge(
        less[columns],
        on=comment,
        suffixes=("_more", "_less"),
    )
    names = {"score_more": "more", "score_less": "less"}
    found = found.rename(columns=names)
    found["gain"] = found["more"] - found["less"]
    return found


def in_both_orders(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Return the outcomes of pairs that were read in both orders."""
    pairs = outcomes.groupby(["move", "pair"])
    orders = pairs["points"].transform("size")
    return outcomes[orders == 2]


def points_of(outcomes: pd.DataFrame, kind: str, rival: str) -> pd.DataFrame:
    """Return what one kind of comment gets against another, pairs in both orders.

    Parameters
    ----------
    outcomes
        Of :func:`chessgloss.judges.pairwise.outcomes`.
    kind, rival
        Who gets the points, and against whom.

    Returns
    -------
    pandas.DataFrame
        The outcomes of the pair, with ``points`` those of ``kind``.
    """
    name = " / ".join(sorted((kind, rival)))
    both = in_both_orders(outcomes)
    pair = both[both["pair"] == name]
    points = pair["points"]
    of_second = 1 - points
    is_first = pair["first"] == kind
    return pair.assign(points=points.where(is_first, of_second))


def same_winner(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Return whether each pair has the same winner in both orders (two ties too), a row a pair.

    Columns ``move``, ``pair``, ``same`` and ``chance``: how often two answers on its two kinds,
    drawn apart, would have the same winner.
    """
    both = in_both_orders(outcomes)
    winners = both.groupby("pair")["winner"]
    shares = winners.value_counts(normalize=True)
    chance = (shares**2).groupby("pair").sum()
    answers = both.groupby(["move", "pair"])["winner"]
    found = answers.nunique().reset_index()
    found["same"] = found["winner"] == 1
    found["chance"] = found["pair"].map(chance)
    return found.drop(columns="winner")
