from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import chess
import numpy as np
import pytest

from chessgloss.book import reference
from chessgloss.corpora.games import read_games
from chessgloss.store import find_project
from chessgloss.tracking.corpus import Corpus, CorpusSizes, split_games
from chessgloss.tracking.probe_scores import answer_table, precision_at, random_legal, score_probes
from chessgloss.tracking.probes import (
    BANDS,
    TASKS,
    Instance,
    ProbeError,
    ask,
    build_probes,
    contexts,
    plies_since,
    read_probes,
    select,
    write_probes,
)
from chessgloss.tracking.tokens import VOCABULARY, VOCABULARY_SIZE, decode, is_piece_type

#: The state-tracking paper's Figure 1b and Table 3: the moves played, and the one that follows.
FIGURE_1 = ["e2e4", "e7e5", "g1f3", "b8c6", "d2d4", "h7h6"]
NEXT_MOVE = "f1b5"


class ScriptedChoice:
    """Chooses what it is told to, if that is offered."""

    def __init__(self, *choices: int) -> None:
        self.choices = list(choices)

    def choice(self, offered: Sequence[int]) -> int:
        wanted = self.choices.pop(0)
        assert wanted in offered
        return wanted


@pytest.fixture
def table_3() -> list[Instance]:
    script = ScriptedChoice(chess.F3, chess.KNIGHT)
    return ask(FIGURE_1, NEXT_MOVE, "short", "figure 1", script)


@pytest.fixture(scope="module")
def selfplay_corpus() -> Corpus:
    path = find_project() / "data" / "games" / "selfplay.tsv.zst"
    sizes = CorpusSizes(small=10, medium=20, large=120, dev=5, test=5, probe=150)
    return split_games(read_games(path, 400), sizes)


@pytest.fixture(scope="module")
def selfplay_probes(selfplay_corpus: Corpus) -> list[Instance]:
    return build_probes(selfplay_corpus, seed=3, count=25)


def oracle(instances: Sequence[Instance]) -> np.ndarray:
    """A model that knows the rules, the board and the game."""
    scores = np.full((len(instances), VOCABULARY_SIZE), -20.0)
    for row, one in zip(scores, instances, strict=True):
        row[list(one.legal)] = -2.0
        if one.exact is not None:
            row[one.exact] = -1.0
    return scores


def names(ids: Sequence[int] | frozenset[int]) -> set[str]:
    return {VOCABULARY[one] for one in ids}


def printed_set(row: str, column: str) -> set[str]:
    text = reference.lookup("state_tracking", "table3", row, column).printed
    return set() if text == "N/A" else set(text.strip("{}").split(", "))


@pytest.mark.parametrize(
    ("place", "row"),
    [(0, "End-Actual"), (1, "End-Other"), (2, "Start-Actual"), (3, "Start-Other")],
)
def test_the_rows_of_table_3(table_3, place, row):
    one = table_3[place]
    prompt = reference.lookup("state_tracking", "table3", row, "Prompt Token").printed
    assert VOCABULARY[one.prompt] == prompt
    assert names(one.legal) == printed_set(row, "Correct Answers (LgM)")
    exact = [one.exact] if one.exact is not None else []
    assert names(exact) == printed_set(row, "Correct Answers (ExM)")
    assert one.task == TASKS[place] == row.lower().replace("-", "_")


def test_scores_of_table_3_worked_by_hand(table_3):
    """End-Actual on f1: five right answers; the model's order is c4, g2, b5, N, e2, d3, a6."""
    scores = np.zeros((1, VOCABULARY_SIZE))
    for rank, word in enumerate(["c4", "g2", "b5", "N", "e2", "d3", "a6"]):
        scores[0, VOCABULARY.index(word)] = 10 - rank
    found = score_probes(scores, table_3[:1], seed=1)
    assert (found.lgm.value, found.rprec.value, found.exm.value) == (100, 60, 0)
    scores[0, VOCABULARY.index("b5")] = 11
    found = score_probes(scores, table_3[:1], seed=1)
    assert (found.lgm.value, found.rprec.value, found.exm.value) == (100, 60, 100)
    other = score_probes(scores, table_3[1:2], seed=1)
    assert (other.lgm.value, other.rprec.value, other.exm) == (0, 0, None)


def test_what_a_model_reads(table_3):
    plain, second, start, other = contexts(table_3, "uci")
    assert [VOCABULARY[one] for one in plain[-3:]] == ["h7", "h6", "f1"]
    assert (VOCABULARY[start[-1]], VOCABULARY[other[-1]]) == ("B", "N")
    assert not is_piece_type(start[:-1]).any()
    assert (decode(start[:-1]), VOCABULARY[start[0]]) == (FIGURE_1, "BOS")
    typed, beside, typed_start, _ = contexts(table_3, "ap")
    assert [VOCABULARY[one] for one in typed[-5:]] == ["P", "h7", "h6", "B", "f1"]
    assert [VOCABULARY[one] for one in beside[-2:]] == ["N", "f3"]
    assert [VOCABULARY[one] for one in typed_start[-3:]] == ["h7", "h6", "B"]
    for one, same in zip(contexts(table_3, "rap"), (plain, second, start, other), strict=True):
        assert np.array_equal(one, same)


def test_every_instance_keeps_the_papers_rules(selfplay_corpus, selfplay_probes):
    games = [selfplay_corpus.games.ucis(k) for k in selfplay_corpus.of("probe")]
    keys = dict(zip(selfplay_corpus.keys[selfplay_corpus.of("probe")], games, strict=True))
    for one in selfplay_probes:
        moves, length = keys[one.game], len(one.prefix)
        assert list(one.prefix) == moves[:length]
        board = chess.Board()
        for uci in one.prefix:
            board.push_uci(uci)
        assert board.fen() == one.fen
        actual = chess.Move.from_uci(moves[length])
        assert not board.is_castling(actual)
        assert board.piece_type_at(actual.from_square) != chess.PAWN
        assert BANDS[one.band][0] <= length <= BANDS[one.band][1]
        legal = [move for move in board.legal_moves if not board.is_castling(move)]
        if one.task.startswith("end"):
            ends = {m.to_square for m in legal if m.from_square == one.prompt - 3}
            assert one.legal == {3 + square for square in ends}
            kind = board.piece_type_at(one.prompt - 3)
            assert kind == one.piece - 66 != chess.PAWN
            assert (one.prompt == 3 + actual.from_square) == (one.task == "end_actual")
        else:
            kinds = {m.from_square for m in legal
                     if board.piece_type_at(m.from_square) == one.piece - 66}  # fmt: skip
            assert one.legal == {3 + square for square in kinds}
            same = board.piece_type_at(actual.from_square) == one.piece - 66
            assert same == (one.task == "start_actual")


def test_no_prefix_is_a_training_prefix_or_occurs_twice(selfplay_corpus, selfplay_probes):
    trained = {
        tuple(moves[:length])
        for moves in map(selfplay_corpus.games.ucis, selfplay_corpus.of("L"))
        for length in range(1, len(moves) + 1)
    }
    asked = [one.prefix for one in selfplay_probes if one.task == "end_actual"]
    assert not trained & set(asked)
    assert len(set(asked)) == len(asked) == 50


def test_a_prefix_of_a_training_game_is_never_asked(selfplay_corpus):
    """Planted: the probe games are training games but for their last move."""
    path = find_project() / "data" / "games" / "selfplay.tsv.zst"
    games = [game for game in read_games(path, 40) if 60 <= len(game.moves) <= 150][:15]
    cut = [replace(game, moves=game.moves[:-1]) for game in games]
    sizes = CorpusSizes(small=5, medium=10, large=15, dev=1, test=1, probe=15)
    held = list(read_games(path, 60))[-2:]
    corpus = split_games([*held, *cut, *games], sizes)
    with pytest.raises(ProbeError, match=r"15 probe games give 0 prefixes of the short band"):
        build_probes(corpus, seed=1, count=5)


def test_each_task_and_band_has_its_number_and_one_instance_a_game(selfplay_probes):
    for band in BANDS:
        for task in TASKS:
            chosen = select(selfplay_probes, task, band)
            assert len({one.game for one in chosen}) == len(chosen) == 25


def test_the_seed_decides(selfplay_corpus, selfplay_probes):
    assert build_probes(selfplay_corpus, seed=3, count=25) == selfplay_probes
    assert build_probes(selfplay_corpus, seed=4, count=25) != selfplay_probes


@pytest.mark.parametrize(
    ("moves", "actual", "why"),
    [
        (FIGURE_1, "c2c3", "a pawn moves next"),
        ("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5".split(), "e1g1", "castling is next"),  # noqa: SIM905
        ("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5".split(), "e1e2", "the king could castle"),  # noqa: SIM905
        ("a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7".split(), "a8a1", "only"),  # noqa: SIM905
    ],
)
def test_a_prefix_that_does_not_serve_gives_nothing(moves, actual, why):
    found = ask(moves, actual, "short", "a game", np.random.default_rng(0))
    assert (found == []) == (why != "only")


@pytest.mark.parametrize(
    ("prefix", "prompt", "kind", "since"),
    [
        ("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", "f3", "N", 4),
        ("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", "a1", "R", None),
        ("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 a7a6", "f1", "R", 2),
        ("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 a7a6", "g1", "K", 2),
        ("g1f3 a7a6 f3g1 a6a5 b1c3 a5a4", "g1", "N", 4),
    ],
)
def test_how_long_ago_a_piece_came(prefix, prompt, kind, since):
    square, piece = VOCABULARY.index(prompt), VOCABULARY.index(kind)
    one = Instance(*("end_other", "short", tuple(prefix.split()), "", piece, square, None),
                   frozenset({3}), "g")  # fmt: skip
    assert plies_since(one) == since
    with pytest.raises(ProbeError, match="prompts no square"):
        plies_since(replace(one, task="start_other", prompt=piece))


def test_a_missing_file_names_the_command(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match=r"python -m chessgloss\.tracking\.probes"):
        read_probes(tmp_path / "none")


def test_instances_come_back_from_their_file(selfplay_probes, tmp_path: Path):
    path = write_probes(selfplay_probes, tmp_path / "probes.tsv.zst")
    assert read_probes(path) == selfplay_probes
    again = write_probes(read_probes(path), tmp_path / "again.tsv.zst")
    assert again.read_bytes() == path.read_bytes()
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ProbeError, match="damaged or cut off"):
        read_probes(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "end"}, "no task 'end'"),
        ({"band": "long"}, "6 plies are not of the long band"),
        ({"prompt": 68}, "'N' does not prompt end_actual"),
        ({"piece": 67}, "does not prompt"),
        ({"legal": frozenset()}, "at least one"),
        ({"legal": frozenset({68})}, "answers are squares"),
        ({"exact": None}, "end_actual has an exact answer"),
        ({"exact": 3}, "the exact answer a1 is not legal"),
    ],
)
def test_an_instance_that_contradicts_itself_is_refused(table_3, change, message):
    with pytest.raises(ProbeError, match=message):
        replace(table_3[0], **change)


# ------------------------------------------------------------------------------ scores


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("band", BANDS)
def test_a_perfect_model_has_all_right(selfplay_probes, task, band):
    chosen = select(selfplay_probes, task, band)
    found = score_probes(oracle(chosen), chosen, seed=1)
    assert (found.lgm.value, found.rprec.value, found.lgm.n) == (100, 100, 25)
    assert (found.exm is None) == task.endswith("other")
    assert found.exm is None or found.exm.value == 100


@pytest.mark.parametrize("task", TASKS)
def test_a_model_that_knows_nothing_is_right_as_often_as_squares_are(selfplay_probes, task):
    chosen = select(selfplay_probes, task, "long")
    found = score_probes(np.full((25, 77), np.log(1 / 77)), chosen, seed=1)
    share = np.mean([len(one.legal) / 77 for one in chosen])
    assert found.lgm.value == pytest.approx(100 * share)
    assert found.rprec.value == pytest.approx(100 * share)
    assert found.exm is None or found.exm.value == pytest.approx(100 / 77)


def test_a_model_of_the_rules_alone_is_the_random_legal_row(selfplay_probes):
    chosen = select(selfplay_probes, "end_actual", "long")
    legal = oracle([replace(one, task="end_other", exact=None) for one in chosen])
    found = score_probes(legal, chosen, seed=1)
    assert found.exm.value == pytest.approx(random_legal(chosen, seed=1).value)
    assert (found.lgm.value, found.rprec.value) == (100, 100)


def test_precision_against_a_sort_of_every_order():
    random = np.random.default_rng(8)
    scores = random.normal(size=(40, 12))
    right = random.random((40, 12)) < 0.4
    count = random.integers(1, 12, size=40)
    order = np.argsort(-scores, axis=1)
    expected = [right[k, order[k, : count[k]]].mean() for k in range(40)]
    assert precision_at(scores, right, count) == pytest.approx(expected)


def test_ties_share_their_places():
    scores = np.array([[3.0, 2.0, 2.0, 2.0, 1.0]])
    right = np.array([[True, True, False, False, True]])
    assert precision_at(scores, right, np.array([1])) == pytest.approx([1])
    assert precision_at(scores, right, np.array([2])) == pytest.approx([(1 + 1 / 3) / 2])
    assert precision_at(scores, right, np.array([4])) == pytest.approx([2 / 4])


def test_bad_scores_are_refused(table_3):
    for scores, message in (
        (np.zeros((2, 77)), "shape"),
        (np.full((1, 77), np.nan), "row 0 holds nan"),
    ):
        with pytest.raises(ValueError, match=message):
            answer_table(scores, table_3[:1])
    with pytest.raises(ValueError, match="one task at a time"):
        score_probes(np.zeros((4, 77)), table_3, seed=1)
