"""What is measured of a judge's answers, on answers made up by hand."""

import pandas as pd
import pytest

from chessgloss.judges import measures


def test_a_tie_is_half_a_pair_and_a_pair_without_a_score_is_none():
    rows = [(0, "true", 0.9), (0, "broken", 0.2), (1, "true", 0.5), (1, "broken", 0.5)]
    rows += [(2, "true", 0.1), (2, "broken", 0.3), (3, "true", 0.7)]
    scored = pd.DataFrame(rows, columns=["pair", "variant", "score"])
    found = measures.twins(scored.assign(error="wrong_side", move="m1"))
    assert found["pair"].tolist() == [0, 1, 2]
    assert found["won"].tolist() == [1, 0.5, 0]


def test_comments_asked_in_two_ways_stand_beside_each_other():
    frame = pd.DataFrame(
        [("m1", "ccc", 0.5), ("m1", "notes", 0.25), ("m2", "ccc", 0.75)],
        columns=["move", "method", "score"],
    )
    found = measures.beside(frame.assign(score=frame["score"] + 0.25), frame[:2])
    assert found[["move", "method"]].to_numpy().tolist() == [
        ["m1", "ccc"],
        ["m1", "notes"],
    ]
    assert found["gain"].tolist() == [0.25, 0.25]


OUTCOMES = pd.DataFrame(
    [
        ("m1", "a", "b", "a / b", "a", 1.0),
        ("m1", "b", "a", "a / b", "a", 0.0),
        ("m2", "a", "b", "a / b", "a", 1.0),
        ("m2", "b", "a", "a / b", "b", 1.0),
        ("m3", "a", "b", "a / b", "b", 0.0),
        ("m1", "b", "c", "b / c", "TIE", 0.5),
        ("m1", "c", "b", "b / c", "TIE", 0.5),
    ],
    columns=["move", "first", "second", "pair", "winner", "points"],
)


def test_points_are_those_of_one_kind_in_pairs_of_both_orders():
    found = measures.points_of(OUTCOMES, "a", "b")
    assert [*found["points"]] == [1, 1, 1, 0]
    turned = measures.points_of(OUTCOMES, "b", "a")
    assert [*turned["points"]] == [0, 0, 0, 1]
    tied = measures.points_of(OUTCOMES, "c", "b")
    assert [*tied["points"]] == [0.5, 0.5]


def test_a_winner_stays_or_not_and_chance_has_the_judges_own_shares():
    found = measures.same_winner(OUTCOMES)
    same = found.set_index(["move", "pair"])["same"].to_dict()
    assert same == {
        ("m1", "a / b"): True,
        ("m2", "a / b"): False,
        ("m1", "b / c"): True,
    }
    chance = found.set_index("pair")["chance"]
    of_pair = [*chance["a / b"]]
    assert of_pair == pytest.approx([10 / 16, 10 / 16])
    assert chance["b / c"] == 1
