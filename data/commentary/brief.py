"""Ask engine, expert and oracle about the moves that the book comments on, and keep what they say.

python data/commentary/brief.py          briefings.json here: the evaluated moves
python data/commentary/brief.py --lectured   lectured.json here: the other commented moves of
                                             their lectures
python data/commentary/brief.py --released   released.json here: the moves that were released with
                                             the CCC paper
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from chessgloss.commentary.asking import (
    LINES,
    NODES,
    analysis_row,
    brief_moves,
    briefings_file,
    lectured_file,
    released_file,
)
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.moves import (
    EvaluatedMove,
    evaluated_moves,
    lectured_moves,
    released_moves,
)


def write_briefings(
    path: Path, briefings: Iterable[Briefing], about: Mapping[str, str]
) -> None:
    """Write briefings into a JSON file, one move a line below a line that says what made them."""
    rows = [dict(about), *map(_row, briefings)]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def _row(briefing: Briefing) -> dict[str, Any]:
    move = briefing.move
    position = briefing.move.position
    row: dict[str, Any] = {
        "name": briefing.name,
        "fen": position.fen,
        "root": position.root,
    }
    row |= {"moves": " ".join(position.moves), "move": move.uci}
    row |= {
        "before": analysis_row(briefing.before),
        "after": analysis_row(briefing.after),
    }
    if briefing.passed is not None:
        row["passed"] = analysis_row(briefing.passed)
    for key in ("concepts", "oracle", "noticed"):
        row[key] = [
            (
                c.concept,
                c.side,
                round(c.before, 3),
                round(c.after, 3),
                round(c.change, 3),
            )
            for c in getattr(briefing, key)
        ]
    return row


def _chosen(
    given: argparse.Namespace,
) -> tuple[Callable[[], list[EvaluatedMove]], Callable[[], Path]]:
    if given.released:
        return released_moves, released_file
    if given.lectured:
        return lectured_moves, lectured_file
    return evaluated_moves, briefings_file


def main(arguments: Sequence[str] | None = None) -> int:
    """Brief moves from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="data/commentary/brief.py")
    parser.add_argument("--target", type=Path, default=None, help="file to write")
    parser.add_argument("--nodes", type=int, default=None, help="of each search")
    parser.add_argument(
        "--lectured", action="store_true", help="the lectures' other moves"
    )
    parser.add_argument(
        "--released", action="store_true", help="the moves released with the paper"
    )
    given = parser.parse_args(arguments)
    nodes = given.nodes or NODES
    moves, place = _chosen(given)
    briefings = brief_moves(moves(), nodes=nodes)
    target = given.target or place()
    engine = (
        f"{briefings[0].before.engine}, {nodes:,} nodes, {LINES} lines before the move"
    )
    about = {
        "engine": engine,
        "concepts": "NNUE nn-ad9b42354671, trained model of changes",
        "oracle": "Stockfish 8, npm 8.0.0",
    }
    write_briefings(target, briefings, about)
    print(f"{len(briefings)} briefings in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
