"""Ask the engine about the moves of the gold set's sentences that the judge is tried on.

    python data/claims/brief.py

writes ``briefings.json`` into this folder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from chessgloss.commentary.briefing import Briefing, write_briefings
from chessgloss.engine import analyse_many
from chessgloss.judges import trials


def brief_gold(moves: int = trials.GOLD_MOVES, *, nodes: int = trials.NODES) -> list[Briefing]:
    """Ask the engine about the moves of the gold set that are judged."""
    chosen = trials.gold_moves("dev", moves) | trials.gold_moves("test", moves)
    played = [texts[0].move for texts in chosen.values()]
    before = analyse_many([move.position for move in played], nodes=nodes, multipv=trials.LINES)
    after = analyse_many([move.after() for move in played], nodes=nodes)
    return [Briefing(*row) for row in zip(chosen, played, before, after, strict=True)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Brief the gold set's moves from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="data/claims/brief.py")
    parser.add_argument("--target", type=Path, default=None, help="file to write")
    parser.add_argument("--nodes", type=int, default=trials.NODES)
    given = parser.parse_args(arguments)
    briefings = brief_gold(nodes=given.nodes)
    engine = (
        f"{briefings[0].before.engine}, {given.nodes:,} nodes, {trials.LINES} lines before the move"
    )
    target = given.target or trials.gold_briefings_file()
    write_briefings(target, briefings, {"engine": engine})
    print(f"{len(briefings)} briefings in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
