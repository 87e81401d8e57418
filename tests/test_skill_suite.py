from __future__ import annotations

import json
import random
from pathlib import Path

import chess
import pytest

from chessgloss.positions import Game
from chessgloss.skill.analyses import Kept
from chessgloss.skill.grading import Settings, position_key
from chessgloss.skill.suite import (
    SuiteError,
    SuitePosition,
    band_plies,
    draw_suite,
    positions_of,
    read_suite,
    with_baseline,
    write_suite,
)

LEVELS = (5, 20)


def random_game(seed: int, plies: int, level: int) -> Game:
    """A game of random moves that does not end too early."""
    while True:
        chance, board = random.Random(seed), chess.Board()
        while not board.is_game_over() and board.ply() < plies:
            board.push(chance.choice(sorted(board.legal_moves, key=chess.Move.uci)))
        if board.ply() == plies:
            name = f"Skill Level {level}"
            moves = tuple(move.uci() for move in board.move_stack)
            return Game(moves, "1/2-1/2", name, name, "length", 6)
        seed += 1_000


@pytest.fixture(scope="module")
def random_games() -> dict[int, list[Game]]:
    return {level: [random_game(100 * level + n, 90, level) for n in range(4)] for level in LEVELS}


@pytest.mark.parametrize(
    ("band", "plies", "wanted"),
    [("early", 90, range(6, 12)), ("middle", 90, range(24, 48)), ("late", 90, range(74, 82)),
     ("early", 24, range(6, 8)), ("middle", 30, range(24, 14)), ("late", 24, range(12, 16)),
     ("late", 18, range(12, 12)), ("early", 10, range(6, -6))],
)  # fmt: skip
def test_a_band_is_moves_four_to_six_or_five_to_eight_before_the_end(
    band: str, plies: int, wanted: range
):
    assert list(band_plies(band, plies)) == list(wanted)  # type: ignore[arg-type]


def test_late_positions_are_five_to_eight_full_moves_before_the_end():
    to_come = {-(-(90 - ply) // 2) for ply in band_plies("late", 90)}
    assert to_come == {5, 6, 7, 8}


def test_each_game_gives_an_early_or_middle_and_a_late_position(random_games):
    suite = draw_suite(random_games, digest="abc")
    assert len(suite) == 16
    bands = [one.band for one in suite.positions if one.level == 5]
    assert bands == ["early", "late", "middle", "late"] * 2
    assert suite == draw_suite(random_games, digest="abc")
    assert suite != draw_suite(random_games, digest="abc", seed=9)
    assert len(draw_suite(random_games, digest="abc", bands=3)) == 24
    assert {one.number for one in suite.first_games(2)} == {0, 1}


def test_no_position_is_drawn_twice_and_none_is_forced(random_games):
    twins = dict.fromkeys(LEVELS, random_games[5])
    suite = draw_suite(twins, digest="abc")
    boards = [one.fen.rsplit(" ", 2)[0] for one in suite.positions]
    assert len(set(boards)) == len(boards) == 16
    assert all(chess.Board(one.fen).legal_moves.count() > 1 for one in suite.positions)


def test_positions_come_back_with_the_history_of_their_game(random_games):
    suite = draw_suite(random_games, digest="abc")
    found = positions_of(suite.positions, random_games)
    for one, position in zip(suite.positions, found, strict=True):
        assert position.fen == one.fen
        assert len(position.moves) == one.ply
        assert random_games[one.level][one.number].moves[one.ply] == one.played
    with pytest.raises(SuiteError, match=r"skill_05\.000\.early is not of these games"):
        positions_of(suite.positions, {5: random_games[20], 20: []})


@pytest.fixture
def graded(random_games):
    suite = draw_suite(random_games, digest="abc")
    kept = {}
    for one, position in zip(
        suite.positions, positions_of(suite.positions, random_games), strict=True
    ):
        legal = [move.uci() for move in chess.Board(one.fen).legal_moves]
        values = {uci: 50 if uci == one.played else 0 for uci in legal}
        values[next(uci for uci in legal if uci != one.played)] = 75
        kept[position_key(position)] = Kept(values, (one.played,))
    return with_baseline(suite, random_games, kept, Settings())


def test_the_file_is_the_same_bytes_and_reads_back(graded, tmp_path: Path):
    path = write_suite(graded, tmp_path / "suite.json")
    assert read_suite(path) == graded
    again = write_suite(read_suite(path), tmp_path / "again.json")
    assert again.read_bytes() == path.read_bytes()
    data = json.loads(path.read_text())
    assert data["graded_by"] == "Stockfish 15.1, nodes-20000"
    assert {row["grade"] for row in data["positions"]} == {"Good"}
    assert {row["loss"] for row in data["positions"]} == {25.0}


def test_a_position_without_an_analysis_is_named(random_games):
    suite = draw_suite(random_games, digest="abc")
    with pytest.raises(SuiteError, match=r"no analysis of skill_05\.000\.early; run"):
        with_baseline(suite, random_games, {}, Settings())


@pytest.mark.parametrize(
    ("change", "message"),
    [({"version": 99}, "version 99"), ({"positions": 3}, "no suite"), ({"name": 1}, None)],
)
def test_a_file_of_another_kind_is_refused(graded, tmp_path: Path, change: dict, message):
    path = write_suite(graded, tmp_path / "suite.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    if message is None:
        assert read_suite(path) == graded
        return
    with pytest.raises(SuiteError, match=message):
        read_suite(path)


def test_a_record_is_checked_when_it_is_made():
    good = ("skill_05.000.early", 5, "1200", "key", 0, 6, "early", "opening", chess.STARTING_FEN)
    assert SuitePosition(*good, "e2e4").white
    with pytest.raises(ValueError, match="not a legal move"):
        SuitePosition(*good, "e7e5")
    with pytest.raises(ValueError, match="goes with a grade"):
        SuitePosition(*good, "e2e4", 12.0)
    with pytest.raises(ValueError, match="no such grade"):
        SuitePosition(*good, "e2e4", 12.0, "Fine")


def test_the_committed_suite_is_made_of_the_committed_games(tmp_path: Path):
    from chessgloss.skill.suite import main

    folder = Path(__file__).resolve().parents[1] / "data" / "static"
    if not (folder / "suite.json").is_file():
        pytest.skip("data/static/suite.json is not made yet")
    games = folder / "games.tsv.zst"
    assert main([str(tmp_path / "suite.json"), "--games", str(games)]) == 0
    assert (tmp_path / "suite.json").read_bytes() == (folder / "suite.json").read_bytes()
    assert len(read_suite(folder / "suite.json")) >= 200
