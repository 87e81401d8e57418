"""Search the drawn moves deeply, for the readers who say what is true in a comment on them.

    python data/notes/search.py [--depth 30]
    python data/notes/search.py second --nodes 15000000

writes ``deep.jsonl`` into this folder, or one beside it: one move a line, with the engine's score
and line before and after it, the depth reached and the nodes it took. What is there is not
searched again; the sixty moves take some hours of one core to depth 30.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pandas as pd

from chessgloss.engine import open_engine
from chessgloss.positions import read_fen, read_move
from chessgloss.scores import Analysis

HERE = Path(__file__).parent
DEPTH = 30
HASH_MB = 512
SECONDS = 3600.0
PLIES = 12


def row(analysis: Analysis) -> dict[str, object]:
    """Return score (White's view), line, depth and nodes of an analysis, for JSON."""
    if not analysis.lines:
        return {"score": "game over"}
    best = analysis.best
    score = best.score.white()
    text = f"mate {score.mate()}" if score.is_mate() else f"cp {score.score()}"
    line = list(best.moves[:PLIES])
    return {"score": text, "line": line, "depth": best.depth, "nodes": analysis.nodes}


def main() -> None:
    """Search what has not been searched."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", nargs="?", default=".", help="beside this file")
    parser.add_argument("--depth", type=int, default=DEPTH, help="default: %(default)s")
    parser.add_argument(
        "--nodes", type=int, help="search so many nodes, whatever the depth"
    )
    given = parser.parse_args()
    limit = {"nodes": given.nodes} if given.nodes else {"depth": given.depth}
    path = HERE / given.folder / "deep.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    known = {(each["fen"], each["move"]) for each in map(json.loads, lines)}
    drawn = pd.read_csv(path.with_name("drawn.tsv"), sep="\t").sort_values(
        "decisive", ascending=False
    )
    with (
        open_engine(hash_mb=HASH_MB, timeout=SECONDS) as engine,
        path.open("a", encoding="utf-8") as out,
    ):
        for fen, uci in zip(drawn["fen"], drawn["move"], strict=True):
            if (fen, uci) in known:
                continue
            move = read_move(read_fen(fen), uci)
            before = engine.analyse(move.position, **limit)
            after = engine.analyse(move.after(), **limit)
            found = {
                "fen": fen,
                "move": uci,
                "before": row(before),
                "after": row(after),
            }
            print(json.dumps(found | {"engine": engine.name}), file=out, flush=True)


if __name__ == "__main__":
    main()
