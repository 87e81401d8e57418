"""The experiment with a model that can write: its moves, its arms, and what they are asked.

The arms are those of :mod:`~chessgloss.commentary.arms`, with the same prompts and worked examples.
They are asked on 150 moves, sixty of which were released with the CCC paper, in six blocks that are
the same in every arm. What was decided before the first answer stands in ``voice.toml``, and with
its hashes in ``data/commentary/voice/frozen.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from chessgloss.commentary import read_table
from chessgloss.commentary.arms import EVERY_ARM, ask_arm, asked_moves, read_published
from chessgloss.commentary.asking import (
    read_analysis,
    read_briefings,
    read_refutation,
    released_file,
)
from chessgloss.commentary.briefing import Briefing
from chessgloss.llm.recordings import Request
from chessgloss.store import data_file

#: Under which purpose the answers are recorded.
PURPOSE: Final = "voice"

_TABLE: Mapping[str, Any] = read_table("voice.toml")

#: The arms whose questions are known beforehand, in the order of the argument.
ARMS: Sequence[str] = tuple(_TABLE["arms"])

#: The steps between arms, by name: the arm that takes it, and the one that does not.
CONTRASTS: Mapping[str, tuple[str, str]] = {
    name: (taken, left) for name, (taken, left) in _TABLE["contrasts"].items()
}

#: What is compared, in words, by name.
OUTCOMES: Mapping[str, str] = _TABLE["outcomes"]


def read_blocks() -> list[list[str]]:
    """Return the names of the moves in the six blocks in which every arm is asked."""
    path = data_file("commentary/voice/blocks.json")
    return json.loads(path.read_text("utf-8"))["of"]


def voice_moves() -> dict[str, Briefing]:
    """Return the 150 moves by name, block by block: ninety of the 303, and the sixty released."""
    known = asked_moves() | read_briefings(released_file())
    return {name: known[name] for name in chain.from_iterable(read_blocks())}


def lined_moves() -> dict[str, Briefing]:
    """Return the same moves with two lines after each, and what a reader would try and fails.

    Raises
    ------
    ValueError
        If the file of them is missing; the message says what makes it.
    """
    path = data_file("commentary/voice/lines.json")
    if not path.is_file():
        remedy = "make it with: python data/commentary/voice/lines.py"
        raise ValueError(f"{path} is missing; {remedy}")
    rows = json.loads(path.read_text("utf-8"))
    return {
        name: _lined(each, rows[name]) for name, each in voice_moves().items()
    }


def _lined(briefing: Briefing, row: Mapping[str, Any]) -> Briefing:
    move = briefing.move
    failing = tuple(read_refutation(move, each) for each in row["failing"])
    after = read_analysis(move.after(), row["after"])
    return replace(briefing, after=after, refutations=failing)


def questions(arms: Iterable[str] = ARMS) -> list[Request]:
    """Return what some arms are asked on all moves, arm by arm."""
    published = read_published()
    plain, lined = voice_moves(), lined_moves()
    return [
        ask_arm(each, arm, published[name])
        for arm in arms
        for name, each in (lined if has_lines(arm) else plain).items()
    ]


def has_lines(arm: str) -> bool:
    """Return whether an arm is given lines."""
    return "lines" in EVERY_ARM[arm].parts
