"""Write the comments on the sixty drawn moves, and the sheet on which readers judge them.

    python data/notes/sheet.py

writes ``comments.json`` (move, comment, statements, the hash of what wrote them), unless it is
there, and ``sheet.md`` into this folder: board, move, numbered statements, and the deep search of
``deep.jsonl`` (see ``search.py``) in SAN. A reader gives each statement a label (true, false,
misleading) and each comment one (helpful or not), in ``reading_*.tsv``.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import chess
import pandas as pd
from draw import read_moves

import chessgloss

HERE = Path(__file__).parent
LIBRARY = Path(chessgloss.__file__).parent
WRITERS = ("commentary", "notes", "facts", "engine.py")


def digest_of_writers() -> str:
    """Return a hash of the code and tables that a comment without a model comes from."""
    digest = hashlib.sha256()
    for part in WRITERS:
        path = LIBRARY / part
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.suffix in (".py", ".toml", ".tsv"):
                digest.update(
                    file.relative_to(LIBRARY).as_posix().encode() + file.read_bytes()
                )
    return digest.hexdigest()


def statements(text: str) -> list[str]:
    """Return the sentences of a comment; a move number's full stop ends none."""
    return re.split(
        r"(?<=[.!?])(?<!\s\d\.)(?<!\s\d\d\.)(?<!\.\.\.)\s+(?=[A-Z])", text.strip()
    )


def searched(board: chess.Board, found: dict[str, Any]) -> str:
    """Return a deep search in words: score (White's view), depth, line in SAN."""
    if "line" not in found:
        return found["score"]
    line = board.variation_san([chess.Move.from_uci(uci) for uci in found["line"]])
    return f"{found['score']} (White's view), depth {found['depth']}: {line}"


def write_comments(path: Path, drawn: pd.DataFrame) -> None:
    """Write a comment on each drawn move, after a search of its own."""
    moves = {(game, ply): move for game, ply, move in read_moves()}
    comments = []
    for number, row in enumerate(drawn.itertuples(), start=1):
        briefing = chessgloss.brief(moves[row.game, row.ply])
        text = chessgloss.comment(briefing).text
        comments.append(
            {
                "id": number,
                "game": row.game,
                "ply": row.ply,
                "san": row.san,
                "judgement": briefing.verdict.judgement,
                "text": text,
                "statements": statements(text),
            }
        )
        print(number, text, flush=True)
    about = {"writers": digest_of_writers(), "comments": comments}
    path.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Write comments, unless they are there, and the sheet."""
    drawn = pd.read_csv(HERE / "drawn.tsv", sep="\t")
    path = HERE / "comments.json"
    if not path.is_file():
        write_comments(path, drawn)
    comments = json.loads(path.read_text(encoding="utf-8"))["comments"]
    lines = (HERE / "deep.jsonl").read_text(encoding="utf-8").splitlines()
    deep = {(each["fen"], each["move"]): each for each in map(json.loads, lines)}
    pages = []
    for row, comment in zip(drawn.itertuples(), comments, strict=True):
        board = chess.Board(row.fen)
        found = deep[row.fen, row.move]
        after = board.copy(stack=False)
        after.push_uci(row.move)
        numbered = [
            f"{place}. {each}"
            for place, each in enumerate(comment["statements"], start=1)
        ]
        pages.append(
            f"## {comment['id']}: {row.game}, {row.san}\n\n`{row.fen}`\n\n```\n{board}\n```\n\n"
            + "\n".join(numbered)
            + f"\n\n- before the move: {searched(board, found['before'])}\n"
            f"- after it: {searched(after, found['after'])}\n"
        )
    (HERE / "sheet.md").write_text("\n".join(pages), encoding="utf-8")


if __name__ == "__main__":
    main()
