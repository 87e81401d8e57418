"""One fixed way of making a claim: a regular expression over a sentence in lower case."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chessgloss.claims.records import Kind

#: Whose: the group ``side``.
SIDE = r"(?P<side>white|black)(?:'s (?:position|game|side))?"

#: A form of *to be*, or a verb used like it.
BE = (
    r"(?:'s|\s+(?:is|are|was|stands|remains|stays|comes out|ends up|emerges"
    r"|finds (?:him|her|it)self))"
)

_ADVERBS = (
    r"(?:\s+(?:now|still|already|clearly|simply|objectively|effectively|currently|just|left))*"
)

#: ``White is now``: a side, a form of *to be*, adverbs.
SIDE_IS = SIDE + BE + _ADVERBS


@dataclass(frozen=True, slots=True)
class Wording:
    """A fixed way of making a claim.

    Parameters
    ----------
    kind, relation
        What is claimed.
    words
        Regular expression over a sentence in lower case. Its group ``side`` names whose; all
        other groups become the claim's detail.
    detail
        What the wording says beside its groups, as ``name=value``.
    """

    kind: Kind
    relation: str
    words: re.Pattern[str]
    detail: tuple[str, ...] = ()


def wording(kind: Kind, relation: str, words: str, *detail: str) -> Wording:
    """Return a wording from the text of its regular expression."""
    return Wording(kind, relation, re.compile(words), detail)


def alternatives(words: str) -> str:
    """Return words separated by ``|`` as a group of a regular expression."""
    return f"(?:{words})"
