"""Questions about the board: how they are made, asked, kept and scored."""

from dataclasses import replace
from types import SimpleNamespace

import chess
import numpy as np
import pandas as pd
import pytest

from chessgloss.book import reference
from chessgloss.corpora.games import GamesFileError
from chessgloss.positions import Position
from chessgloss.tracking import probes
from chessgloss.tracking.games import IDS, VOCABULARY, VOCABULARY_SIZE, split_games
from scripts import refuses, selfplay

#: The state-tracking paper's Figure 1b and Table 3: the moves played, and the one that follows.
FIGURE_1 = ["e2e4", "e7e5", "g1f3", "b8c6", "d2d4", "h7h6"]
NEXT_MOVE = "f1b5"
TABLE_3 = (
    "End-Actual",
    "End-Other",
    "Start-Actual",
    "Start-Other",
)


@pytest.fixture
def table_3():
    wanted = iter(
        [chess.F3, chess.KNIGHT]
    )  # another piece that can move, and another type
    choice = SimpleNamespace(
        choice=lambda offered: offered[offered.index(next(wanted))]
    )
    return pd.DataFrame(probes.ask(FIGURE_1, NEXT_MOVE, "short", "figure 1", choice))


@pytest.fixture(scope="module")
def selfplay_corpus():
    sizes = {
        "S": 10,
        "M": 20,
        "L": 120,
        "dev": 5,
        "test": 5,
        "probe": 150,
    }
    return split_games(selfplay(400), sizes)


@pytest.fixture(scope="module")
def selfplay_probes(selfplay_corpus):
    return probes.build_probes(selfplay_corpus, seed=3, count=25)


def oracle(questions: pd.DataFrame) -> np.ndarray:
    """A model that knows the rules, the board and the game."""
    scores = np.full((len(questions), VOCABULARY_SIZE), -20.0)
    for row, question in zip(scores, questions.itertuples(), strict=True):
        legal = [IDS[square] for square in question.legal.split()]
        row[legal] = -2.0
        if question.exact != "-":
            row[IDS[question.exact]] = -1.0
    return scores


def in_words(ids: np.ndarray) -> list[str]:
    return [VOCABULARY[token] for token in ids]


# ------------------------------------------------------------------------------ questions


@pytest.mark.parametrize(("place", "row"), [*enumerate(TABLE_3)])
def test_the_rows_of_table_3(table_3, place, row):
    question = table_3.loc[place]
    columns = ("Prompt Token", "Correct Answers (LgM)", "Correct Answers (ExM)")
    cells = (
        reference.lookup("state_tracking", "table3", row, each).printed
        for each in columns
    )
    prompt, legal, exact = (cell.strip("{}") for cell in cells)
    assert question["prompt"] == prompt
    assert question["exact"].replace("-", "N/A") == exact
    assert set(question["legal"].split()) == set(legal.split(", "))
    assert question["task"] == probes.TASKS[place] == row.lower().replace("-", "_")


def test_every_question_keeps_the_papers_rules(selfplay_corpus, selfplay_probes):
    held = selfplay_corpus.of("probe")
    games = map(selfplay_corpus.games.ucis, held)
    played = dict(zip(selfplay_corpus.keys[held], games, strict=True))
    for question in selfplay_probes.itertuples():
        moves = played[question.game]
        prefix = question.prefix.split()
        assert prefix == moves[: len(prefix)]
        shortest, longest = probes.BANDS[question.band]
        assert shortest <= len(prefix) <= longest
        board = Position.after(prefix).board()
        assert board.fen() == question.fen
        actual = chess.Move.from_uci(moves[len(prefix)])
        assert not board.is_castling(actual)
        assert board.piece_type_at(actual.from_square) != chess.PAWN
        kind = chess.PIECE_SYMBOLS.index(question.piece.lower())
        legal = [move for move in board.legal_moves if not board.is_castling(move)]
        if question.task.startswith("end"):
            asked = chess.parse_square(question.prompt)
            right = {move.to_square for move in legal if move.from_square == asked}
            assert board.piece_type_at(asked) == kind != chess.PAWN
            assert (asked == actual.from_square) == (question.task == "end_actual")
        else:
            right = {
                m.from_square
                for m in legal
                if board.piece_type_at(m.from_square) == kind
            }
            same = board.piece_type_at(actual.from_square) == kind
            assert same == (question.task == "start_actual")
        squares = set(map(chess.square_name, right))
        assert set(question.legal.split()) == squares


def test_prefixes_are_asked_once_and_tasks_and_bands_alike(selfplay_probes):
    counts = selfplay_probes.groupby(["task", "band"])["game"].nunique()
    assert counts.tolist() == [25] * len(probes.TASKS) * len(probes.BANDS)
    assert selfplay_probes.loc[
        selfplay_probes["task"] == "end_actual", "prefix"
    ].is_unique


def test_a_prefix_of_a_training_game_is_never_asked():
    """Planted: the probe games are training games but for their last move."""
    long_games = [game for game in selfplay(40) if 60 <= len(game.moves) <= 150]
    games = long_games[:15]
    cut = [replace(game, moves=game.moves[:-1]) for game in games]
    sizes = {"S": 5, "M": 10, "L": 15, "dev": 1, "test": 1, "probe": 15}
    split = split_games(
        [
            *selfplay(60)[-2:],
            *cut,
            *games,
        ],
        sizes,
    )
    words = "too few prefixes of the short band"
    refuses(ValueError, words, probes.build_probes, split, seed=1, count=5)


@pytest.mark.parametrize(
    ("moves", "actual", "why"),
    [
        (" ".join(FIGURE_1), "c2c3", "a pawn moves next"),
        ("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", "e1g1", "castling is next"),
        ("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", "e1e2", "the king could castle"),
        ("a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7", "a8a1", ""),
    ],
)
def test_a_prefix_that_does_not_serve_gives_nothing(moves, actual, why):
    rows = probes.ask(
        moves.split(), actual, "short", "a game", np.random.default_rng(0)
    )
    assert (rows == []) == bool(why)


def test_questions_survive_their_file_and_damage_is_named(
    selfplay_probes, tmp_path, monkeypatch
):
    path = tmp_path / "probes.tsv.zst"
    monkeypatch.setattr(probes, "probes_file", lambda: path)
    refuses(FileNotFoundError, r"python data/tracking/train\.py", probes.read_probes)
    written = probes.write_probes(selfplay_probes, path).read_bytes()
    assert probes.read_probes().equals(selfplay_probes)
    assert probes.write_probes(probes.read_probes(), path).read_bytes() == written
    path.write_bytes(written[:-9])
    refuses(GamesFileError, "damaged or cut off", probes.read_probes)
    probes.write_probes(selfplay_probes.rename(columns={"fen": "position"}), path)
    refuses(ValueError, "position", probes.read_probes)


# ------------------------------------------------------------------------------ asking


def test_what_a_model_reads(table_3):
    plain, _, start, other = map(in_words, probes.contexts(table_3, "uci"))
    assert " ".join(plain) == "BOS e2 e4 e7 e5 g1 f3 b8 c6 d2 d4 h7 h6 f1"
    assert (start, other[-1]) == ([*plain[:-1], "B"], "N")
    typed, _, typed_start, _ = map(in_words, probes.contexts(table_3, "ap"))
    assert typed[-5:] == ["P", "h7", "h6", "B", "f1"]
    assert typed_start == typed[:-1]


def test_a_ranking_keeps_every_score():
    random = np.random.default_rng(3)
    values = random.normal(size=(40, VOCABULARY_SIZE)).astype(np.float32)
    right = random.random(values.shape) < 0.2
    right[:, 0] |= ~right.any(axis=1)
    count = right.sum(axis=1)
    ranked = probes.rank(values, count)
    assert ranked.shape == (count.sum(),)
    again = probes.scores_of(ranked, count)
    assert np.array_equal(again.argmax(axis=1), values.argmax(axis=1))
    kept, whole = (probes.precision_at(each, right, count) for each in (again, values))
    assert np.allclose(kept, whole)
    more = np.append(count, 1)
    refuses(ValueError, "41 questions", probes.scores_of, ranked, more)


# ------------------------------------------------------------------------------ scores


def test_scores_of_table_3_worked_by_hand(table_3):
    """End-Actual on f1: five right answers; the model's order is c4, g2, b5, N, e2, d3, a6."""
    scores = np.zeros((1, VOCABULARY_SIZE))
    order = ["c4", "g2", "b5", "N", "e2", "d3", "a6"]
    for place, word in enumerate(order):
        scores[0, IDS[word]] = 10 - place
    columns = ["answer", "lgm", "rprec", "exm"]
    row = probes.score_answers(table_3[:1], scores).iloc[0]
    assert row[columns].tolist() == ["c4", 1, 0.6, 0]
    scores[0, IDS["b5"]] = 11
    row = probes.score_answers(table_3[:1], scores).iloc[0]
    assert row[columns].tolist() == ["b5", 1, 0.6, 1]
    other = probes.score_answers(table_3[1:2], scores).iloc[0]
    assert other["lgm"] == 0 and np.isnan(other["exm"])


def test_models_that_know_all_the_rules_alone_or_nothing(selfplay_probes):
    actual = selfplay_probes["exact"] != "-"
    perfect = probes.score_answers(selfplay_probes, oracle(selfplay_probes))
    assert (perfect[["lgm", "rprec"]] == 1).all(axis=None)
    assert (perfect["exm"].dropna() == 1).all()
    chances = 1 / selfplay_probes["legal"].str.split().str.len()
    nothing = probes.score_answers(
        selfplay_probes, np.zeros((len(selfplay_probes), 77))
    )
    assert nothing["lgm"].to_numpy() == pytest.approx(1 / chances.to_numpy() / 77)
    assert nothing.loc[actual, "exm"].to_numpy() == pytest.approx(1 / 77)


@pytest.mark.parametrize("scores", [np.zeros((2, 77)), np.full((4, 77), np.nan)])
def test_bad_scores_are_refused(table_3, scores):
    refuses(ValueError, "77 tokens a question", probes.score_answers, table_3, scores)
