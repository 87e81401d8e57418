from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest

from chessgloss.annotate.page import describe, write_page
from chessgloss.annotate.reading import read_games
from chessgloss.annotate.records import AnnotatedGame, Note

PGN = Path(__file__).resolve().parents[1] / "data" / "pgn"
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"


def annotated(game: chess.pgn.Game, comments: dict[int, str] | None = None) -> AnnotatedGame:
    """A note on each ply: White gains five centipawns a ply; ply 8 has a better move."""
    notes = []
    for ply, move in enumerate(game.mainline_moves()):
        score = chess.engine.PovScore(chess.engine.Cp(5 * ply), chess.WHITE)
        better = ("h7h6", "d2d4") if ply == 7 and move.uci() == "d7d5" else ()
        text = (comments or {}).get(ply, "")
        notes.append(Note(ply, score, 6 if text else None, text, better, score))
    return AnnotatedGame(game, tuple(notes), "template, no model; Scripted 1")


@pytest.fixture(scope="module")
def sample() -> AnnotatedGame:
    (game,) = read_games(PGN / "variations.pgn")
    return annotated(game, {9: "The knight is loose.", 12: "Now the king walks."})


class Page(HTMLParser):
    """Collects what a page would load and what stands in its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.scripts: list[str] = []
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self._inside = tag == "script"
        if self._inside:
            self.scripts.append("")
        for key in ("src", "href", "data", "poster", "action"):
            if given.get(key) and not given[key].startswith("#"):
                self.loads.append(given[key])

    def handle_endtag(self, tag):
        self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.scripts[-1] += data


# ---------------------------------------------------------------- what the page is given


def test_the_tree_holds_every_line_with_its_values(sample: AnnotatedGame):
    told = describe(sample)
    nodes = told["nodes"]
    main = [0]
    while nodes[main[-1]]["next"]:
        main.append(nodes[main[-1]]["next"][0])
    assert len(main) == 26
    assert all(nodes[index]["main"] for index in main)
    final = sample.game.end().board()
    assert nodes[main[-1]]["placement"] == final.board_fen()
    ninth = nodes[main[10]]
    assert (ninth["san"], ninth["number"], ninth["white"]) == ("Nxd5", 5, False)
    assert ninth["gloss"] == "The knight is loose."
    assert ninth["comment"].startswith("הפרש")
    assert ninth["marks"] == "?", "the glyph of the game, not ours"
    assert ["g5", "f7", "green"] in ninth["arrows"]
    assert 0.5 < ninth["points"] < 0.6
    assert nodes[main[9]]["next"][0] == main[10]
    (other,) = (nodes[one] for one in nodes[main[9]]["next"][1:])
    assert (other["san"], other["before"], other["main"]) == ("Na5", "Better is", False)
    better = [nodes[one] for one in nodes[main[7]]["next"]][-1]
    assert (better["san"], better["gloss"]) == ("h6", "The engine's choice.")
    assert better["next"] and nodes[better["next"][0]]["san"] == "d4"
    for index, node in enumerate(nodes):
        assert all(nodes[one]["parent"] == index for one in node["next"])


def test_mate_and_draw_are_told_from_the_board():
    mate = chess.pgn.read_game(io.StringIO("1. f3 e5 2. g4 Qh4# 0-1"))
    notes = [Note(ply, None) for ply in range(4)]
    last = describe(AnnotatedGame(mate, tuple(notes), ""))["nodes"][-1]
    assert (last["score"], last["points"]) == ("checkmate", 0.0)
    mates = Note(3, chess.engine.PovScore(chess.engine.Mate(-2), chess.WHITE))
    start = '[FEN "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"]\n\n1. Qg6 1/2-1/2'
    stalemate = chess.pgn.read_game(io.StringIO(start))
    node = describe(AnnotatedGame(stalemate, (Note(0, None),), ""))["nodes"][-1]
    assert (node["score"], node["points"]) == ("draw", 0.5)
    before = describe(AnnotatedGame(mate, (*notes[:2], Note(2, mates.score), notes[3]), ""))
    assert before["nodes"][3]["score"] == "mate in 2"
    assert before["nodes"][3]["points"] == 0.0


def test_a_page_is_complete_in_itself_and_allows_one_script(sample: AnnotatedGame):
    text = write_page([sample])
    page = Page(text)
    assert page.loads == []
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")
    data, script = page.scripts
    assert json.loads(data)[0]["title"] == "Иванова, Анна – Grünfeld-Sommer, Jörg"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#x27;sha256-{digest}&#x27;" in text
    assert "default-src &#x27;none&#x27;" in text
    assert write_page([sample]) == text


def test_text_of_others_cannot_become_code():
    pgn = f'[White "{HOSTILE.replace(chr(34), "")}"]\n\n1. e4 {{{HOSTILE}}} *'
    game = chess.pgn.read_game(io.StringIO(pgn))
    text = write_page([annotated(game, {0: HOSTILE})])
    page = Page(text)
    assert len(page.scripts) == 2
    assert page.loads == []
    assert HOSTILE in json.loads(page.scripts[0])[0]["nodes"][1]["gloss"]


# ---------------------------------------------------------------- in a real browser


class Seen:
    """An open page with the requests and errors that it made."""

    def __init__(self, browser, path: Path, **options) -> None:
        self.page = browser.new_page(**options)
        self.page.set_default_timeout(60_000)
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: said.type == "error" and self.errors.append(said.text))
        self.page.goto(path.as_uri())

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, name: str) -> str:
        return self.page.locator(f"#{name}").inner_text()


@pytest.mark.browser
def test_a_game_is_played_by_keys_and_clicks(sample: AnnotatedGame, browser, tmp_path: Path):
    path = tmp_path / "game.html"
    path.write_text(write_page([sample]), encoding="utf-8")
    seen = Seen(browser, path, viewport=DESK)
    page = seen.page
    assert seen.text("move-name") == "The start"
    assert page.locator("#board use").count() == 32
    assert page.locator("#back").is_disabled()
    seen.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert seen.text("move-name") == "1. e4"
    assert page.locator("#board .played").count() == 2
    seen.press("ArrowDown", "ArrowDown", "ArrowDown")
    assert seen.text("move-name") == "5… Nxd5?"
    assert seen.text("gloss") == "The knight is loose."
    assert seen.text("human").startswith("הפרש")
    assert "+0.45" in seen.text("numbers")
    assert page.locator("#board line.arrow").count() == 2
    seen.press("ArrowUp")
    assert seen.text("move-name") == "4… d5"
    seen.press("End")
    assert seen.text("move-name") == "13. Re1"
    assert page.locator("#forward").is_disabled()
    seen.press("Home")
    page.get_by_role("button", name="d3", exact=True).first.click()
    assert seen.text("move-name") == "4. d3"
    seen.press("ArrowRight")
    assert seen.text("move-name") == "4… Bc5"
    seen.press("ArrowLeft")
    assert page.locator("#choices button").all_inner_texts() == ["4… Bc5", "4… Be7!"]
    page.locator("#choices button").nth(1).click()
    assert seen.text("move-name") == "4… Be7!"
    seen.press("f")
    corner = page.locator("#board .coordinate").first.inner_html()
    assert corner in {"8", "h", "1"}
    assert page.locator("#bar.turned").count() == 1
    page.locator("#play").click()
    assert page.locator("#play").get_attribute("aria-pressed") == "true"
    seen.press("Home")
    assert page.locator("#play").get_attribute("aria-pressed") == "false"
    assert seen.errors == []
    assert seen.requests == [path.as_uri()]
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_everything_in_both_schemes(
    sample: AnnotatedGame, browser, tmp_path: Path, scheme: str
):
    path = tmp_path / "game.html"
    path.write_text(write_page([sample]), encoding="utf-8")
    seen = Seen(browser, path, viewport=PHONE, color_scheme=scheme)
    page = seen.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    board = page.locator("#board").bounding_box()
    assert board["width"] > 300
    assert abs(board["width"] - board["height"]) < 2
    for button in page.locator(".controls button").all():
        assert button.bounding_box()["height"] >= 44
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = sum(map(int, re.findall(r"\d+", paper)[:3])) > 380
    assert light == (scheme == "light")
    page.locator("#theme").click()
    turned = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert turned != paper
    assert seen.errors == []
    page.close()


@pytest.mark.browser
def test_nothing_hostile_runs_and_several_games_are_offered(
    sample: AnnotatedGame, browser, tmp_path: Path
):
    game = chess.pgn.read_game(io.StringIO(f'[White "{HOSTILE}"]\n\n1. e4 {{{HOSTILE}}} *'))
    path = tmp_path / "games.html"
    path.write_text(write_page([annotated(game, {0: HOSTILE}), sample]), encoding="utf-8")
    seen = Seen(browser, path, viewport=DESK)
    seen.press("ArrowRight")
    assert seen.text("gloss") == HOSTILE
    assert seen.page.evaluate("window.hacked") is None
    assert seen.page.locator("#games option").count() == 2
    seen.page.locator("#games").select_option("1")
    assert seen.text("players").startswith("Иванова")
    assert seen.text("move-name") == "The start"
    assert seen.errors == []
    assert seen.requests == [path.as_uri()]
    seen.page.close()
