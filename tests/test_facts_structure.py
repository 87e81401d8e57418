from __future__ import annotations

import chess
import pytest

from chessgloss.facts.files import half_open_files, heavy_pieces, open_files
from chessgloss.facts.kings import shelter
from chessgloss.facts.pawns import doubled, doubled_groups, isolated, passed, ranks_ahead

W, B = chess.WHITE, chess.BLACK


def names(squares) -> str:
    return " ".join(chess.square_name(one) for one in squares)


@pytest.mark.parametrize(
    ("fen", "white", "black"),
    [
        (chess.STARTING_FEN, "", ""),
        ("4k3/8/8/3P4/8/8/8/4K3 w - - 0 1", "d5", ""),
        # An enemy pawn ahead on the same or a neighbouring file stops it; one level does not.
        ("4k3/3p4/8/3P4/8/8/8/4K3 w - - 0 1", "", ""),
        ("4k3/2p5/8/3P4/8/8/8/4K3 w - - 0 1", "", ""),
        ("4k3/8/8/2pP4/8/8/8/4K3 w - - 0 1", "d5", "c5"),
        ("4k3/1p6/8/3P4/8/8/8/4K3 w - - 0 1", "d5", "b7"),
        # A pawn of its own in front does not matter, nor does a piece.
        ("4k3/8/3P4/3P4/8/8/8/4K3 w - - 0 1", "d5 d6", ""),
        ("3nk3/3n4/8/3P4/8/8/8/4K3 w - - 0 1", "d5", ""),
    ],
)
def test_passed_pawns(fen: str, white: str, black: str):
    board = chess.Board(fen)
    assert (names(passed(board, W)), names(passed(board, B))) == (white, black)


@pytest.mark.parametrize(
    ("fen", "twins", "lonely"),
    [
        (chess.STARTING_FEN, "", ""),
        ("4k3/8/8/8/2P5/2P5/PP6/4K3 w - - 0 1", "c3 c4", ""),
        ("4k3/8/8/8/2P5/2P5/P7/4K3 w - - 0 1", "c3 c4", "a2 c3 c4"),
        ("4k3/8/8/P7/8/P7/P6P/4K3 w - - 0 1", "a2 a3 a5", "a2 h2 a3 a5"),
    ],
)
def test_doubled_and_isolated_pawns(fen: str, twins: str, lonely: str):
    board = chess.Board(fen)
    assert names(doubled(board, W)) == twins
    assert names(isolated(board, W)) == lonely
    assert names(doubled(board, B)) == names(isolated(board, B)) * 0


def test_doubled_pawns_come_file_by_file():
    board = chess.Board("4k3/2p4p/2p4p/8/8/8/8/4K3 w - - 0 1")
    assert [names(group) for group in doubled_groups(board, B)] == ["c6 c7", "h6 h7"]


def test_open_and_half_open_files():
    board = chess.Board("3rk3/pp3p2/8/8/8/8/PP2P3/3RK2R w - - 0 1")
    assert "".join(chess.FILE_NAMES[one] for one in open_files(board)) == "cdgh"
    assert "".join(chess.FILE_NAMES[one] for one in half_open_files(board, W)) == "f"
    assert "".join(chess.FILE_NAMES[one] for one in half_open_files(board, B)) == "e"
    assert names(heavy_pieces(board, W, 3)) == "d1"
    assert names(heavy_pieces(board, B, 3)) == "d8"


@pytest.mark.parametrize(
    ("fen", "colour", "pawns", "bare"),
    [
        ("4k3/8/8/8/8/8/5PPP/6K1 w - - 0 1", W, "f2 g2 h2", ""),
        ("4k3/8/8/8/8/6P1/5P1P/6K1 w - - 0 1", W, "f2 h2 g3", ""),
        # A pawn three ranks ahead shelters no more, but its file is not bare.
        ("4k3/8/8/8/6P1/8/5P1P/6K1 w - - 0 1", W, "f2 h2", ""),
        ("4k3/8/8/8/8/8/5P2/6K1 w - - 0 1", W, "f2", "gh"),
        ("7k/6pp/8/8/8/8/8/4K3 w - - 0 1", B, "g7 h7", ""),
        ("8/4k3/3ppp2/8/8/8/8/4K3 w - - 0 1", B, "d6 e6 f6", ""),
        # Pawns beside or behind the king do not shelter it.
        ("4k3/8/8/3PKP2/3P4/8/8/8 w - - 0 1", W, "", "def"),
    ],
)
def test_king_shelter(fen: str, colour: chess.Color, pawns: str, bare: str):
    found = shelter(chess.Board(fen), colour)
    assert names(found.pawns) == pawns
    assert "".join(chess.FILE_NAMES[one] for one in found.bare_files) == bare


def test_a_board_without_the_king_is_refused():
    with pytest.raises(ValueError, match="black has no king"):
        shelter(chess.Board("8/8/8/8/8/8/8/4K3 w - - 0 1"), B)


def test_ranks_ahead_from_edge_to_edge():
    assert ranks_ahead(chess.E8, W) == 0
    assert ranks_ahead(chess.E1, B) == 0
    assert ranks_ahead(chess.A1, W) == chess.BB_ALL & ~chess.BB_RANK_1
    assert ranks_ahead(chess.H7, B) == chess.BB_ALL & ~chess.BB_RANK_8 & ~chess.BB_RANK_7
