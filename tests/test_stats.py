"""Intervals, paired tests, agreement and correlation: hand-worked values and simulated coverage."""

import inspect
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from chessgloss import stats
from scripts import refuses

NAN = float("nan")

#: Four observers and twelve units, some not observed: the worked example of Krippendorff,
#: "Computing Krippendorff's Alpha-Reliability" (2011), section C.
OBSERVERS = np.genfromtxt(
    [
        "1   2 3 3 2 1 4 1 2 nan nan nan",
        "1   2 3 3 2 2 4 1 2 5   nan 3",
        "nan 3 3 3 2 3 4 2 2 5   1   nan",
        "1   2 3 3 2 4 4 1 2 5   1   nan",
    ]
)


@pytest.mark.parametrize(
    ("words", "wrong", "given"),
    [
        ("finite", stats.mean_interval, ([],)),
        ("finite", stats.mean_interval, ([float("inf")],)),
        ("outside", stats.Interval, (2, 0, 1, 5)),
        ("one shape", stats.paired_permutation, ([1, 2], [1])),
        ("finite", stats.paired_difference, ([1, NAN], [0, 1])),
        ("both kinds", stats.area_under_curve, ([1, 2], [1, 1])),
        ("at least one", stats.share, (3, 2)),
        ("at least one", stats.share, (-1, 2)),
        ("zeros and ones", stats.share_of, ([0.5],)),
        ("missing", stats.sign_flip_p, ([1.0, NAN],)),
        ("at least one", stats.crossed_mean, ([[NAN]],)),
        ("not defined", stats.bootstrap, ([1.0, 2.0], lambda rows: NAN)),
    ],
)
def test_what_has_no_measure_is_refused(words, wrong, given):
    seed = {}
    if "seed" in inspect.signature(wrong).parameters:
        seed["seed"] = 0
    refuses(ValueError, words, wrong, *given, **seed)


def test_rows_of_one_game_count_as_one():
    games = np.repeat(np.arange(100), 50)
    data = np.random.default_rng(0).normal(size=100)[games]
    wide = stats.mean_interval(data, games, seed=1)
    narrow = stats.mean_interval(data, seed=1)
    wide_length = wide.high - wide.low
    ratio = wide_length / (narrow.high - narrow.low)
    assert ratio == pytest.approx(np.sqrt(50), rel=0.15)
    assert stats.mean_interval(data, games, seed=1) == wide
    alike = np.repeat([0.5, 0.6, 0.4, 0.7], 25)
    letters = np.repeat(list("abcd"), 25)
    assert stats.paired_permutation(alike, 0 * alike, letters, seed=0).p > 0.1
    assert stats.paired_permutation(alike, 0 * alike, seed=0).p < 0.001


def test_means_of_groups_are_the_means_of_their_rows():
    columns = {
        "level": [5, 5, 9, 9],
        "game": [0, 1, 2, 2],
        "loss": [1.0, 3, 4, 8],
    }
    frame = pd.DataFrame(columns)
    found = stats.means_by(frame, "level", "loss", cluster="game", seed=0)
    assert found[5] == stats.mean_interval([1, 3], seed=0)
    assert found[9].value == 6
    both = stats.means_by(frame, ["level", "game"], "loss", cluster="game", seed=0)
    assert both[5, 1].value == 3


def test_intervals_are_written_in_brackets_and_stars_mark_small_p():
    share = stats.Interval(0.5, 0.25, 0.75, 9)
    assert f"{share:.2f}" == "0.50 [0.25, 0.75]"
    difference = stats.Interval(0.5, 0.4, 0.6, 9)
    assert f"{stats.Paired(difference, 0.0005):.1f}" == "0.5 [0.4, 0.6]*"
    assert f"{stats.Paired(difference, 0.001):.1f}" == "0.5 [0.4, 0.6]"


def test_the_area_under_the_curve_is_scikit_learns():
    from sklearn.metrics import roc_auc_score

    random = np.random.default_rng(4)
    labels = random.random(150) < 0.4
    exact = random.normal(size=150) + labels
    scores = np.round(exact, 1)  # with ties
    found = stats.area_under_curve(scores, labels, seed=0)
    assert found.value == pytest.approx(roc_auc_score(labels, scores))
    assert found.low < found.value < found.high
    apart = stats.area_under_curve(
        [1, 2, 3, 4, 5, 6],
        [0, 0, 0, 0, 1, 1],
        seed=0,
    )
    assert apart.value == apart.high == 1
    least, _ = stats.wilson(1, 2)
    assert apart.low == pytest.approx(least), "a doubt is always left"


@pytest.mark.parametrize("values", [np.zeros(63), np.ones(63)])
def test_a_share_of_none_or_all_has_an_interval(values):
    found = stats.mean_interval(values, seed=0)
    # None of 63 allows 5.7 %.
    assert found.high - found.low == pytest.approx(0.0575, abs=0.0005)
    wide = stats.mean_interval(values, np.repeat(np.arange(21), 3), seed=0)
    _, reach = stats.wilson(0, 21)
    assert wide.high - wide.low == pytest.approx(reach)


def test_rows_that_are_alike_within_clusters_count_less():
    counts = np.full(50, 4)
    assert stats.effective_size(np.tile([1, 3], 25), counts) <= 200
    opposite = np.tile([4, 0], 25)
    every = stats.effective_size(opposite, counts)
    # Student's factor of 49 degrees: 5 % less.
    assert every == pytest.approx(50, rel=0.08)
    assert stats.effective_size([0, 0, 0], [5, 1, 2]) == 3
    assert stats.effective_size([3], [7]) == 1
    assert stats.mean_interval([True, False, True], seed=1) == stats.share(2, 3)


def shares_in_clusters(share, alike, random):
    """Draw zeros and ones in 40 clusters of 1 to 5 rows, ``alike`` within a cluster."""
    scale = (1 - alike) / alike
    likely = random.beta(
        share * scale,
        (1 - share) * scale,
        size=40,
    )
    sizes = random.integers(1, 6, size=40)
    index = np.repeat(np.arange(40), sizes)
    hits = random.random(index.size) < likely[index]
    return hits.astype(float), index


def two_shares(first, second, random):
    """Draw 63 pairs of zeros and ones that are never both one."""
    drawn = random.random(63)
    second_only = (drawn >= first) & (drawn < first + second)
    return drawn < first, second_only


def one_share(share, random):
    """Draw 120 zeros and ones, each a cluster of its own."""
    hits = random.random(120) < share
    return [hits.astype(float)]


@pytest.mark.parametrize(
    ("truth", "measure", "draw"),
    [
        # A percentile bootstrap holds a share of 0.01 in less than seven of ten samples.
        (0.01, stats.mean_interval, partial(one_share, 0.01)),
        (0.05, stats.mean_interval, partial(shares_in_clusters, 0.05, 0.5)),
        (0.5, stats.mean_interval, partial(shares_in_clusters, 0.5, 0.9)),
        # Plain percentiles hold the mean of 6 rows in 86 of 100 samples.
        (0, stats.mean_interval, lambda random: [random.normal(size=6)]),
        (0.2, stats.paired_difference, partial(two_shares, 0.3, 0.1)),
    ],
)
def test_intervals_hold_the_truth_about_95_times_and_are_never_empty(
    truth, measure, draw
):
    random = np.random.default_rng(11)
    held = 0
    for trial in range(600):
        found = measure(*draw(random), seed=trial)
        assert found.low < found.high
        held += found.low <= truth <= found.high
    assert held / 600 >= 0.91


def test_shares_that_never_differed_may_still_differ():
    same = np.tile([0.0, 1.0], 100)
    found = stats.paired_permutation(same, same, seed=0).difference
    assert (found.value, found.low) == (0, -found.high)
    by_hand = 1.96 * np.sqrt(2 / 202 / 202)
    assert found.high == pytest.approx(by_hand, rel=0.02)
    games = np.repeat(np.arange(40), 5)
    wide = stats.paired_difference(same, same, games, seed=0)
    assert wide.high > 2 * found.high


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
    assert stats.share_of(np.arange(total) < count) == found


@pytest.mark.parametrize(
    ("ratings", "kappa"),
    [
        # P = (1 + 1/3)/2, chance (4/6)² + (2/6)²
        ([[1, 1, 1], [1, 2, 2], [1, NAN, 2]], 0.25),
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
    scores = [
        [5, 3, 5, 1],
        [2, NAN, 4, 1],
    ]
    found = stats.ranks(scores, axis=1)
    assert found[0].tolist() == [1, 3, 1, 4]
    assert np.isnan(found[1]).all()


def test_the_sign_flip_test_is_scipys_and_never_says_zero():
    random = np.random.default_rng(3)
    rows = random.normal(0.4, 1, (3, 10))
    found = stats.sign_flip_p(rows, seed=0)
    for row, p in zip(rows, found, strict=True):
        theirs = scipy.stats.permutation_test(
            (row, 0 * row),
            lambda x, y: np.mean(x - y),
            permutation_type="samples",
            n_resamples=np.inf,
        )
        assert p == pytest.approx(theirs.pvalue)
    least = stats.sign_flip_p(np.full(60, 1.0), seed=1, flips=999)
    assert least == pytest.approx(1 / 1000)


def test_the_mean_of_a_table_allows_for_other_raters():
    random = np.random.default_rng(1)
    held = 0
    for _ in range(500):
        moves = random.normal(size=(40, 1))
        raters = random.normal(size=(1, 6))
        found = stats.crossed_mean(moves + raters + random.normal(size=(40, 6)))
        held += found.low <= 0 <= found.high
    assert held / 500 == pytest.approx(0.95, abs=0.03)


def test_one_column_gives_the_t_interval_and_gaps_are_left_out():
    column = np.array([1.0, 2.0, 4.0, 7.0])
    found = stats.crossed_mean(column[:, None])
    theirs = scipy.stats.ttest_1samp(column, 0).confidence_interval()
    assert found.low == pytest.approx(theirs.low)
    assert found.high == pytest.approx(theirs.high)
    gaps = stats.crossed_mean([[1.0, 2.0], [NAN, 3.0], [4.0, 4.0]])
    assert (gaps.value, gaps.n) == (pytest.approx(14 / 5), 5)
    assert gaps.low < gaps.value < gaps.high
    assert stats.crossed_mean([[2.0, 2.0]]).high == 2.0


def test_a_correlation_is_scipys_and_its_interval_holds_it():
    random = np.random.default_rng(1)
    first = random.normal(size=80)
    noise = random.normal(size=80)
    second = first + noise
    known_of = {
        "pearson": scipy.stats.pearsonr,
        "kendall": scipy.stats.kendalltau,
    }
    for kind, known in known_of.items():
        found = stats.correlation(first, second, kind, seed=0)  # type: ignore[arg-type]
        assert found.value == pytest.approx(known(first, second).statistic)
        assert found.low < found.value < found.high
    gaps = stats.correlation([1, 2, 3, NAN], [2, 4, 6, 0], "pearson", seed=0)
    assert (gaps.value, gaps.n) == (pytest.approx(1), 3)
    assert stats.correlation([1, 1, 1], [1, 2, 3], "pearson", seed=0) is None
