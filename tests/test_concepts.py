"""Concepts: fitted on terms and on facts, scored on held-out games, rankings measured."""

from __future__ import annotations

import json
from dataclasses import replace

import chess
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import ndcg_score
from sklearn.svm import SVC

from chessgloss.concepts import facts, fit, scores
from chessgloss.concepts.changes import ConceptChange
from chessgloss.corpora.games import read_games
from chessgloss.positions import read_fen, read_move
from scripts import DATA, SELFPLAY, load_script

training = load_script("priority/train.py")

TERMS = ("Material", "White Knights", "Black Knights")
PARTS = ("train", "train", "train", "validation", "test")

#: What turning the board does to the planted features: the material changes its sign.
TURN = np.diag([-1.0] + [1.0] * 19).astype(np.float32)


@pytest.fixture(scope="module")
def planted():
    """Activations in which the first two terms are linear, the third is noise."""
    random = np.random.default_rng(0)
    features = random.normal(size=(8_000, 20)).astype(np.float32) * 5 + 3
    values = np.stack(
        [features[:, 0], features[:, 1] - features[:, 2], random.normal(size=8_000)], axis=1
    )
    games = np.repeat(np.arange(800, dtype=np.int32), 10)
    parts = np.array(["train"] * 8 + ["validation", "test"])[games % 10]
    return features, fit.Labelled(TERMS, values.astype(np.float32), games, parts)


def scored(features: np.ndarray, labelled: fit.Labelled, seed: int = 0, **options) -> pd.DataFrame:
    fitted = fit.fit_concepts(features, labelled, **{"cs": (1e-3,), "seed": seed, **options})
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


@pytest.mark.parametrize("values", [np.ones(500), np.arange(10.0), [1.0, np.nan] * 100])
def test_what_has_no_tails_is_refused(values):
    with pytest.raises(ValueError, match="cannot cut tails"):
        fit.cut_tails(values, seed=0)


def test_turning_terms_swaps_sides_for_black_and_undoes_itself():
    values = np.array([[1.0, 0.2, 0.5], [1.0, 0.2, 0.5]])
    turned = fit.turn_terms(values, TERMS, [True, False])
    assert turned.tolist() == [[1.0, 0.2, 0.5], [-1.0, 0.5, 0.2]]
    assert fit.turn_terms(turned, TERMS, [True, False]).tolist() == values.tolist()
    with pytest.raises(ValueError, match="Black Rooks"):
        fit.turn_terms([[1.0]], ["White Rooks"], [False])


def test_positions_of_one_game_cannot_lie_in_two_parts():
    games, parts = np.zeros(2, np.int32), np.array(["train", "test"])
    with pytest.raises(ValueError, match="two parts"):
        fit.Labelled(("Material",), np.zeros((2, 1), np.float32), games, parts)


def test_matched_pairs_share_material_and_are_near_in_the_other_terms(planted):
    _, labelled = planted
    tails = fit.cut_tails(labelled.values[:, 0], seed=0)
    signatures = (labelled.games % 2).astype(np.int64)
    pairs = fit.matched_pairs(labelled, tails, 0, signatures)
    assert len(pairs) > 20
    assert np.unique(pairs).size == pairs.size
    assert (signatures[pairs[:, 0]] == signatures[pairs[:, 1]]).all()
    assert (labelled.values[pairs[:, 0], 0] > labelled.values[pairs[:, 1], 0]).all()
    assert set(labelled.splits[pairs].ravel().tolist()) == {"test"}
    apart = np.abs(labelled.values[pairs[:, 0], 1:] - labelled.values[pairs[:, 1], 1:]).mean()
    shuffled = np.random.default_rng(0).permutation(pairs[:, 1])
    by_chance = np.abs(labelled.values[pairs[:, 0], 1:] - labelled.values[shuffled, 1:]).mean()
    assert apart < 0.8 * by_chance


# ---------------------------------------------------------------- fits


def test_a_planted_concept_is_found_and_noise_is_not(planted):
    features, labelled = planted
    fitted = fit.fit_concepts(features, labelled, cs=(1e-3, 1e-2), seed=0)
    table = scores.table_of(scores.held_out(fitted, features, labelled), seed=0)
    assert table["accuracy"]["Material"].value > 0.97
    assert table["accuracy"]["White Knights"].value > 0.97
    assert table["precision"]["Material"] > 0.95 < table["recall"]["Material"]
    chance = table["accuracy"]["Black Knights"]
    assert chance.low < 0.5 < chance.high
    directions = fitted.vectors.directions()
    assert directions[0, 0] > 0.95
    assert directions[1, 1] > 0.6
    assert directions[1, 2] < -0.6


def test_shuffled_labels_leave_nothing_to_find(planted):
    chance = [
        scores.accuracy(scored(*planted, seed=seed, shuffle=True), seed=0) for seed in range(8)
    ]
    assert 0.4 < np.mean([each.value for each in chance]) < 0.6


def test_c_may_be_chosen_for_each_concept_elsewhere(planted):
    features, labelled = planted
    fitted = fit.fit_concepts(features, labelled, cs=[(1e-4,), (1e-3,), (1e-2,)], seed=0)
    assert fitted.c == (1e-4, 1e-3, 1e-2)
    same = fit.fit_concepts(features, labelled, cs=(1e-3,), seed=0, jobs=1)  # of one process
    np.testing.assert_array_equal(fitted.vectors.weights[1], same.vectors.weights[1])


def test_the_solver_agrees_with_an_exact_one_on_a_small_problem():
    random = np.random.default_rng(0)
    rows = random.normal(size=(300, 5)).astype(np.float32)
    labels = rows[:, 0] + 0.3 * random.normal(size=300) > 0
    weights = fit.linear_svm(0.1, 0).fit(rows, labels).coef_[0]
    exact = SVC(kernel="linear", C=0.1).fit(rows, labels).coef_[0]
    cosine = weights @ exact / np.linalg.norm(weights) / np.linalg.norm(exact)
    assert cosine > 0.999


def test_ridge_recovers_a_line_over_the_whole_range_and_shrinks_with_its_penalty(planted):
    features, labelled = planted
    free, tight = (
        fit.fit_ridge(features, labelled.values, TERMS, alpha=alpha) for alpha in (1.0, 1e5)
    )
    np.testing.assert_allclose(
        free.scores(features[:50])[:, :2], labelled.values[:50, :2], atol=0.1
    )
    assert np.linalg.norm(tight.weights) < 0.5 * np.linalg.norm(free.weights)
    moved = free.score_changes(features[:50], features[50:100])
    true = labelled.values[50:100] - labelled.values[:50]
    np.testing.assert_allclose(moved[:, 0], true[:, 0], atol=0.1)


def test_vectors_survive_their_file_and_a_foreign_file_is_named(tmp_path):
    vectors = fit.ConceptVectors(
        ("A", "B"), np.eye(2, 3, dtype=np.float32), np.ones(2, np.float32), {"expert": "nnue"}
    )
    read = fit.ConceptVectors.load(vectors.save(tmp_path / "v.safetensors"))
    assert read.names == vectors.names
    assert read.about == {"expert": "nnue"}
    np.testing.assert_array_equal(read.weights, vectors.weights)
    (tmp_path / "x.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match=r"x\.safetensors"):
        fit.ConceptVectors.load(tmp_path / "x.safetensors")


# ---------------------------------------------------------------- held-out scores


def test_two_gains_are_compared_on_the_same_draws_of_games(planted):
    """That one gain is larger than another does not follow from two overlapping intervals."""
    features, labelled = planted
    whole, less = (scored(seen, labelled) for seen in (features, features[:, 1:]))
    gain = scores.accuracy(whole, minus=less, seed=0)
    more = scores.gain_difference((whole, less), (whole, whole), seed=0)
    assert (more.value, more.low, more.high) == pytest.approx((gain.value, gain.low, gain.high))
    halved = scores.accuracy(whole, minus=less, seed=0, concepts=2 * len(TERMS))
    assert halved.value == pytest.approx(gain.value / 2)  # the others have no row: no gain
    few = whole.iloc[::7], less.iloc[::7]
    apart = scores.gain_difference(few, (whole, less), seed=0)
    by_hand = scores.accuracy(few[0], minus=few[1], seed=0).value - gain.value
    assert apart.value == pytest.approx(by_hand)
    assert apart.low < apart.value < apart.high


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
        scores.accuracy(table[table["concept"] == "Material"], seed=0) for table in (turned, wrong)
    ]
    assert material[0].value > 0.97
    assert material[1].value < 0.7
    np.testing.assert_array_equal(turned["positive"], wrong["positive"])


def test_the_area_under_the_curve_by_hand():
    table = pd.DataFrame({"concept": "x", "game": [0, 1, 2, 3], "positive": [True, False] * 2,
                          "score": [3.0, 2, 1, 0]})  # fmt: skip
    area = training.mean_auc(table, seed=0)
    assert area.value == pytest.approx(3 / 4)
    assert area.low <= 0.5
    assert area.high == 1.0


# ---------------------------------------------------------------- rankings


def test_ndcg_agrees_with_scikit_learn():
    random = np.random.default_rng(0)
    truth, given = random.normal(size=(50, 21)), random.normal(size=(50, 21))
    assert scores.ndcg(given, truth).mean() == pytest.approx(ndcg_score(np.abs(truth), given, k=5))


def test_precision_leaves_out_moves_that_change_too_little_and_counts_any_equal_at_the_cut():
    truth = np.array([[5.0, -4, 3, 2, 1, 0.5], [5, 4, 3, 2, 0, 0], [5, 4, 3, 2, 1, 1]])
    given = np.array([[6, 5, 4, 3, 0, 1.0], [6, 5, 4, 3, 2, 1], [6, 5, 4, 3, 1, 2]])
    np.testing.assert_allclose(scores.precision(given, truth), [0.8, np.nan, 1.0])


def test_sign_accuracy_counts_only_named_terms_that_change():
    truth = [[1.0, -1.0, 0.0, 2.0], [0.0, 0.0, 0.0, 1.0]]
    predicted = [[1.0, 1.0, 1.0, -1.0], [1.0, 1.0, 1.0, 1.0]]
    right = scores.sign_accuracy([[4, 3, 2, 1], [4, 3, 2, 1]], predicted, truth, top=3)
    np.testing.assert_allclose(right, [0.5, np.nan])


# ---------------------------------------------------------------- facts


#: Positions with known answers: FEN, concepts that hold, concepts that do not.
KNOWN = [
    ("4k3/8/8/8/8/3r1r2/4P3/4K3 w - - 0 1", {"White fork"}, {"Black fork"}),
    ("r3k3/2N5/8/8/8/8/8/4K3 b - - 0 1", {"White fork"}, {"White pin"}),
    ("q3k3/2N5/1p6/8/8/8/8/4K3 w - - 0 1", {"White fork"}, set()),
    ("r2qk3/2N5/8/8/8/8/8/4K3 b - - 0 1", set(), {"White fork"}),  # the knight is lost
    ("4k3/4n3/8/8/8/8/4R3/4K3 b - - 0 1",
     {"White pin", "White open file"}, {"Black pin", "Black open file"}),
    ("4k3/4p3/8/8/8/P7/P7/R3K3 w - - 0 1",
     {"White doubled pawns"}, {"Black doubled pawns", "White open file", "White pin"}),
    ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", {"White mate in one"}, set()),
    ("5k2/5ppp/8/8/8/8/8/R3K3 b - - 0 1", set(), {"Black mate in one", "Black open file"}),
]  # fmt: skip


def concepts_of(fen: str) -> dict[str, int]:
    return dict(zip(facts.CONCEPTS, training.label_facts([fen], jobs=1)[0].tolist(), strict=True))


@pytest.fixture(scope="module")
def selfplay_fens():
    games = read_games(SELFPLAY, limit=12)
    return [fen for game in games for fen in game.fens()[10:-1:6]]


@pytest.mark.parametrize(("fen", "holds", "fails"), KNOWN)
def test_positions_with_a_known_answer(fen, holds, fails):
    found = concepts_of(fen)
    assert {name for name in holds if found[name] != 1} == set()
    assert {name for name in fails if found[name] != 0} == set()


@pytest.mark.parametrize(("turn", "absent"), [("w", "Black"), ("b", "White")])
def test_mate_in_one_is_asked_of_the_side_to_move_only(turn, absent):
    found = concepts_of(f"6k1/5ppp/8/8/8/8/8/R3K3 {turn} - - 0 1")
    assert [name for name, value in found.items() if value == training.NOT_ASKED] == [
        f"{absent} mate in one"
    ]


def test_mate_in_one_agrees_with_a_search_of_all_moves(selfplay_fens):
    games = read_games(SELFPLAY, limit=60)
    mated = [game.fens()[-2] for game in games if game.termination == "checkmate"]
    found = training.label_facts([*mated, *selfplay_fens], jobs=1)
    for fen, row in zip([*mated, *selfplay_fens], found, strict=True):
        board, column = chess.Board(fen), facts.CONCEPTS.index("White mate in one")
        replies = [board.copy() for _ in board.legal_moves]
        for after, move in zip(replies, board.legal_moves, strict=True):
            after.push(move)
        assert row[column + (not board.turn)] == any(each.is_checkmate() for each in replies), fen
    assert len(mated) > 5
    assert (found[: len(mated), -2:].max(axis=1) == 1).all()


def test_labels_change_sides_with_the_colours(selfplay_fens):
    mirrored = [chess.Board(fen).mirror().fen() for fen in selfplay_fens]
    here, there = (training.label_facts(fens, jobs=1) for fens in (selfplay_fens, mirrored))
    pairs = here.reshape(len(here), -1, 2)  # White's and Black's stand side by side
    np.testing.assert_array_equal(pairs[:, :, ::-1].reshape(here.shape), there)
    assert (here == 1).any(axis=0)[:8].all(), "too few positions to say anything"


@pytest.fixture(scope="module")
def planted_facts():
    """Features of which column ``k`` shows concept ``k``, labels, and likeness."""
    random, rows = np.random.default_rng(0), 1200
    games = np.arange(rows, dtype=np.int32) // 4
    values = (random.random((rows, len(facts.CONCEPTS))) < 0.3).astype(np.float32)
    features = (values + random.normal(0, 0.1, values.shape)).astype(np.float32)
    labelled = fit.Labelled(facts.CONCEPTS, values, games, np.array(PARTS)[games % 5])
    return features, labelled, random.integers(0, 3, rows)


def test_each_positive_meets_a_negative_of_its_own_kind(planted_facts):
    _, labelled, likeness = planted_facts
    for k, tails in enumerate(training.choose_rows(labelled, likeness, most=10_000, seed=1)):
        assert len(set(tails.rows.tolist())) == len(tails.rows) > 300
        np.testing.assert_array_equal(labelled.values[tails.rows, k] == 1, tails.positive)
        kinds = pd.DataFrame({"like": likeness[tails.rows], "part": labelled.splits[tails.rows]})
        counts = [kinds[tails.positive == side].value_counts() for side in (True, False)]
        assert counts[0].to_dict() == counts[1].to_dict()


def test_positions_not_asked_are_not_chosen_and_too_few_are_named(planted_facts):
    _, labelled, likeness = planted_facts
    values = labelled.values.copy()
    values[:600, 8] = training.NOT_ASKED
    unasked = replace(labelled, values=values.copy())
    chosen = training.choose_rows(unasked, likeness, most=10_000, seed=1)[8]
    assert chosen.rows.min() >= 600
    assert chosen.positive.mean() == 0.5
    values[labelled.splits == "test", facts.CONCEPTS.index("Black pin")] = 0
    with pytest.raises(ValueError, match="'Black pin' in test"):
        training.choose_rows(replace(labelled, values=values), likeness, most=100, seed=1)


def test_planted_facts_are_found_and_shuffled_ones_are_not(planted_facts):
    features, labelled, likeness = planted_facts
    tails = training.choose_rows(labelled, likeness, most=250, seed=1)
    options = {"tails": tails, "seed": 1, "jobs": 1}
    fitted = fit.fit_concepts(features, labelled, cs=(1e-4, 1e-3), **options)
    table = scores.held_out(fitted, features, labelled)
    chance = scored(features, labelled, shuffle=True, **options)
    assert table.groupby("concept")["correct"].mean().min() > 0.95
    assert np.abs(fitted.vectors.weights).argmax(axis=1).tolist() == list(
        range(len(facts.CONCEPTS))
    )
    summary = training.summarise({"planted": table, "shuffled": chance}, seed=1)
    assert summary["planted"]["mean"]["auc"].value > 0.99
    assert summary["shuffled"]["mean"]["accuracy"].value < 0.7
    assert summary["shuffled"]["gain"].low > 0.2
    assert set(facts.CONCEPTS) < set(summary["planted"])


def test_games_that_end_in_mate_give_their_last_positions():
    games = list(read_games(SELFPLAY, limit=20))
    sample = training.sample_facts(games, 2, seed=1)
    pairs = list(zip(sample.games.tolist(), sample.plies.tolist(), strict=True))
    assert len(set(pairs)) == len(sample)
    for number, game in enumerate(games):
        ends = {(number, len(game.moves) - back) for back in training.FINAL_PLIES}
        assert (ends <= set(pairs)) == (game.termination == "checkmate")
    assert [games[game].fens()[ply] for game, ply in pairs] == list(sample.fens)


@pytest.mark.slow
def test_training_with_the_real_network():
    games = list(read_games(SELFPLAY, limit=300))
    fitted, report = training.fit_facts(games, seed=1, most=60)
    assert fitted.vectors.weights.shape == (len(facts.CONCEPTS), 3072)
    assert set(report["test"]) == {"NNUE", "shuffled labels", "bare board", "random weights"}
    assert report["test"]["NNUE"]["mean"]["auc"].value > 0.6


def test_the_committed_vectors_say_where_they_come_from():
    vectors = fit.ConceptVectors.load(DATA / "concepts/facts-nnue.safetensors")
    assert vectors.names == facts.CONCEPTS
    assert vectors.about["layer"] == "pairwise+clipped"
    report = json.loads((DATA / "concepts/facts-nnue.json").read_text())["test"]
    for name in ("bare board", "random weights", "shuffled labels"):
        assert report[name]["gain"]["low"] > 0, f"the network adds nothing over {name}"
    assert abs(report["shuffled labels"]["mean"]["accuracy"]["value"] - 0.5) < 0.05


def test_what_changes_sign_clearly_is_noticed_and_the_clearest_comes_first():
    before = np.array([-0.9, 0.1, -0.2, 2.0, 0, 0, 0, 0, 5.0, 5.0], np.float32)
    after = np.array([0.4, -0.1, 0.1, -1.0, 0, 0, 0, 0, 5.0, 0.5], np.float32)
    found = facts.notice(before, after, chess.BLACK)
    assert [(one.term, one.rank) for one in found] == [("Black pin", 1), ("White fork", 2)]
    assert found[0].change == pytest.approx(-3.0)


@pytest.mark.parametrize(("turn", "noticed"), [(chess.WHITE, "White"), (chess.BLACK, "Black")])
def test_mate_in_one_is_asked_of_the_side_to_move_after_the_move(turn, noticed):
    scores = np.zeros(10, np.float32)
    scores[facts.CONCEPTS.index("White mate in one") :] = 1.5
    (one,) = facts.notice(scores, scores, turn)
    assert (one.concept, one.side) == ("mate in one", noticed)


@pytest.mark.parametrize(("fen", "san", "concept", "side", "comes", "so"), [
    ("4k3/8/8/2r1r3/8/8/3K4/6N1 w - - 0 1", "Nf3", "fork", "White", 1.0, False),
    ("3r1r2/8/8/8/5N2/8/8/k6K w - - 0 1", "Ne6", "fork", "White", 1.0, True),
    ("3r1r2/8/8/8/5N2/8/8/k6K w - - 0 1", "Ne6", "fork", "White", -1.0, False),
    ("4k3/8/8/3p4/4P3/3P4/8/4K3 b - - 0 1", "dxe4", "doubled pawns", "Black", 1.0, False),
    ("4k3/8/8/3pp3/4P3/8/8/4K3 w - - 0 1", "exd5", "open file", "White", 1.0, False),
    ("4k3/8/8/3p4/2P1P3/8/8/4K3 b - - 0 1", "dxc4", "doubled pawns", "White", -1.0, False),
    ("7k/p5pp/8/8/8/8/8/K3R3 b - - 0 1", "a6", "mate in one", "White", 1.0, True),
    ("7k/p5pp/8/8/8/8/8/K3R3 b - - 0 1", "h6", "mate in one", "White", 1.0, False),
])  # fmt: skip
def test_the_board_says_whether_a_noticed_concept_is_so(fen, san, concept, side, comes, so):
    move = read_move(read_fen(fen), san)
    assert facts.really(move, ConceptChange(concept, side, -comes, comes, 2 * comes, 1)) is so
