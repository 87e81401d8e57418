"""What the judge is given: contexts from briefings, comments from a table, and their rulings."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pandas as pd

from chessgloss.commentary.briefing import Briefing
from chessgloss.facts import linearise
from chessgloss.llm import Request
from chessgloss.pairwise.judging import Rulings
from chessgloss.pairwise.questions import (
    METHODS,
    Comments,
    alone_requests,
    number_requests,
    pairwise_requests,
)
from chessgloss.pairwise.ruling import rule_on


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
    briefings: Sequence[Briefing],
    comments: Comments,
    methods: Sequence[str] = METHODS,
    lined: Collection[str] = (),
) -> list[Request]:
    """Return all questions of the chapter.

    The whole line on every pair of some moves, every pair of all moves number by number,
    both in both orders, and then each comment alone.

    Parameters
    ----------
    briefings
        What is known of the moves.
    comments
        By move and method.
    methods
        The methods compared.
    lined
        Names of the moves on which the whole line is asked for.
    """
    contexts = contexts_of(briefings)
    some = {name: context for name, context in contexts.items() if name in lined}
    return [
        *pairwise_requests(some, comments, methods),
        *number_requests(contexts, comments, methods),
        *alone_requests(contexts, comments, methods),
    ]
