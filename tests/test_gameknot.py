"""GameKnot's aligned files, in miniature."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from chessgloss.corpora.gameknot import read_gameknot, read_situation
from chessgloss.corpora.streams import DamagedLine
from chessgloss.positions import CommentedMove


def board_words(board: chess.Board) -> str:
    """Linearise a board as the crawler does: file by file, a1 first."""
    words = []
    for square in (file + rank for file in "abcdefgh" for rank in "12345678"):
        piece = board.piece_at(chess.parse_square(square))
        colour = "white" if piece and piece.color else "black"
        words.append(f"{colour}_{chess.piece_name(piece.piece_type)}" if piece else "eps")
    return " ".join(words)


def situation(fen: str, *moves: str) -> str:
    before, after = chess.Board(fen), chess.Board(fen)
    for move in moves:
        after.push_san(move)
    mover = "white" if before.turn else "black"
    said = f"{mover} {mover} piece i3 e4 <EOM> <EOMH> {moves[0]} <EOM>"
    return f"{board_words(after)} <EOC> {board_words(before)} <EOP> {said}"


@pytest.mark.parametrize(
    ("fen", "san", "uci"),
    [
        (chess.STARTING_FEN, "Nf3", "g1f3"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "O-O-O", "e8c8"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=N", "a7a8n"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", "e5d6"),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "dxe3", "d4e3"),
    ],
)
def test_the_move_is_found_between_the_two_boards(fen: str, san: str, uci: str) -> None:
    move = read_situation(situation(fen, san))
    assert move.uci == uci
    assert move.position.fen.split()[:2] == fen.split()[:2]


def test_the_older_form_of_the_move_is_read_too() -> None:
    boards = situation(chess.STARTING_FEN, "e4").split(" <EOP> ")[0]
    assert read_situation(f"{boards} <EOP> white_pawn e4 <EOM> <EOMH>").uci == "e2e4"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (situation(chess.STARTING_FEN, "e4", "e5"), "not one legal move apart"),
        ("eps <EOC> eps <EOP> white", "1 words instead of 64"),
        (situation(chess.STARTING_FEN, "e4").replace("white_king", "white_cat"), "'white_cat'"),
        ("hello", "not of the form"),
        (situation(chess.STARTING_FEN, "e4").replace("white_king", "eps"), "not a legal position"),
    ],
)
def test_what_is_no_single_move_says_why(line: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_situation(line)


def write_pair(folder: Path, situations: list[str], comments: list[str]) -> Path:
    che = folder / "train.che-eng.single.che"
    che.write_text("".join(line + "\n" for line in situations))
    che.with_suffix(".en").write_text("".join(line + "\n" for line in comments))
    return che


def test_lines_are_paired_and_bad_ones_numbered(tmp_path: Path) -> None:
    good = situation(chess.STARTING_FEN, "e4")
    che = write_pair(tmp_path, [good, "bad", good], ["the king 's  pawn", "lost", " "])
    first, second, third = read_gameknot(che)
    assert isinstance(first, CommentedMove)
    assert (first.context.san, first.comment) == ("e4", "the king 's pawn")
    assert first.source == "train.che-eng.single:1"
    assert isinstance(second, DamagedLine)
    assert second.line == 2
    assert isinstance(third, DamagedLine)
    assert "empty" in third.reason


def test_files_of_unequal_length_are_told(tmp_path: Path) -> None:
    che = write_pair(tmp_path, [situation(chess.STARTING_FEN, "e4")] * 2, ["one"])
    with pytest.raises(ValueError, match=r"\.en ends before line 2"):
        list(read_gameknot(che))


def test_a_missing_half_is_an_error(tmp_path: Path) -> None:
    che = tmp_path / "x.che"
    che.write_text("")
    with pytest.raises(FileNotFoundError):
        list(read_gameknot(che))
