"""Moves and positions as people write them, as text alone."""

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chessgloss import notation, positions
from chessgloss.notation import ENGLISH, LANGUAGES, spell
from scripts import refuses


@pytest.mark.parametrize(
    ("written", "san", "check"),
    [
        ("Qh4#", "Qh4", "#"),
        ("O–O", "O-O", ""),
        ("0-0-0+", "O-O-O", "+"),
        ("e8(Q)", "e8=Q", ""),
        ("e8=(Q)+", "e8=Q", "+"),
        ("hxg8/Q", "hxg8=Q", ""),
        ("bxa8Q", "bxa8=Q", ""),
        ("e7e8q", "e7e8=Q", ""),
        ("Qh4++", "Qh4", "++"),
        ("Qxf7mate", "Qxf7", "#"),
        ("Bb5 ch.", "Bb5", "+"),
        ("Rd8†", "Rd8", "+"),
        ("ed", "exd", ""),
        ("e:d5", "exd5", ""),
        ("Ne5:", "Nxe5", ""),
        ("Ng1–f3", "Ng1f3", ""),
        ("♘×e5", "Nxe5", ""),
        ("dxc6 e.p.", "dxc6", ""),
        ("dxc6(ep)", "dxc6", ""),
    ],
)
def test_a_spelling_of_a_move_is_read(written, san, check):
    spelt = spell(written)
    assert (spelt.san, spelt.check) == (san, check)


@pytest.mark.parametrize(
    ("written", "signs"),
    [
        ("Nf3±", ("±",)),
        ("Nf3+-", ("+-",)),
        ("Nf3++-", ("+-",)),
        ("Nf3+/-", ("+/-",)),
        ("Nf3!?∓", ("!?", "∓")),
        ("Nf3−+", ("-+",)),
        ("Nf3N", ("N",)),
        ("e8=Q=", ("=",)),
    ],
)
def test_signs_behind_a_move_are_no_part_of_it(written, signs):
    assert spell(written).signs == signs


@pytest.mark.parametrize("text", ["", "N", "e9", "Sf3", "1-0", "Nf3y", "resigns", "be"])
def test_what_is_no_move_is_none(text):
    assert spell(text) is None


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.integers(0, 10_000), max_size=50), st.sampled_from(sorted(LANGUAGES))
)
def test_every_legal_move_is_found_in_every_language(picks, code):
    board = chess.Board()
    for pick in picks:
        legal = list(board.legal_moves)
        if not legal:
            break
        board.push(legal[pick % len(legal)])
    language = LANGUAGES[code]
    letters = dict(zip("KQRBNP", language.pieces, strict=True))
    for move in board.legal_moves:
        san = board.san(move)
        written = "".join(letters.get(each, each) for each in san)
        if san.startswith("O-O"):
            written = san
        spelt = spell(written, language)
        assert spelt is not None, written
        assert positions.find_move(board, spelt) == move
        assert not positions.overstated(board, move, spelt)
        assert positions.find_move(board, spell(move.uci())) == move


def test_languages_are_found_by_code_and_name():
    assert notation.find_language("de") is notation.find_language("german")
    refuses(
        ValueError,
        "'xx' are known; there are en English, de",
        notation.find_language,
        "xx",
    )
    assert all(len(set(each.pieces)) == 6 for each in LANGUAGES.values())
    assert [each.code for each in notation.languages_with("HG")] == ["pl", "hu"]
    assert ENGLISH not in notation.languages_with("")


PLAIN = "8/5p2/8/4k3/6K1/8/8/8 b - - 0 77"


@pytest.mark.parametrize(
    "text",
    [
        f'[FEN "{PLAIN}"]',
        f"FEN: {PLAIN}",
        f"'{PLAIN}'",
        f"position fen {PLAIN}",
        "https://www.chess.com/analysis?fen=8%2F5p2%2F8%2F4k3%2F6K1%2F8%2F8%2F8+b+-+-+0+77",
        "https://www.chess.com/dynboard?board=green&fen=8/5p2/8/4k3/6K1/8/8/8%20b%20-%20-%200%2077",
        "https://lichess.org/editor/8/5p2/8/4k3/6K1/8/8/8_b_-_-_0_77?color=white",
        "https://lichess.org/analysis/8/5p2/8/4k3/6K1/8/8/8_b_-_-_0_77#3",
        f"https://lichess.org/analysis/standard/{PLAIN.replace(' ', '_')}",
        PLAIN.replace(" ", "%20"),
        f"  {PLAIN.replace(' ', '  ')}\n",
    ],
)
def test_a_fen_is_found_in_what_stands_around_it(text):
    assert positions.read_fen(text).fen == PLAIN


@pytest.mark.parametrize(
    ("text", "fen", "said"),
    [
        ("4k2r/8/8/8/8/8/8/4K2R w kK - 0 1", "4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1", ""),
        (
            "4k3/8/8/8/8/8/8/4K2R w K — 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "— is read",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R W K - 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "W is read",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w  - 0 1",
            "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
            "castling rights",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w K 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "en passant square",
        ),
    ],
)
def test_a_fen_is_mended_and_that_is_said(text, fen, said):
    repaired = positions.repair_fen(text)
    assert repaired.position.fen == fen
    assert said in " ".join(repaired.repairs)
    assert bool(repaired.repairs) == bool(said)
