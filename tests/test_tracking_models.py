"""Language models of chess: no look ahead, exact attention in the limit, sizes, checkpoints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from chessgloss.tracking.checkpoints import CheckpointError, read_checkpoint, write_checkpoint
from chessgloss.tracking.models import (
    FeatureAttention,
    HashAttention,
    LanguageModel,
    SoftmaxAttention,
    count_parameters,
    make_model,
    orthogonal_directions,
)
from chessgloss.tracking.runs import LSTM, TRANSFORMER
from chessgloss.tracking.settings import KINDS, Kind, Settings, Training
from chessgloss.tracking.tokens import VOCABULARY_SIZE

SMALL = Settings(layers=2, width=32, heads=2, context=64, window=5, buckets=4, dropout=0.1)


def small_model(kind: Kind, **changes: int) -> LanguageModel:
    return make_model(replace(SMALL, kind=kind, **changes), seed=3).eval()


def random_ids(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(3, VOCABULARY_SIZE, shape, generator=generator)


def random_vectors(parts: int, length: int = 20, size: int = 16, seed: int = 1) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(parts, 6, length, size, generator=generator)


def softmax_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, seen: torch.Tensor
) -> torch.Tensor:
    """The textbook's formula, in float64."""
    query, key, value = query.double(), key.double(), value.double()
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~seen, float("-inf")).softmax(dim=-1)
    return (weights @ value).float()


def causal(length: int) -> torch.Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


# ---------------------------------------------------------------------------- all kinds


@pytest.mark.parametrize("kind", KINDS)
def test_a_later_token_changes_no_earlier_logit(kind: Kind) -> None:
    model, ids = small_model(kind), random_ids(2, 40)
    changed = ids.clone()
    changed[:, 25] = (changed[:, 25] - 2) % 60 + 3
    before, after = model(ids), model(changed)
    assert torch.allclose(before[:, :25], after[:, :25], atol=1e-5)
    assert not torch.allclose(before[:, 25:], after[:, 25:], atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_padding_at_the_end_and_other_games_of_the_batch_change_nothing(kind: Kind) -> None:
    model, ids = small_model(kind), random_ids(3, 30)
    alone = model(ids[1:2, :21])
    padded = ids.clone()
    padded[1, 21:] = 0
    assert torch.allclose(model(padded)[1:2, :21], alone, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_every_weight_gets_a_gradient(kind: Kind) -> None:
    model = small_model(kind, context=30).train()
    torch.manual_seed(0)
    model(random_ids(4, 30)).square().sum().backward()
    for name, weights in model.named_parameters():
        assert weights.grad is not None, name
        assert weights.grad.abs().sum() > 0, name


@pytest.mark.parametrize("kind", KINDS)
def test_half_precision_gives_about_the_same(kind: Kind) -> None:
    model, ids = small_model(kind, buckets=1), random_ids(2, 40)
    exact = model(ids)
    rounded = model.bfloat16()(ids).float()
    assert (exact - rounded).abs().mean() < 0.03 * exact.abs().mean() + 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_alone_makes_the_first_weights(kind: Kind) -> None:
    settings = replace(SMALL, kind=kind)
    torch.manual_seed(11)
    first = make_model(settings, seed=5).state_dict()
    torch.manual_seed(12)
    after = torch.rand(1)
    again, other = (make_model(settings, seed=seed).state_dict() for seed in (5, 6))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert any(not torch.equal(first[name], other[name]) for name in first)
    torch.manual_seed(12)
    assert torch.equal(torch.rand(1), after)


# ---------------------------------------------------------------------------- attention


def test_full_attention_is_the_textbook_formula() -> None:
    vectors = random_vectors(3)
    ours = SoftmaxAttention(64, 64)(vectors)
    assert torch.allclose(ours, softmax_attention(*vectors, causal(20)), atol=1e-5)


@pytest.mark.parametrize("window", [1, 5, 20, 64])
def test_a_window_sees_its_latest_tokens_and_no_others(window: int) -> None:
    vectors = random_vectors(3)
    seen = causal(20) & ~torch.ones(20, 20, dtype=torch.bool).tril(-window)
    assert int(seen[19].sum()) == min(window, 20)
    ours = SoftmaxAttention(64, window)(vectors)
    assert torch.allclose(ours, softmax_attention(*vectors, seen), atol=1e-5)


def test_the_papers_window_is_50_tokens() -> None:
    model = make_model(replace(SMALL, kind="window", window=50, layers=1, context=80), seed=1)
    model.eval()
    ids = random_ids(1, 70)
    for place, matters in ((19, False), (20, True)):
        changed = ids.clone()
        changed[0, place] = (changed[0, place] - 2) % 60 + 3
        same = torch.allclose(model(ids)[0, 69], model(changed)[0, 69], atol=1e-6)
        assert same is not matters


def test_hashing_into_one_bucket_is_exact_attention_with_shared_queries_and_keys() -> None:
    query, value = random_vectors(2)
    key = torch.nn.functional.normalize(query, dim=2) * query.shape[2] ** 0.5
    ours = HashAttention(64, 16, buckets=1, rounds=1)(torch.stack([query, value]))
    others = causal(20) & ~torch.eye(20, dtype=torch.bool)
    exact = softmax_attention(query, key, value, others)
    assert torch.allclose(ours[:, 1:], exact[:, 1:], atol=1e-5)
    assert torch.allclose(ours[:, 0], value[:, 0], atol=1e-6), "the first sees only itself"


def test_hashed_attention_is_among_the_tokens_that_share_a_bucket_in_a_round() -> None:
    torch.manual_seed(4)
    attention = HashAttention(64, 16, buckets=4, rounds=2)
    query, value = random_vectors(2)
    shares = torch.zeros(6, 20, 20, dtype=torch.bool)
    for rotation in attention.rotations:
        turned = query @ rotation
        bucket = torch.cat([turned, -turned], dim=2).argmax(dim=2)
        assert set(bucket.flatten().tolist()) == {0, 1, 2, 3}
        shares |= bucket.unsqueeze(2) == bucket.unsqueeze(1)
    assert torch.equal(shares, attention.shared(query))
    seen = shares & causal(20) & ~torch.eye(20, dtype=torch.bool)
    lonely = ~seen.any(dim=2)
    assert 0 < lonely[:, 1:].sum() < shares.shape[0] * 19
    key = torch.nn.functional.normalize(query, dim=2) * 4
    exact = softmax_attention(
        query, key, value, seen | (lonely.unsqueeze(2) & torch.eye(20).bool())
    )
    assert torch.allclose(attention(torch.stack([query, value])), exact, atol=1e-5)


def test_alike_vectors_share_a_bucket_more_often_than_unlike_ones() -> None:
    torch.manual_seed(4)
    attention = HashAttention(512, 16, buckets=8, rounds=1)
    first = torch.randn(1, 200, 16)
    near, far = first + 0.1 * torch.randn(1, 200, 16), torch.randn(1, 200, 16)
    rates = [
        attention.shared(torch.cat([first, other], dim=1))[0, :200, 200:].diagonal().float().mean()
        for other in (near, far)
    ]
    assert rates[0] > 0.8
    assert 0.05 < rates[1] < 0.25


def test_random_features_approach_softmax_attention_as_they_grow_in_number() -> None:
    vectors = random_vectors(3) * torch.tensor([0.5, 0.5, 1.0]).view(3, 1, 1, 1)
    exact = softmax_attention(*vectors, causal(20))
    errors = []
    for features in (16, 256, 8192):
        torch.manual_seed(0)
        ours = FeatureAttention(16, features)(vectors)
        errors.append(float((ours - exact).abs().mean()))
    assert errors[0] > 2 * errors[1] > 4 * errors[2]
    assert errors[2] < 0.02


def test_the_masked_product_of_features_is_the_recurrence_of_linear_attention() -> None:
    torch.manual_seed(0)
    attention = FeatureAttention(16, 32)
    query, key, value = random_vectors(3)
    read, held = attention.lift(query), attention.lift(key)
    sums, weights = torch.zeros(6, 32, 16), torch.zeros(6, 32)
    for place in range(20):
        sums += held[:, place].unsqueeze(2) * value[:, place].unsqueeze(1)
        weights += held[:, place]
        mean = (read[:, place].unsqueeze(1) @ sums).squeeze(1)
        mean /= (read[:, place] * weights).sum(dim=1, keepdim=True)
        ours = attention(torch.stack([query, key, value]))[:, place]
        assert torch.allclose(ours, mean, atol=1e-4)


def test_random_directions_are_orthogonal_in_blocks() -> None:
    torch.manual_seed(0)
    directions = orthogonal_directions(40, 16)
    assert directions.shape == (40, 16)
    for block in directions.split(16):
        products = block @ block.T
        assert torch.allclose(products, products.diag().diag(), atol=1e-4)
    assert abs(float(directions.square().sum(dim=1).mean()) - 16) < 3


# ---------------------------------------------------------------------------- records


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "gru"}, "no model of kind 'gru'"),
        ({"layers": 0}, "whole and positive"),
        ({"width": 30, "heads": 4}, "does not divide"),
        ({"buckets": 5}, "in pairs"),
        ({"dropout": 1.0}, "dropout is a share"),
    ],
)
def test_shapes_that_make_no_sense_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Settings(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"notation": "san"}, "no notation 'san'"),
        ({"notation": "uci", "probability": 0.25}, "only rap has a probability"),
        ({"notation": "rap", "probability": 25.0}, "only rap has a probability"),
        ({"epochs": 0}, "must be positive"),
        ({"warmup": 0.0}, "makes no sense"),
    ],
)
def test_trainings_that_make_no_sense_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Training(**changes)


def test_parameters_are_counted_as_worked_out_by_hand() -> None:
    width, layers, context = 32, 2, 64
    block = 12 * width**2 + 4 * width
    expected = VOCABULARY_SIZE * width + context * width + layers * block + 2 * width
    assert count_parameters(small_model("gpt")) == expected
    assert count_parameters(small_model("window")) == expected
    assert count_parameters(small_model("performer")) == expected
    assert count_parameters(small_model("reformer")) == expected - layers * width**2


def test_the_lstm_of_the_plan_is_as_large_as_its_transformer() -> None:
    sizes = [count_parameters(make_model(one, seed=0)) for one in (TRANSFORMER, LSTM)]
    assert abs(sizes[1] / sizes[0] - 1) < 0.05
    assert 1_000_000 < sizes[0] < 2_000_000


def test_a_game_longer_than_the_context_is_refused() -> None:
    with pytest.raises(ValueError, match="65 tokens is longer than the context, 64"):
        small_model("gpt")(random_ids(1, 65))


# ---------------------------------------------------------------------------- checkpoints


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_gives_back_the_model_and_its_training(kind: Kind, tmp_path: Path) -> None:
    model, training = small_model(kind), Training("rap", 0.15, seed=7)
    path = write_checkpoint(model, training, tmp_path / "deep" / "S-rap15-7.safetensors")
    again, its_training = read_checkpoint(path)
    assert (again.settings, its_training) == (model.settings, training)
    assert not again.training
    for name, weights in model.state_dict().items():
        assert torch.equal(again.state_dict()[name], weights.half().float()), name
    ids = random_ids(2, 30)
    if kind != "reformer":  # a rounded rotation may turn a token into another bucket
        assert torch.allclose(again(ids), model(ids), atol=5e-3)
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_files_that_are_no_checkpoints_of_ours_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "S-uci-1.safetensors"
    with pytest.raises(FileNotFoundError, match=r"retrain S-uci-1"):
        read_checkpoint(path)
    path.write_bytes(b"no such thing")
    with pytest.raises(CheckpointError, match="damaged or no safetensors"):
        read_checkpoint(path)
    save_file({"a": torch.zeros(1)}, path, {"form": "other"})
    with pytest.raises(CheckpointError, match=r"not 'chessgloss\.tracking 1'"):
        read_checkpoint(path)
    write_checkpoint(small_model("gpt"), Training(), path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(CheckpointError, match="damaged"):
        read_checkpoint(path)
    path.write_bytes(whole.replace(b'\\"layers\\": 2', b'\\"layers\\": 3'))
    with pytest.raises(CheckpointError, match="does not hold the model it names"):
        read_checkpoint(path)
