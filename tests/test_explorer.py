"""The explorer: what it says of a move, in a browser; its data; text of models that stays text."""

import json

import pytest

import explorer
from chessgloss import report
from chessgloss.commentary import game_page
from chessgloss.commentary.briefing import Comment
from chessgloss.commentary.methods import TITLES
from scripts import PROJECT

HOSTILE = '<img src="x:" onerror="window.hacked = 1">. The knight on c7 is pinned.'


def game_of(known, *texts: str):
    return explorer._game(
        known, "a test", "Tests", [Comment(text, "ccc") for text in texts]
    )


def test_a_move_comes_with_lines_claims_notes_and_concepts(figure_a6):
    text = "The bishop takes the pawn on e6 with check. The knight on c7 is pinned. It cannot help."
    game = game_of(figure_a6, text)
    root, played = game["nodes"][:2]
    assert (played["san"], len(root["next"])) == ("Bxe6+", 1), "no better line"
    assert played["next"], "the engine's line goes on"
    [[name, key, parts]] = played["comments"]
    assert name == TITLES["ccc"]
    assert key == "ccc"
    assert "".join(part[0] for part in parts) == text
    claims = [part for part in parts if len(part) > 1]
    assert {verdict for _, verdict, _ in claims} == {"true", "false", "open"}
    (evidence,) = [why for _, verdict, why in claims if verdict == "false"]
    assert "c7" in evidence
    assert len(played["concepts"]) == 5
    assert any("e6" in note for note in played["notes"])


def test_a_move_that_is_not_best_has_the_better_line_beside_it(briefings):
    other = next(
        each for each in briefings.values() if each.verdict.best != each.move.uci
    )
    game = game_of(other)
    played, better = (game["nodes"][index] for index in game["nodes"][0]["next"])
    assert played["uci"] == other.move.uci
    assert better["uci"] == other.verdict.best
    assert f"prefers {better['san']}" in played["gloss"]


def test_who_plays_what_the_least_loss_first_illegal_moves_last():
    graded = pytest.importorskip("pandas").DataFrame(
        {"uncut": {"e2e4": 0.0, "a2a3": 31.0}}
    )
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    answers = {"a2a3": ["B"], "e2e5": ["C"], "e2e4": ["D", "A"]}
    node = explorer._position("start", start, answers, graded)["nodes"][0]
    found = [["e4", 0, ["A", "D"]], ["a3", 31, ["B"]], ["an illegal move", None, ["C"]]]
    assert node["players"] == found


@pytest.mark.release
def test_the_page_is_what_the_data_gives():
    text = (PROJECT / "book/explorer.md").read_text("utf-8")
    page, mark, _ = text.partition("\n% made from ")
    assert mark and page == explorer.write_page(PROJECT), "make book writes it anew"


def test_a_link_asks_for_a_position_and_a_move_or_none(figure_a6):
    page = (
        report.board(figure_a6.move).html + report.board(figure_a6.move.position).html
    )
    with_move, without = explorer.links(json.dumps({"text/html": page}))
    position = figure_a6.move.position
    assert with_move == (position.fen, "f5e6")
    assert without == (position.fen, "")
    game = game_of(figure_a6)
    assert explorer._answers(game, with_move)
    assert explorer._answers(game, without)
    assert not explorer._answers(game, with_move._replace(move="f5g6"))


@pytest.mark.browser
def test_in_a_browser_a_link_finds_the_moves_of_either_side(briefings, open_tab):
    sides = {each.move.mover: each for each in briefings.values()}
    games = [game_of(each, "Fine.") for each in sides.values()]
    page = open_tab(f"<!doctype html>{game_page.player(games, level=2)}").page
    for known in sides.values():
        link = report.board(known.move).html.partition("explorer.html")[2]
        page.evaluate(f"location.hash = {link.partition(chr(34))[0]!r}")
        page.wait_for_function("document.body.dataset.node === '1'")
        assert known.move.numbered_san in page.locator("#players").inner_text()


@pytest.mark.browser
def test_in_a_browser_claims_show_evidence_and_links_lead_back(figure_a6, open_tab):
    second = game_of(figure_a6, HOSTILE) | {"name": "second"}
    player = game_page.player([game_of(figure_a6, "Fine."), second], level=2)
    text = f"<!doctype html><p>Above.</p>{player}"
    page = open_tab(text, at="#second/1").page
    assert page.locator("#move-name").inner_text() == "21. Bxe6+"
    assert HOSTILE in page.locator("#more dd").first.inner_text()
    assert page.evaluate("window.hacked") is None
    evidence = page.locator(".claim-false .evidence").first
    assert not evidence.is_visible()
    page.locator(".claim-false").first.focus()
    assert evidence.is_visible()
    assert "c7" in evidence.inner_text()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.hash === '#second/2'")
    above = page.locator("body > p")
    above.click()
    page.keyboard.press("End")
    assert page.evaluate("location.hash") == "#second/2", "keys are the page's"
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("location.hash === '#second/1'")
    above.evaluate("each => { each.style.paddingTop = '300vh' }")
    page.wait_for_function(
        "scrollTo(0, 0) || board.getBoundingClientRect().top > innerHeight"
    )
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.hash") == "#second/1", "a board that is not seen"
    above.evaluate("each => { each.style.paddingTop = '0' }")
    page.evaluate("location.hash = '#fen=8/8/8/8/8/8/8/K1k5 b - - 0 1&move=c1c2'")
    page.wait_for_function("document.body.dataset.node === '0'")
    assert page.locator("#players").inner_text() == "Black to move"
    assert page.locator("#board .piece").count() == 2
    assert page.locator("#board line.arrow").count() == 1
