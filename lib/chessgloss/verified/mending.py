"""A comment without its false claims: the clauses that hold one are left out."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

from chessgloss.claims import Checked
from chessgloss.verified.clauses import Part, cut, join, without
from chessgloss.verified.records import Check, false_of

#: What answers the one who asked again instead of speaking to the reader: of the comment or
#: the program itself, or only denying what was called false.
_REPLY: Final = re.compile(
    r"\b(?:(?:the|this|my|your|previous) (?:comment|program|claims?)|engine's analysis)\b"
    r"|\bdoes not (?:attack|hit|create|capture|leave|give|defend|protect|threaten|win)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mended:
    """What is left of a comment.

    Parameters
    ----------
    text
        The comment without what was dropped; empty if nothing is left.
    dropped
        What was left out, in the comment's order.
    checked
        The claims of ``text``, none of them false.
    """

    text: str
    dropped: tuple[str, ...]
    checked: tuple[Checked, ...]

    def __post_init__(self) -> None:
        if false_of(self.checked):
            raise ValueError(f"a mended comment holds a false claim: {self}")

    @property
    def words(self) -> int:
        """Number of words that are left, split at white space."""
        return len(self.text.split())

    @property
    def true(self) -> int:
        """Number of true claims that are left."""
        return sum(one.verdict == "true" for one in self.checked)


def mend(text: str, check: Check, *, again: bool = False) -> Mended:
    """Leave out the clauses of a comment that hold false claims.

    The rest is checked again, since a pronoun may come to stand for something else, until no
    claim in it is false. A comment with nothing to leave out comes back as it is.

    Parameters
    ----------
    text
        The comment.
    check
        Returns the claims of a text on the same move.
    again
        Whether it was written when asked again: what only answers the one who asked is then
        left out too.
    """
    checked = check(text)
    parts = cut(text)
    replies = {index for index, part in enumerate(parts) if again and _REPLY.search(part.text)}
    if not false_of(checked) and not replies:
        return Mended(text, (), checked)
    kept = without(parts, frozenset(range(len(parts))), replies)
    while kept:
        left, spans = join(parts, kept)
        checked = check(left)
        false = false_of(checked)
        if not false:
            break
        gone = _holding(false, spans) or set(kept)
        kept = without(parts, kept, gone | _alike(parts, gone))
    dropped = tuple(part.text for index, part in enumerate(parts) if index not in kept)
    return Mended(left, dropped, checked) if kept else Mended("", dropped, ())


def _alike(parts: Sequence[Part], gone: Set[int]) -> set[int]:
    """Return the parts that repeat one that goes, word for word."""
    words = {parts[index].text.lower() for index in gone}
    return {index for index, part in enumerate(parts) if part.text.lower() in words}


def _holding(false: tuple[Checked, ...], spans: dict[int, tuple[int, int]]) -> set[int]:
    """Return the parts that a false claim reaches into."""
    return {
        index
        for index, (start, stop) in spans.items()
        for one in false
        if one.claim.span[0] < stop and start < one.claim.span[1]
    }
