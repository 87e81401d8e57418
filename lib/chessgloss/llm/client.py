"""Ask a language model, or replay what it said: one client for every purpose.

Without an endpoint a client replays and nothing leaves the machine: a question without a recorded
answer is an error that names the command to record it. With one it asks for what is missing and
keeps each answer as it comes, or asks afresh and keeps nothing.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from tqdm import tqdm

from chessgloss.assets import REGISTRY
from chessgloss.llm.dialect import THOUGHTS, Dialect
from chessgloss.llm.recordings import (
    Answer,
    Message,
    Model,
    Recordings,
    Request,
    State,
    recorded_by,
)
from chessgloss.llm.replies import FILTERED, read_completion, sentence
from chessgloss.store import find_project

if TYPE_CHECKING:
    import httpx2 as httpx  # which openai brings
    import openai
    import pandas as pd
    from openai import OpenAI

#: Models that this machine can serve, and the asset that holds each one's file.
LOCAL_ASSETS = {"qwen2.5-coder-1.5b-q4_k_m": "qwen", "smollm2-135m-q4_1": "smollm2"}
#: The model whose recorded answers the book shows.
DEFAULT_MODEL = "qwen2.5-coder-1.5b-q4_k_m"
#: What models are called in text and tables; the others by their own names.
TITLES = {DEFAULT_MODEL: "Qwen2.5-Coder-1.5B", "claude": "Claude"}
#: What must be said of a model whose name does not say which it is.
DESCRIPTIONS = {
    "claude": "Claude, a large language model; asked in batches; version and sampling not known"
}
#: The command that records what is missing, as errors name it.
REMEDY = "make record MODEL={model} PURPOSE={purpose}"
#: After so many questions running without an answer the endpoint counts as gone.
PATIENCE = 3

_OPENAI = "https://api.openai.com/v1"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
#: The endpoint will not take these, however often they are sent.
_REJECTED = (400, 413, 422)
_MISCONFIGURED = (401, 402, 403, 404, 405)
_NOT_FOUND = (404, 405)
#: How an endpoint refuses a parameter; of log-probabilities some say that they are forbidden.
_REFUSING = (*_REJECTED, 403)


class AnswerMissing(RuntimeError):
    """A question has no recorded answer: names it, and the command to record it."""


class Unanswered(RuntimeError):
    """The endpoint gave no answer to a question, however often it was asked."""


class Refused(Unanswered):
    """The endpoint does not take a question, in its own words; no such answer is kept."""


class Misconfigured(RuntimeError):
    """The endpoint knows neither key nor model: asking again would not help."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that speaks the OpenAI protocol.

    Parameters
    ----------
    base_url
        Its address up to and with ``/v1``.
    model
        The model to ask there.
    api_key
        Its key; local servers take any. It is in no text, record or error.
    timeout
        Seconds to wait for one answer. A busy machine needs minutes for a long prompt.
    server
        Program and version behind it, if known; kept with each answer.
    steady
        Whether it is a llama.cpp server with one slot that nobody else asks, so that its
        answers can be kept apart (see :class:`Client`). Such a server is asked one question
        at a time.
    retries
        How often a call is repeated that was cut off, timed out or answered 408, 409, 429 or
        5xx. The pauses are openai's: doubling, or what ``Retry-After`` asks for.
    """

    base_url: str
    model: Model
    api_key: str = field(default="none", repr=False)
    timeout: float = 600.0
    server: str = ""
    steady: bool = False
    retries: int = 5

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("an endpoint's address begins with http:// or https://")
        if parts.username or parts.password or parts.query:
            raise ValueError(
                "put the key into OPENAI_API_KEY, not into the endpoint's address"
            )

    @property
    def on_this_machine(self) -> bool:
        """Whether the address is this machine's own, so that no proxy must be asked."""
        return urlsplit(self.base_url).hostname in _LOOPBACK

    def connect(self) -> OpenAI:
        """Return openai's client of this endpoint."""
        import openai

        http = openai.DefaultHttpxClient(
            trust_env=not self.on_this_machine,
            event_hooks={"response": [_within(self.timeout)]},
        )
        settings: dict[str, Any] = {
            "timeout": self.timeout,
            "max_retries": self.retries,
        }
        settings |= {"api_key": self.api_key, "http_client": http}
        return openai.OpenAI(base_url=self.base_url, **settings)


def _within(seconds: float) -> Callable[[httpx.Response], None]:
    """Return a hook that lets no reply take longer, however slowly it drips."""
    import httpx2 as httpx  # which openai brings

    class InTime(httpx.SyncByteStream):
        def __init__(self, stream: httpx.SyncByteStream) -> None:
            self.stream = stream
            self.end = time.monotonic() + seconds

        def __iter__(self) -> Iterator[bytes]:
            for part in self.stream:
                if time.monotonic() > self.end:
                    raise httpx.ReadTimeout("the reply is not over in time")
                yield part

        def close(self) -> None:
            self.stream.close()

    def bound(response: httpx.Response) -> None:
        response.stream = InTime(response.stream)  # type: ignore[arg-type]

    return bound


def model_named(name: str) -> Model:
    """Return the model of this name, with the hash of its file if the book fetches it."""
    if name not in LOCAL_ASSETS:
        return Model(name)
    return Model(name, REGISTRY[LOCAL_ASSETS[name]].sha256 or "")


def model_title(name: str) -> str:
    """Return a model's name in text and tables."""
    return TITLES.get(name, name)


def model_description(name: str) -> str:
    """Return a description of a model, for where it is named first."""
    return DESCRIPTIONS.get(name, model_title(name))


def recorded_models(purpose: str, requests: Sequence[Request] = ()) -> list[str]:
    """Return the models whose answers of a purpose are recorded, the book's own first.

    With ``requests``, those that answered all of them. Folders are those of
    :meth:`chessgloss.llm.recordings.Recordings.of`.
    """
    names = []
    for path in sorted(find_project().glob(f"data/recordings/*/{purpose}.jsonl*")):
        name = recorded_by(path)
        if name not in names and not replay(purpose, name).missing(requests):
            names.append(name)
    return sorted(names, key=lambda name: (name != DEFAULT_MODEL, name))


def endpoint_from_environment(model: str | None = None) -> Endpoint:
    """Return the endpoint of ``OPENAI_BASE_URL``, ``OPENAI_API_KEY`` and ``CHESSGLOSS_MODEL``.

    A key alone means OpenAI's own service.

    Parameters
    ----------
    model
        Name of the model to ask, in place of ``CHESSGLOSS_MODEL``.

    Raises
    ------
    ValueError
        If neither an address nor a key is set, or a service is named without a model.
    """
    url = os.environ.get("OPENAI_BASE_URL", "")
    key = os.environ.get("OPENAI_API_KEY", "")
    if not url and not key:
        raise ValueError(
            "no language model: set OPENAI_BASE_URL (and OPENAI_API_KEY, CHESSGLOSS_MODEL), or "
            "run `chessgloss model serve` and the export lines it prints"
        )
    name = model or os.environ.get("CHESSGLOSS_MODEL")
    endpoint = Endpoint(
        url or _OPENAI, model_named(name or DEFAULT_MODEL), key or "none"
    )
    if not (name or endpoint.on_this_machine):
        raise ValueError("set CHESSGLOSS_MODEL to the name of the model to ask")
    return endpoint


@dataclass(slots=True)
class Client:
    """Asks one model's questions of one purpose; threads may share it.

    llama.cpp's server keeps as much of the last prompt as the next one begins with. How much
    that is changes the rounding of its arithmetic: log-probabilities of one and the same
    question move by hundredths, and now and then a word. Before each question a ``steady``
    endpoint is therefore brought to the same state: it has read all messages but the last,
    once for as long as they stay the same. So an answer does not depend on what was asked
    before it, and a constant beginning is not read again.

    Parameters
    ----------
    recordings
        Where answers are kept and found.
    endpoint
        Where the model answers; without one recorded answers are replayed.
    keeps
        Whether answers that are recorded are not asked for again, and new ones recorded.
    """

    recordings: Recordings
    endpoint: Endpoint | None = None
    keeps: bool = True
    _openai: Any = field(default=None, init=False, repr=False)
    _dialect: Dialect = field(default_factory=Dialect, init=False, repr=False)
    _read: tuple[Message, ...] | None = field(default=None, init=False, repr=False)
    _guard: Any = field(default_factory=Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.endpoint is None:
            return
        if self.endpoint.model != self.model:
            raise ValueError(
                f"the endpoint is asked for {self.endpoint.model.name}, but the recordings hold "
                f"answers of {self.model.name} (or of another file of that name)"
            )
        self._openai = self.endpoint.connect()
        self._dialect = Dialect.of(self.model.name)

    @property
    def model(self) -> Model:
        """The model that answers."""
        return self.recordings.model

    def ask(self, request: Request) -> Answer:
        """Return the answer to one request.

        Raises
        ------
        AnswerMissing
            In replay, if there is no recorded answer.
        Unanswered
            If the endpoint gave none; :class:`Refused` if it does not take the question.
        Misconfigured
            If it knows neither key nor model.
        """
        return self.ask_many([request], progress=False)[0]

    def ask_many(
        self,
        requests: Sequence[Request],
        *,
        concurrency: int = 1,
        progress: bool = True,
    ) -> list[Answer]:
        """Return the answers to requests, in their order; equal requests are asked once.

        Each answer is kept as it comes: whatever ends the run, asking again goes on there.

        Parameters
        ----------
        requests
            The questions.
        concurrency
            How many may be with the endpoint at once; a steady one takes one at a time.
        progress
            Whether to show a bar while the endpoint is asked.

        Raises
        ------
        AnswerMissing, Unanswered, Misconfigured
            As for :meth:`ask`. A question without an answer does not stop the others,
            but several running do.
        """
        if concurrency < 1:
            raise ValueError(f"concurrency must be at least 1, got {concurrency}")
        keys = list(map(self.recordings.key_of, requests))
        lacking = self.missing(requests) if self.keeps else requests
        todo = {self.recordings.key_of(request): request for request in lacking}
        if todo and self.endpoint is None:
            key, first = next(iter(todo.items()))
            purpose = self.recordings.path.stem
            remedy = REMEDY.format(model=self.model.name, purpose=purpose)
            raise AnswerMissing(
                f"no recorded answer of {self.model.name} to {first}, key {key}; {len(todo)} of "
                f"{len(set(keys))} are not in {self.recordings.path}.\nTo record: {remedy}"
            )
        gathered = self._gather(list(todo.values()), concurrency, progress)
        fresh = dict(zip(todo, gathered, strict=True))
        asked = zip(keys, requests, strict=True)
        answers = (
            fresh.get(key) or self.recordings.get(request) for key, request in asked
        )
        return cast(list[Answer], list(answers))

    def answered(self, questions: pd.DataFrame) -> pd.DataFrame:
        """Return a frame of questions with their answers.

        Parameters
        ----------
        questions
            Column ``request`` holds a :class:`Request`; the other columns (``move``,
            ``method``, what was asked) say what it is about and are kept.

        Returns
        -------
        pandas.DataFrame
            The same rows with a column ``answer``, of :class:`Answer`.
        """
        import pandas as pd

        answers = self.ask_many(list(questions["request"]))
        return questions.assign(
            answer=pd.Series(answers, questions.index, dtype=object)
        )

    def missing(self, requests: Sequence[Request]) -> list[Request]:
        """Return the requests that have no recorded answer, each once, in their order."""
        unique = {self.recordings.key_of(request): request for request in requests}
        return [
            request
            for request in unique.values()
            if self.recordings.get(request) is None
        ]

    def told(self, requests: Sequence[Request] = ()) -> str:
        """Return the source of the answers: the model, how they were asked for and when.

        Parameters
        ----------
        requests
            The questions; if none are given, all that are recorded.
        """
        origins = self.recordings.origins(requests)
        dates = sorted({origin.date for origin in origins})
        name = self.model.name
        known = f" ({DESCRIPTIONS[name]})" if name in DESCRIPTIONS else ""
        ways = [f"asked {way}" for way in sorted({origin.asked for origin in origins})]
        days = " to ".join(dict.fromkeys((*dates[:1], *dates[-1:])))
        return ", ".join(filter(None, (f"{name}{known}", *ways, days)))

    def _gather(
        self, todo: list[Request], concurrency: int, progress: bool
    ) -> list[Answer]:
        """Ask the endpoint for each; go on after a failure, but not after several running."""
        answers = list[Answer]()
        causes = list[Unanswered]()
        running = 0
        purpose = self.recordings.path.stem
        silent = not (progress and todo)
        outcomes = self._outcomes(todo, concurrency)
        for outcome in tqdm(outcomes, purpose, len(todo), disable=silent):
            if isinstance(outcome, Answer):
                answers.append(outcome)
                running = 0
            else:
                causes.append(outcome)
                running += 1
            if running == PATIENCE:
                break
        if causes:
            kept = f"{len(answers)} answers came" + (", kept" if self.keeps else "")
            raise type(causes[0])(
                f"{causes[0]}; {kept}; {len(causes)} of {len(todo)} did not"
            )
        return answers

    def _outcomes(
        self, todo: list[Request], concurrency: int
    ) -> Iterator[Answer | Unanswered]:
        if concurrency == 1:
            yield from map(self._outcome, todo)
            return
        pool = ThreadPoolExecutor(concurrency)
        try:
            yield from pool.map(self._outcome, todo)
        finally:  # what is with the endpoint is waited for and kept, the rest is dropped
            pool.shutdown(cancel_futures=True)

    def _outcome(self, request: Request) -> Answer | Unanswered:
        try:
            answer, served = self._answer(request)
        except Unanswered as error:
            return type(error)(f"no answer to {request}: {error}")
        if self.keeps:
            with self._guard:
                today = datetime.now(UTC).date().isoformat()
                return self.recordings.keep(request, answer, date=today, served=served)
        return answer

    def _answer(self, request: Request) -> tuple[Answer, dict[str, Any]]:
        """Ask the endpoint; return the answer and the endpoint's account of itself."""
        import openai

        endpoint = self.endpoint
        assert endpoint is not None
        try:
            if not endpoint.steady:
                return self._exchange(endpoint, request)
            with self._guard:
                self._prepare(endpoint, request.messages[:-1])
                return self._exchange(endpoint, request)
        except openai.APIStatusError as error:
            if error.code == FILTERED:
                reason = _sentence(error)
                return Answer(State.REFUSED, reason, finish_reason=FILTERED), {}
            raise _failure(error, endpoint) from None
        except openai.APITimeoutError:
            raise Unanswered(f"nothing came within {endpoint.timeout:g} s") from None
        except openai.APIConnectionError as error:
            raise Unanswered(f"connection lost: {error.__cause__ or error}") from None
        except json.JSONDecodeError:
            raise Unanswered("unreadable reply: it is no JSON, or cut off") from None
        except ValueError as error:
            raise Unanswered(f"unreadable reply: {error}") from None
        except (
            openai.OpenAIError,
            AttributeError,
            TypeError,
            IndexError,
        ) as error:
            raise Unanswered(
                f"unreadable reply: not of the protocol's form ({error})"
            ) from None

    def _exchange(
        self, endpoint: Endpoint, request: Request
    ) -> tuple[Answer, dict[str, Any]]:
        reply = self._reply(endpoint, request)
        answer = read_completion(reply, request)
        if _is_thought_alone(reply, answer) and not self._dialect.thoughts:
            self._dialect.thoughts = THOUGHTS
            return self._exchange(endpoint, request)
        _check_model(answer.model, endpoint)
        about = {"server": endpoint.server, "steady": endpoint.steady}
        about["system_fingerprint"] = reply.system_fingerprint
        about |= self._dialect.changes(request)
        return answer, {name: value for name, value in about.items() if value}

    def _reply(self, endpoint: Endpoint, request: Request) -> Any:
        """Ask; where the endpoint refuses a parameter, say so and ask without it."""
        import openai

        while True:
            body = self._dialect.body(endpoint.model.name, request)
            try:
                return self._openai.chat.completions.create(**body)
            except openai.APIStatusError as error:
                if error.code == FILTERED or error.status_code not in _REFUSING:
                    raise
                said = _sentence(error)
                if said not in self._dialect.heard:
                    tqdm.write(f"{endpoint.model.name}: {said}", file=sys.stderr)
                if not self._dialect.learn(said, body):
                    raise

    def _prepare(self, endpoint: Endpoint, beginning: tuple[Message, ...]) -> None:
        """Let the server read the beginning of a conversation and no more."""
        reuse = beginning == self._read
        self._read = None
        body = self._dialect.body(
            endpoint.model.name, Request((*beginning, Message("user", "")))
        )
        body |= {"max_tokens": 0, "extra_body": {"cache_prompt": reuse}}
        _check_model(self._openai.chat.completions.create(**body).model, endpoint)
        self._read = beginning


def replay(purpose: str, model: str = DEFAULT_MODEL) -> Client:
    """Return a client that replays a model's recorded answers of one purpose."""
    return Client(Recordings.of(model_named(model), purpose))


def _sentence(error: openai.APIStatusError) -> str:
    """Return an endpoint's words when it refused, in one line."""
    return sentence(error.body, error.message)


def _failure(error: openai.APIStatusError, endpoint: Endpoint) -> RuntimeError:
    """Return the error that an endpoint's status means for a question."""
    code = error.status_code
    if code in _REJECTED:
        return Refused(f"refused with status {code}: {_sentence(error)}")
    if code in _MISCONFIGURED:
        said = _sentence(error).replace(endpoint.api_key, "(the key)")
        return Misconfigured(
            f"the endpoint answered {code} for model {endpoint.model.name}: {said}; "
            f"{_address_hint(code, endpoint)}check OPENAI_BASE_URL, OPENAI_API_KEY and "
            "CHESSGLOSS_MODEL"
        )
    return Unanswered(f"status {code}: {_sentence(error)}")


def _address_hint(code: int, endpoint: Endpoint) -> str:
    path = urlsplit(endpoint.base_url).path
    if code not in _NOT_FOUND or re.search(r"/v\d", path):
        return ""
    return f"an address usually ends in /v1, this one is {endpoint.base_url}; "


def _is_thought_alone(reply: Any, answer: Answer) -> bool:
    """Return whether an answer was cut off before its thoughts were over."""
    if answer.state != State.CUT_OFF or answer.text.strip():
        return False
    details = getattr(reply.usage, "completion_tokens_details", None)
    thoughts = getattr(details, "reasoning_tokens", 0)
    message = reply.choices[0].message
    return bool(
        thoughts or getattr(message, "reasoning_content", "") or message.content
    )


def _check_model(served: str, endpoint: Endpoint) -> None:
    wanted = endpoint.model
    if wanted.kind == "local" and served != wanted.name:
        raise Misconfigured(
            f"the endpoint serves {served!r}, not {wanted.name}: start `chessgloss model "
            f"serve {wanted.name}`, or set CHESSGLOSS_MODEL to the model it serves"
        )
