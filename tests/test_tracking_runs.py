"""The plan of trainings, their names, the command that trains them, and runs as players."""

import gzip
import json
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from filelock import FileLock
from safetensors.torch import save

from chessgloss.assets import AssetMissing
from chessgloss.corpora import games as packed
from chessgloss.positions import Game, Position
from chessgloss.skill.players import Asked
from chessgloss.store import file_digest, write_tensors
from chessgloss.tracking import games, models, plan, probes, runs, sources, train
from chessgloss.tracking.plan import Run, find_run
from chessgloss.tracking.player import keep_moves, tracking_players
from chessgloss.tracking.results import perplexity_of, read_losses
from chessgloss.tracking.sources import play_random_game
from scripts import load_script, refuses

command = load_script("tracking/train.py")

TINY = models.Settings(layers=1, width=32, heads=2, dropout=0.0)
RECIPE = {"tokens": 3072, "optimiser": "muon", "decay": 0.0, "beta2": 0.99}
RECIPE |= {"warmup": 1 / 30, "cooldown": 0.6, "early_stop": False}


# ---------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("name", "settings", "training"),
    [
        ("S-window50-2", {"kind": "window", "window": 50}, {"epochs": 6, "seed": 2}),
        (
            "S-lstm_rap25-1",
            {"kind": "lstm", "layers": 3, "width": 232, "mixing": False},
            {"epochs": 6, "notation": "rap", "probability": 0.25},
        ),
        ("S-uci-1x15", {}, {"epochs": 15}),
        ("36000-uci-1x2", {}, {"epochs": 2}),
    ],
)
def test_names_say_what_is_trained(name, settings, training):
    """A run has the recipe and the shape of all but for what its name says."""
    run = find_run(name)
    ours = {"layers": 4, "width": 160, "heads": 4, "dropout": 0.0, "mixing": True}
    assert (run.name, run.variant) == (name, "")
    assert run.settings == models.Settings(**{**ours, **settings})
    assert run.training == runs.Training(**{**RECIPE, **training})


@pytest.mark.parametrize(
    "name",
    [
        "S-uci",
        "X-uci-1",
        "S-rap-1",
        "S-gru-1",
        "S-uci-01",
        "S-lstm_uci-1",
        "S-uci5-1",
        "S-uci-1x6",
        "S-uci-1x15d10",
        "L-modern_uci-1",
        "L-half.typo_uci-1",
        "L-paper_uci-1",
        "0500-people-uci-1",
        "L-human_uci-1",
    ],
)
def test_other_names_are_refused_by_name_with_the_valid_forms(name):
    refuses(
        ValueError,
        f"'{name}' (is written|names no run; a name is SIZE)",
        find_run,
        name,
    )


# ---------------------------------------------------------------------------- what was trained


def test_every_run_on_file_is_one_of_the_plan_with_all_that_it_left_behind():
    trained = runs.read_runs()
    assert {*runs.HEADLINE} <= {*plan.PLAN}
    assert {"S-uci-1", "L-uci-1"} <= {*trained.index} <= {*plan.PLAN}
    assert not trained.isna().any(axis=None)
    assert {*runs.trained_checkpoints()} == {*runs.HEADLINE} & {*trained.index}
    for path in games.data_folder().glob("*/*-*.*"):
        assert path.name.rpartition(".")[0] in trained.index, path


@pytest.mark.parametrize("name", runs.read_runs().index)
def test_a_run_on_file_was_trained_as_its_name_says(name):
    record = json.loads(runs.kept_path("runs", name).read_text(encoding="utf-8"))
    run = find_run(name)
    assert not record["settings"].pop("rotary")
    assert models.Settings(**record["settings"]) == run.settings
    assert runs.Training(**record["training"]) == run.training
    assert (record["run"], record["variant"]) == (name, run.variant)
    assert record["stopped_early"] <= run.training.early_stop
    if not (run.training.early_stop or run.training.budget):
        assert len(record["log"]) == run.training.epochs
    asked = 4 if run.training.notation == "uci" else 8
    assert len(runs.read_kept("predictions", name)) == asked
    assert perplexity_of(read_losses(name), seed=1).value == pytest.approx(
        record["test_perplexity"], rel=1e-4
    )


def random_game(seed: int) -> Game:
    return Game(tuple(play_random_game(60 + seed, 0, seed)), "*")


@pytest.fixture(scope="module")
def small_corpus():
    sizes = {"S": 6, "M": 7, "L": 8, "dev": 3, "test": 3, "probe": 8}
    return games.split_games((random_game(seed) for seed in range(60)), sizes)


@pytest.fixture(scope="module")
def questions(small_corpus):
    return probes.build_probes(small_corpus, seed=1, count=2)


@pytest.fixture
def workplace(questions, small_corpus, tmp_path, monkeypatch):
    """An empty project with a small corpus; its folder of data."""
    (tmp_path / "_toc.yml").touch()
    monkeypatch.setenv("CHESSGLOSS_PROJECT", str(tmp_path))
    monkeypatch.setenv("CHESSGLOSS_STORE", str(tmp_path / "cache" / "store"))
    real = games.read_corpus
    read = lambda path=None, *sizes: real(path, *sizes) if path else small_corpus  # noqa: E731
    monkeypatch.setattr(games, "read_corpus", read)
    folder = games.data_folder()
    folder.mkdir(parents=True)
    (folder / "games.tsv.zst").write_bytes(b"stands for the games")
    probes.write_probes(questions, probes.probes_file())
    return folder


def tiny_run(name: str) -> Run:
    run = find_run(name)
    settings = replace(run.settings, layers=1, width=32, heads=2)
    return replace(
        run, settings=settings, training=replace(run.training, tokens=700, epochs=2)
    )


@pytest.mark.parametrize("name", ["S-rap25-1", "L-uci-1", "S-random_ap-1"])
def test_a_run_leaves_record_answers_measures_checkpoint(
    name, small_corpus, questions, workplace
):
    run = tiny_run(name)
    train.train_run(run, train.read_project())
    row = runs.read_runs().loc[name]
    assert row["games"] == len(small_corpus.of(run.size))
    assert row["tokens"] == row["log"][-1]["tokens"] > 0
    model, training = runs.read_checkpoint(train.work_folder() / f"{name}.safetensors")
    assert training == run.training
    answers = runs.read_kept("predictions", name)
    assert len(answers) == (4 if run.training.notation == "uci" else 8), (
        "no Start tasks for uci"
    )
    test = train.perplexity(
        model, small_corpus.games, training.reading, small_corpus.of("test")
    )
    assert row["test"] == pytest.approx(test, rel=1e-4)
    assert perplexity_of(read_losses(name), seed=1).value == pytest.approx(
        test, rel=1e-4
    )
    assert runs.kept_path("checkpoints", name).is_file() == (name in runs.HEADLINE)
    assert not list(train.work_folder().glob("*.state"))


def test_done_and_claimed_runs_are_left_alone_and_questions_made(
    workplace, questions, monkeypatch
):
    trained: list[tuple[str, int]] = []

    def pretend(run, at, *_):
        trained.append((run.name, len(at.questions)))

    monkeypatch.setattr(train, "train_run", pretend)
    monkeypatch.setattr(probes, "build_probes", lambda corpus, seed: questions[:8])
    (workplace / "runs").mkdir()
    (workplace / "runs" / "S-uci-1.json").write_text("{}")
    train.work_folder().mkdir(parents=True)
    with FileLock(train.work_folder() / "S-uci-2.lock"):
        train.train_runs([find_run(name) for name in ("S-uci-1", "S-uci-2", "S-uci-3")])
    probes.probes_file().unlink()
    train.train_runs([find_run("S-uci-2")])
    assert trained == [("S-uci-3", len(questions)), ("S-uci-2", 8)]


def test_the_command_trains_on_the_device_that_is_asked_for(
    workplace, monkeypatch, capsys
):
    monkeypatch.setattr(command, "find_run", tiny_run)
    assert command.main(["S-uci-1", "--device", "cpu", "--threads", "1"]) == 0
    (train.work_folder() / "L-uci-1.state").touch()
    capsys.readouterr()
    assert command.main(["--list"]) == 0
    listing = capsys.readouterr().out
    for line in (r"S-uci-1 +done: .* on cpu", "L-uci-1 +begun", "M-uci-1 +to do"):
        assert re.search(line, listing)
    with pytest.raises(SystemExit):
        command.main(["S-uci-1", "--device", "tpu"])
    assert "invalid choice: 'tpu'" in capsys.readouterr().err


def test_a_wrong_name_or_missing_games_end_with_one_clear_line(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "_toc.yml").touch()
    monkeypatch.setenv("CHESSGLOSS_PROJECT", str(tmp_path))
    for name, words in (("S-usi-1", "names no run"), ("S-uci-1", "is missing")):
        assert command.main([name, "--threads", "1"]) == 2
        assert words in capsys.readouterr().err


def test_files_that_are_missing_or_another_runs_are_named(workplace):
    assert tracking_players() == []
    refuses(
        FileNotFoundError,
        r"train\.py M-uci-1",
        runs.read_kept,
        "predictions",
        "M-uci-1",
    )
    for name in ("runs/M-uci-2.json", "measures/M-uci-2.safetensors"):
        (workplace / name).parent.mkdir()
    (workplace / "runs" / "M-uci-2.json").write_text(json.dumps({"run": "M-uci-1"}))
    refuses(ValueError, r"M-uci-2\.json is the record of 'M-uci-1'", runs.read_runs)
    write_tensors(save({}, {"run": "M-uci-1"}), runs.kept_path("measures", "M-uci-2"))
    refuses(ValueError, "the run 'M-uci-1'", runs.read_kept, "measures", "M-uci-2")


# ---------------------------------------------------------------------------- other games


@pytest.fixture
def people(workplace, tmp_path, monkeypatch):
    """A file of people's games, damaged in one place, and small sets; its path."""
    sizes = {"S": 6, "M": 7, "L": 8, "dev": 3, "test": 4, "probe": 8}
    monkeypatch.setattr(sources, "PEOPLE_SIZES", sizes)
    monkeypatch.setattr(sources, "HELD_OUT", {"dev": 3, "test": 4, "probe": 8})
    few = partial(probes.build_probes, count=2)
    monkeypatch.setattr(probes, "build_probes", few)
    lines = ["\t".join(packed.COLUMNS)]
    for seed in range(100, 140):
        moves = " ".join(random_game(seed - 60).moves)
        lines.append(f"1900\t2000\t60+0\t1-0\tNormal\t{moves}")
    lines.insert(3, "1900\t2000\t60+0\t1-0\tNormal\te2e5")
    path = tmp_path / "people.tsv.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    monkeypatch.setenv("CHESSGLOSS_ASSET_GAMES", str(path))
    return path


def quick_run(name: str) -> Run:
    run = tiny_run(name)
    return replace(run, training=replace(run.training, budget=0, epochs=1))


def test_runs_on_each_source_are_tested_on_each(people):
    names = [f"7-{variant}uci-1" for variant in ("", "random_", "people_")]
    train.train_runs([quick_run(name) for name in names])
    corpus = sources.read_people_corpus(train.work_folder())
    test = corpus.of("test")
    assert len(runs.read_runs()) == 3
    for name in names:
        kept = runs.read_kept("crossed", name)
        model, _ = runs.read_checkpoint(train.work_folder() / f"{name}.safetensors")
        nats = models.game_losses(model, corpus.games, "uci", test)
        assert kept["people.test.nats"] == pytest.approx(nats, rel=1e-5)
        assert np.array_equal(kept["people.test.plies"], corpus.games.plies[test])
        assert {*kept["people.end_actual.short.game"]} <= {*corpus.of("probe")}
        assert len(kept["random.end_other.long.lgm"]) == 2


def test_where_peoples_games_are_missing_the_others_are_trained_first(
    people, monkeypatch, capsys
):
    monkeypatch.delenv("CHESSGLOSS_ASSET_GAMES")
    names = ("7-people_uci-1", "7-uci-1")
    wanted = [quick_run(name) for name in names]
    with pytest.raises(AssetMissing, match="set CHESSGLOSS_ASSET_GAMES"):
        train.train_runs(wanted)
    assert "not measured on people games" in capsys.readouterr().out
    assert list(runs.read_runs().index) == [names[1]]
    assert "people.test.nats" not in runs.read_kept("crossed", names[1])


def test_the_command_trains_on_the_games_of_a_file(people, monkeypatch, capsys):
    games_file = people.with_name("mine.tsv.zst")
    assert load_script("games/from_pgn.py").main([str(people), str(games_file)]) == 0
    monkeypatch.setattr(command, "find_run", quick_run)
    asked = ["7-uci-1", "--threads", "1", "--games", str(games_file)]
    assert command.main(asked) == 0
    folder = train.file_folder(games_file)
    record = json.loads(runs.kept_path("runs", "7-uci-1", folder).read_text("utf-8"))
    assert (record["games"], record["training"]["games"]) == (7, "file")
    assert record["versions"]["games"] == file_digest(games_file)
    assert len(runs.read_kept("measures", "7-uci-1", folder)["test.nats"]) == 4
    assert not runs.kept_path("runs", "7-uci-1").is_file()
    assert "7-uci-1: 7 games, perplexity" in capsys.readouterr().out
    assert command.main(["7-random_uci-1", "--games", str(games_file)]) == 2
    assert "reads random games" in capsys.readouterr().err


# ---------------------------------------------------------------------------- players

TO_PROMOTE = ["h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "g8f6", "h6h7", "f6g4"]


@pytest.mark.parametrize(
    ("reading", "words", "move"),
    [
        ("uci", "h7 h8 q", "h7h8q"),
        ("uci", "h7 g8 e5", "h7g8"),
        ("uci", "h7 EOS EOS", "h7EOS"),
        ("ap", "P h7 h8 q", "h7h8q"),
    ],
)
def test_two_squares_are_a_move_with_its_new_piece(monkeypatch, reading, words, move):
    model = models.make_model(replace(TINY, context=64), seed=0)
    left = words.split()
    read: list[list[str]] = []

    def predict_next(_: models.LanguageModel, given: list[np.ndarray]) -> np.ndarray:
        read.extend([games.VOCABULARY[token] for token in row] for row in given)
        answers = np.full((1, games.VOCABULARY_SIZE), -9.0, dtype=np.float32)
        answers[0, games.IDS[left.pop(0)]] = -0.1
        answers[0, games.IDS["N"]] += 8.8
        return answers

    monkeypatch.setattr(models, "predict_next", predict_next)
    assert models.continue_games(model, reading, [TO_PROMOTE]) == [move]
    assert read[0][1] == ("h2" if reading == "uci" else "P")
    parts = words.split()
    told = [row[len(read[0]) :] for row in read]
    assert told == [parts[:k] for k in range(len(parts))]


def test_players_are_those_trained_on_the_most_games_and_mostly_legal_where_games_begin():
    played = [play_random_game(2 + k % 10, 0, k) for k in range(20)]
    asked = [Asked(str(k), Position.after(moves)) for k, moves in enumerate(played)]
    plays, *said = tracking_players()
    assert plays.name == "tracking_l_uci"
    assert np.mean([answer.legal for answer in plays.choose(asked)]) > 0.8
    assert [player.name for player in said] == ["tracking_l_rap15", "tracking_l_ap"]
    kept = load_script("tracking/moves.py").asked_after()
    asked = [Asked("", Position.after(moves)) for moves in kept[:1000:100]]
    for player in said:
        assert np.mean([answer.legal for answer in player.choose(asked)]) > 0.5
    new = [Asked("new", Position.after(played[0]))]
    refuses(ValueError, r"is not kept.*moves\.py L-rap15-1", said[0].choose, new)


def test_a_move_that_was_said_is_kept_with_its_game(workplace):
    model = models.make_model(TINY, seed=1)
    games_of = [("e2e4",), (), ("e2e4",), ("d2d4", "d7d5")]
    path = keep_moves("L-ap-1", model, runs.Training(), games_of)
    assert path == runs.kept_path("moves", "L-ap-1")
    assert len(path.read_text("utf-8").splitlines()) == 1 + 3
    (player,) = tracking_players()
    assert player.name == "tracking_l_ap"
    again = models.continue_games(model, "uci", games_of)
    assert player.continue_games(games_of) == again
