import re
from functools import cache
from itertools import filterfalse, product

import chess
import pytest

from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics
from scripts import selfplay

W, B = chess.WHITE, chess.BLACK


@cache
def selfplay_boards(count: int) -> tuple[chess.Board, ...]:
    fens = (fen for game in selfplay(count // 8) for fen in game.fens()[3::7])
    return tuple(chess.Board(fen) for fen, _ in zip(fens, range(count), strict=False))


def squares(*numbers: chess.Square) -> str:
    return " ".join(chess.square_name(one) for one in numbers)


# ---------------------------------------------------------------- attacks and defences


def test_unbarred_attacks_are_the_legal_captures():
    for board in selfplay_boards(600):
        if not board.is_check():
            pairs = boards.attacks(board, board.turn)
            found = {(pair.square, pair.target) for pair in pairs if not pair.barred}
            legal = board.generate_legal_captures()
            ordinary = (move for move in legal if not board.is_en_passant(move))
            assert found == {(move.from_square, move.to_square) for move in ordinary}


def test_absolute_pins_are_those_of_the_rules():
    for board in selfplay_boards(1_000):
        for colour in chess.COLORS:
            own = chess.SquareSet(board.occupied_co[colour] & ~board.kings)
            expected = [square for square in own if board.is_pinned(colour, square)]
            absolute = {
                one.front for one in tactics.pins(board, not colour) if one.absolute
            }
            assert sorted(absolute) == expected


# ---------------------------------------------------------------- pawns, files and kings


def test_pawns_are_passed_doubled_and_isolated_by_the_files_around_them():
    """Pieces in the way do not matter, nor a pawn of the same side in front."""
    for board, colour in product(selfplay_boards(300), chess.COLORS):
        own = [*board.pieces(chess.PAWN, colour)]
        other = [*board.pieces(chess.PAWN, not colour)]
        step = 1 if colour else -1
        passed, doubled, isolated = [], [], []
        for pawn in own:
            rank = pawn // 8
            ahead = [each for each in other if (each // 8 - rank) * step > 0]
            beside = {abs(each % 8 - pawn % 8) for each in own if each != pawn}
            passed += [pawn] * all(abs(each % 8 - pawn % 8) > 1 for each in ahead)
            doubled += [pawn] * (0 in beside)
            isolated += [pawn] * (1 not in beside)
        assert [*boards.passed(board, colour)] == passed
        assert [*boards.doubled(board, colour)] == doubled
        assert [*boards.isolated(board, colour)] == isolated


def test_open_and_half_open_files():
    board = chess.Board("3rk3/pp3p2/8/8/8/8/PP2P3/3RK2R w - - 0 1")
    assert [*boards.open_files(board)] == [2, 3, 6, 7]
    assert [*boards.half_open_files(board, W)] == [5]
    assert [*boards.half_open_files(board, B)] == [4]
    assert squares(*boards.heavy_pieces(board, B, 3)) == "d8"


@pytest.mark.parametrize(
    ("fen", "colour", "pawns"),
    [
        ("4k3/8/8/8/8/6P1/5P1P/6K1 w - - 0 1", W, "f2 h2 g3"),
        # A pawn three ranks ahead shelters no more; pawns beside or behind the king do not.
        ("4k3/8/8/8/6P1/8/5P1P/6K1 w - - 0 1", W, "f2 h2"),
        ("8/4k3/3ppp2/8/8/8/8/4K3 w - - 0 1", B, "d6 e6 f6"),
        ("4k3/8/8/3PKP2/3P4/8/8/8 w - - 0 1", W, ""),
    ],
)
def test_king_shelter(fen, colour, pawns):
    board = chess.Board(fen)
    king, found = boards.shelter(board, colour)
    assert (king, squares(*found)) == (board.king(colour), pawns)


# ---------------------------------------------------------------- exchanges

#: Position, move in SAN, what the exchange wins the mover in pawns, and why.
EXCHANGES = [
    ("3qk3/3r4/8/3p4/8/3R4/3Q4/4K3 w - - 0 1", "Rxd5", -4, "the defender is cheaper"),
    (
        "8/8/3k4/4p3/8/5N2/1B6/4K3 w - - 0 1",
        "Nxe5+",
        1,
        "a king cannot take what is guarded",
    ),
    (
        "4k3/4n3/8/3p4/8/8/4R3/3RK3 w - - 0 1",
        "Rxd5",
        1,
        "the defender is pinned to its king",
    ),
    (
        "4k3/4r3/8/8/4p3/8/4R3/4RK2 w - - 0 1",
        "Rxe4",
        1,
        "a pinned rook may take along its pin",
    ),
    ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=Q+", 13, "rook and promotion"),
    (
        "4k3/P7/8/8/8/8/4K3/r7 w - - 0 1",
        "a8=Q+",
        -1,
        "a quiet promotion that loses the pawn",
    ),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", 1, "en passant"),
    ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", 0, "en passant, taken back"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", 0, "castling exchanges nothing"),
]


def taken_by(board: chess.Board, move: chess.Move) -> int:
    """The same exchange by trying every legal capture on the square, pass allowed."""
    victim = board.piece_type_at(move.to_square)
    won = tactics.VALUES[victim] if victim else int(board.is_en_passant(move))
    won += tactics.VALUES[move.promotion] - 1 if move.promotion else 0
    board.push(move)
    again = board.generate_legal_captures(to_mask=chess.BB_SQUARES[move.to_square])
    answers = [
        a for a in again if a.to_square == move.to_square and a.promotion in (None, 5)
    ]
    won -= max(0, 0, *(taken_by(board, answer) for answer in answers))
    board.pop()
    return won


@pytest.mark.parametrize(
    ("fen", "san", "worth", "why"), EXCHANGES, ids=[e[3] for e in EXCHANGES]
)
def test_exchanges_worked_out_by_hand(fen, san, worth, why):
    board = chess.Board(fen)
    move = board.parse_san(san)
    turned = chess.Move(move.from_square ^ 56, move.to_square ^ 56, move.promotion)
    assert (
        tactics.exchange(board, move)
        == tactics.exchange(board.mirror(), turned)
        == worth
    )


def test_exchanges_are_what_a_search_of_all_legal_captures_finds():
    """Taking with the cheapest piece is best play in (nearly) all of 6,000 moves."""
    asked = differing = 0
    for board in selfplay_boards(220):
        for move in filterfalse(board.is_castling, board.legal_moves):
            asked += 1
            differing += tactics.exchange(board, move) != taken_by(board, move)
    assert asked > 5_000 and differing <= asked / 2_000


def test_captures_on_the_own_turn_are_the_legal_ones():
    for board in selfplay_boards(300):
        legal = {(m.from_square, m.to_square) for m in board.generate_legal_captures()}
        found = tactics.captures(board, board.turn)
        assert {(one.from_square, one.to_square) for one in found} == legal
        assert all(one.gain == tactics.exchange(board, one.move) for one in found)
        if not board.is_check():
            board.push(chess.Move.null())
            seen = tactics.captures(board, not board.turn)
            assert seen == tuple(one for one in found if one.to_square == one.square)
            board.pop()


# ---------------------------------------------------------------- what is found

#: What is sought, where, of which side, what is found, and above it why.
FOUND = """
hanging | 4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1 | Black | d5 1
hanging | 4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1 | Black |
# A pawn that has just made its double step, before a pawn that may take it.
hanging | 4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1 | Black | d5 1
hanging | 4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1 | Black |
# In check from f6, Black may not take on d7, with the bishop or the king.
hanging | 2b1k2r/1p1N4/5N2/8/8/8/8/4K3 b - - 0 1 | White |
hanging | 2b1k2r/1p1N4/8/8/8/8/8/4K3 b - - 0 1 | White | d7 3
# A check that stands does not make everything hang: the rook on c8 defends that on a8.
hanging | r1r4k/8/6N1/8/8/8/8/R3K3 b - - 0 1 | Black |
# A knight forks king and rook; the queen on c2 is out of its reach.
fork | r3k3/2N5/8/8/8/8/2q5/4K3 b - - 0 1 | White | c7 e8 a8
# The same fork where nothing takes the knight: it is safe.
fork | r3k3/2N5/8/8/8/8/8/4K3 b - - 0 1 | White | c7 e8 a8 safe
# A pawn forks two defended knights: both are worth more.
fork | 4k3/2p3p1/3n1n2/4P3/8/8/8/4K3 b - - 0 1 | White | e5 d6 f6 safe
# A queen and two defended pieces: nothing is worth taking.
fork | 4k3/2p1p3/1n3n2/8/3Q4/8/8/4K3 w - - 0 1 | White |
fork | 4k3/8/1n3n2/8/3Q4/8/8/4K3 w - - 0 1 | White | d4 b6 f6 safe
# A king forks no guarded piece.
fork | 4k3/8/8/8/2r1b3/3K4/8/8 w - - 0 1 | White |
pin | 4k3/8/2n5/1B6/8/8/8/4K3 w - - 0 1 | White | b5 c6 e8 absolute
# Two pieces between: no pin.
pin | 3qk3/4p3/5n2/6B1/8/8/8/4K3 w - - 0 1 | White |
# A queen does not pin a knight to a rook that is defended.
pin | 2k3r1/7r/6n1/8/8/8/8/4K1Q1 w - - 0 1 | White | g1 g6 g8 relative
pin | 2k2rr1/8/6n1/8/8/8/8/4K1Q1 w - - 0 1 | White |
# A pawn that can only go along the file is not pinned to the rook behind it, but to a king.
pin | r3k3/p7/8/8/8/8/8/R3K3 w - - 0 1 | White |
pin | r3k3/p7/1N6/8/8/8/8/R3K3 w - - 0 1 | White | a1 a7 a8 relative
pin | 4k3/4p3/8/8/8/8/4R3/4K3 w - - 0 1 | White | e2 e7 e8 absolute
# The king must move and the queen behind it falls; queen before rook; two rooks.
skewer | 6q1/5k2/4B3/8/8/8/8/4K3 b - - 0 1 | White | e6 f7 g8 absolute
skewer | 4r2k/8/8/4q3/8/8/8/K3R3 w - - 0 1 | White | e1 e5 e8 relative
skewer | 7k/5r2/8/3r4/8/1B6/8/K7 w - - 0 1 | White | b3 d5 f7 relative
# The piece behind is defended and worth less, or is a pawn: nothing would be won.
skewer | 5bk1/4n3/8/4q3/8/8/8/1K2R3 w - - 0 1 | White |
skewer | 8/4p3/8/4k3/8/8/8/K3R3 b - - 0 1 | White |
# Scholar's mate threatened, and the pawn on e5 for the taking.
threat | r1bqkbnr/pppp1ppp/8/n3p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 5 4 | White |
    mate h5f7, capture c4f7 1, capture h5e5 1, capture h5f7 1
# A knight that checks still threatens the rook.
threat | r3k3/2N5/8/8/8/8/8/4K3 b - - 0 1 | White | capture c7a8 5
# Promotion: on an unguarded square only.
threat | 4k3/P7/8/8/8/8/8/4K3 b - - 0 1 | White | promotion a7a8q 8
threat | 4k3/P7/8/8/8/8/8/r3K3 w - - 0 1 | White |
"""


def words_of(kind: str, one) -> str:
    """What was found, as it stands in the table."""
    if kind == "hanging":
        return f"{squares(one.square)} {one.gain}"
    if kind == "fork":
        safe = " safe" if one.safe else ""
        return squares(one.square, *one.targets) + safe
    if kind == "threat":
        gain = f" {one.gain}" if one.gain else ""
        return f"{one.kind} {one.move.uci()}{gain}"
    sort = "absolute" if one.absolute else "relative"
    return f"{squares(*one[:3])} {sort}"


def seek(kind: str, board: chess.Board, side: chess.Color):
    """Find all of a kind."""
    if kind == "hanging":
        return tactics.hanging(board, side)
    if kind == "fork":
        return tactics.forks(board, side)
    if kind == "threat":
        return tactics.threats(board, side)
    pins, skewers = tactics.line_tactics(board, tactics.Exchanges(board, side))
    return pins if kind == "pin" else skewers


@pytest.mark.parametrize(
    "row", re.findall(r"(?m)^\w.*(?:\n .*)?", FOUND), ids=lambda row: row[:40]
)
def test_what_is_there_is_found_and_nothing_else(row):
    kind, fen, side, expected = re.split(r" \|\s+", f"{row} ", maxsplit=3)
    found = seek(kind, chess.Board(fen), side == "White")
    assert ", ".join(words_of(kind, one) for one in found) == expected.strip()


# ---------------------------------------------------------------- discovered attacks


@pytest.mark.parametrize(
    ("fen", "san", "expected"),
    [
        # The bishop leaves the file: the rook attacks the queen, undefended.
        ("6k1/4q3/8/8/8/4B3/8/4R1K1 w - - 0 1", "Bd4", ["e1 e7 9"]),
        # A defended pawn: the line opens, but nothing is won.
        ("4k3/3p4/4p3/8/8/4B3/8/4R1K1 w - - 0 1", "Bd4", ["e1 e6 -4"]),
        # En passant clears two pawns from the fifth rank.
        ("4k3/8/8/R2pP2r/8/8/8/4K3 w - d6 0 1", "exd6", ["a5 h5 5"]),
        # The moved piece's own new attacks do not count.
        ("4k3/8/8/8/2q5/8/8/R3K2R w - - 0 1", "Rh4", []),
    ],
)
def test_discovered_attacks(fen, san, expected):
    board = chess.Board(fen)
    found = tactics.discovered_attacks(board, board.parse_san(san))
    assert [
        f"{squares(square, target)} {gain}" for square, target, gain in found
    ] == expected


# ---------------------------------------------------------------- mates


def test_mates_are_found_as_by_trying_every_move():
    ends = (game.fens()[-4:-1] for game in selfplay(100))
    boards = [
        *(chess.Board(fen) for fens in ends for fen in fens),
        # Castling mates; a promotion mates.
        chess.Board("8/8/8/8/8/7p/4Q2P/k3K2R w K - 0 1"),
        chess.Board("5brk/4Pp1p/8/8/8/8/8/4K1R1 w - - 0 1"),
    ]
    found_any = 0
    for board in boards:
        # SAN marks mate with #.
        legal = [move for move in board.legal_moves if board.san(move).endswith("#")]
        expected = {(move.from_square, move.to_square) for move in legal}
        found = tactics.mates(board, board.turn)
        assert {(move.from_square, move.to_square) for move in found} == expected
        found_any += bool(expected)
    assert found_any >= 10
