"""PGN files as people have them: damaged games named, results in any spelling, comments kept."""

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
        ('[White "A"] [Black "B"]\n\n1. e4 e5 *\n\n', 2, "A"),
        ('[White "A"]1. e4 {good [x "y"] move} e5 *\n\n', 2, "A"),
        ('[White "the \\"A\\" team"]\n\n1. e4 *\n\n', 1, r"the \"A\" team"),
    ],
)
def test_a_header_may_stand_before_more_on_its_line(together, moves, white):
    first, second, third = read(GOOD + together + OTHER)
    assert [each.problem for each in (first, second, third)] == ["", "", ""]
    assert len([*second.game.mainline_moves()]) == moves
    assert second.game.headers["White"] == white
    assert (second.line, third.line) == (6, 6 + together.count("\n"))
    assert second.text == together.strip()


def test_what_looks_like_a_header_in_a_comment_is_kept():
    (game,) = read('[Event "x"]\n\n1. e4 {see\n[White "A"] there} e5 *\n')
    assert game.problem == ""
    assert game.game.next().comment.split() == ["see", "[White", '"A"]', "there"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('[Event "x"]\n\n1. e4 e5 2. Ke3 *\n\n', "illegal move 2. Ke3"),
        ('[Event "x"]\n\n1. e4 e5 (1... Kd4) 2. d4 *\n\n', "illegal move 1... Kd4"),
        (
            '[Event "x"]\n[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *\n\n',
            "bad FEN header",
        ),
        ('[Event "x"]\n[FEN "hello"]\n\n1. e4 *\n\n', "bad FEN header"),
        ('[Event "x"]\n[Variant "Chess960"]\n\n1. e4 *\n\n', "variant 'Chess960'"),
        ('[Event "x"]\n[Variant "Antichess"]\n\n1. e4 *\n\n', "variant 'Antichess'"),
        ('[Event "x"]\n[Variant "Fairy"]\n\n1. e4 *\n\n', "variant: Fairy"),
        ('[Event "x"]\n\n1. e4 Xf6 2. d4 *\n\n', "unreadable text 'Xf6'"),
        ('[Event "x"]\n\n1. e4 e5 2. N\n\n', "unreadable text 'N'"),
        ('[Event "x"]\n\n1. e4 e5 (1... c5 2. d4 *\n\n', "variation is not closed"),
        ('[Event "x"]\n[Result "0-1"]\n\n1. e4 e5 2.\n\n', "cut off: behind the last"),
        ('[Event "x"]\n[Result "0-1"]\n\n1. e4 e5 2\n\n', "cut off: behind the last"),
        ('[Event "x"]\n[White "y\n\n1. e4 e5 *\n\n', "damaged header '[White \"y'"),
        ('[Event "x"]\n\n1. e4 e5) 2. d4 d5 *\n\n', "not opened"),
        ('[Event "x"]\n\n1. e5 (1. d4) (1. c4) *\n\n', "illegal move 1. e5"),
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


@pytest.mark.parametrize("open_comment", ["{never closed e5 2. d4 *", "{{ e5 *", "{"])
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
    data = (
        (GOOD + '\n[Event "x"]\n\n1. e5 *\n\n' + OTHER).replace("\n", "\r\n").encode()
    )
    path.write_bytes(b"\xef\xbb\xbf" + data)
    lines = data.split(b"\r\n")
    games = list(pgn.read_pgn(path))
    assert [game.number for game in games] == [1, 2, 3]
    assert [lines[game.line - 1][8:9] for game in games] == [b"a", b"x", b"b"]
    assert [bool(game.problem) for game in games] == [False, True, False]


def test_signs_that_value_a_position_are_glyphs_among_the_moves_alone():
    (game,) = read("1. e4± e5 2. g4 ∓ {± here} Nc6∞ (2... d5 ⩱) *")
    moves = [*game.game.mainline()]
    assert [node.nags for node in moves] == [{16}, set(), {17}, {13}]
    assert moves[2].comment == "± here"
    assert moves[2].variations[1].nags == {15}


@pytest.mark.parametrize(
    ("text", "unplayed"),
    [
        ("1. e4 -- 2. d4 *", "a null move in the main line"),
        ("1. e4 e5 2. Z0 Nf6 *", "a null move in the main line"),
        ("-- 1... e5 *", "no moves"),
        ("*", "no moves"),
        ("{ Black did not appear. } 1-0", "no moves"),
        ("1. e4 (1. -- e5) e5 *", ""),
    ],
)
def test_what_is_not_played_is_said_and_is_no_problem(text, unplayed):
    (game,) = read(f'[Event "x"]\n\n{text}\n')
    assert (game.problem, game.unplayed) == ("", unplayed)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
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
    good = '[White "Müller"]\n\n1. e4 {schön} e5 *\n\n'
    old = '[White "Grünfeld"]\n\n1. d4 {Weiß} d5 *\n\n'
    data = good.encode() + old.encode("cp1252") + good.encode()
    first, second, third = pgn.read_pgn(data)
    assert [each.game.headers["White"] for each in (first, second, third)] == [
        "Müller",
        "Grünfeld",
        "Müller",
    ]
    assert [bool(each.repairs) for each in (first, second, third)] == [
        False,
        True,
        False,
    ]
    assert "Windows-1252" in second.repairs[0]
    assert (third.line, third.game.next().comment) == (9, "schön")


# ---------------------------------------------------------------- results


@pytest.mark.parametrize(
    ("header", "moves", "result", "said"),
    [
        ("1-0", "1. e4 e5 1-0", "1-0", ""),
        ("*", "1. e4 e5 *", "*", ""),
        ("", "1. e4 e5 0-1", "0-1", ""),
        ("1-0", "1. e4 e5 2. Qh5 Ke7 3. Qxe5#", "1-0", "no result behind the moves"),
        ("", "1. f3 e5 2. g4 Qh4#", "0-1", "checkmate on the board"),
        ("1-0", "1. e4 e5 {1-0}", "1-0", "stands in a comment"),
        ("", "1. e4 e5 {0-1 White resigns}", "0-1", "read from a comment"),
        ("1/2", "1. e4 e5 1/2", "1/2-1/2", "'1/2' is read as 1/2-1/2"),
        ("", "1. e4 e5 ½-½", "1/2-1/2", "'½-½' is read"),
        ("0-1", "1. e4 e5 0:1", "0-1", "'0:1' is read as 0-1"),
        ("", "1. e4 e5 1 : 0", "1-0", "'1 : 0' is read as 1-0"),
        ("", "1. e4 e5 0–1", "0-1", "'0–1' is read as 0-1"),
        ("0.5-0.5", "1. e4 e5", "1/2-1/2", "the file was cut off"),
        ("1-0", "1. e4 e5 2. Nf3 Nc6", "1-0", "the file was cut off"),
        ("1-0", "1. e4 e5 0-1", "1-0", "the header says 1-0"),
        ("+:-", "1. e4 e5 1-0", "1-0", "'+:-' is read as 1-0"),
        ("", "1. e4 e5 {Karpov won a game like this, 1-0.}", "*", ""),
    ],
)
def test_a_result_in_any_spelling_is_read_and_said(header, moves, result, said):
    tags = f'[Result "{header}"]\n\n' if header else ""
    (game,) = read(tags + moves)
    assert (game.problem, game.game.headers["Result"]) == ("", result)
    assert any(said in each for each in game.repairs) if said else not game.repairs
    copied = str(game.game)
    assert read(copied)[0].game.headers["Result"] == result


def test_castling_at_the_end_is_no_result():
    (game,) = read("1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0-0")
    assert (game.problem, game.game.end().uci()) == ("", "e1g1")


# ---------------------------------------------------------------- comments


def texts(comment: str) -> list[str]:
    return comment.split(pgn.NEXT) if comment else []


def test_comments_keep_their_places_around_variations():
    (each,) = read(
        "1. e4 {a} {b} (1. d4 {in}) {between} ({first} 1. c4) {behind} 1... e5 (1... c5) {end} *"
    )
    e4 = each.game.next()
    e5 = e4.next()
    assert texts(e4.comment) == ["a", "b"]
    assert texts(e5.starting_comment) == ["behind"]
    assert e5.comment == f"{pgn.BEHIND}end"
    assert each.game.variations[1].comment == "in"
    assert each.game.variations[2].starting_comment == f"between{pgn.OUTSIDE}first"


def test_a_variation_without_moves_leaves_its_comment():
    (each,) = read("1. e4 ({only words}) e5 (1... c5 (1... e6) {of c5}) 2. Nf3 *")
    e5 = each.game.next().next()
    assert texts(e5.starting_comment) == ["only words"]
    assert each.game.next().variations[1].comment == f"{pgn.BEHIND}of c5"
    assert (e5.comment, e5.next().starting_comment) == ("", "")


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
    assert [move.uci() for move in game.game.mainline_moves()] == [
        "e2e4",
        "e7e5",
        "d2d4",
    ]
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
        ("1. e4 e5 1-0\n1. d4 d5 0-1\n", [2, 2]),
        ("1. e4 e5 1-0 1. d4 d5 0-1", [2, 2]),
        ("e4 e5 1-0\nd4 d5 c4 0-1\n", [2, 3]),
        ("1. e4\n\n1... e5\n\n2. Nf3\n\n1. c4 *", [3, 1]),
        ("1. e4 e5 (1... c5\n\n2. Nf3) 2. f4 *", [3]),
        ("e4\n\ne5\n\nNf3\n", [3]),
        ("1.e4\ne5\n2.Nf3\nNc6 *\n", [4]),
        ('1. e4 e5 2. Nf3 {\n\n[Event "no header"]\n\n} Nc6 *\n', [4]),
    ],
)
def test_a_game_begins_with_its_headers_or_with_move_one(text, plies):
    games = read(text)
    assert [game.problem for game in games] == [""] * len(plies)
    assert [len([*game.game.mainline_moves()]) for game in games] == plies


def test_moves_behind_a_result_are_kept_and_said():
    (game,) = read("1. e4 e5 1-0 2. Nf3 Nc6\n")
    assert len([*game.game.mainline_moves()]) == 4
    assert game.repairs == ("moves stand behind the result 1-0; they are kept",)


@pytest.mark.parametrize(
    "text",
    [
        '{"event": "x", "moves": ["e4", "e5"], "more": {"a": "Nf3"}}',
        '[{"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}, {"move": "e4"}]',
        "\0" * 3_000,
        "Dear all,\nthe match of 1 March is off. Best wishes, B.",
        "; a comment alone\n",
        "",
    ],
)
def test_what_is_no_game_is_text(text):
    assert read(text) == []
    parts = list(pgn.read_parts(text.encode()))
    assert [(part.number, part.text) for part in parts] == [(0, text.strip())][
        : len(text)
    ]


def test_text_between_games_is_kept_apart():
    parts = list(pgn.read_parts(f"Dear all,\n\n{GOOD}Next week: more.\n".encode()))
    assert [part.number for part in parts] == [0, 1, 0]
    assert [parts[0].text, parts[2].text] == ["Dear all,", "Next week: more."]
    assert parts[1].line == 3


# ---------------------------------------------------------------- moves in any spelling


@pytest.mark.parametrize(
    ("moves", "sans"),
    [
        ("1. a4 b5 2. axb5 a6 3. ba Bb7 4. a:b7 Nc6 5. bxa8(Q)", "bxa8=Q"),
        ("1. e2–e4 e7-e5 2. Ng1f3 Nb8—c6 3. Bf1 b5", "Nc6"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O–O Nf6", "Nf6"),
        ("1. e4 d5 2. ed Qd5: 3. Nc3 Q×a2", "Qxa2"),
        ("1. f3 e5 2. g4 Qh4++", "Qh4#"),
        ("1. f3 e5 2. g4 Qh4 mate", "Qh4#"),
        ("1.e4 e5 2.Qh5 Ke7 3.Qxe5≠", "Qxe5#"),
        ("1e4 e5 2Nf3", "Nf3"),
        ("1) e4 e5 2) Nf3", "Nf3"),
        ("1. e4 … e5 2. Nf3", "Nf3"),
    ],
)
def test_moves_are_read_as_people_write_them(moves, sans):
    (game,) = read(f"{moves} *")
    if "Bf1 b5" in moves:  # two moves, the first of them none
        assert "illegal move 3. Bf1" in game.problem
        return
    assert game.problem == ""
    end = game.game.end()
    assert end.parent.board().san(end.move) == sans


def test_what_a_move_does_not_do_is_said():
    (game,) = read("1. Nf3+ Nf6 2. Nxd4 e5 3. Nf5 g6 4. Ng7# *")
    assert game.problem == ""
    said = "1. Nf3+ is read as Nf3, 2. Nxd4 is read as Nd4, 4. Ng7# is read as Ng7+"
    assert game.repairs == (said,)


def test_captures_without_x_are_said_once():
    (game,) = read("1. e4 d5 2. ed5 Qd5 3. Nc3 Qa5 *")
    assert game.repairs == ("captures are written without x",)


@pytest.mark.parametrize(
    ("behind", "nags", "comment"),
    [
        ("=", {10}, ""),
        ("+=", {14}, ""),
        ("+/-", {16}, ""),
        ("-+", {19}, ""),
        ("−+", {19}, ""),
        ("!±", {1, 16}, ""),
        ("→", {40}, ""),
        ("↑ N", {36, 146}, ""),
        ("D", {220}, ""),
        ("$5 $132", {5, 132}, ""),
        ("->", set(), "->"),
        ("(=)", set(), "(=)"),
        ("0.35/12 1s", set(), "0.35/12 1s"),
        ("[%clk 0:01:00]", set(), "[%clk 0:01:00]"),
        ("he was proud of this", set(), "he was proud of this"),
        ("~ ^", set(), "~ ^"),
    ],
)
def test_no_sign_behind_a_move_is_lost(behind, nags, comment):
    (game,) = read(f"1. e4 {behind} e5 2. Nf3 *")
    first = game.game.next()
    assert (game.problem, first.nags, first.comment) == ("", nags, comment)
    unread = comment and not comment.startswith(("(", "["))
    assert game.repairs == (
        (f"text among the moves is kept as comments: {comment!r}",) if unread else ()
    )
    assert len([*game.game.mainline_moves()]) == 3


def test_where_a_move_should_be_there_is_no_comment():
    (game,) = read("1. e4 e5 2. illegible Nc6 *")
    assert game.problem == "unreadable text 'illegible' among the moves"


def test_a_header_that_stands_twice_is_said():
    (game,) = read('[Event "A"]\n[Event "B"]\n[Site "x"]\n[Site "x"]\n\n1. e4 *')
    assert game.repairs == ("the header Event stands twice: 'B' is kept, not 'A'",)


# ---------------------------------------------------------------- languages

#: One game in the letters of some languages: queen, bishop, knight, castling and a promotion.
ITALIAN = "1. e4 e5 2. {N}f3 {N}c6 3. {B}c4 {B}c5 4. O-O {N}f6 5. d3 {Q}e7 6. {R}e1 *"
GREEK = "Ρ Β Π Α Ι"


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
    played = selfplay(150)
    written = []
    for game in played:
        board = chess.Board()
        for move in game.moves:
            board.push_uci(move)
        written.append(str(chess.pgn.Game.from_board(board)))
    found = read("\n\n".join(written))
    assert [each.problem for each in found] == [""] * len(played)
    moves = [[move.uci() for move in each.game.mainline_moves()] for each in found]
    assert moves == [list(game.moves) for game in played]


@pytest.mark.parametrize("castles", ["O-O-O", "0-0-0", "OOO", "O–O–O"])
def test_castling_behind_a_move_to_the_last_rank_is_no_promotion(castles):
    line = "1. e4 e5 2. d4 exd4 3. Qxd4 Nc6 4. Qd1 d6 5. Bd3 Be6 6. Nf3 Qd7 7. Bf1"
    (found,) = read(f"{line} {castles} *")
    assert found.problem == ""
    assert found.game.end().san() == "O-O-O"
