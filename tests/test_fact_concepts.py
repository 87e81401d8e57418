from __future__ import annotations

import json
from pathlib import Path

import chess
import numpy as np
import pytest

from chessgloss.concepts import ConceptVectors
from chessgloss.corpora.games import read_games
from chessgloss.fact_concepts import (
    CONCEPTS,
    NOT_ASKED,
    FactLabels,
    choose_rows,
    fit_facts,
    label_facts,
    likeness_of,
    notice,
    really,
    renumber,
)
from chessgloss.fact_training import FINAL_PLIES, Settings, auc, report, sample_facts, train
from chessgloss.heldout import HeldOut, held_out
from chessgloss.positions import read_fen, read_move
from chessgloss.priorities import ConceptChange
from chessgloss.store import Store, find_project

DATA = find_project() / "data"
PARTS = ("train", "validation", "test")

#: Positions with known answers: FEN, concepts that hold, concepts that do not.
KNOWN = [
    pytest.param(
        "4k3/8/8/8/8/3r1r2/4P3/4K3 w - - 0 1", {"White fork"}, {"Black fork"}, id="pawn fork"
    ),
    pytest.param(
        "r3k3/2N5/8/8/8/8/8/4K3 b - - 0 1", {"White fork"}, {"White pin"}, id="knight fork"
    ),
    pytest.param("q3k3/2N5/1p6/8/8/8/8/4K3 w - - 0 1", {"White fork"}, set(), id="royal fork"),
    pytest.param(
        "r2qk3/2N5/8/8/8/8/8/4K3 b - - 0 1", set(), {"White fork"}, id="forking knight is lost"
    ),
    pytest.param(
        "4k3/4n3/8/8/8/8/4R3/4K3 b - - 0 1",
        {"White pin", "White open file"},
        {"Black pin", "Black open file"},
        id="pin on an open file",
    ),
    pytest.param(
        "4k3/4p3/8/8/8/P7/P7/R3K3 w - - 0 1",
        {"White doubled pawns"},
        {"Black doubled pawns", "White open file", "White pin"},
        id="doubled pawns, rook behind them",
    ),
    pytest.param("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", {"White mate in one"}, set(), id="back rank"),
    pytest.param(
        "5k2/5ppp/8/8/8/8/8/R3K3 b - - 0 1",
        set(),
        {"Black mate in one", "Black open file"},
        id="no mate for the side to move",
    ),
]


def concepts_of(fen: str) -> dict[str, int]:
    return dict(zip(CONCEPTS, label_facts([fen], jobs=1)[0].tolist(), strict=True))


@pytest.fixture(scope="module")
def selfplay_fens() -> list[str]:
    games = read_games(DATA / "games/selfplay.tsv.zst", limit=12)
    return [fen for game in games for fen in game.fens()[10:-1:6]]


@pytest.mark.parametrize(("fen", "holds", "fails"), KNOWN)
def test_positions_with_a_known_answer(fen: str, holds: set[str], fails: set[str]):
    found = concepts_of(fen)
    assert {name for name in holds if found[name] != 1} == set()
    assert {name for name in fails if found[name] != 0} == set()


@pytest.mark.parametrize(("turn", "absent"), [("w", "Black"), ("b", "White")])
def test_mate_in_one_is_asked_of_the_side_to_move_only(turn: str, absent: str):
    found = concepts_of(f"6k1/5ppp/8/8/8/8/8/R3K3 {turn} - - 0 1")
    assert [name for name, value in found.items() if value == NOT_ASKED] == [
        f"{absent} mate in one"
    ]


def test_mate_in_one_agrees_with_a_search_of_all_moves(selfplay_fens: list[str]):
    games = read_games(DATA / "games/selfplay.tsv.zst", limit=60)
    mated = [game.fens()[-2] for game in games if game.termination == "checkmate"]
    fens = [*mated, *selfplay_fens]
    found = label_facts(fens, jobs=1)
    for fen, row in zip(fens, found, strict=True):
        board, column = chess.Board(fen), CONCEPTS.index("White mate in one")
        assert row[column + (not board.turn)] == int(searched_mate(board)), fen
    assert len(mated) > 5
    assert (found[: len(mated), -2:].max(axis=1) == 1).all()


def searched_mate(board: chess.Board) -> bool:
    for move in board.legal_moves:
        board.push(move)
        mate = board.is_checkmate()
        board.pop()
        if mate:
            return True
    return False


def test_labels_change_sides_with_the_colours(selfplay_fens: list[str]):
    mirrored = [chess.Board(fen).mirror().fen() for fen in selfplay_fens]
    here, there = label_facts(selfplay_fens, jobs=1), label_facts(mirrored, jobs=2)
    swapped = [CONCEPTS.index(_other_side(name)) for name in CONCEPTS]
    np.testing.assert_array_equal(here, there[:, swapped])
    assert (here == 1).any(axis=0)[:8].all(), "too few positions to say anything"


def _other_side(name: str) -> str:
    side, rest = name.split(" ", 1)
    return f"{'Black' if side == 'White' else 'White'} {rest}"


def planted(rows: int = 1200) -> tuple[np.ndarray, FactLabels]:
    """Features of which column ``k`` shows concept ``k`` and the last one the likeness."""
    random = np.random.default_rng(0)
    games = np.arange(rows, dtype=np.int32) // 4
    splits = np.array(PARTS)[np.minimum(games % 5, 2)]
    values = (random.random((rows, len(CONCEPTS))) < 0.3).astype(np.int8)
    likeness = random.integers(0, 3, rows)
    noise = random.normal(0, 0.1, (rows, len(CONCEPTS)))
    features = np.column_stack([values + noise, likeness]).astype(np.float32)
    return features, FactLabels(values, likeness, games, splits)


def test_each_positive_meets_a_negative_of_its_own_kind():
    _, labels = planted()
    for k, one in enumerate(choose_rows(labels, most=10_000, seed=1)):
        assert len(set(one.rows.tolist())) == len(one.rows) > 300
        np.testing.assert_array_equal(labels.values[one.rows, k] == 1, one.positive)
        kinds = list(zip(labels.likeness[one.rows], labels.splits[one.rows], strict=True))
        yes = sorted(kind for kind, positive in zip(kinds, one.positive, strict=True) if positive)
        no = sorted(
            kind for kind, positive in zip(kinds, one.positive, strict=True) if not positive
        )
        assert yes == no


def test_positions_that_were_not_asked_are_not_chosen():
    _, labels = planted()
    labels.values[:600, 8] = NOT_ASKED
    chosen = choose_rows(labels, most=10_000, seed=1)[8]
    assert chosen.rows.min() >= 600
    assert chosen.positive.mean() == 0.5


def test_too_few_positions_are_named():
    _, labels = planted()
    labels.values[labels.splits == "test", CONCEPTS.index("Black pin")] = 0
    with pytest.raises(ValueError, match="'Black pin' in test"):
        choose_rows(labels, most=100, seed=1)


def test_most_bounds_the_positives_and_the_seed_decides_which():
    _, labels = planted()
    first, again, other = (choose_rows(labels, most=100, seed=seed) for seed in (1, 1, 2))
    assert [one.positive.sum() for one in first] == [100] * len(CONCEPTS)
    np.testing.assert_array_equal(first[0].rows, again[0].rows)
    assert first[0].rows.tolist() != other[0].rows.tolist()


def test_planted_concepts_are_found_and_shuffled_ones_are_not():
    features, labels = planted()
    choices = choose_rows(labels, most=250, seed=1)
    rows = np.unique(np.concatenate([one.rows for one in choices]))
    taken, tails = labels.take(rows), renumber(choices, rows)
    fitted = fit_facts(features[rows], taken, tails, seed=1, jobs=1)
    shuffled = fit_facts(features[rows], taken, tails, seed=1, jobs=1, shuffle=True)
    found, chance = (held_out(f, features[rows], taken.labelled()) for f in (fitted, shuffled))
    assert min(one.correct.mean() for one in found) > 0.95
    assert np.mean([one.correct.mean() for one in chance]) < 0.7
    strongest = np.abs(fitted.vectors.weights).argmax(axis=1)
    assert strongest.tolist() == list(range(len(CONCEPTS)))
    told = report({"planted": found, "shuffled": chance}, seed=1)
    assert told["planted"]["mean"]["auc"]["value"] > 0.99
    assert told["shuffled"]["gain"]["low"] > 0.2


def test_the_area_under_the_curve_by_hand():
    games = np.array([0, 1, 2, 3], np.int32)
    one = HeldOut("x", games, np.array([1, 0, 1, 0], bool), np.array([3, 2, 1, 0], np.float32))
    found = auc([one], seed=0)
    assert found.value == pytest.approx(3 / 4)
    assert found.low <= 0.5
    assert found.high == 1.0


def test_a_split_by_row_is_refused():
    _, labels = planted(40)
    labels.splits[0] = "test"
    with pytest.raises(ValueError, match="split by game"):
        labels.labelled()


def test_games_that_end_in_mate_give_their_last_positions():
    games = list(read_games(DATA / "games/selfplay.tsv.zst", limit=20))
    sample = sample_facts(games, 2, seed=1)
    pairs = list(zip(sample.games.tolist(), sample.plies.tolist(), strict=True))
    assert len(set(pairs)) == len(sample)
    for number, game in enumerate(games):
        ends = {(number, len(game.moves) - back) for back in FINAL_PLIES}
        assert (ends <= set(pairs)) == (game.termination == "checkmate")
    fens = [games[game].fens()[ply] for game, ply in pairs]
    assert fens == list(sample.fens)


def test_likeness_is_of_men_and_turn():
    fens = [chess.STARTING_FEN, "4k3/8/8/8/8/8/8/4K3 b - - 0 1", "k7/8/8/8/8/8/8/K7 b - - 5 9"]
    first, second, third = likeness_of(fens)
    assert second == third != first
    assert likeness_of([fens[1].replace(" b ", " w ")])[0] not in (first, second)


@pytest.mark.slow
def test_training_with_the_real_network(tmp_path: Path):
    games = list(read_games(DATA / "games/selfplay.tsv.zst", limit=300))
    fitted, told = train(Settings(300, 4, 60), games, Store(tmp_path))
    assert fitted.vectors.weights.shape == (len(CONCEPTS), 3072)
    assert set(told["test"]) == {"NNUE", "shuffled labels", "bare board", "random weights"}
    assert told["test"]["NNUE"]["mean"]["auc"]["value"] > 0.6


def test_the_committed_vectors_say_where_they_come_from():
    vectors = ConceptVectors.load(DATA / "concepts/facts-nnue.safetensors")
    assert vectors.names == CONCEPTS
    assert vectors.about["layer"] == "pairwise+clipped"
    told = json.loads((DATA / "concepts/facts-nnue.json").read_text())["test"]
    for name in ("bare board", "random weights", "shuffled labels"):
        assert told[name]["gain"]["low"] > 0, f"the network adds nothing over {name}"
    assert abs(told["shuffled labels"]["mean"]["accuracy"]["value"] - 0.5) < 0.05


def test_what_changes_sign_clearly_is_noticed_and_the_clearest_comes_first():
    before = np.array([-0.9, 0.1, -0.2, 2.0, 0, 0, 0, 0, 5.0, 5.0], np.float32)
    after = np.array([0.4, -0.1, 0.1, -1.0, 0, 0, 0, 0, 5.0, 0.5], np.float32)
    found = notice(before, after, chess.BLACK)
    assert [(one.term, one.rank) for one in found] == [("Black pin", 1), ("White fork", 2)]
    assert found[0].change == pytest.approx(-3.0)


@pytest.mark.parametrize(("turn", "noticed"), [(chess.WHITE, "White"), (chess.BLACK, "Black")])
def test_mate_in_one_is_asked_of_the_side_to_move_after_the_move(turn, noticed):
    scores = np.zeros(10, np.float32)
    scores[CONCEPTS.index("White mate in one") :] = 1.5
    (one,) = notice(scores, scores, turn)
    assert (one.concept, one.side) == ("mate in one", noticed)


@pytest.mark.parametrize(
    ("fen", "san", "concept", "side", "comes", "so"),
    [
        ("4k3/8/8/2r1r3/8/8/3K4/6N1 w - - 0 1", "Nf3", "fork", "White", 1.0, False),
        ("3r1r2/8/8/8/5N2/8/8/k6K w - - 0 1", "Ne6", "fork", "White", 1.0, True),
        ("3r1r2/8/8/8/5N2/8/8/k6K w - - 0 1", "Ne6", "fork", "White", -1.0, False),
        ("4k3/8/8/3p4/4P3/3P4/8/4K3 b - - 0 1", "dxe4", "doubled pawns", "Black", 1.0, False),
        ("4k3/8/8/3pp3/4P3/8/8/4K3 w - - 0 1", "exd5", "open file", "White", 1.0, False),
        ("4k3/8/8/3p4/2P1P3/8/8/4K3 b - - 0 1", "dxc4", "doubled pawns", "White", -1.0, False),
        ("7k/p5pp/8/8/8/8/8/K3R3 b - - 0 1", "a6", "mate in one", "White", 1.0, True),
        ("7k/p5pp/8/8/8/8/8/K3R3 b - - 0 1", "h6", "mate in one", "White", 1.0, False),
    ],
)
def test_the_board_says_whether_a_noticed_concept_is_so(fen, san, concept, side, comes, so):
    move = read_move(read_fen(fen), san)
    one = ConceptChange(concept, side, -comes, comes, 2 * comes, 1)
    assert really(move, one) is so
