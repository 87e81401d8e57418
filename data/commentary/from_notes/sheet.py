"""Write the sheet on which readers judge comments from notes, blind.

    python data/commentary/from_notes/sheet.py

writes ``sheet.jsonl`` beside this file, a line a move, and ``key.tsv``, which readers do not see.
The moves are the sixty of the experiment's sheet. Each has three texts in random order: the notes
that the model was given, listed; its first comment from them; what is proven of it. Texts that are
the same share a letter.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from chessgloss.commentary import arms, methods
from chessgloss.llm.client import DEFAULT_MODEL
from chessgloss.positions import text_digest

HERE = Path(__file__).parent
WRITERS = ("listed", "ccc_notes", "ccc_proven")


def main() -> None:
    """Write the sheet and its key."""
    lines = (HERE.parent / "factorial/sheet.jsonl").read_text("utf-8").splitlines()
    moves = [json.loads(line) for line in lines]
    known = arms.asked_moves()
    briefings = [known[each["move"]] for each in moves]
    texts = {
        "listed": [methods.list_notes(each) for each in briefings],
        **{
            method: methods.written_comments(briefings, DEFAULT_MODEL, method)
            for method in WRITERS[1:]
        },
    }
    sheet = []
    key = []
    for number, move in enumerate(moves):
        name = move["move"]
        comments = {writer: texts[writer][number].text for writer in WRITERS}
        order = sorted(
            WRITERS, key=lambda writer: text_digest(f"from notes {name} {writer}")
        )
        different = list(dict.fromkeys(comments[writer] for writer in order))
        lettered = dict(zip("ABC", different, strict=False))
        letter_of = {text: letter for letter, text in lettered.items()}
        sheet.append({**move, "comments": lettered})
        key += [(name, letter_of[comments[writer]], writer) for writer in WRITERS]
    rows = (json.dumps(each, ensure_ascii=False) for each in sheet)
    (HERE / "sheet.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    frame = pd.DataFrame(key, columns=["move", "letter", "writer"])
    frame.to_csv(HERE / "key.tsv", sep="\t", index=False)
    print(f"{len(sheet)} moves, {sum(len(each['comments']) for each in sheet)} texts")


if __name__ == "__main__":
    main()
