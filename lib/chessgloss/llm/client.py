"""Ask a language model, or replay what it said: one client for every purpose.

In mode ``replay``, the default, nothing leaves the machine: a question without a recorded
answer is an error that names the command to record it. Mode ``record`` asks the endpoint
for what is missing and keeps each answer as it comes. Mode ``live`` asks afresh and keeps
nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from threading import Lock
from typing import Any

from tqdm import tqdm

from chessgloss.llm.endpoints import Endpoint
from chessgloss.llm.prices import price_of
from chessgloss.llm.recordings import Recordings, request_key
from chessgloss.llm.records import Answer, Model, Request
from chessgloss.llm.wire import Connection, Transient

#: Characters a token has in plain English text; moves and FENs have fewer.
CHARACTERS_PER_TOKEN = 4
#: After so many questions running without an answer the endpoint counts as gone.
PATIENCE = 3


class Mode(StrEnum):
    """Where answers come from."""

    REPLAY = "replay"
    RECORD = "record"
    LIVE = "live"


class AnswerMissing(RuntimeError):
    """A question has no recorded answer: names it, and the command to record it."""


class Unanswered(RuntimeError):
    """The endpoint gave no answer to a question, however often it was asked."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How a call that failed is repeated.

    Parameters
    ----------
    attempts
        Calls in all.
    first
        Seconds before the second call; each further pause is twice as long.
    longest
        Longest pause, also where the endpoint asks for a longer one.
    """

    attempts: int = 6
    first: float = 1.0
    longest: float = 60.0

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.first < 0 or self.longest < 0:
            raise ValueError(f"retries need at least one attempt and no negative pause: {self}")

    def pause(self, attempt: int, wanted: float | None) -> float:
        """Return the seconds to wait after failed call number ``attempt``, from 0."""
        return min(self.longest, max(self.first * 2**attempt, wanted or 0.0))


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a list of questions would take, beside those already recorded.

    Parameters
    ----------
    calls
        Questions to ask.
    prompt_tokens
        Tokens of their messages.
    completion_tokens
        Tokens of the answers if each were as long as it may be: an upper bound.
    cost
        US dollars, or ``None`` if the model's price is not known.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None

    def __str__(self) -> str:
        cost = "price unknown" if self.cost is None else f"at most {self.cost:.2f} US dollars"
        return (
            f"{self.calls:,} calls, about {self.prompt_tokens:,} tokens in, "
            f"at most {self.completion_tokens:,} out, {cost}"
        )


def today() -> str:
    """Return the day in universal time, ``2026-01-31``."""
    return datetime.now(UTC).date().isoformat()


@dataclass(slots=True)
class Client:
    """Asks one model's questions of one purpose.

    Parameters
    ----------
    recordings
        Where answers are kept and found.
    endpoint
        Where the model answers; not needed to replay.
    mode
        Where answers come from.
    remedy
        The command that records what is missing; may name ``{model}`` and ``{purpose}``.
    retry
        How failed calls are repeated.
    sleep, date
        The clock: how to wait, and the day of a record.
    """

    recordings: Recordings
    endpoint: Endpoint | None = None
    mode: Mode | str = Mode.REPLAY
    remedy: str = ""
    retry: Retry = Retry()
    sleep: Callable[[float], object] = time.sleep
    date: Callable[[], str] = today
    _connection: Connection | None = field(default=None, init=False, repr=False)
    _guard: Lock = field(default_factory=Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self.mode = Mode(self.mode)
        if self.mode != Mode.REPLAY and self.endpoint is None:
            raise ValueError(
                f"mode {self.mode} needs an endpoint: set OPENAI_BASE_URL, OPENAI_API_KEY and "
                "CHESSGLOSS_MODEL, or run `chessgloss model serve`"
            )
        if self.endpoint is not None and self.endpoint.model != self.model:
            raise ValueError(
                f"the endpoint is asked for {self.endpoint.model.name}, but the recordings hold "
                f"answers of {self.model.name} (or of another file of that name)"
            )

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
            If the endpoint gave none.
        chessgloss.llm.wire.Misconfigured
            If it knows neither key nor model.
        """
        return self.ask_many([request], progress=False)[0]

    def ask_many(
        self, requests: Sequence[Request], *, concurrency: int = 1, progress: bool = True
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
        AnswerMissing, Unanswered, chessgloss.llm.wire.Misconfigured
            As for :meth:`ask`. A question without an answer does not stop the others,
            but several running do.
        """
        if concurrency < 1:
            raise ValueError(f"concurrency must be at least 1, got {concurrency}")
        keys = [request_key(self.model, request) for request in requests]
        waiting = dict(zip(keys, requests, strict=True))
        found = {} if self.mode == Mode.LIVE else self._recorded(waiting)
        todo = {key: request for key, request in waiting.items() if key not in found}
        if todo and self.mode == Mode.REPLAY:
            raise AnswerMissing(self._complaint(list(todo.values()), len(waiting)))
        fresh = self._gather(list(todo.values()), concurrency, progress)
        found |= dict(zip(todo, fresh, strict=True))
        return [found[key] for key in keys]

    def missing(self, requests: Sequence[Request]) -> list[Request]:
        """Return the requests that have no recorded answer, each once, in their order."""
        unique = {request_key(self.model, request): request for request in requests}
        return [request for request in unique.values() if self.recordings.get(request) is None]

    def estimate(
        self, requests: Sequence[Request], count: Callable[[str], int] | None = None
    ) -> Estimate:
        """Return what recording the missing ones of these requests would take.

        Parameters
        ----------
        requests
            The questions.
        count
            Counts the tokens of a text; without it four characters make one.
        """
        lacking = list(requests) if self.mode == Mode.LIVE else self.missing(requests)
        texts = (message.content for one in lacking for message in one.messages)
        prompt = sum(map(count or _rough_tokens, texts))
        completion = sum(one.sampling.max_tokens for one in lacking)
        price = price_of(self.model)
        return Estimate(
            len(lacking), prompt, completion, price.of(prompt, completion) if price else None
        )

    def _recorded(self, waiting: dict[str, Request]) -> dict[str, Answer]:
        with self._guard:
            kept = [(key, self.recordings.get(request)) for key, request in waiting.items()]
        return {key: answer for key, answer in kept if answer is not None}

    def _complaint(self, lacking: list[Request], total: int) -> str:
        default = "ask again with mode 'record' and an endpoint (OPENAI_BASE_URL, CHESSGLOSS_MODEL)"
        purpose = self.recordings.path.stem
        remedy = self.remedy.format(model=self.model.name, purpose=purpose)
        return (
            f"no recorded answer of {self.model.name} to {lacking[0]}, "
            f"key {request_key(self.model, lacking[0])}; {len(lacking)} of {total} are not in "
            f"{self.recordings.path}.\nTo record: {remedy or default}"
        )

    def _gather(self, todo: list[Request], concurrency: int, progress: bool) -> list[Answer]:
        """Ask the endpoint for each; go on after a failure, but not after several running."""
        answers: list[Answer] = []
        causes: list[Unanswered] = []
        running = 0
        with tqdm(total=len(todo), desc=self.recordings.path.stem, disable=not progress) as bar:
            for outcome in self._outcomes(todo, concurrency):
                bar.update()
                if isinstance(outcome, Answer):
                    answers.append(outcome)
                    running = 0
                    continue
                causes.append(outcome)
                running += 1
                if running == PATIENCE:
                    break
        if causes:
            kept = f"{len(answers)} answers came" + (", kept" if self.mode == Mode.RECORD else "")
            raise Unanswered(f"{causes[0]}; {kept}; {len(causes)} of {len(todo)} did not")
        return answers

    def _outcomes(self, todo: list[Request], concurrency: int) -> Iterator[Answer | Unanswered]:
        if concurrency == 1 or len(todo) < 2:
            yield from map(self._outcome, todo)
            return
        pool = ThreadPoolExecutor(concurrency)
        try:
            yield from pool.map(self._outcome, todo)
        finally:  # what is with the endpoint is waited for and kept, the rest is dropped
            pool.shutdown(cancel_futures=True)

    def _outcome(self, request: Request) -> Answer | Unanswered:
        try:
            answer, served = self._persist(request)
        except Unanswered as error:
            return error
        if self.mode == Mode.RECORD:
            with self._guard:
                return self.recordings.keep(request, answer, date=self.date(), served=served)
        return answer

    def _persist(self, request: Request) -> tuple[Answer, dict[str, Any]]:
        """Ask until there is an answer, pausing longer each time."""
        for attempt in range(self.retry.attempts):
            try:
                return self._connect().ask(request)
            except Transient as error:
                last = error
            if attempt + 1 < self.retry.attempts:
                self.sleep(self.retry.pause(attempt, last.wait))
        raise Unanswered(f"no answer to {request} in {self.retry.attempts} attempts: {last}")

    def _connect(self) -> Connection:
        with self._guard:
            if self._connection is None:
                assert self.endpoint is not None
                self._connection = Connection(self.endpoint)
        return self._connection


def _rough_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)
