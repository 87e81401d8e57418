"""Recorded answers: one line of JSON each, found again by all that changes an answer.

A file holds one model's answers to one purpose's questions. It only grows. A line is written
and forced to the disk in one go while the file is locked, so that two recorders neither tear
nor repeat each other's lines, and a recorder that is killed loses no more than the answer it
had in hand. A last line without an end is what such a death leaves: readers pass over it,
the next writer removes it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any

from filelock import FileLock

from chessgloss.llm.records import Answer, Model, Request, Token
from chessgloss.store import find_project, recipe_key


class RecordingDamaged(RuntimeError):
    """A line of a recordings file is not a record, or not one of this model."""


@dataclass(slots=True)
class Recordings:
    """The recorded answers of one model for one purpose.

    Parameters
    ----------
    path
        The file, ending in ``.jsonl``; made when the first answer is kept.
    model
        Whose answers it holds.
    """

    path: Path
    model: Model
    _answers: dict[str, Answer] = field(default_factory=dict, init=False, repr=False)
    _read: int = field(default=0, init=False, repr=False)
    _guard: Any = field(default_factory=RLock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.path.suffix != ".jsonl":
            raise ValueError(f"recordings are kept in a file .jsonl, got {self.path}")

    @classmethod
    def of(cls, model: Model, purpose: str, folder: Path | None = None) -> Recordings:
        """Return the recordings ``<folder>/<model>/<purpose>.jsonl``.

        The folder is ``data/recordings`` of the project unless given.
        """
        if not purpose.replace("_", "").isalnum():
            raise ValueError(f"a purpose is one word such as 'commentary', got {purpose!r}")
        base = folder or find_project() / "data" / "recordings"
        return cls(base / model.folder / f"{purpose}.jsonl", model)

    def __len__(self) -> int:
        self._refresh()
        return len(self._answers)

    def get(self, request: Request) -> Answer | None:
        """Return the recorded answer to a request, or ``None``."""
        key = request_key(self.model, request)
        if key not in self._answers:
            self._refresh()
        return self._answers.get(key)

    def keep(
        self,
        request: Request,
        answer: Answer,
        *,
        date: str,
        served: Mapping[str, Any] | None = None,
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
        """
        record = make_record(self.model, request, answer, date=date, served=served)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self.path.with_name(f".{self.path.name}.lock")):
            self._refresh()
            if record["key"] not in self._answers:
                _append(self.path, record, self._read)
                self._refresh()
        return self._answers[record["key"]]

    def _refresh(self) -> None:
        """Read the whole lines that were added since the last time, one thread at a time."""
        with self._guard:
            if not self.path.is_file() or self.path.stat().st_size == self._read:
                return
            with self.path.open("rb") as handle:
                handle.seek(self._read)
                fresh = handle.read()
            for line in fresh[: fresh.rfind(b"\n") + 1].splitlines(keepends=True):
                key, answer = self._checked(line)
                self._answers.setdefault(key, answer)
                self._read += len(line)

    def _checked(self, line: bytes) -> tuple[str, Answer]:
        """Return a line's key and answer, if it is whole and of this model."""
        place = f"{self.path}, at byte {self._read}"
        try:
            record = json.loads(line)
            key, model = key_of(record), (record["model"], record["model_sha256"])
            given, answer = record["key"], answer_of(record)
        except (ValueError, KeyError, TypeError) as error:
            raise RecordingDamaged(f"{place}: no record ({error!r}): {line[:60]!r}") from None
        if model != (self.model.name, self.model.sha256):
            raise RecordingDamaged(f"{place}: an answer of {model[0]}, not of {self.model.name}")
        if given != key:
            raise RecordingDamaged(f"{place}: the key {given} is not {key}; was the line altered?")
        return key, answer


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file as they are written, for data sheets and audits.

    A last line without an end is passed over.
    """
    with path.open("rb") as lines:
        yield from (json.loads(line) for line in lines if line.endswith(b"\n"))


def request_key(model: Model, request: Request) -> str:
    """Return the hash, 24 hex digits, of all that changes the answer to a request."""
    return key_of(
        {
            "model": model.name,
            "model_sha256": model.sha256,
            "messages_sha256": messages_digest(request),
            "sampling": _plain(asdict(request.sampling)),
            "repeat": request.repeat,
        }
    )


def key_of(record: Mapping[str, Any]) -> str:
    """Return the key that a record must have by its own fields."""
    names = ("model", "model_sha256", "messages_sha256", "sampling", "repeat")
    return recipe_key({name: record[name] for name in names})


def messages_digest(request: Request) -> str:
    """Return the SHA-256 of a request's messages."""
    turns = [[message.role, message.content] for message in request.messages]
    return hashlib.sha256(json.dumps(turns).encode()).hexdigest()


def make_record(
    model: Model,
    request: Request,
    answer: Answer,
    *,
    date: str,
    served: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the plain values that are kept of a question and its answer."""
    return {
        "key": request_key(model, request),
        "model": model.name,
        "model_sha256": model.sha256,
        "endpoint": model.kind,
        "date": date,
        "prompt": request.prompt,
        "about": dict(request.about),
        "messages_sha256": messages_digest(request),
        "sampling": _plain(asdict(request.sampling)),
        "repeat": request.repeat,
        "state": str(answer.state),
        "text": answer.text,
        "logprobs": [[one.text, one.logprob, _pairs(one)] for one in answer.tokens],
        "finish_reason": answer.finish_reason,
        "usage": {"prompt": answer.prompt_tokens, "completion": answer.completion_tokens},
        "served": {"model": answer.model, **(served or {})},
    }


def _pairs(token: Token) -> list[list[str | float]]:
    """Return a token's alternatives as JSON pairs: a text may come twice."""
    return [[text, logprob] for text, logprob in token.alternatives]


def answer_of(record: Mapping[str, Any]) -> Answer:
    """Return the answer that a record holds."""
    tokens = tuple(
        Token(text, logprob, tuple((other, value) for other, value in pairs))
        for text, logprob, pairs in record["logprobs"]
    )
    return Answer(
        record["state"],
        record["text"],
        tokens,
        record["finish_reason"],
        record["usage"]["prompt"],
        record["usage"]["completion"],
        record["served"]["model"],
    )


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


def _append(path: Path, record: Mapping[str, Any], whole: int) -> None:
    """Write one line after the first ``whole`` bytes, which end the last whole line."""
    line = json.dumps(record, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    if path.is_file() and path.stat().st_size > whole:
        os.truncate(path, whole)
    with path.open("ab") as handle:
        handle.write(line.encode())
        handle.flush()
        os.fsync(handle.fileno())
