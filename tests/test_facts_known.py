import itertools

import chess
import pytest
from chess.engine import Cp, PovScore

from chessgloss import assets
from chessgloss.facts import endings, gather, known, openings
from chessgloss.facts.records import KNOWN_KINDS
from chessgloss.positions import MoveInContext, Position, read_fen, read_move
from scripts import or_skip, refuses, selfplay

PAWN, KING, OTHER = (chess.Piece.from_symbol(letter) for letter in "PKk")

#: What must hold of a position, and below it the same position but for a detail, where it must
#: not: kind, time, side, squares, value; position and move.
TWINS = """
ending before | nobody | - | rook ending
    8/5k2/8/8/8/8/R3P3/4K2r w - - 0 1 | Kd2
    8/5k2/5n2/8/8/8/R3P3/4K2r w - - 0 1 | Kd2
ending before | nobody | - | ending with opposite-coloured bishops
    8/2b2k2/8/8/8/8/2B1P3/4K3 w - - 0 1 | Kd1
    2b5/5k2/8/8/8/8/2B1P3/4K3 w - - 0 1 | Kd1
theory before | White | - | win, Lucena position
    1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1 | Rc4
    1K1k4/1P6/8/8/8/8/r7/4R3 w - - 0 1 | Re4
theory before | Black | - | win, Lucena position
    2r5/R7/8/8/8/8/1p6/1k1K4 b - - 0 1 | Rc5
    2r5/2R5/8/8/8/8/1p6/1k1K4 b - - 0 1 | Ra8
theory after | nobody | - | draw, Philidor position
    3k4/8/8/8/1r1PK3/8/8/R7 b - - 0 1 | Rb6
    4k3/8/8/8/1r1PK3/8/8/R7 b - - 0 1 | Rb6
theory before | nobody | - | draw, wrong bishop
    k7/8/8/P7/1K6/8/8/2B5 w - - 0 1 | Kb5
    k7/8/8/P7/1K6/8/8/3B4 w - - 0 1 | Kb5
theory before | nobody | - | draw, wrong bishop
    k7/8/P7/P7/PK6/8/8/2B5 w - - 0 1 | Kb5
    k7/8/P7/P7/PK5p/8/8/2B5 w - - 0 1 | Kb5
theory before | nobody | - | draw, insufficient material
    4k3/8/8/8/8/8/8/4KN2 w - - 0 1 | Kd2
    4k3/8/8/8/8/8/4P3/4KN2 w - - 0 1 | Kd2
theory before | White | - | win, KPK
    8/8/4k3/8/4K3/4P3/8/8 b - - 0 1 | Kd6
    8/8/4k3/8/4K3/4P3/8/8 w - - 0 1 | Kd4
opposition before | White | e4 e6 | direct
    8/8/4k3/8/4K3/4P3/8/8 b - - 0 1 | Kd6
    8/8/5k2/8/4K3/4P3/8/8 b - - 0 1 | Ke6
opposition before | White | d5 d1 | distant
    8/8/8/3K4/8/8/4P3/3k4 b - - 0 1 | Kd2
    8/8/8/3K4/8/8/3kP3/8 b - - 0 1 | Ke3
key_square before | White | b7 a4 | None
    8/1K6/8/8/P7/8/8/3k4 w - - 0 1 | a5
    8/8/1K6/8/P7/8/8/1k6 w - - 0 1 | Kb7
outside_square before | White | a5 e5 a8 | None
    8/8/8/P3k3/8/8/8/K7 w - - 0 1 | a6
    8/8/8/P3k3/8/8/8/K7 b - - 0 1 | Kd6
stalemating_move before | White | g5 g6 | g5g6
    7k/5K2/8/6Q1/8/8/8/8 w - - 0 1 | Qh5+
    7k/p4K2/8/6Q1/8/8/8/8 w - - 0 1 | Qh5+
underpromotion move | White | f7 f8 | stalemate
    8/5P1k/8/6K1/8/8/8/8 w - - 0 1 | f8=R
    8/5P1k/8/8/6K1/8/8/8 w - - 0 1 | f8=R
underpromotion move | White | f7 f8 | mate
    6nr/5Ppk/7p/8/8/8/8/1K6 w - - 0 1 | f8=N
    r5nr/5Ppk/7p/8/8/8/8/1K6 w - - 0 1 | f8=N
underpromotion move | White | e7 e8 | mated
    8/2k1P3/8/8/8/6qp/8/7K w - - 0 1 | e8=N
    8/2k1P3/8/8/8/6q1/8/7K w - - 0 1 | e8=N
underpromotion move | White | e7 e8 | fork
    8/2k1P1q1/8/8/8/8/8/1K6 w - - 0 1 | e8=N
    8/2k1P2q/8/8/8/8/8/K7 w - - 0 1 | e8=N
underpromotion move | White | e7 e8 | check
    8/2k1P3/8/8/8/8/8/K7 w - - 0 1 | e8=N
    8/1k2P3/8/8/8/8/8/K7 w - - 0 1 | e8=N
fifty_moves move | nobody | - | 100
    8/5k2/8/8/8/8/R3P3/4K2r w - - 99 120 | Kd2
    8/5k2/8/8/8/8/R3P3/4K2r w - - 98 120 | Kd2
"""


def twins():
    lines = iter(TWINS.strip().splitlines())
    for wanted, *pair in zip(lines, lines, lines, strict=True):
        parts = (line.strip().split(" | ") for line in pair)
        yield (wanted, *(read_move(read_fen(fen), san) for fen, san in parts))


def outlines(move: MoveInContext) -> list[str]:
    """Facts as they stand in the table."""
    sides = {None: "nobody", chess.WHITE: "White", chess.BLACK: "Black"}
    rows = []
    for fact in gather(move).of(*KNOWN_KINDS):
        value = (
            ", ".join(fact.value) if isinstance(fact.value, tuple) else str(fact.value)
        )
        where = " ".join(fact.squares) or "-"
        rows.append(f"{fact.kind} {fact.when} | {sides[fact.side]} | {where} | {value}")
    return rows


@pytest.fixture(scope="module")
def tables() -> None:
    or_skip(assets.locate, "gaviota")


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(("wanted", "move", "twin"), [*twins()])
def test_what_holds_does_not_hold_of_the_twin(wanted, move, twin):
    assert wanted in outlines(move) and wanted not in outlines(twin)


def test_what_needs_the_tablebase_is_left_out_without_it(monkeypatch):
    monkeypatch.setattr(endings, "_tablebase", lambda: None)
    facts = outlines(read_move(read_fen("8/8/4k3/8/4K3/4P3/8/8 b - - 0 1"), "Kd6"))
    assert facts == [
        f"ending {when} | nobody | - | pawn ending" for when in ("before", "after")
    ]


# ---------------------------------------------------------------- rules against a tablebase


@pytest.mark.usefixtures("tables")
def test_from_a_key_square_the_king_wins_and_elsewhere_it_may_not():
    """With a pawn on the c- or d-file, ranks 2 to 6, and the other king on the last rank."""
    on_key, drawn_elsewhere = 0, 0
    pawns = (chess.square(file, rank) for file in (2, 3) for rank in range(1, 6))
    others = chess.SquareSet(chess.BB_RANK_8)
    for pawn, king, other in itertools.product(pawns, range(64), others):
        keys = endings.key_squares(pawn, chess.WHITE)
        board = chess.Board(None)
        board.set_piece_map({pawn: PAWN, king: KING, other: OTHER})
        if len(board.piece_map()) < 3 or not board.is_valid():
            continue
        winner = endings.theory(board).winner
        if king in keys:
            on_key += 1
            assert winner == chess.WHITE, board.fen()
        drawn_elsewhere += king not in keys and winner is None
    assert min(on_key, drawn_elsewhere) > 100


# ---------------------------------------------------------------- openings


def played(moves: str) -> Position:
    board = chess.Board()
    return Position.after([board.push_san(san).uci() for san in moves.split()])


def test_an_opening_has_its_name_in_any_order_of_moves_and_keeps_it():
    nimzo = openings.opening(played("d4 Nf6 c4 e6 Nc3 Bb4"))
    assert (
        nimzo
        == openings.opening(played("c4 Nf6 Nc3 e6 d4 Bb4"))
        == ("E20", "Nimzo-Indian Defense")
    )
    left = played("e4 e5 Nf3 Nc6 Bb5 h5 h4")
    assert openings.opening(left) == ("C60", "Ruy Lopez")
    assert openings.opening(Position(left.fen)) is None  # by itself it has no name
    assert openings.opening(played("Nf3 Nf6 Ng1 Ng8 " * 8)) is None  # in the 17th move


def test_a_move_that_enters_a_named_line_says_so():
    entered, before = gather(read_move(played("e4 e5 Nf3 Nc6"), "Bb5")).of("opening")
    assert (entered.when, entered.value[1]) == ("move", "Ruy Lopez")
    assert before.value[1] == "King's Knight Opening: Normal Variation"


# ---------------------------------------------------------------- histories and lines


def test_repetitions_are_those_of_the_rules():
    for game in selfplay(3):
        board = chess.Board(game.root)
        for ply, uci in enumerate(game.moves):
            board.push_uci(uci)
            expected = max(n for n in range(1, 6) if board.is_repetition(n))
            move = MoveInContext(game.position(ply), uci)
            assert known.repetitions(move) == expected


#: White to move: from e8 and h5 the queen checks for ever.
CHECKS = "6k1/6p1/8/7Q/8/8/rr6/6K1 w - - 0 1"
LINE = ("h5e8", "g8h7", "e8h5", "h7g8")


def test_a_perpetual_check_comes_round_with_check_at_each_move():
    fact = known.perpetual(chess.Board(CHECKS), LINE, "after")
    assert (fact.side, fact.squares, fact.value) == (chess.WHITE, ("e8", "g8"), LINE)
    behind = chess.Board(CHECKS)
    behind.push_uci(LINE[0])
    assert known.perpetual(behind, (*LINE[1:], LINE[0]), "after").side == chess.WHITE
    # With a pawn on h6 the queen gives no check on h5.
    for fen, line in ((CHECKS, LINE[:3]), (CHECKS.replace("/8/7Q", "/7p/7Q"), LINE)):
        assert known.perpetual(chess.Board(fen), line, "after") is None
    board = chess.Board(CHECKS)
    refuses(ValueError, "illegal", known.perpetual, board, ["h5a4"], "after")


def test_zugzwang_is_what_a_pass_would_save():
    trebuchet = chess.Board("8/8/8/3pK3/2kP4/8/8/8 w - - 0 60")
    check = chess.Board("8/8/8/3pK3/2kP4/8/8/4r3 w - - 0 60")
    lost = PovScore(Cp(900), chess.BLACK)
    won = PovScore(Cp(900), chess.WHITE)
    fact = known.zugzwang(trebuchet, lost, won, "after")
    assert (fact.side, fact.squares) == (chess.WHITE, ("e5",))
    assert fact.value > 0.9
    for asked in ((trebuchet, won, won), (trebuchet, won, lost), (check, lost, won)):
        assert known.zugzwang(*asked, "after") is None
