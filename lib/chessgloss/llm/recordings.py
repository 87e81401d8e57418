"""Questions to a language model, its answers, and the files that keep both.

A recordings file holds one model's answers to one purpose's questions, one line of JSON each,
found again by all that changes an answer. It only grows. A line is written and forced to the
disk in one go while the file is locked, so that two recorders neither tear nor repeat each
other's lines, and a recorder that is killed loses no more than the answer it had in hand. A
last line without an end is what such a death leaves: readers pass over it, the next writer
removes it. Answers that are old and many may lie beside it, compressed (``.jsonl.zst``).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import RLock
from typing import Annotated, Any, NamedTuple

from filelock import FileLock
from pydantic import AfterValidator, Field, StrictInt
from pydantic.dataclasses import dataclass as checked_dataclass

from chessgloss.store import find_project, read_zstd, recipe_key


@dataclass(frozen=True, slots=True)
class Model:
    """A language model, named so that its answers can be told from any other's.

    Parameters
    ----------
    name
        The name it is asked for by, such as ``qwen2.5-coder-1.5b-q4_k_m``.
    sha256
        Hash of its file, for a model on this machine; empty for a remote one.
    """

    name: str
    sha256: str = ""

    def __post_init__(self) -> None:
        if (
            not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._:/@-]*", self.name)
            or ".." in self.name
        ):
            raise ValueError(
                f"a model's name is letters, digits and ._:/@-, got {self.name!r}"
            )
        if not re.fullmatch(r"([0-9a-f]{64})?", self.sha256):
            raise ValueError(
                f"sha256 of {self.name} must be 64 hex digits, got {self.sha256!r}"
            )

    @property
    def kind(self) -> str:
        """``local`` if its file is known, else ``remote``."""
        return "local" if self.sha256 else "remote"

    @property
    def folder(self) -> str:
        """Name of the folder that holds its recorded answers."""
        return re.sub(r"[:/@]+", "_", self.name)


@checked_dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Parameters
    ----------
    role
        ``system``, ``user`` or ``assistant``.
    content
        Its text.
    """

    role: Annotated[str, Field(pattern=r"^(system|user|assistant)$")]
    content: str


@checked_dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is drawn; every field is part of a recording's key.

    Parameters
    ----------
    temperature
        0 takes the likeliest token each time.
    max_tokens
        Longest answer. One that reaches it comes back as ``cut_off``.
    seed
        Of the drawing; a remote model may ignore it.
    top_logprobs
        Alternatives to give with each token, 0 for no log-probabilities at all.
    logprob_tokens
        Of how many first tokens the log-probabilities are kept.
    stop
        Texts that end an answer; they are not part of it.
    grammar
        What an answer may be, in llama.cpp's GBNF, for a server that reads it; a recording
        keeps its hash.
    """

    temperature: Annotated[float, Field(ge=0, le=2), AfterValidator(abs)] = (
        0.0  # no -0.0
    )
    max_tokens: Annotated[int, Field(ge=1)] = 256
    seed: int = 0
    top_logprobs: Annotated[int, Field(ge=0, le=20)] = 0  # what Chat Completions allows
    logprob_tokens: Annotated[int, Field(ge=1)] = 1
    stop: tuple[str, ...] = ()
    grammar: str = ""


@checked_dataclass(frozen=True, slots=True)
class Request:
    """One question to a language model.

    Parameters
    ----------
    messages
        The conversation so far; a recording keeps only its hash.
    sampling
        How the answer is drawn.
    repeat
        Tells apart several answers to the same question, from 0; added to the seed.
    prompt
        Name and version of the prompt that made the messages: ``comment@1``.
    about
        What filled the prompt, as ids and positions (``lecture``, ``ply``, ``fen``,
        ``move``); never text that belongs to others. Kept, but no part of the key.
    """

    messages: Annotated[tuple[Message, ...], Field(min_length=1)]
    sampling: Sampling = Sampling()
    repeat: Annotated[int, Field(ge=0)] = 0
    prompt: Annotated[str, Field(pattern=r"^([a-z0-9_]+@[0-9]+)?$")] = ""
    about: Mapping[str, str | StrictInt] = field(default_factory=dict)

    def __str__(self) -> str:
        about = ", ".join(f"{name} {value}" for name, value in self.about.items())
        return f"{self.prompt or 'unnamed prompt'} ({about or 'about nothing in particular'})"


class State(StrEnum):
    """What became of a question."""

    ANSWERED = "answered"
    EMPTY = "empty"
    CUT_OFF = "cut_off"
    REFUSED = "refused"


class Token(NamedTuple):
    """One token of an answer.

    Parameters
    ----------
    text
        The token.
    logprob
        Natural logarithm of its probability.
    alternatives
        The likeliest tokens at this place, itself included, with their logarithms;
        likeliest first.
    """

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()

    def probabilities(self) -> dict[str, float]:
        """Return the probability of each alternative; equal texts are added up."""
        chances: dict[str, float] = {}
        for text, logprob in self.alternatives:
            chances[text] = chances.get(text, 0.0) + math.exp(logprob)
        return chances


@checked_dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Parameters
    ----------
    state
        ``answered``: a whole text. ``empty``: none, or blanks. ``cut_off``: it reached
        ``max_tokens`` (as each answer of one token does). ``refused``: the model or its
        filter declined. A question that the endpoint does not take has no answer.
    text
        The text as it came; for a refusal the reason, if one was given.
    tokens
        The first tokens with their alternatives, if they were asked for.
    finish_reason
        The endpoint's word for why it ended.
    prompt_tokens, completion_tokens
        As the endpoint counted them, 0 if it did not.
    model
        The model's name as the endpoint gave it.
    """

    state: State
    text: str = ""
    tokens: tuple[Token, ...] = ()
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""


class Asked(StrEnum):
    """How a question was put, beside others or not."""

    ALONE = "alone"
    BATCH = "batch"
    TOGETHER = "several questions in one conversation, no tools, sampling unknown"


@checked_dataclass(frozen=True, slots=True)
class Provenance:
    """Where an answer comes from.

    Parameters
    ----------
    date
        Day on which it came, as ``2026-01-31``.
    endpoint
        ``local``, ``remote`` or ``batch``.
    asked
        How the question was put.
    batch
        Name of the batch it was in, if it was in one.
    """

    date: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]
    endpoint: Annotated[str, Field(pattern=r"^(local|remote|batch)$")]
    asked: Asked = Asked.ALONE
    batch: str = ""

    def __str__(self) -> str:
        return f"{self.asked}, {self.date}"


class RecordingDamaged(RuntimeError):
    """A recordings file, or a line of it, is not of that form, or not of this model."""


#: A state of older files: the endpoint did not take the question, which may be asked again.
_NO_ANSWER = "failed"

#: Fields of a record that change the answer, and so make its key.
_INGREDIENTS = ("model", "model_sha256", "messages_sha256", "sampling", "repeat")


@dataclass(slots=True)
class Recordings:
    """The recorded answers of one model for one purpose.

    Parameters
    ----------
    path
        The file, lines of JSON; made when the first answer is kept.
    model
        Whose answers it holds.
    """

    path: Path
    model: Model
    _answers: dict[str, Answer] = field(default_factory=dict, init=False, repr=False)
    _origins: dict[str, Provenance] = field(
        default_factory=dict, init=False, repr=False
    )
    _read: int | None = field(default=None, init=False, repr=False)
    _guard: Any = field(default_factory=RLock, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, model: Model, purpose: str, folder: Path | None = None) -> Recordings:
        """Return the recordings ``<folder>/<model>/<purpose>.jsonl``.

        The folder is ``data/recordings`` of the project unless given.
        """
        if not purpose.replace("_", "").isalnum():
            raise ValueError(
                f"a purpose is one word such as 'commentary', got {purpose!r}"
            )
        base = folder or find_project() / "data" / "recordings"
        return cls(base / model.folder / f"{purpose}.jsonl", model)

    def __len__(self) -> int:
        self._refresh()
        return len(self._answers)

    def __contains__(self, key: str) -> bool:
        """Whether the answer of this key is recorded."""
        self._refresh()
        return key in self._answers

    def key_of(self, request: Request) -> str:
        """Return the key of a request to the model (:func:`request_key`)."""
        return request_key(self.model, request)

    def get(self, request: Request) -> Answer | None:
        """Return the recorded answer to a request, or ``None``."""
        key = self.key_of(request)
        if key not in self._answers:
            self._refresh()
        return self._answers.get(key)

    def origins(self, requests: Iterable[Request] = ()) -> list[Provenance]:
        """Return the origins of recorded answers: those to some requests, or all."""
        self._refresh()
        keys = [self.key_of(request) for request in requests] or list(self._origins)
        return [self._origins[key] for key in keys if key in self._origins]

    def provenance(self, request: Request) -> Provenance | None:
        """Return the origin of the recorded answer to a request, or ``None``."""
        return (
            None if self.get(request) is None else self._origins[self.key_of(request)]
        )

    def keep(
        self,
        request: Request,
        answer: Answer,
        date: str,
        served: Mapping[str, Any] | None = None,
        *,
        asked: Asked = Asked.ALONE,
        batch: str = "",
    ) -> Answer:
        """Append an answer and return it; if there is one already, return that instead.

        Parameters
        ----------
        request, answer
            The question and what came back.
        date
            Day on which it came back, as ``2026-01-31``.
        served
            What else the endpoint said about itself, such as its version.
        asked, batch
            How the question was put, and the name of its batch if it was in one.
        """
        key = self.key_of(request)
        usage = (answer.prompt_tokens, answer.completion_tokens)
        origin = Provenance(date, "batch" if batch else self.model.kind, asked, batch)
        record = _ingredients(self.model, request) | {"key": key} | asdict(origin)
        record |= {"prompt": request.prompt, "about": dict(request.about)}
        record |= {
            "state": answer.state,
            "text": answer.text,
            "logprobs": answer.tokens,
        }
        record["finish_reason"] = answer.finish_reason
        record["usage"] = dict(zip(("prompt", "completion"), usage, strict=True))
        record["served"] = {"model": answer.model, **(served or {})}
        line = (
            json.dumps(record, sort_keys=True, ensure_ascii=False, allow_nan=False)
            + "\n"
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self._lock()):
            self._refresh()
            if key not in self._answers:
                with self.path.open("ab") as handle:
                    handle.truncate(
                        self._read
                    )  # what follows the last whole line is torn
                    handle.write(line.encode())
                    handle.flush()
                    os.fsync(handle.fileno())
                self._refresh()
        return self._answers[key]

    def drop(self) -> None:
        """Remove the file and its lock, where answers were kept for the time of a job only."""
        self.path.unlink(missing_ok=True)
        self._lock().unlink(missing_ok=True)

    def _lock(self) -> Path:
        return self.path.with_name(f".{self.path.name}.lock")

    def _refresh(self) -> None:
        """Read the whole lines that were added since the last time, one thread at a time.

        The first time, earlier answers that lie compressed beside the file are read too.
        """
        with self._guard:
            if self._read is None:
                packed = self.path.with_name(f"{self.path.name}.zst")
                if packed.is_file():
                    self._add(read_zstd(packed, RecordingDamaged))
                self._read = 0
            if self.path.is_file() and self.path.stat().st_size > self._read:
                with self.path.open("rb") as handle:
                    handle.seek(self._read)
                    fresh = handle.read()
                whole = fresh[: fresh.rfind(b"\n") + 1]
                self._add(whole, self._read)
                self._read += len(whole)

    def _add(self, lines: bytes, at: int = 0) -> None:
        """Keep the answers of lines that begin at byte ``at``, if they are of this model."""
        for line in lines.splitlines(keepends=True):
            place = f"{self.path}, at byte {at}"
            try:
                record = json.loads(line)
                key = recipe_key({name: record[name] for name in _INGREDIENTS})
                given = record["key"]
                model = (record["model"], record["model_sha256"])
                parts = [
                    record[name]
                    for name in ("state", "text", "logprobs", "finish_reason")
                ]
                parts += [record["usage"][name] for name in ("prompt", "completion")]
                parts.append(record["served"]["model"])
                answer = None if record["state"] == _NO_ANSWER else Answer(*parts)
                origin = Provenance(
                    record["date"],
                    record["endpoint"],
                    record.get("asked", Asked.ALONE),
                    record.get("batch", ""),
                )
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise RecordingDamaged(
                    f"{place}: no record ({error!r}): {line[:60]!r}"
                ) from None
            if model != (self.model.name, self.model.sha256):
                named = self.model.name
                raise RecordingDamaged(
                    f"{place}: an answer of {model[0]}, not of {named}"
                )
            if given != key:
                raise RecordingDamaged(
                    f"{place}: the key {given} is not {key}; was it altered?"
                )
            if answer is not None and key not in self._answers:
                self._answers[key] = answer
                self._origins[key] = origin
            at += len(line)


def recorded_by(path: Path) -> str:
    """Return the name of the model whose answers a file holds, packed or not.

    Raises
    ------
    RecordingDamaged
        If its first line is no record.
    """
    packed = path.suffix == ".zst"
    text = read_zstd(path, RecordingDamaged) if packed else path.read_bytes()
    try:
        return str(json.loads(text.partition(b"\n")[0])["model"])
    except (ValueError, KeyError, TypeError) as error:
        raise RecordingDamaged(f"{path}: no record ({error!r})") from None


def request_key(model: Model, request: Request) -> str:
    """Return the hash, 24 hex digits, of all that changes the answer to a request."""
    return recipe_key(_ingredients(model, request))


def _ingredients(model: Model, request: Request) -> dict[str, Any]:
    turns = [[message.role, message.content] for message in request.messages]
    sampling = asdict(request.sampling)
    if grammar := sampling.pop("grammar"):
        sampling["grammar_sha256"] = hashlib.sha256(grammar.encode()).hexdigest()
    messages = hashlib.sha256(json.dumps(turns).encode()).hexdigest()
    values = (model.name, model.sha256, messages, sampling, request.repeat)
    return dict(zip(_INGREDIENTS, values, strict=True))
