"""Training: epochs, the optimisers, the rate, early stopping, and going on after a kill."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from chessgloss.tracking.games import BOS, EOS, PAD, annotate, tokenise
from chessgloss.tracking.models import LanguageModel, Settings, make_model
from chessgloss.tracking.optim import MasterWeights
from chessgloss.tracking.plan import find_run
from chessgloss.tracking.runs import Training
from chessgloss.tracking.sources import play_random_game
from chessgloss.tracking.train import Task, Trained, make_epoch, rate_at, train
from scripts import load_script, refuses

recipe = load_script("tracking/recipe.py")

SMALL = Settings(layers=1, width=32, heads=2, dropout=0.1)
SHORT = Training(epochs=2, tokens=600, rate=3e-3)


@pytest.fixture(scope="module")
def sixty_random_games():
    lengths = np.random.default_rng(0).integers(10, 60, 60)
    return tokenise(
        play_random_game(int(plies), 0, k) for k, plies in enumerate(lengths)
    )


@pytest.fixture
def small_task(sixty_random_games):
    return Task(sixty_random_games, np.arange(50), np.arange(50, 60))


def run(task: Task, state: Path | None = None, **options) -> Trained:
    training = options.pop("training", SHORT)
    settings = options.pop("settings", SMALL)
    return train(task, settings, training, state, **options)


def weights_of(trained: Trained) -> torch.Tensor:
    return torch.cat(
        [one.detach().float().flatten() for one in trained.model.parameters()]
    )


# ---------------------------------------------------------------------------- epochs


def test_an_epoch_holds_every_game_once_in_an_order_that_its_number_gives(
    sixty_random_games,
):
    games = sixty_random_games
    selected = np.arange(5, 55)
    written = []
    for number in (0, 0, 1):
        epoch = make_epoch(games, selected, SHORT, number, 512)
        rows = [row[row != PAD].tolist() for batch in epoch for row in batch]
        assert all(
            row[0] == BOS and row[-1] == EOS and EOS not in row[:-1] for row in rows
        )
        written.append(rows)
    ids, starts = annotate(games, selected, "uci")
    expected = [ids[starts[k] : starts[k + 1]].tolist() for k in range(50)]
    assert (
        sorted(written[0]) == sorted(expected)
        and written[0] == written[1] != written[2]
    )
    given = (games, selected, SHORT, 0, 20)
    refuses(ValueError, "the context only 20", make_epoch, *given)


# ---------------------------------------------------------------------------- optimiser


def two_models(training: Training, **settings: bool) -> tuple:
    """Two equal models, the masters of the first one, and how both get their gradients."""
    made = replace(SMALL, dropout=0.0, **settings)
    pair = make_model(made, seed=0), make_model(made, seed=0)
    ids = torch.randint(3, 70, (4, 30), generator=torch.Generator().manual_seed(0))
    backward = lambda: [model(ids).square().mean().backward() for model in pair]  # noqa: E731
    return *pair, MasterWeights(pair[0], training, torch.float32), backward


def test_masters_move_as_adamw_moves_a_model_in_single_precision():
    ours, theirs, masters, backward = two_models(
        Training(rate=1e-2, decay=0.1, clip=0.02)
    )
    groups = [
        {"params": [each], "weight_decay": 0.1 * (each.dim() > 1)}
        for each in theirs.parameters()
    ]
    adam = torch.optim.AdamW(groups, lr=1e-2)
    for share in (1.0, 0.5, 0.1):
        backward()
        length = torch.nn.utils.clip_grad_norm_(theirs.parameters(), 0.02)
        for group in adam.param_groups:
            group["lr"] = share * 1e-2
        adam.step()
        adam.zero_grad()
        masters.step(share)
        assert float(length) > 0.02, "the gradient is clipped"
    for (name, one), other in zip(
        ours.named_parameters(), theirs.parameters(), strict=True
    ):
        assert torch.allclose(one, other, atol=1e-5), name


def test_matrices_move_as_torch_has_muon_move_them():
    """The peer moves whole matrices; of ours stacked projections move each for itself."""
    training = Training(optimiser="muon", matrix_rate=0.02, matrix_decay=0.01, clip=1e9)
    ours, theirs, masters, backward = two_models(training, mixing=True)
    expected = {}
    for name, weights in theirs.named_parameters():
        if any(part in name for part in ("project", "join", "widen", "narrow")):
            height = weights.shape[1] if "project" in name else len(weights)
            for number, part in enumerate(weights.detach().split(height)):
                expected[name, number] = torch.nn.Parameter(part.clone())
    muon = torch.optim.Muon(
        expected.values(), lr=0.02, momentum=0.95, weight_decay=0.01
    )
    given = dict(theirs.named_parameters())
    moved = dict(ours.named_parameters())
    for share in (1.0, 1.0, 0.5):
        backward()
        for (name, number), part in expected.items():
            part.grad = given[name].grad.split(len(part))[number].clone()
        for group in muon.param_groups:
            group["lr"] = share * 0.02
        muon.step()
        masters.step(share)
        theirs.zero_grad()
        for name, weights in moved.items():  # both take the next gradient at one place
            given[name].data.copy_(weights)
    for (name, number), part in expected.items():
        assert torch.allclose(moved[name].split(len(part))[number], part, atol=1e-5)
    assert not torch.equal(moved["body.blocks.0.mix"], torch.full((2, 32), 0.5)), (
        "Adam moves it"
    )


@pytest.mark.parametrize(
    ("done", "expected"),
    [(0, 0), (0.05, 0.5), (0.1, 1), (0.55, 0.5), (0.91, 0.1), (1, 0)],
)
def test_the_rate_rises_over_a_tenth_and_falls_to_zero(done, expected):
    assert rate_at(done, Training(rate=2.0)) == pytest.approx(expected)


# ---------------------------------------------------------------------------- training


@pytest.mark.parametrize(
    ("early_stop", "measured", "kept"),
    [(True, [30.0, 20.0, 21.0], 1), (False, [30.0, 40.0, 50.0], 2)],
)
def test_training_that_may_stop_keeps_the_weights_before_dev_got_worse(
    early_stop, measured, kept, small_task, monkeypatch
):
    seen: list[torch.Tensor] = []

    def scripted(model: LanguageModel, *_: object) -> float:
        weights = [part.detach().float().flatten() for part in model.parameters()]
        seen.append(torch.cat(weights))
        return measured[len(seen) - 1]

    monkeypatch.setattr("chessgloss.tracking.train.perplexity", scripted)
    training = replace(SHORT, epochs=4 if early_stop else 3, early_stop=early_stop)
    trained = run(small_task, training=training)
    assert [row["dev_perplexity"] for row in trained.log] == measured
    assert trained.stopped_early == early_stop
    equal = [torch.equal(weights_of(trained), each) for each in seen]
    assert equal == [number == kept for number in range(3)]


def test_a_training_with_a_budget_ends_when_it_is_spent(small_task, monkeypatch):
    shares: list[float] = []
    real = MasterWeights.step

    def watched(self: MasterWeights, share: float) -> None:
        shares.append(share)
        real(self, share)

    monkeypatch.setattr(MasterWeights, "step", watched)
    one_pass = run(small_task, training=replace(SHORT, epochs=1)).log[-1]["tokens"]
    budget = int(1.5 * one_pass)
    training = replace(SHORT, epochs=20, budget=budget, early_stop=False)
    trained = run(small_task, training=training)
    assert len(trained.log) == 2
    assert 0 <= trained.log[-1]["tokens"] - budget < training.tokens
    assert 0 < shares[-1] < 0.1


# ---------------------------------------------------------------------------- going on


class Killed(Exception):
    """Stands for a kill in the middle of a step."""


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("S-rap25-1", 7),
        ("S-lstm-1", 3),
        ("15000-paper_uci-1", 5),
        ("7-random_uci-1", 5),
    ],
)
def test_a_killed_training_goes_on_to_the_same_bits(
    name, after, small_task, tmp_path, monkeypatch
):
    settings = replace(
        find_run(name).settings, layers=1, width=32, heads=2, dropout=0.1
    )
    training = replace(find_run(name).training, epochs=2, tokens=700)
    options = {"settings": settings, "training": training, "every": 2}
    whole = run(small_task, **options)
    steps = []
    real = MasterWeights.step

    def mortal(self: MasterWeights, share: float) -> None:
        steps.append(share)
        if len(steps) > after:
            raise Killed
        return real(self, share)

    with monkeypatch.context() as patched:
        patched.setattr(MasterWeights, "step", mortal)
        with pytest.raises(Killed):
            run(small_task, tmp_path / "state", **options)
    torch.rand(7)
    resumed = run(small_task, tmp_path / "state", **options)
    assert resumed.log == whole.log and torch.equal(
        weights_of(resumed), weights_of(whole)
    )


def test_a_state_is_not_taken_for_another_training(small_task, tmp_path):
    run(small_task, tmp_path / "state")
    with pytest.raises(ValueError, match="state of another training"):
        run(small_task, tmp_path / "state", training=replace(SHORT, rate=1e-3))
    finished = run(small_task, tmp_path / "state")
    assert finished.log == run(small_task).log


# ---------------------------------------------------------------------------- changes of the recipe


@pytest.mark.parametrize("arm", recipe.ARMS)
def test_a_change_of_the_recipe_begins_as_the_plain_one_and_moves_its_tables(
    arm, small_task
):
    named = find_run("S-uci-1x1")
    settings = replace(named.settings, layers=2, width=32, heads=2)
    run = replace(named, settings=settings)
    plain, changed = (
        recipe.make_trainer(small_task, run, recipe.ARMS[name])
        for name in ("plain", arm)
    )
    epoch = plain.epoch()
    for trainer in (plain, changed):
        trainer.step(epoch)
    assert plain.now.loss == changed.now.loss
    tables = changed.model.embeddings()
    assert len(tables) == {"pairs": 2, "values": 3, "together": 4}.get(arm, 1)
    assert all(table.abs().max() > 0 for table in tables)
    first = make_model(settings, 1).tokens.weight
    moved = [
        float((each.model.tokens.weight.float() - first).abs().mean())
        for each in (plain, changed)
    ]
    assert (moved[1] > 4 * moved[0]) == (arm in ("faster", "together"))
