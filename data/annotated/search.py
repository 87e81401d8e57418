"""Search the sixty moves: once for those who write comments, once for those who read them.

    python data/annotated/search.py writers
    python data/annotated/search.py writers --of famous
    python data/annotated/search.py readers

The first writes ``writers.json`` beside this file, the second into ``data/famous``: by the name of
the move what :func:`chessgloss.commentary.briefing.brief_move` finds of it, and its concepts by the
model of changes and by the published ranking. The last writes ``readers.json``: three lines before
the move and after it, searched apart. One engine, one thread, fixed nodes; a run that was stopped
goes on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from chessgloss.commentary.annotated import KEPT
from chessgloss.commentary.arms import published_changes
from chessgloss.commentary.asking import analysis_row, refutation_row
from chessgloss.commentary.briefing import brief_move
from chessgloss.concepts.priority import prioritise
from chessgloss.engine import open_engine
from chessgloss.facts import Analyse
from chessgloss.facts.change import Changes
from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import Analysis

DATA = Path(__file__).parents[1]

#: Nodes of the first search of a position and of the longest, for writers, by whose moves they are.
NODES = {"annotated": (100_000, 800_000), "famous": (200_000, 200_000)}

#: Nodes and lines of each position, for readers.
DEEP, LINES = 500_000, 3

#: Seconds that a search may take on a machine that has other work.
TIMEOUT = 3_600


def for_writers(of: str, move: MoveInContext, analyse: Analyse) -> dict[str, Any]:
    """Return what writers are given of a move."""
    briefing = brief_move(move, analyse, NODES[of])
    searched = {
        name: analysis_row(analysis)
        for name in ("before", "after", "passed", "idle", "better_passed")
        if (analysis := getattr(briefing, name)) is not None
    }
    failing = [*map(refutation_row, briefing.refutations)]
    changed = prioritise(move.position, move.uci).changes
    return {
        **searched,
        "failing": failing,
        "concepts": _concepts(changed),
        "published": _concepts(published_changes(briefing)),
    }


def _concepts(changes: Changes) -> list[tuple[str | float, ...]]:
    return [
        (each.term, *(round(x, 3) for x in (each.before, each.after, each.change)))
        for each in changes
    ]


def for_readers(of: str, move: MoveInContext, analyse: Analyse) -> list[dict[str, Any]]:
    """Return what readers are shown of the positions around a move."""
    around = [move.position, move.after()]
    return [analysis_row(each) for each in analyse(around, DEEP, LINES)]


SEARCHES: dict[str, Callable[[str, MoveInContext, Analyse], Any]] = {
    "writers": for_writers,
    "readers": for_readers,
}


def main() -> None:
    """Write one of the files."""
    parser = argparse.ArgumentParser(prog="python data/annotated/search.py")
    parser.add_argument("whom", choices=[*SEARCHES])
    parser.add_argument("--of", choices=[*KEPT], default="annotated")
    given = parser.parse_args()
    path = DATA / given.of / f"{given.whom}.json"
    rows = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    with open_engine(timeout=TIMEOUT) as engine:

        def analyse(
            positions: Sequence[Position], nodes: int, lines: int
        ) -> list[Analysis]:
            return [
                engine.analyse(each, nodes=nodes, multipv=lines) for each in positions
            ]

        for name, move in tqdm(KEPT[given.of].moves().items(), desc=given.whom):
            if name not in rows:
                rows[name] = SEARCHES[given.whom](given.of, move, analyse)
                told = (
                    f"{json.dumps(key)}: {json.dumps(of)}" for key, of in rows.items()
                )
                text = ",\n".join(told)
                path.write_text(f"{{\n{text}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
