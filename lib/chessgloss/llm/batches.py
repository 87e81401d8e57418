"""Questions written to files, and their answers read from files: any model, asked in batches.

A folder holds, of each batch, the file of questions (``NAME.questions.txt`` or ``.jsonl``), the
file of answers that whoever asks puts beside it (``NAME.answers.jsonl``), and ``kept/NAME.json``,
which says what each question is and is not shown to the model. Names are drawn, so that neither
purpose nor arm can be told from them. Two forms:

``openai``
    JSON Lines of OpenAI's Batch API: half the price, and what other services take too.
``plain``
    Numbered questions in words with an instruction on top, for a model that is asked otherwise,
    for instance in one conversation. How it draws its answers is then not in the asker's hand:
    a request's sampling is what was asked for, and part of its key as ever.

An answer is kept under its request's hash. A question that lacks one is in the next batch.

Source: https://platform.openai.com/docs/guides/batch
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from chessgloss.llm.dialect import Dialect
from chessgloss.llm.recordings import (
    Answer,
    Asked,
    Message,
    Recordings,
    Request,
    State,
)
from chessgloss.llm.replies import FILTERED, read_completion, read_text, sentence
from chessgloss.store import recipe_key, write_file

_ENDPOINT = "/v1/chat/completions"
_INSTRUCTION = """\
Below {are}. Answer {each}.
Use no tools but the one that writes the answer file: no program, no search, no engine. Go
through the text once, from top to bottom.
{roles}{shared}Write the answer{s} to the file {answers}: one line of JSON for each question,
{{"number": 7, "answer": "..."}}, with a line break inside an answer written as \\n. No number is
left out and nothing else is in the file.
"""
#: What stands between objects: blanks, a list's brackets and commas, fences of Markdown.
_BETWEEN = re.compile(r"(?:[\s\[\],]|```\w*)*")
_ROLES = """\
Where a question shows turns marked [system], [user] and [assistant], it is a conversation in which
the next turn is yours: the answer is that turn, without a mark.
"""


_SHARED = """\
Every question begins with the same turns, which stand once, under "beginning".
"""


class Form(StrEnum):
    """How a batch is written down."""

    OPENAI = "openai"
    PLAIN = "plain"


#: Most questions in a file.
SIZES = {Form.OPENAI: 50_000, Form.PLAIN: 40}


class BatchDamaged(RuntimeError):
    """A file of a batch is not of its form."""


@checked_dataclass(frozen=True, slots=True)
class Question:
    """What one number of a batch is.

    Parameters
    ----------
    key
        Of its request (:func:`chessgloss.llm.recordings.request_key`).
    name
        What it is about, in words.
    repeat
        Which of several answers to the same question it asks for.
    """

    key: str
    name: str
    repeat: int = 0


@checked_dataclass(frozen=True, slots=True)
class Batch:
    """What the asker keeps of a batch.

    Parameters
    ----------
    name
        Of its files.
    purpose, model, model_sha256
        What is asked, and of whom.
    form
        How it was written down.
    questions
        By number, as text.
    unanswered
        Why a number has no answer, as it was found when the answers were read.
    """

    name: str
    purpose: str
    model: str
    model_sha256: str
    form: Form
    questions: Mapping[str, Question]
    unanswered: Mapping[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> Asked:
        """How each of its questions is put."""
        if self.form == Form.OPENAI:
            return Asked.BATCH
        return Asked.ALONE if len(self.questions) == 1 else Asked.TOGETHER


_BATCH = TypeAdapter(Batch)


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of one batch.

    Parameters
    ----------
    batch
        Its name.
    kept
        Answers that were recorded now.
    known
        Answers whose questions had one already, which stays.
    unanswered
        Why a number has no answer.
    """

    batch: str
    kept: int
    known: int
    unanswered: Mapping[str, str]

    def __str__(self) -> str:
        text = f"batch {self.batch}: {self.kept:,} answers recorded"
        if self.known:
            text += f", {self.known:,} known before"
        if self.unanswered:
            text += f", {len(self.unanswered):,} without an answer"
        return text


# ---------------------------------------------------------------- order


def split(
    requests: Iterable[Request],
    size: int,
    seed: int,
    group: Callable[[Request], tuple] = lambda request: (),
) -> list[list[Request]]:
    """Return requests in batches of about the same length, shuffled within and among them.

    Parameters
    ----------
    requests
        The questions; their order does not matter.
    size
        Most in a batch.
    seed
        Of the order.
    group
        Batches hold questions of one group: an arm, a block of moves, or both.
    """
    if size < 1:
        raise ValueError(f"a batch has at least one question, not {size}")
    groups: dict[tuple, list[Request]] = {}
    for request in requests:
        groups.setdefault(group(request), []).append(request)
    drawing = random.Random(seed)
    batches = []
    for name in sorted(groups):
        members = shuffled(groups[name], drawing)
        parts = -(-len(members) // size)
        batches += [members[part::parts] for part in range(parts)]
    drawing.shuffle(batches)
    return batches


def shuffled(requests: Iterable[Request], drawing: random.Random) -> list[Request]:
    """Return requests in an order that the drawing alone decides."""
    ordered = sorted(requests, key=lambda one: (str(one.messages), str(one.sampling)))
    drawing.shuffle(ordered)
    return ordered


def draw_blocks(values: Iterable[str], size: int, seed: int) -> list[list[str]]:
    """Return values, each once, in drawn blocks of at most ``size``."""
    ordered = sorted(set(values))
    random.Random(seed).shuffle(ordered)
    parts = -(-len(ordered) // size)
    return [ordered[part::parts] for part in range(parts)]


# ---------------------------------------------------------------- writing


def write_batch(
    folder: Path,
    recordings: Recordings,
    requests: Sequence[Request],
    form: Form,
) -> Path:
    """Write a batch and the asker's record of it; return the file of questions.

    Parameters
    ----------
    folder
        Made if it is not there.
    recordings
        Of the purpose and the model.
    requests
        The questions, in the order in which they are asked.
    form
        How they are written down.
    """
    model = recordings.model
    keys = list(map(recordings.key_of, requests))
    sent = len(list(folder.glob("kept/*.json")))
    name = recipe_key({"keys": keys, "sent": sent})[:8]
    questions = {
        str(number): Question(key, str(request), request.repeat)
        for number, (key, request) in enumerate(zip(keys, requests, strict=True), 1)
    }
    batch = Batch(name, recordings.path.stem, model.name, model.sha256, form, questions)
    if form == Form.OPENAI:
        lines = (
            _line(key, model.name, request)
            for key, request in zip(keys, requests, strict=True)
        )
        text = "".join(lines)
        path = folder / f"{name}.questions.jsonl"
    else:
        text = _plain_text(name, requests)
        path = folder / f"{name}.questions.txt"
    _write_kept(folder, batch)
    write_file(path, text)
    return path


def _line(key: str, model: str, request: Request) -> str:
    body = Dialect.of(model).body(model, request)
    body |= body.pop("extra_body", {})
    task = {"custom_id": key, "method": "POST", "url": _ENDPOINT, "body": body}
    return json.dumps(task, ensure_ascii=False) + "\n"


def _plain_text(name: str, requests: Sequence[Request]) -> str:
    """Return numbered questions below an instruction that is the same for all."""
    count = len(requests)
    several = count > 1
    beginning = _common_beginning(requests) if several else ()
    texts = [_question_text(one.messages[len(beginning) :]) for one in requests]
    shared = _question_text(beginning) if beginning else ""
    instruction = _INSTRUCTION.format(
        are=f"are {count} questions that have nothing to do with each other"
        if several
        else "is one question",
        each="each as if it were the only one you had been asked" if several else "it",
        roles=_ROLES if any(len(one.messages) > 1 for one in requests) else "",
        shared=_SHARED if shared else "",
        s="s" if several else "",
        answers=f"{name}.answers.jsonl",
    )
    rule = _rule([shared, *texts])
    parts = [
        f"{rule} {number} {rule}\n{text}\n" for number, text in enumerate(texts, 1)
    ]
    if shared:
        parts.insert(0, f"{rule} beginning {rule}\n{shared}\n")
    return "\n".join((instruction, *parts, f"{rule} end {rule}\n"))


def _common_beginning(requests: Sequence[Request]) -> tuple[Message, ...]:
    """Return the turns with which all of several questions begin, never a whole question."""
    first = requests[0].messages
    length = min(len(request.messages) for request in requests) - 1
    while any(request.messages[:length] != first[:length] for request in requests):
        length -= 1
    return first[:length]


def _rule(texts: Iterable[str]) -> str:
    """Return the mark between questions: longer than any that stands in one."""
    rule = "====="
    while any(rule in text for text in texts):
        rule += "="
    return rule


def _question_text(messages: Sequence[Message]) -> str:
    if len(messages) == 1 and messages[0].role == "user":
        return messages[0].content
    return "\n\n".join(f"[{turn.role}]\n{turn.content}" for turn in messages)


def _write_kept(folder: Path, batch: Batch) -> None:
    text = _BATCH.dump_json(batch, indent=1).decode()
    write_file(folder / "kept" / f"{batch.name}.json", text + "\n")


# ---------------------------------------------------------------- reading


def read_batches(folder: Path, recordings: Recordings) -> list[Batch]:
    """Return the records of the batches of one purpose and model in a folder.

    Raises
    ------
    BatchDamaged
        If a file of them is not of that form.
    """
    batches = []
    for path in sorted(folder.glob("kept/*.json")):
        try:
            batch = _BATCH.validate_json(path.read_bytes())
        except (ValidationError, UnicodeDecodeError) as error:
            raise BatchDamaged(f"{path} is no batch: {error}") from None
        told = (batch.purpose, batch.model, batch.model_sha256)
        model = recordings.model
        if told == (recordings.path.stem, model.name, model.sha256):
            batches.append(batch)
    return batches


def answer_files(folder: Path, batch: Batch) -> list[Path]:
    """Return the files of a batch's answers: ``NAME.answers.jsonl``, or several such."""
    return sorted(folder.glob(f"{batch.name}.answers*.jsonl"))


def waiting(folder: Path, recordings: Recordings) -> set[str]:
    """Return the keys of the questions that were written and wait for a file of answers."""
    batches = read_batches(folder, recordings)
    unread = [batch for batch in batches if not answer_files(folder, batch)]
    return {question.key for batch in unread for question in batch.questions.values()}


def keep_answers(
    folder: Path,
    recordings: Recordings,
    requests: Iterable[Request],
    date: str,
) -> list[Reading]:
    """Record the answers that lie in a folder; return what came of each batch that has any.

    Parameters
    ----------
    folder
        With the batches and the files of answers.
    recordings
        Of the purpose and the model.
    requests
        All questions of the purpose as they are today, each as the first of its repeats.
    date
        Day of the answers that do not say theirs, as ``2026-01-31``.
    """
    known = list(requests)
    readings = []
    for batch in read_batches(folder, recordings):
        if files := answer_files(folder, batch):
            said, complaints = _read_answers(batch, files)
            asked = _requests_of(batch, recordings, known)
            before = sum(each.key in recordings for each in batch.questions.values())
            kept = _keep(batch, said, asked, recordings, date, complaints)
            readings.append((batch, Reading(batch.name, kept, before, complaints)))
    return [_told(folder, recordings, *each) for each in readings]


def _told(
    folder: Path, recordings: Recordings, batch: Batch, reading: Reading
) -> Reading:
    """Write down, and return, a reading without what another batch has answered."""
    open_numbers = {
        number
        for number, question in batch.questions.items()
        if question.key not in recordings
    }
    why = {
        place: complaint
        for place, complaint in reading.unanswered.items()
        if place in open_numbers or (open_numbers and place not in batch.questions)
    }
    _write_kept(folder, replace(batch, unanswered=why))
    return replace(reading, unanswered=why)


def _keep(
    batch: Batch,
    said: Mapping[str, Any],
    asked: Mapping[str, Request],
    recordings: Recordings,
    date: str,
    complaints: dict[str, str],
) -> int:
    """Record the answers of one batch; return how many, and complain about the others."""
    kept = 0
    for number, question in batch.questions.items():
        if question.key in recordings:
            continue
        if question.key not in asked:
            complaints[number] = f"{question.name}: its messages have changed since"
        elif number not in said:
            complaints.setdefault(number, "no line of the answers is about it")
        else:
            request = asked[question.key]
            try:
                answer, day, served = _ANSWER_OF[batch.form](
                    said[number], request, batch.model
                )
            except ValueError as error:
                complaints[number] = str(error)
                continue
            how = batch.asked
            recordings.keep(
                request, answer, day or date, served, asked=how, batch=batch.name
            )
            kept += 1
    return kept


def _requests_of(
    batch: Batch, recordings: Recordings, requests: Sequence[Request]
) -> dict[str, Request]:
    """Return requests by their keys, in each of the repeats that a batch asks for."""
    repeats = {question.repeat for question in batch.questions.values()}
    repeated = (
        replace(request, repeat=repeat) for request in requests for repeat in repeats
    )
    return {recordings.key_of(one): one for one in (*requests, *repeated)}


def _read_answers(
    batch: Batch, files: Sequence[Path]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the answer to each number, and the faults of lines and numbers."""
    numbers = {question.key: number for number, question in batch.questions.items()}
    said: dict[str, Any] = {}
    complaints: dict[str, str] = {}
    for path in files:
        for line, found in _objects(path.read_text("utf-8-sig", "replace")):
            place = f"line {line} of {path.name}"
            if isinstance(found, str):
                complaints[place] = found
                continue
            if batch.form == Form.OPENAI:
                number = numbers.get(str(found.get("custom_id")), "")
            else:
                number = str(found.get("number"))
            if number not in batch.questions:
                complaints[place] = "it is about no question of this batch"
            elif said.setdefault(number, found) != found:
                complaints[number] = "it has two answers that differ"
    for number in complaints.keys() & said.keys():
        del said[number]
    return said, complaints


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield the objects of a text, one a line or not, each with its line; else a complaint.

    Brackets of a list, commas between and fences of Markdown are passed over.
    """
    decoder = json.JSONDecoder(strict=False)
    line = 1
    at = before = 0
    while between := _BETWEEN.match(text, at):
        at = between.end()
        if at == len(text):
            return
        line += text.count("\n", before, at)
        before = at
        try:
            found, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield line, f"no JSON: {error}"
            at = text.find("\n", at) % (len(text) + 1)
        else:
            yield line, found if isinstance(found, dict) else "no object of JSON"


def _plain_answer(
    said: Mapping[str, Any], request: Request, model: str
) -> tuple[Answer, str, dict[str, Any]]:
    """Return an answer of the plain form; one that is no text is kept as its JSON."""
    given = said.get("answer")
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    answer = read_text(text, request)
    if given is None or answer.state == State.EMPTY:
        raise ValueError("its answer is empty")
    return answer, "", {}


def _openai_answer(
    said: Mapping[str, Any], request: Request, model: str
) -> tuple[Answer, str, dict[str, Any]]:
    """Return an answer of the Batch API, its day, and the endpoint's account of itself."""
    from openai.types.chat import ChatCompletion

    response = said.get("response") or {}
    body = response.get("body") or {}
    failure = said.get("error") or body.get("error")
    if failure:
        words = sentence(failure)
        if isinstance(failure, dict) and failure.get("code") == FILTERED:
            return Answer(State.REFUSED, words, finish_reason=FILTERED), "", {}
        raise ValueError(f"status {response.get('status_code', 'unknown')}: {words}")
    try:
        reply = ChatCompletion.construct(**body)
        answer = read_completion(reply, request)
        day = datetime.fromtimestamp(body["created"], UTC).date().isoformat()
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"unreadable reply: {error}") from None
    served = {"system_fingerprint": reply.system_fingerprint}
    served |= Dialect.of(model).changes(request)
    return answer, day, {name: value for name, value in served.items() if value}


_ANSWER_OF = {Form.OPENAI: _openai_answer, Form.PLAIN: _plain_answer}
