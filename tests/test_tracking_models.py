"""Language models of chess: no look ahead, exact attention in the limit, perplexity, files."""

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import get_args, get_type_hints

import numpy as np
import pytest
import torch
from safetensors.torch import save

from chessgloss.tracking import games, models
from chessgloss.tracking.runs import Training, read_checkpoint, write_checkpoint
from chessgloss.tracking.train import perplexity
from scripts import refuses

KINDS = get_args(get_type_hints(models.Settings)["kind"])
SMALL = models.Settings(
    layers=2, width=32, heads=2, context=64, window=5, buckets=4, dropout=0.1
)


def small_model(kind: str, **changes: object) -> models.LanguageModel:
    return models.make_model(replace(SMALL, kind=kind, **changes), seed=3).eval()


def random_ids(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(3, games.VOCABULARY_SIZE, shape, generator=generator)


def random_vectors(
    parts: int, length: int = 20, size: int = 16, seed: int = 1
) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(parts, 6, length, size, generator=generator)


def softmax_attention(query, key, value, seen) -> torch.Tensor:
    """The textbook's formula, in float64."""
    scores = query.double() @ key.double().mT / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~seen, float("-inf")).softmax(dim=-1)
    return (weights @ value.double()).float()


def causal(length: int) -> torch.Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


# ---------------------------------------------------------------------------- all kinds


@pytest.mark.parametrize("kind", KINDS)
def test_neither_a_later_token_nor_padding_nor_another_game_changes_a_logit(kind):
    model = small_model(kind)
    ids = random_ids(2, 40)
    padded = ids.clone()
    padded[1, 21:] = 0
    assert torch.allclose(
        model(padded)[1:, :21],
        model(ids[1:, :21]),
        atol=1e-5,
    )
    changed = ids.clone()
    changed[:, 25] = (changed[:, 25] - 2) % 60 + 3
    moved = (model(ids) - model(changed)).abs()
    assert moved[:, :25].max() < 1e-5
    assert moved[:, 25:].max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_alone_makes_the_first_weights(kind):
    settings = replace(SMALL, kind=kind)
    first = models.make_model(settings, seed=5).state_dict()
    before = torch.random.get_rng_state()
    again = models.make_model(settings, seed=5).state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert not torch.equal(small_model(kind).tokens.weight, first["tokens.weight"])


# ---------------------------------------------------------------------------- attention


@pytest.mark.parametrize("window", [1, 5, 20, 64])
def test_a_window_sees_its_latest_tokens_and_no_others(window):
    vectors = random_vectors(3)
    too_old = torch.ones(20, 20, dtype=torch.bool).tril(-window)
    seen = causal(20) & ~too_old
    assert int(seen[19].sum()) == min(window, 20)
    ours = models.SoftmaxAttention(64, window)(vectors)
    assert torch.allclose(ours, softmax_attention(*vectors, seen), atol=1e-5)


def test_hashed_attention_is_among_the_tokens_that_share_a_bucket_in_a_round():
    torch.manual_seed(4)
    attention = models.HashAttention(64, 16, buckets=4, rounds=2)
    query, value = random_vectors(2)
    shares = torch.zeros(6, 20, 20, dtype=torch.bool)
    for rotation in attention.rotations:
        turned = query @ rotation
        bucket = torch.cat([turned, -turned], dim=2).argmax(dim=2)
        shares |= bucket.unsqueeze(2) == bucket.unsqueeze(1)
    assert torch.equal(shares, attention.shared(query))
    itself = torch.eye(20, dtype=torch.bool)
    seen = shares & causal(20) & ~itself
    lonely = ~seen.any(dim=2)
    key = torch.nn.functional.normalize(query, dim=2) * 4
    seen |= lonely.unsqueeze(2) & itself
    exact = softmax_attention(query, key, value, seen)
    assert torch.allclose(
        attention(torch.stack([query, value])),
        exact,
        atol=1e-5,
    )


def test_random_features_approach_softmax_attention_as_they_grow_in_number():
    scale = torch.tensor([0.5, 0.5, 1.0])
    vectors = random_vectors(3) * scale.view(3, 1, 1, 1)
    exact = softmax_attention(*vectors, causal(20))
    errors = []
    for features in (16, 8192):
        torch.manual_seed(0)
        ours = models.FeatureAttention(16, features)(vectors)
        errors.append(float((ours - exact).abs().mean()))
    assert errors[0] > 4 * errors[1]
    assert errors[1] < 0.02


# ---------------------------------------------------------------------------- records


@pytest.mark.parametrize(
    ("record", "changes", "message"),
    [
        (models.Settings, {"width": 30, "heads": 4}, "does not divide"),
        (models.Settings, {"buckets": 5}, "in pairs"),
        (
            Training,
            {"notation": "uci", "probability": 0.25},
            "only rap has a probability",
        ),
        (Training, {"notation": "rap", "probability": 25.0}, "probability"),
        (Training, {"epochs": 0}, "epochs"),
    ],
)
def test_settings_that_make_no_sense_are_refused(record, changes, message):
    refuses(ValueError, message, record, **changes)


# ---------------------------------------------------------------------------- perplexity

TINY = models.Settings(layers=1, width=32, heads=2, dropout=0.0)

OPENINGS = (
    "e2e4 e7e5 g1f3",
    "d2d4 d7d5 c2c4 e7e6 b1c3",
    "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 g7g6 b7a8q",
)
ALL = np.arange(3)


@pytest.fixture(scope="module")
def three_openings():
    return games.tokenise(line.split() for line in OPENINGS)


class Scripted(torch.nn.Module):
    """A model whose logits are a table ``(77, 77)``: what follows depends on one token alone."""

    settings = TINY
    device = torch.device("cpu")

    def __init__(self, table: torch.Tensor) -> None:
        super().__init__()
        self.table = table

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.table[ids].clone()


def test_one_move_counts_as_one_token(three_openings):
    """A model sure of a game but for its first square, one of four to it: 4 over 3 moves."""
    table = torch.full((77, 77), -50.0)
    read = games.annotate(three_openings, [0], "uci")[0].tolist()
    for before, after in pairwise(read):
        table[before, after] = 0.0
    table[games.BOS, [3, 4, 5]] = 0.0
    measured = perplexity(Scripted(table), three_openings, "uci", np.array([0]))
    assert measured == pytest.approx(4 ** (1 / 3), rel=1e-5)


def test_types_are_masked_with_uci_alone_and_the_end_is_no_move(three_openings):
    table = torch.zeros(77, 77)
    table[:, games.PIECES : games.PROMOTIONS] = 50.0
    measure = partial(perplexity, Scripted(table), three_openings, selected=ALL)
    assert measure(notation="uci") == pytest.approx(71 ** (35 / 17), rel=1e-5)
    assert measure(notation="ap") > 1e20
    table[:, games.EOS] = np.log(71.0)  # half of everything is lost to the moves
    assert measure(notation="uci") == pytest.approx((70 + 71) ** (35 / 17), rel=1e-5)


def test_batches_change_neither_losses_nor_answers(three_openings):
    model = models.make_model(TINY, seed=1)
    together = models.game_losses(model, three_openings, "uci", np.array([2, 0]))
    alone = models.game_losses(model, three_openings, "uci", np.array([2]))
    assert together[:1] == pytest.approx(alone, rel=1e-4)
    random = np.random.default_rng(0)
    sizes = random.integers(2, 200, 20)
    read = [random.integers(3, 70, size=n).astype(np.uint8) for n in sizes]
    for ids, answer in zip(read, models.predict_next(model, read), strict=True):
        logits = model(torch.from_numpy(ids.astype(np.int64))[None])[0, -1]
        expected = logits.log_softmax(dim=0).detach().numpy()
        assert np.allclose(answer, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("notation", "selected"), [("rap", ALL), ("uci", np.array([], int))]
)
def test_perplexity_of_nothing_or_with_rap_is_refused(
    notation, selected, three_openings
):
    given = (models.make_model(TINY, seed=1), three_openings, notation, selected)
    refuses(ValueError, "measure on some games", perplexity, *given)


# ---------------------------------------------------------------------------- checkpoints


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_gives_back_the_model_and_its_training(kind, tmp_path):
    model = small_model(kind)
    training = Training("rap", 0.15, seed=7)
    path = write_checkpoint(model, training, tmp_path / "S-rap15-7.safetensors")
    again, its_training = read_checkpoint(path)
    assert (again.settings, its_training) == (model.settings, training)
    assert not again.training
    for name, weights in model.state_dict().items():
        assert torch.equal(again.state_dict()[name], weights.half().float()), name


def test_files_that_are_no_checkpoints_of_ours_are_refused(tmp_path):
    path = tmp_path / "S-uci-1.safetensors"
    refuses(FileNotFoundError, r"train\.py S-uci-1", read_checkpoint, path)
    whole = write_checkpoint(small_model("gpt"), Training(), path).read_bytes()
    for damaged, message in (
        (b"no such thing", "damaged or no safetensors"),
        (whole[:-100], "damaged"),
        (
            save({"a": torch.zeros(1)}, {"form": "other"}),
            r"not 'chessgloss\.tracking 1'",
        ),
        (
            whole.replace(b'\\"layers\\": 2', b'\\"layers\\": 3'),
            "does not hold the model it names",
        ),
    ):
        path.write_bytes(damaged)
        refuses(ValueError, message, read_checkpoint, path)
