"""The comments that are judged, side by side: those of eight methods on the evaluated moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chessgloss.commentary.briefings import Briefing
from chessgloss.commentary.collection import as_table, collect_comments
from chessgloss.commentary.methods import Comment
from chessgloss.commentary.selection import EvaluatedMove
from chessgloss.llm import Client

#: The methods of our Table 5: the paper's five, the two that need no model or verify what it
#: says, and ``ccc`` without its concepts.
METHODS = (
    "reference",
    "gac",
    "template",
    "llm",
    "llm_expert",
    "ccc_none",
    "ccc",
    "ccc_verified",
)

_ASKED = ("llm", "llm_expert", "ccc_none", "ccc")


def judged_comments(
    moves: Sequence[EvaluatedMove],
    briefings: Mapping[str, Briefing],
    client: Client,
    verified: Mapping[str, Comment],
) -> pd.DataFrame:
    """Return the comments of :data:`METHODS`, as ``collect_comments`` gives its own.

    Parameters
    ----------
    moves
        The evaluated moves.
    briefings
        What is known of them, by name.
    client
        Replays the answers of the methods that ask a model.
    verified
        The comments of ``ccc_verified`` by the name of their move.
    """
    told = [briefings[one.name] for one in moves]
    asked = collect_comments(moves, briefings, client, _ASKED)
    more = as_table(moves, [gac_comments(told), [verified.get(one.name) for one in moves]])
    return pd.concat([asked, more.astype(asked.dtypes)], ignore_index=True)


def gac_comments(briefings: Sequence[Briefing]) -> list[Comment]:
    """Return what the recurrent baseline says of some moves."""
    from chessgloss.gac import Gac, ScoreFeatures

    network = Gac.load()
    scores = [ScoreFeatures.of(one.before, one.after) for one in briefings]
    return [
        Comment(network.comment(one.move, score), "gac")
        for one, score in zip(briefings, scores, strict=True)
    ]
