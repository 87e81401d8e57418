"""The methods that ask a language model: what each is given, what is asked, how it is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import chess

from chessgloss.commentary.briefings import Briefing
from chessgloss.commentary.concepts import Choice, choose_concepts
from chessgloss.commentary.telling import (
    Notation,
    tell_attacks,
    tell_concepts,
    tell_position,
    tell_verdict,
)
from chessgloss.llm import Answer, Request, Sampling, State
from chessgloss.priorities import ConceptChange
from chessgloss.prompts import load_prompt

#: The paper's temperature (4.1).
TEMPERATURE = 0.1

#: How many concepts are given (see :mod:`chessgloss.commentary.concepts`).
CONCEPTS = 5


#: Most concepts fitted on facts that follow them.
NOTICED = 3


@dataclass(frozen=True, slots=True)
class Method:
    """A way to have a language model comment on a move.

    Parameters
    ----------
    name
        As in tables and keys.
    prompt
        Name of the prompt.
    given
        What it is given beside position and move, in words.
    concepts
        Which concepts it is given (see :func:`choose_concepts`); ``None``: it has no such part.
    oracle
        Whether the concepts are Stockfish 8's own changes instead of the expert's.
    noticed
        Whether the concepts fitted on facts that the move brings about or ends follow them.
    max_tokens
        Longest answer.
    """

    name: str
    prompt: str
    given: str
    concepts: Choice | None = None
    oracle: bool = False
    noticed: bool = False
    max_tokens: int = 90


_LONG: dict[str, Any] = {"max_tokens": 200}
_CCC = "engine's verdict, attacks, examples, reasoning, "
_METHODS = (
    Method("llm", "comment_llm", "nothing more"),
    Method("llm_expert", "comment_expert", "engine's verdict"),
    Method("ccc", "comment_ccc", _CCC + "five concepts", "top", **_LONG),
    Method("ccc_random", "comment_ccc", _CCC + "five other concepts by lot", "random", **_LONG),
    Method("ccc_flipped", "comment_ccc", _CCC + "five concepts turned round", "flipped", **_LONG),
    Method("ccc_none", "comment_ccc", _CCC + "no concept", "none", **_LONG),
    Method("ccc_oracle", "comment_ccc", _CCC + "Stockfish 8's five", "top", oracle=True, **_LONG),
    Method(
        "ccc_facts",
        "comment_ccc",
        _CCC + "five concepts, and forks, pins and such it sees",
        "top",
        noticed=True,
        **_LONG,
    ),
)

#: Every such method by name.
METHODS: Mapping[str, Method] = MappingProxyType({one.name: one for one in _METHODS})


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a move, and who wrote it.

    Parameters
    ----------
    text
        The comment; empty if there is none to be used.
    method
        Name of the method.
    model
        Name of the language model; empty for a method without one.
    state
        ``answered``, or what became of the answer instead (``empty``, ``cut_off``,
        ``refused``, ``unread`` for an answer in which no comment was found).
    """

    text: str
    method: str
    model: str = ""
    state: str = "answered"

    def __post_init__(self) -> None:
        if self.state == "answered" and not self.text.strip():
            raise ValueError(f"a comment of {self.method!r} that was answered has no text")

    @property
    def words(self) -> int:
        """Number of words, split at white space."""
        return len(self.text.split())


def find_method(name: str) -> Method:
    """Return the method of that name; :class:`ValueError` names those there are."""
    if name not in METHODS:
        raise ValueError(f"no method {name!r} asks a model; there are {', '.join(METHODS)}")
    return METHODS[name]


def request_comment(
    briefing: Briefing, method: str, *, notation: Notation = "fen", count: int = CONCEPTS
) -> Request:
    """Return what is asked of the language model for a comment.

    Parameters
    ----------
    briefing
        The move and what is known of it.
    method
        Name of a method in :data:`METHODS`.
    notation
        How the position is told (the paper's Appendix F compares the two).
    count
        How many concepts are given.
    """
    chosen = find_method(method)
    prompt = load_prompt(chosen.prompt)
    values = {
        "position": tell_position(briefing.move.position, notation),
        "side": "White" if briefing.move.mover == chess.WHITE else "Black",
        "move": briefing.move.numbered_san,
    }
    if "verdict" in prompt.placeholders:
        values["verdict"] = tell_verdict(briefing.move, briefing.verdict)
    if chosen.concepts is not None:
        values["attacks"] = tell_attacks(briefing.move.after())
        values["concepts"] = tell_concepts(concepts_of(briefing, method, count))
    about: dict[str, str | int] = {
        "method": method,
        "of": briefing.name,
        "notation": notation,
        "concepts": count,
    }
    return Request(
        prompt.fill(**values),
        Sampling(temperature=TEMPERATURE, max_tokens=chosen.max_tokens, seed=1),
        prompt=prompt.label,
        about=about,
    )


def concepts_of(
    briefing: Briefing, method: str, count: int = CONCEPTS
) -> tuple[ConceptChange, ...]:
    """Return the concepts that a method is given for a move."""
    chosen = find_method(method)
    ranked = briefing.oracle if chosen.oracle else briefing.concepts
    told = choose_concepts(briefing.move, ranked, chosen.concepts or "none", count)
    return (*told, *briefing.noticed[:NOTICED]) if chosen.noticed else told


_COMMENT = re.compile(r"^\W*comment\W*?:\W*?(?=\w)", re.IGNORECASE | re.MULTILINE)


def read_comment(answer: Answer, method: str) -> Comment:
    """Return the comment in an answer.

    A method that reasons first marks its comment with ``Comment:``; what follows the last such
    mark is taken, in one line. An answer that was cut off counts as such even if a part of
    the comment is there.
    """
    text = answer.text
    if answer.state != State.ANSWERED:
        return Comment("", method, answer.model, str(answer.state))
    if find_method(method).concepts is not None:
        marks = list(_COMMENT.finditer(text))
        text = text[marks[-1].end() :] if marks else ""
    folded = " ".join(text.split()).strip('"').strip()
    return Comment(folded, method, answer.model, "answered" if folded else "unread")
