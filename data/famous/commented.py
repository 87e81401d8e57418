"""List the moves of which pages show a model's explanation, of six games and the first page.

    python data/famous/commented.py

reads ``book/games.md`` and writes ``moves.jsonl`` beside this file: a line a move, with its game
(as links call it) and ply, and the moves before it. A mate on the board is left out. The last
line, ``vote``, is the move on the first page (``vote`` of ``book/findings.toml``).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chessgloss.commentary import voice
from chessgloss.commentary.annotate import moves_of
from chessgloss.commentary.game_pgn import read_file
from chessgloss.positions import MoveInContext

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "book/games.md"
FINDINGS = PAGE.with_name("findings.toml")


def commented_plies() -> Iterator[tuple[str, list[int]]]:
    """Yield of each game on the page its name and the plies, from 1, of the moves commented on."""
    text = PAGE.read_text("utf-8")
    (data,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text)
    for game in json.loads(data)["games"]:
        main = [node for node in game["nodes"][1:] if node.get("main")]
        said = [ply for ply, node in enumerate(main, 1) if node.get("gloss")]
        yield game["name"], [p for p in said if not main[p - 1]["san"].endswith("#")]


def rows() -> Iterator[dict[str, Any]]:
    """Yield the moves, as ``data/annotated/moves.jsonl`` has them."""
    games = [read.game for read in read_file(HERE / "games.pgn")]
    for game, (name, plies) in zip(games, commented_plies(), strict=True):
        moves = [*moves_of(game)]
        for ply in plies:
            yield _row(f"{name}/{ply}", moves[ply - 1])
    voted = tomllib.loads(FINDINGS.read_text("utf-8"))["vote"]["move"]
    yield _row("vote", voice.voice_moves()[voted].move)


def _row(name: str, move: MoveInContext) -> dict[str, str]:
    return {
        "id": name,
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
