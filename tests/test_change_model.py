from __future__ import annotations

from pathlib import Path

import chess
import numpy as np
import pytest
import torch

from chessgloss import assets
from chessgloss.change_features import BoardSource, NnueSource, Source, load_source
from chessgloss.change_model import ChangeModel, ChangeNetwork
from chessgloss.change_training import Settings, loss_of, train
from chessgloss.changes import MoveSample, TermChanges
from chessgloss.oracle import TERMS

PARTNERS = [
    TERMS.index(name.replace("White", "x").replace("Black", "White").replace("x", "Black"))
    for name in TERMS
]
SIGNS = np.where([name.startswith(("White", "Black")) for name in TERMS], 1, -1)


def random_moves(count: int, seed: int) -> tuple[list[str], list[str]]:
    """Moves of random games: FENs before and after."""
    random, board = np.random.default_rng(seed), chess.Board()
    before, after = [], []
    while len(before) < count:
        if board.is_game_over() or board.ply() > 80:
            board.reset()
        before.append(board.fen())
        board.push(list(board.legal_moves)[random.integers(board.legal_moves.count())])
        after.append(board.fen())
    return before, after


def mirrored(fens: list[str]) -> list[str]:
    return [chess.Board(fen).mirror().fen() for fen in fens]


@pytest.fixture(scope="module", params=["onehot", "nnue"])
def source(request: pytest.FixtureRequest) -> Source:
    try:
        return load_source(request.param)
    except assets.AssetMissing as error:
        pytest.skip(str(error))


@pytest.fixture
def small_model() -> ChangeModel:
    torch.manual_seed(0)
    network = ChangeNetwork(BoardSource.width, 16, 8)
    return ChangeModel(network, np.linspace(0.1, 1, 21, dtype=np.float32), {"source": "onehot"})


def pieces_by_rank(fens: list[str]) -> np.ndarray:
    """How many pieces each side has on each rank, its own first rank first: (n, 2, 8)."""
    boards = [chess.Board(fen) for fen in fens]
    ranks = [[bin(board.occupied_co[side] & rank).count("1") for rank in chess.BB_RANKS]
             for board in boards for side in chess.COLORS]  # fmt: skip
    counts = np.array(ranks, float).reshape(-1, 2, 8)
    counts[:, 1] = counts[:, 1, ::-1].copy()
    return counts


@pytest.fixture(scope="module")
def planted() -> TermChanges:
    """Moves whose terms follow from how many pieces a side has on each of its ranks."""
    before, after = random_moves(800, seed=1)
    weights = np.random.default_rng(2).normal(size=(8, 12))
    terms = []
    for counts in map(pieces_by_rank, (before, after)):
        sides = counts @ weights
        totals, pairs = sides[:, 0, :3] - sides[:, 1, :3], sides[:, :, 3:].transpose(0, 2, 1)
        terms.append(np.concatenate([totals, pairs.reshape(-1, 18)], axis=1).astype(np.float32))
    n = len(before)
    moves = MoveSample(
        tuple(before), tuple(after), tuple(after), np.array(["quiet"] * n),
        np.arange(n, dtype=np.int32), np.array(["train"] * n),
    )  # fmt: skip
    return TermChanges(moves, *terms)


def test_features_of_the_mirrored_move_are_the_two_views_exchanged(source: Source):
    before, after = random_moves(30, seed=3)
    ours = source.features(source.read(before), source.read(after))
    theirs = source.features(source.read(mirrored(before)), source.read(mirrored(after)))
    assert ours.shape == (30, 2, source.width)
    assert torch.equal(ours, theirs.flip(1))
    assert not torch.equal(ours, theirs)


def test_mirroring_a_move_exchanges_the_terms_of_the_two_sides(small_model: ChangeModel):
    before, after = random_moves(40, seed=4)
    bare = BoardSource()
    changes, sizes = small_model.predict(bare, before, after)
    turned, turned_sizes = small_model.predict(bare, mirrored(before), mirrored(after))
    assert np.allclose(turned, changes[:, PARTNERS] * SIGNS, atol=1e-5)
    assert np.allclose(turned_sizes, sizes[:, PARTNERS], atol=1e-5)
    assert np.abs(changes).max() > 0


def test_features_of_nnue_are_its_layers():
    try:
        nnue = NnueSource()
    except assets.AssetMissing as error:
        pytest.skip(str(error))
    from chessgloss.experts import load_expert

    before, after = random_moves(8, seed=5)
    found = nnue.features(nnue.read(before), nnue.read(after)).numpy() * 127
    expert = load_expert("nnue")
    for layer, start, width in (("accumulators", 0, 1024), ("clipped", 1024, 1024),
                                ("pairwise", 2048, 512)):  # fmt: skip
        change = expert.activations(after, layer) - expert.activations(before, layer)
        part = found[:, :, start : start + width].reshape(8, -1)
        assert np.allclose(part, change, atol=1e-3), layer


def test_batches_do_not_change_the_answer(small_model: ChangeModel):
    before, after = random_moves(10, seed=6)
    whole = small_model.predict(BoardSource(), before, after)
    parts = small_model.predict(BoardSource(), before, after, batch=3)
    assert np.allclose(whole, parts, atol=1e-6)
    assert small_model.predict(BoardSource(), [], [])[0].shape == (0, 21)


def test_a_model_comes_back_from_its_file(small_model: ChangeModel, tmp_path: Path):
    again = ChangeModel.load(small_model.save(tmp_path / "model.safetensors"))
    before, after = random_moves(10, seed=7)
    first, second = (one.predict(BoardSource(), before, after)[0] for one in (small_model, again))
    assert np.allclose(first, second, atol=2e-3)  # half precision
    assert again.about == small_model.about
    assert again.spread.tolist() == small_model.spread.tolist()


def test_other_files_and_other_sources_are_refused(small_model: ChangeModel, tmp_path: Path):
    class Wider(BoardSource):
        name, width = "wider", 5

    with pytest.raises(ValueError, match="reads onehot, not wider"):
        small_model.predict(Wider(), [], [])
    (tmp_path / "text.safetensors").write_text("no model")
    with pytest.raises(ValueError, match="holds no model"):
        ChangeModel.load(tmp_path / "text.safetensors")
    with pytest.raises(ValueError, match="nnue, onehot"):
        load_source("leela")
    with pytest.raises(ValueError, match="positive spread"):
        ChangeModel(small_model.network, np.zeros(21, np.float32), {})


def test_the_loss_is_zero_for_perfect_answers_and_prefers_the_right_order():
    changes = torch.tensor([[4.0, -1.0, 0.0]])
    signed, size = torch.tensor([[2.0, -1.0, 0.0]]), torch.tensor([[2.0, 1.0, 0.0]])
    assert loss_of(signed, size, changes, 0.0) == 0
    assert loss_of(-signed, size, changes, 0.0) > 0
    assert loss_of(signed, size.flip(1), changes, 1.0) > loss_of(signed, size, changes, 1.0)
    nothing = torch.zeros(1, 3)
    assert loss_of(nothing, nothing, nothing, 1.0) == 0


def test_training_finds_what_was_planted(planted: TermChanges):
    settings = Settings(hidden=64, trunk=32, epochs=25, batch=64, rate=1e-2, seed=1)
    _, log = train(BoardSource(), planted, planted, settings, progress=False)
    assert [row["epoch"] for row in log] == list(range(1, 26))
    assert log[-1]["ndcg"] > max(log[0]["ndcg"], 0.9)


def test_a_run_that_was_cut_off_ends_as_if_it_had_not_been(
    planted: TermChanges, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    few, settings = planted.take(np.arange(200)), Settings(16, 8, epochs=2, batch=50)
    whole, log = train(BoardSource(), few, few, settings, progress=False)
    state = tmp_path / "run.checkpoint"
    cut_off_after_one_epoch(few, settings, state, monkeypatch)
    again, log_again = train(BoardSource(), few, few, settings, checkpoint=state, progress=False)
    assert log_again == log
    for name, weights in whole.network.state_dict().items():
        assert torch.equal(weights, again.network.state_dict()[name]), name


def cut_off_after_one_epoch(
    moves: TermChanges, settings: Settings, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chessgloss import change_training

    epoch = change_training._Run.epoch

    def killed(run, number, progress):
        if number:
            raise KeyboardInterrupt
        return epoch(run, number, progress)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(change_training._Run, "epoch", killed)
        train(BoardSource(), moves, moves, settings, checkpoint=state, progress=False)


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"rate": 0.0}, {"hidden": -1}])
def test_settings_are_checked(wrong: dict):
    with pytest.raises(ValueError, match="must be positive"):
        Settings(**wrong)
