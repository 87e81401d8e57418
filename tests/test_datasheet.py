from __future__ import annotations

from pathlib import Path

import chess
import pytest

from chessgloss.corpora import datasheet
from chessgloss.corpora.games import read_games
from chessgloss.positions import CommentedMove, Game, Position, read_move
from chessgloss.store import file_digest

GAMES = Path(__file__).parents[1] / "data" / "games"
FOOLS_MATE = Game(("f2f3", "e7e5", "g2g4", "d8h4"), "0-1", "level 5", "level 10")


@pytest.mark.parametrize(
    ("fen", "phase"),
    [
        (chess.STARTING_FEN, "opening"),
        ("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 30", "middlegame"),
        ("r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21", "middlegame"),
        ("8/3nk3/1p4pp/1N1P1p2/1bP2KP1/3P1P2/7P/8 b - - 0 30", "endgame"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "endgame"),
    ],
)
def test_the_phase_goes_by_pieces_then_by_ply(fen, phase):
    assert datasheet.phase_of(fen) == phase


def test_material_is_whites_less_blacks():
    assert datasheet.material(chess.STARTING_FEN) == 0
    assert datasheet.material("4k3/8/8/8/8/8/P7/R3K2q w - - 0 1") == 6 - 9


def test_games_are_counted_by_result_length_and_level():
    drawn = Game(("e2e4",), "1/2-1/2", "level 10", "level 5")
    counts = datasheet.describe_games([FOOLS_MATE, drawn, drawn])
    assert (counts["games"], counts["distinct games"], counts["plies"]) == (3, 2, 6)
    assert (counts["draws"], counts["Black wins"]) == (2 / 3, 1 / 3)
    levels = datasheet.describe_levels([FOOLS_MATE, drawn])
    assert levels[["level", "against", "games"]].to_numpy().tolist() == [[5, 10, 2]]


def test_comments_are_counted_by_words_and_phase():
    move = read_move(Position(chess.STARTING_FEN), "e4")
    comments = [CommentedMove(move, "word " * n, "a lecture", 0) for n in (1, 50)]
    counts = datasheet.describe_comments(comments)
    assert (counts["comments"], counts["at most 40 words"], counts["on opening moves"]) == (2, 1, 2)


def test_positions_that_differ_in_counters_alone_are_not_distinct():
    again = chess.STARTING_FEN.replace("0 1", "4 3")
    counts = datasheet.describe_positions([chess.STARTING_FEN, again])
    assert (counts["positions"], counts["distinct positions"]) == (2, 1)


def test_the_committed_data_sheet_says_what_the_file_holds():
    file = GAMES / "selfplay.tsv.zst"
    sheet = datasheet.render_sheet(list(read_games(file)), file_digest(file))
    assert sheet in (GAMES / "README.md").read_text("utf-8")
