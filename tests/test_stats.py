"""Intervals, paired tests, agreement and correlation: hand-worked values and simulated coverage."""

import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from chessgloss import stats
from scripts import refuses

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
    ("words", "wrong", "given"),
    [
        ("finite", stats.mean_interval, ([],)),
        ("finite", stats.mean_interval, ([1.0, NAN],)),
        ("finite", stats.mean_interval, ([float("inf")],)),
        ("outside", stats.Interval, (2, 0, 1, 5)),
        ("one shape", stats.paired_permutation, ([1, 2], [1])),
        ("finite", stats.paired_difference, ([1, NAN], [0, 1])),
        ("both kinds", stats.area_under_curve, ([1, 2], [1, 1])),
        ("both kinds", stats.area_under_curve, ([1, NAN], [0, 1])),
        ("at least one", stats.share, (0, 0)),
        ("at least one", stats.share, (3, 2)),
        ("at least one", stats.share, (-1, 2)),
        ("zeros and ones", stats.share_of, ([],)),
        ("zeros and ones", stats.share_of, ([0.5],)),
        ("missing", stats.sign_flip_p, ([1.0, NAN],)),
        ("at least one", stats.crossed_mean, ([[NAN]],)),
        ("not defined", stats.bootstrap, ([1.0, 2.0], lambda rows: NAN)),
    ],
)
def test_what_has_no_measure_is_refused(words, wrong, given):
    seed = {"seed": 0} if "seed" in inspect.signature(wrong).parameters else {}
    refuses(ValueError, words, wrong, *given, **seed)


def test_rows_of_one_game_count_as_one():
    games = np.repeat(np.arange(100), 50)
    data = np.random.default_rng(0).normal(size=100)[games]
    wide = stats.mean_interval(data, games, seed=1)
    narrow = stats.mean_interval(data, seed=1)
    ratio = (wide.high - wide.low) / (narrow.high - narrow.low)
    assert ratio == pytest.approx(np.sqrt(50), rel=0.15)
    assert stats.mean_interval(data, games, seed=1) == wide
    alike = np.repeat([0.5, 0.6, 0.4, 0.7], 25)
    signs = stats.paired_permutation(
        alike, 0 * alike, np.repeat(list("abcd"), 25), seed=0
    )
    assert signs.p > 0.1  # 2 of 16
    assert stats.paired_permutation(alike, 0 * alike, seed=0).p < 0.001


def test_means_of_groups_are_the_means_of_their_rows():
    frame = pd.DataFrame(
        {"level": [5, 5, 9, 9], "game": [0, 1, 2, 2], "loss": [1.0, 3, 4, 8]}
    )
    found = stats.means_by(frame, "level", "loss", cluster="game", seed=0)
    assert found[5] == stats.mean_interval([1, 3], seed=0)
    assert (found[9].value, found[9].low, found[9].high) == (6, 6, 6)
    assert (
        stats.means_by(frame, ["level", "game"], "loss", cluster="game", seed=0)[
            5, 1
        ].value
        == 3
    )


def test_intervals_are_written_in_brackets_and_stars_mark_small_p():
    assert f"{stats.Interval(0.5, 0.25, 0.75, 9):.2f}" == "0.50 [0.25, 0.75]"
    assert (
        f"{stats.Paired(stats.Interval(0.5, 0.4, 0.6, 9), 0.0005):.1f}"
        == "0.5 [0.4, 0.6]*"
    )
    assert (
        f"{stats.Paired(stats.Interval(0.5, 0.4, 0.6, 9), 0.001):.1f}"
        == "0.5 [0.4, 0.6]"
    )


def test_the_area_under_the_curve_is_scikit_learns():
    from sklearn.metrics import roc_auc_score

    random = np.random.default_rng(4)
    labels = random.random(150) < 0.4
    scores = np.round(random.normal(size=150) + labels, 1)  # with ties
    found = stats.area_under_curve(scores, labels, seed=0)
    assert found.value == pytest.approx(roc_auc_score(labels, scores))
    assert found.low < found.value < found.high
    half = 1.96 * np.sqrt(found.value * (1 - found.value) / labels.sum())
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.5)
    apart = stats.area_under_curve([1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 1, 1], seed=0)
    assert (apart.value, apart.high) == (1, 1)
    assert apart.low == pytest.approx(stats.wilson(1, 2)[0]), "a doubt is always left"


@pytest.mark.parametrize("values", [np.zeros(63), np.ones(63)])
def test_a_share_of_none_or_all_has_an_interval(values):
    found = stats.mean_interval(values, seed=0)
    assert found.high - found.low == pytest.approx(
        0.0575, abs=0.0005
    )  # 0 of 63 allows 5.7 %
    games = np.repeat(np.arange(21), 3)
    wide = stats.mean_interval(values, games, seed=0)
    assert wide.high - wide.low == pytest.approx(stats.wilson(0, 21)[1])
    assert (wide.value, wide.n) == (values[0], 63)


def test_rows_that_are_alike_within_clusters_count_less():
    counts = np.full(50, 4)
    assert stats.effective_size(np.tile([1, 3], 25), counts) <= 200
    every = stats.effective_size(np.tile([4, 0], 25), counts)
    assert every == pytest.approx(
        50, rel=0.08
    )  # Student's factor of 49 degrees: 5 % less
    assert stats.effective_size([0, 0, 0], [5, 1, 2]) == 3
    assert stats.effective_size([3], [7]) == 1
    assert stats.effective_size([1, 0, 1], [1, 1, 1]) == 3
    assert stats.mean_interval([True, False, True], seed=1) == stats.share(2, 3)


def shares_in_clusters(share, alike, random):
    """Draw zeros and ones in 40 clusters of 1 to 5 rows, ``alike`` within a cluster."""
    scale = (1 - alike) / alike
    likely = random.beta(share * scale, (1 - share) * scale, size=40)
    index = np.repeat(np.arange(40), random.integers(1, 6, size=40))
    return (random.random(index.size) < likely[index]).astype(float), index


def two_shares(first, second, random):
    """Draw 63 pairs of zeros and ones that are never both one."""
    drawn = random.random(63)
    return drawn < first, (drawn >= first) & (drawn < first + second)


@pytest.mark.parametrize(
    ("truth", "measure", "draw"),
    [
        # A percentile bootstrap holds a share of 0.01 in less than seven of ten samples.
        (
            0.01,
            stats.mean_interval,
            lambda random: [(random.random(120) < 0.01).astype(float)],
        ),
        (
            0.05,
            stats.mean_interval,
            lambda random: shares_in_clusters(0.05, 0.5, random),
        ),
        (0.3, stats.mean_interval, lambda random: shares_in_clusters(0.3, 0.1, random)),
        (0.5, stats.mean_interval, lambda random: shares_in_clusters(0.5, 0.9, random)),
        # Plain percentiles hold the mean of 6 rows in 86 of 100 samples, of 20 in 92.
        (0, stats.mean_interval, lambda random: [random.normal(size=6)]),
        (0, stats.mean_interval, lambda random: [random.normal(size=20)]),
        (0.02, stats.paired_difference, lambda random: two_shares(0.02, 0.0, random)),
        (0.2, stats.paired_difference, lambda random: two_shares(0.3, 0.1, random)),
    ],
)
def test_intervals_hold_the_truth_about_95_times_and_are_never_empty(
    truth, measure, draw
):
    random = np.random.default_rng(11)
    found = [measure(*draw(random), seed=trial) for trial in range(600)]
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.91
    assert all(one.low < one.high for one in found)


def test_shares_that_never_differed_may_still_differ():
    same = np.tile([0.0, 1.0], 100)
    found = stats.paired_permutation(same, same, seed=0).difference
    assert (found.value, found.n, found.low) == (0, 200, -found.high)
    assert found.high == pytest.approx(
        1.96 * np.sqrt(2 / 202 / 202), rel=0.02
    )  # by hand
    games = np.repeat(np.arange(40), 5)
    assert stats.paired_difference(same, same, games, seed=0).high > 2 * found.high


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_shares_have_wilsons_interval(count, total, low, high):
    """Worked by hand; the last row is Newcombe's (1998) first example."""
    found = stats.share(count, total)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    assert found.value == count / total
    assert stats.share_of([1.0] * count + [0.0] * (total - count)) == found


@pytest.mark.parametrize(
    ("ratings", "kappa"),
    [
        (
            [[1, 1, 1], [1, 2, 2], [1, NAN, 2]],
            0.25,
        ),  # P = (1 + 1/3)/2, chance (4/6)² + (2/6)²
        ([[1, 1], [2, 2]], 1.0),
        ([[1, 2], [2, 1]], -1.0),
        ([[1, 1], [1, 1]], NAN),  # one category only: nothing to agree on
        ([[1, NAN]], NAN),
    ],
)
def test_fleiss_kappa_by_hand(ratings, kappa):
    assert stats.fleiss_kappa(ratings, 3) == pytest.approx(kappa, nan_ok=True)


def test_alpha_of_the_published_example():
    assert stats.krippendorff_alpha(OBSERVERS) == pytest.approx(0.815, abs=5e-4)


def test_ranks_share_the_best_place_and_need_every_score():
    found = stats.ranks([[5, 3, 5, 1], [2, NAN, 4, 1]], axis=1)
    assert found[0].tolist() == [1, 3, 1, 4] and np.isnan(found[1]).all()


def test_the_sign_flip_test_is_scipys_and_never_says_zero():
    random = np.random.default_rng(3)
    rows = random.normal(0.4, 1, (3, 10))
    many = random.normal(0.3, 1, 60)
    for row, p in zip(rows, stats.sign_flip_p(rows, seed=0), strict=True):
        both = (row, 0 * row)
        options = {"permutation_type": "samples", "n_resamples": np.inf}
        theirs = scipy.stats.permutation_test(
            both, lambda x, y: np.mean(x - y), **options
        )
        assert p == pytest.approx(theirs.pvalue)
    theirs = scipy.stats.ttest_1samp(many, 0)
    assert stats.sign_flip_p(many, seed=1) == pytest.approx(theirs.pvalue, abs=0.01)
    assert stats.sign_flip_p(np.full(60, 1.0), seed=1, flips=999) == pytest.approx(
        1 / 1000
    )


def test_the_mean_of_a_table_allows_for_other_raters():
    random = np.random.default_rng(1)
    held, alone = 0, 0
    for _ in range(500):
        table = sum(random.normal(size=size) for size in ((40, 1), (1, 6), (40, 6)))
        both = stats.crossed_mean(table)
        moves = stats.crossed_mean(table.mean(axis=1)[:, None])
        assert both.value == pytest.approx(moves.value)
        held += both.low <= 0 <= both.high
        alone += moves.low <= 0 <= moves.high
    assert held / 500 == pytest.approx(0.95, abs=0.03)
    assert alone / 500 < 0.7, "moves alone leave the raters out"


def test_one_column_gives_the_t_interval_and_gaps_are_left_out():
    column = np.array([1.0, 2.0, 4.0, 7.0])
    found = stats.crossed_mean(column[:, None])
    theirs = scipy.stats.ttest_1samp(column, 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))
    assert found == stats.crossed_mean(np.column_stack([column, np.full(4, np.nan)]))
    gaps = stats.crossed_mean([[1.0, 2.0], [np.nan, 3.0], [4.0, 4.0]])
    assert (gaps.value, gaps.n) == (
        pytest.approx(14 / 5),
        5,
    ) and gaps.low < gaps.value < gaps.high
    assert stats.crossed_mean([[2.0, 2.0]]).high == 2.0


def test_a_correlation_is_scipys_and_its_interval_holds_it():
    random = np.random.default_rng(1)
    first = random.normal(size=80)
    second = first + random.normal(size=80)
    for kind, known in (
        ("pearson", scipy.stats.pearsonr),
        ("kendall", scipy.stats.kendalltau),
    ):
        found = stats.correlation(first, second, kind, seed=0)  # type: ignore[arg-type]
        assert found.value == pytest.approx(known(first, second).statistic)
        assert found.low < found.value < found.high
    r = stats.correlation(first, second, "pearson", seed=0)
    half = np.tanh(np.arctanh(r.value) + np.array([-1.96, 1.96]) / np.sqrt(77))
    assert (r.low, r.high) == pytest.approx(tuple(half), abs=0.08)
    gaps = stats.correlation([1, 2, 3, np.nan], [2, 4, 6, 0], "pearson", seed=0)
    assert (gaps.value, gaps.n) == (pytest.approx(1), 3)
    assert stats.correlation([1, 1, 1], [1, 2, 3], "pearson", seed=0) is None, (
        "a constant"
    )
