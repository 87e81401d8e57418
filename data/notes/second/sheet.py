"""Write the sheet on which readers judge two comments on each move of the second draw, blind.

    python data/notes/second/sheet.py

writes ``sheet.md`` (board, move, the notes' and the proven comment in an order by lot without
their method, statement by statement, the searches of ``deep.jsonl``) and ``key.tsv``, which
readers do not see. The lot is a hash of the move and of the frozen code that wrote the comments.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import chess
import pandas as pd

from chessgloss.commentary.asking import read_briefings
from chessgloss.commentary.methods import written_comments
from chessgloss.commentary.notes import write_notes
from chessgloss.llm.client import DEFAULT_MODEL

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from sheet import searched, statements  # noqa: E402 - beside the first sheet


def lot(*words: str) -> str:
    """Return the hash that decides about some words."""
    frozen = json.loads((HERE / "frozen.json").read_text("utf-8"))["writer_sha256"]
    return hashlib.sha256("|".join([frozen, *words]).encode()).hexdigest()


def main() -> None:
    """Write the sheet and its key."""
    drawn = pd.read_csv(HERE / "drawn.tsv", sep="\t")
    briefings = list(read_briefings(HERE / "briefings.json").values())
    lines = (HERE / "deep.jsonl").read_text(encoding="utf-8").splitlines()
    deep = {(each["fen"], each["move"]): each for each in map(json.loads, lines)}
    proven = written_comments(briefings, DEFAULT_MODEL, "ccc_proven")
    pages = []
    key = []
    for row, known, comment in zip(drawn.itertuples(), briefings, proven, strict=True):
        texts = {"notes": write_notes(known).text, "ccc_proven": comment.text}
        order = sorted(texts, key=lambda method: lot(known.name, method))
        board = chess.Board(row.fen)
        found = deep[row.fen, row.move]
        after = board.copy(stack=False)
        after.push_uci(row.move)
        said = [
            "\n".join(
                f"{letter}{n}. {each}"
                for n, each in enumerate(statements(texts[name]), 1)
            )
            for letter, name in zip("AB", order, strict=True)
        ]
        key += [
            (known.name, letter, name) for letter, name in zip("AB", order, strict=True)
        ]
        pages.append(
            f"## {known.name}: {row.game}, {row.san}\n\n`{row.fen}`\n\n```\n{board}\n```\n\n"
            + "\n\n".join(said)
            + f"\n\n- before the move: {searched(board, found['before'])}\n"
            f"- after it: {searched(after, found['after'])}\n"
        )
    (HERE / "sheet.md").write_text("\n".join(pages), encoding="utf-8")
    frame = pd.DataFrame(key, columns=["move", "letter", "method"])
    frame.to_csv(HERE / "key.tsv", sep="\t", index=False)


if __name__ == "__main__":
    main()
