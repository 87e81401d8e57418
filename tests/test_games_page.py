"""The page of whole games: what it shows is in the file of games, and runs the player of today."""

import json
import re

import pytest

import games
from chessgloss.commentary import game_page, game_pgn
from chessgloss.store import find_project

PROJECT = find_project()
PAGE = (PROJECT / "book/games.md").read_text("utf-8")


def shown_games():
    """Return the games as the page's player has them."""
    data = re.search(r'id="data">(.*?)</script>', PAGE, flags=re.DOTALL)[1]
    return json.loads(data)["games"]


def test_the_page_has_every_game_of_the_file_and_lists_it_once():
    read = game_pgn.read_file(PROJECT / "data/famous/games.pgn")
    for (name, title), each, shown in zip(
        games.KNOWN.items(), read, shown_games(), strict=True
    ):
        assert each.repairs == ()
        assert shown["name"] == name
        assert shown["listed"].startswith(title)
        headers = each.game.headers
        assert headers["White"] in shown["listed"]
        assert headers["Result"] == shown["result"]


def test_each_game_has_comments_and_opens_on_one():
    for game in shown_games():
        assert game["nodes"][game["opens"]]["gloss"]
        assert sum(map(games._is_commented, game["nodes"])) >= 5


def test_the_page_runs_the_player_of_today():
    script = re.findall(r"<script>(.*?)</script>", PAGE, flags=re.S)[-1]
    assert script in game_page.player([], pgn="")


def test_what_a_model_explains_stands_below_the_programs_words(monkeypatch):
    part = [["A model, checked", "explain", [["The queen goes.", "true", "so it is"]]]]
    said = {"opera/31": part}
    monkeypatch.setattr(games, "explained", lambda: said)
    text = games.with_explained(PROJECT)
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    opera, *_ = games._whole(data["games"], data["texts"])
    main = [node for node in opera["nodes"][1:] if node.get("main")]
    assert main[30]["san"] == "Qb8+"
    assert main[30]["comments"] == part
    assert main[30]["gloss"]


def test_a_file_with_another_number_of_games_is_refused(tmp_path, monkeypatch):
    (tmp_path / "data/famous").mkdir(parents=True)
    (tmp_path / "data/famous/games.pgn").write_text("1. e4 e5 *\n", "utf-8")
    monkeypatch.setattr(games, "KNOWN", {})
    with pytest.raises(ValueError, match="zip"):
        games.write_page(tmp_path)
