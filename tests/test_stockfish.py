from __future__ import annotations

import time
from pathlib import Path

import chess
import chess.engine
import pytest

from chessgloss import stockfish
from chessgloss.positions import MoveError, Position, read_fen
from chessgloss.stockfish import (
    EngineFailed,
    EngineMissing,
    analyse_many,
    centipawns,
    expected_score,
    find_stockfish,
    open_engine,
    score_of,
    win_probability,
)
from fakes import engine_program

START = Position(chess.STARTING_FEN)
AFTER_E4 = Position.after(["e2e4"])
FOOLS_MATE = Position.after(["f2f3", "e7e5", "g2g4", "d8h4"])
STALEMATE = read_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
BLACK_MATES_IN_ONE = Position.after(["f2f3", "e7e5", "g2g4"])


def children() -> list[int]:
    psutil = pytest.importorskip("psutil")
    return [child.pid for child in psutil.Process().children(recursive=True)]


def assert_no_more_children(before: list[int]) -> None:
    deadline = time.monotonic() + 5
    while set(children()) - set(before) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not set(children()) - set(before)


@pytest.fixture(scope="session")
def real_engine() -> Path:
    try:
        return find_stockfish()
    except EngineMissing as error:
        pytest.skip(str(error))


# Finding the engine


def test_the_environment_variable_names_the_engine(tmp_path, monkeypatch):
    program = engine_program(tmp_path)
    monkeypatch.setenv("CHESSGLOSS_STOCKFISH", str(program))
    assert find_stockfish() == program
    assert stockfish.version() == "Scripted 1"


def test_a_variable_that_names_no_program_is_an_error_with_a_remedy(monkeypatch):
    monkeypatch.setenv("CHESSGLOSS_STOCKFISH", "/nowhere/stockfish")
    with pytest.raises(EngineMissing, match=r"/nowhere/stockfish.*apt-get install stockfish"):
        find_stockfish()


def test_a_program_that_is_no_engine_is_named(tmp_path):
    program = tmp_path / "cat"
    program.write_text("#!/bin/sh\nexec cat\n")
    program.chmod(0o755)
    with pytest.raises(EngineMissing, match="no UCI engine"):
        stockfish.version(program)


# The contract, against a scripted engine


def test_the_score_is_seen_by_the_side_to_move(tmp_path):
    with open_engine(engine_program(tmp_path, "--moves", "e7e5")) as engine:
        analysis = engine.analyse(AFTER_E4, nodes=10)
    assert analysis.best.score == chess.engine.PovScore(chess.engine.Cp(101), chess.BLACK)
    assert centipawns(score_of(analysis), chess.WHITE) == -101
    assert analysis.best.moves == ("e7e5",)
    assert (analysis.nodes, analysis.engine) == (7, "Scripted 1")


def test_the_engine_is_told_the_history(tmp_path):
    shuffled = Position.after(["g1f3", "g8f6", "f3g1", "f6g8"])
    with open_engine(engine_program(tmp_path)) as engine:
        with_history = engine.analyse(shuffled, nodes=10)
        without = engine.analyse(Position(shuffled.fen), nodes=10)
    assert centipawns(score_of(with_history), chess.WHITE) == 104
    assert centipawns(score_of(without), chess.WHITE) == 100


@pytest.mark.parametrize("fault", ["crash", "garbage"])
def test_a_failure_is_mended_by_a_fresh_engine(tmp_path, fault):
    once = str(tmp_path / "failed-before")
    program = engine_program(tmp_path, "--fault", fault, "--once", once)
    before = children()
    with open_engine(program, timeout=4.0) as engine:
        assert engine.analyse(START, nodes=10).best.moves == ("e2e4",)
        assert Path(once).exists()
        assert len(set(children()) - set(before)) == 1
    assert_no_more_children(before)


@pytest.mark.parametrize("fault", ["crash", "garbage"])
def test_a_second_failure_names_the_position_and_spares_the_next(tmp_path, fault):
    program = engine_program(tmp_path, "--fault", fault, "--on", "moves e2e4", "--moves", "e2e4")
    before = children()
    with open_engine(program, timeout=2.0) as engine:
        with pytest.raises(EngineFailed, match="failed twice on") as failure:
            engine.analyse(AFTER_E4, nodes=10)
        assert failure.value.fen == AFTER_E4.fen
        assert engine.analyse(START, nodes=10).lines
    assert_no_more_children(before)


def test_a_hang_is_noticed_without_a_time_limit_in_the_search(tmp_path):
    program = engine_program(tmp_path, "--fault", "hang", "--on", "moves e2e4")
    before = children()
    failure = pytest.raises(EngineFailed, match=r"limit 2 s.*raise timeout")
    with open_engine(program, timeout=2.0) as engine, failure:
        engine.analyse(AFTER_E4, depth=3)
    assert_no_more_children(before)


def test_an_engine_that_does_not_start_is_named(tmp_path):
    program = tmp_path / "mute"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(EngineFailed, match="mute does not start"):
        open_engine(program)


def test_a_closed_engine_stays_closed(tmp_path):
    before = children()
    engine = open_engine(engine_program(tmp_path))
    engine.close()
    engine.close()
    with pytest.raises(EngineFailed, match="closed"):
        engine.analyse(START, nodes=10)
    assert_no_more_children(before)


def test_an_interrupt_leaves_no_process(tmp_path):
    before = children()
    with pytest.raises(KeyboardInterrupt), open_engine(engine_program(tmp_path)):
        raise KeyboardInterrupt
    assert_no_more_children(before)


def test_an_interrupt_of_the_bulk_leaves_no_process(tmp_path, monkeypatch):
    def interrupted_bar(futures, **_):
        raise KeyboardInterrupt

    monkeypatch.setattr(stockfish, "tqdm", interrupted_bar)
    program = engine_program(tmp_path, "--fault", "hang", "--on", "position")
    before = children()
    with pytest.raises(KeyboardInterrupt):
        analyse_many([START] * 50, nodes=10, path=program)
    assert_no_more_children(before)


def test_the_bulk_keeps_the_order_and_names_what_fails(tmp_path):
    program = engine_program(
        tmp_path, "--fault", "crash", "--on", "e2e4 e7e5 d2d4", "--moves", "g8f6"
    )
    game = ["e2e4", "e7e5", "d2d4"]
    black_to_move = [Position.after(["d2d4"]), AFTER_E4, Position.after(game[:1])]
    analyses = analyse_many(black_to_move, nodes=10, path=program, progress=False)
    assert [analysis.position for analysis in analyses] == black_to_move
    with pytest.raises(EngineFailed) as failure:
        analyse_many([*black_to_move, Position.after(game)], nodes=10, path=program, progress=False)
    assert failure.value.fen == Position.after(game).fen


def test_bulk_of_nothing_starts_nothing():
    assert analyse_many([], nodes=10, path=Path("/nowhere")) == []


@pytest.mark.parametrize(
    "limits", [{}, {"nodes": 5, "depth": 5}, {"nodes": 0}, {"nodes": 5, "multipv": 0}]
)
def test_a_limit_must_make_sense(tmp_path, limits):
    with open_engine(engine_program(tmp_path)) as engine, pytest.raises(ValueError, match="nodes"):
        engine.analyse(START, **limits)


def test_an_illegal_root_move_is_named(tmp_path):
    with open_engine(engine_program(tmp_path)) as engine, pytest.raises(MoveError, match="e2e5"):
        engine.analyse(START, nodes=5, root_moves=["e2e5"])


@pytest.mark.parametrize(("position", "seen_by_white"), [(FOOLS_MATE, -10_000), (STALEMATE, 0)])
def test_a_finished_game_has_a_score_but_no_lines(tmp_path, position, seen_by_white):
    with open_engine(engine_program(tmp_path, "--fault", "crash")) as engine:
        analysis = engine.analyse(position, nodes=5)
    assert analysis.lines == ()
    assert centipawns(score_of(analysis), chess.WHITE) == seen_by_white


# Scores


def test_centipawns_count_mates_down_from_ten_thousand():
    mated_in_two = chess.engine.PovScore(chess.engine.Mate(-2), chess.WHITE)
    assert centipawns(mated_in_two, chess.WHITE) == -9_998
    assert centipawns(mated_in_two, chess.BLACK) == 9_998
    assert centipawns(mated_in_two, chess.BLACK, mate=1_000) == 998


def test_chances_of_win_draw_and_loss_add_up():
    score = chess.engine.PovScore(chess.engine.Cp(40), chess.BLACK)
    white, black = (win_probability(score, 60, side) for side in (chess.WHITE, chess.BLACK))
    drawn = 1 - white - black
    assert 0 <= white < black < drawn
    assert expected_score(score, 60, chess.BLACK) == pytest.approx(black + drawn / 2)
    assert expected_score(score, 60, chess.WHITE) == pytest.approx(white + drawn / 2)


def test_one_pawn_of_stockfish_15_1_wins_every_second_game_at_move_32():
    # So its centipawns are defined: release notes of Stockfish 15.1.
    score = chess.engine.PovScore(chess.engine.Cp(100), chess.WHITE)
    assert win_probability(score, 64, chess.WHITE) == pytest.approx(0.5, abs=0.01)


# The real engine


@pytest.mark.engine
def test_an_answer_depends_on_nothing_but_the_question(real_engine):
    positions = [Position.after(["e2e4", "c7c5", "g1f3", "d7d6"][:ply]) for ply in range(5)]
    one = analyse_many(positions, nodes=2_000, multipv=2, processes=1, progress=False)
    two = analyse_many(positions[::-1], nodes=2_000, multipv=2, processes=2, progress=False)
    assert one == two[::-1]
    with open_engine() as engine:
        assert [engine.analyse(p, nodes=2_000, multipv=2) for p in positions] == one


@pytest.mark.engine
def test_the_real_engine_mates_for_the_side_to_move(real_engine):
    with open_engine() as engine:
        analysis = engine.analyse(BLACK_MATES_IN_ONE, depth=3)
        spared = engine.analyse(BLACK_MATES_IN_ONE, depth=3, root_moves=["a7a6"])
    assert analysis.best.moves[0] == "d8h4"
    assert centipawns(score_of(analysis), chess.BLACK) == 9_999
    assert centipawns(score_of(analysis), chess.WHITE) == -9_999
    assert spared.best.moves[0] == "a7a6"


@pytest.mark.engine
def test_no_more_lines_than_legal_moves(real_engine):
    cornered = read_fen("7k/8/6K1/8/8/8/8/R7 b - - 0 1")
    with open_engine() as engine:
        analysis = engine.analyse(cornered, nodes=500, multipv=4)
    assert [line.moves[0] for line in analysis.lines] == ["h8g8"]


@pytest.mark.engine
def test_the_version_is_the_analysis_signature(real_engine):
    with open_engine() as engine:
        assert stockfish.version() == engine.name
