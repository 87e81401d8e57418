"""Comments read blind: whether they say what decides the move, help, mislead, and who wrote them.

A reader sees position, move, an engine's lines and one comment, and never who wrote it; two
readings are told the same in different words::

    request = ask(seen, comment, "first")
    read_answer(client.ask(request).text)
    # {"decisive": "partly", "helpful": "yes", "misleading": "no", "false": "no", "author": "model"}
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Any, Final, Literal

import chess

from chessgloss.commentary import voice
from chessgloss.commentary.arms import describe_lines
from chessgloss.commentary.asking import read_analysis
from chessgloss.commentary.notes import write_notes
from chessgloss.facts import side_name
from chessgloss.llm.client import Client
from chessgloss.llm.recordings import Message, Request, Sampling
from chessgloss.llm.text import quoted
from chessgloss.positions import MoveInContext, text_digest
from chessgloss.scores import Analysis
from chessgloss.store import data_file

#: Under which purpose the answers are recorded.
PURPOSE: Final = "voice_blind"

Reading = Literal["first", "second"]
READINGS: tuple[Reading, ...] = ("first", "second")

_TABLE: Mapping[str, Any] = tomllib.loads(
    files("chessgloss.judges").joinpath("blind.toml").read_text("utf-8")
)

#: Names of the texts that readers are told, which are frozen by their hashes.
TOLD: Final = ("first", "second", "question", "one", "prefer", "two", "reword")

#: What each answer can be.
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "decisive": ("yes", "partly", "no"),
    "helpful": ("yes", "partly", "no"),
    "misleading": ("yes", "no"),
    "false": ("yes", "no"),
    "author": ("person", "program", "model"),
}

#: Planted errors of each arm that are shown, so that about one comment in ten is broken.
PLANTS_SHOWN: Final = 15

SAMPLING: Final = Sampling(temperature=0.0, max_tokens=60)
_LONG: Final = Sampling(temperature=0.0, max_tokens=150)
_PAIR = re.compile(r"(\w+)\W*[=:]\W*(\w+)")
_LINES: Final = 3


@dataclass(frozen=True, slots=True)
class Seen:
    """A move as readers see it.

    Parameters
    ----------
    name
        What it is called.
    move
        The move.
    before, after
        What an engine says of the positions around it, searched apart from what writers are given.
    """

    name: str
    move: MoveInContext
    before: Analysis
    after: Analysis


def voice_seen() -> dict[str, Seen]:
    """Return the moves of the experiment as readers see them, by name, with their own searches."""
    rows = json.loads(data_file("commentary/voice/deep.json").read_text("utf-8"))
    return {
        name: Seen(
            name,
            each.move,
            read_analysis(each.move.position, rows[name][0]),
            read_analysis(each.move.after(), rows[name][1]),
        )
        for name, each in voice.voice_moves().items()
    }


def voice_texts(
    writer: Client, people: Mapping[str, str] | None = None
) -> list[tuple[str, str, str]]:
    """Return the comments that are read: each with the name of its move and of who wrote it.

    Those of all arms, the program's ``notes``, people's (``reference``), and ``broken`` ones, the
    planted errors that are shown.

    Parameters
    ----------
    writer
        Replays the answers of the arms.
    people
        People's comments by the name of the move, where their source is at hand.
    """
    written = [
        (name, arm, each.text)
        for arm, of_arm in voice.comments(writer).items()
        for name, each in of_arm.items()
    ]
    moves = voice.voice_moves()
    written += [(name, "notes", write_notes(each).text) for name, each in moves.items()]
    written += [(name, "reference", text) for name, text in (people or {}).items()]
    shown = Counter[str]()
    for each in voice.read_plants(writer.model):
        shown[each["arm"]] += 1
        if shown[each["arm"]] <= PLANTS_SHOWN:
            written.append((each["move"], "broken", each["text"]))
    return written


def told(name: str) -> str:
    """Return one of the texts of :data:`TOLD`."""
    return str(_TABLE[name]).strip()


def ask(
    seen: Seen,
    text: str,
    reading: Reading,
    about: Mapping[str, str | int] | None = None,
) -> Request:
    """Return the question that puts a comment before a reader.

    Parameters
    ----------
    seen
        The move.
    text
        The comment; kept nowhere but in the question.
    reading
        In which words the reader is told what to do.
    about
        What the recording keeps of it, such as ``method``.
    """
    shown = Template(told("one")).substitute(text=quoted(text))
    return _request(seen, reading, shown, SAMPLING, about or {})


def ask_preference(
    seen: Seen, texts: tuple[str, str], about: Mapping[str, str | int] | None = None
) -> Request:
    """Return the question which of two comments on a move a club player should rather be given."""
    first, second = map(quoted, texts)
    shown = Template(told("two")).substitute(first=first, second=second)
    return _request(seen, "prefer", shown, SAMPLING, about or {})


def ask_rewording(text: str, about: Mapping[str, str | int] | None = None) -> Request:
    """Return the question that asks for a comment in plain and neutral words."""
    messages = (
        Message("system", told("reword")),
        Message("user", quoted(text)),
    )
    return Request(messages, _LONG, prompt=_LABEL, about=about or {})


_LABEL: Final = f"blind@{_TABLE['version']}"


def _request(
    seen: Seen,
    asked: str,
    texts: str,
    sampling: Sampling,
    about: Mapping[str, str | int],
) -> Request:
    move = seen.move
    content = Template(told("question")).substitute(
        position=move.position.fen,
        board=chess.Board(move.position.fen),
        side=side_name(move.mover),
        move=move.numbered_san,
        before=describe_lines(seen.before, _LINES),
        after=describe_lines(seen.after, _LINES),
        texts=texts,
    )
    messages = (Message("system", told(asked)), Message("user", content))
    return Request(
        messages,
        sampling,
        prompt=_LABEL,
        about={"of": seen.name, "set": asked, **about},
    )


def read_answer(text: str) -> dict[str, str]:
    """Return what a reader answers, by what is asked; what is not in the form is left out."""
    found = {name.lower(): said.lower() for name, said in _PAIR.findall(text)}
    return {
        name: found[name]
        for name, allowed in ANSWERS.items()
        if found.get(name) in allowed
    }


def questions(
    written: Iterable[tuple[str, str, str]], seen: Mapping[str, Seen]
) -> Iterator[Request]:
    """Yield the questions of both readings on comments.

    Parameters
    ----------
    written
        Comments, each with the name of its move and of who wrote it.
    seen
        The moves by name.

    Notes
    -----
    ``part`` in what a question is about says in which file of a block it lies: comments on one move
    have different parts, so that no file shows a move twice.
    """
    of_moves = dict[str, list[tuple[str, str]]]()
    for move, writer, text in written:
        if text:
            of_moves.setdefault(move, []).append((writer, text))
    for reading in READINGS:
        for move, texts in of_moves.items():
            drawn = sorted(texts, key=lambda each: _lot(reading, move, *each))
            for part, (writer, text) in enumerate(drawn, 1):
                about: dict[str, str | int] = {"part": part, "method": writer}
                yield ask(seen[move], text, reading, about)


def _lot(*words: str) -> str:
    return text_digest(" ".join(words))
