"""The verified comments as they were published: texts do not follow when the checker changes.

A verified comment depends on the checker at every turn: what is asked again, what is left out.
Judges were then asked about the texts. So each model's comments are kept with the hash of the
checker that made them; what a later checker finds in them is a result, and mends nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.methods import Comment
from chessgloss.llm import replay
from chessgloss.store import find_project
from chessgloss.verified.asking import method_name
from chessgloss.verified.records import Attempt, Verified
from chessgloss.verified.writer import checker, write_verified


def published_file() -> Path:
    """Return the file of published comments."""
    return find_project() / "data" / "claims" / "published.json"


def published_by(path: Path | None = None) -> str:
    """Return the SHA-256 of the checker that made the published comments."""
    return str(_read(path or published_file())["checker_sha256"])


def read_published(
    briefings: Sequence[Briefing], model: str, *, simple: bool = False, path: Path | None = None
) -> list[Verified]:
    """Return the verified comments of a model on moves, in their order.

    Where none was published, the comment is made from the model's recorded answers by the
    checker of today.

    Parameters
    ----------
    briefings
        The moves and what is known of them.
    model
        Who wrote.
    simple
        ``ccc_simple`` in place of ``ccc_verified``.
    path
        The file; :func:`published_file` if not given.

    Raises
    ------
    chessgloss.llm.AnswerMissing
        If a comment was not published and an answer that it needs is not recorded.
    """
    known = _known(path or published_file(), model)
    return [_one(briefing, model, simple, known) for briefing in briefings]


def is_published(
    briefing: Briefing, model: str, *, simple: bool = False, path: Path | None = None
) -> bool:
    """Tell whether a model's comment on a move was published; see :func:`read_published`."""
    return (method_name(simple), briefing.name) in _known(path or published_file(), model)


def _known(path: Path, model: str) -> dict[tuple[str, str], Any]:
    stored = _read(path)
    if stored["model"] != model:
        return {}
    return {(row["method"], row["move"]): row for row in stored["comments"]}


def _one(
    briefing: Briefing, model: str, simple: bool, known: Mapping[tuple[str, str], Any]
) -> Verified:
    method = method_name(simple)
    row = known.get((method, briefing.name))
    if row is None:
        more, first = replay("verified", model), replay("commentary", model)
        return write_verified(briefing, more, first=first, simple=simple)
    check = checker(briefing)
    attempts = tuple(
        Attempt(one["text"], check(one["text"]) if one["text"] else (), one["state"])
        for one in row["attempts"]
    )
    return Verified(
        Comment(row["text"], method, model),
        attempts,
        tuple(row["dropped"]),
        tuple(row["borrowed"]),
        row["fallback"],
        check(row["text"]),
    )


@lru_cache(maxsize=2)
def _read(path: Path) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return stored
