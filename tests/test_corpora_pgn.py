"""PGN files as people have them: damaged games named, results in any spelling, comments kept."""

import re

import chess.pgn
import pytest

from chessgloss.corpora import pgn
from chessgloss.notation import LANGUAGES
from scripts import selfplay

GOOD = '[Event "a"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 {a {good move} (2. f4 exf4) Nc6 1-0\n\n'
OTHER = '[Event "b"]\n[Result "*"]\n\n1. d4 $1 d5 *\n\n'


def read(text: str) -> list[pgn.PgnGame]:
    return list(pgn.read_pgn(text.encode()))


@pytest.mark.parametrize(
    ("together", "moves", "white"),
    [
        ('[Variant "Standard"] 1. e4 e5 2. Qh5 Ke7 3. Qxe5#\n\n', 5, "?"),
        ('[White "A"]1. e4 {good [x "y"] move} e5 *\n\n', 2, "A"),
        ('[White "the \\"A\\" team"]\n\n1. e4 *\n\n', 1, r"the \"A\" team"),
    ],
)
def test_a_header_may_stand_before_more_on_its_line(together, moves, white):
    first, second, third = read(GOOD + together + OTHER)
    assert not any(each.problem for each in (first, second, third))
    assert len([*second.game.mainline_moves()]) == moves
    assert second.game.headers["White"] == white
    assert (second.line, third.line) == (6, 6 + together.count("\n"))
    assert second.text == together.strip()


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('[Event "x"]\n\n1. e4 e5 2. Ke3 *\n\n', "illegal move 2. Ke3"),
        ('[Event "x"]\n\n1. e4 e5 (1... Kd4) 2. d4 *\n\n', "illegal move 1... Kd4"),
        (
            '[Event "x"]\n[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *\n\n',
            "bad FEN header",
        ),
        ('[Event "x"]\n[Variant "Chess960"]\n\n1. e4 *\n\n', "variant 'Chess960'"),
        ('[Event "x"]\n[Variant "Fairy"]\n\n1. e4 *\n\n', "variant: Fairy"),
        ('[Event "x"]\n[FEN "hello"]\n\n1. e4 *\n\n', "bad FEN header"),
        ('[Event "x"]\n\n1. e4 Xf6 2. d4 *\n\n', "unreadable text 'Xf6'"),
        ('[Event "x"]\n\n1. e4 e5 2. illegible Nc6 *\n\n', "unreadable text"),
        ('[Event "x"]\n\n1. e4 e5 (1... c5 2. d4 *\n\n', "variation is not closed"),
        ('[Event "x"]\n[Result "0-1"]\n\n1. e4 e5 2.\n\n', "cut off: behind the last"),
        ('[Event "x"]\n[White "y\n\n1. e4 e5 *\n\n', "damaged header '[White \"y'"),
        ('[Event "x"]\n\n1. e4 e5) 2. d4 d5 *\n\n', "not opened"),
    ],
)
def test_a_bad_game_is_named_and_its_neighbours_survive(bad, reason):
    first, second, third = read(GOOD + bad + OTHER)
    assert reason in second.problem
    assert (first.problem, third.problem, third.number) == ("", "", 3)
    assert third.game.headers["Event"] == "b"


@pytest.mark.parametrize("open_comment", ["{never closed e5 2. d4 *", "{{ e5 *"])
@pytest.mark.parametrize("behind", ["", "1. c4 {closed} c5 *\n\n"])
def test_a_comment_that_is_not_closed_costs_no_game_behind_it(open_comment, behind):
    text = f"{GOOD}1. e4 {open_comment}\n\n{OTHER}{behind}"
    first, second, third, *_ = read(text)
    assert (first.problem, third.problem) == ("", "")
    assert second.problem == "cut off: a comment is not closed"
    assert third.game.headers["Event"] == "b"


def test_a_fen_header_is_mended_by_rule_and_that_is_said():
    (game,) = read('[FEN "4k3/8/8/8/8/8/8/4K2R w KQ -"]\n\n1. O-O *\n')
    assert (game.game.board().fen(), len(game.repairs)) == (
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        3,
    )


def test_number_and_line_lead_to_the_game(tmp_path):
    path = tmp_path / "three.pgn"
    text = GOOD + '\n[Event "x"]\n\n1. e5 *\n\n' + OTHER
    lines = text.splitlines()
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    games = list(pgn.read_pgn(path))
    assert [game.number for game in games] == [1, 2, 3]
    assert [lines[game.line - 1][8] for game in games] == ["a", "x", "b"]
    assert [bool(game.problem) for game in games] == [False, True, False]


@pytest.mark.parametrize(
    ("text", "unplayed"),
    [
        ("1. e4 -- 2. d4 *", "a null move in the main line"),
        ("-- 1... e5 *", "no moves"),
        ("{ Black did not appear. } 1-0", "no moves"),
        ("1. e4 (1. -- e5) e5 *", ""),
    ],
)
def test_what_is_not_played_is_said_and_is_no_problem(text, unplayed):
    (game,) = read(f'[Event "x"]\n\n{text}\n')
    assert (game.problem, game.unplayed) == ("", unplayed)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf_16_is_read_and_said(encoding):
    (game,) = pgn.read_pgn('[White "Šahović"]\r\n\r\n1. d4 *\r\n'.encode(encoding))
    assert (game.game.headers["White"], game.repairs) == (
        "Šahović",
        ("read as UTF-16",),
    )


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_lines_end_as_on_any_system(ends):
    first, second = pgn.read_pgn((GOOD + OTHER).replace("\n", ends).encode())
    assert (first.problem, second.problem, second.line) == ("", "", 6)


def test_each_game_is_decoded_by_itself_and_that_is_said_of_it():
    good = '[White "Müller"]\n\n1. e4 {schön} e5 *\n\n'.encode()
    old = '[White "Grünfeld"]\n\n1. d4 {Weiß} d5 *\n\n'.encode("cp1252")
    first, second, third = pgn.read_pgn(good + old + good)
    assert second.game.headers["White"] == "Grünfeld"
    assert (first.repairs, third.repairs) == ((), ())
    assert "Windows-1252" in second.repairs[0]
    assert (third.line, third.game.next().comment) == (9, "schön")


# ---------------------------------------------------------------- results


#: The result of the header, the moves, the result that is read, and what is said of it.
RESULTS = """
- | 1. e4 e5 0-1 | 0-1 |
1-0 | 1. e4 e5 2. Qh5 Ke7 3. Qxe5# | 1-0 | no result behind the moves
- | 1. f3 e5 2. g4 Qh4# | 0-1 | checkmate on the board
1-0 | 1. e4 e5 {1-0} | 1-0 | stands in a comment
- | 1. e4 e5 {0-1 White resigns} | 0-1 | read from a comment
1/2 | 1. e4 e5 1/2 | 1/2-1/2 | '1/2' is read as 1/2-1/2
- | 1. e4 e5 ½-½ | 1/2-1/2 | '½-½' is read
- | 1. e4 e5 1 : 0 | 1-0 | '1 : 0' is read as 1-0
- | 1. e4 e5 0–1 | 0-1 | '0–1' is read as 0-1
0.5-0.5 | 1. e4 e5 | 1/2-1/2 | the file was cut off
1-0 | 1. e4 e5 0-1 | 1-0 | the header says 1-0
+:- | 1. e4 e5 1-0 | 1-0 | '+:-' is read as 1-0
- | 1. e4 e5 {Karpov won a game like this, 1-0.} | * |
"""


@pytest.mark.parametrize("row", RESULTS.strip().splitlines())
def test_a_result_in_any_spelling_is_read_and_said(row):
    header, moves, result, said = re.split(r" \| ?", row)
    tags = f'[Result "{header}"]\n\n' if header != "-" else ""
    (game,) = read(tags + moves)
    assert (game.problem, game.game.headers["Result"]) == ("", result)
    assert any(said in each for each in game.repairs) if said else not game.repairs
    copied = str(game.game)
    assert read(copied)[0].game.headers["Result"] == result


# ---------------------------------------------------------------- comments


def texts(comment: str) -> list[str]:
    return comment.split(pgn.NEXT) if comment else []


def test_a_variation_without_moves_leaves_its_comment():
    (each,) = read("1. e4 ({only words}) e5 (1... c5 (1... e6) {of c5}) 2. Nf3 *")
    e5 = each.game.next().next()
    assert texts(e5.starting_comment) == ["only words"]
    assert each.game.next().variations[1].comment == f"{pgn.BEHIND}of c5"
    assert (e5.comment, e5.next().starting_comment) == ("", "")


@pytest.mark.parametrize(
    "text",
    [
        *("1. e4 " + each for each in ("{" * 400_000, "." * 100_000, "{;}" * 50_000)),
        *("1. e4 " + each for each in ("(" * 50_000, "so " * 100_000, "N " * 30_000)),
        "1. e4 {" + "x" * 140_000 + "} e5 *",
    ],
)
def test_what_repeats_is_gone_through_once(text):
    """Of a size that takes minutes where each repeat looks through the rest again."""
    assert [game.line for game in read(text)] == [1]


def test_escapes_and_comments_between_and_in_games_do_no_harm():
    text = "; before\n\n1. e4\n% 1. d4\n; aside\ne5 {two\n\nlines} 2. d4 e.p. *\n\n; behind\n"
    (game,) = read(text)
    assert game.problem == ""
    assert [node.san() for node in game.game.mainline()] == ["e4", "e5", "d4"]
    assert read("\n \n") == []


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("1. e4 ; best by test\n1... e5 *\n", ["best by test", ""]),
        (
            "1. e4 {a ; b\nc ; d} ; e } f\n1... e5 *\n",
            [f"a ; b\nc ; d{pgn.NEXT}e }} f", ""],
        ),
        ('[Event "a;b"]\n\n1. e4 ;\n;x\n*\n', ["x"]),
        ("1. e4 1-0 ; gg\n", ["gg"]),
        ("% e4 ; x\n1. d4 {y} {z} *\n", [f"y{pgn.NEXT}z"]),
    ],
)
def test_comments_behind_semicolons_are_kept(text, comments):
    (game,) = read(text)
    assert [node.comment for node in game.game.mainline()] == comments


# ---------------------------------------------------------------- where games begin


@pytest.mark.parametrize(
    ("text", "plies"),
    [
        ('[Event "a"]\n1. d4 { x } 1... d5 *\n[Event "b"]\n1. f3 e5 *\n', [2, 2]),
        ('[Event "a"]\n[Site "x"]\n\n[White "y"]\n\n1. d4 *\n', [1]),
        ('[Event "a"]\n\n[Event "b"]\n\n1. d4 *\n', [0, 1]),
        ("1. e4 e5 1-0 1. d4 d5 0-1", [2, 2]),
        ("e4 e5 1-0\nd4 d5 c4 0-1\n", [2, 3]),
        ("1. e4\n\n1... e5\n\n2. Nf3\n\n1. c4 *", [3, 1]),
        ("1. e4 e5 (1... c5\n\n2. Nf3) 2. f4 *", [3]),
        ("1.e4\ne5\n2.Nf3\nNc6 *\n", [4]),
        ('1. e4 e5 2. Nf3 {\n\n[Event "no header"]\n\n} Nc6 *\n', [4]),
    ],
)
def test_a_game_begins_with_its_headers_or_with_move_one(text, plies):
    games = read(text)
    assert [game.problem for game in games] == [""] * len(plies)
    assert [len([*game.game.mainline_moves()]) for game in games] == plies


@pytest.mark.parametrize(
    "text",
    [
        '{"event": "x", "moves": ["e4", "e5"], "more": {"a": "Nf3"}}',
        "\0" * 3_000,
        "Dear all,\nthe match of 1 March is off. Best wishes, B.",
        "; a comment alone\n",
        "",
    ],
)
def test_what_is_no_game_is_text(text):
    assert read(text) == []
    parts = [*pgn.read_parts(f"{text}\n\n{GOOD}".encode())]
    assert "".join(part.text for part in parts if not part.number) == text.strip()
    assert parts[-1].text == GOOD.strip()


# ---------------------------------------------------------------- moves in any spelling


@pytest.mark.parametrize(
    ("moves", "sans"),
    [
        ("1. a4 b5 2. axb5 a6 3. ba Bb7 4. a:b7 Nc6 5. bxa8(Q)", "bxa8=Q"),
        ("1. e2–e4 e7-e5 2. Ng1f3 Nb8—c6", "Nc6"),
        ("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O–O", "O-O"),
        ("1. e4 d5 2. ed Qd5: 3. Nc3 Q×a2", "Qxa2"),
        ("1. f3 e5 2. g4 Qh4 mate", "Qh4#"),
        ("1.e4 e5 2.Qh5 Ke7 3.Qxe5≠", "Qxe5#"),
        ("1) e4 e5 2) Nf3", "Nf3"),
        ("1. e4 … e5 2Nf3", "Nf3"),
        ("1. ♙e4 e5 2. ♘f3 ♞c6 (2... ♛h4 3. ♘xh4) 3. ♗b5", "Bb5"),
        ("1. d4 d5 2. Nc3 Nc6 3. Nb1 Bf5 4. Nc3 Qd6 5. Nb1 OOO", "O-O-O"),
    ],
)
def test_moves_are_read_as_people_write_them(moves, sans):
    (game,) = read(f"{moves} *")
    assert (game.problem, game.game.end().san()) == ("", sans)


def test_a_move_may_be_written_with_a_blank_only_if_both_parts_are_moves():
    (game,) = read("1. e4 e5 2. Nf3 Nc6 3. Bf1 b5 *")
    assert "illegal move 3. Bf1" in game.problem


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1. Nf3+ Nf6 2. Nxd4", "1. Nf3+ is read as Nf3, 2. Nxd4 is read as Nd4"),
        ("1. e4 d5 2. ed5 Qd5 3. Nc3", "captures are written without x"),
        ('[Site "x"]\n[Event "A"]\n[Event "B"]\n\n1. e4', "'B' is kept, not 'A'"),
        ("1. e4 e5 1-0 2. Nf3 Nc6", "moves stand behind the result 1-0; they are kept"),
    ],
)
def test_what_was_read_by_rule_is_said_once(text, said):
    (game,) = read(f"{text} *")
    assert game.problem == ""
    (repair,) = game.repairs
    assert said in repair


@pytest.mark.parametrize(
    ("behind", "nags", "comment"),
    [
        ("=", {10}, ""),
        ("+/-", {16}, ""),
        ("−+", {19}, ""),
        ("!±", {1, 16}, ""),
        ("↑ N", {36, 146}, ""),
        ("D", {220}, ""),
        ("$5 $132", {5, 132}, ""),
        ("(=)", set(), "(=)"),
        ("0.35/12 1s", set(), "0.35/12 1s"),
        ("[%clk 0:01:00]", set(), "[%clk 0:01:00]"),
        ("he was proud of this", set(), "he was proud of this"),
    ],
)
def test_no_sign_behind_a_move_is_lost(behind, nags, comment):
    (game,) = read(f"1. e4 {behind} e5 2. Nf3 *")
    first = game.game.next()
    assert (game.problem, first.nags, first.comment) == ("", nags, comment)
    assert bool(game.repairs) == (comment != "" and comment[0] not in "([")
    assert game.game.end().san() == "Nf3"


def test_a_sign_may_stand_at_the_move_itself():
    (game,) = read("1. e4± e5 2. g4 ∓ {± here} Nc6∞ *")
    nodes = [*game.game.mainline()]
    assert [node.nags for node in nodes] == [{16}, set(), {17}, {13}]
    assert nodes[2].comment == "± here"


# ---------------------------------------------------------------- languages

#: One game in the letters of some languages: queen, bishop, knight, castling and a promotion.
ITALIAN = "1. e4 e5 2. {N}f3 {N}c6 3. {B}c4 {B}c5 4. O-O {N}f6 5. d3 {Q}e7 6. {R}e1 *"


@pytest.mark.parametrize("code", [*LANGUAGES])
def test_a_game_is_read_in_its_language(code):
    language = LANGUAGES[code]
    _, queen, rook, bishop, knight, _ = language.pieces
    text = ITALIAN.format(Q=queen, R=rook, B=bishop, N=knight)
    (given,) = pgn.read_pgn(text.encode(), language)
    (guessed,) = read(text)
    assert given.problem == guessed.problem == ""
    for game in (given, guessed):
        sans = [node.san() for node in game.game.mainline()]
        assert sans[2:6] == ["Nf3", "Nc6", "Bc4", "Bc5"]
    assert not given.repairs
    if code != "en":
        assert language.name in guessed.repairs[0]


def test_a_language_that_is_given_does_not_cost_games_in_english():
    games = pgn.read_pgn(b"1. Sf3 Sf6 *\n\n1. Nf3 Nf6 *\n", LANGUAGES["de"])
    german, english = games
    assert (german.problem, english.problem) == ("", "")
    assert "English" in english.repairs[0]


def test_letters_that_may_be_of_several_languages_are_named():
    """S is a knight in German, a bishop in Czech."""
    (game,) = read('[FEN "4k3/8/8/8/8/4B3/1N6/4K3 w - - 0 1"]\n\n1. Sd4 *')
    assert game.game.next().san() == "Bd4" and "Czech" in game.repairs[0]
    (game,) = read('[FEN "4k3/8/8/8/8/3N4/8/2B1K3 w - - 0 1"]\n\n1. Sf4 *')
    assert "German" in game.problem and "Czech" in game.problem
    assert game.problem.endswith("say which")


def test_an_illegal_move_in_a_foreign_game_names_the_language():
    (game,) = read("1. e4 e5 2. Sf3 Sc6 3. Lh6 *")
    assert "German" in game.problem and "not all moves are legal" in game.problem


def test_games_written_by_python_chess_are_read_move_by_move():
    played = selfplay(40)
    written = []
    for game in played:
        board = chess.Board()
        for move in game.moves:
            board.push_uci(move)
        written.append(str(chess.pgn.Game.from_board(board)))
    found = read("\n\n".join(written))
    assert {each.problem for each in found} == {""}
    moves = [[move.uci() for move in each.game.mainline_moves()] for each in found]
    assert moves == [list(game.moves) for game in played]
