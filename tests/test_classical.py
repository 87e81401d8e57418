"""BLEU and ROUGE against values worked by hand, correlations against scipy and by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from chessgloss.classical import MEASURES, correlations, similarities, similarity
from chessgloss.stats import correlation

HUMAN = "The knight attacks the queen"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HUMAN, {"bleu1": 1, "rouge1": 1, "rouge2": 1, "rougel": 1}),
        ("THE KNIGHT ATTACKS THE QUEEN", {"bleu1": 1, "rouge1": 1, "rouge2": 1, "rougel": 1}),
        ("White castles", {"bleu1": 0, "rouge1": 0, "rouge2": 0, "rougel": 0}),
        # 3 of 3 words, shorter by 5/3: exp(1 - 5/3); ROUGE-1 3/3 and 3/5; one pair of 2 and of 4
        (
            "the queen attacks",
            {"bleu1": math.exp(-2 / 3), "rouge1": 3 / 4, "rouge2": 1 / 3, "rougel": 1 / 2},
        ),
        # "the" is counted as often as the human text has it: 2 of 4
        ("the the the the", {"bleu1": 0.5 * math.exp(-1 / 4), "rouge1": 4 / 9}),
        # stems: "attacked" is "attacks" to ROUGE, not to BLEU
        ("the knight attacked the queen", {"bleu1": 4 / 5, "rouge1": 1, "rougel": 1}),
    ],
)
def test_measures_are_those_worked_by_hand(text: str, expected: dict[str, float]) -> None:
    found = similarity(text, HUMAN)
    assert set(found) == set(MEASURES)
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-6)


def test_an_empty_text_is_not_compared() -> None:
    with pytest.raises(ValueError, match="one is empty"):
        similarity(" ", HUMAN)


def test_only_answered_comments_on_moves_with_a_human_one_are_measured() -> None:
    comments = pd.DataFrame(
        [
            ("a/1", "reference", "answered", HUMAN),
            ("a/1", "llm", "answered", HUMAN),
            ("a/1", "ccc", "cut_off", ""),
            ("ccc/figA1", "llm", "answered", "Check."),
        ],
        columns=["move", "method", "state", "text"],
    )
    found = similarities(comments, {"a/1": HUMAN})
    assert found[["move", "method"]].values.tolist() == [["a/1", "llm"]]
    assert found["rougel"][0] == 1


def test_a_table_of_correlations_is_laid_out_as_the_papers() -> None:
    random = np.random.default_rng(0)
    scores = pd.DataFrame(random.normal(size=(40, 3)), columns=["bleu1", "gcc", "true"])
    scores["move"] = np.arange(40) // 2
    found = correlations(scores, ["bleu1", "gcc"], ["true"], "move", seed=0)
    assert found.index.tolist() == ["bleu1", "gcc"]
    assert found.columns.tolist() == [("true", "pearson"), ("true", "kendall")]
    cell = found.loc["gcc", ("true", "pearson")]
    assert cell == correlation(scores["gcc"], scores["true"], "pearson", scores["move"], seed=0)
