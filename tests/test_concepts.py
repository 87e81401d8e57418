"""Concepts: fitted on terms and on facts, scored on held-out games, rankings measured."""

import re
from dataclasses import replace
from functools import partial

import chess
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import ndcg_score

from chessgloss.concepts import facts, fit, scores, train_facts
from scripts import refuses, selfplay

#: What is planted: one term of both sides, and one of each side.
TERMS = ("Material", "White Knights", "Black Knights")
#: Where the games of planted facts belong, in turn.
PARTS = ("train", "train", "train", "validation", "test")

#: What turning the board does to the planted features: the material changes its sign.
TURN = np.diag([-1.0] + [1.0] * 19).astype(np.float32)


@pytest.fixture(scope="module")
def planted():
    """Activations in which the first two terms are linear, the third is noise."""
    random = np.random.default_rng(0)
    features = random.normal(size=(8_000, 20)).astype(np.float32) * 5 + 3
    values = np.stack(
        [features[:, 0], features[:, 1] - features[:, 2], random.normal(size=8_000)],
        axis=1,
    )
    games = np.repeat(np.arange(800, dtype=np.int32), 10)
    parts = np.array(["train"] * 8 + ["validation", "test"])[games % 10]
    return features, fit.Labelled(TERMS, values.astype(np.float32), games, parts)


def scored(
    features: np.ndarray, labelled: fit.Labelled, seed: int = 0, **options
) -> pd.DataFrame:
    """Fit on the training games, and score what was found on those held out."""
    fitted = fit.fit_concepts(
        features, labelled, **{"cs": (1e-3,), "seed": seed, **options}
    )
    return scores.held_out(fitted, features, labelled)


# ---------------------------------------------------------------- the two classes


def test_tails_are_the_lowest_and_highest_values_and_ties_are_drawn_by_lot():
    values = np.random.default_rng(1).normal(size=1_000)
    tails = fit.cut_tails(values, seed=0)
    assert tails.positive.sum() == (~tails.positive).sum() == 50
    assert values[tails.rows[tails.positive]].min() >= np.sort(values)[-50]
    assert values[tails.rows[~tails.positive]].max() <= np.sort(values)[49]
    values = np.repeat([-1.0, 0.0], [20, 980])
    first, second, again = (fit.cut_tails(values, seed=seed) for seed in (0, 1, 0))
    assert set(range(20)) <= set(first.rows[~first.positive].tolist())
    assert set(first.rows.tolist()) != set(second.rows.tolist())
    assert np.array_equal(first.rows, again.rows)
    for none in (
        np.ones(500),
        np.arange(10.0),
        [1.0, np.nan] * 100,
    ):
        refuses(ValueError, "cannot cut tails", fit.cut_tails, none, seed=0)


def test_turning_terms_swaps_sides_for_black_and_a_game_lies_in_one_part():
    values = np.array([[1.0, 0.2, 0.5], [1.0, 0.2, 0.5]])
    turned = fit.turn_terms(values, TERMS, [True, False])
    assert turned.tolist() == [[1.0, 0.2, 0.5], [-1.0, 0.5, 0.2]]
    refuses(
        ValueError, "Black Rooks", fit.turn_terms, [[1.0]], ["White Rooks"], [False]
    )
    with pytest.raises(ValueError, match="a game lies in two parts"):
        fit.Labelled(
            ("Material",), values, np.zeros(2, np.int32), np.array(["train", "test"])
        )


# ---------------------------------------------------------------- fits


def test_a_planted_concept_is_found_and_neither_noise_nor_shuffled_labels(planted):
    """Noise is told apart as by lot, and so are labels that were shuffled, in the mean of fits."""
    features, labelled = planted
    fitted = fit.fit_concepts(features, labelled, cs=(1e-3, 1e-2), seed=0)
    table = scores.table_of(scores.held_out(fitted, features, labelled), seed=0)
    material, knights, chance = table["accuracy"]
    assert min(material.value, knights.value) > 0.97

    assert chance.low < 0.5 < chance.high
    directions = fitted.vectors.directions()
    assert directions[0, 0] > 0.95 and directions[1, 1] > 0.6 > -0.6 > directions[1, 2]
    shuffled = [
        scored(*planted, seed=seed, shuffle=True)["correct"].mean() for seed in range(4)
    ]
    assert 0.38 < np.mean(shuffled) < 0.62


def test_c_may_be_chosen_for_each_concept_elsewhere(planted):
    """A concept's vector depends on its own C, and on no other's."""
    features, labelled = planted
    own = [
        (1e-4,),
        (1e-3,),
        (1e-2,),
    ]
    fitted = fit.fit_concepts(features, labelled, cs=own, seed=0)
    assert fitted.c == (1e-4, 1e-3, 1e-2)
    same = fit.fit_concepts(
        features, labelled, cs=(1e-3,), seed=0, jobs=1
    )  # of one process
    np.testing.assert_array_equal(fitted.vectors.weights[1], same.vectors.weights[1])


def test_vectors_survive_their_file_and_a_foreign_file_is_named(tmp_path):
    weights = np.eye(2, 3, dtype=np.float32)
    biases = np.ones(2, np.float32)
    vectors = fit.ConceptVectors(("A", "B"), weights, biases, {"expert": "nnue"})
    read = fit.ConceptVectors.load(vectors.save(tmp_path / "v.safetensors"))
    assert (read.names, read.about) == (vectors.names, vectors.about)
    np.testing.assert_array_equal(read.weights, weights)
    (tmp_path / "x.safetensors").write_bytes(b"nothing of the kind")
    refuses(
        ValueError,
        r"x\.safetensors",
        fit.ConceptVectors.load,
        tmp_path / "x.safetensors",
    )


# ---------------------------------------------------------------- held-out scores


def test_two_gains_are_compared_on_the_same_draws_of_games(planted):
    """That one gain is larger than another does not follow from two overlapping intervals."""
    features, labelled = planted
    whole, less = (scored(seen, labelled) for seen in (features, features[:, 1:]))
    gain = scores.accuracy(whole, minus=less, seed=0)
    more = scores.signed_accuracy([whole, whole], [less, whole], seed=0)
    assert (more.value, more.low, more.high) == pytest.approx(
        (gain.value, gain.low, gain.high)
    )
    halved = scores.accuracy(whole, minus=less, seed=0, concepts=2 * len(TERMS))
    assert halved.value == pytest.approx(
        gain.value / 2
    )  # the others have no row: no gain


def test_a_layer_seen_by_the_mover_is_scored_as_the_mover_sees_it(planted):
    """Such a layer once counted as poor because it was fitted on White's terms."""
    features, labelled = planted
    white = np.arange(len(labelled)) % 2 == 0
    seen = np.where(white[:, None], features, features @ TURN)
    own = replace(labelled, values=fit.turn_terms(labelled.values, TERMS, white))
    tails = [fit.cut_tails(values, seed=0) for values in labelled.values.T]
    fitted = fit.fit_concepts(seen, own, cs=(1e-3,), seed=0)
    turned = scores.held_out(fitted, seen, labelled, tails=tails, white_to_move=white)
    wrong = scored(seen, labelled)
    material = [
        table.groupby("concept")["correct"].mean()["Material"]
        for table in (turned, wrong)
    ]
    assert material[0] > 0.97 > 0.7 > material[1]
    np.testing.assert_array_equal(turned["positive"], wrong["positive"])


# ---------------------------------------------------------------- rankings


def test_rankings_are_measured_as_by_scikit_learn_and_by_hand():
    """NDCG is scikit-learn's; precision is counted by hand, on three moves."""
    random = np.random.default_rng(0)
    truth = random.normal(size=(50, 21))
    given = random.normal(size=(50, 21))
    assert scores.ndcg(given, truth).mean() == pytest.approx(
        ndcg_score(np.abs(truth), given, k=5)
    )
    # A move that changes too little is left out, and any equal at the cut counts.
    truth = np.array(
        [
            [5.0, -4, 3, 2, 1, 0.5],
            [5, 4, 3, 2, 0, 0],
            [5, 4, 3, 2, 1, 1],
        ]
    )
    given = np.array(
        [
            [6, 5, 4, 3, 0, 1.0],
            [6, 5, 4, 3, 2, 1],
            [6, 5, 4, 3, 1, 2],
        ]
    )
    np.testing.assert_allclose(scores.precision(given, truth), [0.8, np.nan, 1.0])


# ---------------------------------------------------------------- facts


def test_vectors_of_other_concepts_are_refused_with_the_command_that_makes_them(
    monkeypatch,
):
    monkeypatch.setattr(facts, "CONCEPTS", (*facts.CONCEPTS, "White isolated pawn"))
    with pytest.raises(ValueError, match=r"White isolated pawn.*train\.py facts"):
        facts.concept_scores([], None)


#: A position, the concepts that hold of it, and below it those that do not.
KNOWN = """
4k3/8/8/8/8/3r1r2/4P3/4K3 w - - 0 1 | White fork
    Black fork
r3k3/2N5/8/8/8/8/8/4K3 b - - 0 1 | White fork
    White pin
q3k3/2N5/1p6/8/8/8/8/4K3 w - - 0 1 | White fork
    Black fork
r2qk3/2N5/8/8/8/8/8/4K3 b - - 0 1 | nothing
    White fork
4k3/4n3/8/8/8/8/4R3/4K3 b - - 0 1 | White pin, White open file
    Black pin, Black open file
4k3/4p3/8/8/8/P7/P7/R3K3 w - - 0 1 | White doubled pawns
    Black doubled pawns, White open file, White pin
6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1 | White mate in one
    Black open file
5k2/5ppp/8/8/8/8/8/R3K3 b - - 0 1 | nothing
    Black mate in one, Black open file
"""


@pytest.mark.parametrize("row", re.split(r"\n(?! )", KNOWN.strip()))
def test_positions_with_a_known_answer(row):
    fen, holds, fails = re.split(r" \| |\n *", row)
    fens = [fen, chess.Board(fen).mirror().fen()]
    labels = train_facts.label_facts(fens, jobs=1)
    here, there = labels.reshape(2, -1, 2)  # White's and Black's
    np.testing.assert_array_equal(here, there[:, ::-1])
    found = dict(zip(facts.CONCEPTS, here.ravel().tolist(), strict=True))
    for name in holds.split(", "):
        assert name == "nothing" or found[name] == 1
    for name in fails.split(", "):
        assert found[name] == 0
    unasked = "Black mate in one" if " w " in fen else "White mate in one"
    assert found.pop(unasked) == train_facts.NOT_ASKED
    assert train_facts.NOT_ASKED not in found.values()


def test_each_positive_meets_a_negative_of_its_own_kind_and_too_few_are_named():
    random = np.random.default_rng(0)
    games = np.arange(1200, dtype=np.int32) // 4
    values = (random.random((1200, len(facts.CONCEPTS))) < 0.3).astype(np.float32)
    labelled = fit.Labelled(facts.CONCEPTS, values, games, np.array(PARTS)[games % 5])
    likeness = random.integers(0, 3, 1200)
    for k, tails in enumerate(
        train_facts.choose_rows(labelled, likeness, most=10_000, seed=1)
    ):
        assert len(set(tails.rows.tolist())) == len(tails.rows) > 300
        np.testing.assert_array_equal(
            labelled.values[tails.rows, k] == 1, tails.positive
        )
        kinds = pd.DataFrame(
            {"like": likeness[tails.rows], "part": labelled.splits[tails.rows]}
        )
        counts = [
            kinds[tails.positive == side].value_counts() for side in (True, False)
        ]
        assert counts[0].to_dict() == counts[1].to_dict()
    values = labelled.values.copy()
    values[:600, 8] = train_facts.NOT_ASKED
    unasked = replace(labelled, values=values.copy())
    chosen = train_facts.choose_rows(unasked, likeness, most=10_000, seed=1)[8]
    assert chosen.rows.min() >= 600 and chosen.positive.mean() == 0.5
    values[labelled.splits == "test", facts.CONCEPTS.index("Black pin")] = 0
    with pytest.raises(ValueError, match="'Black pin' in test"):
        train_facts.choose_rows(
            replace(labelled, values=values), likeness, most=100, seed=1
        )


@pytest.mark.slow
def test_training_with_the_real_network(monkeypatch):
    monkeypatch.setattr(
        train_facts, "mean_auc", partial(train_facts.mean_auc, resamples=9)
    )
    games = selfplay(300)
    fitted, report = train_facts.fit_facts(games, seed=1, most=60)
    assert fitted.vectors.weights.shape == (len(facts.CONCEPTS), 3072)
    assert len(report["test"]) == 4
    assert report["test"]["NNUE"]["mean"]["auc"].value > 0.6


def test_what_changes_sign_clearly_is_noticed_and_the_clearest_comes_first():
    before = np.array([-0.9, 0.1, -0.2, 2.0, 0, 0, 0, 0, 5.0, 5.0], np.float32)
    after = np.array([0.4, -0.1, 0.1, -1.0, 0, 0, 0, 0, 5.0, 0.5], np.float32)
    found = facts.notice(before, after, chess.BLACK)
    assert [(one.term, one.rank) for one in found] == [
        ("Black pin", 1),
        ("White fork", 2),
    ]
    assert found[0].change == pytest.approx(-3.0)
    level = np.zeros(10, np.float32)
    level[facts.CONCEPTS.index("White mate in one") :] = 1.5
    (one,) = facts.notice(level, level, chess.BLACK)
    assert (one.concept, one.side) == ("mate in one", "Black"), "it is to move"
