"""What a look at one moment gives: whether what is claimed holds there, and why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

#: What came of a claim; ``named`` is what the words only name, and what is there (a piece, a legal
#: move): they say nothing of it that could be true.
Truth = Literal["true", "false", "not checkable", "named"]

#: It holds; it does not; what it speaks of is not there; the board cannot tell.
Outcome = Literal["holds", "fails", "absent", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a look at one moment gives, with the board fact that decides it."""

    outcome: Outcome
    evidence: str


#: The findings by outcome, each of its evidence.
holds = partial(Finding, "holds")

fails = partial(Finding, "fails")


absent = partial(Finding, "absent")

unknown = partial(Finding, "unknown")


def truth(value: bool, evidence: str, *, certain: bool = True) -> Finding:
    """Return the finding that a claim holds or fails; it may also fail to be certain."""
    return (
        holds(evidence) if value else fails(evidence) if certain else unknown(evidence)
    )


NO_ENGINE: Final = unknown("no engine's verdict is given")

NO_MOVE: Final = absent("no move led here")


ANOTHER_MOVE: Final = absent("another move is spoken of")
