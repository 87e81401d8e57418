"""What is measured of a judge's answers: pairs won, the same comment asked in two ways, points.

Everything here takes frames as :func:`chessgloss.judges.gcc.scored` and
:func:`chessgloss.judges.pairwise.outcomes` return them, and gives frames or series back, a row an
observation, from which a chapter takes means and intervals.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from chessgloss.judges.strong import TWINS

#: Ways in which the same comment was asked about.
WAYS = ("more", "less")


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
    index = ["pair", "error", "move"]
    wide = scored.pivot(index=index, columns="variant", values="score")
    found = wide.reindex(columns=list(TWINS)).dropna().reset_index()
    return found.assign(won=(np.sign(found["true"] - found["broken"]) + 1) / 2)


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
    both = [each[["move", "method", "score"]] for each in (more, less)]
    found = both[0].merge(both[1], on=["move", "method"], suffixes=("_more", "_less"))
    found = found.rename(columns={f"score_{way}": way for way in WAYS})
    return found.assign(gain=found["more"] - found["less"])


def in_both_orders(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Return the outcomes of pairs that were read in both orders."""
    orders = outcomes.groupby(["move", "pair"])["points"].transform("size")
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
    both = in_both_orders(outcomes)
    pair = both[both["pair"] == " / ".join(sorted((kind, rival)))]
    points = pair["points"].where(pair["first"] == kind, 1 - pair["points"])
    return pair.assign(points=points)


def same_winner(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Return whether each pair has the same winner in both orders (two ties too), a row a pair.

    Columns ``move``, ``pair``, ``same`` and ``chance``: how often two answers on its two kinds,
    drawn apart, would have the same winner.
    """
    both = in_both_orders(outcomes)
    shares = both.groupby("pair")["winner"].value_counts(normalize=True)
    chance = (shares**2).groupby("pair").sum()
    counts = both.groupby(["move", "pair"])["winner"].nunique()
    found = (counts == 1).rename("same").reset_index()
    return found.assign(chance=found["pair"].map(chance))
