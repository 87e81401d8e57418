"""Search what the arm with lines is given beside the briefings, and keep it.

    python data/commentary/voice/lines.py

writes ``lines.json`` beside this file: by the name of the move two lines after it, of twice the
briefings' nodes, and what a reader would try after the move and in its place, with the line in
which it fails. A prompt is the same on every machine because it is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tqdm import tqdm

from chessgloss.commentary.arms import LINES_AFTER
from chessgloss.commentary.asking import NODES, analysis_row, refutation_row
from chessgloss.commentary.voice import voice_moves
from chessgloss.engine import EnginePool
from chessgloss.facts.replies import refutations

HERE = Path(__file__).parent


def searched() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each move's name and what was found of it."""
    moves = voice_moves()
    starts = [each.move.after() for each in moves.values()]
    with EnginePool() as pool:
        futures = pool.submit(starts, nodes=LINES_AFTER * NODES, multipv=LINES_AFTER)
        rows = zip(moves.items(), futures, strict=True)
        for (name, each), future in tqdm(rows, total=len(moves), desc="lines"):
            after = future.result()
            failing = refutations(each.move, each.before, after, pool.analyse)
            yield (
                name,
                {
                    "after": analysis_row(after),
                    "failing": [*map(refutation_row, failing)],
                },
            )


def main() -> None:
    """Write the file."""
    rows = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in searched()]
    text = ",\n".join(rows)
    (HERE / "lines.json").write_text(f"{{\n{text}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
