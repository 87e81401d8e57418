"""The form: complete in itself, silent about methods, and filled in by a real browser."""

import html
import json
import re
from functools import partial
from pathlib import Path

import pytest

from chessgloss.claims import decide
from chessgloss.claims.language import parse_claims
from chessgloss.survey import study
from chessgloss.survey.reading import read_ratings
from fakes.pages import DESK, HOSTILE, PHONE, Tab, read_whole_page
from scripts import selfplay

METHODS = ("reference", "gac", "bare", "verdict", "ccc")
WORDS = ("knight", "bishop", "rook", "queen", "pawn")


@pytest.fixture(scope="module")
def key():
    moves = []
    for number, game in enumerate(selfplay(20), start=1):
        texts = [f"Move {number}: the {word}." for word in WORDS]
        moves.append(
            study.StudyMove(
                name=f"secret-source/{number}",
                fen=game.position(12).fen,
                move=game.moves[12],
                comments=dict(zip(METHODS, texts, strict=True)),
            )
        )
    return key_of(*moves)


def key_of(*moves: study.StudyMove, title: str = "A study of commentary") -> study.Key:
    return study.Key(study=study.Study(title=title, moves=moves), secret="5a" * 32)


# ---------------------------------------------------------------- the text of the page


def test_a_form_is_complete_in_itself_and_allows_one_script(key):
    text = study.write_form(key)
    page, _ = read_whole_page(text)
    fields = page.select("select, textarea, input:not([type=checkbox])")
    labels = page("label", attrs={"for": True})
    labelled = {label["for"] for label in labels}
    assert {field.get("id", "") for field in fields} <= labelled


def test_no_method_and_nothing_of_the_key_is_in_the_page(key):
    text = study.write_form(key)
    _, told = read_whole_page(text)
    assert key.secret not in text
    assert "secret-source" not in text
    for method in METHODS:  # as a word, not a colour
        assert not re.search(rf"(?<![#\w])(?i:{method})(?!\w)", text)
    for move in told["moves"]:
        items = [one["id"] for one in move["items"]]
        assert items == sorted(items), "no method has a fixed place"


#: What the good and the bad example of the instructions claim, as a reader writes it down.
GOOD = (
    "fork piece=moved target=bQ,bR when=after; "
    "attacks piece=wQ target=bK when=after line=Kxf7,Qf3+"
)
BAD = "not can side=black move={piece:K,to:f7,captures:N} when=after"


def test_of_the_examples_of_the_instructions_the_good_one_is_true_and_the_bad_one_false(
    key,
):
    shown = read_whole_page(study.write_form(key))[0].select("blockquote")[:3:2]
    good, bad = (each.get_text() for each in shown)
    assert "forks queen and rook" in good and "7. Qf3+" in good
    assert "the castled king cannot take the knight" in bad
    verdicts = [
        {each.verdict for each in decide(parse_claims(claims), study.GUIDE)}
        for claims in (GOOD, BAD)
    ]
    assert verdicts == [{"true"}, {"false"}]


# ---------------------------------------------------------------- in a real browser


class Rater(Tab):
    """Somebody who fills in the form."""

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

    def type(self, keys: str) -> None:
        self.press(*("Enter" if one == "\n" else one for one in keys))

    def download(self, button: str, target: Path) -> dict:
        with self.page.expect_download() as started:
            self.page.locator(button).click()
        started.value.save_as(target)
        return json.loads(target.read_text())


def introduce(
    page, code: str, scale: str, *, rating: str = "", pilot: bool = False
) -> None:
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
def open_form(key, open_tab):
    text = study.write_form(key, study.Settings(break_minutes=0))
    return partial(open_tab, text, Rater)


@pytest.mark.slow
@pytest.mark.browser
def test_a_session_of_twenty_moves_is_interrupted_resumed_and_read(
    key, open_form, tmp_path
):
    rater = open_form(viewport=DESK)
    rater.begin("p07")
    known = key.items()
    items = [*known]
    by_move = [items[first : first + 5] for first in range(0, 100, 5)]
    order = [item for each in by_move for item in study.shown_order("P07", each)]
    places = [known[item] for item in order]
    texts = [key.study.moves[number - 1].comments[name] for number, name in places]
    for number in range(37):
        assert rater.text("comment") == texts[number]
        rater.type(keys_for(number))
    rater.type("2")  # half an answer is kept as well
    rater.page.wait_for_timeout(1_000)  # the browser writes its storage behind the page
    rater.page.close()
    rater.open()
    rater.resume("P07: 37 of 100 rated")
    half = rater.page.locator("#q-correctness input:checked")
    assert half.get_attribute("value") == "2"
    for number in range(37, 100):
        assert rater.text("comment") == texts[number]
        rater.type(keys_for(number).removeprefix("2" if number == 37 else ""))
        if number == 49:
            assert "50 comments rated, 50 to go" in rater.text("break-text")
            rater.page.get_by_role("button", name="Go on rating").click()
    assert "You rated 100 comments on 20 moves" in rater.text("end-text")
    rater.page.get_by_label("Anything to tell us").fill(
        "Fünf Züge <b>waren</b> schwer."
    )
    told = rater.download("#finish", tmp_path / "ratings-P07.json")
    assert [one["item"] for one in told["comments"]] == order
    assert told["remarks"] == "Fünf Züge <b>waren</b> schwer."
    ratings = read_ratings([tmp_path / "ratings-P07.json"], key)
    rows = ratings.frame
    assert rows["correctness"].tolist() == [1 + number % 3 for number in range(100)]
    for k, name in enumerate(list(study.DIMENSIONS)[1:]):
        assert rows[name].tolist() == [1 + (number + k) % 5 for number in range(100)]
    assert ratings.notes == ("P07: Chess.com rapid 1776",)


@pytest.mark.browser
def test_a_pilot_is_short_and_nothing_may_be_left_out(open_form, tmp_path):
    rater = open_form(viewport=PHONE, color_scheme="dark")
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
    page.get_by_label("What else is wrong").fill("It is a 5 b riddle.")
    for name in ("completeness", "clarity", "fluency"):
        page.locator(f"#q-{name} input").nth(4).check()
    page.get_by_label("Pilot: was anything unclear").fill("What is b?")
    page.get_by_role("button", name="Next comment").click()
    assert rater.text("where") == "1 of 20 rated"
    assert page.evaluate("document.activeElement.id") == "rate-title"
    rater.type("b")
    assert page.locator("#other").input_value() == "It is a 5 b riddle."
    page.locator("#q-correctness input").nth(1).focus()
    rater.type("3")
    assert page.locator("#q-causes").is_hidden()
    page.get_by_text("Help and keys").click()
    told = rater.download("#step-rate .download", tmp_path / "part.json")
    kept = {"correctness": 3, "causes": [], "other": "", "remark": "What is b?"}
    assert kept.items() <= told["comments"][0].items()
    assert told["comments"][1]["relevance"] is None
    assert (told["pilot"], len(told["comments"])) == (True, 20)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.browser
def test_nothing_hostile_runs_and_a_break_is_kept(key, open_tab):
    comments = {name: f"{name} {HOSTILE}" for name in METHODS}
    move = key.study.moves[0].model_copy(update={"comments": comments})
    text = study.write_form(
        key_of(move, title=HOSTILE), study.Settings(HOSTILE, block=2)
    )
    _, told = read_whole_page(text)
    assert told["moves"][0]["items"][0]["text"].endswith(HOSTILE)
    rater = open_tab(text, Rater, viewport=DESK)
    assert HOSTILE in rater.text("organiser")
    rater.begin("P1")
    assert rater.text("comment").endswith(HOSTILE)
    rater.type(keys_for(2) + keys_for(5))
    assert re.fullmatch(r"(10:00|9:5\d)", rater.text("timer"))
    rater.page.reload()
    rater.resume("P1: 2 of 5 rated")
    assert rater.page.locator("#continue").is_disabled()
    rater.page.evaluate(
        "() => { const now = Date.now(); Date.now = () => now + 600500; }"
    )
    rater.page.get_by_role("button", name="Go on rating").click()
    assert rater.page.locator("#step-rate").is_visible()
    assert rater.page.evaluate("window.hacked") is None


@pytest.mark.browser
def test_a_frame_without_storage_still_works_and_says_so(key, open_tab):
    inside = html.escape(study.write_form(key_of(key.study.moves[0])))
    frame = f'<iframe sandbox="allow-scripts allow-forms" srcdoc="{inside}"></iframe>'
    page = open_tab(f"<!doctype html><meta charset=utf-8>{frame}", viewport=DESK).page
    inner = page.frame_locator("iframe")
    introduce(inner, "P1", "none")
    assert "does not keep your answers" in inner.locator("#notice").inner_text()
