"""The arms of the experiment: one prompt, and which of its parts each arm has.

The prompt has all that the CCC paper's (3.1.2) has: the engine's verdict, every attack on an enemy
piece, concepts by priority, worked examples, reasoning before the comment. An arm differs from
its neighbour in one of them. What is the same for every move stands first, so that a server with
a slot an arm reads it once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain
from string import Template
from tomllib import loads
from typing import Any, Literal

import numpy as np

from chessgloss.commentary.asking import exact_briefings_file, read_briefings
from chessgloss.commentary.briefing import Briefing, Comment
from chessgloss.commentary.methods import (
    CONCEPTS,
    TEMPERATURE,
    after_mark,
    describe_attacks,
    describe_concept,
    describe_verdict,
)
from chessgloss.facts import side_name
from chessgloss.facts.change import Changes, ConceptChange, concept_and_side
from chessgloss.llm.recordings import Answer, Message, Request, Sampling, State
from chessgloss.llm.text import visible
from chessgloss.positions import text_digest
from chessgloss.store import data_file

Part = Literal["verdict", "attacks", "concepts", "reasoning"]

#: Whose concepts: the five first of the published ranking, five by lot of its sixteen others,
#: Stockfish 8's own, those of the model that was trained on changes.
Chosen = Literal["published", "others", "oracle", "learned"]

#: Under which purpose the answers are recorded.
PURPOSE = "factorial"

#: Longest answer, in tokens: with reasoning they take some 150.
MAX_TOKENS = 350

_TABLE: Mapping[str, Any] = loads(
    files(__package__).joinpath("arms.toml").read_text("utf-8")
)
_TAGGED = re.compile(r"\[([a-z,]+)\] ")


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to ask for a comment.

    Parameters
    ----------
    name
        As in tables and keys.
    parts
        What it is given beside position and move, and whether it is asked to reason.
    concepts
        Whose concepts, where it has that part.
    examples
        How many worked examples precede the question.
    third
        Whether it is asked on a third of the moves only (:func:`in_third`).
    """

    name: str
    parts: tuple[Part, ...]
    concepts: Chosen | None = None
    examples: int = 2
    third: bool = False

    def __post_init__(self) -> None:
        if ("concepts" in self.parts) != (self.concepts is not None):
            raise ValueError(f"arm {self.name} says whose concepts if it has any")


def _read_arm(name: str, row: Mapping[str, Any]) -> Arm:
    return Arm(name, **{**row, "parts": tuple(row["parts"])})


#: Every arm by name, in the order of the paper's argument.
ARMS = {name: _read_arm(name, row) for name, row in _TABLE["arms"].items()}

#: The arms with the steps of the paper's argument between them, by the names of the steps.
CONTRASTS: Mapping[str, Sequence[tuple[str, str]]] = {
    name: tuple(map(tuple, pairs)) for name, pairs in _TABLE["contrasts"].items()
}

#: Two worked examples, one a colour; an arm sees of them what it sees of its own move.
EXAMPLES: Sequence[Mapping[str, Any]] = _TABLE["example"]


# ---------------------------------------------------------------- which moves, which concepts


def asked_moves() -> dict[str, Briefing]:
    """Return the moves that are commented on, by name: 63 evaluated and 240 lectured ones.

    What engine, expert and oracle say of them rests on searches whose last exact line is read.
    """
    lectured = data_file("commentary/lectured_exact.json")
    return {**read_briefings(exact_briefings_file()), **read_briefings(lectured)}


def in_third(name: str) -> bool:
    """Return whether a move belongs to the third, drawn by lot, that every arm is asked on."""
    return int(text_digest(f"third {name}"), 16) % 3 == 0


def read_published() -> dict[str, Changes]:
    """Return the concepts of each move by the published ranking (CCC paper, 3.1.2), by its name.

    Raises
    ------
    ValueError
        If the file of them is missing; the message says what makes it.
    """
    path = data_file("commentary/factorial/published.json")
    if not path.is_file():
        raise ValueError(
            f"{path} is missing; make it with: python data/commentary/factorial/make.py"
        )
    stored = json.loads(path.read_text("utf-8"))
    return {name: tuple(_changes(rows)) for name, rows in stored.items()}


def _changes(rows: Sequence[Sequence[Any]]) -> Iterator[ConceptChange]:
    for rank, (term, before, after, change) in enumerate(rows, start=1):
        yield ConceptChange(*concept_and_side(term), before, after, change, rank)


def concepts_given(
    briefing: Briefing, published: Changes, chosen: Chosen, count: int = CONCEPTS
) -> Changes:
    """Return the concepts that an arm is given for a move, the most important first.

    ``others`` are drawn by lot among those that the published ranking does not put among its
    first ``count``. They keep their order and their own changes: the arm is given nothing that
    the network does not say, only what the ranking says matters less.
    """
    if chosen == "oracle":
        return briefing.oracle[:count]
    if chosen == "learned":
        return briefing.concepts[:count]
    if chosen == "published":
        return published[:count]
    others = published[count:]
    lot = text_digest(f"others {briefing.move.position.fen} {briefing.move.uci}")
    drawn = np.random.default_rng(int(lot, 16)).permutation(len(others))[:count]
    return tuple(others[k] for k in sorted(drawn))


# ---------------------------------------------------------------- what is asked


def ask_arm(briefing: Briefing, arm: str, published: Changes = ()) -> Request:
    """Return what an arm asks of a model for a comment on a move.

    Parameters
    ----------
    briefing
        The move and what is known of it.
    arm
        Name of an arm in :data:`ARMS`.
    published
        The move's concepts by the published ranking, for the arms that are given them.
    """
    return ask_arms(briefing, [arm], published)[0]


def ask_arms(
    briefing: Briefing, arms: Iterable[str], published: Changes = ()
) -> list[Request]:
    """Return what several arms ask on a move: as :func:`ask_arm`, the move looked at once."""
    move = briefing.move
    of_move = {
        "position": move.position.fen,
        "side": side_name(move.mover),
        "move": move.numbered_san,
        "verdict": describe_verdict(move, briefing.verdict),
        "attacks": describe_attacks(move.after()),
    }
    return [_ask(briefing, ARMS[arm], of_move, published) for arm in arms]


def _ask(
    briefing: Briefing, arm: Arm, of_move: Mapping[str, str], published: Changes
) -> Request:
    values = dict(of_move)
    if arm.concepts is not None:
        concepts = concepts_given(briefing, published, arm.concepts)
        values["concepts"] = _numbered([describe_concept(each) for each in concepts])
    examples = (_example(arm, each) for each in EXAMPLES[: arm.examples])
    messages = (
        Message("system", _fill("system", arm, {})),
        *chain.from_iterable(examples),
        Message("user", _fill("question", arm, values)),
    )
    sampling = Sampling(TEMPERATURE, MAX_TOKENS, seed=1)
    label = f"{PURPOSE}@{_TABLE['version']}"
    about = {"method": arm.name, "of": briefing.name}
    return Request(messages, sampling, prompt=label, about=about)


def _example(arm: Arm, example: Mapping[str, Any]) -> tuple[Message, Message]:
    attacks = "\n".join(f"- {line}" for line in example["attacks"])
    values = {
        **example,
        "attacks": attacks,
        "concepts": _numbered(example["concepts"]),
    }
    return (
        Message("user", _fill("question", arm, values)),
        Message("assistant", _fill("answer", arm, values)),
    )


def _fill(text: str, arm: Arm, values: Mapping[str, Any]) -> str:
    """Return a text of the prompt with the lines that an arm has, filled."""
    lines = []
    for line in _TABLE[text].strip().splitlines():
        tag = _TAGGED.match(line)
        if tag is None:
            lines.append(line)
        elif set(tag[1].split(",")) <= set(arm.parts):
            lines.append(line[tag.end() :])
    return Template("\n".join(lines)).substitute(values)


def _numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{rank}. {line}" for rank, line in enumerate(lines, start=1))


def questions() -> list[Request]:
    """Return every question of the experiment, move by move in an order by lot.

    A recording that was stopped then has all arms of the moves that it has.
    """
    published = read_published()
    moves = asked_moves()
    ordered = sorted(moves, key=lambda name: text_digest(f"order {name}"))
    asked = (ask_arms(moves[name], arms_on(name), published[name]) for name in ordered)
    return [*chain.from_iterable(asked)]


def arms_on(move: str) -> list[str]:
    """Return the arms that are asked on a move."""
    return [arm.name for arm in ARMS.values() if not arm.third or in_third(move)]


def read_comment(answer: Answer, arm: str) -> Comment:
    """Return the comment in an answer: what follows the last ``Comment:``, in one line."""
    if answer.state != State.ANSWERED:
        return Comment("", arm, answer.model, str(answer.state))
    line = after_mark(visible(answer.text))
    return Comment(line, arm, answer.model, "answered" if line else "unread")
