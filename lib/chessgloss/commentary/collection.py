"""The comments of every method on every evaluated move, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chessgloss.commentary.briefings import Briefing
from chessgloss.commentary.methods import CONCEPTS, METHODS, Comment, read_comment, request_comment
from chessgloss.commentary.selection import EvaluatedMove
from chessgloss.commentary.telling import Notation
from chessgloss.commentary.template import write_from_facts
from chessgloss.llm import Client

COLUMNS = ("move", "group", "method", "model", "state", "text", "words")


def model_comments(
    briefings: Sequence[Briefing],
    method: str,
    client: Client,
    *,
    notation: Notation = "fen",
    count: int = CONCEPTS,
    progress: bool = False,
) -> list[Comment]:
    """Return the comments of a method that asks a language model, in the order of briefings.

    Parameters
    ----------
    briefings
        The moves and what is known of them.
    method
        Name of a method in :data:`METHODS`.
    client
        Replays, records or asks.
    notation, count
        As in :func:`request_comment`.
    progress
        Whether to show a bar while a model is asked.
    """
    requests = [request_comment(one, method, notation=notation, count=count) for one in briefings]
    return [read_comment(answer, method) for answer in client.ask_many(requests, progress=progress)]


def collect_comments(
    moves: Sequence[EvaluatedMove],
    briefings: Mapping[str, Briefing],
    client: Client,
    methods: Sequence[str] = tuple(METHODS),
) -> pd.DataFrame:
    """Return the human comments, the template's and those of a model's methods.

    Parameters
    ----------
    moves
        The evaluated moves.
    briefings
        What is known of them, by name.
    client
        Of the language model.
    methods
        Names of methods in :data:`METHODS`.

    Returns
    -------
    pandas.DataFrame
        Columns :data:`COLUMNS`; a row for each move and method, in their order. A move that
        no human commented on has no row for ``reference``.
    """
    told = [briefings[one.name] for one in moves]
    human = [Comment(one.reference, "reference") if one.reference else None for one in moves]
    columns: list[Sequence[Comment | None]] = [human, list(map(write_from_facts, told))]
    columns += [model_comments(told, method, client) for method in methods]
    return as_table(moves, columns)


def as_table(
    moves: Sequence[EvaluatedMove], columns: Sequence[Sequence[Comment | None]]
) -> pd.DataFrame:
    """Return comments as a table with :data:`COLUMNS`; each of ``columns`` is a method's."""
    rows = [
        (one.name, one.group, each.method, each.model, each.state, each.text, each.words)
        for comments in columns
        for one, each in zip(moves, comments, strict=True)
        if each is not None
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
