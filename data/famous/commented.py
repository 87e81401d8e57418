"""List the key moves of the six games that the page comments on, for a model to explain them.

    python data/famous/commented.py

reads ``book/games.md`` and writes ``moves.jsonl`` beside this file: a line a move, with its game
(as links call it) and ply, and the moves before it. Of each game these are the last few that decide
it: strong moves, blunders, and the last move with a comment, but for a mate on the board.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chessgloss.commentary.annotate import moves_of
from chessgloss.commentary.game_pgn import read_file

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "book/games.md"

#: Moves of each game at most, and the marks of those that count.
MOST, MARKS = 6, ("!", "!!", "??")


def commented_plies() -> Iterator[tuple[str, list[int]]]:
    """Yield of each game on the page its name and the plies, from 1, of its key moves."""
    text = PAGE.read_text("utf-8")
    (data,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text)
    shown = json.loads(data)
    for game in shown["games"]:
        main = [node for node in game["nodes"][1:] if node.get("main")]
        said = [ply for ply, node in enumerate(main, 1) if node.get("gloss")]
        said = [ply for ply in said if not main[ply - 1]["san"].endswith("#")]
        key = [
            ply
            for ply in said
            if _text(main[ply - 1].get("marks", ""), shown["texts"]) in MARKS
            or ply == said[-1]
        ]
        yield game["name"], key[-MOST:]


def _text(value: str, texts: list[str]) -> str:
    """Return a text of the page, where several nodes share it."""
    return texts[int(value[1:])] if value.startswith("~") else value


def rows() -> Iterator[dict[str, Any]]:
    """Yield the moves, as ``data/annotated/moves.jsonl`` has them."""
    games = [read.game for read in read_file(HERE / "games.pgn")]
    for game, (name, plies) in zip(games, commented_plies(), strict=True):
        moves = [*moves_of(game)]
        for ply in plies:
            move = moves[ply - 1]
            yield {
                "id": f"{name}/{ply}",
                "fen": move.position.fen,
                "uci": move.uci,
                "san": move.san,
                "moves": " ".join(move.position.moves),
                "root": move.position.root,
            }


def main() -> None:
    """Write the file."""
    lines = [json.dumps(row) for row in rows()]
    (HERE / "moves.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    print(f"{len(lines)} moves")


if __name__ == "__main__":
    main()
