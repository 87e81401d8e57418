from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from chessgloss.ranking import explained, ndcg, precision, sign_accuracy, top_columns, top_mask


def test_ndcg_is_worked_out_by_hand():
    truth = [[3.0, 0.0, -1.0]]
    perfect, worst = ndcg([[2, 0, 1]], truth, top=2), ndcg([[0, 2, 1]], truth, top=2)
    best = 3 + 1 / np.log2(3)
    assert perfect.tolist() == [1.0]
    assert worst == pytest.approx([(0 + 1 / np.log2(3)) / best])


def test_ndcg_agrees_with_scikit_learn():
    random = np.random.default_rng(0)
    truth, scores = random.normal(size=(50, 21)), random.normal(size=(50, 21))
    assert ndcg(scores, truth).mean() == pytest.approx(ndcg_score(np.abs(truth), scores, k=5))


def test_a_move_that_changes_nothing_has_no_ndcg():
    assert np.isnan(ndcg([[1.0] * 6, [1.0] * 6], [[0.0] * 6, [1.0] * 6])).tolist() == [True, False]


def test_precision_leaves_out_moves_that_change_too_little():
    truth = np.array([[5.0, -4, 3, 2, 1, 0.5], [5, 4, 3, 2, 0, 0]])
    scores = np.array([[6, 5, 4, 3, 0, 1.0], [6, 5, 4, 3, 2, 1]])
    found = precision(scores, truth)
    assert found[0] == pytest.approx(0.8)
    assert np.isnan(found[1])


def test_precision_counts_any_of_equal_changes_at_the_cut():
    truth = [[5.0, 4, 3, 2, 1, 1]]
    assert precision([[6, 5, 4, 3, 1, 2]], truth).tolist() == [1.0]
    assert precision([[6, 5, 4, 3, 2, 1]], truth).tolist() == [1.0]


def test_sign_accuracy_counts_only_named_terms_that_change():
    truth = [[1.0, -1.0, 0.0, 2.0], [0.0, 0.0, 0.0, 1.0]]
    told = [[1.0, 1.0, 1.0, -1.0], [1.0, 1.0, 1.0, 1.0]]
    found = sign_accuracy([[4, 3, 2, 1], [4, 3, 2, 1]], told, truth, top=3)
    assert found[0] == 0.5
    assert np.isnan(found[1])


def test_the_first_columns_come_in_order_and_mark_a_mask():
    assert top_columns([[1, 3, 2]], 2).tolist() == [[1, 2]]
    assert top_mask([[1, 3, 2]], 2).tolist() == [[False, True, True]]


def test_explained_variance_is_one_zero_or_nothing():
    truth = np.array([[1.0, 1.0, 4.0], [3.0, 3.0, 4.0]])
    told = np.array([[1.0, 2.0, 4.0], [3.0, 2.0, 4.0]])
    found = explained(told, truth)
    assert found[:2].tolist() == [1.0, 0.0]
    assert np.isnan(found[2])
