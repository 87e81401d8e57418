"""Which concepts experts speak of, against orders of the concepts by what a move changes.

A comment names a concept if it has a word listed for it. Comments seldom say whose concept they
mean, so that concepts are ordered and not terms: a concept takes the place of the first of its
sides. Tables have a row a comment and a column a concept.
"""

from __future__ import annotations

from collections.abc import Sequence

import chess
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chessgloss.commentary.briefing import names_concept
from chessgloss.corpora.lectures import Lecture
from chessgloss.facts.change import concept_and_side
from chessgloss.positions import CommentedMove
from chessgloss.scores import TERMS

#: Comments with the frequencies of all moves that a kind of move is given beside its own.
FALL_BACK = 20


def first_comments(lectures: Sequence[Lecture]) -> list[CommentedMove]:
    """Return the first comment on each commented move of lectures."""
    found = dict[tuple[str, str, str], CommentedMove]()
    for lecture in lectures:
        for each in lecture.comments:
            move = each.context
            found.setdefault((lecture.name, move.position.fen, move.uci), each)
    return [*found.values()]


def named_concepts(comments: Sequence[CommentedMove]) -> pd.DataFrame:
    """Return whether each comment names each concept."""
    concepts = sorted({concept_and_side(term)[0] for term in TERMS})
    return pd.DataFrame(
        {
            name: [names_concept(each.comment, name) for each in comments]
            for name in concepts
        }
    )


def orders_by_change(comments: Sequence[CommentedMove]) -> dict[str, pd.DataFrame]:
    """Return how much each move changes each concept: by Stockfish 8, and by two rankings.

    Asks Stockfish 8 and the expert network: ``stockfish8``, ``published``, ``learned``.
    """
    from chessgloss.concepts.changes import ask_oracle
    from chessgloss.concepts.priority import ChangeModel, load_method, weights_file

    before = [each.context.position.fen for each in comments]
    after = [each.context.after().fen for each in comments]
    terms = np.nan_to_num(ask_oracle([*before, *after]))
    change = terms[len(comments) :] - terms[: len(comments)]
    by_term = {
        "stockfish8": np.abs(change / ChangeModel.load(weights_file("nnue")).spread),
        "published": load_method("paper").score(before, after).priority,
        "learned": load_method("default").score(before, after).priority,
    }
    concept_of = [concept_and_side(term)[0] for term in TERMS]
    return {
        name: pd.DataFrame(values.T, concept_of).groupby(level=0).max().T
        for name, values in by_term.items()
    }


def orders_by_frequency(
    comments: Sequence[CommentedMove], named: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Return how often comments of other lectures name each concept.

    ``frequency`` looks at no move. ``by_kind`` counts moves of the same piece, captures apart, and
    :data:`FALL_BACK` comments with the frequencies of all moves. ``random`` is the same for all.
    """
    lectures = pd.Series([each.source for each in comments])
    kinds = pd.Series([_kind_of(each) for each in comments])
    overall = _in_other_lectures(named, pd.Series(0, lectures.index), lectures)
    alike = _in_other_lectures(named, kinds, lectures)
    often = overall[named.columns].div(overall["comments"], axis=0)
    mixed = alike[named.columns] + FALL_BACK * often
    return {
        "frequency": often,
        "by_kind": mixed.div(alike["comments"] + FALL_BACK, axis=0),
        "random": 0 * often,
    }


def _kind_of(comment: CommentedMove) -> str:
    board = comment.context.position.board()
    move = comment.context.move
    piece = board.piece_type_at(move.from_square)
    return f"{chess.piece_name(piece or chess.PAWN)} {board.is_capture(move)}"


def _in_other_lectures(
    named: pd.DataFrame, key: pd.Series, lectures: pd.Series
) -> pd.DataFrame:
    """Count comments, and those that name each concept, with the same key in other lectures."""
    counted = named.assign(comments=1)
    everywhere = counted.groupby(key).transform("sum")
    return everywhere - counted.groupby([key, lectures]).transform("sum")


def recall(
    orders: pd.DataFrame, named: pd.DataFrame, lectures: pd.Series, first: int = 3
) -> pd.DataFrame:
    """Return how many of the named concepts an order has among its first ones.

    Parameters
    ----------
    orders
        Higher comes first; ties count by the mean over all their orders.
    named
        Which concepts each comment names, at least one.
    lectures
        Of the comments.

    Returns
    -------
    pandas.DataFrame
        Columns ``recall`` (share of the named) and ``elsewhere``: what the orders of moves of other
        lectures have of them in the mean. The first less the second is due to the move.
    """
    spoken = named.to_numpy(float)
    hits = spoken @ _among_first(orders.to_numpy(float), first).T
    shares = hits / spoken.sum(axis=1, keepdims=True)
    of = lectures.to_numpy()
    elsewhere = np.average(shares, axis=1, weights=of[:, None] != of)
    return pd.DataFrame(
        {"recall": np.diag(shares), "elsewhere": elsewhere}, named.index
    )


def _among_first(scores: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    """Return the chance of each score of a row to be among the first, over the orders of ties."""
    above = (scores[:, None, :] > scores[..., None]).sum(axis=-1)
    level = (scores[:, None, :] == scores[..., None]).sum(axis=-1)
    return np.clip((first - above) / level, 0, 1)
