"""The pictures of chapters that answer, in a browser: chosen, read, and without any script."""

import shutil

import chess
import matplotlib.pyplot as plt
import numpy as np
import pytest

import gates
from chessgloss import report
from chessgloss.experts.boards import read_boards
from scripts import PROJECT, refuses

pytestmark = pytest.mark.browser

PLACE = "book/executed/page.html"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A chapter</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy"
content="default-src 'self' file:; style-src 'self' file: 'unsafe-inline'">
<link rel="stylesheet" href="../../_static/chessgloss.css">
<main><article class="bd-article"><h1>A chapter</h1>{}</article></main></html>"""
WORDS = {
    "one": 'First: "10 %" & <less>',
    "two": "Second: 20 %",
    "three": "Third: 30 %",
}
GAMES = {
    "a short game": ["e2e4", "e7e5", "g1f3", "b8c6"],
    "another": ["d2d4", "d7d5", "c2c4"],
}


def figure():
    """Three points, each with a span that is seen with it."""
    drawn, axes = plt.subplots()
    for place, key in enumerate(WORDS):
        axes.axvspan(0, place + 1, gid=f"with-{key}", color="red", alpha=0.2)
        axes.plot(place, place, "o", gid=f"point-{key}")
    return drawn


def readings(moves):
    """Probabilities that are right but on e4, which is read as a white queen."""
    board = chess.Board()
    fens = []
    for uci in moves:
        board.push_uci(uci)
        fens.append(board.fen())
    codes = read_boards(fens).squares
    chances = np.eye(13)[codes] * 0.74 + 0.02
    chances[:, chess.E4] = 0
    chances[:, chess.E4, [0, 1, 5]] = 0.2, 0.2, 0.6
    return moves, chances


@pytest.fixture
def open_page(browser, tmp_path):
    """Opens a page with what a chapter shows; says what it asked for and complained of."""
    opened = []

    def show(*shown, scripts=True, width=1280):
        page_file = tmp_path / PLACE
        page_file.parent.mkdir(parents=True, exist_ok=True)
        for name in ("explorables.js", "chessgloss.css"):
            (tmp_path / "_static").mkdir(exist_ok=True)
            shutil.copy(PROJECT / "book/_static" / name, tmp_path / "_static")
        page_file.write_text(PAGE.format("".join(each.html for each in shown)), "utf-8")
        context = browser.new_context(
            java_script_enabled=scripts, viewport={"width": width, "height": 900}
        )
        page = context.new_page()
        page.goto(page_file.as_uri())
        opened.append(context)
        return page

    yield show
    for context in opened:
        context.close()


def choose(**options):
    given = {"alt": "Three points.", "start": "two", **options}
    return report.choosable(figure(), WORDS, "Point", **given)


def seen_spans(page):
    return page.evaluate(
        "[...document.querySelectorAll('[data-with]')].filter(each => "
        "getComputedStyle(each).visibility === 'visible').map(each => each.dataset.with)"
    )


def test_points_and_words_belong_together():
    refuses(ValueError, "starting at 'four'", choose, start="four")
    some = {"one": "First", "four": "Fourth"}
    with pytest.raises(ValueError, match="points"):
        report.choosable(figure(), some, "Point", alt="", start="one")


def test_a_slider_and_a_pointer_choose_a_point_and_what_is_seen_with_it(open_page):
    page = open_page(choose(slider=True))
    said = page.locator("[role=status]")
    assert said.inner_text() == WORDS["two"]
    assert seen_spans(page) == ["two"]
    slider = page.get_by_role("slider", name="Point")
    slider.press("ArrowRight")
    assert said.inner_text() == WORDS["three"]
    assert slider.get_attribute("aria-valuetext") == "Third"
    assert seen_spans(page) == ["three"]
    box = page.locator("[data-point=one]").bounding_box()
    page.mouse.move(box["x"] + box["width"] + 6, box["y"])  # near is enough
    assert said.inner_text() == WORDS["one"]
    assert slider.input_value() == "0"
    box = page.locator("[data-point=two]").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"])
    assert said.inner_text() == WORDS["one"], "nothing is near"


def test_without_a_script_and_in_print_the_picture_is_there_and_no_control(open_page):
    shown = report.board_readings(
        {name: readings(moves) for name, moves in GAMES.items()}, ply=3, square=28
    )
    page = open_page(choose(), shown, scripts=False)
    assert seen_spans(page) == ["two"]
    assert page.locator("[data-point=one] > title").text_content() == WORDS["one"]
    assert page.locator(".still svg").count() == 2
    assert page.locator(".still").is_visible()
    assert page.locator("input, select").count() == 0
    page = open_page(choose(), shown)
    assert not page.locator(".still").is_visible()
    page.emulate_media(media="print")
    assert page.locator(".still").is_visible()
    assert not page.locator(".live").first.is_visible()


def test_a_board_says_what_is_read_and_what_is_there(open_page):
    games = {name: readings(moves) for name, moves in GAMES.items()}
    page = open_page(report.board_readings(games, ply=3, square=chess.E4))
    said = page.locator("[role=status]")
    assert said.inner_text() == (
        "e4 after 2. Nf3: read as a white queen (60 %), while a white pawn is there (20 %). "
        "63 of 64 squares are read rightly."
    )
    board = page.get_by_role("application")
    board.press("ArrowUp")
    assert said.inner_text().startswith(
        "e5 after 2. Nf3: read as a black pawn (77 %), which is right."
    )
    page.get_by_role("slider").press("Home")
    assert said.inner_text().startswith("e5 after 1. e4: read as nothing")
    box = board.bounding_box()
    step = box["width"] / 8
    board.click(position={"x": 4.5 * step, "y": 4.5 * step})
    assert said.inner_text().startswith("e4 after 1. e4: read as a white queen")
    page.get_by_role("combobox", name="Game").select_option("another")
    assert said.inner_text().startswith("e4 after 1. d4: read as a white queen (60 %)")
    assert "while nothing is there (20 %)" in said.inner_text()
    page.locator(".history").click(position={"x": 2, "y": 5})
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "1. d4"


def test_the_gates_find_nothing(open_page, browser, tmp_path, monkeypatch):
    monkeypatch.setattr(gates, "SETTLES", 50)
    games = {name: readings(moves) for name, moves in GAMES.items()}
    shown = report.board_readings(games, ply=3, square=28)
    page = open_page(choose(), choose(slider=True), shown)
    assert list(gates.check(browser, tmp_path, PLACE)) == []
    names = page.get_by_role("combobox", name="Point")
    names.select_option("Third")
    assert page.locator("[role=status]").first.inner_text() == WORDS["three"]
