"""The loop of verified commentary: a conversation that yields questions and takes answers.

The loop itself knows no client: it can be walked with a model, with recorded answers, or
only as far as recorded answers go.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from chessgloss.claims import verify
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.template import realise
from chessgloss.llm import Answer, Client, Request
from chessgloss.verified.asking import ask_again, ask_first, method_name, read_attempt
from chessgloss.verified.records import Check, Verified
from chessgloss.verified.steps import Fallback, next_step, settle

#: Yields questions, takes their answers, returns the comment.
Conversation = Generator[Request, Answer, Verified]


def write_verified(
    briefing: Briefing, client: Client, *, first: Client | None = None, simple: bool = False
) -> Verified:
    """Return a comment on a move whose every claim was checked, and none found false.

    Parameters
    ----------
    briefing
        The move and what is known of it.
    client
        Answers the follow-up questions, and with ``simple`` the first one too.
    first
        Answers the first question of ``ccc``, which is recorded with the other methods;
        ``client`` if not given.
    simple
        Whether to ask for a beginner's language.

    Raises
    ------
    chessgloss.llm.AnswerMissing
        In replay, if an answer is not recorded.
    """
    talk = conversation(briefing, simple=simple)
    request = next(talk)
    answer = (client if simple or first is None else first).ask(request)
    while True:
        try:
            request = talk.send(answer)
        except StopIteration as end:
            verified: Verified = end.value
            return verified
        answer = client.ask(request)


def write_all(
    briefings: Sequence[Briefing],
    client: Client,
    *,
    first: Client | None = None,
    simple: bool = False,
    concurrency: int = 1,
) -> list[Verified]:
    """Return verified comments on moves, in their order; several conversations at once.

    Parameters are those of :func:`write_verified`; ``concurrency`` is the number of moves in
    hand. The questions of one move follow each other.

    Raises
    ------
    ValueError
        If ``concurrency`` is below 1.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency must be at least 1, got {concurrency}")
    write = partial(write_verified, client=client, first=first, simple=simple)
    pool = ThreadPoolExecutor(concurrency)
    try:
        return list(pool.map(write, briefings))
    finally:  # the conversations in hand are ended, the others dropped
        pool.shutdown(cancel_futures=True)


def pending(
    briefing: Briefing, client: Client, *, first: Client | None = None, simple: bool = False
) -> Request | None:
    """Return the next question of a move that has no recorded answer, ``None`` if all have.

    What is asked after it depends on its answer.
    """
    talk = conversation(briefing, simple=simple)
    request, source = next(talk), client if simple or first is None else first
    while (answer := source.recordings.get(request)) is not None:
        try:
            request, source = talk.send(answer), client
        except StopIteration:
            return None
    return request


def conversation(briefing: Briefing, *, simple: bool = False) -> Conversation:
    """Walk the questions of one move: yields each, takes its answer, returns the comment."""
    check = checker(briefing)
    request = ask_first(briefing, simple=simple)
    answer = yield request
    attempts = [read_attempt(answer, check)]
    while (step := next_step(attempts)) != "settle":
        request = ask_again(request, answer, attempts[-1], step, simple=simple)
        answer = yield request
        attempts.append(read_attempt(answer, check, first=False))
    method = method_name(simple)
    return settle(attempts, template(briefing), check, method=method, model=answer.model)


def checker(briefing: Briefing) -> Check:
    """Return what checks a text on a move against its board and the engine's verdict."""
    return partial(verify, move=briefing.move, verdict=briefing.verdict)


def template(briefing: Briefing) -> Fallback:
    """Return the comment of the method ``template`` by its sentences."""
    told = realise(briefing.facts(), briefing.verdict, briefing.concepts)
    san = briefing.move.san.rstrip("+#")
    return Fallback(told.sentences, (san, briefing.move.uci[2:4]))
