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
    assert [each.repairs for each in read] == [()] * len(games.KNOWN)
    for (name, title), each, shown in zip(
        games.KNOWN.items(), read, shown_games(), strict=True
    ):
        assert shown["name"] == name
        assert shown["listed"].startswith(title)
        assert each.game.headers["White"] in shown["listed"]
        assert f'href="#{name}"' not in PAGE


def test_every_game_has_comments_and_ends_as_it_ended():
    shown = shown_games()
    comments = [sum(map(games._is_commented, each["nodes"])) for each in shown]
    assert min(comments) >= 5
    assert [each["result"] for each in shown] == [
        "1-0",
        "1-0",
        "0-1",
        "1-0",
        "0-1",
        "1-0",
    ]


def test_each_game_opens_on_a_comment_and_no_card_says_only_whose_choice_it_was():
    for game in shown_games():
        assert game["nodes"][game["opens"]]["gloss"]
    assert "The engine's choice." not in PAGE
    assert len(re.findall(r'"(?:Better than \d+\.[^"]+\(.+?\)\.)"', PAGE)) > 20


def test_the_page_runs_the_player_of_today():
    script = re.findall(r"<script>(.*?)</script>", PAGE, flags=re.S)[-1]
    assert script in game_page.player([], pgn="")


def test_what_a_model_explains_stands_below_the_programs_words(monkeypatch):
    def shown(said: dict) -> dict:
        monkeypatch.setattr(games, "explained", lambda: said)
        text = games.with_explained(PROJECT)
        return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])

    part = [["A model, checked", "explain", [["The queen goes.", "true", "so it is"]]]]
    plain, more = (
        games._whole(data["games"], data["texts"])
        for data in (shown({}), shown({"opera/31": part}))
    )
    main = [node for node in more[0]["nodes"][1:] if node.get("main")]
    assert (main[30]["san"], main[30]["comments"]) == ("Qb8+", part)
    del main[30]["comments"]
    kept = [node for node in plain[0]["nodes"][1:] if node.get("main")]
    kept[30].pop("comments", None)
    assert main == kept and plain[1:] == more[1:]


def test_a_file_with_another_number_of_games_is_refused(tmp_path, monkeypatch):
    (tmp_path / "data/famous").mkdir(parents=True)
    (tmp_path / "data/famous/games.pgn").write_text("1. e4 e5 *\n", "utf-8")
    monkeypatch.setattr(games, "KNOWN", {})
    with pytest.raises(ValueError, match="zip"):
        games.write_page(tmp_path)
