"""PGN: cutting, verdicts, encodings, and agreement with python-chess."""

from __future__ import annotations

import io
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chessgloss.pgn import PgnEntry, PgnError, commented_moves, read_pgn, to_game
from chessgloss.positions import MoveError

GOOD = '[Event "a"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 {a {good move} (2. f4 exf4) Nc6 1-0\n\n'
OTHER = '[Event "b"]\n[Result "*"]\n\n1. d4 $1 d5 *\n\n'


def entries(text: str) -> list[PgnEntry]:
    return list(read_pgn(io.StringIO(text)))


def problem_between(bad: str) -> str:
    """Read ``bad`` between two good games; both must survive."""
    first, second, third = entries(GOOD + bad + OTHER)
    assert first.game is not None
    assert third.game is not None
    assert third.game.headers["Event"] == "b"
    assert third.number == 3
    assert second.problem is not None
    return second.problem


def test_comments_variations_and_nags_are_kept() -> None:
    good, other = entries(GOOD + OTHER)
    assert good.game is not None
    assert other.game is not None
    node = good.game.mainline()
    assert [move.san() for move in node] == ["e4", "e5", "Nf3", "Nc6"]
    assert len(good.game.next().next().variations) == 2  # type: ignore[union-attr]
    assert other.game.next().nags == {1}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('[Event "x"]\n\n1. e4 e5 2. Ke3 *\n\n', "illegal san: 'Ke3'"),
        ('[Event "x"]\n\n1. e4 e5 (1... Kd4) 2. d4 *\n\n', "illegal san: 'Kd4'"),
        ('[Event "x"]\n[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *\n\n', "bad FEN header"),
        ('[Event "x"]\n[FEN "hello"]\n\n1. e4 *\n\n', "bad FEN header"),
        ('[Event "x"]\n[Variant "Chess960"]\n\n1. e4 *\n\n', "variant 'Chess960'"),
        ('[Event "x"]\n[Variant "Antichess"]\n\n1. e4 *\n\n', "variant 'Antichess'"),
        ('[Event "x"]\n[Variant "Fairy"]\n\n1. e4 *\n\n', "variant 'Fairy'"),
        ('[Event "x"]\n\n*\n\n', "no moves"),
        ('[Event "x"]\n[Site "y"]\n\n', "no moves"),
        ('[Event "x"]\n\n1. e4 Xf6 2. d4 *\n\n', "unreadable text 'X'"),
        ('[Event "x"]\n\n1. e4 e5 2. N\n\n', "unreadable text 'N'"),
        ('[Event "x"]\n\n1. e4 {never closed e5 2. d4 *\n\n', "comment is not closed"),
        ('[Event "x"]\n\n1. e4 e5 (1... c5 2. d4 *\n\n', "variation is not closed"),
        ('[Event "x"]\n[Result "0-1"]\n\n1. e4 e5\n\n', "cut off: the moves do not end"),
        ('[Event "x"]\n[White "y\n\n1. e4 e5 *\n\n', "damaged header '[White \"y'"),
        ('[Event "x"]\n\n1. e4 e5) 2. d4 d5 *\n\n', "not opened"),
        ('[Event "x"]\n\n1. e5 (1. d4) (1. c4) *\n\n', "illegal san: 'e5'"),
        ('[Event "x"]\n\n(1. d4) 1. e4 *\n\n', "illegal san"),
        ('[Event "x"]\n\n1. e4 -- 2. d4 *\n\n', "null move"),
    ],
)
def test_a_bad_game_is_named_and_its_neighbours_survive(bad: str, reason: str) -> None:
    assert reason in problem_between(bad)


def test_a_fen_header_is_mended_by_rule_and_that_is_said() -> None:
    (entry,) = entries('[FEN "4k3/8/8/8/8/8/8/4K2R w KQ -"]\n\n1. O-O *\n')
    assert entry.game is not None
    assert to_game(entry.game).root == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert len(entry.repairs) == 3


def test_number_line_and_offset_lead_to_the_game(tmp_path: Path) -> None:
    path = tmp_path / "three.pgn"
    data = (GOOD + '[Event "x"]\n\n1. e5 *\n\n' + OTHER).replace("\n", "\r\n").encode()
    path.write_bytes(b"\xef\xbb\xbf" + data)
    first, second, third = read_pgn(path)
    assert [entry.number for entry in (first, second, third)] == [1, 2, 3]
    assert (b"\xef\xbb\xbf" + data)[second.offset :].startswith(b'[Event "x"]')
    assert data.split(b"\r\n")[third.line - 1] == b'[Event "b"]'
    assert str(second).startswith(f"game 2 (line {second.line}, offset {second.offset}): illegal")


def test_latin_1_is_read_and_said(tmp_path: Path) -> None:
    path = tmp_path / "old.pgn"
    path.write_bytes('[Event "a"]\n[White "Gr\xfcnfeld"]\n\n1. d4 *\n\n'.encode("latin-1"))
    (entry,) = read_pgn(path)
    assert entry.game is not None
    assert entry.game.headers["White"] == "Gr\xfcnfeld"
    assert entry.encoding == "latin-1"


def test_utf_16_is_refused_with_its_remedy(tmp_path: Path) -> None:
    path = tmp_path / "wide.pgn"
    path.write_text(GOOD, encoding="utf-16")
    with pytest.raises(PgnError, match="save it as UTF-8"):
        list(read_pgn(path))


def test_games_without_headers_are_told_apart_by_their_results() -> None:
    assert [to_game(entry.game).moves for entry in entries("1. e4 e5 1-0\n\n1. d4 *\n1. c4")] == [  # type: ignore[arg-type]
        ("e2e4", "e7e5"),
        ("d2d4",),
        ("c2c4",),
    ]


def test_blank_lines_and_escapes_among_the_moves_do_no_harm() -> None:
    (entry,) = entries('[Event "a"]\n\n1. e4\n\n% 1. d4\n; said\ne5 {two\n\nlines} 2. d4 *\n')
    assert entry.game is not None
    assert to_game(entry.game).moves == ("e2e4", "e7e5", "d2d4")


def test_an_empty_source_raises_only_when_read_strictly() -> None:
    assert entries("\n \n") == []
    with pytest.raises(PgnError, match="holds no game"):
        list(read_pgn(io.StringIO(""), strict=True))


def test_strict_reading_stops_at_the_first_bad_game() -> None:
    with pytest.raises(PgnError, match=r"game 2 .*illegal"):
        list(read_pgn(io.StringIO(GOOD + '[Event "x"]\n\n1. e5 *\n'), strict=True))


def test_an_entry_is_either_good_or_bad() -> None:
    with pytest.raises(ValueError, match="either"):
        PgnEntry(1, 1, 0, None, None)


def test_commented_moves_of_main_line_and_variations_in_order() -> None:
    text = (
        "{before} 1. e4 {[%clk 0:01:00] the king's pawn} e5 ({instead} 1... c5 {Sicilian}) "
        "2. Nf3 {[%clk 0:00:59]} Nc6 {develops} *"
    )
    (entry,) = entries(text)
    assert entry.game is not None
    moves = list(commented_moves(entry.game, "mine"))
    assert [(m.context.numbered_san, m.comment, m.ply) for m in moves] == [
        ("1. e4", "the king's pawn", 0),
        ("2... Nc6", "develops", 3),
        ("1... c5", "Sicilian", 1),
    ]
    assert moves[1].context.position.moves == ("e2e4", "e7e5", "g1f3")


def test_a_comment_after_a_null_move_keeps_its_position_without_history() -> None:
    (entry,) = entries("1. e4 e5 (1... -- 2. d4 {centre}) 2. Nf3 *")
    assert entry.game is not None
    (move,) = commented_moves(entry.game, "mine")
    assert move.context.san == "d4"
    assert move.context.position.moves == ()


def test_to_game_keeps_players_result_and_set_up_position() -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    text = f'[White "A"]\n[Black "B"]\n[Result "1-0"]\n[FEN "{fen}"]\n\n1. e4 Kd7 1-0\n'
    (entry,) = entries(text)
    assert entry.game is not None
    game = to_game(entry.game)
    assert (game.white, game.black, game.result, game.root) == ("A", "B", "1-0", fen)
    assert game.moves == ("e2e4", "e8d7")


def test_to_game_refuses_a_null_move() -> None:
    game = chess.pgn.read_game(io.StringIO("1. e4 -- 2. d4 *"))
    assert game is not None
    with pytest.raises(MoveError):
        to_game(game)


WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), max_size=30)
COMMENTS = WORDS.map(lambda text: " ".join(text.replace("}", "").split()))


@st.composite
def games(draw: st.DrawFn) -> chess.pgn.Game:
    """A random legal game with comments, NAGs and variations."""
    game = chess.pgn.Game()
    game.headers["White"] = draw(st.sampled_from(["A", "Grünfeld, E.", "O'Kelly"]))
    node: chess.pgn.GameNode = game
    for _ in range(draw(st.integers(1, 8))):
        moves = list(node.board().legal_moves)
        if not moves:
            break
        first, second = draw(st.tuples(st.sampled_from(moves), st.sampled_from(moves)))
        parent, node = node, node.add_variation(first)
        node.comment = draw(COMMENTS)
        node.nags = draw(st.sets(st.integers(1, 20), max_size=2))
        if first != second and draw(st.booleans()):
            parent.add_variation(second, comment=draw(COMMENTS))
    game.headers["Result"] = draw(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"]))
    return game


@settings(max_examples=15, deadline=None)
@given(written=st.lists(games(), min_size=1, max_size=3))
def test_what_python_chess_writes_is_read_back_alike(written: list[chess.pgn.Game]) -> None:
    text = "\n\n".join(str(game) for game in written)
    read = entries(text)
    assert [entry.problem for entry in read] == [None] * len(written)
    assert [str(entry.game) for entry in read] == [str(game) for game in written]


@settings(max_examples=15, deadline=None)
@given(before=games(), after=games(), broken=games(), data=st.data())
def test_a_game_cut_anywhere_leaves_its_neighbours_whole(
    before: chess.pgn.Game, after: chess.pgn.Game, broken: chess.pgn.Game, data: st.DataObject
) -> None:
    text = str(broken)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    read = entries(f"{before}\n\n{cut}\n\n{after}\n")
    assert str(read[0].game) == str(before)
    assert str(read[-1].game) == str(after)


@settings(max_examples=15, deadline=None)
@given(game=games())
def test_each_commented_move_is_legal_and_said_by_the_game(game: chess.pgn.Game) -> None:
    said = " ".join(str(game).split())
    moves = list(commented_moves(game, "x"))
    assert all(" ".join(move.comment.split()) in said for move in moves if "[%" not in said)
