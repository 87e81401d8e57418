"""Records, their readers (FEN, SAN, UCI), and the split."""

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chessgloss import positions
from scripts import refuses

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
def test_every_reachable_position_and_its_moves_read_back_as_python_chess_writes_them(
    board,
):
    assert positions.read_fen(board.fen()).fen == board.fen()
    assert positions.repair_fen(board.fen()).repairs == ()
    history = positions.Position.after(move.uci() for move in board.move_stack).board()
    assert history.move_stack == board.move_stack
    position = positions.Position(board.fen())
    for move in board.legal_moves:
        san = board.san(move)
        number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
        for text in (san, f"{number} {san}", f"{number}{san}", move.uci()):
            assert positions.read_move(position, text).uci == move.uci()


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
    refuses(positions.PositionError, word, positions.read_fen, fen)


def test_repairs_follow_the_stated_rules_and_say_so():
    repaired = positions.repair_fen("r3k3/8/8/8/8/8/8/4K2R b KQq e3")
    assert repaired.position.fen == "r3k3/8/8/8/8/8/8/4K2R b Kq - 0 1"
    assert [repair.split(" ")[0] for repair in repaired.repairs] == [
        "halfmove",
        "move",
        "castling",
        "en",
    ]
    for fen in ("", "4k3/8/8/8/8/8/8/8", "not a fen at all x y", f"{ITALIAN[:-4]} x y"):
        with pytest.raises(positions.PositionError):
            positions.repair_fen(fen)


def test_moves_read_as_books_print_them_and_an_ambiguous_one_asks_for_the_square():
    position = positions.read_fen("4k3/P7/8/8/8/7N/8/4K2R w K - 0 1")
    for text, uci in (
        ("♘f2", "h3f2"),
        ("1. ♞f2!", "h3f2"),
        ("0-0", "e1g1"),
        ("a8=♕+", "a7a8q"),
    ):
        assert positions.read_move(position, text).uci == uci
    with pytest.raises(positions.MoveError, match="ambiguous"):
        positions.read_move(
            positions.Position("4k3/8/8/8/8/8/4K3/R6R w - - 0 1"), "Rd1"
        )


def test_after_a_move_the_history_is_one_longer():
    after = positions.read_move(positions.Position.after(["e2e4"]), "c5").after()
    assert after.moves == ("e2e4", "c7c5")
    unknown = positions.Position("4k3/8/8/8/8/8/4K3/R6R w - - 0 1")
    assert positions.read_move(unknown, "Ra8+").after().root == unknown.fen
    wrong = (chess.STARTING_FEN, ("e2e4",))
    refuses(positions.PositionError, "do not lead", positions.Position, *wrong)


def test_a_game_gives_its_positions_and_checks_its_moves():
    game = positions.Game(("e2e4", "e7e5", "g1f3"), "*")
    assert (game.fens()[2], len(game.fens())) == (game.position(2).fen, 4)
    refuses(IndexError, "3 plies", game.position, 4)
    for illegal in ("e2e4", "0000"):
        wrong = positions.Game(("e2e4", illegal), "*")
        refuses(positions.MoveError, f"ply 1: '{illegal}'", wrong.position, 2)
    refuses(ValueError, "result", positions.Game, (), "1-1")


def test_the_split_depends_on_the_moves_alone_and_has_its_shares():
    game = positions.Game(("e2e4", "e7e5"), "1-0", white="A")
    assert game.split == positions.Game(game.moves, "0-1", white="B").split
    parts = [positions.split_of(str(number)) for number in range(5_000)]
    assert 0.77 < parts.count("train") / 5_000 < 0.83
    assert 0.08 < parts.count("validation") / 5_000 < 0.12
    # Pinned: another split would silently move games between train and test.
    assert [positions.split_of(key) for key in "abcden"] == ["train"] * 4 + [
        "test",
        "validation",
    ]


#: Fool's mate.
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


@pytest.mark.parametrize(
    ("fen", "text", "words"),
    [
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8", "names its piece"),
        (MATED, "e4", "the game is over"),
        (MATED, "0000", "'0000' is not a legal move for White"),
        (chess.STARTING_FEN, "O-O", "'O-O' is not a legal move for White"),
        (chess.STARTING_FEN, "knight to f6", "not a legal move"),
        (chess.STARTING_FEN, "x" * 9_000, "xxx[.][.][.]' is not"),
    ],
)
def test_a_move_that_is_not_legal_is_refused_with_a_hint(fen, text, words):
    read = positions.read_move
    position = positions.Position(fen)
    assert len(refuses(positions.MoveError, words, read, position, text)) < 200


# ---------------------------------------------------------------- FEN and SAN as people have them

#: A position with castling that is possible for both sides.
ITALIAN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 2 3"


@pytest.mark.parametrize(
    ("text", "fen", "repairs"),
    [
        (f'{ITALIAN} bm Qh5; id "x.1";', ITALIAN, 1),
        (FIGURE_A1, f"{FIGURE_A1[:-1]}1", 1),
        (f"{ITALIAN[:-4]} acd 12;", f"{ITALIAN[:-4]} 0 1", 3),
        (f"{ITALIAN[:-4]}", f"{ITALIAN[:-4]} 0 1", 2),
    ],
)
def test_operations_of_epd_are_left_out_and_that_is_said(text, fen, repairs):
    read = positions.repair_fen(text)
    assert (read.position.fen, len(read.repairs)) == (fen, repairs)
    assert ("EPD" in read.repairs[0]) == (";" in text)


@pytest.mark.parametrize(
    ("fen", "square"),
    [
        ("k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1", "d6"),  # check by a knight
        ("4k3/8/8/2pP4/8/8/8/4K2r w - c6 0 1", "c6"),  # check along the rank
        ("4k3/8/8/2pP4/b7/8/8/3K4 w - c6 0 1", "c6"),  # check along a diagonal
        ("4k3/8/8/8/2Pp4/8/4R3/4K3 b - c3 0 1", "c3"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "e6"),  # no pawn
    ],
)
def test_an_impossible_en_passant_square_is_named(fen, square):
    read = positions.repair_fen(fen)
    assert read.repairs == (f"en passant square {square} removed",)
    assert read.position.fen.split()[3] == "-"


@pytest.mark.parametrize(
    ("fen", "text", "wrong"),
    [
        (chess.STARTING_FEN, "Nxf3", True),
        (chess.STARTING_FEN, "Nf3#", True),
        (chess.STARTING_FEN, "g1f3", False),
        (chess.STARTING_FEN, "1. Ng1-f3!", False),
        ("4k3/8/8/8/5p2/8/8/4KR2 w - - 0 1", "Rf4", True),
        ("4k3/8/8/8/5p2/8/8/4KR2 w - - 0 1", "Rxf4", False),
        ("4k3/8/8/8/5p2/8/8/4KR2 w - - 0 1", "Rf1-f4", False),
        ("4k3/8/8/8/8/8/8/4KR2 w - - 0 1", "Rf8", False),  # the check is left out
        ("4k3/8/8/8/8/8/8/4KR2 w - - 0 1", "Rf8#", True),
        ("6k1/5ppp/8/8/8/8/8/4K2R w K - 0 1", "O-O+", True),
        ("4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1", "dxc6 e.p.", False),
    ],
)
def test_san_that_says_what_the_move_does_not_do_is_told(fen, text, wrong):
    read = positions.read_move(positions.Position(fen), text)
    assert positions.misnoted(read, text) == wrong
