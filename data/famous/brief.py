"""Ask engine, expert and oracle about moves of the famous games that the pages show.

python data/famous/brief.py     briefings.json here
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from chessgloss.commentary.annotate import moves_of
from chessgloss.commentary.asking import LINES, NODES, brief_moves
from chessgloss.commentary.game_pgn import read_file
from chessgloss.commentary.moves import EvaluatedMove

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "commentary"))

from brief import write_briefings  # noqa: E402

#: The moves by the names that pages call them, each with the players of its game.
MOVES = {
    "famous/opera": ("Paul Morphy", "16. Qb8+"),
    "famous/immortal": ("Adolf Anderssen", "22. Qf6+"),
    "famous/rubinstein": ("Georg Rotlewi", "22... Rxc3"),
    "famous/hastings": ("Wilhelm Steinitz", "22. Rxe7+"),
    "famous/marshall": ("Stefan Levitsky", "23... Qg3"),
}


def famous_moves() -> Iterator[EvaluatedMove]:
    """Yield the moves, each with the moves of its game before it."""
    games = {
        read.game.headers["White"]: read.game for read in read_file(HERE / "games.pgn")
    }
    for name, (white, said) in MOVES.items():
        (move,) = (each for each in moves_of(games[white]) if each.numbered_san == said)
        yield EvaluatedMove(name, move)


def main() -> int:
    """Write the briefings; return the exit status."""
    briefings = brief_moves(list(famous_moves()))
    about = {
        "engine": f"{briefings[0].before.engine}, {NODES:,} nodes, {LINES} lines before the move",
        "concepts": "NNUE nn-ad9b42354671, trained model of changes",
        "oracle": "Stockfish 8, npm 8.0.0",
    }
    write_briefings(HERE / "briefings.json", briefings, about)
    print(f"{len(briefings)} briefings in {HERE / 'briefings.json'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
