"""What a text says about a move, and whether the board and an engine confirm it.

A reader turns a text into claims of a typed language, and a program decides each one. Where is
what:

``language``, ``language.toml``
    The language: one table of predicates; claims, references, moves and numbers; the short form
    and the JSON schema.
``read_rules``, ``chunks``, ``read_rules.toml``
    The reader by rules, which needs no model: a small table of templates. What it does not read
    is said to be unread.
``read_model``, ``reading.txt``, ``worked.txt``
    The reader by a language model, any that a callable can ask.
``moments``
    The positions that a claim may be of, and what its references and moves mean there.
``decide``
    ``verify`` a text, ``decide`` claims: true, false or not checkable, with the evidence.
``judgement``
    What only an engine can decide.
``offers``
    Sentences that can be decided, offered in the place of a clause that was not read.
``wording``
    Evidence as a person would put it, for a page.
``minimal_pairs``
    Sentences with one word exchanged, which a checker has to find.
``gold``
    How good that is.

A predicate is decided on the board by :mod:`chessgloss.predicates`. A claim is false only if it
fails in every position that its words allow, and nobody would say so all the same; what is asked,
supposed or a matter of opinion is never called false.
"""

from chessgloss.claims.decide import (
    CAUSES,
    Cause,
    Checked,
    Disqualifier,
    Truth,
    agreed,
    decide,
    disqualifier,
    verify,
)
from chessgloss.claims.language import Claim, ClaimError, Kind, Reading

__all__ = [
    "CAUSES",
    "Cause",
    "Checked",
    "Claim",
    "ClaimError",
    "Disqualifier",
    "Kind",
    "Reading",
    "Truth",
    "agreed",
    "decide",
    "disqualifier",
    "verify",
]
