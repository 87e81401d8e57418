"""What the model on the bare board answered stands for its weights, which are not committed."""

import numpy as np
import pandas as pd
import pytest
import torch

from chessgloss.concepts import answers, changes, priority, scores, train
from chessgloss.corpora.games import of_split, read_games
from chessgloss.store import Store
from scripts import SELFPLAY, selfplay

#: Moves drawn of each game.
FEW = 2


@pytest.fixture(scope="module")
def games():
    return selfplay(150)


@pytest.fixture
def control():
    """A model of the control's form, untrained."""
    torch.manual_seed(0)
    network = train.ChangeNetwork(priority.BoardSource.width, 16, 8)
    spread = np.linspace(0.1, 1, 21, dtype=np.float32)
    return network.model(spread, {"source": "onehot"})


def draw(games, split: str) -> pd.DataFrame:
    """Moves of three games of a part."""
    return changes.sample_moves(of_split(games, split)[:3], FEW, seed=1, jobs=1)


def ask(model, moves):
    """What a model answers about moves now."""
    source = priority.BoardSource()
    before = moves["before"].tolist()
    after = moves["after"].tolist()
    return model.predict(source, before, after)


@pytest.fixture
def asked(control, games, tmp_path, monkeypatch):
    """The moves that the control was asked about once; its answers are kept in a file."""
    path = tmp_path / "priority/onehot-answers.safetensors"
    store = Store(tmp_path / "store")
    monkeypatch.setattr(train, "TEST_GAMES", 3)
    monkeypatch.setattr(train, "PER_GAME", FEW)
    monkeypatch.setattr(answers, "weights_file", {"onehot-answers": path}.get)
    monkeypatch.setattr(answers, "default_store", lambda: store)
    train.write_answers(control, games, games[:40], path, seed=1)
    return draw(games, "test")


def test_its_answers_rank_and_sign_as_it_does(control, asked):
    signed, ranks = answers.ask_control(asked)
    changed, sizes = ask(control, asked)
    assert np.allclose(signed, changed, atol=1e-2)
    truth = np.random.default_rng(0).normal(size=sizes.shape)
    for measure in (scores.ndcg, scores.precision):
        kept = measure(ranks, truth)
        assert np.array_equal(kept, measure(sizes, truth))


def test_of_other_moves_there_is_no_answer_but_by_the_weights(control, games, asked):
    others = draw(games, "train")
    both = pd.concat([others, asked], ignore_index=True)
    unknown = np.arange(len(both)) < len(others)

    _, ranks = answers.ask_control(both)
    assert np.array_equal(np.isnan(ranks).all(axis=1), unknown)
    truth = np.ones(ranks.shape)
    for measure in (scores.ndcg, scores.precision):
        found = measure(ranks, truth)
        assert np.array_equal(np.isnan(found), unknown)

    control.save(answers.control_weights())
    _, ranks = answers.ask_control(both)
    _, sizes = ask(control, others)
    assert np.allclose(ranks[unknown], sizes, atol=2e-3)


def test_the_committed_answers_are_of_the_chapters_moves():
    games = list(read_games(SELFPLAY))
    test = of_split(games, "test")[: train.TEST_GAMES]
    moves = changes.sample_moves(test, train.PER_GAME, seed=1)
    kept = answers.read_answers("onehot-answers", moves)
    assert set(kept) == {"changes", "first"}
    for values in kept.values():
        assert np.isfinite(values).all()
    falling = np.sort(kept["first"], axis=1)[:, -6:]
    assert (falling == [0, 1, 2, 3, 4, 5]).all()
