"""Agreement, correlation and the paired test: hand-worked values and a second library."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from scipy import stats
from statsmodels.stats import inter_rater

from chessgloss.agreement import (
    bootstrap,
    category_counts,
    crossed_mean,
    fleiss_kappa,
    kendall,
    krippendorff_alpha,
    pearson,
    ranks,
    sign_flip_p,
)

NAN = float("nan")

#: Four observers and twelve units, some not observed: the worked example of Krippendorff,
#: "Computing Krippendorff's Alpha-Reliability" (2011), section C.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [
        ([[3, 0], [1, 2]], 0.25),  # P = (1 + 1/3)/2, chance (4/6)² + (2/6)²
        ([[2, 0], [0, 2]], 1.0),
        ([[1, 1], [1, 1]], -1.0),
        ([[4, 0], [4, 0]], NAN),  # one category only: nothing to agree on
    ],
)
def test_fleiss_kappa_by_hand(counts, kappa):
    assert fleiss_kappa(counts) == pytest.approx(kappa, nan_ok=True)


def test_fleiss_kappa_is_that_of_statsmodels():
    random = np.random.default_rng(0)
    for raters in (2, 5, 9):
        counts = random.multinomial(raters, [0.5, 0.2, 0.2, 0.1], size=40)
        assert fleiss_kappa(counts) == pytest.approx(inter_rater.fleiss_kappa(counts))


@pytest.mark.parametrize("counts", [[[2, 1], [1, 1]], [[1, 0], [0, 1]]])
def test_kappa_needs_equally_many_raters(counts):
    with pytest.raises(ValueError, match="same number of raters"):
        fleiss_kappa(counts)


def test_counting_leaves_rows_with_gaps_out():
    assert category_counts([[1, 3, 3], [2, NAN, 1], [2, 2, 2]], 3).tolist() == [
        [1, 0, 2],
        [0, 3, 0],
    ]


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_the_published_example(level: str, alpha: float):
    assert krippendorff_alpha(OBSERVERS, level) == pytest.approx(alpha, abs=5e-4)


def test_alpha_by_hand():
    assert krippendorff_alpha([[1, 1], [1, 2]], "nominal") == pytest.approx(0)  # observed 2 of 2
    assert np.isnan(krippendorff_alpha([[2, 2], [2, 2]]))
    assert np.isnan(krippendorff_alpha([[1, NAN], [NAN, 2]]))
    with pytest.raises(ValueError, match="no level"):
        krippendorff_alpha(OBSERVERS, "ratio")


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_is_that_of_the_krippendorff_package(level: str):
    random = np.random.default_rng(1)
    data = np.clip(random.normal(3, 1, 60) + random.normal(0, 0.7, (5, 60)), 1, 5).round()
    data[random.random(data.shape) < 0.15] = NAN
    theirs = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
    assert krippendorff_alpha(data, level) == pytest.approx(theirs)


def test_ranks_share_the_best_place_and_need_every_score():
    found = ranks([[5, 3, 5, 1], [2, NAN, 4, 1]], axis=1)
    assert found[0].tolist() == [1, 3, 1, 4]
    assert np.isnan(found[1]).all()


def test_correlations_are_scipys_and_skip_gaps():
    random = np.random.default_rng(2)
    x = random.normal(size=50)
    y = np.round(x + random.normal(size=50))
    holes = x.copy()
    holes[:5] = NAN
    assert pearson(holes, y) == pytest.approx(stats.pearsonr(x[5:], y[5:]).statistic)
    assert kendall(holes, y) == pytest.approx(stats.kendalltau(x[5:], y[5:]).statistic)
    assert np.isnan(pearson([1, 1], [1, 2]))
    assert np.isnan(kendall([1, 2], [3, 3]))
    with pytest.raises(ValueError, match="pairs"):
        pearson([1, 2], [1])


@pytest.mark.parametrize(
    ("differences", "p"),
    [([1, 1, 1], 2 / 8), ([1, 2, 3], 2 / 8), ([1, -1], 1.0), ([3, 1, -1], 6 / 8)],
)
def test_the_sign_flip_test_by_hand(differences, p):
    assert sign_flip_p(differences, seed=0) == pytest.approx(p)


def test_the_sign_flip_test_is_scipys():
    random = np.random.default_rng(3)
    rows = random.normal(0.4, 1, (3, 10))
    for row, p in zip(rows, sign_flip_p(rows, seed=0), strict=True):
        theirs = stats.permutation_test(
            (row, np.zeros_like(row)),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
        )
        assert p == pytest.approx(theirs.pvalue)


def test_drawn_flips_come_near_the_t_test_and_never_say_zero():
    data = np.random.default_rng(4).normal(0.3, 1, 60)
    assert sign_flip_p(data, seed=1) == pytest.approx(stats.ttest_1samp(data, 0).pvalue, abs=0.01)
    assert sign_flip_p(np.full(60, 1.0), seed=1, flips=999) == pytest.approx(1 / 1000)
    assert sign_flip_p(data, seed=1) == sign_flip_p(data, seed=1)
    with pytest.raises(ValueError, match="missing"):
        sign_flip_p([1.0, NAN], seed=1)


def test_the_test_is_wrong_about_as_often_as_it_says():
    rows = np.random.default_rng(5).normal(size=(2_000, 30))
    assert np.mean(sign_flip_p(rows, seed=0, flips=2_000) < 0.05) == pytest.approx(0.05, abs=0.015)


def test_a_bootstrap_draws_whole_rows():
    data = np.repeat(np.random.default_rng(6).normal(size=80)[:, None], 4, axis=1)
    found = bootstrap(data, lambda one: float(one.mean()), seed=0)
    assert found.high - found.low == pytest.approx(2 * 1.96 * data.std() / np.sqrt(80), rel=0.2)
    with pytest.raises(ValueError, match="not defined"):
        bootstrap(data, lambda one: NAN, seed=0)


def test_the_mean_of_a_table_allows_for_other_raters():
    random = np.random.default_rng(1)
    held, alone = 0, 0
    for _ in range(500):
        table = (
            random.normal(size=(40, 1)) + random.normal(size=(1, 6)) + random.normal(size=(40, 6))
        )
        both, moves = crossed_mean(table), crossed_mean(table.mean(axis=1)[:, None])
        assert both.value == pytest.approx(moves.value)
        held += both.low <= 0 <= both.high
        alone += moves.low <= 0 <= moves.high
    assert held / 500 == pytest.approx(0.95, abs=0.03)
    assert alone / 500 < 0.7, "moves alone leave the raters out"


def test_one_column_gives_the_t_interval_and_gaps_are_left_out():
    column = np.array([1.0, 2.0, 4.0, 7.0])
    found = crossed_mean(column[:, None])
    theirs = stats.ttest_1samp(column, 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))
    assert found == crossed_mean(np.column_stack([column, np.full(4, np.nan)]))
    gaps = crossed_mean([[1.0, 2.0], [np.nan, 3.0], [4.0, 4.0]])
    assert (gaps.value, gaps.n) == (pytest.approx(14 / 5), 5)
    assert gaps.low < gaps.value < gaps.high
    assert crossed_mean([[2.0, 2.0]]).high == 2.0
    with pytest.raises(ValueError, match="at least one"):
        crossed_mean([[np.nan]])
