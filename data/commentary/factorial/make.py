"""Rank the concepts of the commented moves as the CCC paper does, and keep them.

    python data/commentary/factorial/make.py

writes ``published.json`` beside this file, and that of the released moves into ``voice``: by the
name of the move the 21 terms, the first in rank first, each with the margin of its classifier
before the move and the difference after it, in standard deviations over moves. A prompt is the same
on every machine because it is kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from chessgloss.commentary.arms import asked_moves, published_changes
from chessgloss.commentary.asking import read_briefings, released_file
from chessgloss.commentary.briefing import Briefing

HERE = Path(__file__).parent


def ranked(briefing: Briefing) -> list[tuple[str, float, float, float]]:
    """Return term, margins before and after, and change of each concept, by rank."""
    return [
        (
            concept.term,
            round(concept.before, 3),
            round(concept.after, 3),
            round(concept.change, 3),
        )
        for concept in published_changes(briefing)
    ]


def write(path: Path, moves: Mapping[str, Briefing]) -> None:
    """Write the concepts of moves into a file."""
    rows = (
        f"{json.dumps(name)}: {json.dumps(ranked(each))}"
        for name, each in moves.items()
    )
    text = ",\n".join(rows)
    path.write_text(f"{{\n{text}\n}}\n", "utf-8")


def main() -> None:
    """Write the files."""
    write(HERE / "published.json", asked_moves())
    write(HERE.parent / "voice/published.json", read_briefings(released_file()))


if __name__ == "__main__":
    main()
