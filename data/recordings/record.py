"""Record a language model's answers to all questions of the book, beside those of others.

    python data/recordings/record.py commentary --dry-run
    python data/recordings/record.py commentary --model gpt-4o

A model that this machine can serve is served while its answers are recorded; any other is
asked at ``OPENAI_BASE_URL`` with ``OPENAI_API_KEY``. Answers that are there already are not
asked for again, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import get_args

import pandas as pd

from chessgloss.commentary.asking import briefings_file, lectured_file, read_briefings
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.methods import (
    ARMS,
    GUIDED,
    OTHER_COUNTS,
    gather_comments,
    known_from_start,
    request_comment,
    varied_moves,
)
from chessgloss.commentary.moves import EvaluatedMove, evaluated_moves
from chessgloss.commentary.proven import (
    Form,
    extraction_requests,
    pending,
    request_constrained,
)
from chessgloss.experts import Expert, load_expert
from chessgloss.judges import gcc, pairwise, trials
from chessgloss.llm.client import (
    DEFAULT_MODEL,
    LOCAL_ASSETS,
    Client,
    Endpoint,
    endpoint_from_environment,
    model_named,
    replay,
)
from chessgloss.llm.recordings import Message, Recordings, Request
from chessgloss.skill.levels import read_level_games
from chessgloss.skill.mates import RECORDED, mate_questions, read_problems
from chessgloss.skill.players import concepts_in_words, play_requests
from chessgloss.skill.suite import (
    MODEL_PLAYS,
    ask,
    data_folder,
    positions_of,
    read_suite,
    reason_asked,
)
from chessgloss.store import find_project

#: Characters a token has in plain English text; moves and FENs have fewer.
CHARACTERS_PER_TOKEN = 4

#: Games of each level in whose positions the model is asked: 150 positions.
MODEL_GAMES = 15

#: Methods that are asked for with the guided ones: a prompt of their own, no worked example.
PLAIN = ("llm", "llm_expert")

#: Questions of one purpose, batch by batch: a batch may follow from the answers to those before.
Batches = Callable[[Client], Iterator[list[Request]]]


def _comments(
    model: str, methods: Sequence[str], moves: Sequence[EvaluatedMove]
) -> pd.DataFrame:
    """Return the comments of some methods on some moves, as they were recorded and published."""
    briefings = read_briefings(briefings_file())
    return gather_comments(methods, moves, briefings, replay("commentary", model))


def commentary_requests(briefings: Sequence[Briefing]) -> list[Request]:
    """Return every question of the chapter on commentary, the headline methods first."""
    varied = [
        (each, count) for each in varied_moves(briefings) for count in OTHER_COUNTS
    ]
    from_start = [each for each in briefings if known_from_start(each.move.position)]
    return [
        *(request_comment(each, name) for name in PLAIN for each in briefings),
        *(request_comment(each, name) for each in briefings for name in GUIDED),
        *(request_comment(each, "ccc", count=count) for each, count in varied),
        *(request_comment(each, "ccc", notation="pgn") for each in from_start),
    ]


def _commentary(client: Client) -> Iterator[list[Request]]:
    yield commentary_requests(list(read_briefings(briefings_file()).values()))


def _arms(client: Client) -> Iterator[list[Request]]:
    """Yield the questions of the ranked arms that are not asked with the other methods."""
    briefings = read_briefings(briefings_file())
    lectured = read_briefings(lectured_file())
    read = pd.read_csv(lectured_file().with_name("reading") / "drawn.tsv", sep="\t")[
        "move"
    ]
    yield [
        *(
            request_comment(each, method)
            for method in chain.from_iterable(ARMS.values())
            if method not in PLAIN
            for each in briefings.values()
        ),
        *(request_comment(lectured[name], "llm_expert_two") for name in read),
        *(request_comment(each, "ccc_two") for each in lectured.values()),
    ]


def _notes(client: Client) -> Iterator[list[Request]]:
    """Yield the next question of every comment written from notes, until none has one.

    The forms under a grammar are asked for on the evaluated moves; the freshly drawn ones are
    those that were read by hand last.
    """
    evaluated = [*read_briefings(briefings_file()).values()]
    yield [
        request_constrained(each, form) for form in get_args(Form) for each in evaluated
    ]
    drawn = read_briefings(
        find_project() / "data" / "notes" / "second" / "briefings.json"
    )
    known = [*evaluated, *drawn.values(), *read_briefings(lectured_file()).values()]
    while batch := [
        each for each in (pending(known_, client) for known_ in known) if each
    ]:
        yield batch


def _extraction(client: Client) -> Iterator[list[Request]]:
    yield extraction_requests()


def in_reading_order(requests: Iterable[Request]) -> list[Request]:
    """Return requests, each once, those whose messages but the last are the same together.

    A server that keeps the beginning of what it has read then reads least.
    """
    groups: dict[tuple[Message, ...], dict[tuple, Request]] = {}
    for request in requests:
        group = groups.setdefault(request.messages[:-1], {})
        group.setdefault(
            (request.messages[-1], request.sampling, request.repeat), request
        )
    return [request for group in groups.values() for request in group.values()]


def trial_requests(
    comments: pd.DataFrame, briefings: Mapping[str, Briefing]
) -> list[Request]:
    """Return every question that is known beforehand, as a server reads them fastest."""
    known = {**briefings, **trials.gold_briefings()}
    frames = [
        gcc.with_requests(texts, known, screened=name != "changed")
        for name, texts in trials.trial_texts(comments, briefings).items()
    ]
    frames += [
        trials.choice_questions(comments, briefings),
        trials.sample_questions(briefings),
    ]
    return in_reading_order(request for frame in frames for request in frame["request"])


def best_of_requests(
    briefings: Mapping[str, Briefing], client: Client
) -> list[Request]:
    """Return the questions on the comments drawn on a few moves; asks or replays those first."""
    drawn = trials.drawn_texts(client.answered(trials.sample_questions(briefings)))
    return in_reading_order(
        gcc.with_requests(gcc.ask_each(drawn, gcc.DIMENSIONS), briefings)["request"]
    )


def _gcc_eval(client: Client) -> Iterator[list[Request]]:
    """Yield the questions on all comments, then those on comments that were drawn for it."""
    briefings = read_briefings(briefings_file())
    comments = _comments(client.model.name, trials.METHODS, evaluated_moves())
    yield trial_requests(comments, briefings)
    yield best_of_requests(briefings, client)


def _pairwise(client: Client) -> Iterator[list[Request]]:
    moves = pairwise.choose_compared(evaluated_moves(), pairwise.COMPARED)
    briefings = read_briefings(briefings_file())
    contexts = pairwise.contexts_of(briefings[move.name] for move in moves)
    lined = {move.name: contexts[move.name] for move in pairwise.choose_lined(moves)}
    comments = pairwise.comments_by_move(
        _comments(client.model.name, pairwise.METHODS, moves)
    )
    for frame in (
        pairwise.line_questions(lined, comments),
        pairwise.number_questions(contexts, comments),
        pairwise.alone_questions(contexts, comments),
    ):
        yield list(frame["request"])


def model_requests(expert: Expert) -> list[Request]:
    """Return every question of the static positions to a language model, prompt by prompt.

    Parameters
    ----------
    expert
        Whose concepts are described where they are (the network ``nnue``).
    """
    suite = read_suite(data_folder() / "suite.json")
    suite = suite[suite["number"] < MODEL_GAMES]
    games = read_level_games(data_folder() / "games.tsv.zst")
    asked = ask(suite, positions_of(suite, games))
    concepts = concepts_in_words(asked, expert)
    requests = [
        each for play in MODEL_PLAYS for each in play_requests(asked, play, concepts)
    ]
    return requests + play_requests(reason_asked(asked), "fen_reason")


def _static(client: Client) -> Iterator[list[Request]]:
    yield model_requests(load_expert("nnue"))


def mate_in_one_requests(count: int | None = RECORDED) -> list[Request]:
    """Return every question of the chapter on mate in one; on the first ``count`` problems."""
    return list(mate_questions(read_problems(count=count))["request"])


def _mates(client: Client) -> Iterator[list[Request]]:
    yield mate_in_one_requests()


def _all_mates(client: Client) -> Iterator[list[Request]]:
    yield mate_in_one_requests(None)


#: What can be recorded, by purpose: the name of the file of answers.
PURPOSES: Mapping[str, Batches] = MappingProxyType(
    {
        "commentary": _commentary,
        "arms": _arms,
        "notes": _notes,
        "extraction": _extraction,
        "gcc_eval": _gcc_eval,
        "pairwise": _pairwise,
        "static": _static,
        "mate_in_one": _mates,
        "mate_in_one_all": _all_mates,
    }
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What questions would take: calls, tokens of their messages, tokens of the longest answers.

    Tokens of the messages are guessed from their length (:data:`CHARACTERS_PER_TOKEN`).
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int

    def __str__(self) -> str:
        return (
            f"{self.calls:,} calls, about {self.prompt_tokens:,} tokens in, "
            f"at most {self.completion_tokens:,} out"
        )


def estimate(requests: Sequence[Request]) -> Estimate:
    """Return what asking all these questions would take."""
    texts = (message.content for request in requests for message in request.messages)
    prompt = sum(-(-len(text) // CHARACTERS_PER_TOKEN) for text in texts)
    return Estimate(
        len(requests), prompt, sum(one.sampling.max_tokens for one in requests)
    )


def missing(purpose: str, model: str) -> Estimate:
    """Return what the questions that lack an answer would take, up to the first that do.

    Questions that follow from answers which are not there yet are not counted.
    """
    client = replay(purpose, model)
    for batch in PURPOSES[purpose](client):
        if lacking := client.missing(batch):
            return estimate(lacking)
    return estimate([])


def record(purpose: str, model: str, *, concurrency: int = 1) -> int:
    """Ask what is missing and keep the answers; return how many there are now."""
    with _endpoint(model) as endpoint:
        recordings = Recordings.of(model_named(model), purpose)
        client = Client(recordings, endpoint)
        for batch in PURPOSES[purpose](client):
            client.ask_many(batch, concurrency=concurrency)
    return len(recordings)


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
    parser = argparse.ArgumentParser(prog="python data/recordings/record.py")
    parser.add_argument("purpose", choices=sorted(PURPOSES), help="which questions")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="whose answers")
    parser.add_argument(
        "--dry-run", action="store_true", help="only count calls and tokens"
    )
    parser.add_argument("--concurrency", type=int, default=1, help="questions at once")
    given = parser.parse_args(arguments)
    print(missing(given.purpose, given.model))
    if not given.dry_run:
        print(
            record(given.purpose, given.model, concurrency=given.concurrency),
            "answers kept",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
