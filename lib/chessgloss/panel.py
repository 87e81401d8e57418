"""The comments that are put side by side before a judge, whatever wrote them.

One table holds what people, programs and the language model said of the evaluated moves;
the chapters on judging and the survey choose their methods from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chessgloss.commentary.briefing import Briefing, EvaluatedMove
from chessgloss.commentary.methods import METHODS as ASKED
from chessgloss.commentary.methods import Comment, collect_comments, comment_table
from chessgloss.llm import Client

#: Methods that ask no model, and the one whose comments were checked and written anew.
UNASKED = ("reference", "template", "gac", "ccc_verified")


def gather_comments(
    methods: Sequence[str],
    moves: Sequence[EvaluatedMove],
    briefings: Mapping[str, Briefing],
    client: Client,
    verified: Mapping[str, Comment] | None = None,
) -> pd.DataFrame:
    """Return the comments of some methods, as ``collect_comments`` gives its own.

    Parameters
    ----------
    methods
        Their names; the rows come in their order.
    moves
        The evaluated moves.
    briefings
        What is known of them, by name.
    client
        Replays the answers of the methods that ask a model.
    verified
        The comments of ``ccc_verified`` by the name of their move, where they are wanted.

    Raises
    ------
    ValueError
        For a method that is not known, or ``ccc_verified`` without its comments.
    """
    if unknown := [name for name in methods if name not in (*UNASKED, *ASKED)]:
        known = ", ".join(sorted((*UNASKED, *ASKED)))
        raise ValueError(f"no method {', '.join(unknown)}; there are {known}")
    if "ccc_verified" in methods and verified is None:
        raise ValueError("ccc_verified needs its comments; chessgloss.verified writes them")
    told = [briefings[one.name] for one in moves]
    table = collect_comments(moves, briefings, client, [one for one in methods if one in ASKED])
    more = [gac_comments(told)] if "gac" in methods else []
    more += [[verified.get(one.name) for one in moves]] if verified is not None else []
    if more:
        table = pd.concat(
            [table, comment_table(moves, more).astype(table.dtypes)], ignore_index=True
        )
    parts = [table[table["method"] == name] for name in methods]
    return pd.concat(parts, ignore_index=True)


def gac_comments(briefings: Sequence[Briefing]) -> list[Comment | None]:
    """Return what the recurrent baseline says of some moves."""
    from chessgloss.commentary.gac import Gac, ScoreFeatures

    network = Gac.load()
    scores = [ScoreFeatures.of(one.before, one.after) for one in briefings]
    return [
        Comment(network.comment(one.move, score), "gac")
        for one, score in zip(briefings, scores, strict=True)
    ]
