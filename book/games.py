"""Write the page of whole games with comments, ``book/games.md``, from ``data/famous/games.pgn``.

    python book/games.py
    python book/games.py --explained

Each game is annotated as ``chessgloss annotate`` does it, without a language model: the engine with
fixed nodes, so that the page comes out the same; some ten minutes on two cores. The
words of a model that were recorded and checked (``data/famous``) stand below the program's. The
second line puts them into the page as it is and searches nothing.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import chessgloss
from chessgloss.commentary import annotate, game_page, game_pgn
from chessgloss.commentary.methods import write_notes
from chessgloss.engine import Analysis, analyse_many
from chessgloss.positions import Position
from chessgloss.store import find_project, write_file
from explorer import explained

#: Nodes of each search.
NODES = 2_500_000

#: The largest share of a game's moves that get a comment: twice the usual, for games so sharp.
SHARE = 0.4

#: Names of the games in links, in the order of the file, and as what they are known.
KNOWN = {
    "opera": "The Opera Game",
    "immortal": "The Immortal Game",
    "rubinstein": "Rubinstein's Immortal",
    "hastings": "The battle of Hastings",
    "marshall": "Marshall's Golden Move",
    "club": "Two club players, three minutes a side",
}


def analyse(positions: Sequence[Position], nodes: int, lines: int) -> list[Analysis]:
    """Search positions with two engines."""
    return analyse_many(positions, nodes=nodes, multipv=lines, processes=2)


def write_page(project: Path) -> str:
    """Return the page as MyST Markdown.

    Raises
    ------
    ValueError
        If the file does not hold one game for each name.
    """
    games = game_pgn.read_file(project / "data/famous/games.pgn")
    annotator = annotate.Annotator(
        analyse,
        write_notes,
        chessgloss.rank_concepts,
        nodes=(NODES, NODES),
        share=SHARE,
    )
    shown = []
    for (name, title), read in zip(KNOWN.items(), games, strict=True):
        print(title, flush=True)
        read.game.headers["Date"] = read.game.headers["Date"].split(".")[0]
        annotated = annotator.annotate(read.game)
        shown.append(_described(name, title, annotated))
    return _page(project, shown)


def with_explained(project: Path) -> str:
    """Return the page as it is, with what a model explains of its moves."""
    text = (project / "book/games.md").read_text("utf-8")
    (data,) = re.findall(r'id="data">(.*?)</script>', text, flags=re.DOTALL)
    kept = json.loads(data)
    return _page(project, _whole(kept["games"], kept["texts"]))


def _whole(value: Any, texts: Sequence[str]) -> Any:
    """Return games with the texts that their nodes share (:func:`game_page.share_texts`)."""
    if isinstance(value, str):
        return texts[int(value[1:])] if value.startswith("~") else value
    if isinstance(value, dict):
        return {key: _whole(each, texts) for key, each in value.items()}
    return [_whole(each, texts) for each in value] if isinstance(value, list) else value


def _page(project: Path, shown: Sequence[dict[str, Any]]) -> str:
    said = explained()
    for game in shown:
        main = [node for node in game["nodes"][1:] if node.get("main")]
        for ply, node in enumerate(main, 1):
            if comments := said.get(f"{game['name']}/{ply}"):
                node["comments"] = comments
    text = (project / "book/games.md.j2").read_text("utf-8")
    return text.replace("{{ player }}", game_page.player(shown, level=2).strip())


def _described(
    name: str, title: str, annotated: annotate.AnnotatedGame
) -> dict[str, Any]:
    """Return a game for the player, with its name in links and in the list."""
    shown = game_page.describe_game(annotated)
    players = f"{annotated.game.headers['White']} – {annotated.game.headers['Black']}"
    commented = (n for n, node in enumerate(shown["nodes"]) if _is_commented(node))
    more = {"name": name, "listed": f"{title}: {players}", "group": "Games"}
    return shown | more | {"opens": next(commented, 0)}


def _is_commented(node: Mapping[str, Any]) -> bool:
    """Whether a move of the game itself has a comment."""
    return bool(node.get("main") and node.get("gloss"))


def main() -> int:
    """Write the page; return the exit status."""
    project = find_project()
    write = with_explained if "--explained" in sys.argv else write_page
    write_file(project / "book/games.md", write(project))
    return 0


if __name__ == "__main__":
    sys.exit(main())
