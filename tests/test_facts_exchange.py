from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import chess
import pytest

from chessgloss.corpora.games import read_games
from chessgloss.facts.exchange import VALUES, balance, captures, exchange, hanging, material

GAMES = Path(__file__).parents[1] / "data" / "games" / "selfplay.tsv.zst"

#: Position, move in SAN, what the exchange wins the mover in pawns, and why.
EXCHANGES = [
    ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "Rxd5", 1, "an undefended pawn"),
    ("4k3/2p5/3p4/8/8/8/8/3RK3 w - - 0 1", "Rxd6", -4, "a pawn's defender takes the rook"),
    ("4k3/8/2p5/3n4/8/4N3/8/4K3 w - - 0 1", "Nxd5", 0, "knight for knight"),
    ("4k3/8/2p5/3r4/8/4N3/8/4K3 w - - 0 1", "Nxd5", 2, "a knight for a rook"),
    ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5", 1, "the second rook stands behind the first"),
    ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5", -4, "two against two: the pawn is dear"),
    ("3qk3/3r4/8/3p4/8/3R4/3Q4/4K3 w - - 0 1", "Rxd5", -4, "the defender is cheaper"),
    ("4k3/8/3p4/4b3/8/5N2/1B6/4K3 w - - 0 1", "Bxe5", 1, "bishop and pawn for a bishop"),
    ("8/8/3k4/4p3/8/5N2/8/4K3 w - - 0 1", "Nxe5", -2, "a king defends"),
    ("8/8/3k4/4p3/8/5N2/1B6/4K3 w - - 0 1", "Nxe5+", 1, "a king cannot take what is guarded"),
    ("4k3/4n3/8/3p4/8/8/4R3/3RK3 w - - 0 1", "Rxd5", 1, "the defender is pinned to its king"),
    ("4k3/4r3/8/8/4p3/8/4R3/4RK2 w - - 0 1", "Rxe4", 1, "a pinned rook may take along its pin"),
    ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=Q+", 13, "rook and promotion"),
    ("1r1rk3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=Q", 4, "the new queen is taken: rook for pawn"),
    ("4k3/P7/8/8/8/8/4K3/r7 w - - 0 1", "a8=Q+", -1, "a quiet promotion that loses the pawn"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=Q+", 8, "a quiet promotion"),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", 1, "en passant"),
    ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", 0, "en passant, taken back"),
    ("4k3/8/2p5/8/8/2N5/8/4K3 w - - 0 1", "Nd5", -3, "a quiet move into a pawn's attack"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", 0, "castling exchanges nothing"),
]


@cache
def selfplay_boards(count: int) -> tuple[chess.Board, ...]:
    fens = (fen for game in read_games(GAMES, count // 8) for fen in game.fens()[3::7])
    return tuple(chess.Board(fen) for fen, _ in zip(fens, range(count), strict=False))


def search(board: chess.Board, square: chess.Square) -> int:
    """The same exchange by trying every legal capture on the square, pass allowed."""
    best = 0
    for move in list(board.generate_legal_captures(to_mask=chess.BB_SQUARES[square])):
        if move.to_square == square and move.promotion in (None, chess.QUEEN):
            best = max(best, taken_by(board, move))
    return best


def taken_by(board: chess.Board, move: chess.Move) -> int:
    victim = board.piece_type_at(move.to_square)
    won = VALUES[victim] if victim else int(board.is_en_passant(move))
    won += VALUES[move.promotion] - 1 if move.promotion else 0
    board.push(move)
    won -= search(board, move.to_square)
    board.pop()
    return won


def moves_of(board: chess.Board) -> Iterator[chess.Move]:
    yield from (move for move in board.legal_moves if not board.is_castling(move))


@pytest.mark.parametrize(("fen", "san", "worth", "why"), EXCHANGES, ids=[e[3] for e in EXCHANGES])
def test_exchanges_worked_out_by_hand(fen: str, san: str, worth: int, why: str):
    board = chess.Board(fen)
    assert exchange(board, board.parse_san(san)) == worth
    mirrored = board.mirror()
    move = board.parse_san(san)
    turned = chess.Move(move.from_square ^ 56, move.to_square ^ 56, move.promotion)
    assert exchange(mirrored, turned) == worth


def test_exchanges_are_what_a_search_of_all_legal_captures_finds():
    """Taking with the cheapest piece is best play in (nearly) all of 6,000 moves."""
    asked = differing = 0
    for board in selfplay_boards(250):
        for move in moves_of(board):
            asked += 1
            differing += exchange(board, move) != taken_by(board, move)
    assert asked > 5_000
    assert differing <= asked / 2_000


def test_captures_on_the_own_turn_are_the_legal_ones():
    for board in selfplay_boards(500):
        legal = {(m.from_square, m.to_square) for m in board.generate_legal_captures()}
        found = captures(board, board.turn)
        assert {(one.from_square, one.to_square) for one in found} == legal
        assert all(one.gain == exchange(board, one.move) for one in found)
        assert all(one.move in board.legal_moves for one in found)


def test_captures_out_of_turn_are_those_after_a_pass():
    passed = 0
    for board in selfplay_boards(300):
        if not board.is_check():
            found = captures(board, not board.turn)
            board.push(chess.Move.null())
            assert found == captures(board, board.turn)
            board.pop()
            passed += 1
    assert passed > 200


@pytest.mark.parametrize(
    ("fen", "colour", "expected"),
    [
        (chess.STARTING_FEN, chess.WHITE, {}),
        ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", chess.BLACK, {"d5": 1}),
        ("4k3/8/8/3p4/8/8/8/3RK3 b - - 0 1", chess.BLACK, {"d5": 1}),
        ("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", chess.BLACK, {}),
        ("4k3/8/2p5/3q4/8/4N3/8/4K3 w - - 0 1", chess.BLACK, {"d5": 6}),
        # A knight pinned to its king defends nothing.
        ("4k3/4n3/8/3b4/8/8/4R3/3RK3 w - - 0 1", chess.BLACK, {"d5": 3}),
        # A pawn that has just made its double step, before a pawn that may take it.
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", chess.BLACK, {"d5": 1}),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", chess.BLACK, {}),
        # In check from f6, Black may not take on d7, with the bishop or the king.
        ("2b1k2r/1p1N4/5N2/8/8/8/8/4K3 b - - 0 1", chess.WHITE, {}),
        ("2b1k2r/1p1N4/8/8/8/8/8/4K3 b - - 0 1", chess.WHITE, {"d7": 3}),
    ],
)
def test_what_hangs(fen: str, colour: chess.Color, expected: dict[str, int]):
    found = hanging(chess.Board(fen), colour)
    assert {chess.square_name(one.square): one.gain for one in found} == expected


def test_a_standing_check_does_not_make_everything_hang():
    """Black is in check from g6; its rook on a8 stays defended by the one on c8."""
    board = chess.Board("r1r4k/8/6N1/8/8/8/8/R3K3 b - - 0 1")
    assert board.is_check()
    assert hanging(board, chess.BLACK) == ()


def test_material_and_balance():
    board = chess.Board("r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21")
    assert material(board, chess.WHITE) == 9 + 3 * 3 + 6
    assert material(board, chess.BLACK) == 9 + 2 * 5 + 3 + 5
    assert balance(board) == -3
    assert balance(board.mirror()) == 3


def test_an_empty_square_has_no_exchange():
    with pytest.raises(ValueError, match="no piece on e4"):
        exchange(chess.Board(), chess.Move.from_uci("e4e5"))
