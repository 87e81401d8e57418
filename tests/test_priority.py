"""Moves and their true changes, the model of changes, its training, and a move's ranking."""

import json
from functools import partial

import chess
import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.numpy import load_file

from chessgloss.book.profiles import load_sizes
from chessgloss.concepts import changes, fit, priority, train
from chessgloss.corpora.games import of_split, read_games
from chessgloss.facts.change import ConceptChange
from chessgloss.oracle import TERMS
from chessgloss.positions import Game, MoveError, PositionError
from chessgloss.store import Store
from scripts import DATA, FIGURE_A6, SELFPLAY, or_skip, refuses

START = chess.STARTING_FEN
ITALIAN = (
    "e2e4",
    "e7e5",
    "g1f3",
    "b8c6",
    "f1c4",
    "f8c5",
    "e1g1",
    "g8f6",
    "c4f7",
    "e8f7",
)
RUY = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6", "d7c6")
OTHER = {"White": "Black", "Black": "White"}


def partner(term: str) -> int:
    """Where the other side's term stands; a term of both sides is its own partner."""
    words = [OTHER.get(word, word) for word in term.split()]
    return TERMS.index(" ".join(words))


PARTNERS = [partner(term) for term in TERMS]
SIGNS = np.where(
    [name.startswith(("White", "Black")) for name in TERMS],
    1,
    -1,
)
SMALL = train.Settings(16, 8, batch=50, rate=1e-2)


# ---------------------------------------------------------------- moves and their changes


@pytest.fixture(scope="module")
def moves():
    games = [Game(line, "*", opening_plies=2) for line in (ITALIAN, RUY)]
    return changes.sample_moves(games, None, seed=0, jobs=1)


@pytest.fixture(scope="module")
def selfplay():
    return list(read_games(SELFPLAY, 120))


@pytest.fixture(scope="module")
def drawn(selfplay):
    return changes.sample_moves(selfplay, 10, seed=1, jobs=1)


def mirrored(fens: list[str]) -> list[str]:
    return [chess.Board(fen).mirror().fen() for fen in fens]


def around(moves: pd.DataFrame) -> tuple[list[str], list[str]]:
    """FENs before and after moves."""
    return moves["before"].tolist(), moves["after"].tolist()


@pytest.mark.parametrize(
    ("fen", "uci", "kind"),
    [
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", "capture"),
        ("4k3/4r3/8/8/8/8/8/4RK2 w - - 0 1", "e1e7", "capture"),  # and a check
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "check"),  # and castling
        ("4k3/8/3P4/8/8/8/8/4K3 w - - 0 1", "d6d7", "check"),
        ("4k3/8/8/8/3P4/8/8/4K3 w - - 0 1", "d4d5", "pawn"),
    ],
)
def test_a_move_is_of_the_first_kind_that_fits(fen, uci, kind):
    assert changes.kind_of(chess.Board(fen), chess.Move.from_uci(uci)) == kind


def test_all_moves_after_the_opening_are_drawn_with_their_positions(moves):
    before, after, replied = moves[["before", "after", "replied"]].to_numpy().T.tolist()
    assert len(moves) == len(ITALIAN) + len(RUY) - 4
    assert after[:7] == before[1:8]
    # the last move of a game has no reply
    assert replied[:8] == [*after[1:8], after[7]]
    kinds = "quiet quiet quiet quiet castling quiet capture capture"
    assert moves["kind"].tolist()[:8] == kinds.split()
    assert moves["game"].tolist() == [0] * 8 + [1] * 6


def test_each_position_is_asked_once_and_blank_tables_drop_moves(
    moves, tmp_path, monkeypatch
):
    asked: list[str] = []
    blank = moves["after"][0]

    def scripted(fens):
        asked.extend(fens)
        values = np.arange(len(fens) * 21, dtype=np.float32).reshape(-1, 21)
        values[fens.index(blank)] = np.nan
        return values

    monkeypatch.setattr(changes, "ask_oracle", scripted)
    for _ in range(2):  # the second time the store knows them all
        measured = changes.measure_changes(moves, Store(tmp_path))
    assert (
        len(asked) == len(set(asked)) == len(set(moves["before"]) | set(moves["after"]))
    )
    known = moves[(moves["before"] != blank) & (moves["after"] != blank)]
    place = [asked.index(fen) for fen in known["after"]]
    assert measured.after[:, 0].tolist() == [21.0 * row for row in place]
    same = changes.TermChanges(known, measured.before, measured.before)
    refuses(ValueError, rf"Material.*never changes in {len(known)} moves", same.spread)


@pytest.mark.engine
def test_stockfish_8_knows_what_a_capture_changes(moves, tmp_path, oracle8):
    measured = changes.measure_changes(moves, Store(tmp_path))
    material = measured.changes[:, TERMS.index("Material")]
    # Stockfish 8 counts piece-square tables as Material: every move changes it a little.
    assert ((np.abs(material) > 0.6) == (measured.moves["kind"] == "capture")).all()
    assert (material != 0).all()


# ---------------------------------------------------------------- features and model


@pytest.fixture
def small_model():
    torch.manual_seed(0)
    network = train.ChangeNetwork(priority.BoardSource.width, 16, 8)
    spread = np.linspace(0.1, 1, 21, dtype=np.float32)
    return network.model(spread, {"source": "onehot"})


@pytest.mark.parametrize("name", priority.SOURCES)
def test_features_of_the_mirrored_move_are_the_two_views_exchanged(
    name, small_model, drawn
):
    source = or_skip(priority.SOURCES[name])
    moves = around(drawn[:30])
    turned = [mirrored(fens) for fens in moves]
    ours, theirs = (
        source.features(*map(source.read, each)) for each in (moves, turned)
    )
    assert ours.shape == (30, 2, source.width)
    assert np.array_equal(ours, theirs[:, ::-1])
    assert not np.array_equal(ours, theirs)
    predict = partial(small_model.predict, priority.BoardSource())
    change, _ = predict(*moves)
    opposite, _ = predict(*turned)
    assert np.allclose(
        opposite,
        change[:, PARTNERS] * SIGNS,
        atol=1e-5,
    )
    assert np.abs(change).max() > 0


def test_a_model_comes_back_from_its_file_and_batches_change_nothing(
    small_model, drawn, tmp_path
):
    again = priority.ChangeModel.load(small_model.save(tmp_path / "model.safetensors"))
    asked = (priority.BoardSource(), *around(drawn[:10]))
    whole = small_model.predict(*asked)
    assert np.allclose(
        whole,
        again.predict(*asked, batch=3),
        atol=2e-3,
    )  # 16 bits
    assert again.about == small_model.about
    with pytest.raises(ValueError, match="holds no sizes"):
        priority.ChangeModel.load(priority.weights_file("nnue-svm"))


# ---------------------------------------------------------------- training


def planted(moves: pd.DataFrame) -> changes.TermChanges:
    """Moves whose terms follow from how many pieces a side has on each of its ranks."""
    weights = np.random.default_rng(2).normal(size=(8, 12))
    terms = []
    for codes in map(priority.BoardSource().read, around(moves)):
        counts = (
            ((codes >= 1) & (codes <= 6))
            .reshape(
                -1,
                2,
                8,
                8,
            )
            .sum(axis=3)
        )
        sides = counts @ weights
        totals = sides[:, 0, :3] - sides[:, 1, :3]
        pairs = sides[:, :, 3:].transpose(0, 2, 1)
        terms.append(
            np.concatenate([totals, pairs.reshape(-1, 18)], axis=1).astype(np.float32)
        )
    return changes.TermChanges(moves.reset_index(drop=True), *terms)


def test_training_finds_what_was_planted(drawn):
    moves = planted(drawn[:300])
    settings = train.Settings(64, 32, epochs=16, batch=32, rate=1e-2, seed=1)
    _, log = train.train(priority.BoardSource(), moves, moves, settings)
    assert len(log) == 16
    assert (
        log[0]["rate"] < max(row["rate"] for row in log) > log[-1]["rate"]
    )  # one cycle
    assert log[-1]["ndcg"] > max(log[0]["ndcg"], 0.9)


def run(selfplay, monkeypatch, stopping, *ndcg: float):
    """Train with validation measures that are laid down in advance, pass by pass."""
    moves = planted(changes.sample_moves(selfplay[:20], 6, seed=1, jobs=1))
    rows = iter([{"ndcg": value, "precision": 0.5} for value in ndcg])
    monkeypatch.setattr(train, "measure_ranking", lambda *_: next(rows))
    model, log = train.train(priority.BoardSource(), moves, moves, SMALL, stopping)
    return [*model.weights.values()], log


def test_a_run_stops_after_the_last_fall_and_keeps_its_best_pass(selfplay, monkeypatch):
    script = (0.2, 0.5, 0.4, 0.4, 0.45, 0.6, 0.5, 0.5, 0.9)
    stopping = train.Stopping(patience=2, falls=1, factor=0.1)
    _, log = run(selfplay, monkeypatch, stopping, *script)
    assert len(log) == 8, "the ninth is never asked for"
    assert [row["rate"] for row in log] == pytest.approx([1e-2] * 4 + [1e-3] * 4)
    kept = []
    for most, measured in (
        (9, (0.3, 0.7, 0.6)),
        (2, (0.3, 0.7, 0.8)),
        (1, (0.3,)),
    ):
        stopping = train.Stopping(patience=1, falls=0, most=most)
        kept.append(run(selfplay, monkeypatch, stopping, *measured)[0])
    best, same, other = kept
    assert all(map(np.array_equal, best, same))
    assert not all(map(np.array_equal, best, other))


def test_a_curve_is_written_for_the_test_moves(selfplay, tmp_path, monkeypatch):
    known = [game for game in selfplay if game.split != "test"]
    labelled = planted(changes.sample_moves(known, 4, seed=1, jobs=1))
    monkeypatch.setattr(train, "label_games", lambda *_: labelled)
    monkeypatch.setattr(changes, "measure_changes", lambda moves, store: planted(moves))
    monkeypatch.setattr(priority, "SOURCES", {"onehot": priority.BoardSource})
    monkeypatch.setattr(train, "CURVE_GAMES", (30, 80))
    monkeypatch.setattr(train, "FITTED_GAMES", 15)
    monkeypatch.setattr(train, "TEST_GAMES", 5)
    path = train.write_curve(
        selfplay, tmp_path, SMALL, train.Stopping(1, 0, validation=20)
    )
    points = json.loads(path.read_text())["points"]
    games = {point["name"]: point["games"] for point in points}
    assert games == {"onehot-equal": 15, "onehot-30": 30, "onehot-80": 80}
    assert points[1]["moves"] < points[2]["moves"]
    named = load_file(tmp_path / "curve.safetensors")
    games = of_split(selfplay, "test")[:5]
    test = changes.sample_moves(games, train.PER_GAME, seed=1, jobs=1)
    assert named["moves"].tolist() == changes.move_keys(test).tolist()
    assert named["onehot-80"].shape == (len(test), 5)


def test_only_games_up_to_the_last_training_game_are_labelled(
    selfplay, tmp_path, monkeypatch
):
    monkeypatch.setattr(train, "default_store", lambda: Store(tmp_path))
    monkeypatch.setattr(
        changes, "ask_oracle", lambda fens: np.zeros((len(fens), 21), np.float32)
    )
    monkeypatch.setattr(train, "CHUNK", 7)
    labelled = train.label_games(selfplay, 20)
    assert labelled.part("train").moves["game"].nunique() == 20
    assert labelled.moves["split"].iloc[-1] == "train"
    assert not (labelled.moves["split"] == "test").any()


# ---------------------------------------------------------------- what is committed


def test_every_committed_point_is_of_the_chapters_moves_and_trained_to_its_own_optimum():
    """One pass over few moves once stood for what a source can give: no point may be cut short."""
    sizes = load_sizes("03_prioritisation", "book")
    drawn = (train.FITTED_GAMES, train.TEST_GAMES, train.PER_GAME)
    assert (sizes.fitted_games, sizes.held_out_games, sizes.per_game) == drawn
    curve = json.loads((DATA / "priority/curve.json").read_text())
    stop = curve["stopping"]
    last_rate = curve["settings"]["rate"] * stop["factor"] ** stop["falls"]
    for point in curve["points"]:
        values = [row["ndcg"] for row in point["log"]]
        assert point["ndcg"] == max(values) == values[point["passes"] - 1]
        assert 1 < point["passes"] <= len(values) < stop["most"]
        assert point["log"][-1]["rate"] == pytest.approx(last_rate)


# ---------------------------------------------------------------- a move's ranking


@pytest.fixture
def scripted(monkeypatch):
    """A method that finds a change in two terms of every move."""

    class Scripted:
        def score(self, before, after):
            change = np.zeros((len(before), 21), np.float32)
            change[:, [TERMS.index("Black Threats"), TERMS.index("Material")]] = (-2, 1)
            start = np.full_like(change, 0.5)
            return priority.Scores(
                start,
                start + change,
                change,
                np.abs(change),
            )

    monkeypatch.setattr(priority, "load_method", lambda name: Scripted())


def test_concepts_come_ranked_with_side_and_values(scripted):
    first, second, third = priority.prioritise(START, "e4").top(3)
    assert first == ConceptChange("Threats", "Black", 0.5, -1.5, -2.0, 1)
    assert (second.term, second.side, second.rank) == ("Material", "both", 2)
    assert third.change == 0


def test_bad_input_and_missing_weights_are_named(scripted):
    with pytest.raises(ValueError, match=r"nothing\.safetensors is missing.*train\.py"):
        priority.weights_file("nothing")
    refuses(PositionError, "repair_fen", priority.prioritise, "8/8/8 w", "e4")
    refuses(MoveError, "'e5' is not a legal move", priority.prioritise, START, "e5")


def test_the_committed_weights_name_the_same_term_first():
    firsts = {
        "default": "Black Threats",
        "linear": "Imbalance",
        "paper": "White Threats",
    }
    for method, first in firsts.items():
        ranked = or_skip(priority.prioritise, FIGURE_A6, "Bxe6+", method=method)
        other = priority.prioritise(FIGURE_A6, "a3", method=method)
        terms, others = ([each.term for each in one.top(21)] for one in (ranked, other))
        assert terms[0] == first
        assert terms != others
    refuses(ValueError, "default, linear, paper", priority.load_method, "best")


def test_linear_scores_fitted_together_answer_their_own_questions(selfplay):
    random = np.random.default_rng(0)
    before = random.normal(2, 3, size=(3_000, 12)).astype(np.float32)
    after = before + random.normal(size=before.shape).astype(np.float32)
    line = random.normal(size=(12, 21)).astype(np.float32)
    frame = pd.DataFrame({"game": range(len(before)), "split": "train"})
    moves = changes.TermChanges(
        frame,
        before @ line,
        after @ line,
    )
    fitted = fit.fit_linear(before, after, moves, penalty=1e-4, seed=0)
    truth = moves.changes / moves.spread()
    assert np.allclose(
        fitted["changes"].scores(after - before),
        truth,
        atol=0.05,
    )
    assert np.allclose(
        fitted["states"].score_changes(before, after), moves.changes, atol=0.05
    )
    margins = fitted["svm"].score_changes(before, after)
    assert np.corrcoef(margins.ravel(), truth.ravel())[0, 1] > 0.9
