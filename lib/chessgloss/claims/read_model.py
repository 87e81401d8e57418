"""Claims of sentences read by a language model, which sees the words and never the board.

The model gets the table of predicates, worked readings and a numbered list of sentences, each with
the side that moved and its move; it answers one numbered line a sentence, in the short form of
:mod:`chessgloss.claims.language`. A line that breaks the language is asked once more, with the
error. Who is asked, and how, is the caller's affair: a reader is given a callable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import chess
from chess import Color

from chessgloss.claims.language import (
    ARGUMENTS,
    PREDICATES,
    Claim,
    ClaimError,
    Read,
    Reading,
    parse_claims,
    print_claims,
    schema,
    split_claims,
)

#: How many sentences a question holds.
SENTENCES: Final = 15

#: A message of a chat: its ``role`` and its ``content``.
Message = Mapping[str, str]

#: Answers messages with a text.
Ask = Callable[[Sequence[Message]], str]

_LINE = re.compile(r"^\s*(\d+)\s*[.):]\s*(.*?)\s*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence on a move, as a reader sees it.

    Parameters
    ----------
    side
        Who made the move.
    move
        The move in SAN.
    text
        The sentence.
    follows
        Whether it goes on with the sentence before it, on the same move.
    """

    side: Color
    move: str
    text: str
    follows: bool = False

    def __str__(self) -> str:
        text = " ".join(self.text.split())
        head = f"{chess.COLOR_NAMES[self.side].capitalize()} {self.move}"
        return f"{head} (continued) | {text}" if self.follows else f"{head} | {text}"


def messages(sentences: Sequence[Sentence]) -> list[dict[str, str]]:
    """Return the question that asks for the claims of sentences: a system and a user message."""
    listed = (f"{place}. {sentence}" for place, sentence in enumerate(sentences, 1))
    return [
        {"role": "system", "content": instructions()},
        {"role": "user", "content": "\n".join(listed)},
    ]


@cache
def instructions() -> str:
    """Return what a model is told: the language, how to read, and worked readings."""
    text = _resource("reading.txt")
    parts = {"table": _table(), "words": _words(), "worked": _worked()}
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return text


def _resource(name: str) -> str:
    return files("chessgloss.claims").joinpath(name).read_text("utf-8")


def _table() -> str:
    rows = PREDICATES.values()
    return "\n".join(f"- {row.name} {row.arguments}: {row.meaning}" for row in rows)


def _words() -> str:
    """Return the arguments that are one of a few words."""
    named = ("wing", "amount", "standing", "grade")
    listed = (f"{name} {ARGUMENTS[name].name.replace('|', ', ')}" for name in named)
    return "; ".join(listed) + "."


def worked_readings() -> tuple[tuple[str, tuple[Claim, ...]], ...]:
    """Return the worked readings: sentences with their side and move, and their claims."""
    lines = _resource("worked.txt").splitlines()
    parted = (line.rsplit(" | ", 1) for line in lines)
    return tuple(
        (sentence, () if claims == "-" else parse_claims(claims))
        for sentence, claims in parted
    )


def _worked() -> str:
    return "\n".join(
        f"{place}. {sentence}\n{place}. {print_claims(claims) or '-'}"
        for place, (sentence, claims) in enumerate(worked_readings(), 1)
    )


# ---------------------------------------------------------------- answers


def answer_schema() -> dict[str, Any]:
    """Return the JSON schema of an answer, for endpoints that hold a model to one."""
    claim = schema()
    shared = claim.pop("$defs")
    reading = {
        "type": "object",
        "properties": {
            "sentence": {"type": "integer"},
            "claims": {"type": "array", "items": claim},
        },
        "required": ["sentence", "claims"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"readings": {"type": "array", "items": reading}},
        "required": ["readings"],
        "additionalProperties": False,
        "$defs": shared,
    }


def parse_answer(text: str, count: int) -> tuple[Reading, ...]:
    """Return what an answer says of ``count`` sentences, in their order.

    Numbered lines in the short form, or an object that follows :func:`answer_schema`. A claim
    that breaks the language is left out, and the reading's ``problem`` names it and its field; so
    does that of a sentence without a line.
    """
    given = _readings_of_json(text) or _readings_of_lines(text)
    missing = Reading(problem="the answer has no line for it")
    return tuple(given.get(place, missing) for place in range(1, count + 1))


def _readings_of_lines(text: str) -> dict[int, Reading]:
    lines = filter(None, map(_LINE.match, text.splitlines()))
    readings = dict[int, Reading]()
    for line in lines:
        claims = line[2].strip("` ")
        parts = [] if claims.strip("-–— ") == "" else split_claims(claims)
        readings[int(line[1])] = _reading(parts, Claim.parse)
    return readings


def _readings_of_json(text: str) -> dict[int, Reading]:
    try:
        answer = json.loads(text)
        given = {each["sentence"]: each["claims"] for each in answer["readings"]}
    except (ValueError, KeyError, TypeError):
        return {}
    return {place: _reading(claims, Claim.from_json) for place, claims in given.items()}


def _reading(parts: Iterable[Any], parse: Callable[[Any], Claim]) -> Reading:
    claims = list[Claim]()
    problems = list[str]()
    for part in parts:
        try:
            claims.append(parse(part))
        except ClaimError as error:
            problems.append(f"{part}: {error}")
    return Reading(tuple(claims), problem="; ".join(problems))


# ---------------------------------------------------------------- reading


def read(
    sentences: Sequence[Sentence], ask: Ask, *, at_once: int = SENTENCES
) -> tuple[Reading, ...]:
    """Return a model's readings of sentences, ``at_once`` to a question.

    Lines that break the language are asked once more, with what is wrong; a reading whose
    ``problem`` is still not empty holds the claims that could be read.

    Parameters
    ----------
    sentences
        The sentences.
    ask
        Asks the model: messages in, its answer's text out.
    at_once
        Sentences a question.
    """
    readings = list[Reading]()
    for start in range(0, len(sentences), at_once):
        part = sentences[start : start + at_once]
        question = messages(part)
        answer = ask(question)
        first = parse_answer(answer, len(part))
        again = repair(question, answer, first)
        second = parse_answer(ask(again), len(part)) if again else first
        readings += map(_mended, first, second)
    return tuple(readings)


def repair(
    question: Sequence[Message], answer: str, readings: Sequence[Reading]
) -> list[Message]:
    """Return the question that asks for lines with a problem again; empty if there is none."""
    numbered = enumerate(readings, 1)
    wrong = [f"{place}. {each.problem}" for place, each in numbered if each.problem]
    if not wrong:
        return []
    told = "These lines break the language. Write them again, whole, and no others:"
    return [
        *question,
        {"role": "assistant", "content": answer},
        {"role": "user", "content": "\n".join((told, *wrong))},
    ]


def _mended(first: Reading, second: Reading) -> Reading:
    """Return the second reading of a line where the first had a problem and it has less."""
    better = len(second.claims) >= len(first.claims)
    return second if first.problem and better else first


# ---------------------------------------------------------------- texts


def reader(ask: Ask, *, at_once: int = SENTENCES) -> Read:
    """Return a reader of texts by a model, for :func:`chessgloss.claims.verify`.

    A text is cut into sentences; each claim has the span of its sentence, and a sentence of which
    a part could not be read is unread.
    """

    def read_text(text: str, side: Color, move: str) -> Reading:
        if not text.strip():
            return Reading()
        spans = sentence_spans(text)
        sentences = [
            Sentence(side, move, text[start:stop], follows=place > 0)
            for place, (start, stop) in enumerate(spans)
        ]
        readings = read(sentences, ask, at_once=at_once)
        return joined(readings, spans)

    return read_text


def joined(readings: Sequence[Reading], spans: Sequence[tuple[int, int]]) -> Reading:
    """Return the readings of a text's sentences as one of the text."""
    pairs = list(zip(readings, spans, strict=True))
    claims = (claim.at(*span) for reading, span in pairs for claim in reading.claims)
    broken = {span: reading.problem for reading, span in pairs if reading.problem}
    return Reading(tuple(claims), tuple(broken), "; ".join(broken.values()))


#: Where a sentence ends: behind a stop and white space, before what can begin another one. The
#: stop of a move's number, of an abbreviation, and dots that stand alone end none.
_END = re.compile(r"(?<=[.!?])([\"')\]]*)\s+(?=[\"'(\[]*[A-Z0-9])")
_NO_END = re.compile(
    r"(?:\b\d+\.+|\s\.{2,}|\b(?:vs|e\.g|i\.e|cf|etc|resp)\.)[\"')\]]*\s*$",
    re.IGNORECASE,
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where each sentence of a text begins and ends, white space between them apart."""
    ends = [
        found
        for found in _END.finditer(text)
        if not _NO_END.search(text[: found.end()])
    ]
    starts = [0, *(found.end() for found in ends)]
    stops = [*(found.end(1) for found in ends), len(text)]
    return list(zip(starts, stops, strict=True))
