"""Draw forty moves, and write the sheet on which readers judge five comments on each, blind.

    python data/commentary/reading/sheet.py draw     drawn.tsv, by lot among the lectured moves
    python data/commentary/reading/sheet.py search   deep.jsonl, a long search of each; goes on
                                                     where it stopped
    python data/commentary/reading/sheet.py sheet    sheet.md, and key.tsv, which readers do not see

The lot is a hash of the move and of the code that writes the comments (``../frozen.json``), so that
nobody chose. The five comments on a move stand in an order by lot, without their method.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import chess
import pandas as pd

from chessgloss.commentary.asking import lectured_file, read_briefings
from chessgloss.commentary.methods import gather_comments
from chessgloss.commentary.moves import lectured_moves
from chessgloss.engine import open_engine
from chessgloss.llm.client import DEFAULT_MODEL, replay
from chessgloss.scores import Analysis

HERE = Path(__file__).parent
METHODS = ("notes", "ccc_notes", "ccc_proven", "ccc_two", "llm_expert_two")
MOVES = 40
LETTERS = "ABCDE"
NODES = 5_000_000
LINES = 3
HASH_MB = 512
SECONDS = 3600.0
PLIES = 10


def lot(*words: str) -> str:
    """Return the hash that decides about some words."""
    frozen = json.loads((HERE.parent / "frozen.json").read_text("utf-8"))[
        "writer_sha256"
    ]
    return hashlib.sha256("|".join([frozen, *words]).encode()).hexdigest()


def draw() -> None:
    """Write which moves are read."""
    moves = sorted(lectured_moves(), key=lambda each: lot(each.name))[:MOVES]
    rows = [(each.name, each.move.position.fen, each.move.uci) for each in moves]
    table = pd.DataFrame(rows, columns=["move", "fen", "uci"]).sort_values("move")
    table.to_csv(HERE / "drawn.tsv", sep="\t", index=False)


def row(analysis: Analysis) -> list[str]:
    """Return the lines of an analysis in words: score (White's view), depth, moves in SAN."""
    board = chess.Board(analysis.position.fen)
    lines = []
    for line in analysis.lines:
        score = line.score.white()
        text = (
            f"mate {score.mate()}" if score.is_mate() else f"{score.score() / 100:+.2f}"
        )
        moves = board.variation_san(
            [chess.Move.from_uci(uci) for uci in line.moves[:PLIES]]
        )
        lines.append(f"{text} (White's view), depth {line.depth}: {moves}")
    return lines or ["the game is over"]


def search() -> None:
    """Search the drawn moves that have not been searched."""
    path = HERE / "deep.jsonl"
    drawn = pd.read_csv(HERE / "drawn.tsv", sep="\t")
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    known = {json.loads(each)["move"] for each in lines}
    briefings = read_briefings(lectured_file())
    with (
        open_engine(hash_mb=HASH_MB, timeout=SECONDS) as engine,
        path.open("a", encoding="utf-8") as out,
    ):
        for name in drawn["move"]:
            if name in known:
                continue
            move = briefings[name].move
            found = {
                "move": name,
                "before": row(
                    engine.analyse(move.position, nodes=NODES, multipv=LINES)
                ),
                "after": row(engine.analyse(move.after(), nodes=NODES, multipv=LINES)),
                "engine": engine.name,
            }
            print(json.dumps(found), file=out, flush=True)


def statements(text: str) -> list[str]:
    """Return the sentences of a comment; a move number's full stop ends none."""
    return re.split(
        r"(?<=[.!?])(?<!\s\d\.)(?<!\s\d\d\.)(?<!\.\.\.)\s+(?=[A-Z])", text.strip()
    )


def page(name: str, fen: str, uci: str, texts: list[str], found: dict[str, Any]) -> str:
    """Return what a reader sees of a move."""
    board = chess.Board(fen)
    san = board.variation_san([chess.Move.from_uci(uci)])
    parts = [f"## {name}: {san}\n\n`{fen}`\n\n```\n{board}\n```"]
    for letter, text in zip(LETTERS, texts, strict=True):
        numbered = [
            f"{letter}{n}. {each}" for n, each in enumerate(statements(text), start=1)
        ]
        parts.append("\n".join(numbered) if text else f"{letter}1. (no comment)")
    deep = [
        f"- {when} the move: {line}"
        for when in ("before", "after")
        for line in found[when]
    ]
    return "\n\n".join([*parts, "\n".join(deep)]) + "\n"


def sheet() -> None:
    """Write the sheet and its key."""
    drawn = pd.read_csv(HERE / "drawn.tsv", sep="\t")
    chosen = [each for each in lectured_moves() if each.name in set(drawn["move"])]
    briefings = read_briefings(lectured_file())
    table = gather_comments(
        METHODS, chosen, briefings, replay("commentary", DEFAULT_MODEL)
    )
    text_of = table.set_index(["move", "method"])["text"]
    deep = {
        each["move"]: each for each in map(json.loads, (HERE / "deep.jsonl").open())
    }
    pages = []
    key = []
    for each in drawn.itertuples():
        order = sorted(METHODS, key=lambda method: lot(each.move, method))
        texts = [text_of[each.move, method] for method in order]
        pages.append(page(each.move, each.fen, each.uci, texts, deep[each.move]))
        key += [(each.move, *pair) for pair in zip(LETTERS, order, strict=True)]
    (HERE / "sheet.md").write_text("\n".join(pages), encoding="utf-8")
    frame = pd.DataFrame(key, columns=["move", "letter", "method"])
    frame.to_csv(HERE / "key.tsv", sep="\t", index=False)


if __name__ == "__main__":
    {"draw": draw, "search": search, "sheet": sheet}[sys.argv[1]]()
