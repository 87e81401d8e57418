"""Record a language model's answers to all questions of the book, beside those of others.

    python -m chessgloss.record commentary --dry-run
    python -m chessgloss.record commentary --model gpt-4o

A model that this machine can serve is served while its answers are recorded; any other is
asked at ``OPENAI_BASE_URL`` with ``OPENAI_API_KEY``. Answers that are there already are not
asked for again, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

from chessgloss.brief_moves import briefings_file
from chessgloss.commentary.briefings import read_briefings
from chessgloss.commentary.questions import commentary_requests
from chessgloss.llm import (
    DEFAULT_MODEL,
    LOCAL_ASSETS,
    Client,
    Endpoint,
    Mode,
    Recordings,
    Request,
    endpoint_from_environment,
    model_named,
)

#: The command that records what is missing, as errors name it.
REMEDY = "make record MODEL={model} PURPOSE={purpose}"

Questions = Callable[[], list[Request]]


def replay(purpose: str, model: str = DEFAULT_MODEL) -> Client:
    """Return a client that replays a model's recorded answers of one purpose."""
    return Client(Recordings.of(model_named(model), purpose), remedy=REMEDY)


def _commentary() -> list[Request]:
    return commentary_requests(list(read_briefings(briefings_file()).values()))


#: What can be recorded, by purpose: the name of the file of answers.
PURPOSES: Mapping[str, Questions] = MappingProxyType({"commentary": _commentary})


def record(purpose: str, model: str, *, concurrency: int = 1) -> int:
    """Ask what is missing and keep the answers; return how many there are now."""
    requests = PURPOSES[purpose]()
    with _endpoint(model) as endpoint:
        recordings = Recordings.of(model_named(model), purpose)
        client = Client(recordings, endpoint, Mode.RECORD, remedy=REMEDY)
        return len(client.ask_many(requests, concurrency=concurrency))


@contextmanager
def _endpoint(model: str) -> Iterator[Endpoint]:
    if model not in LOCAL_ASSETS:
        yield endpoint_from_environment()
        return
    from chessgloss.llm.server import local_endpoint

    with local_endpoint(model) as endpoint:
        yield endpoint


def main(arguments: Sequence[str] | None = None) -> int:
    """Record from the command line; return the exit status."""
    given = _parser().parse_args(arguments)
    print(replay(given.purpose, given.model).estimate(PURPOSES[given.purpose]()))
    if not given.dry_run:
        print(record(given.purpose, given.model, concurrency=given.concurrency), "answers kept")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m chessgloss.record")
    parser.add_argument("purpose", choices=sorted(PURPOSES), help="which questions")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="whose answers")
    parser.add_argument("--dry-run", action="store_true", help="only count calls, tokens, cost")
    parser.add_argument("--concurrency", type=int, default=1, help="questions at once")
    return parser


if __name__ == "__main__":
    sys.exit(main())
