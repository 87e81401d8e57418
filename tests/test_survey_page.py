"""The form: complete in itself, silent about methods, and filled in by a real browser."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from chessgloss.claims import verify
from chessgloss.corpora.games import read_games
from chessgloss.survey import study
from chessgloss.survey.reading import read_ratings
from fakes.pages import DESK, HOSTILE, PHONE, Page
from scripts import SELFPLAY

METHODS = ("reference", "gac", "llm", "llm_expert", "ccc")
WORDS = ("knight", "bishop", "rook", "queen", "pawn")


@pytest.fixture(scope="module")
def key():
    moves = []
    for number, game in enumerate(read_games(SELFPLAY, 20), start=1):
        texts = dict(zip(METHODS, (f"Move {number}: the {word}." for word in WORDS), strict=True))
        fen, name = game.position(12).fen, f"secret-source/{number}"
        moves.append(study.StudyMove(name=name, fen=fen, move=game.moves[12], comments=texts))
    return key_of(*moves)


def key_of(*moves: study.StudyMove, title: str = "A study of commentary") -> study.Key:
    return study.Key(study=study.Study(title=title, moves=moves), secret="5a" * 32)


def hostile_key(key: study.Key) -> study.Key:
    """One move, whose title and comments would be code if the page let them."""
    texts = {name: f"{name} {HOSTILE}" for name in METHODS}
    return key_of(key.study.moves[0].model_copy(update={"comments": texts}), title=HOSTILE)


# ---------------------------------------------------------------- the text of the page


def test_a_form_is_complete_in_itself_and_allows_one_script(key):
    text = study.write_form(key)
    page = Page(text)
    assert page.loads == []
    assert "://" not in re.sub(r"http://www\.w3\.org/\d+/\w+", "", text)
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].encode()).digest()).decode()
    assert f"script-src &#x27;sha256-{digest}&#x27;" in text
    assert "default-src &#x27;none&#x27;" in text
    assert study.write_form(key) == text
    assert page.fields <= page.labelled


def test_no_method_and_nothing_of_the_key_is_in_the_page(key):
    text = study.write_form(key)
    told = json.loads(Page(text).scripts[0])
    assert key.secret not in text
    assert "secret-source" not in text
    for method in METHODS:
        assert not re.search(rf"(?<![#\w])(?i:{method})(?!\w)", text), "as a word, not a colour"
    places = {method: set() for method in METHODS}
    names = key.items()
    for items in (move["items"] for move in told["moves"]):
        assert [one["id"] for one in items] == sorted(one["id"] for one in items)
        for place, one in enumerate(items):
            places[names[one["id"]][1]].add(place)
    assert all(len(found) > 1 for found in places.values()), "no method has a fixed place"


def test_comments_cannot_become_code(key):
    page = Page(study.write_form(hostile_key(key), study.Settings(organiser=HOSTILE)))
    assert len(page.scripts) == 2
    assert page.loads == []
    assert json.loads(page.scripts[0])["moves"][0]["items"][0]["text"].endswith(HOSTILE)


def test_of_the_examples_of_the_instructions_the_good_one_is_true_and_the_bad_one_false(key):
    shown = BeautifulSoup(study.write_form(key), "lxml").select("blockquote")[:3:2]
    good, bad = (verify(each.get_text(), study.GUIDE) for each in shown)
    assert len(good) > 5 and {each.verdict for each in good} == {"true"}
    assert "false" in {each.verdict for each in bad}


# ---------------------------------------------------------------- in a real browser


class Rater:
    """Somebody who fills in the form, with what the page asked for and complained of."""

    def __init__(self, browser, path: Path, **options) -> None:
        self.context = browser.new_context(accept_downloads=True, **options)
        self.path = path
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.open()

    def open(self) -> None:
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda one: one.type == "error" and self.errors.append(one.text))
        self.page.goto(self.path.as_uri())

    def begin(self, code: str, *, pilot: bool = False) -> None:
        introduce(self.page, code, "chesscom_rapid", rating="1776", pilot=pilot)
        self.page.get_by_role("button", name="Start rating").click()

    def resume(self, name: str) -> None:
        """Go on with a kept session; on a busy machine the storage may lag behind the page."""
        for _ in range(20):
            button = self.page.get_by_role("button", name=name)
            if button.count():
                button.click()
                return
            self.page.wait_for_timeout(500)
            self.page.reload()
        raise AssertionError(f"{name!r} is not offered, but {self.text('sessions')!r}")

    def press(self, keys: str) -> None:
        for one in keys:
            self.page.keyboard.press("Enter" if one == "\n" else one)

    def text(self, name: str) -> str:
        return self.page.locator(f"#{name}").inner_text()

    def download(self, button: str, target: Path) -> dict:
        with self.page.expect_download() as started:
            self.page.locator(button).click()
        started.value.save_as(target)
        return json.loads(target.read_text())


def introduce(page, code: str, scale: str, *, rating: str = "", pilot: bool = False) -> None:
    """Fill in all that comes before the examples, on a page or in a frame of it."""
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Begin").click()
    page.get_by_label("Participant code").fill(code)
    page.get_by_label("Your rating is one of").select_option(scale)
    if rating:
        page.get_by_label("Your rating", exact=True).fill(rating)
    page.get_by_label("I read and write English").check()
    if pilot:
        page.get_by_label("This is a pilot run").check()
    page.get_by_role("button", name="Go on", exact=True).click()
    page.get_by_role("button", name="See three rated examples").click()


def keys_for(number: int) -> str:
    """Keys that rate comment ``number`` (from 0) in its own way, and go on."""
    correct = 1 + number % 3
    causes = "" if correct == 3 else f"{1 + number % 4}\n"
    others = "".join(str(1 + (number + k) % 5) for k in range(4))
    return f"{correct}{causes}{others}\n"


@pytest.fixture
def form(key, tmp_path):
    path = tmp_path / "form.html"
    path.write_text(study.write_form(key, study.Settings(break_minutes=0)), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.browser
def test_a_session_of_twenty_moves_is_interrupted_resumed_and_read(key, form, browser, tmp_path):
    rater = Rater(browser, form, viewport=DESK)
    rater.begin("p07")
    known = key.items()
    by_move = [[item for item, (n, _) in known.items() if n == number] for number in range(1, 21)]
    order = [item for items in by_move for item in study.shown_order("P07", items)]
    texts = [key.study.moves[n - 1].comments[m] for n, m in (known[item] for item in order)]
    for number in range(37):
        assert rater.text("comment") == texts[number]
        rater.press(keys_for(number))
    rater.press("2")  # half an answer is kept as well
    rater.page.wait_for_timeout(1_000)  # the browser writes its storage behind the page
    rater.page.close()
    rater.open()
    rater.resume("P07: 37 of 100 rated")
    assert rater.text("where") == "37 of 100 rated"
    assert rater.page.locator("#q-correctness input:checked").get_attribute("value") == "2"
    for number in range(37, 100):
        assert rater.text("comment") == texts[number]
        rater.press(keys_for(number).removeprefix("2" if number == 37 else ""))
        if number == 49:
            assert rater.page.locator("#step-break").is_visible()
            assert "50 comments rated, 50 to go" in rater.text("break-text")
            rater.page.reload()
            rater.resume("P07: 50 of 100 rated")
            rater.page.get_by_role("button", name="Go on rating").click()
    assert "You rated 100 comments on 20 moves" in rater.text("end-text")
    rater.page.get_by_label("Anything to tell us").fill("Fünf Züge <b>waren</b> schwer.")
    told = rater.download("#finish", tmp_path / "ratings-P07.json")
    assert [one["item"] for one in told["comments"]] == order
    assert told["remarks"] == "Fünf Züge <b>waren</b> schwer."
    ratings = read_ratings([tmp_path / "ratings-P07.json"], key)
    assert not ratings.simulated
    rows = ratings.frame
    assert rows["correctness"].tolist() == [1 + number % 3 for number in range(100)]
    for k, name in enumerate(list(study.DIMENSIONS)[1:]):
        assert rows[name].tolist() == [1 + (number + k) % 5 for number in range(100)]
    assert rows["cause_tactical"].sum() == sum(n % 4 == 1 and n % 3 < 2 for n in range(100))
    assert ratings.notes == ("P07: Chess.com rapid 1776",)
    assert rater.errors == []
    assert {one for one in rater.requests if not one.startswith("blob:")} == {form.as_uri()}
    rater.context.close()


@pytest.mark.browser
def test_a_pilot_is_short_and_nothing_may_be_left_out(key, form, browser, tmp_path):
    rater = Rater(browser, form, viewport=PHONE, color_scheme="dark")
    page = rater.page
    rater.begin("pilot-1", pilot=True)
    assert rater.text("where") == "0 of 20 rated"
    page.get_by_role("button", name="Next comment").click()
    assert "correctness, relevance" in rater.text("missing")
    page.get_by_role("radio", name="2", exact=True).first.check()
    assert page.locator("#q-causes").is_visible()
    page.locator("#q-relevance input").nth(2).check()
    page.get_by_role("button", name="Next comment").click()
    assert "at least one cause" in rater.text("missing")
    page.get_by_label("Something else").check()
    page.get_by_role("button", name="Next comment").click()
    assert "what else is wrong" in rater.text("missing")
    page.get_by_label("What else is wrong").fill("It is a 5 b riddle.")
    for name in ("completeness", "clarity", "fluency"):
        page.locator(f"#q-{name} input").nth(4).check()
    page.get_by_label("Pilot: was anything unclear").fill("What is b?")
    page.get_by_role("button", name="Next comment").click()
    assert rater.text("where") == "1 of 20 rated"
    assert page.evaluate("document.activeElement.id") == "rate-title"
    rater.press("b")
    assert page.locator("#other").input_value() == "It is a 5 b riddle."
    page.locator("#q-correctness input").nth(1).focus()
    rater.press("3")
    assert page.locator("#q-causes").is_hidden()
    page.get_by_text("Help and keys").click()
    told = rater.download("#step-rate .download", tmp_path / "part.json")
    first = told["comments"][0]
    assert (first["correctness"], first["causes"], first["other"]) == (3, [], "")
    assert (first["relevance"], first["remark"]) == (3, "What is b?")
    assert told["comments"][1]["relevance"] is None
    assert (told["pilot"], len(told["comments"])) == (True, 20)
    page.evaluate("document.querySelectorAll('main > section').forEach(one => one.hidden = false)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert rater.errors == []
    rater.context.close()


@pytest.mark.browser
def test_nothing_hostile_runs_and_a_break_is_kept(key, browser, tmp_path):
    form = tmp_path / "form.html"
    form.write_text(study.write_form(hostile_key(key), study.Settings(HOSTILE, block=2)), "utf-8")
    rater = Rater(browser, form, viewport=DESK)
    assert HOSTILE in rater.text("organiser")
    rater.begin("P1")
    assert rater.text("comment").endswith(HOSTILE)
    rater.press(keys_for(2) + keys_for(5))
    assert rater.page.locator("#continue").is_disabled()
    assert re.fullmatch(r"(10:00|9:5\d)", rater.text("timer"))
    rater.page.reload()
    rater.resume("P1: 2 of 5 rated")
    assert rater.page.locator("#continue").is_disabled()
    rater.page.evaluate("() => { const now = Date.now(); Date.now = () => now + 600500; }")
    rater.page.get_by_role("button", name="Go on rating").click()
    assert rater.page.locator("#step-rate").is_visible()
    assert rater.page.evaluate("window.hacked") is None
    assert rater.errors == []
    rater.context.close()


@pytest.mark.browser
def test_a_frame_without_storage_still_works_and_says_so(key, browser, tmp_path):
    inside = html.escape(study.write_form(key_of(key.study.moves[0])))
    frame = f'<iframe sandbox="allow-scripts allow-forms" srcdoc="{inside}"></iframe>'
    path = tmp_path / "frame.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{frame}", "utf-8")
    rater = Rater(browser, path, viewport=DESK)
    inner = rater.page.frame_locator("iframe")
    introduce(inner, "P1", "none")
    assert "does not keep your answers" in inner.locator("#notice").inner_text()
    assert rater.errors == []
    rater.context.close()
