from __future__ import annotations

from collections import Counter
from pathlib import Path

import chess
import numpy as np
import pytest

from chessgloss.corpora import games as games_file
from chessgloss.corpora import selfplay
from chessgloss.corpora.games import GamesFileError, of_split, pack, read_games
from chessgloss.corpora.selfplay import LEVELS, Rules, choose, level_nodes, pairing
from chessgloss.engine import MATE, ScoredMove, read_centipawns
from chessgloss.positions import Game

COMMITTED = Path(__file__).parents[1] / "data" / "games" / "selfplay.tsv.zst"


@pytest.fixture(scope="session")
def six_games(stockfish) -> list[Game]:
    return list(selfplay.play_many(stockfish, 7, range(6)))


def lines(*centipawns: int) -> list[ScoredMove]:
    moves = list(chess.Board().legal_moves)
    scores = (read_centipawns(value, chess.WHITE) for value in centipawns)
    return [ScoredMove(*pair) for pair in zip(moves, scores, strict=False)]


def test_level_20_always_takes_the_best_line():
    random = np.random.default_rng(0)
    assert all(choose(lines(30, 29, 28), 20, random).centipawns == 30 for _ in range(50))


@pytest.mark.parametrize("level", LEVELS[:-1])
def test_a_level_never_gives_away_more_than_its_bonus(level):
    random = np.random.default_rng(1)
    chosen = Counter(
        choose(lines(0, -3, -4 * (20 - level) - 1), level, random).centipawns for _ in range(500)
    )
    assert -4 * (20 - level) - 1 not in chosen
    assert chosen[-3] > 0


def test_weaker_levels_give_away_more():
    losses = []
    for level in LEVELS:
        random = np.random.default_rng(2)
        losses.append(-np.mean([choose(lines(0, -9, -20, -40), level, random).centipawns
                                for _ in range(3_000)]))  # fmt: skip
    assert losses == sorted(losses, reverse=True)
    assert level_nodes(20) > 10 * level_nodes(1)


def test_a_lost_mate_is_never_chosen_for_noise():
    random = np.random.default_rng(3)
    assert all(choose(lines(MATE - 1, 500), 1, random).centipawns > 9_000 for _ in range(99))


def test_pairings_are_equal_or_neighbours():
    random = np.random.default_rng(4)
    pairs = [pairing(random) for _ in range(4_000)]
    apart = [abs(LEVELS.index(white) - LEVELS.index(black)) for white, black in pairs]
    assert set(apart) == {0, 1}
    assert 0.56 < apart.count(0) / len(apart) < 0.64
    assert {level for pair in pairs for level in pair} == set(LEVELS)
    stronger_white = sum(white > black for white, black in pairs)
    assert abs(stronger_white / apart.count(1) - 0.5) < 0.05


@pytest.mark.engine
def test_a_game_is_the_same_whatever_was_played_before(stockfish, six_games):
    assert list(selfplay.play_many(stockfish, 7, [4])) == six_games[4:5]
    assert list(selfplay.play_many(stockfish, 7, [5, 0])) == [six_games[5], six_games[0]]
    assert next(selfplay.play_many(stockfish, 8, [4])).moves != six_games[4].moves


@pytest.mark.engine
def test_games_are_legal_and_end_as_they_say(six_games):
    for game in six_games:
        board = game.check().position(len(game.moves)).board()
        assert Rules().opening_plies[0] <= game.opening_plies <= Rules().opening_plies[1]
        assert (game.termination == "checkmate") == board.is_checkmate()
        assert (game.termination == "stalemate") == board.is_stalemate()
        if game.termination == "checkmate":
            assert game.result == ("0-1" if board.turn else "1-0")


def test_adjudication_needs_every_ply_of_its_run():
    rules = Rules()
    even = [5] * rules.draw_plies
    assert selfplay._adjudicated(even, rules.draw_from_ply, True, rules)[0] == "1/2-1/2"
    assert selfplay._adjudicated(even, rules.draw_from_ply - 1, True, rules) is None
    assert selfplay._adjudicated([999, *even[1:]], 100, True, rules) is None
    won = [rules.resign_centipawns] * rules.resign_plies
    assert selfplay._adjudicated(won, 40, True, rules) == ("1-0", "resigned")
    assert selfplay._adjudicated([-score for score in won], 40, True, rules)[0] == "0-1"
    assert selfplay._adjudicated(won, 40, False, rules) is None
    assert selfplay._adjudicated([0, *won[1:]], 40, True, rules) is None


@pytest.mark.engine
@pytest.mark.slow
def test_a_killed_run_goes_on_and_gives_the_same_bytes(stockfish, tmp_path, monkeypatch):
    monkeypatch.setattr(games_file, "SHARD", 3)
    whole = games_file.generate(tmp_path / "a.zst", 5, seed=7, shards=tmp_path / "a", processes=1)
    (tmp_path / "b").mkdir()
    games_file.play_shard(stockfish, tmp_path / "b", 7, 3)
    (tmp_path / "b" / "mixed-7-0000000.part").write_text("cut off")
    again = games_file.generate(tmp_path / "b.zst", 5, seed=7, shards=tmp_path / "b", processes=1)
    assert whole.read_bytes() == again.read_bytes()
    assert len(list(read_games(whole))) == 5


def test_a_file_reads_back_and_names_its_bad_lines(tmp_path):
    game = Game(("e2e4", "e7e5"), "1-0", "level 5", "level 3", "resigned", 6)
    line = games_file._write_line(0, game)
    assert list(read_games(pack([line, line], tmp_path / "g.zst"), limit=1)) == [game]
    with pytest.raises(GamesFileError, match="line 2"):
        list(read_games(pack([line, "1\tA\tB\n"], tmp_path / "g.zst")))
    with pytest.raises(GamesFileError, match="line 1"):
        list(read_games(pack([line.replace("1-0", "2-0")], tmp_path / "g.zst")))


def test_a_cut_off_file_is_named(tmp_path):
    game = Game(("e2e4",), "*")
    path = pack(
        (games_file._write_line(number, game) for number in range(50_000)), tmp_path / "g.zst"
    )
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(GamesFileError, match="cut off"):
        list(read_games(path))


@pytest.mark.engine
@pytest.mark.slow
def test_the_committed_games_are_what_the_command_gives(stockfish):
    numbers = [0, 5_003, 19_999]
    committed = list(read_games(COMMITTED))
    assert list(selfplay.play_many(stockfish, 1, numbers)) == [committed[k] for k in numbers]


def test_the_committed_games_look_like_chess():
    games = list(read_games(COMMITTED))
    assert len(games) >= 20_000
    results = Counter(game.result for game in games)
    assert results["1/2-1/2"] / len(games) > 0.15
    assert abs(results["1-0"] - results["0-1"]) / len(games) < 0.06
    assert len({game.key for game in games}) > 0.998 * len(games)
    shares = [len(of_split(games, name)) / len(games) for name in ("train", "validation", "test")]
    np.testing.assert_allclose(shares, [0.8, 0.1, 0.1], atol=0.01)
    for game in games[:100]:
        game.check()


@pytest.mark.engine
def test_quick_games_are_short_and_of_middle_levels(stockfish):
    quick = selfplay.SERIES["quick"]
    games = list(selfplay.play_many(stockfish, 2, range(8), quick))
    levels = {name for game in games for name in (game.white, game.black)}
    assert levels <= {"level 5", "level 10", "level 15"}
    assert max(len(game.moves) for game in games) <= 151
    assert len({game.moves for game in games}) == 8
    assert games != list(selfplay.play_many(stockfish, 2, range(8)))


def test_an_unknown_series_is_refused_by_name(tmp_path):
    with pytest.raises(ValueError, match="no series 'blitz'; there are mixed, quick"):
        games_file.generate(tmp_path / "a.zst", 5, seed=7, shards=tmp_path, series="blitz")
    assert list(tmp_path.iterdir()) == []
