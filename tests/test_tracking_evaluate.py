"""Perplexity, answers to probes, and the plan of trainings with its files."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import chess
import numpy as np
import pytest
import torch

from chessgloss.positions import Game
from chessgloss.tracking import retrain, runs
from chessgloss.tracking.checkpoints import CheckpointError, read_checkpoint
from chessgloss.tracking.corpus import Corpus, CorpusSizes, split_games
from chessgloss.tracking.evaluate import (
    KEPT,
    game_losses,
    perplexity,
    predict,
    predict_next,
    rank,
    scores_of,
    share_on_own_pieces,
)
from chessgloss.tracking.models import make_model
from chessgloss.tracking.perplexities import perplexity_of, read_losses, read_own_pieces
from chessgloss.tracking.probe_scores import precision_at
from chessgloss.tracking.probes import Instance, build_probes, contexts, select, write_probes
from chessgloss.tracking.runs import HEADLINE, LONGER, Run, RunRecord, find_run, plan, read_run
from chessgloss.tracking.settings import Settings, Training
from chessgloss.tracking.tokens import (
    BOS,
    EOS,
    PIECES,
    PROMOTIONS,
    VOCABULARY_SIZE,
    TokenGames,
    encode,
    tokenise,
)

TINY = Settings(layers=1, width=32, heads=2, dropout=0.0)

OPENINGS = [
    ["e2e4", "e7e5", "g1f3"],
    ["d2d4", "d7d5", "c2c4", "e7e6", "b1c3"],
    ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "g7g6", "b7a8q"],
]


@pytest.fixture(scope="module")
def three_openings() -> TokenGames:
    return tokenise(OPENINGS)


class Scripted(torch.nn.Module):
    """A model whose logits are a table ``(77, 77)``: what follows depends on one token alone."""

    settings, device = TINY, torch.device("cpu")

    def __init__(self, table: torch.Tensor) -> None:
        super().__init__()
        self.table = table

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.table[ids].clone()


# ---------------------------------------------------------------------------- perplexity


def test_a_uniform_model_is_perplexed_as_worked_out_by_hand(three_openings: TokenGames) -> None:
    model = Scripted(torch.zeros(VOCABULARY_SIZE, VOCABULARY_SIZE))
    moves, promotions = 3 + 5 + 9, 1
    uci = 71 ** ((2 * moves + promotions) / moves)
    assert perplexity(model, three_openings, "uci") == pytest.approx(uci, rel=1e-5)
    always = 77 ** ((3 * moves + promotions) / moves)
    assert perplexity(model, three_openings, "ap") == pytest.approx(always, rel=1e-5)


def test_one_move_counts_as_one_token(three_openings: TokenGames) -> None:
    """A model sure of a game but for its first square, one of four to it: 4 over 3 moves."""
    table = torch.full((VOCABULARY_SIZE, VOCABULARY_SIZE), -50.0)
    read = [BOS, *encode(OPENINGS[0]).tolist(), EOS]
    for before, after in pairwise(read):
        table[before, after] = 0.0
    table[BOS, [3, 4, 5]] = 0.0
    measured = perplexity(Scripted(table), three_openings, "uci", np.array([0]))
    assert measured == pytest.approx(4 ** (1 / 3), rel=1e-5)


def test_piece_types_are_masked_with_uci_and_not_with_ap(three_openings: TokenGames) -> None:
    table = torch.zeros(VOCABULARY_SIZE, VOCABULARY_SIZE)
    table[:, PIECES:PROMOTIONS] = 50.0
    uci, always = (perplexity(Scripted(table), three_openings, one) for one in ("uci", "ap"))
    assert uci == pytest.approx(71 ** (35 / 17), rel=1e-5)
    assert always > 1e20


def test_the_end_is_not_counted_but_its_chance_is_lost_to_the_moves(
    three_openings: TokenGames,
) -> None:
    table = torch.zeros(VOCABULARY_SIZE, VOCABULARY_SIZE)
    table[:, EOS] = math.log(71.0)  # half of everything
    measured = perplexity(Scripted(table), three_openings, "uci")
    assert measured == pytest.approx((70 + 71) ** (35 / 17), rel=1e-5)


def test_batches_do_not_change_the_perplexity_of_a_game(three_openings: TokenGames) -> None:
    model = make_model(TINY, seed=1)
    together = game_losses(model, three_openings, "uci", np.array([2, 0]))
    alone = [game_losses(model, three_openings, "uci", np.array([k]))[0] for k in (2, 0)]
    assert together == pytest.approx(alone, rel=1e-4)
    whole = perplexity(model, three_openings, "uci")
    logs = [
        len(game) * math.log(perplexity(model, three_openings, "uci", np.array([k])))
        for k, game in enumerate(OPENINGS)
    ]
    assert whole == pytest.approx(math.exp(sum(logs) / 17), rel=1e-4)


@pytest.mark.parametrize(("notation", "selected"), [("rap", None), ("uci", np.array([], int))])
def test_perplexity_of_nothing_or_with_rap_is_refused(
    notation: str, selected: np.ndarray | None, three_openings: TokenGames
) -> None:
    with pytest.raises(ValueError, match=r"uci|choose some games"):
        perplexity(make_model(TINY, seed=1), three_openings, notation, selected)


# ---------------------------------------------------------------------------- probes


def figure_1_instance(task: str, prompt: str) -> Instance:
    """One of the questions of the paper's Table 3."""
    prefix = ("e2e4", "e7e5", "g1f3", "b8c6", "d2d4", "h7h6")
    board = chess.Board()
    for uci in prefix:
        board.push_uci(uci)
    answers = {"end_actual": ("b5", "e2 d3 c4 b5 a6"), "start_actual": ("f1", "f1 c1")}[task]
    exact, legal = answers[0], answers[1].split()
    ids = {name: int(encode([name + name])[0]) for name in [exact, *legal, "f1"]}
    asked = ids["f1"] if prompt == "f1" else PIECES + 2
    squares = frozenset(ids[name] for name in legal)
    played = board.fen()
    return Instance(task, "short", prefix, played, PIECES + 2, asked, ids[exact], squares, "fig1")


def test_answers_are_the_log_probabilities_after_the_prompt() -> None:
    instances = [figure_1_instance("end_actual", "f1"), figure_1_instance("start_actual", "B")]
    model = make_model(TINY, seed=1)
    for notation in ("uci", "ap"):
        answers = predict(model, instances, notation)
        assert answers.shape == (2, VOCABULARY_SIZE)
        assert answers.dtype == np.float32
        assert np.exp(answers).sum(axis=1) == pytest.approx([1, 1], abs=1e-5)
        for answer, read in zip(answers, contexts(instances, notation), strict=True):
            assert read[0] == BOS
            logits = model(torch.from_numpy(read.astype(np.int64))[None])[0, -1]
            expected = logits.log_softmax(dim=0).detach().numpy()
            assert np.allclose(answer, expected, atol=1e-5)


def test_answers_come_in_the_order_of_the_questions_whatever_their_lengths() -> None:
    random, model = np.random.default_rng(0), make_model(TINY, seed=1)
    read = [
        random.integers(3, 70, size=size).astype(np.uint8) for size in random.integers(2, 200, 90)
    ]
    together = predict_next(model, read)
    alone = np.concatenate([predict_next(model, [one]) for one in read])
    assert np.allclose(together, alone, atol=1e-4)


def test_a_uniform_model_gives_own_pieces_no_more_than_their_share() -> None:
    model = make_model(TINY, seed=0)
    torch.nn.init.zeros_(model.tokens.weight)
    asked = [figure_1_instance("end_actual", "f1"), figure_1_instance("start_actual", "B")]
    words_without_types = VOCABULARY_SIZE - 6
    assert share_on_own_pieces(model, asked) == pytest.approx([16 / words_without_types] * 2)


def test_a_model_that_always_moves_from_e5_is_right_for_one_side() -> None:
    model = make_model(TINY, seed=0)
    table = torch.zeros(VOCABULARY_SIZE, TINY.width)
    table[int(encode(["e4e5"])[1])] = torch.linspace(0, 90, TINY.width)
    model.tokens.weight.data = table
    model.states = lambda ids: torch.ones(*ids.shape, TINY.width)  # type: ignore[method-assign]
    white = figure_1_instance("end_actual", "f1")
    board = white.board()
    board.push(chess.Move.null())
    black = replace(white, fen=board.fen())
    assert share_on_own_pieces(model, [white, black]) == pytest.approx([0, 1], abs=1e-6)


# ---------------------------------------------------------------------------- the plan


def test_the_plan_holds_every_row_of_the_papers_tables() -> None:
    names = {run.name for run in plan()}
    assert len(names) == len(plan())
    for size in "SM":
        kinds = ("uci", "rap25", "ap", "window50", "lstm", "lstm_rap25", "reformer", "performer")
        assert {f"{size}-{kind}-1" for kind in kinds} <= names
    assert {"L-uci-1", "L-rap25-1", "L-ap-1"} <= names
    assert {f"S-{kind}-{seed}" for kind in ("uci", "rap25") for seed in (1, 2, 3)} <= names
    assert {f"S-rap{percent}-1" for percent in (5, 15, 25, 50, 75, 100)} <= names
    assert Counter(name[0] for name in names if "-rap" in name and name[0] == "M")["M"] >= 3
    assert set(HEADLINE) <= names
    assert set(LONGER) <= names


def test_longer_runs_differ_in_passes_alone_and_the_control_in_dropout() -> None:
    for name in LONGER:
        long, usual = find_run(name), find_run(name.partition("x")[0])
        assert long.training == replace(usual.training, epochs=long.training.epochs)
        dropout = 0.1 if name.endswith("d10") else 0.0
        assert long.settings == replace(usual.settings, dropout=dropout)
        assert long.size == usual.size
        assert long.cost == pytest.approx(long.training.epochs / 5 * usual.cost)
        assert (long.usual, usual.usual) == (False, True)


def test_the_plan_begins_with_the_shortest_runs() -> None:
    costs = [run.cost for run in plan()]
    assert costs == sorted(costs)
    assert plan()[-1].name == "L-ap-1"


@pytest.mark.parametrize("run", plan(), ids=lambda run: run.name)
def test_a_name_gives_back_its_run(run: Run) -> None:
    assert find_run(run.name) == run


@pytest.mark.parametrize(
    ("name", "kind", "notation", "probability", "starts"),
    [
        ("S-uci-1", "gpt", "uci", 0.0, False),
        ("M-rap15-4", "gpt", "rap", 0.15, True),
        ("L-ap-1", "gpt", "ap", 0.0, True),
        ("S-window50-2", "window", "uci", 0.0, False),
        ("S-lstm_rap25-1", "lstm", "rap", 0.25, True),
        ("M-reformer-1", "reformer", "uci", 0.0, False),
        ("S-rap5-1x15", "gpt", "rap", 0.05, True),
        ("S-uci-1x15d10", "gpt", "uci", 0.0, False),
    ],
)
def test_names_say_what_is_trained(
    name: str, kind: str, notation: str, probability: float, starts: bool
) -> None:
    run = find_run(name)
    assert (run.settings.kind, run.training.notation) == (kind, notation)
    assert (run.training.probability, run.asks_start) == (probability, starts)
    assert run.training.seed == int(name.rsplit("-", 1)[1].partition("x")[0])


@pytest.mark.parametrize(
    "name",
    [
        "S-uci",
        "X-uci-1",
        "S--1",
        "S-rap-1",
        "S-gru-1",
        "S-uci-01",
        "S-lstm_uci-1",
        "S-1",
        "S-uci-1x5",
        "S-uci-1d0",
    ],
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"is written|names no run"):
        find_run(name)


# ---------------------------------------------------------------------------- retraining


def random_game(seed: int) -> Game:
    random, board = np.random.default_rng(seed), chess.Board()
    for _ in range(random.integers(60, 120)):
        if not (moves := list(board.legal_moves)):
            break
        board.push(moves[random.integers(len(moves))])
    return Game(tuple(move.uci() for move in board.move_stack), "*", "a", "b", "none", 0)


@pytest.fixture(scope="module")
def small_corpus() -> Corpus:
    sizes = CorpusSizes(small=6, medium=7, large=8, dev=3, test=3, probe=8)
    return split_games((random_game(seed) for seed in range(60)), sizes)


@pytest.fixture
def places(small_corpus: Corpus, tmp_path: Path) -> retrain.Places:
    games = tmp_path / "games.tsv.zst"
    games.write_bytes(b"stands for the games")
    probes = tmp_path / "probes.tsv.zst"
    write_probes(build_probes(small_corpus, seed=1, count=2), probes)
    return retrain.Places(games, probes, tmp_path / "data", tmp_path / "work")


def tiny_run(name: str) -> Run:
    run = find_run(name)
    training = replace(run.training, tokens=700)
    return replace(run, settings=replace(TINY, kind=run.settings.kind), training=training)


def test_a_run_leaves_record_predictions_and_checkpoint(
    small_corpus: Corpus, places: retrain.Places
) -> None:
    run = tiny_run("S-rap25-1")
    probes = retrain.read_probes(places.probes)
    record = retrain.train_run(run, small_corpus, probes, places)
    assert read_run(run.name, places.target) == record
    assert [one.run.name for one in runs.trained_runs(places.target)] == [run.name]
    assert record.games == 6
    assert record.tokens == record.log[-1]["tokens"] > 0
    answers = runs.read_predictions(run.name, places.target)
    assert len(answers) == 8, "four tasks in two bands"
    model = runs.read_model(run.name, places.target)
    chosen = select(probes, "start_other", "long")
    again = predict(model, chosen, "uci")
    assert np.array_equal(answers["start_other.long"], rank(again))
    test = perplexity(model, small_corpus.games, "uci", small_corpus.of("test"))
    assert record.test_perplexity == pytest.approx(test, rel=1e-4)
    losses = read_losses(run.name, places.target)
    assert perplexity_of(losses, seed=1).value == pytest.approx(test, rel=1e-4)
    prefixes = select(probes, "end_actual", "long")
    own = read_own_pieces(run.name, "long", places.target)
    assert own == pytest.approx(share_on_own_pieces(model, prefixes), rel=1e-4)
    assert losses.plies.tolist() == small_corpus.games.plies[small_corpus.of("test")].tolist()
    assert not list(places.work.glob("*.state"))


def test_a_ranking_keeps_every_score() -> None:
    random = np.random.default_rng(3)
    values = random.normal(size=(40, VOCABULARY_SIZE)).astype(np.float32)
    right = random.random(values.shape) < 0.2
    count = np.minimum(right.sum(axis=1), KEPT)
    again = scores_of(rank(values))
    assert np.array_equal(again.argmax(axis=1), values.argmax(axis=1))
    assert np.allclose(precision_at(again, right, count), precision_at(values, right, count))
    assert rank(np.zeros((1, VOCABULARY_SIZE)))[0, :3].tolist() == [0, 1, 2]


def test_a_model_without_piece_types_is_not_asked_where_they_stand(
    small_corpus: Corpus, places: retrain.Places
) -> None:
    run = tiny_run("S-window50-1")
    retrain.train_run(run, small_corpus, retrain.read_probes(places.probes), places)
    answers = runs.read_predictions(run.name, places.target)
    assert {key.split(".")[0] for key in answers} == {"end_actual", "end_other"}
    with pytest.raises(FileNotFoundError, match="retrain S-window50-1"):
        runs.read_model(run.name, places.target)
    kept = places.work / "S-window50-1.safetensors"
    assert read_checkpoint(kept)[0].settings.kind == "window"


def test_done_and_claimed_runs_are_left_alone(
    small_corpus: Corpus, places: retrain.Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[str] = []
    measured: list[str] = []
    monkeypatch.setattr(retrain, "read_corpus", lambda path: small_corpus)
    monkeypatch.setattr(retrain, "train_run", lambda run, *_, **__: trained.append(run.name))
    monkeypatch.setattr(retrain, "measure_run", lambda run, *_, **__: measured.append(run.name))
    names = ("S-uci-1", "S-uci-2", "S-uci-3", "S-ap-1")
    places.record(find_run("S-uci-1")).parent.mkdir(parents=True)
    places.record(find_run("S-uci-1")).write_text("{}")
    places.record(find_run("S-ap-1")).write_text("{}")
    places.work.mkdir(exist_ok=True)
    places.checkpoint(find_run("S-uci-1")).write_bytes(b"stands for weights")
    with retrain._claimed(places.work / "S-uci-2.lock") as mine:
        assert mine
        retrain.train_runs([find_run(name) for name in names], places)
    assert trained == ["S-uci-3"]
    retrain.train_runs([find_run("S-uci-2")], places, hours=0.0)
    assert trained == ["S-uci-3"]
    retrain.train_runs([find_run("S-uci-2")], places, hours=1.0)
    assert trained == ["S-uci-3", "S-uci-2"]
    assert measured == ["S-uci-1"], "it was done before losses were kept; S-ap-1 left no weights"


def test_the_questions_are_made_when_there_are_none(
    small_corpus: Corpus, places: retrain.Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[Instance]] = []
    few = build_probes(small_corpus, seed=1, count=1)
    monkeypatch.setattr(retrain, "read_corpus", lambda path: small_corpus)
    monkeypatch.setattr(retrain, "build_probes", lambda corpus, seed: few)
    monkeypatch.setattr(
        retrain, "train_run", lambda run, corpus, probes, _, **__: asked.append(probes)
    )
    there = retrain.read_probes(places.probes)
    retrain.train_runs([find_run("S-uci-1")], places)
    places.probes.unlink()
    retrain.train_runs([find_run("S-uci-1")], places)
    assert asked == [there, few]
    assert retrain.read_probes(places.probes) == few


def test_the_list_shows_what_is_done(
    places: retrain.Places, capsys: pytest.CaptureFixture[str]
) -> None:
    done = places.record(find_run("M-uci-1"))
    done.parent.mkdir(parents=True)
    done.write_text("{}")
    places.work.mkdir()
    (places.work / "L-uci-1.state").write_bytes(b"")
    options = [f"--target={places.target}", f"--work={places.work}", f"--games={places.games}"]
    assert retrain.main(["--list", *options]) == 0
    rows = capsys.readouterr().out.splitlines()
    states = {row.split()[0]: row.split(maxsplit=2)[2].strip() for row in rows[1:]}
    assert len(states) == len(plan())
    assert (states["M-uci-1"], states["L-uci-1"], states["S-uci-1"]) == ("done", "begun", "to do")


def test_a_wrong_name_or_missing_games_end_with_one_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert retrain.main(["S-usi-1", f"--target={tmp_path}"]) == 2
    assert "names no run" in capsys.readouterr().err
    options = [f"--games={tmp_path / 'none'}", f"--work={tmp_path}", f"--target={tmp_path}"]
    assert retrain.main(["S-uci-1", *options]) == 2
    assert "is missing" in capsys.readouterr().err


def test_records_and_predictions_that_are_missing_or_wrong_are_named(
    small_corpus: Corpus, places: retrain.Places
) -> None:
    with pytest.raises(FileNotFoundError, match=r"retrain M-uci-1"):
        read_run("M-uci-1", places.target)
    with pytest.raises(FileNotFoundError, match=r"retrain M-uci-1"):
        runs.read_predictions("M-uci-1", places.target)
    record = RunRecord(find_run("M-uci-1"), 5, 7, ({"tokens": 9},), False, 2.0, 2.1, {})
    values = record.to_values()
    assert RunRecord.from_values(json.loads(json.dumps(values))) == record
    path = places.record(find_run("M-uci-2"))
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({**values, "run": "M-uci-2"}))
    with pytest.raises(ValueError, match="M-uci-2 describes M-uci-1"):
        read_run("M-uci-2", places.target)
    answers = places.target / "predictions" / "M-uci-2.safetensors"
    retrain.write_tensors({"a": torch.zeros(1)}, {"run": "M-uci-1"}, answers)
    with pytest.raises(CheckpointError, match="the run 'M-uci-1'"):
        runs.read_predictions("M-uci-2", places.target)


def test_the_papers_own_settings_are_kept() -> None:
    model, training = runs.PAPER_MODEL, runs.PAPER_TRAINING
    assert (model.layers, model.width, model.heads, model.context) == (12, 768, 12, 512)
    assert (training.epochs, training.rate, training.decay) == (10, 5e-4, 0.01)
    assert training.warmup == 0.1
    assert isinstance(training, Training)
