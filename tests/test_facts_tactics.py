from __future__ import annotations

from functools import cache
from pathlib import Path

import chess
import pytest

from chessgloss.corpora.games import read_games
from chessgloss.facts.attacks import attackers, attacks, defences, pin_lines, undefended
from chessgloss.facts.tactics import discovered_attacks, forks, pinned_to_king, pins, skewers
from chessgloss.facts.threats import mates, threats

GAMES = Path(__file__).parents[1] / "data" / "games" / "selfplay.tsv.zst"
W, B = chess.WHITE, chess.BLACK


@cache
def selfplay_boards(count: int) -> tuple[chess.Board, ...]:
    fens = (fen for game in read_games(GAMES, count // 8) for fen in game.fens()[3::7])
    return tuple(chess.Board(fen) for fen, _ in zip(fens, range(count), strict=False))


def squares(*numbers: chess.Square) -> str:
    return " ".join(chess.square_name(one) for one in numbers)


# ---------------------------------------------------------------- attacks and defences


def test_attacks_and_defences_of_a_small_position():
    board = chess.Board("4k3/4n3/8/1p1p4/8/2N5/4R3/4K3 w - - 0 1")
    assert {squares(p.square, p.target): p.barred for p in attacks(board, W)} == {
        "c3 b5": False,
        "c3 d5": False,
        "e2 e7": False,
    }
    # The knight on e7 is pinned: it guards d5 by its move, but may not take back there.
    assert {squares(p.square, p.target): p.barred for p in defences(board, B)} == {
        "e7 d5": True,
        "e8 e7": False,
    }
    assert squares(*undefended(board, B)) == "b5 d5"
    assert squares(*attackers(board, B, chess.D5)) == ""
    assert squares(*attackers(board, B, chess.D5, barred=True)) == "e7"


def test_a_king_may_not_take_what_is_guarded():
    board = chess.Board("4k3/5N2/8/8/8/1B6/3p4/4K3 b - - 0 1")
    (pair,) = (one for one in attacks(board, B) if one.piece == chess.KING)
    assert (squares(pair.square, pair.target), pair.barred) == ("e8 f7", True)
    (pair,) = (one for one in attacks(board, W) if one.piece == chess.KING)
    assert (squares(pair.square, pair.target), pair.barred) == ("e1 d2", False)


def test_a_check_is_an_attack_on_the_king():
    board = chess.Board("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1")
    assert [squares(one.square, one.target) for one in attacks(board, W)] == ["e2 e8"]


def test_unbarred_attacks_are_the_legal_captures():
    for board in selfplay_boards(600):
        if not board.is_check():
            found = {(p.square, p.target) for p in attacks(board, board.turn) if not p.barred}
            legal = board.generate_legal_captures()
            ordinary = (move for move in legal if not board.is_en_passant(move))
            assert found == {(move.from_square, move.to_square) for move in ordinary}


def test_absolute_pins_are_those_of_the_rules():
    for board in selfplay_boards(1_000):
        for colour in chess.COLORS:
            own = chess.SquareSet(board.occupied_co[colour] & ~board.kings)
            expected = [square for square in own if board.is_pinned(colour, square)]
            assert sorted(pin_lines(board, colour)) == expected
            assert list(pinned_to_king(board, colour)) == expected
            absolute = {one.front for one in pins(board, not colour) if one.absolute}
            assert sorted(absolute) == expected


# ---------------------------------------------------------------- forks


@pytest.mark.parametrize(
    ("fen", "colour", "expected"),
    [
        # A knight forks king and rook; the queen on c2 is out of its reach.
        ("r3k3/2N5/8/8/8/8/2q5/4K3 b - - 0 1", W, ["c7: e8 a8"]),
        # A pawn forks two defended knights: both are worth more.
        ("4k3/2p3p1/3n1n2/4P3/8/8/8/4K3 b - - 0 1", W, ["e5: d6 f6"]),
        # A queen and two defended pieces: nothing is worth taking.
        ("4k3/2p1p3/1n3n2/8/3Q4/8/8/4K3 w - - 0 1", W, []),
        # One of them loses its defender: still one target only, so no fork.
        ("4k3/4p3/1n3n2/8/3Q4/8/8/4K3 w - - 0 1", W, []),
        ("4k3/8/1n3n2/8/3Q4/8/8/4K3 w - - 0 1", W, ["d4: b6 f6"]),
        # A king forks two loose pieces; a guarded one does not count.
        ("4k3/8/8/8/2r1b3/3K4/8/8 w - - 0 1", W, []),
        ("4k3/8/8/8/2n1b3/3K4/8/8 w - - 0 1", W, ["d3: c4 e4"]),
        # A pinned knight forks nothing.
        ("4r1k1/2q3r1/4N3/8/8/8/8/4K3 w - - 0 1", W, []),
    ],
)
def test_forks(fen: str, colour: chess.Color, expected: list[str]):
    found = forks(chess.Board(fen), colour)
    assert [f"{squares(one.square)}: {squares(*one.targets)}" for one in found] == expected


@pytest.mark.parametrize(
    ("fen", "safe"),
    [
        ("r3k3/2N5/8/8/8/8/8/4K3 b - - 0 1", True),
        ("r2qk3/2N5/8/8/8/8/8/4K3 b - - 0 1", False),
    ],
)
def test_a_fork_is_safe_if_its_piece_cannot_be_won(fen: str, safe: bool):
    (found,) = forks(chess.Board(fen), W)
    assert found.safe is safe


# ---------------------------------------------------------------- pins and skewers


@pytest.mark.parametrize(
    ("fen", "colour", "expected"),
    [
        ("4k3/8/2n5/1B6/8/8/8/4K3 w - - 0 1", W, ["b5 c6 e8 absolute"]),
        ("3qk3/8/5n2/6B1/8/8/8/4K3 w - - 0 1", W, ["g5 f6 d8 relative"]),
        # Two pieces between: no pin.
        ("3qk3/4p3/5n2/6B1/8/8/8/4K3 w - - 0 1", W, []),
        # A queen does not pin a knight to a rook that is defended.
        ("2k3r1/7r/6n1/8/8/8/8/4K1Q1 w - - 0 1", W, ["g1 g6 g8 relative"]),
        ("2k2rr1/8/6n1/8/8/8/8/4K1Q1 w - - 0 1", W, []),
        # A pawn that can only go along the file is not pinned to the rook behind it.
        ("r3k3/p7/8/8/8/8/8/R3K3 w - - 0 1", W, []),
        ("r3k3/p7/1N6/8/8/8/8/R3K3 w - - 0 1", W, ["a1 a7 a8 relative"]),
        # But on the king's file it is pinned by the rules all the same.
        ("4k3/4p3/8/8/8/8/4R3/4K3 w - - 0 1", W, ["e2 e7 e8 absolute"]),
        ("4k3/8/8/8/8/2b5/3R4/4K3 w - - 0 1", B, ["c3 d2 e1 absolute"]),
    ],
)
def test_pins(fen: str, colour: chess.Color, expected: list[str]):
    found = pins(chess.Board(fen), colour)
    words = {True: "absolute", False: "relative"}
    assert [f"{squares(p.square, p.front, p.behind)} {words[p.absolute]}" for p in found] == (
        expected
    )


@pytest.mark.parametrize(
    ("fen", "colour", "expected"),
    [
        # The king must move and the queen behind it falls.
        ("6q1/5k2/4B3/8/8/8/8/4K3 b - - 0 1", W, ["e6 f7 g8"]),
        # Queen before rook on a file.
        ("4r2k/8/8/4q3/8/8/8/K3R3 w - - 0 1", W, ["e1 e5 e8"]),
        # Two rooks on a diagonal.
        ("7k/5r2/8/3r4/8/1B6/8/K7 w - - 0 1", W, ["b3 d5 f7"]),
        # The piece behind is defended and worth less: nothing would be won.
        ("5bk1/4n3/8/4q3/8/8/8/1K2R3 w - - 0 1", W, []),
        # Behind stands a pawn.
        ("8/4p3/8/4k3/8/8/8/K3R3 b - - 0 1", W, []),
    ],
)
def test_skewers(fen: str, colour: chess.Color, expected: list[str]):
    found = skewers(chess.Board(fen), colour)
    assert [squares(one.square, one.front, one.behind) for one in found] == expected


# ---------------------------------------------------------------- discovered attacks


@pytest.mark.parametrize(
    ("fen", "san", "expected"),
    [
        # The bishop leaves the file: the rook attacks the queen, undefended.
        ("6k1/4q3/8/8/8/4B3/8/4R1K1 w - - 0 1", "Bd4", ["e1 e7 9"]),
        # Discovered check.
        ("4k3/8/8/8/4N3/8/8/4R1K1 w - - 0 1", "Nc5+", ["e1 e8 None"]),
        # A defended pawn: the line opens, but nothing is won.
        ("4k3/3p4/4p3/8/8/4B3/8/4R1K1 w - - 0 1", "Bd4", ["e1 e6 -4"]),
        # En passant clears two pawns from the fifth rank.
        ("4k3/8/8/R2pP2r/8/8/8/4K3 w - d6 0 1", "exd6", ["a5 h5 5"]),
        # The moved piece's own new attacks do not count.
        ("4k3/8/8/8/2q5/8/8/R3K2R w - - 0 1", "Rh4", []),
    ],
)
def test_discovered_attacks(fen: str, san: str, expected: list[str]):
    board = chess.Board(fen)
    found = discovered_attacks(board, board.parse_san(san))
    assert [f"{squares(one.square, one.target)} {one.gain}" for one in found] == expected


def test_discovered_attacks_that_are_new_and_of_unmoved_pieces():
    seen = 0
    for board in selfplay_boards(200):
        for move in board.legal_moves:
            for one in discovered_attacks(board, move):
                seen += 1
                assert board.piece_at(one.square) is not None
                assert one.square != move.from_square
                assert one.target not in board.attacks(one.square)
    assert seen > 100


# ---------------------------------------------------------------- threats


@pytest.mark.parametrize(
    ("fen", "colour", "expected"),
    [
        # Scholar's mate threatened, and the pawn on e5 for the taking.
        (
            "r1bqkbnr/pppp1ppp/8/n3p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 5 4",
            W,
            ["mate h5f7", "capture c4f7 1", "capture h5e5 1", "capture h5f7 1"],
        ),
        # A knight that checks still threatens the rook.
        ("r3k3/2N5/8/8/8/8/8/4K3 b - - 0 1", W, ["capture c7a8 5"]),
        # Promotion: on an unguarded square only.
        ("4k3/P7/8/8/8/8/8/4K3 b - - 0 1", W, ["promotion a7a8q 8"]),
        ("4k3/P7/8/8/8/8/8/r3K3 w - - 0 1", W, []),
        # Pinned pieces threaten nothing off their line.
        ("4r1k1/8/4N3/6q1/8/8/8/4K3 b - - 0 1", W, []),
        # Mate on the back rank, by the side to move.
        ("6k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1", W, ["mate d1d8"]),
    ],
)
def test_threats(fen: str, colour: chess.Color, expected: list[str]):
    found = threats(chess.Board(fen), colour)
    words = [f"{one.kind} {one.move.uci()} {one.gain or ''}".strip() for one in found]
    assert words == expected


def test_mates_are_found_as_by_trying_every_move():
    ends = (game.fens()[-4:-1] for game in read_games(GAMES, 150))
    boards = [
        *(chess.Board(fen) for fens in ends for fen in fens),
        *selfplay_boards(200),
        # Castling mates; a knight promotion mates; a pawn mates en passant.
        chess.Board("8/8/8/8/8/7p/4Q2P/k3K2R w K - 0 1"),
        chess.Board("5brk/4Pp1p/8/8/8/8/8/4K1R1 w - - 0 1"),
        chess.Board("3k4/8/3K4/8/8/8/8/R7 w - - 0 1"),
        chess.Board("5rk1/5ppp/7N/8/8/1B6/8/4K1R1 w - - 0 1"),
    ]
    found_any = 0
    for board in boards:
        found = {(move.from_square, move.to_square) for move in mates(board, board.turn)}
        expected = set()
        for move in list(board.legal_moves):
            board.push(move)
            if board.is_checkmate():
                expected.add((move.from_square, move.to_square))
            board.pop()
        assert found == expected, board.fen()
        found_any += bool(expected)
    assert found_any >= 10


def test_no_mate_is_threatened_while_the_opponent_is_in_check():
    board = chess.Board("6k1/5ppp/8/8/8/8/B7/3RK1R1 w - - 0 1")
    board.push_san("Rd8#")
    assert mates(board, W) == ()


def test_the_board_is_left_as_it_was():
    board = chess.Board("r1bqkbnr/pppp1ppp/8/n3p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 5 4")
    before = (board.fen(), len(board.move_stack))
    for colour in chess.COLORS:
        threats(board, colour)
    assert (board.fen(), len(board.move_stack)) == before
