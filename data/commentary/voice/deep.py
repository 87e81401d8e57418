"""Search the moves more deeply than any writer was told, for the readers who judge comments.

    python data/commentary/voice/deep.py

writes ``deep.json`` beside this file: by the name of the move the engine's analyses before it and
after it, three lines each.
"""

from __future__ import annotations

import json
from pathlib import Path

from tqdm import tqdm

from chessgloss.commentary.asking import analysis_row
from chessgloss.commentary.voice import voice_moves
from chessgloss.engine import EnginePool

HERE = Path(__file__).parent
NODES, LINES = 1_000_000, 3


def main() -> None:
    """Write the file."""
    moves = voice_moves()
    with EnginePool() as pool:
        before = pool.submit(
            [each.move.position for each in moves.values()], nodes=NODES, multipv=LINES
        )
        after = pool.submit(
            [each.move.after() for each in moves.values()], nodes=NODES, multipv=LINES
        )
        rows = []
        pairs = zip(moves, before, after, strict=True)
        for name, *around in tqdm(pairs, total=len(moves), desc="deep"):
            told = [analysis_row(future.result()) for future in around]
            rows.append(f"{json.dumps(name)}: {json.dumps(told)}")
    text = ",\n".join(rows)
    (HERE / "deep.json").write_text(f"{{\n{text}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
