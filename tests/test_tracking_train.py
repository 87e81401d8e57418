"""Training: batches, the optimiser, the rate, early stopping, and going on after a kill."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import chess
import numpy as np
import pytest
import torch

from chessgloss.tracking import train as training_room
from chessgloss.tracking.batches import (
    IGNORED,
    STEP,
    in_order,
    make_epoch,
    read_and_expected,
)
from chessgloss.tracking.checkpoints import read_tensors
from chessgloss.tracking.models import LanguageModel, make_model
from chessgloss.tracking.settings import Settings, Training
from chessgloss.tracking.tokens import BOS, EOS, PAD, TokenGames, is_piece_type, tokenise
from chessgloss.tracking.train import MasterWeights, Task, Trained, orthogonalise, rate_at, train

SMALL = Settings(layers=1, width=32, heads=2, dropout=0.1)
SHORT = Training(epochs=2, tokens=600, rate=3e-3)


def random_games(count: int, seed: int, shortest: int = 10, longest: int = 60) -> TokenGames:
    random, games = np.random.default_rng(seed), []
    for _ in range(count):
        board = chess.Board()
        for _ in range(random.integers(shortest, longest)):
            if not (moves := list(board.legal_moves)):
                break
            board.push(moves[random.integers(len(moves))])
        games.append([move.uci() for move in board.move_stack])
    return tokenise(games)


@pytest.fixture(scope="module")
def sixty_random_games() -> TokenGames:
    return random_games(60, seed=0)


@pytest.fixture
def small_task(sixty_random_games: TokenGames) -> Task:
    return Task(sixty_random_games, np.arange(50), np.arange(50, 60))


def run(task: Task, state: Path | None = None, **options) -> Trained:
    training = options.pop("training", SHORT)
    settings = options.pop("settings", SMALL)
    return train(task, settings, training, state, progress=False, **options)


def weights_of(trained: Trained) -> torch.Tensor:
    return torch.cat([one.detach().float().flatten() for one in trained.model.parameters()])


# ---------------------------------------------------------------------------- batches


def test_an_epoch_holds_every_game_once_in_an_order_that_its_number_gives(
    sixty_random_games: TokenGames,
) -> None:
    games, selected = sixty_random_games, np.arange(5, 55)
    epochs = [make_epoch(games, selected, SHORT, number, 512) for number in (0, 0, 1)]
    written = []
    for epoch in epochs:
        rows = [row[row != PAD].tolist() for k in range(len(epoch)) for row in epoch.rows(k)]
        assert all(row[0] == BOS and row[-1] == EOS and EOS not in row[:-1] for row in rows)
        written.append(rows)
    expected = sorted(
        games.tokens[games.starts[k] : games.starts[k + 1]].tolist() for k in selected
    )
    assert sorted(row[1:-1] for row in written[0]) == expected
    assert written[0] == written[1] != written[2]


def test_rap_draws_its_piece_types_anew_in_each_epoch(sixty_random_games: TokenGames) -> None:
    training = Training("rap", 0.25, tokens=600)
    selected, typed = np.arange(60), []
    for number in (0, 1):
        epoch = make_epoch(sixty_random_games, selected, training, number, 512)
        typed.append(int(is_piece_type(epoch.ids).sum()))
    moves = int(sixty_random_games.plies.sum())
    deviation = math.sqrt(0.25 * 0.75 / moves)
    assert all(abs(count / moves - 0.25) < 5 * deviation for count in typed)
    assert typed[0] != typed[1]


def test_batches_keep_to_their_tokens_with_little_padding_and_few_shapes() -> None:
    games = random_games(300, seed=1, shortest=10, longest=150)
    epoch = make_epoch(games, np.arange(300), Training(tokens=1024), 0, 512)
    shapes = [tuple(epoch.rows(number)[:, 1:].shape) for number in range(len(epoch))]
    assert all(length % STEP == 0 for _, length in shapes)
    assert all(count * length <= 1024 for count, length in shapes)
    assert sum(count * length < 1024 - length for count, length in shapes) <= 1
    assert len(set(shapes)) <= len({length for _, length in shapes}) + 1
    assert epoch.padding < 0.09, "300 games are few; an epoch of S has 4 %"
    tokens = sum(int((epoch.rows(number)[:, :-1] != PAD).sum()) for number in range(len(epoch)))
    ends = 300 - sum(int((epoch.rows(number)[:, -1] == EOS).sum()) for number in range(len(epoch)))
    places = sum(count * length for count, length in shapes)
    assert epoch.padding == pytest.approx(1 - (tokens - ends) / places)


def test_games_of_like_length_meet_others_in_another_epoch(sixty_random_games: TokenGames) -> None:
    epochs = [make_epoch(sixty_random_games, np.arange(60), SHORT, k, 512) for k in (0, 1)]
    together = [
        {frozenset(map(bytes, epoch.rows(number).numpy())) for number in range(len(epoch))}
        for epoch in epochs
    ]
    assert len(together[0] & together[1]) < len(together[0]) / 2


def test_a_game_longer_than_a_batch_stands_alone(sixty_random_games: TokenGames) -> None:
    epoch = in_order(sixty_random_games, np.arange(60), "uci", 10)
    assert len(epoch) == 60
    with pytest.raises(ValueError, match="the context only 20"):
        make_epoch(sixty_random_games, np.arange(60), SHORT, 0, 20)


def test_a_model_reads_all_but_the_last_and_says_all_but_the_first() -> None:
    rows = torch.tensor([[BOS, 15, 31, EOS], [BOS, 15, EOS, PAD]])
    read, expected = read_and_expected(rows)
    assert read.tolist() == [[BOS, 15, 31], [BOS, 15, EOS]]
    assert expected.tolist() == [[15, 31, EOS], [15, EOS, IGNORED]]


# ---------------------------------------------------------------------------- optimiser


def test_masters_move_as_adamw_moves_a_model_in_single_precision() -> None:
    settings, training = replace(SMALL, dropout=0.0), Training(rate=1e-2, decay=0.1, clip=0.02)
    ours, theirs = make_model(settings, seed=0), make_model(settings, seed=0)
    masters = MasterWeights(ours, training, torch.float32)
    groups = [
        {"params": [p for p in theirs.parameters() if p.dim() > 1], "weight_decay": 0.1},
        {"params": [p for p in theirs.parameters() if p.dim() <= 1], "weight_decay": 0.0},
    ]
    adam = torch.optim.AdamW(groups, lr=1e-2)
    ids = torch.randint(3, 70, (4, 30), generator=torch.Generator().manual_seed(0))
    for share in (1.0, 0.5, 0.1):
        for model in (ours, theirs):
            model(ids).square().mean().backward()
        length = torch.nn.utils.clip_grad_norm_(theirs.parameters(), 0.02)
        for group in adam.param_groups:
            group["lr"] = share * 1e-2
        adam.step(), adam.zero_grad()
        masters.step(share)
        assert float(length) > 0.02, "the gradient is clipped"
    for (name, one), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-5), name


def test_matrices_move_as_torch_has_muon_move_them() -> None:
    """torch.optim.Muon is the peer; ours moves stacked projections each for itself."""
    settings = replace(SMALL, dropout=0.0, rotary=True, mixing=True)
    training = Training(optimiser="muon", matrix_rate=0.02, matrix_decay=0.01, clip=1e9)
    ours, theirs = make_model(settings, seed=0), make_model(settings, seed=0)
    masters = MasterWeights(ours, training, torch.float32)
    shapes = ("join", "widen", "narrow")
    matrices = {n: p for n, p in theirs.named_parameters() if any(part in n for part in shapes)}
    muon = torch.optim.Muon(
        matrices.values(), lr=0.02, momentum=0.95, weight_decay=0.01, adjust_lr_fn="original"
    )
    ids = torch.randint(3, 70, (4, 30), generator=torch.Generator().manual_seed(0))
    for model in (ours, theirs):
        model(ids).square().mean().backward()
    masters.step(1.0)
    muon.step()
    moved = dict(ours.named_parameters())
    first = dict(make_model(settings, seed=0).named_parameters())
    for name, other in matrices.items():
        steps = [(one - first[name]).detach().flatten() for one in (moved[name], other)]
        assert torch.cosine_similarity(*steps, dim=0) > 0.995, name
        assert steps[0].norm() == pytest.approx(float(steps[1].norm()), rel=0.02), name
    assert not torch.equal(moved["body.blocks.0.mix"], torch.full((2, 32), 0.5)), "Adam moves it"


def test_orthogonalised_matrices_have_singular_values_near_one() -> None:
    random = torch.Generator().manual_seed(0)
    for shape in ((3, 16, 16), (2, 64, 16), (2, 16, 64)):
        values = torch.linalg.svdvals(orthogonalise(torch.randn(shape, generator=random)))
        assert values.min() > 0.3 and values.max() < 1.3, shape


def test_updates_too_small_for_half_precision_add_up_in_the_masters() -> None:
    model = make_model(SMALL, seed=0)
    masters = MasterWeights(model, Training(decay=0.0, rate=1e-4))
    before = [weights.detach().clone() for weights in model.parameters()]
    norm = model.norm.weight
    for _ in range(60):
        norm.grad.fill_(1.0)
        masters.step(1.0)
    assert norm.dtype == torch.bfloat16
    assert torch.allclose(norm.float(), torch.full((32,), 1 - 60e-4), atol=4e-3)
    assert torch.equal(before[0], next(iter(model.parameters()))), "no gradient, no move"


@pytest.mark.parametrize(
    ("done", "expected"), [(0, 0), (0.05, 0.5), (0.1, 1), (0.55, 0.5), (0.91, 0.1), (1, 0)]
)
def test_the_rate_rises_over_a_tenth_and_falls_to_zero(done: float, expected: float) -> None:
    assert rate_at(done, Training(rate=2.0)) == pytest.approx(expected)


# ---------------------------------------------------------------------------- training


@pytest.mark.parametrize("kind", ["gpt", "lstm"])
def test_a_model_learns_a_game_by_heart(kind: str) -> None:
    scholars_mate = ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"]
    games = tokenise([scholars_mate] * 12)
    settings = replace(SMALL, kind=kind, dropout=0.0)
    training = Training(epochs=40, tokens=60, rate=1e-2)
    trained = run(Task(games, np.arange(8), np.arange(8, 12)), settings=settings, training=training)
    first, last = trained.log[0], trained.best
    assert first["dev_perplexity"] > 50
    assert last["dev_perplexity"] < 1.5
    assert last["loss"] < 0.3 * first["loss"]


def test_the_log_counts_tokens_and_ends_with_the_last_epoch(small_task: Task) -> None:
    trained = run(small_task)
    tokens = int(sum(np.diff(small_task.games.starts)[:50]) + 50)  # EOS is learned too
    assert [row["tokens"] for row in trained.log] == [tokens, 2 * tokens]
    assert [row["epoch"] for row in trained.log] == [1, 2]
    assert not trained.stopped_early
    assert trained.log[0]["loss"] > trained.log[1]["loss"]


def test_the_same_seed_gives_the_same_losses_and_another_seed_others(small_task: Task) -> None:
    one, same, other = (run(small_task, training=replace(SHORT, seed=k)) for k in (1, 1, 2))
    assert one.log == same.log
    assert torch.equal(weights_of(one), weights_of(same))
    assert one.log != other.log


def test_training_stops_when_dev_gets_worse_and_keeps_the_weights_of_before(
    small_task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[torch.Tensor] = []
    told = iter([30.0, 20.0, 21.0, 5.0])

    def scripted(model: LanguageModel, *_: object) -> float:
        seen.append(torch.cat([one.detach().float().flatten() for one in model.parameters()]))
        return next(told)

    monkeypatch.setattr(training_room, "perplexity", scripted)
    trained = run(small_task, training=replace(SHORT, epochs=4))
    assert [row["dev_perplexity"] for row in trained.log] == [30.0, 20.0, 21.0]
    assert trained.stopped_early
    assert trained.best["epoch"] == 2
    assert torch.equal(weights_of(trained), seen[1])
    assert not torch.equal(weights_of(trained), seen[2])


def test_a_task_without_games_is_refused(sixty_random_games: TokenGames) -> None:
    with pytest.raises(ValueError, match="games to train on"):
        Task(sixty_random_games, np.arange(0), np.arange(3))


# ---------------------------------------------------------------------------- going on


class Killed(Exception):
    """Stands for a kill in the middle of a step."""


@pytest.mark.parametrize(
    ("kind", "after"), [("gpt", 1), ("gpt", 3), ("gpt", 7), ("lstm", 3), ("reformer", 3)]
)
def test_a_stopped_training_goes_on_to_the_same_bits(
    kind: str, after: int, small_task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, training = replace(SMALL, kind=kind), Training("rap", 0.25, epochs=2, tokens=700)
    options = {"settings": settings, "training": training, "every": 2}
    whole, steps, real = run(small_task, **options), [0], MasterWeights.step

    def mortal(self: MasterWeights, share: float) -> None:
        steps[0] += 1
        if steps[0] > after:
            raise Killed
        return real(self, share)

    with monkeypatch.context() as patched:
        patched.setattr(MasterWeights, "step", mortal)
        with pytest.raises(Killed):
            run(small_task, tmp_path / "state", **options)
    torch.rand(7)
    resumed = run(small_task, tmp_path / "state", **options)
    assert resumed.log == whole.log
    assert torch.equal(weights_of(resumed), weights_of(whole))


def test_a_state_is_not_taken_for_another_training(small_task: Task, tmp_path: Path) -> None:
    run(small_task, tmp_path / "state")
    with pytest.raises(ValueError, match="state of another training"):
        run(small_task, tmp_path / "state", training=replace(SHORT, rate=1e-3))
    finished = run(small_task, tmp_path / "state")
    assert finished.log == run(small_task).log


#: Trains as the test below does, writing its state after every step.
SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import test_tracking_train as mine
games = mine.random_games(60, seed=0)
task = mine.Task(games, mine.np.arange(50), mine.np.arange(50, 60))
mine.torch.set_num_threads(1)
mine.run(task, Path(sys.argv[2]), every=1, training=mine.replace(mine.SHORT, epochs=50))
"""


@pytest.mark.slow
def test_a_process_killed_with_signal_9_loses_nothing(small_task: Task, tmp_path: Path) -> None:
    state, training = tmp_path / "state", replace(SHORT, epochs=50)
    command = [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), str(state)]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    while not state.is_file() and process.poll() is None:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    place = json.loads(read_tensors(state)[1]["progress"])
    assert 0 < place["tokens"] < 50 * 60 * 60 * 2
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        resumed, whole = (
            run(small_task, state, training=training),
            run(small_task, training=training),
        )
    finally:
        torch.set_num_threads(threads)
    assert resumed.log == whole.log
    assert torch.equal(weights_of(resumed), weights_of(whole))
