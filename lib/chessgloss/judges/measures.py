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
    wide = wide.reindex(columns=list(TWINS))
    found = wide.dropna().reset_index()
    ahead = found["true"] - found["broken"]
    found["won"] = (np.sign(ahead) + 1) / 2
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
    keys = ["move", "method"]
    first = more[[*keys, "score"]]
    second = less[[*keys, "score"]]
    found = first.merge(second, on=keys, suffixes=("_more", "_less"))
    found = found.rename(
        columns={
            "score_more": "more",
            "score_less": "less",
        }
    )
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
    both = in_both_orders(outcomes)
    name = " / ".join(sorted((kind, rival)))
    pair = both[both["pair"] == name].copy()
    stands_first = pair["first"] == kind
    pair["points"] = pair["points"].where(stands_first, 1 - pair["points"])
    return pair


def same_winner(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Return whether each pair has the same winner in both orders (two ties too), a row a pair.

    Columns ``move``, ``pair``, ``same`` and ``chance``: how often two answers on its two kinds,
    drawn apart, would have the same winner.
    """
    both = in_both_orders(outcomes)
    winners = both.groupby("pair")["winner"]
    shares = winners.value_counts(normalize=True)
    squares = shares**2
    chance = squares.groupby("pair").sum()
    read = both.groupby(["move", "pair"])["winner"]
    same = read.nunique() == 1
    found = same.rename("same").reset_index()
    found["chance"] = found["pair"].map(chance)
    return found
