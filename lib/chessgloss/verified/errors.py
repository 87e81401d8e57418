"""Table 2 by program: how many comments hold a false claim, of which cause, of which method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import numpy as np
import pandas as pd

from chessgloss.claims import Cause, Checked, causes, disqualifier, verify
from chessgloss.commentary.briefing import Briefing, speaks_of
from chessgloss.stats import RESAMPLES, Interval, cluster_weights, percentile_interval, wilson
from chessgloss.verified.records import false_of

#: The four causes of the CCC paper's Table 2, in its order.
CAUSES: tuple[Cause, ...] = get_args(Cause)

#: Concepts among which a comment's reach is counted, as many as ``ccc`` is given.
REACH = 5


def check_comments(comments: pd.DataFrame, briefings: Mapping[str, Briefing]) -> pd.DataFrame:
    """Check every usable comment of a table.

    Parameters
    ----------
    comments
        As :func:`chessgloss.commentary.methods.collect_comments` returns it.
    briefings
        What is known of the moves, by name.

    Returns
    -------
    pandas.DataFrame
        A row for each comment that was answered: ``move``, ``method``, ``words``, the numbers
        of ``claims`` and of those ``true``, ``false`` and ``open`` (not checkable), ``reach``
        (share of the five concepts that changed most which it speaks of), and as 0 or 1
        ``any`` (it holds a false claim), ``breach`` (one that the pairwise rubric's hard rule
        forbids) and each of :data:`CAUSES`.
    """
    usable = comments[comments["state"] == "answered"]
    rows = [
        {
            "move": row.move,
            "method": row.method,
            **count(row.text, briefings[row.move]),
        }
        for row in usable.itertuples(index=False)
    ]
    return pd.DataFrame(rows)


def count(text: str, briefing: Briefing) -> dict[str, float]:
    """Return the numbers of one comment (see :func:`check_comments`)."""
    checked = verify(text, briefing.move, briefing.verdict)
    false, found = false_of(checked), causes(checked)
    true = sum(one.verdict == "true" for one in checked)
    return {
        "words": len(text.split()),
        "claims": len(checked),
        "true": true,
        "false": len(false),
        "open": len(checked) - true - len(false),
        "reach": float(np.mean([speaks_of(text, one) for one in briefing.concepts[:REACH]])),
        "any": float(bool(false)),
        "breach": float(breaks_rule(checked)),
        **{cause: float(cause in found) for cause in CAUSES},
    }


def breaks_rule(checked: tuple[Checked, ...]) -> bool:
    """Tell whether a false claim is one that the pairwise rubric's hard rule forbids."""
    return any(disqualifier(one.claim) is not None for one in false_of(checked))


def ratio_by(
    frame: pd.DataFrame, by: str, top: str, bottom: str, *, cluster: str, seed: int
) -> pd.Series:
    """Return the sum of one column over the sum of another in each group, as intervals.

    Where nothing was counted at the top the interval ends where the clusters that may hold
    something (Wilson's limit for none of so many) would hold one each.

    Parameters
    ----------
    frame
        One row an observation.
    by
        Column that names the group.
    top, bottom
        Columns that are summed up.
    cluster
        Column of what is resampled as a whole.
    seed
        Seed of the resampling, the same for each group.
    """
    return pd.Series(
        {name: _ratio(rows, top, bottom, cluster, seed) for name, rows in frame.groupby(by)}
    )


def _ratio(rows: pd.DataFrame, top: str, bottom: str, cluster: str, seed: int) -> Interval:
    sums = rows.groupby(cluster)[[top, bottom]].sum().to_numpy(float)
    drawn = cluster_weights(len(sums), seed=seed, resamples=RESAMPLES) @ sums
    drawn = drawn[drawn[:, 1] > 0]
    above, below = sums.sum(axis=0)
    value = float(above / below)
    if not above:
        return Interval(value, value, wilson(0, len(sums))[1] * len(sums) / below, len(rows))
    samples = drawn[:, 0] / drawn[:, 1]
    return percentile_interval(value, samples, len(rows), clusters=len(sums))
