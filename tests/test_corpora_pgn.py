"""PGN files as people have them: damaged games named, results in any spelling, comments kept."""

import pytest

from chessgloss.corpora import pgn
from scripts import refuses

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
        ('[Event "x"]\n\n1. e4 Xf6 2. d4 *\n\n', "unreadable text 'X'"),
        ('[Event "x"]\n\n1. e4 e5 2. N\n\n', "unreadable text 'N'"),
        ('[Event "x"]\n\n1. e4 e5 (1... c5 2. d4 *\n\n', "variation is not closed"),
        ('[Event "x"]\n[Result "0-1"]\n\n1. e4 e5 2.\n\n', "cut off: behind the last"),
        ('[Event "x"]\n[Result "0-1"]\n\n1. e4 e5 2\n\n', "cut off: behind the last"),
        ('[Event "x"]\n[White "y\n\n1. e4 e5 *\n\n', "damaged header '[White \"y'"),
        ('[Event "x"]\n\n1. e4 e5) 2. d4 d5 *\n\n', "not opened"),
        ('[Event "x"]\n\n1. e5 (1. d4) (1. c4) *\n\n', "illegal san: 'e5'"),
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


def test_a_line_without_end_is_refused_with_its_limit():
    refuses(
        pgn.PgnError,
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


@pytest.mark.parametrize(
    ("text", "braced"),
    [
        ("1. e4 ; best by test\n1... e5 *\n", "1. e4 {best by test}\n1... e5 *\n"),
        ("; before\n1. e4 *\n; behind\n", "; before\n1. e4 *\n; behind\n"),
        ("1. e4 {a ; b\nc ; d} ; e } f\n*\n", "1. e4 {a ; b\nc ; d} {e ) f}\n*\n"),
        ('[Event "a;b"]\n\n1. e4 ;\n;x\n*\n', '[Event "a;b"]\n\n1. e4 \n{x}\n*\n'),
        ("1. e4 1-0 ; gg\n", "1. e4 1-0 {gg}\n"),
        ("% e4 ; x\n1. d4 {y} {z} *\n", "% e4 ; x\n1. d4 {y} {z} *\n"),
    ],
)
def test_comments_behind_semicolons_are_kept(text, braced):
    assert pgn.brace_comments(text) == braced
