"""List the moves of the six games that the page comments on, for a model to explain them.

    python data/famous/commented.py

reads ``book/games.md`` and writes ``moves.jsonl`` beside this file: a line a move, with its game
(as links call it) and ply, and the moves before it.
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


def commented_plies() -> Iterator[tuple[str, list[int]]]:
    """Yield of each game on the page its name and the plies that have a comment, but for the first.

    There the page says where the game was decided.
    """
    text = PAGE.read_text("utf-8")
    (data,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text)
    for game in json.loads(data)["games"]:
        main = [node for node in game["nodes"][1:] if node.get("main")]
        yield (
            game["name"],
            [ply for ply, node in enumerate(main, 1) if ply > 1 and node.get("gloss")],
        )


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
