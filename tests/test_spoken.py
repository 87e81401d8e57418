"""What experts speak of, against orders of the concepts: hand-worked recalls."""

import chess
import numpy as np
import pandas as pd
import pytest

from chessgloss.commentary import spoken
from chessgloss.corpora.lectures import Lecture
from chessgloss.positions import CommentedMove, Position, read_move

START = Position(chess.STARTING_FEN)


def comment(text: str, source: str, san: str = "Nf3") -> CommentedMove:
    return CommentedMove(read_move(START, san), text, source, 0)


def test_a_move_counts_once_with_its_first_comment():
    said = {"lec1": ["One.", "Two."], "lec2": ["Three."]}
    lectures = [
        Lecture(name, [comment(text, name) for text in texts])
        for name, texts in said.items()
    ]
    found = spoken.first_comments(lectures)
    assert [each.comment for each in found] == ["One.", "Three."]


def test_a_concept_is_named_by_its_words():
    named = spoken.named_concepts(
        [comment("The knights attack.", "a"), comment("Fine.", "a")]
    )
    assert named["Knights"].tolist() == [True, False]
    assert "Mobility" in named


def test_frequencies_are_those_of_other_lectures():
    comments = [
        comment("The knight.", "a"),
        comment("The knight.", "b"),
        comment("Fine.", "b", "e4"),
    ]
    named = spoken.named_concepts(comments)
    orders = spoken.orders_by_frequency(comments, named)
    often = orders["frequency"]["Knights"]
    assert often.tolist() == [0.5, 1, 1]
    # of lecture b one knight move, which names knights, and twenty of all its moves' mean
    by_kind = orders["by_kind"]
    assert by_kind.at[0, "Knights"] == pytest.approx(11 / 21)
    assert not orders["random"].to_numpy().any()


def test_recall_counts_ties_by_the_mean_over_their_orders_and_others_by_other_lectures():
    concepts = ["a", "b", "c"]
    named = pd.DataFrame([[1, 0, 0], [1, 1, 0]], columns=concepts, dtype=bool)
    orders = pd.DataFrame([[3.0, 2, 1], [0, 0, 0]], columns=concepts)
    lectures = pd.Series(["x", "y"])
    found = spoken.recall(orders, named, lectures, first=1)
    # the second order is one tie: each of three is first in a third of its orders
    recall = found["recall"]
    assert recall.tolist() == pytest.approx([1, 1 / 3])
    # of what the first names the other's order has a third; the other way it has one of two
    elsewhere = found["elsewhere"]
    assert elsewhere.tolist() == pytest.approx([1 / 3, 1 / 2])


def test_orders_by_change_ask_the_oracle_and_the_network():
    pytest.importorskip("torch")
    orders = spoken.orders_by_change(
        [comment("Fine.", "a"), comment("Fine.", "a", "e4")]
    )
    assert {*orders} == {"stockfish8", "published", "learned"}
    for order in orders.values():
        assert order.shape == (2, 12)
        assert np.isfinite(order).all(axis=None)
