from __future__ import annotations

import chess
import chess.engine
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chessgloss.engine import Analysis, Line
from chessgloss.positions import (
    CommentedMove,
    Game,
    MoveError,
    MoveInContext,
    Position,
    PositionError,
    read_fen,
    read_move,
    repair_fen,
    split_of,
)

# The position of the CCC paper's Figure A1, its counters as printed.
FIGURE_A1 = "8/3nk3/1p4pp/1N1P1p2/1bP2KP1/3P1P2/7P/8 b - - 0 0"


@st.composite
def random_games(draw: st.DrawFn) -> chess.Board:
    """A legal game of up to 60 plies as a board with its move stack."""
    board = chess.Board()
    for pick in draw(st.lists(st.integers(0, 10_000), max_size=60)):
        legal = list(board.legal_moves)
        if not legal:
            break
        board.push(legal[pick % len(legal)])
    return board


@settings(max_examples=60, deadline=None)
@given(random_games())
def test_every_reachable_fen_reads_back_as_python_chess_writes_it(board):
    assert read_fen(board.fen()).fen == board.fen()
    assert repair_fen(board.fen()).repairs == ()


@settings(max_examples=60, deadline=None)
@given(random_games())
def test_every_legal_move_reads_in_san_numbered_san_and_uci(board):
    position = Position(board.fen())
    for move in board.legal_moves:
        san = board.san(move)
        number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
        for text in (san, f"{number} {san}", f"{number}{san}", move.uci()):
            assert read_move(position, text).uci == move.uci()


@settings(max_examples=30, deadline=None)
@given(random_games())
def test_history_survives_and_gives_repetitions(board):
    moves = tuple(move.uci() for move in board.move_stack)
    position = Position.after(moves)
    assert position.board().move_stack == board.move_stack
    assert position.board().is_repetition(2) == board.is_repetition(2)


@pytest.mark.parametrize(
    ("fen", "word"),
    [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "no white king"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0", "5 of 6 fields"),
        ("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "cannot be read"),
        ("4k3/8/8/8/8/8/8/4K2R b KQ - 0 1", "castling"),
        ("k7/8/8/8/8/8/8/K6r b - - 0 1", "opposite check"),
        (FIGURE_A1, "counts moves from 0"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "pawns on backrank"),
    ],
)
def test_a_bad_fen_dies_at_the_door(fen, word):
    with pytest.raises(PositionError, match=word):
        read_fen(fen)


def test_a_record_refuses_a_fen_that_is_not_in_normal_form():
    with pytest.raises(PositionError, match="normal form"):
        Position(FIGURE_A1)


def test_repairs_follow_the_stated_rules_and_say_so():
    repaired = repair_fen("r3k3/8/8/8/8/8/8/4K2R b KQq e3")
    assert repaired.position.fen == "r3k3/8/8/8/8/8/8/4K2R b Kq - 0 1"
    assert [repair.split(" ")[0] for repair in repaired.repairs] == [
        "halfmove", "move", "castling", "en",
    ]  # fmt: skip


def test_the_placement_alone_is_enough_for_a_repair():
    repaired = repair_fen("4k3/8/8/8/8/8/8/4K3")
    assert repaired.position.fen == "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
    assert len(repaired.repairs) == 5


@pytest.mark.parametrize("fen", ["", "4k3/8/8/8/8/8/8/8", "not a fen at all x y"])
def test_what_no_rule_can_mend_is_refused(fen):
    with pytest.raises(PositionError):
        repair_fen(fen)


def test_the_papers_own_numbered_move():
    repaired = repair_fen(FIGURE_A1)
    assert repaired.repairs == ("move number 0 set to 1",)
    move = read_move(repaired.position, "30... Bd2+")
    assert (move.uci, move.san, move.mover) == ("b4d2", "Bd2+", chess.BLACK)
    assert move.numbered_san.endswith("... Bd2+")


@pytest.mark.parametrize("text", ["Bd3", "e2e4", "O-O", "", "31. Kg3", "knight to f6", "0000"])
def test_illegal_moves_name_the_move_the_side_and_the_position(text):
    position = repair_fen(FIGURE_A1).position
    with pytest.raises(MoveError) as caught:
        read_move(position, text)
    assert repr(text) in str(caught.value)
    assert "Black" in str(caught.value)


def test_an_ambiguous_move_asks_for_the_square():
    with pytest.raises(MoveError, match="ambiguous"):
        read_move(Position("4k3/8/8/8/8/8/4K3/R6R w - - 0 1"), "Rd1")


def test_a_null_move_is_no_move():
    with pytest.raises(MoveError):
        MoveInContext(Position(chess.STARTING_FEN), "0000")


def test_after_a_move_the_history_is_one_longer():
    after = read_move(Position.after(["e2e4"]), "c5").after()
    assert after.moves == ("e2e4", "c7c5")
    unknown = Position("4k3/8/8/8/8/8/4K3/R6R w - - 0 1")
    assert read_move(unknown, "Ra8+").after().root == unknown.fen


def test_a_history_that_leads_elsewhere_is_refused():
    with pytest.raises(PositionError, match="do not lead"):
        Position(chess.STARTING_FEN, ("e2e4",))


def test_a_comment_must_say_something():
    move = read_move(Position(chess.STARTING_FEN), "e4")
    assert CommentedMove(move, "Best by test.", "a lecture", 0).words == 3
    with pytest.raises(ValueError, match="empty"):
        CommentedMove(move, "  ", "a lecture", 0)


def test_an_analysis_must_be_seen_by_the_side_to_move():
    position = Position(chess.STARTING_FEN)
    score = chess.engine.PovScore(chess.engine.Cp(30), chess.WHITE)
    assert Analysis(position, (Line(("e2e4",), score, 9),), 500, "x").best.moves == ("e2e4",)
    black = chess.engine.PovScore(chess.engine.Cp(30), chess.BLACK)
    with pytest.raises(ValueError, match="side to move"):
        Analysis(position, (Line(("e2e4",), black, 9),), 500, "x")
    with pytest.raises(ValueError, match="game is over"):
        _ = Analysis(position, (), 0, "x").best


def test_a_game_gives_its_positions_and_checks_its_moves():
    game = Game(("e2e4", "e7e5", "g1f3"), "*")
    assert game.fens()[2] == game.position(2).fen
    assert len(game.fens()) == 4
    with pytest.raises(IndexError, match="3 plies"):
        game.position(4)
    with pytest.raises(MoveError, match="ply 1"):
        Game(("e2e4", "e2e4"), "*").check()
    with pytest.raises(MoveError, match="0000"):
        Game(("e2e4", "0000"), "*").check()
    with pytest.raises(ValueError, match="result"):
        Game((), "1-1")  # type: ignore[arg-type]


def test_the_split_depends_on_the_moves_alone_and_has_its_shares():
    game = Game(("e2e4", "e7e5"), "1-0", white="A")
    assert game.split == Game(game.moves, "0-1", white="B").split
    parts = [split_of(str(number)) for number in range(5_000)]
    assert 0.77 < parts.count("train") / 5_000 < 0.83
    assert 0.08 < parts.count("validation") / 5_000 < 0.12


def test_the_split_never_moves():
    """Pins the split: changing it would silently move games between train and test."""
    assert [split_of(key) for key in "abcden"] == ["train"] * 4 + ["test", "validation"]
