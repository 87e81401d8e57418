"""Many judged pairs together: swaps, the win matrix, Bradley-Terry, length control."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest

from chessgloss.pairwise.judging import Judged
from chessgloss.pairwise.records import Ballot, Scores
from chessgloss.pairwise.strengths import (
    bradley_terry,
    length_controlled,
    strengths,
    win_matrix,
    win_points,
)
from chessgloss.pairwise.swaps import (
    agreement,
    as_table,
    both_orders,
    first_wins,
    swap_consistency,
    tie_rate,
)

METHODS = ("strong", "middle", "weak")
LEVEL, UP = Scores(3, 3, 3, 3, 3, 3), Scores(4, 3, 3, 3, 3, 3)
BALLOTS = {"A": Ballot.of(UP, LEVEL), "B": Ballot.of(LEVEL, UP), "TIE": Ballot.of(LEVEL, LEVEL)}

Judge = Callable[[str, str], str]


def always_a(first: str, second: str) -> str:
    return "A"


def fair(first: str, second: str) -> str:
    return "A" if METHODS.index(first) < METHODS.index(second) else "B"


def never_decides(first: str, second: str) -> str:
    return "TIE"


def asked(judge: Judge, moves: int = 4) -> list[Judged]:
    return [
        Judged(f"m{move}", *pair, BALLOTS[judge(*pair)], BALLOTS[judge(*pair)])
        for move in range(moves)
        for pair in permutations(METHODS, 2)
    ]


@pytest.mark.parametrize(
    ("judge", "consistent", "ties", "first"),
    [(always_a, 0, 0, 1), (fair, 1, 0, 0.5), (never_decides, 1, 1, 0.5)],
)
def test_scripted_judges_show_their_bias(
    judge: Judge, consistent: float, ties: float, first: float
) -> None:
    judged = asked(judge)
    assert swap_consistency(judged, seed=1).value == consistent
    assert swap_consistency(judged, seed=1).n == 4 * 3
    assert tie_rate(judged, seed=1).value == ties
    assert first_wins(judged, seed=1).value == first


def test_a_tie_one_way_and_a_win_the_other_is_inconsistent() -> None:
    pair = ("strong", "weak")
    judged = [
        Judged("m0", *pair, BALLOTS["TIE"], BALLOTS["TIE"]),
        Judged("m0", *reversed(pair), BALLOTS["A"], BALLOTS["A"]),
    ]
    assert both_orders(as_table(judged))["consistent"].tolist() == [False]


def test_a_pair_that_was_read_one_way_only_tells_nothing_of_the_order() -> None:
    judged = [*asked(fair)[:1], Judged("m0", "middle", "strong", state="unreadable")]
    assert len(as_table(judged)) == 1
    assert both_orders(as_table(judged)).empty
    with pytest.raises(ValueError, match="need finite values, got 0"):
        swap_consistency(judged, seed=1)
    with pytest.raises(ValueError, match="need finite values, got 0"):
        swap_consistency([], seed=1)


def test_two_ways_of_judging_agree_or_not() -> None:
    once = [one for one in asked(fair) if fair(one.first, one.second) == "A"]
    assert agreement(asked(fair), once, seed=1).value == 1
    assert agreement(asked(always_a), once, seed=1).value == 0.5
    assert agreement(asked(fair), once[:1], seed=1).n == 2


def test_the_word_the_totals_and_the_rule_are_told_apart() -> None:
    told = Ballot(UP, LEVEL, "B", (19, 18))
    judged = [Judged("m0", "weak", "strong", told, told.limited(a=1), "A disqualified")]
    winners = {by: as_table(judged, by)["winner"].item() for by in ("word", "totals", "rule")}  # type: ignore[arg-type]
    assert winners == {"word": "strong", "totals": "weak", "rule": "strong"}


def test_the_win_matrix_counts_both_orders_and_halves_ties() -> None:
    judged = [*asked(fair, 1), Judged("m1", "weak", "strong", BALLOTS["TIE"], BALLOTS["TIE"])]
    matrix = win_matrix(as_table(judged), METHODS)
    assert matrix.loc["strong", "middle"] == 1
    assert matrix.loc["strong", "weak"] == pytest.approx(2.5 / 3)
    assert matrix.loc["weak", "strong"] == pytest.approx(0.5 / 3)
    assert matrix.isna().to_numpy().diagonal().all()
    assert win_points(as_table(judged), METHODS).shape == (2, 3, 3)


@pytest.mark.parametrize(
    ("won", "lost", "prior", "gap"),
    [(3, 1, 0, np.log(3)), (3, 1, 1, np.log(3.5 / 1.5)), (4, 0, 1, np.log(9)), (2, 2, 0, 0)],
)
def test_two_players_have_the_strengths_worked_by_hand(
    won: float, lost: float, prior: float, gap: float
) -> None:
    found = bradley_terry([[0, won], [lost, 0]], prior)
    assert found == pytest.approx([gap / 2, -gap / 2], abs=1e-8)


def test_the_fit_is_that_of_a_logistic_regression() -> None:
    statsmodels = pytest.importorskip("statsmodels.api")
    points = np.array([[0, 7, 9.5], [3, 0, 6], [0.5, 4, 0]])
    rows = np.array([[1.0, -1, 0], [1, 0, -1], [0, 1, -1]])
    pairs = list(combinations(range(3), 2))
    counts = np.array([[points[i, j], points[j, i]] for i, j in pairs])
    family = statsmodels.families.Binomial()
    fit = statsmodels.GLM(counts, rows[:, :2], family=family).fit()
    found = bradley_terry(points, prior=0)
    assert found[:2] - found[2] == pytest.approx(fit.params, abs=1e-6)


def test_known_strengths_are_found_again() -> None:
    true = np.array([1.0, 0.2, -0.1, -1.1])
    chance = 1 / (1 + np.exp(true[None] - true[:, None]))
    games = 4_000
    wins = np.random.default_rng(0).binomial(games, np.triu(chance, 1))
    points = np.triu(wins, 1) + np.tril((games - wins).T, -1)
    assert bradley_terry(points) == pytest.approx(true, abs=0.06)


def test_a_stack_of_tables_is_fitted_table_by_table() -> None:
    tables = np.random.default_rng(1).integers(0, 9, (5, 4, 4)) * (1 - np.eye(4))
    together = bradley_terry(tables)
    assert together == pytest.approx(np.array([bradley_terry(one) for one in tables]), abs=1e-7)


def test_methods_that_never_met_have_no_common_scale() -> None:
    apart = np.zeros((4, 4))
    apart[0, 1] = apart[2, 3] = 1
    for points in (apart, np.zeros((2, 2))):
        with pytest.raises(ValueError, match="methods that all met"):
            bradley_terry(points)


def test_strengths_are_in_order_with_their_intervals() -> None:
    found = strengths(as_table(asked(fair)), (*METHODS, "absent"), seed=1, resamples=50)
    assert list(found.index) == ["strong", "middle", "weak"]
    assert found["strong"].value == pytest.approx(-found["weak"].value)
    assert found["middle"].value == pytest.approx(0)
    assert [one.n for one in found] == [16, 16, 16]
    level = strengths(as_table(asked(always_a)), METHODS, seed=1, resamples=50)
    assert [one.value for one in level] == pytest.approx([0, 0, 0])


def test_intervals_hold_moves_together() -> None:
    """Answers of a move that are copies of each other make no interval narrower."""
    random = np.random.default_rng(2)
    judged = []
    for move in range(12):
        stronger = random.random() < 0.7
        for first, second in permutations(METHODS[:2], 2):
            word = "A" if (first == "strong") == stronger else "B"
            judged.append(Judged(f"m{move}", first, second, BALLOTS[word], BALLOTS[word]))
    once = strengths(as_table(judged), METHODS[:2], seed=1)["strong"]
    thrice = strengths(pd.concat([as_table(judged)] * 3), METHODS[:2], seed=1)["strong"]
    assert once.low < once.value < once.high
    assert thrice.high - thrice.low > 0.9 * (once.high - once.low)


def test_a_judge_of_length_is_found_out() -> None:
    """Longer wins whatever the method: at equal length all methods are level."""
    random = np.random.default_rng(3)
    words = {}
    for move in range(150):
        for mean, name in zip((30, 24, 18), METHODS, strict=True):
            words[f"m{move}", name] = int(random.normal(mean, 8))
    judged = []
    for move in range(150):
        for first, second in permutations(METHODS, 2):
            gap = words[f"m{move}", first] - words[f"m{move}", second]
            word = "A" if random.random() < 1 / (1 + np.exp(-gap / 10)) else "B"
            judged.append(Judged(f"m{move}", first, second, BALLOTS[word], BALLOTS[word]))
    rates, worth = length_controlled(as_table(judged), words, METHODS)
    assert worth == pytest.approx(1, abs=0.25)
    assert rates.loc["strong", "raw"] > 0.62
    assert rates["at equal length"].tolist() == pytest.approx([0.5] * 3, abs=0.06)


def test_length_control_leaves_a_judge_of_worth_alone() -> None:
    words = {(f"m{move}", name): 20 for move in range(4) for name in METHODS}
    rates, worth = length_controlled(as_table(asked(fair)), words, METHODS)
    assert worth == 0
    assert rates["raw"].tolist() == [1, 0.5, 0]
    assert rates["at equal length"].is_monotonic_decreasing
    assert rates.loc["middle", "at equal length"] == pytest.approx(0.5)
