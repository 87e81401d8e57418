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
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from chessgloss.commentary.briefing import (
    Briefing,
    Comment,
    EvaluatedMove,
    briefings_file,
    evaluated_moves,
    read_briefings,
)
from chessgloss.commentary.methods import commentary_requests, gather_comments
from chessgloss.commentary.verified import (
    extraction_requests,
    method_name,
    pending,
    published,
    read_published,
    write_all,
)
from chessgloss.experts import load_expert
from chessgloss.judges import pairwise, trials
from chessgloss.llm import (
    DEFAULT_MODEL,
    LOCAL_ASSETS,
    REMEDY,
    Client,
    Endpoint,
    Mode,
    Recordings,
    Request,
    endpoint_from_environment,
    model_named,
    replay,
)
from chessgloss.skill.mates import mate_in_one_requests
from chessgloss.skill.suite import model_requests


@dataclass(frozen=True, slots=True)
class Purpose:
    """What is asked for one purpose, whose name is that of the file of answers.

    Parameters
    ----------
    open
        Returns the questions that are known and may lack an answer; what follows from an
        answer is not among them.
    walk
        Asks all questions, so many at once, and returns how many answers were given.
    """

    open: Callable[[Client], list[Request]]
    walk: Callable[[Client, int], int]


def _listed(questions: Callable[[Client], list[Request]]) -> Purpose:
    """Return a purpose whose questions are all known beforehand."""

    def walk(client: Client, concurrency: int) -> int:
        return len(client.ask_many(questions(client), concurrency=concurrency))

    return Purpose(questions, walk)


def _briefings() -> list[Briefing]:
    return list(read_briefings(briefings_file()).values())


def _commentary(_: Client) -> list[Request]:
    return commentary_requests(_briefings())


def _unpublished(model: str, simple: bool) -> list[Briefing]:
    """Return the moves whose verified comment is still to be made."""
    known, method = published(model), method_name(simple)
    return [each for each in _briefings() if (method, each.name) not in known]


def _verified_open(client: Client) -> list[Request]:
    first = replay("commentary", client.model.name)
    found = (
        pending(one, client, first=first, simple=simple)
        for simple in (False, True)
        for one in _unpublished(client.model.name, simple)
    )
    return [request for request in found if request is not None]


def _verified_walk(client: Client, concurrency: int) -> int:
    """Write each move's comments, whose questions follow from each other's answers."""
    first = replay("commentary", client.model.name)
    for simple in (False, True):
        briefings = _unpublished(client.model.name, simple)
        write_all(briefings, client, first=first, simple=simple, concurrency=concurrency)
    return len(client.recordings)


def _written(model: str) -> dict[str, Comment]:
    """Return a model's comments of ``ccc_verified``, as they were published."""
    told = _briefings()
    written = read_published(told, model)
    return {one.name: each.comment for one, each in zip(told, written, strict=True)}


def _comments(model: str, methods: Sequence[str], moves: Sequence[EvaluatedMove]) -> pd.DataFrame:
    """Return the comments of some methods on some moves, as they were recorded and published."""
    briefings = {briefing.name: briefing for briefing in _briefings()}
    written = replay("commentary", model)
    return gather_comments(methods, moves, briefings, written, _written(model))


def _gcc_eval_open(client: Client) -> list[Request]:
    briefings = read_briefings(briefings_file())
    comments = _comments(client.model.name, trials.METHODS, evaluated_moves())
    return trials.trial_requests(comments, briefings)


def _gcc_eval_walk(client: Client, concurrency: int) -> int:
    """Judge all comments, then draw some more and judge those."""
    client.ask_many(_gcc_eval_open(client), concurrency=concurrency)
    drawn = trials.best_of_requests(read_briefings(briefings_file()), client)
    client.ask_many(drawn, concurrency=concurrency)
    return len(client.recordings)


def _pairwise(client: Client) -> list[Request]:
    moves = pairwise.choose_compared(evaluated_moves(), pairwise.COMPARED)
    briefings = {briefing.name: briefing for briefing in _briefings()}
    contexts = pairwise.contexts_of(briefings[move.name] for move in moves)
    lined = {move.name: contexts[move.name] for move in pairwise.choose_lined(moves)}
    table = _comments(client.model.name, pairwise.METHODS, moves)
    comments = pairwise.comments_by_move(table)
    frames = [
        pairwise.line_questions(lined, comments),
        pairwise.number_questions(contexts, comments),
        pairwise.alone_questions(contexts, comments),
    ]
    return [request for frame in frames for request in frame["request"]]


def _static(_: Client) -> list[Request]:
    return model_requests(load_expert("nnue"))


#: What can be recorded, by purpose.
PURPOSES: Mapping[str, Purpose] = MappingProxyType(
    {
        "commentary": _listed(_commentary),
        "verified": Purpose(_verified_open, _verified_walk),
        "extraction": _listed(lambda _: extraction_requests()),
        "gcc_eval": Purpose(_gcc_eval_open, _gcc_eval_walk),
        "pairwise": _listed(_pairwise),
        "static": _listed(_static),
        "mate_in_one": _listed(lambda _: mate_in_one_requests()),
        "mate_in_one_all": _listed(lambda _: mate_in_one_requests(None)),
    }
)


def record(purpose: str, model: str, *, concurrency: int = 1) -> int:
    """Ask what is missing and keep the answers; return how many there are now."""
    with _endpoint(model) as endpoint:
        recordings = Recordings.of(model_named(model), purpose)
        client = Client(recordings, endpoint, Mode.RECORD, remedy=REMEDY)
        return PURPOSES[purpose].walk(client, concurrency)


@contextmanager
def _endpoint(model: str) -> Iterator[Endpoint]:
    if model not in LOCAL_ASSETS:
        yield endpoint_from_environment(model)
        return
    from chessgloss.llm.server import local_endpoint

    with local_endpoint(model) as endpoint:
        yield endpoint


def main(arguments: Sequence[str] | None = None) -> int:
    """Record from the command line; return the exit status."""
    given = _parser().parse_args(arguments)
    client = replay(given.purpose, given.model)
    print(client.estimate(PURPOSES[given.purpose].open(client)))
    if not given.dry_run:
        print(record(given.purpose, given.model, concurrency=given.concurrency), "answers kept")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m chessgloss.record")
    parser.add_argument("purpose", choices=sorted(PURPOSES), help="which questions")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="whose answers")
    parser.add_argument("--dry-run", action="store_true", help="only count calls and tokens")
    parser.add_argument("--concurrency", type=int, default=1, help="questions at once")
    return parser


if __name__ == "__main__":
    sys.exit(main())
