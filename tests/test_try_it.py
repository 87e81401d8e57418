"""The page "Try it" in a real browser, from a plain server: what it says, loads and survives."""

import asyncio
import functools
import gzip
import hashlib
import json
import re
import shutil
import tomllib
from urllib.parse import urlencode

import chess
import dodo
import pytest
from bs4 import BeautifulSoup

import chessgloss
import gates
import live_files
from chessgloss.commentary.asking import read_briefings
from chessgloss.concepts.priority import prioritise
from chessgloss.experts import load_expert
from chessgloss.live import LiveBook, describe_claim, describe_move
from scripts import DATA, FIGURE_A5, FIGURE_A6, PROJECT, or_skip, refuses, run_apart
from test_live import CONCEPT_MOVES, native_terms

pytestmark = pytest.mark.browser

#: The address's end for the move that most tests comment on, without a text.
BXE6 = "#" + urlencode({"fen": FIGURE_A6, "move": "f5e6"})
COMMENT = "White takes the pawn with check. Black can take the bishop with the rook."
PAGE = gates.LIVE_PAGE
ORACLE_FILE = "/_static/live/stockfish8.js.gz"
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The page built alone, with the files that it runs; skipped where npm brought none."""
    folder = tmp_path_factory.mktemp("try_it")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dodo, "LIVE", folder / "live")
        if (PROJECT / "node_modules").is_dir():
            (folder / "node_modules").symlink_to(PROJECT / "node_modules")
        try:
            live_files.write_files(PROJECT, folder / "live")
        except live_files.PackagesMissing as missing:
            pytest.skip(str(missing))
        failure = dodo.build_live_page(folder)
    assert failure is None, failure.get_msg()
    return folder / "_build/html"


class Visit:
    """The page in a tab, with what it asked for."""

    def __init__(self, browser, folder, address, at=BXE6, **options) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.traffic = gates.Traffic(self.page, folder, address)
        self.page.goto(f"{address}/{PAGE}{at}")

    def text(self, name):
        return self.page.locator(f"#{name}").inner_text()

    def wait(self, name, words):
        self.page.locator(f"#{name}", has_text=words).wait_for()

    def write(self, text):
        self.page.locator("#text").fill("")
        self.page.locator("#text").press_sequentially(text)

    def ask(self, **question):
        self.page.locator("#board .piece").first.wait_for()
        return self.page.evaluate("question => tryIt.library.ask(question)", question)

    def click_square(self, name):
        box = self.page.locator("#board").bounding_box()
        file, rank = ord(name[0]) - ord("a"), int(name[1]) - 1
        step = box["width"] / 8
        position = {"x": (file + 0.5) * step, "y": (7.5 - rank) * step}
        self.page.locator("#board").click(position=position)


@pytest.fixture
def visit(browser, site):
    """Opens the page; at the end it has asked nobody else for anything."""
    opened = []
    with gates.serve(site) as address:

        def open_page(at=BXE6, folder=site, **options):
            opened.append(Visit(browser, folder, address, at, **options))
            return opened[-1]

        yield open_page
        for each in opened:
            each.context.close()
        assert [each.traffic.foreign for each in opened if each.traffic.foreign] == []


def test_a_comment_is_marked_while_one_types_and_the_page_stays_light_until_then(visit):
    tab = visit("")
    tab.page.locator("#board .piece").first.wait_for()
    assert tab.traffic.total < gates.WEIGHT
    assert not [
        name for name in tab.traffic.loaded if "worker" in name or ".gz" in name
    ]
    before = tab.traffic.total
    tab.page.goto(tab.page.url.partition("#")[0] + BXE6)
    tab.page.reload()
    tab.write(COMMENT)
    tab.wait("counts", "1 true, 1 false")
    assert "/_static/live/app.zip.gz" in tab.traffic.loaded
    assert ORACLE_FILE not in tab.traffic.loaded
    tab.write("White is winning.")
    tab.wait("counts", "1 true")  # by the engine, which came with the first check
    assert "/_static/live/stockfish.wasm.gz" in tab.traffic.loaded
    assert tab.traffic.total - before < gates.USED_WEIGHT
    tab.write(COMMENT)
    tab.wait("marked", "with the rook")
    tab.wait("counts", "1 true, 1 false")
    false = tab.page.locator("#marked .claim-false").first
    evidence = false.locator(".evidence")
    assert "Black can take the bishop with the rook" in false.inner_text()
    assert not evidence.is_visible()
    false.focus()
    assert evidence.is_visible()
    assert evidence.inner_text().startswith("move, false: ")
    false.blur()
    false.hover()
    assert evidence.is_visible()


def test_the_claims_are_the_native_ones_on_the_whole_gold_set(visit):
    rows = (DATA / "claims/dev.jsonl").read_text("utf-8").splitlines()
    given = []
    native = []
    for row in map(json.loads, rows):
        move = chessgloss.read_move(row["fen"], row["move"])
        place = {"fen": move.position.fen, "uci": move.uci}
        given.append({"task": "check", "move": place, "text": row["text"]})
        checked = chessgloss.check(row["text"], move)
        native.append([values_of(describe_claim(each)) for each in checked])
    tab = visit()
    tab.page.locator("#board .piece").first.wait_for()
    answers = tab.page.evaluate(
        "async given => { const all = []; for (const each of given) "
        "all.push(await tryIt.library.ask(each)); return all; }",
        given,
    )
    found = [[values_of(claim) for claim in each["claims"]] for each in answers]
    assert sum(map(len, native)) > 500
    assert digest(found) == digest(native)


def values_of(claim):
    return [*claim["span"], claim["kind"], claim["verdict"], claim["evidence"]]


def digest(claims):
    return hashlib.sha256(json.dumps(claims).encode()).hexdigest()


def test_comments_are_those_of_the_native_library_with_the_same_engine(visit):
    node = shutil.which("node") or pytest.skip("no node")
    program = str(PROJECT / live_files.ENGINE / f"{live_files.ENGINE_FILE}.js")
    moves = [(FIGURE_A6, "Bxe6+"), (chess.STARTING_FEN, "g4")]
    moves.append((FIGURE_A5, "Bxc3#"))

    async def natively():
        process = await asyncio.create_subprocess_exec(
            node, program, stdin=-1, stdout=-1
        )

        async def connect(receive, lose):
            async def listen():
                while line := await process.stdout.readline():
                    receive(line.decode().rstrip())

            natively.listening = asyncio.ensure_future(listen())
            return lambda line: process.stdin.write(f"{line}\n".encode())

        book = LiveBook(connect)
        said = []
        for fen, san in moves:
            question = {
                "task": "comment",
                "move": book.read_move(fen, san),
                "nodes": 20_000,
            }
            said.append(json.loads(await book.answer(json.dumps(question))))
        process.kill()
        await process.wait()
        await natively.listening
        return said

    tab = visit()
    found = []
    for fen, san in moves:
        move = tab.ask(task="move", fen=fen, move=san)
        found.append(tab.ask(task="comment", move=move, nodes=20_000))
    assert found == run_apart(natively())
    assert all("Stockfish 19" in each["engine"] for each in found)
    assert all(each["sentences"] for each in found)


def test_a_comment_names_its_engine_shows_lines_and_facts_and_decides_evaluations(
    visit,
):
    tab = visit()
    tab.write("White is winning.")
    tab.page.locator("#comment").click()
    tab.page.locator("#card table").wait_for()
    card = tab.text("card")
    assert "21. Bxe6+" in card and "Stockfish 19" in card
    assert tab.page.locator("#card tr").count() >= 3
    sentence = tab.page.locator("#card details").first
    sentence.locator("summary").click()
    assert sentence.locator("li").first.is_visible()
    assert tab.page.locator("#board line.arrow").count() >= 1
    tab.wait("counts", "1 true")


def test_concepts_are_loaded_when_they_are_opened_and_shown_as_bars(visit, site):
    tab = visit(viewport={"width": 390, "height": 844})
    tab.write("White is winning.")
    tab.page.locator("#comment").click()
    tab.page.locator("#card table").wait_for()
    assert ORACLE_FILE not in tab.traffic.loaded
    fold = tab.page.locator("#concepts > summary")
    size = (site / ORACLE_FILE.lstrip("/")).stat().st_size
    assert f"loads Stockfish 8, {size / 1e6:.2f} MB" in fold.inner_text()
    fold.focus()
    tab.page.keyboard.press("Enter")
    tab.page.locator("#concepts table").first.wait_for()
    assert tab.traffic.loaded[ORACLE_FILE] == size
    assert "loads" not in fold.inner_text()
    bars = tab.page.locator("#concept-bars > table").first
    assert bars.locator("tbody tr").count() == 6
    first = bars.locator("tbody tr").first
    assert first.inner_text().split("\n")[0].startswith("Black's king safety")
    assert first.locator("span").get_attribute("title") == "Black Kingsafety"
    assert first.locator("rect").count() == 2
    others = tab.page.locator("#concept-bars details")
    others.locator("summary").focus()
    tab.page.keyboard.press("Enter")
    assert others.locator("tbody tr").count() == 15
    assert "The paper's ranking puts first: White's threats" in tab.text("concept-bars")
    assert tab.page.evaluate(TOO_WIDE) <= 0
    tab.page.locator("#take-back").click()
    tab.wait("concept-state", "Play the move first")
    tab.page.locator("#move").fill("Qxa8")
    tab.page.locator("#move").press("Enter")
    tab.page.locator("#concepts table").first.wait_for()
    assert "The paper's ranking" not in tab.text("concept-bars")


def test_the_terms_are_those_of_the_native_oracle(visit):
    moves = [chessgloss.read_move(*each) for each in CONCEPT_MOVES]
    tab = visit()
    found = []
    for move in moves:
        answer = tab.ask(task="concepts", move=describe_move(move))
        found.append(
            [
                {each["key"]: each[when] for each in answer["terms"]}
                for when in ("before", "after")
            ]
        )
    for (before, after), native in zip(found, native_terms(moves), strict=True):
        assert before == pytest.approx(native[0])
        assert after == pytest.approx(native[1])


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (None, "No concepts: stockfish8.js.gz is not on the server (404)"),
        (b"throw new Error('worn out')", "No concepts: Stockfish 8 is gone: "),
    ],
)
def test_without_stockfish_8_a_line_says_so_and_nothing_else_is_lost(
    browser, site, tmp_path, script, words
):
    folder = shutil.copytree(site, tmp_path / "html")
    path = folder / ORACLE_FILE.lstrip("/")
    path.unlink()
    if script:
        path.write_bytes(gzip.compress(script))
    with gates.serve(folder) as address:
        tab = Visit(browser, folder, address)
        tab.page.locator("#concepts > summary").click()
        tab.wait("concept-state", words)
        assert tab.page.locator("#concept-state.bad").is_visible()
        tab.write(COMMENT)
        tab.wait("counts", "1 true, 1 false")
        tab.context.close()


def test_the_papers_ranking_of_the_examples_is_what_the_library_returns():
    or_skip(lambda: load_expert("nnue"))
    rows = tomllib.loads((PROJECT / "book/try_it.toml").read_text("utf-8"))["examples"]
    known = {
        **read_briefings(DATA / "commentary/briefings.json"),
        **read_briefings(DATA / "notes/second/briefings.json"),
        **read_briefings(DATA / "famous/briefings.json"),
    }
    for row in rows:
        move = known[row["briefing"]].move
        ranked = prioritise(move.position, move.uci, method="paper").top(5)
        assert row["published"] == [each.term for each in ranked], row["title"]


def test_a_move_is_played_by_keys_by_mouse_and_in_words_and_a_wrong_one_is_said(visit):
    tab = visit(f"#fen={chess.STARTING_FEN}")
    tab.page.locator("#board .piece").nth(31).wait_for()
    tab.page.locator("#board").focus()
    for key in ("ArrowUp", "Enter", "ArrowUp", "ArrowUp", "Enter"):  # from e2
        tab.page.keyboard.press(key)
    tab.wait("move-name", "1. e4")
    assert tab.text("spoken") == "1. e4 played"
    tab.click_square("b8")
    tab.page.locator("#board .target").first.wait_for()
    assert tab.page.locator("#board .target").count() == 2
    tab.click_square("c6")
    tab.wait("move-name", "1... Nc6")
    tab.page.locator("#move").fill("Bc9")
    tab.page.locator("#move").press("Enter")
    tab.wait("state", "'Bc9' is not a legal move for White")
    tab.page.locator("#move").fill("Bc4")
    tab.page.locator("#move").press("Enter")
    tab.wait("move-name", "2. Bc4")


def test_the_page_opens_on_a_famous_move_with_comments_that_are_read(visit):
    tab = visit("")
    tab.wait("move-name", "16. Qb8+")
    assert tab.text("counts") == "4 true"
    samples = tab.page.locator("#samples button")
    verdicts = []
    for place in range(samples.count() - 1):
        samples.nth(place).click()
        verdicts.append(tab.text("counts"))
    assert verdicts == ["4 true", "2 true, 1 false", "3 true"]
    assert "of the sentences of a writer new to it" in tab.page.inner_text(".legend")
    assert not [name for name in tab.traffic.loaded if ".gz" in name]
    tab.page.get_by_role("button", name="write your own").click()
    assert tab.page.locator("#text").input_value() == ""
    assert tab.page.evaluate("document.activeElement.id") == "text"
    assert tab.text("counts") == ""


def test_what_is_not_read_offers_sentences_that_are_and_one_click_checks_them(visit):
    tab = visit("")
    tab.write("A terrible blunder 😮. White gains space!")
    tab.wait("marked", "White gains space")
    offered = tab.page.locator("#claims .offers button")
    offered.nth(1).wait_for()
    assert offered.all_inner_texts()[0] == "A blunder"
    assert 2 <= offered.count() <= 6
    offered.nth(1).click()
    text = tab.page.locator("#text").input_value()
    assert text == "A terrible blunder 😮. White is better!"
    tab.wait("counts", "1 true, 1 not checkable")
    offered.first.click()
    tab.wait("counts", "1 true, 1 false")
    assert "A blunder" in tab.page.locator("#claims .verdict-false").inner_text()


def test_a_game_that_breaks_off_says_so_and_an_empty_field_ends_it(visit):
    tab = visit()
    tab.write(COMMENT)
    tab.wait("marked", "with the rook")
    tab.page.locator("#pgn-box summary").click()
    read = tab.page.locator("#pgn-form button").first
    tab.page.locator("#pgn").fill("1. e4 e5 2. Ke3 Nc6")
    read.click()
    tab.wait("move-name", "1. e4")
    tab.wait("state", "illegal move 2. Ke3")
    tab.page.locator("#ply-1").wait_for()
    tab.page.locator("#text").fill("White gives check.")
    tab.page.locator("#check").click()
    tab.wait("counts", "1 false")
    assert tab.text("game-problem") == "illegal move 2. Ke3"
    assert tab.page.locator("#state.bad", has_text="illegal move").is_visible()
    assert tab.page.locator("#annotate").is_disabled()
    tab.page.locator("#pgn").fill(" ")
    read.click()
    tab.wait("state", "There is no game any more")
    assert not tab.page.locator("#game").is_visible()
    assert tab.page.locator("#moves button").count() == 0
    tab.page.locator("#pgn").fill("no game at all")
    read.click()
    tab.wait("state", "The game cannot be read")


def test_everything_can_be_reached_by_tab(visit):
    page = visit().page
    reached = set()
    page.locator("#example").focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    wanted = {
        "board",
        "flip",
        "set-up",
        "fen",
        "move",
        "text",
        "check",
        "comment",
        "link",
    }
    assert wanted <= reached


def test_a_position_is_set_up_by_hand_and_a_pawn_promotes_to_what_is_asked(visit):
    tab = visit(viewport={"width": 1280, "height": 1600})
    tab.page.locator("#set-up").click()
    tab.page.locator("#clear").click()
    for name, square in (
        ("white king", "e1"),
        ("black king", "e8"),
        ("white pawn", "a7"),
    ):
        tab.page.get_by_label(name, exact=True).click()
        tab.click_square(square)
    tab.page.locator("#side").select_option("w")
    tab.page.locator("#use").click()
    tab.wait("move-name", "White to move")
    assert tab.page.locator("#fen").input_value() == "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"
    tab.click_square("a7")
    tab.click_square("a8")
    tab.page.get_by_role("button", name="knight", exact=True).click()
    tab.wait("move-name", "1. a8=N")
    tab.page.locator("#set-up").click()
    tab.page.locator("#clear").click()
    tab.page.locator("#use").click()
    tab.wait("state", "no white king")


def test_a_game_is_read_commented_stopped_and_saved(visit):
    tab = visit()
    tab.page.locator("#pgn-box summary").click()
    tab.page.locator("#pgn").fill("1. e4 e5 2. Qh5 Nf6 3. Qxe5+ Be7 *")
    tab.page.locator("#pgn-form button").first.click()
    tab.page.locator("#ply-4").click()
    tab.wait("move-name", "3. Qxe5+")
    tab.page.locator("#annotate").click()
    tab.wait("state", "Search")
    tab.page.locator("#stop-game").click()
    tab.wait("state", "Stopped; what was searched is kept.")
    tab.page.locator("#annotate").click()
    tab.page.locator("#game-files").wait_for()
    assert "2. Qh5" in tab.text("game-comments")
    with tab.page.expect_download() as saving:
        tab.page.locator("#save-pgn").click()
    saved = saving.value.path().read_text("utf-8")
    assert "ChessglossAnnotator" in saved and "Stockfish 19" in saved


def test_a_link_restores_position_move_comment_and_game(visit):
    tab = visit()
    tab.write(COMMENT)
    tab.wait("counts", "1 false")
    tab.page.locator("#pgn").evaluate("field => { field.value = '1. e4 e5 *' }")
    tab.page.locator("#flip").click()
    tab.page.wait_for_function("location.hash.includes('pgn=1')")
    again = visit(f"#{tab.page.url.partition('#')[2]}")
    again.wait("counts", "Not checked yet.")
    assert again.text("move-name") == "21. Bxe6+"
    assert again.page.locator("#text").input_value() == COMMENT
    assert again.page.locator("#pgn").input_value() == "1. e4 e5 *"
    assert again.page.locator("#board .coordinate").first.text_content() == "1"
    again.page.locator("#check").click()
    again.wait("counts", "1 true, 1 false")
    other = visit(f"#fen={chess.STARTING_FEN}&move=e2e4&text=White+gives+check.")
    other.wait("state", "Press Play")
    assert not [name for name in other.traffic.loaded if ".gz" in name]
    other.page.locator("#move-form button").click()
    other.wait("move-name", "1. e4")
    other.wait("counts", "1 false")


HOSTILE = (
    "<img src=x onerror='window.hacked = 1'>. Black can take the bishop with the rook."
)


def test_what_is_typed_stays_text(visit):
    tab = visit()
    tab.page.locator("#text").fill(HOSTILE)
    tab.page.locator("#check").click()
    tab.wait("counts", "false")
    assert "<img src=x" in tab.text("marked")
    assert tab.page.locator("#marked img, #claims img").count() == 0
    assert tab.page.evaluate("window.hacked") is None


def test_a_killed_worker_costs_a_line_and_the_next_question_starts_another(visit):
    tab = visit()
    tab.write("White gives check.")
    tab.wait("counts", "1 true")
    tab.page.evaluate("tryIt.library.patience = 2")
    tab.page.workers[0].evaluate("self.close()")
    tab.wait("state", "What you wrote is still here")
    assert tab.page.locator("#text").input_value() == "White gives check."
    tab.write(COMMENT)
    tab.wait("counts", "1 true, 1 false")


@pytest.mark.parametrize("missing", ["stockfish.wasm.gz", "stockfish.js"])
def test_without_the_engine_the_board_speaks_and_claims_are_checked(
    browser, site, tmp_path, missing
):
    folder = shutil.copytree(site, tmp_path / "html")
    (folder / "_static/live" / missing).unlink()
    with gates.serve(folder) as address:
        tab = Visit(browser, folder, address)
        tab.page.locator("#comment").click()
        tab.page.locator("#card .source.bad").wait_for()
        assert "Bxe6+ takes the pawn on e6." in tab.text("card")
        assert "No engine's verdict" in tab.text("card")
        tab.write(COMMENT)
        tab.wait("counts", "1 true, 1 false")
        tab.context.close()


def test_too_little_memory_is_said_and_what_was_written_stays(browser, site, tmp_path):
    folder = shutil.copytree(site, tmp_path / "html")
    worker = folder / "_static/live/worker.js"
    refuse = (
        "WebAssembly.Memory = function () { throw new RangeError('out of memory'); };"
    )
    worker.write_text(worker.read_text("utf-8").replace(";", f";{refuse}", 1), "utf-8")
    with gates.serve(folder) as address:
        tab = Visit(browser, folder, address)
        tab.write(COMMENT)
        tab.wait("state", "too little memory for Python")
        assert tab.page.locator("#text").input_value() == COMMENT
        assert tab.page.locator(".example").count() == 13
        tab.context.close()


def test_without_npms_packages_the_page_shows_its_examples_and_says_what_to_run(visit):
    tab = visit()
    tab.context.route("**/files.json", lambda route: route.fulfill(status=404))
    tab.write(COMMENT)
    tab.wait("state", "npm ci && make book")
    assert tab.page.locator("#text").input_value() == COMMENT
    assert tab.page.locator(".example .claim-false").count() >= 3


def test_the_build_says_what_is_missing(tmp_path):
    refuses(
        live_files.PackagesMissing,
        "npm ci && make book",
        functools.partial(live_files.write_files, tmp_path, tmp_path / "live"),
    )


@pytest.mark.parametrize("served", [True, False])
def test_without_script_or_from_disk_the_page_says_why_and_shows_examples(
    browser, site, visit, served
):
    if served:
        page = visit(java_script_enabled=False).page
    else:
        page = browser.new_context().new_page()
        errors = []
        page.on("console", lambda one: one.type == "error" and errors.append(one.text))
        page.goto((site / PAGE).as_uri())
        assert not [each for each in errors if "live" in each]
    assert page.locator("#off").is_visible()
    assert "python -m http.server" in page.locator("#off").inner_text()
    assert not page.locator("#live").is_visible()
    assert page.locator(".example").count() == 13
    assert page.locator(".example .claim-true").first.is_visible()
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_screen(visit, theme):
    tab = visit(viewport={"width": 390, "height": 844}, color_scheme=theme)
    tab.write(COMMENT)
    tab.wait("counts", "1 false")
    tab.page.locator("#set-up").click()
    tab.page.locator("#pgn-box summary").click()
    assert tab.page.evaluate(TOO_WIDE) <= 0


def test_the_policy_of_the_book_is_kept(site):
    def policy(name):
        soup = BeautifulSoup((site / name).read_text("utf-8"), "lxml")
        found = soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})
        return re.sub(r" 'sha256-[^']+'", "", found["content"])

    assert policy(PAGE) == policy("book/references.html")
    assert policy(PAGE).strip() == gates_policy()


def gates_policy():
    source = (PROJECT / "book/_ext/self_contained.py").read_text("utf-8")
    parts = re.search(r"POLICY = \(\n(.+?)\n\)", source, re.DOTALL)[1]
    return "".join(re.findall(r'"(.*)"', parts)).replace(" {}", "")
