from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import chess.engine
import numpy as np
import pytest
from chess.engine import Cp, Mate, MateGiven, PovScore, Score

from chessgloss import engine as engines
from chessgloss import scores
from chessgloss.corpora.games import read_games
from chessgloss.engine import EngineFailed, EnginePool, analyse_many, open_engine
from chessgloss.positions import MoveError, Position, read_fen
from chessgloss.scores import centipawns, score_of
from fakes import engine_program
from scripts import SELFPLAY, refuses

pytestmark = pytest.mark.usefixtures("no_process_left")

START = Position(chess.STARTING_FEN)
AFTER_E4 = Position.after(["e2e4"])
FOOLS_MATE = Position.after(["f2f3", "e7e5", "g2g4", "d8h4"])
STALEMATE = read_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
BLACK_MATES_IN_ONE = Position.after(["f2f3", "e7e5", "g2g4"])


# Finding the engine


def test_the_environment_variable_names_the_engine(tmp_path, monkeypatch):
    program = engine_program(tmp_path)
    monkeypatch.setenv("CHESSGLOSS_STOCKFISH", str(program))
    assert engines.find_stockfish() == program
    assert engines.version() == "Scripted 1"
    monkeypatch.setenv("CHESSGLOSS_STOCKFISH", "/nowhere/stockfish")
    refuses(
        engines.EngineMissing,
        r"/nowhere/stockfish.*apt-get install",
        engines.find_stockfish,
    )


# The contract, against a scripted engine


def test_the_score_is_seen_by_the_side_to_move_and_the_engine_is_told_the_history(
    tmp_path,
):
    with open_engine(engine_program(tmp_path, "--moves", "e7e5")) as engine:
        analysis = engine.analyse(AFTER_E4, nodes=10)
        engine.new_game()
        (found,) = engine.search(["e2e4"], nodes=5, lines=1)
        without = engine.analyse(Position(AFTER_E4.fen), nodes=10)
    assert analysis.best.score == PovScore(Cp(101), chess.BLACK)
    assert found.move.uci() == "e7e5"
    assert found.centipawns == 101
    assert centipawns(score_of(without), chess.WHITE) == -100  # of no move before it
    assert analysis.nodes == 7
    assert analysis.engine == "Scripted 1"


def test_a_failure_is_mended_by_a_fresh_engine(tmp_path):
    once = tmp_path / "failed-before"
    program = engine_program(tmp_path, "--fault", "crash", "--once", str(once))
    with open_engine(program, timeout=4.0) as engine:
        assert engine.analyse(START, nodes=10).best.moves == ("e2e4",)
    assert once.exists()


@pytest.mark.parametrize("fault", ["crash", "garbage", "hang"])
def test_a_second_failure_names_the_position_and_spares_the_next(tmp_path, fault):
    faults = ("--fault", fault, "--on", "moves e2e4", "--moves", "e2e4")
    with open_engine(engine_program(tmp_path, *faults), timeout=1.0) as engine:
        words = f"failed twice on '{AFTER_E4.fen}'"
        refuses(EngineFailed, words, engine.analyse, AFTER_E4, nodes=10)
        assert engine.analyse(START, nodes=10).lines


def test_a_search_without_end_gives_its_last_whole_result_to_who_asks_for_that(
    tmp_path,
):
    program = engine_program(tmp_path, "--fault", "endless", "--bound", "e7e5")
    with open_engine(program, timeout=1.0, keep_last=True) as engine:
        found = engine.analyse(START, nodes=10)
    assert found.best.moves[0] == "e2e4"
    assert found.best.score == PovScore(Cp(100), chess.WHITE)
    with open_engine(program, timeout=1.0) as engine:
        refuses(EngineFailed, "failed twice", engine.analyse, START, nodes=10)


def test_a_search_that_has_said_nothing_whole_fails_all_the_same(tmp_path):
    program = engine_program(tmp_path, "--fault", "endless", "--no-line")
    with open_engine(program, timeout=1.0, keep_last=True) as engine:
        refuses(EngineFailed, "failed twice", engine.analyse, START, nodes=10)


@pytest.mark.parametrize("fault", ["crash", "hang"])
def test_a_failure_within_a_game_is_not_asked_again(tmp_path, fault):
    """A fresh engine would not know the game so far, and answer another question."""
    once = ("--once", str(tmp_path / "failed-before"))
    program = engine_program(tmp_path, "--fault", fault, "--on", "moves e2e4", *once)
    with open_engine(program, timeout=1.0) as engine:
        assert engine.play([], nodes=5) == "e2e4"
        words = f"failed on '{AFTER_E4.fen}'"
        refuses(EngineFailed, words, engine.search, ["e2e4"], nodes=5)
        assert len(engine.search([], nodes=5)) == 1


def test_a_bound_at_the_end_of_a_search_is_not_taken_for_its_line(tmp_path):
    moves = "e2e4,e7e5,g1f3"
    program = engine_program(tmp_path, "--moves", moves, "--bound", "d2d4")
    with open_engine(program) as engine:
        analysis = engine.analyse(START, nodes=10)
        (found,) = engine.search([], nodes=5, lines=1)
    assert found.move.uci() == "e2e4"
    assert found.centipawns == 100
    (line,) = analysis.lines
    assert line.moves == tuple(moves.split(","))
    assert line.score == PovScore(Cp(100), chess.WHITE)
    assert line.exact
    assert line.depth == 1
    assert analysis.nodes == 9


def said(rank: int, value: int, moves: str, depth: int = 1, bound: str = "") -> dict:
    score = PovScore(Cp(value), chess.WHITE)
    pv = [chess.Move.from_uci(move) for move in moves.split()]
    info = {"multipv": rank, "score": score, "pv": pv, "depth": depth}
    return info | ({bound: True} if bound else {})


def test_of_each_rank_the_last_exact_line_is_read():
    lines = scores.read_lines(
        [
            said(1, 20, "e2e4 e7e5"),
            said(2, 10, "d2d4 d7d5"),
            {"nodes": 50, "string": "no line"},
            said(1, 25, "e2e4 c7c5", depth=2),
            said(2, 40, "c2c4", depth=2, bound="lowerbound"),
        ]
    )
    assert [line.moves for line in lines] == [("e2e4", "c7c5"), ("d2d4", "d7d5")]
    assert [(line.depth, line.exact) for line in lines] == [(2, True), (1, True)]


def test_a_rank_of_bounds_alone_keeps_the_last_and_says_so():
    tried = (said(1, 5, move, bound="upperbound") for move in ("e2e4", "d2d4"))
    (line,) = scores.read_lines([*tried])
    assert line.moves == ("d2d4",)
    assert not line.exact


@pytest.mark.engine
def test_lines_of_the_real_engine_are_whole(stockfish):
    """Three plies or more at 20,000 nodes, unless the game ends or repeats there."""
    some = [*read_games(SELFPLAY, limit=1_000)][::25]
    positions = [
        Position.after(game.moves[: len(game.moves) * 2 // 3]) for game in some
    ]
    analyses = analyse_many(positions, nodes=20_000, path=stockfish, progress=False)
    for analysis in analyses:
        assert analysis.best.exact
        if len(analysis.best.moves) < 3:
            board = analysis.position.board()
            for move in analysis.best.moves:
                board.push_uci(move)
            assert board.is_game_over(claim_draw=True), analysis.position.fen


@pytest.mark.parametrize("script", ["exit 3", "read x; echo uciok; exit 1"])
def test_an_engine_that_dies_at_once_is_an_error_not_a_wait(tmp_path, script):
    program = tmp_path / "dying"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    with pytest.raises(EngineFailed, match="dying"), open_engine(program) as engine:
        engine.search([], nodes=5)


def test_an_interrupt_of_the_bulk_leaves_no_process(tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "tqdm", Mock(side_effect=KeyboardInterrupt))
    program = engine_program(tmp_path, "--fault", "hang", "--on", "position")
    with pytest.raises(KeyboardInterrupt):
        analyse_many([START] * 50, nodes=10, path=program)


def test_the_bulk_keeps_the_order_and_names_what_fails_under_the_progress(
    tmp_path, capsys
):
    faulty = Position.after(["e2e4", "e7e5", "d2d4"])
    fault = ("--fault", "crash", "--on", " ".join(faulty.moves), "--moves", "g8f6")
    program = engine_program(tmp_path, *fault)
    sound = [Position.after(["d2d4"]), AFTER_E4, Position.after(["c2c4"])]
    ask = partial(analyse_many, nodes=10, path=program)
    found = ask(sound, progress=False)
    assert [analysis.position for analysis in found] == sound
    board = faulty.board().board_fen()
    refuses(EngineFailed, board, ask, [*sound, faulty])
    assert capsys.readouterr().err.endswith("\n")


def test_limits_that_make_no_sense_illegal_root_moves_and_missing_levels_are_named(
    tmp_path,
):
    with open_engine(engine_program(tmp_path)) as engine:
        for limits in ({}, {"nodes": 5, "depth": 5}, {"nodes": 5, "multipv": 0}):
            refuses(ValueError, "nodes", engine.analyse, START, **limits)
        refuses(MoveError, "e2e5", engine.analyse, START, nodes=5, root_moves=["e2e5"])
        words = r"refuses \{'Skill Level': 3\}"
        refuses(EngineFailed, words, engine.play, [], nodes=5, level=3)


@pytest.mark.parametrize(("position", "score"), [(FOOLS_MATE, -10_000), (STALEMATE, 0)])
def test_a_finished_game_has_a_score_but_no_lines(tmp_path, position, score):
    with open_engine(engine_program(tmp_path, "--fault", "crash")) as engine:
        analysis = engine.analyse(position, nodes=5)
    assert analysis.lines == ()
    assert centipawns(score_of(analysis), chess.WHITE) == score


# Several threads, and engines of python-chess


def test_threads_take_turns_with_one_engine(tmp_path):
    positions = [Position.after([move]) for move in ("a2a3", "b2b3", "c2c3")] * 3
    with open_engine(engine_program(tmp_path, "--moves", "e7e5")) as engine:
        ask = partial(engine.analyse, nodes=10)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(ask, positions, timeout=30))
    assert [each.position for each in found] == positions


def test_closing_an_engine_ends_what_other_threads_ask(tmp_path):
    program = engine_program(tmp_path, "--fault", "hang", "--on", "position")
    engine = open_engine(program, timeout=30)
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(engine.analyse, START, nodes=10) for _ in range(3)]
        while engine._turn.acquire(blocking=False):
            engine._turn.release()
        engine.close()
        for each in asked:
            refuses(EngineFailed, "was closed", each.result, timeout=10)


def test_an_engine_of_python_chess_is_asked_and_left_running(tmp_path):
    program = engine_program(tmp_path, "--moves", "e2e4")
    with chess.engine.SimpleEngine.popen_uci(str(program)) as simple:
        borrowed = engines.borrow(simple)
        assert borrowed.analyse(START, nodes=10).engine == "Scripted 1"
        borrowed.close()
        again = simple.play(START.board(), chess.engine.Limit(nodes=1))
        assert again.move.uci() == "e2e4"
    refuses(EngineFailed, "cannot be asked", engines.borrow, simple)


def test_what_is_no_engine_is_refused_in_words():
    for given in ("stockfish", object(), chess.engine.UciProtocol):
        refuses(TypeError, "engine must be one of", engines.borrow, given)


def test_an_engine_without_a_line_is_a_clear_error(tmp_path):
    with open_engine(engine_program(tmp_path, "--no-line")) as engine:
        words = "Scripted 1|engine failed twice.*a score but no line"
        refuses(EngineFailed, words, engine.analyse, START, nodes=10)


def test_engines_of_a_pool_start_when_they_are_needed(tmp_path):
    program = engine_program(tmp_path, "--moves", "e2e4")
    counted = []
    with EnginePool(3, program) as pool:
        ask = partial(pool.analyse, nodes=10, lines=1)
        found = ask([START], searched=lambda: counted.append(1))
        assert len(pool._engines) == 1
        found += ask([START] * 7, searched=lambda: counted.append(1))
        assert len(pool._engines) <= 3
    assert len(found) == len(counted) == 8
    with pytest.raises(RuntimeError):
        ask([START])


def test_a_pool_without_an_engine_says_so():
    with EnginePool(2, Path("/nowhere/stockfish")) as pool:
        refuses(engines.EngineMissing, "/nowhere", pool.analyse, [START], 10, 1)


# Scores


@pytest.mark.parametrize("score", [Cp(0), Cp(-310), Mate(1), Mate(-4), MateGiven])
def test_centipawns_are_read_back(score):
    seen = PovScore(score, chess.BLACK)
    value = centipawns(seen, chess.BLACK)
    assert scores.read_centipawns(value, chess.BLACK) == seen
    assert centipawns(seen, chess.WHITE) == -value
    if score.is_mate():
        assert abs(value) == 10_000 - abs(score.mate())


def test_a_loss_is_cut_at_the_cap_and_at_the_floor():
    best = [80, 9_998, 9_998, 30, -400]
    played = [50, 9_990, 300, 45, -9_999]
    for options, losses in (
        ({}, [30, 0, 700, 0, 600]),
        ({"cap": None}, [30, 8, 9_698, 0, 9_599]),
        ({"cap": 200, "floor": -np.inf}, [30, 0, 0, -15, 0]),
    ):
        assert engines.centipawn_loss(best, played, **options).tolist() == losses


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (Cp(120), "White is ahead by 1.20"),
        (Cp(-85), "Black is ahead by 0.85"),
        (Cp(-10), "the position is level (-0.10 for White)"),
        (Mate(3), "White mates in 3"),
        (Mate(0), "Black has given mate"),
    ],
)
def test_scores_are_told_for_the_side_they_favour(score, words):
    assert scores.score_text(PovScore(score, chess.WHITE)) == words
    mirrored = (
        words.replace("White", "-").replace("Black", "White").replace("-", "Black")
    )
    if "level" not in words:
        assert scores.score_text(PovScore(score, chess.BLACK)) == mirrored


@pytest.mark.parametrize("colour", chess.COLORS)
def test_a_wording_has_its_own_point_of_view(colour):
    mate = "{verb} in {moves} move{s}"
    wording = scores.ScoreWording(
        number="{cp:+d} cp", mate=mate, mated="mate", level=None
    )

    def said(score: Score, pov: chess.Color = colour) -> str:
        return scores.score_text(PovScore(score, colour), wording, pov)

    assert said(Cp(52)) == "+52 cp"
    assert said(Cp(0)) == "+0 cp"
    assert said(Mate(0)) == "mate"
    assert said(Mate(1)) == "mates in 1 move"
    assert said(Mate(-2)) == "is mated in 2 moves"
    assert said(Mate(1), not colour) == "is mated in 1 move"


# The real engine


@pytest.mark.engine
def test_an_answer_depends_on_nothing_but_the_question(stockfish):
    moves = ["e2e4", "c7c5", "g1f3", "d7d6"]
    positions = [Position.after(moves[:ply]) for ply in range(5)]
    ask = partial(analyse_many, nodes=2_000, multipv=2, progress=False)
    one = ask(positions, processes=1)
    assert ask(positions[::-1], processes=2) == one[::-1]
    with open_engine() as engine:
        assert [engine.analyse(p, nodes=2_000, multipv=2) for p in positions] == one
        assert engines.version() == engine.name


@pytest.mark.engine
def test_the_real_engine_mates_for_the_side_to_move(stockfish):
    with open_engine() as engine:
        analysis = engine.analyse(BLACK_MATES_IN_ONE, depth=3)
        spared = engine.analyse(BLACK_MATES_IN_ONE, depth=3, root_moves=["a7a6"])
    assert analysis.best.moves[0] == "d8h4"
    assert analysis.best.score == PovScore(Mate(1), chess.BLACK)
    assert spared.best.moves[0] == "a7a6"


@pytest.mark.engine
@pytest.mark.parametrize("level", [0, 20])
def test_a_low_level_plays_a_legal_move_and_full_strength_the_best(stockfish, level):
    with open_engine(stockfish) as engine:
        move = engine.play(BLACK_MATES_IN_ONE.moves, nodes=200, level=level)
    assert chess.Move.from_uci(move) in BLACK_MATES_IN_ONE.board().legal_moves
    assert move == "d8h4" or level < 20


@pytest.mark.engine
def test_a_game_is_searched_alike_after_every_new_game(stockfish):
    moves = ["e2e4", "c7c5", "g1f3"]
    found = []
    with open_engine(stockfish, hash_mb=2) as engine:
        for _ in range(2):
            engine.new_game()
            for ply in range(4):
                lines = engine.search(moves[:ply], nodes=600, lines=1 + ply)
                found.append(lines)
        assert engine.search(FOOLS_MATE.moves, nodes=50) == []
    assert found[:4] == found[4:]
    assert [len(lines) for lines in found[:4]] == [1, 2, 3, 4]
