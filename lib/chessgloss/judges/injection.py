"""Prompt injection: what a comment says to its judge is dropped before the judge reads it.

A small model obeys what it reads, wherever it stands. The words of judging are none of chess:
hardly a comment of 1,061 in lectures speaks of a score, a grade or a comment. So a sentence that
has them, or marks and letters that no annotator writes (``injection.toml``), speaks to the judge.
How much gets through is measured in ``book/reliability.md``.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from chessgloss.llm.text import visible

_BREAK = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+|\s*\n\s*")
_WORD = re.compile(r"[^\W\d]{2,}")


def without_injections(text: str) -> str:
    """Return a comment without the sentences that speak to its judge.

    What follows such a sentence is dropped with it, up to one that names a square, a piece or a
    side. A text that has none comes back as it is.
    """
    to_judge, english, chess = _patterns()
    sentences = _BREAK.split(visible(text))
    kept = []
    dropping = False
    for sentence in sentences:
        foreign = len(_WORD.findall(sentence)) > 5 and not english.search(sentence)
        found = any(pattern.search(sentence) for pattern in to_judge)
        dropping = found or foreign or (dropping and not chess.search(sentence))
        if not dropping:
            kept.append(sentence)
    return text if len(kept) == len(sentences) else " ".join(kept).strip()


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], ...], re.Pattern[str], re.Pattern[str]]:
    """Return what speaks to a judge, what is English, and what is chess."""
    given = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    words = "|".join(given["words"])
    english = "|".join(given["english"].split())
    to_judge = (
        re.compile("|".join(given["marks"])),
        re.compile(rf"\b(?:{words})\b", re.IGNORECASE),
        re.compile("".join(given["five"]), re.IGNORECASE),
    )
    return (
        to_judge,
        re.compile(rf"\b(?:{english})s?\b", re.IGNORECASE),
        re.compile(given["chess"], re.IGNORECASE),
    )
