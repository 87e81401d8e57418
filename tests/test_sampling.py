from __future__ import annotations

import chess
import numpy as np

from chessgloss.corpora.sampling import sample_positions
from chessgloss.positions import Game


def random_game(seed: int, plies: int) -> Game:
    random, board = np.random.default_rng(seed), chess.Board()
    while board.ply() < plies and not board.is_game_over():
        legal = list(board.legal_moves)
        board.push(legal[int(random.integers(len(legal)))])
    return Game(tuple(move.uci() for move in board.move_stack), "*", opening_plies=6)


GAMES = [random_game(seed, plies) for seed, plies in enumerate((60, 12, 7, 40, 6))]


def test_rows_are_the_games_own_positions():
    sample = sample_positions(GAMES, 10, seed=1, jobs=1)
    for fen, game, ply in zip(sample.fens, sample.games, sample.plies, strict=True):
        assert GAMES[game].fens()[ply] == fen
        assert GAMES[game].opening_plies <= ply < len(GAMES[game].moves)
    counts = np.bincount(sample.games, minlength=5)
    assert counts.tolist() == [10, 6, 1, 10, 0]


def test_more_games_only_add_rows_and_jobs_change_nothing():
    few, all_of_them = (sample_positions(GAMES[:n], 5, seed=1, jobs=1) for n in (2, 5))
    assert all_of_them.fens[: len(few)] == few.fens
    assert sample_positions(GAMES, 5, seed=1, jobs=2).digest() == all_of_them.digest()
    assert sample_positions(GAMES, 5, seed=2, jobs=1).digest() != all_of_them.digest()


def test_no_games_make_an_empty_sample():
    assert len(sample_positions([], 5, seed=1)) == 0
