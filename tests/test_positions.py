"""Records, their readers (FEN, SAN, UCI, PGN), and the split."""

import chess.pgn
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
    assert history.is_repetition(2) == board.is_repetition(2)
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
    for fen in ("", "4k3/8/8/8/8/8/8/8", "not a fen at all x y"):
        with pytest.raises(positions.PositionError):
            positions.repair_fen(fen)


@pytest.mark.parametrize(
    "text", ["Bd3", "e2e4", "O-O", "", "31. Kg3", "knight to f6", "0000"]
)
def test_illegal_moves_name_the_move_the_side_and_the_position(text):
    position = positions.repair_fen(FIGURE_A1).position
    said = refuses(
        positions.MoveError, "not a legal", positions.read_move, position, text
    )
    assert f"{text!r} is not a legal move for Black" in said


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
    with pytest.raises(positions.PositionError, match="do not lead"):
        positions.Position(chess.STARTING_FEN, ("e2e4",))


def test_a_game_gives_its_positions_and_checks_its_moves():
    game = positions.Game(("e2e4", "e7e5", "g1f3"), "*")
    assert (game.fens()[2], len(game.fens())) == (game.position(2).fen, 4)
    refuses(IndexError, "3 plies", game.position, 4)
    for illegal in ("e2e4", "0000"):
        with pytest.raises(positions.MoveError, match=f"ply 1: '{illegal}'"):
            positions.Game(("e2e4", illegal), "*").position(2)
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


# ---------------------------------------------------------------- PGN

GOOD = '[Event "a"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 {a {good move} (2. f4 exf4) Nc6 1-0\n\n'
OTHER = '[Event "b"]\n[Result "*"]\n\n1. d4 $1 d5 *\n\n'


#: Fool's mate.
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


def read(text: str) -> list[positions.PgnGame]:
    return list(positions.read_pgn(text.encode()))


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('[Event "x"]\n\n1. e4 e5 2. Ke3 *\n\n', "illegal san: 'Ke3'"),
        ('[Event "x"]\n\n1. e4 e5 (1... Kd4) 2. d4 *\n\n', "illegal san: 'Kd4'"),
        (
            '[Event "x"]\n[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *\n\n',
            "bad FEN header",
        ),
        ('[Event "x"]\n[FEN "hello"]\n\n1. e4 *\n\n', "bad FEN header"),
        ('[Event "x"]\n[Variant "Chess960"]\n\n1. e4 *\n\n', "variant 'Chess960'"),
        ('[Event "x"]\n[Variant "Antichess"]\n\n1. e4 *\n\n', "variant 'Antichess'"),
        ('[Event "x"]\n[Variant "Fairy"]\n\n1. e4 *\n\n', "variant: Fairy"),
        ('[Event "x"]\n\n*\n\n', "no moves"),
        ('[Event "x"]\n\n1. e4 Xf6 2. d4 *\n\n', "unreadable text 'X'"),
        ('[Event "x"]\n\n1. e4 e5 2. N\n\n', "unreadable text 'N'"),
        ('[Event "x"]\n\n1. e4 e5 (1... c5 2. d4 *\n\n', "variation is not closed"),
        (
            '[Event "x"]\n[Result "0-1"]\n\n1. e4 e5\n\n',
            "cut off: the moves do not end",
        ),
        ('[Event "x"]\n[White "y\n\n1. e4 e5 *\n\n', "damaged header '[White \"y'"),
        ('[Event "x"]\n\n1. e4 e5) 2. d4 d5 *\n\n', "not opened"),
        ('[Event "x"]\n\n1. e5 (1. d4) (1. c4) *\n\n', "illegal san: 'e5'"),
        ('[Event "x"]\n\n1. e4 -- 2. d4 *\n\n', "null move"),
    ],
)
def test_a_bad_game_is_named_and_its_neighbours_survive(bad, reason):
    first, second, third = read(GOOD + bad + OTHER)
    assert reason in second.problem and (
        first.problem,
        third.problem,
        third.number,
    ) == ("", "", 3)
    assert third.game.headers["Event"] == "b"


def test_a_comment_that_is_not_closed_swallows_the_rest():
    first, second = read(GOOD + "1. e4 {never closed e5 2. d4 *\n\n" + OTHER)
    assert (first.problem, second.problem) == ("", "cut off: a comment is not closed")


def test_a_fen_header_is_mended_by_rule_and_that_is_said():
    (game,) = read('[FEN "4k3/8/8/8/8/8/8/4K2R w KQ -"]\n\n1. O-O *\n')
    assert (game.game.board().fen(), len(game.repairs)) == (
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        3,
    )


def test_number_and_line_lead_to_the_game(tmp_path):
    path = tmp_path / "three.pgn"
    data = (
        (GOOD + '\n[Event "x"]\n\n1. e5 *\n\n' + OTHER).replace("\n", "\r\n").encode()
    )
    path.write_bytes(b"\xef\xbb\xbf" + data)
    lines = data.split(b"\r\n")
    games = list(positions.read_pgn(path))
    assert [game.number for game in games] == [1, 2, 3]
    assert [lines[game.line - 1][8:9] for game in games] == [b"a", b"x", b"b"]
    assert [bool(game.problem) for game in games] == [False, True, False]


def test_latin_1_is_read_and_utf_16_refused_with_its_remedy():
    (game,) = positions.read_pgn(
        '[White "Gr\xfcnfeld"]\n\n1. d4 *\n\n'.encode("latin-1")
    )
    assert game.game.headers["White"] == "Gr\xfcnfeld"
    refuses(
        positions.PgnError,
        "save it as UTF-8",
        list,
        positions.read_pgn(GOOD.encode("utf-16")),
    )


def test_figurines_are_read_as_letters_among_the_moves_alone():
    (game,) = read(
        '[White "♘"]\n\n1. ♙e4 e5 2. ♘f3 {♘f3 is good} ♞c6 (2... ♛h4 3. ♘xh4) 3. ♗b5 *'
    )
    assert [move.uci() for move in game.game.mainline_moves()][2:] == [
        "g1f3",
        "b8c6",
        "f1b5",
    ]
    assert (game.problem, game.game.headers["White"]) == ("", "♘")
    assert game.game.next().next().next().comment == "♘f3 is good"


@pytest.mark.parametrize(
    ("fen", "text", "words"),
    [
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8", "names its piece"),
        (MATED, "e4", "the game is over"),
        (chess.STARTING_FEN, "x" * 9_000, "xxx[.][.][.]' is not"),
    ],
)
def test_a_move_that_is_not_legal_is_refused_with_a_hint(fen, text, words):
    read = positions.read_move
    position = positions.Position(fen)
    assert len(refuses(positions.MoveError, words, read, position, text)) < 200


def test_a_line_without_end_is_refused_with_its_limit():
    refuses(
        positions.PgnError,
        r"over 131,072 characters; break it up",
        read,
        "{;}" * 50_000,
    )


@pytest.mark.parametrize("text", ["{\n" * 400_000, "1. e4 " + "." * 100_000])
def test_what_repeats_is_gone_through_once(text):
    """Of a size that takes minutes where each repeat looks through the rest again."""
    assert [game.line for game in read(text)] == [1]


def test_escapes_and_comments_between_and_in_games_do_no_harm():
    text = "; before\n\n1. e4\n% 1. d4\n; aside\ne5 {two\n\nlines} 2. d4 e.p. *\n\n; behind\n"
    (game,) = read(text)
    assert game.problem == ""
    assert [move.uci() for move in game.game.mainline_moves()] == [
        "e2e4",
        "e7e5",
        "d2d4",
    ]
    assert read("\n \n") == []
