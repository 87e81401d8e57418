"""Grades: how positions are searched, what moves and answers lose, tables in files."""

from collections.abc import Mapping
from contextlib import nullcontext

import chess
import pandas as pd
import pytest

from chessgloss.engine import open_engine
from chessgloss.positions import Position, read_fen
from chessgloss.scores import Analysis
from chessgloss.skill import grading
from chessgloss.skill.grading import (
    GRADES,
    MoveTable,
    Settings,
    graded_answers,
    graded_moves,
)
from chessgloss.skill.players import MoveAnswer, read_answer
from chessgloss.store import Store
from fakes.analyses import analysis
from scripts import load_script, refuses

artefacts = load_script("static/make.py")

START = Position(chess.STARTING_FEN)
AFTER_E4 = read_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
SCHOLARS_MATE = read_fen(
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
)
#: Values of six moves of the first position; the others are worth nothing.
SIX = {
    "e2e4": 40,
    "d2d4": 35,
    "a2a4": 15,
    "h2h3": -10,
    "h2h4": -50,
    "f2f3": -110,
}


class FakeEngine:
    """An engine that knows the value of each move and notes what it was asked."""

    name = "Fake 1"

    def __init__(self, values: Mapping[str, int]) -> None:
        self.values = values
        self.asked: list[tuple] = []

    def analyse(
        self, position, *, nodes=None, depth=None, multipv=1, root_moves=None
    ) -> Analysis:
        self.asked.append((nodes, depth, multipv, root_moves))
        legal = [move.uci() for move in chess.Board(position.fen).legal_moves]
        best = sorted(root_moves or legal, key=lambda uci: -self.values.get(uci, 0))[
            :multipv
        ]
        return analysis(position, *((self.values.get(uci, 0), uci) for uci in best))


def graded(values: Mapping[str, int], **options: float) -> pd.DataFrame:
    """Grade the moves of one position, indexed by UCI."""
    table = MoveTable(values, sorted(values, key=lambda uci: -values[uci])[:5])
    return graded_moves({"p": table}, **options).loc["p"]


def sheet_of(*texts: str) -> pd.DataFrame:
    names = [f"p{number}" for number in range(len(texts))]
    table = MoveTable(SIX, list(SIX)[:5])
    answers = pd.Series(
        [read_answer(text, chess.Board()) for text in texts], index=names
    )
    return graded_answers(answers, graded_moves(dict.fromkeys(names, table)))


# ---------------------------------------------------------------- how positions are searched


def test_every_legal_move_is_searched_with_the_same_share_of_nodes():
    engine = FakeEngine(SIX)
    found = grading.analyse_moves(engine, START, Settings(1_000))  # type: ignore[arg-type]
    assert set(found.values) == {move.uci() for move in chess.Board().legal_moves}
    assert found.ranked[:3] == ("e2e4", "d2d4", "a2a4")
    assert all(nodes == 200 * lines for nodes, _, lines, _ in engine.asked)
    later = [uci for *_, moves in engine.asked[1:] for uci in moves or ()]
    assert len(later) == 15 and not set(later) & set(found.ranked)


def test_moves_that_are_asked_alone_are_searched_alone_and_depth_stays_depth():
    engine = FakeEngine(SIX)
    found = grading.analyse_moves(
        engine,
        START,
        Settings(None, 9),
        ("f2f3", "e2e4"),
    )  # type: ignore[arg-type]
    assert engine.asked == [(None, 9, 5, None), (None, 9, 1, ["f2f3"])]
    assert len(found.values) == 6


# ---------------------------------------------------------------- grades


def test_the_bound_itself_belongs_to_the_better_grade():
    for grade, most in zip(GRADES, (10, 30, 60, 100), strict=False):
        found = graded(
            {
                "e2e4": 0,
                "d2d4": -most,
                "c2c4": -most - 1,
            }
        )["grade"]
        assert found["d2d4"] == grade != found["c2c4"]


def test_a_loss_is_taken_against_the_highest_line_even_outside_the_five():
    table = MoveTable({**SIX, "b1c3": 90}, list(SIX)[:5])
    moves = graded_moves({"p": table}).loc["p"]
    assert moves.loc["b1c3", ["grade", "loss", "rank"]].tolist() == ["Excellent", 0, 6]
    assert moves.loc["e2e4", ["loss", "rank", "best"]].tolist() == [50, 1, 0]


def test_mates_are_cut_at_the_cap_and_kept_uncut_beside_it():
    values = {"e2e4": 9_998, "d2d4": 1_200, "g1f3": 400, "f2f3": -9_999}
    moves = graded(values)
    assert moves["loss"].to_dict() == {"e2e4": 0, "d2d4": 0, "g1f3": 600, "f2f3": 2_000}
    assert moves.loc["d2d4", "uncut"] == 8_798


def test_a_pawn_counts_less_in_a_won_position_by_the_chance_to_win():
    level = graded({"e2e4": 0, "d2d4": -100})
    won = graded({"e2e4": 900, "d2d4": 800})
    assert level.loc["d2d4", "loss"] == won.loc["d2d4", "loss"] == 100
    assert level.loc["d2d4", "win_loss"] == pytest.approx(0.091, abs=0.001)
    assert won.loc["d2d4", "win_loss"] == pytest.approx(0.015, abs=0.001)


def test_marks_follow_the_plan_and_failures_get_the_lowest_and_keep_their_row():
    sheet = sheet_of("e4", "a4", "h3", "h4", "f3", "e5", "hello")
    assert sheet["mark"].tolist() == [5, 4, 3, 2, 1, 1, 1]
    assert sheet["charged"].tolist() == [0, 25, 50, 90, 150, 150, 150]
    assert sheet["legal"].tolist() == [1, 1, 1, 1, 1, 0, 0]


def test_each_answer_has_one_grade_and_keeps_its_row():
    texts = {
        "f3": "Blunder",
        "1. e4": "Excellent",
        "Nf6": "Illegal",
        "hello": "Unreadable",
        "I cannot play chess.": "Refused",
    }
    grades = sheet_of(*texts)[list(GRADES)]
    assert grades.idxmax(axis=1).tolist() == [*texts.values()]
    assert (grades.sum(axis=1) == 1).all()
    failed = pd.Series({"p": MoveAnswer.failed("late")})
    assert graded_answers(failed, graded_moves({"p": MoveTable(SIX, [])}))[
        "Error"
    ].tolist() == [1]


def test_a_legal_move_without_a_value_is_named():
    refuses(KeyError, r"p0.*g1f3", sheet_of, "Nf3")


def test_a_random_move_is_the_exact_mean_over_all_moves():
    moves = graded_moves({"p0": MoveTable(SIX, list(SIX)[:5])})
    mean = grading.random_answers(["p0"], moves).set_index("name").loc["p0"]
    every = sheet_of("e4", "d4", "a4", "h3", "h4", "f3").drop(columns="name").mean()
    assert mean[every.index].tolist() == pytest.approx(every.tolist())


# ---------------------------------------------------------------- colours exchanged


def test_a_mirror_image_of_a_mirror_image_is_the_position_with_its_history():
    ruy_lopez = Position.after(("e2e4", "e7e5", "g1f3", "b8c6", "f1b5"))
    turned = grading.mirrored(ruy_lopez)
    assert turned.moves == ("e7e5", "e2e4", "g8f6", "b1c3", "f8b4")
    assert grading.mirrored(turned) == ruy_lopez
    assert grading.mirrored(AFTER_E4).turn and not grading.mirrored(AFTER_E4).moves


def test_a_mean_table_is_the_same_from_both_sides():
    table = MoveTable({"e2e4": 40, "d2d4": 31, "a2a3": -20}, ["e2e4", "d2d4", "a2a3"])
    across = MoveTable({"e7e5": 20, "d7d5": 40}, ["d7d5", "e7e5"])
    mean = MoveTable({"e2e4": 30, "d2d4": 35}, ["d2d4", "e2e4"])
    turned = MoveTable({"e7e5": 30, "d7d5": 35}, ["d7d5", "e7e5"])
    assert grading.mean_table(table, across) == mean
    assert grading.mean_table(across, table) == turned


# ---------------------------------------------------------------- tables in files


@pytest.fixture
def fake_engine(monkeypatch, tmp_path) -> FakeEngine:
    """One engine for all, which notes what it is asked; and an empty store."""
    engine = FakeEngine(SIX)
    monkeypatch.setattr(
        "chessgloss.skill.grading.open_engine", lambda **_: nullcontext(engine)
    )
    monkeypatch.setattr(artefacts, "version", lambda: artefacts.ENGINE)
    monkeypatch.setenv("CHESSGLOSS_STORE", str(tmp_path / "store"))
    return engine


def test_a_killed_run_goes_on_and_gives_the_same_bytes(
    tmp_path, fake_engine, monkeypatch
):
    settings = Settings(100)
    path = grading.tables_path(tmp_path, Settings(100))
    whole = artefacts.make_tables([START, AFTER_E4], settings, path)
    searched = len(fake_engine.asked)
    first = path.read_bytes()
    key = grading.position_key(START)
    assert grading.read_tables(path)[key].values == whole[key].values
    path.unlink()  # each table was stored as soon as it was searched
    artefacts.make_tables([AFTER_E4, START], settings, path)
    assert (path.read_bytes(), len(fake_engine.asked)) == (first, searched)
    monkeypatch.setattr(artefacts, "version", lambda: "Stockfish 17")
    given = ([START], settings, path)
    refuses(RuntimeError, "not by Stockfish 17", artefacts.make_tables, *given)


def test_what_a_file_lacks_is_searched_once_and_stored(tmp_path, fake_engine):
    first, second = map(grading.position_key, (START, AFTER_E4))
    table = MoveTable(SIX, list(SIX)[:5])
    more = (
        Settings(100),
        {first: table},
        Store(tmp_path / "another"),
    )
    found = grading.search_tables([START, AFTER_E4], *more)
    searched = len(fake_engine.asked)
    assert found[0] is table
    assert grading.search_tables([AFTER_E4, START], *more) == found[::-1]
    assert len(fake_engine.asked) == searched > 0
    grading.search_tables(
        [AFTER_E4],
        *more,
        asked={second: ("e7e5",)},
    )
    assert len(fake_engine.asked) > searched


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "cut.tsv.zst").write_bytes(b"not zstd")
    path = tmp_path / "cut.tsv.zst"
    refuses(ValueError, r"cut\.tsv\.zst is damaged", grading.read_tables, path)
    assert grading.read_tables(tmp_path / "none.tsv.zst") == {}


# ---------------------------------------------------------------- real engines


@pytest.mark.engine
def test_stockfish_grades_the_plans_pair_and_a_mate(stockfish):
    with open_engine() as engine:
        first = grading.analyse_moves(engine, AFTER_E4, Settings(2_000))
        again = grading.analyse_moves(engine, AFTER_E4, Settings(2_000))
        mate = grading.analyse_moves(engine, SCHOLARS_MATE, Settings(1_000))
    assert first == again
    moves = graded_moves({"e4": first, "mate": mate})
    assert moves.loc[("e4", "e7e5"), "loss"] < moves.loc[("e4", "a7a6"), "loss"]
    assert moves.loc[("mate", "h5f7"), ["value", "rank"]].tolist() == [9_999, 1]
    assert moves.loc[("mate", "h5e5"), "loss"] > 300
