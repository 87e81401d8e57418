"""The gates of the built pages: what they see on a page that fails, and on one in order."""

import chess.pgn
import pytest

import gates
from chessgloss.commentary import game_page
from chessgloss.commentary.annotate import AnnotatedGame, Annotation

FINE = """<!doctype html><html lang="en"><title>Fine</title><main><article id="top"><h1>Fine</h1>
<p>A word. <a href="#top">Up</a></p>
<figure><img alt="A green square" src="a.svg"><figcaption>1</figcaption></figure>
</article></main></html>"""
WIDE = '<table class="wide" style="margin-left:-99px"><tr><td>x</table></article>'
NARROW = """<table style="width:3em;table-layout:fixed"><tr><td style="overflow-wrap:anywhere">
accuracy</table></article>"""
SQUARE = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9" fill="green"/></svg>'


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """One theme, a phone and a desk, and no wait until a small page stands still."""
    for name, value in {
        "WIDTHS": (390, 1280),
        "THEMES": ("light",),
        "SETTLES": 20,
    }.items():
        monkeypatch.setattr(gates, name, value)


def found(browser, folder, page):
    (folder / "a.svg").write_text(SQUARE)
    (folder / "page.html").write_text(page)
    return [what for _, what in gates.check(browser, folder, "page.html")]


def test_a_page_in_order_passes(browser, tmp_path):
    assert found(browser, tmp_path, FINE) == []


def test_each_fault_is_found(browser, tmp_path):
    faults = {
        "no words for a picture: a.svg": FINE.replace('alt="A green square"', ""),
        "no such anchor: #nowhere": FINE.replace("#top", "#nowhere"),
        "1 figures without a caption": FINE.replace("<figcaption>1</figcaption>", ""),
        "begins left of the screen: TABLE wide": FINE.replace("</article>", WIDE),
        "words of a table on two lines: accuracy": FINE.replace("</article>", NARROW),
        "asks for https://example.org/x.png": FINE.replace(
            "a.svg", "https://example.org/x.png"
        ),
        "oops": FINE.replace(
            "</main>", "<script>console.error('oops')</script></main>"
        ),
    }
    for fault, page in faults.items():
        assert any(fault in each for each in found(browser, tmp_path, page)), fault


def test_a_search_that_misses_its_page_is_found(browser, tmp_path):
    (tmp_path / "search.html").write_text(
        """<ul class="search"><li><a href="book/a.html?x=1">A</a></li></ul>"""
    )
    wanted = {"this": "a", "that": "b"}
    missed = [what for _, what in gates.check_search(browser, tmp_path, wanted)]
    assert missed == ["'that' does not find b"]


LONG = """<article><h1>Long</h1>{}<p>One two three.</p><details><summary>More</summary>
<p>Four five six seven.</p><table><tr><td>x</table></details>{}</article>"""
PICTURE = (
    '<img alt="Green" src="a.svg" style="width: 300px; height: 200px; display: block">'
)


def test_what_is_seen_of_a_page_is_counted_and_its_first_picture_found(
    browser, tmp_path
):
    (tmp_path / "a.svg").write_text(SQUARE)
    low = '<div style="height: 900px"></div>'
    lengths = []
    for body in (LONG.format(PICTURE, low), LONG.format(low, PICTURE)):
        (tmp_path / "page.html").write_text(f"<!doctype html>{body}")
        lengths.append(gates.measure(browser, tmp_path, "page.html"))
    assert [each.words for each in lengths] == [5, 5]
    assert [each.tables for each in lengths] == [0, 0]
    assert [each.pictured for each in lengths] == [True, False]
    assert all(1 < each.screens < 2 for each in lengths)


def test_a_link_that_leads_to_no_move_of_the_explorer_is_found(browser, tmp_path):
    game = chess.pgn.Game()
    game.add_line([chess.Move.from_uci("e2e4")])
    shown = game_page.describe_game(
        AnnotatedGame(game, (Annotation(None, text="Good."),), "")
    )
    folder = tmp_path / "book"
    folder.mkdir()
    player = game_page.player([shown | {"opens": 1}], level=2)
    (folder / "explorer.html").write_text(f"<!doctype html>{player}")
    start = "fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    links = [start, f"{start}&amp;move=e2e4", f"{start}&amp;move=d2d4"]
    (folder / "page.html").write_text(
        "".join(f'<a href="explorer.html#{each}">it</a>' for each in links)
    )
    found = list(gates.check_explorer(browser, tmp_path))
    assert [where for where, _ in found] == ["book/page.html"]
    assert "d2d4" in found[0][1]


def test_what_the_book_is_measured_by_is_the_sum_of_its_chapters():
    chapters = {
        "a": gates.Length(words=100, screens=2.5, tables=1, pictured=True),
        "b": gates.Length(words=50, screens=1.25, tables=0, pictured=False),
    }
    front = gates.Length(words=7, screens=1, tables=0, pictured=True)
    kept = gates.results(chapters, front, empty=3, unanswered=1)
    values = {key.removeprefix("book."): each["value"] for key, each in kept.items()}
    assert values == {
        "screens": 3.8,
        "words": 150,
        "front.words": 7,
        "pictures_first": 1,
        "explorer_links_empty": 3,
        "questions_found": len(gates.read_questions(gates.QUESTIONS)) - 1,
    }
