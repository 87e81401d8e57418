from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chessgloss.audits import audit, our_cut, released_cut
from chessgloss.concepts import (
    ConceptVectors,
    Standard,
    cut_tails,
    fit_svm,
    own_terms,
    turn_terms,
)
from chessgloss.heldout import (
    HeldOut,
    accuracy,
    full_range,
    gain_difference,
    held_out,
    held_out_turned,
    score_in_view,
    table_of,
)
from chessgloss.probing import (
    Labelled,
    by_row,
    few_per_game,
    fit_concepts,
    fit_regression,
    matched_pairs,
    restrict,
)
from chessgloss.stats import wilson

TERMS = ("Material", "White Knights", "Black Knights")


@pytest.fixture(scope="module")
def planted() -> tuple[np.ndarray, Labelled]:
    """Activations in which the first two terms are linear, the third is noise."""
    random = np.random.default_rng(0)
    features = random.normal(size=(8_000, 20)).astype(np.float32) * 5 + 3
    values = np.stack(
        [features[:, 0], features[:, 1] - features[:, 2], random.normal(size=8_000)], axis=1
    )
    games = np.repeat(np.arange(800, dtype=np.int32), 10)
    parts = np.array(["train"] * 8 + ["validation", "test"])[games % 10]
    return features, Labelled(TERMS, values.astype(np.float32), games, parts)


def test_tails_are_the_lowest_and_highest_values():
    values = np.random.default_rng(1).normal(size=1_000)
    tails = cut_tails(values, seed=0)
    assert tails.positive.sum() == (~tails.positive).sum() == 50
    assert values[tails.rows[tails.positive]].min() >= np.sort(values)[-50]
    assert values[tails.rows[~tails.positive]].max() <= np.sort(values)[49]
    assert tails.distinct == (50, 50)
    assert tails.drawn == (0, 0)


def test_ties_are_drawn_by_lot_and_counted():
    values = np.zeros(1_000)
    values[:20] = -1
    first, second = (cut_tails(values, seed=seed) for seed in (0, 1))
    assert set(range(20)) <= set(first.rows[~first.positive].tolist())
    assert first.drawn == (30, 50)
    assert first.distinct == (2, 1)
    assert set(first.rows.tolist()) != set(second.rows.tolist())
    assert np.array_equal(first.rows, cut_tails(values, seed=0).rows)
    assert np.unique(first.rows).size == first.rows.size


@pytest.mark.parametrize("values", [np.ones(500), np.arange(10.0), [1.0, np.nan] * 100])
def test_what_has_no_tails_is_refused(values):
    with pytest.raises(ValueError, match="cannot cut tails"):
        cut_tails(values, seed=0)


def test_turning_terms_swaps_sides_for_black_and_undoes_itself():
    values = np.array([[1.0, 0.2, 0.5], [1.0, 0.2, 0.5]])
    turned = turn_terms(values, TERMS, [True, False])
    assert turned.tolist() == [[1.0, 0.2, 0.5], [-1.0, 0.5, 0.2]]
    assert turn_terms(turned, TERMS, [True, False]).tolist() == values.tolist()
    assert own_terms(TERMS) == ("Material", "Own Knights", "Opponent Knights")
    with pytest.raises(ValueError, match="Black Rooks"):
        turn_terms([[1.0]], ["White Rooks"], [False])


def test_a_planted_concept_is_found_and_noise_is_not(planted):
    features, labelled = planted
    fitted = fit_concepts(features, labelled, cs=(1e-3, 1e-2), seed=0)
    table = table_of(held_out(fitted, features, labelled), seed=0)
    assert table["accuracy"]["Material"].value > 0.97
    assert table["accuracy"]["White Knights"].value > 0.97
    chance = table["accuracy"]["Black Knights"]
    assert chance.low < 0.5 < chance.high
    directions = fitted.vectors.directions()
    assert directions[0, 0] > 0.95
    assert directions[1, 1] > 0.6
    assert directions[1, 2] < -0.6


def test_shuffled_labels_leave_nothing_to_find(planted):
    features, labelled = planted
    found = [
        accuracy(
            held_out(
                fit_concepts(features, labelled, cs=(1e-3,), seed=seed, shuffle=True),
                features,
                labelled,
            ),
            seed=0,
        ).value
        for seed in range(8)
    ]
    assert 0.4 < np.mean(found) < 0.6


def test_a_difference_is_paired_and_its_interval_narrower(planted):
    features, labelled = planted
    whole = held_out(fit_concepts(features, labelled, cs=(1e-3,), seed=0), features, labelled)
    less = features[:, 1:]
    without = held_out(fit_concepts(less, labelled, cs=(1e-3,), seed=0), less, labelled)
    gain = accuracy(whole, minus=without, seed=0)
    assert gain.value == pytest.approx(
        accuracy(whole, seed=0).value - accuracy(without, seed=0).value
    )
    assert gain.low > 0.05
    all_right = [HeldOut("x", np.arange(30) // 3, np.ones(30, bool), np.ones(30, np.float32))]
    assert accuracy(all_right, seed=0).low == pytest.approx(wilson(1, 10)[0])
    assert accuracy(all_right * 2, seed=0).low == pytest.approx(wilson(1, 10)[0])
    same = accuracy(whole, minus=whole, seed=0)
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_the_full_range_measures_what_the_tails_do_not(planted):
    features, labelled = planted
    fitted = fit_concepts(features, labelled, cs=(1e-3,), seed=0)
    table = full_range(fitted, features, labelled)
    assert table["r2"]["Material"] > 0.9
    assert table["spearman"]["White Knights"] > 0.9
    assert abs(table["r2"]["Black Knights"]) < 0.05
    assert 0.4 < table["auc"]["Black Knights"] < 0.6


def test_matched_pairs_share_material_and_are_near_in_the_other_terms(planted):
    _, labelled = planted
    tails = cut_tails(labelled.values[:, 0], seed=0)
    signatures = (labelled.games % 2).astype(np.int64)
    pairs = matched_pairs(labelled, tails, 0, signatures)
    assert len(pairs) > 20
    assert np.unique(pairs).size == pairs.size
    assert (signatures[pairs[:, 0]] == signatures[pairs[:, 1]]).all()
    assert (labelled.values[pairs[:, 0], 0] > labelled.values[pairs[:, 1], 0]).all()
    assert set(labelled.splits[pairs].ravel().tolist()) == {"test"}
    apart = np.abs(labelled.values[pairs[:, 0], 1:] - labelled.values[pairs[:, 1], 1:]).mean()
    shuffled = np.random.default_rng(0).permutation(pairs[:, 1])
    by_chance = np.abs(labelled.values[pairs[:, 0], 1:] - labelled.values[shuffled, 1:]).mean()
    assert apart < 0.8 * by_chance


def test_restricting_keeps_the_vectors_and_the_given_rows(planted):
    features, labelled = planted
    fitted = fit_concepts(features, labelled, cs=(1e-3,), seed=0)
    few = [tails.rows[::7] for tails in fitted.tails]
    cut = restrict(fitted, few)
    assert [len(tails.rows) for tails in cut.tails] == [len(rows) for rows in few]
    assert cut.vectors is fitted.vectors


def test_vectors_survive_their_file_and_a_foreign_file_is_named(tmp_path):
    vectors = ConceptVectors(
        ("A", "B"), np.eye(2, 3, dtype=np.float32), np.ones(2, np.float32), {"expert": "nnue"}
    )
    read = ConceptVectors.load(vectors.save(tmp_path / "v.safetensors"))
    assert read.names == vectors.names
    assert read.about == {"expert": "nnue"}
    np.testing.assert_array_equal(read.weights, vectors.weights)
    (tmp_path / "x.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match=r"x\.safetensors"):
        ConceptVectors.load(tmp_path / "x.safetensors")
    with pytest.raises(ValueError, match="as many"):
        ConceptVectors(("A",), np.eye(2, 3, dtype=np.float32), np.ones(2, np.float32), {})


def test_folding_the_standardisation_changes_no_score():
    random = np.random.default_rng(0)
    rows = random.normal(5, 3, size=(50, 4)).astype(np.float32)
    rows[:, 3] = 7
    standard = Standard.of(rows)
    weights, bias = random.normal(size=4), 0.3
    raw, offset = standard.fold(weights, bias)
    np.testing.assert_allclose(
        rows @ raw + offset, standard.apply(rows) @ weights + bias, rtol=1e-4, atol=1e-4
    )


def test_the_solver_agrees_with_an_exact_one_on_a_small_problem():
    from sklearn.svm import SVC

    random = np.random.default_rng(0)
    rows = random.normal(size=(300, 5)).astype(np.float32)
    labels = rows[:, 0] + 0.3 * random.normal(size=300) > 0
    weights, _ = fit_svm(rows, labels, c=0.1, seed=0)
    exact = SVC(kernel="linear", C=0.1).fit(rows, labels).coef_[0]
    cosine = weights @ exact / np.linalg.norm(weights) / np.linalg.norm(exact)
    assert cosine > 0.999


def test_positions_of_one_game_cannot_lie_in_two_parts():
    with pytest.raises(ValueError, match="two parts"):
        Labelled(("Material",), np.zeros((2, 1), np.float32), np.zeros(2, np.int32),
                 np.array(["train", "test"]))  # fmt: skip


def test_text_sorts_small_negatives_first_and_ten_before_two():
    values = np.array([-3.0, -0.01, 0.0, 2.0, 10.0] * 40, np.float32)
    order = np.arange(values.size)
    text = released_cut(values, as_text=True, order=order)
    low = values[
        np.concatenate([text.train, text.test])[~np.r_[text.train_positive, text.test_positive]]
    ]
    high = values[
        np.concatenate([text.train, text.test])[np.r_[text.train_positive, text.test_positive]]
    ]
    assert set(low.tolist()) == {np.float32(-0.01)}
    assert set(high.tolist()) == {2.0}
    number = released_cut(values, as_text=False, order=order)
    assert set(values[number.train[number.train_positive]].tolist()) == {10.0}
    assert set(values[number.train[~number.train_positive]].tolist()) == {-3.0}


def test_the_released_split_tests_on_one_end_of_each_tail():
    values = np.arange(1_000, dtype=np.float32)
    cut = released_cut(values, as_text=False, order=np.arange(1_000))
    assert values[cut.test[~cut.test_positive]].tolist() == [45, 46, 47, 48, 49]
    assert values[cut.test[cut.test_positive]].tolist() == [995, 996, 997, 998, 999]


def test_our_cut_tests_on_other_games_and_the_audit_has_every_cell(planted):
    features, labelled = planted
    cut = our_cut(labelled.values[:, 0], labelled.splits, seed=0)
    assert not set(labelled.games[cut.train]) & set(labelled.games[cut.test])
    found = audit(features, labelled, c=1e-3, seeds=(0, 1))
    assert {name: table.shape for name, table in found.items()} == {
        "released": (2, 3), "numeric": (2, 3), "ours": (2, 3),
    }  # fmt: skip
    assert found["ours"][:, 0].min() > 0.95


def test_few_rows_are_taken_of_each_game_by_lot():
    games = np.repeat(np.arange(50, dtype=np.int32), 10)
    rows = few_per_game(games, 3, seed=0)
    assert np.bincount(games[rows]).tolist() == [3] * 50
    assert rows.tolist() == sorted(rows.tolist())
    assert not np.array_equal(rows, few_per_game(games, 3, seed=1))
    assert few_per_game(games, 99, seed=0).tolist() == list(range(500))


def test_the_wrong_split_keeps_its_shares_and_forgets_the_games(planted):
    _, labelled = planted
    wrong = by_row(labelled, seed=0)
    assert sorted(wrong.splits.tolist()) == sorted(labelled.splits.tolist())
    assert np.unique(wrong.games).size == len(labelled)


def test_own_vectors_turned_back_are_right_for_both_colours(planted):
    features, labelled = planted
    white = np.arange(len(labelled)) % 2 == 0
    seen = np.where(white[:, None], features, features @ TURN)
    own = Labelled(
        TERMS, turn_terms(labelled.values, TERMS, white), labelled.games, labelled.splits
    )
    fitted = fit_concepts(seen, own, cs=(1e-3,), seed=0)
    found = held_out_turned(fitted, seen, labelled, white, seed=0)
    assert accuracy(found[:1], seed=0).value > 0.97


#: What turning the board does to the planted features: the material changes its sign.
TURN = np.diag([-1.0] + [1.0] * 19).astype(np.float32)


def test_regression_uses_the_whole_range_and_beats_the_tails_in_the_middle(planted):
    features, labelled = planted
    whole = fit_regression(features, labelled, alphas=(1.0, 100.0), seed=0)
    table = full_range(whole, features, labelled)
    assert table["r2"]["Material"] > 0.99
    between = full_range(fit_concepts(features, labelled, cs=(1e-3,), seed=0), features, labelled)
    assert table["r2"]["White Knights"] > between["r2"]["White Knights"]
    np.testing.assert_allclose(
        whole.vectors.scores(features[:5])[:, 0], labelled.values[:5, 0], atol=0.1
    )


@pytest.mark.parametrize("solver", ["svm", "logistic", "ridge"])
def test_every_solver_finds_the_planted_concept(planted, solver):
    features, labelled = planted
    fitted = fit_concepts(features, labelled, cs=(1e-2,), seed=0, solver=solver)
    assert accuracy(held_out(fitted, features, labelled)[:2], seed=0).value > 0.95


def test_c_may_be_chosen_for_each_concept_elsewhere(planted):
    features, labelled = planted
    fitted = fit_concepts(features, labelled, cs=[(1e-4,), (1e-3,), (1e-2,)], seed=0)
    assert fitted.c == (1e-4, 1e-3, 1e-2)
    same = fit_concepts(features, labelled, cs=(1e-3,), seed=0)
    np.testing.assert_array_equal(fitted.vectors.weights[1], same.vectors.weights[1])


def test_the_same_numbers_come_from_any_number_of_processes(planted):
    features, labelled = planted
    one, two = (
        fit_concepts(features, labelled, cs=(1e-3, 1e-2), seed=0, jobs=jobs) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.vectors.weights, two.vectors.weights)


def test_a_layer_seen_by_the_mover_is_scored_as_the_mover_sees_it(planted):
    """Such a layer once counted as poor because it was fitted on White's terms."""
    features, labelled = planted
    white = np.arange(len(labelled)) % 2 == 0
    seen = np.where(white[:, None], features, features @ TURN)
    found = {
        view: score_in_view(seen, labelled, white, view, c=1e-3, seed=0)
        for view in ("white", "mover")
    }
    material = {view: accuracy(one[:1], seed=0).value for view, one in found.items()}
    assert material["mover"] > 0.97
    assert material["white"] < 0.7
    assert [one.concept for one in found["mover"]] == list(TERMS)
    np.testing.assert_array_equal(found["mover"][0].positive, found["white"][0].positive)


def test_a_layer_seen_by_white_needs_no_turning(planted):
    features, labelled = planted
    white = np.arange(len(labelled)) % 2 == 0
    found = score_in_view(features, labelled, white, "white", c=1e-3, seed=0, part="validation")
    fitted = fit_concepts(features, labelled, cs=(1e-3,), seed=0)
    plain = held_out(fitted, features, labelled, "validation")
    np.testing.assert_array_equal(found[1].scores, plain[1].scores)


def test_two_gains_are_compared_on_the_same_draws_of_games(planted):
    """That one gain is larger than another does not follow from two overlapping intervals."""
    features, labelled = planted
    whole, less = (
        held_out(fit_concepts(one, labelled, cs=(1e-3,), seed=0), one, labelled)
        for one in (features, features[:, 1:])
    )
    gain = accuracy(whole, minus=less, seed=0)
    more = gain_difference((whole, less), (whole, whole), seed=0)
    assert (more.value, more.low, more.high) == pytest.approx((gain.value, gain.low, gain.high))
    none = gain_difference((whole, less), (whole, less), seed=0)
    assert (none.low, none.value, none.high) == pytest.approx((0, 0, 0))
    few = (
        [replace_rows(one, slice(None, None, 7)) for one in whole],
        [replace_rows(one, slice(None, None, 7)) for one in less],
    )
    wide = gain_difference(few, (whole, less), seed=0)
    assert wide.low < 0 < wide.high


def replace_rows(one, rows):
    return replace(one, games=one.games[rows], positive=one.positive[rows], scores=one.scores[rows])
