"""What the judge is given: contexts from briefings, comments from a table, and their rulings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chessgloss.commentary.briefings import Briefing
from chessgloss.commentary.collection import as_table, collect_comments
from chessgloss.commentary.methods import Comment
from chessgloss.commentary.selection import EvaluatedMove
from chessgloss.facts.context import linearise
from chessgloss.llm import Client, Request
from chessgloss.pairwise.judging import Rulings
from chessgloss.pairwise.questions import (
    METHODS,
    Comments,
    alone_requests,
    pairwise_requests,
)
from chessgloss.pairwise.ruling import rule_on

_ASKED = ("llm", "llm_expert", "ccc")


def compared_comments(
    moves: Sequence[EvaluatedMove],
    briefings: Mapping[str, Briefing],
    client: Client,
    verified: Mapping[str, Comment],
) -> pd.DataFrame:
    """Return the comments of the five methods compared, in the form of ``collect_comments``.

    Parameters
    ----------
    moves
        The moves, each with its human comment.
    briefings
        What is known of them, by name.
    client
        Replays the answers of the methods that ask a model once.
    verified
        The comments of ``ccc_verified`` by the name of their move.
    """
    asked = collect_comments(moves, briefings, client, _ASKED)
    more = as_table(moves, [[verified.get(one.name) for one in moves]])
    both = pd.concat([asked, more.astype(asked.dtypes)], ignore_index=True)
    return both[both["method"].isin(METHODS)].reset_index(drop=True)


def comments_of(table: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Return the comments of a table by move and method; those not answered are left out."""
    found: dict[str, dict[str, str]] = {}
    for row in table.itertuples(index=False):
        told = found.setdefault(str(row.move), {})
        if row.state == "answered":
            told[str(row.method)] = str(row.text)
    return found


def contexts_of(briefings: Sequence[Briefing]) -> dict[str, str]:
    """Return the feature context of each move by its name."""
    return {one.name: linearise(one.facts()) for one in briefings}


def rulings_of(briefings: Sequence[Briefing], comments: Comments) -> Rulings:
    """Return what the hard rule says of every comment, by move and method."""
    rulings = {}
    for briefing in briefings:
        facts = briefing.facts()
        for method, text in comments[briefing.name].items():
            rulings[briefing.name, method] = rule_on(text, facts, briefing.verdict)
    return rulings


def every_request(
    briefings: Sequence[Briefing], comments: Comments, methods: Sequence[str] = METHODS
) -> list[Request]:
    """Return all questions of the chapter: every pair in both orders, then each comment alone."""
    contexts = contexts_of(briefings)
    pairs = pairwise_requests(contexts, comments, methods)
    return [*pairs, *alone_requests(contexts, comments, methods)]
