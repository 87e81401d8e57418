"""What the judge is asked: every pair of a move's comments, in both orders.

Questions are ordered so that a server which keeps the beginning of what it has read reads little
twice: the rubric is the same for all, then comes the context of the move, then candidate A.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Final

from chessgloss.commentary.briefing import EvaluatedMove
from chessgloss.commentary.prompts import Prompt, load_prompt, quoted
from chessgloss.llm import Request, Sampling
from chessgloss.pairwise.records import CRITERIA

#: The methods compared, unless a caller says otherwise.
METHODS: Final = ("reference", "llm", "llm_expert", "ccc", "ccc_verified")

#: Moves that the book compares, and on how many the judge is asked for the whole line.
COMPARED: Final = 20
LINES: Final = 3

#: A line of 18 fields is about 40 tokens. A blank line ends an answer, so that an explanation
#: below the line is not waited for.
LINE = Sampling(temperature=0.0, max_tokens=60, seed=1, stop=("\n\n",))

#: One number, with the probabilities of the others.
NUMBER = Sampling(temperature=0.0, max_tokens=1, seed=1, top_logprobs=20)

#: Comments by move and by method, and contexts by move.
Comments = Mapping[str, Mapping[str, str]]
Contexts = Mapping[str, str]


def choose_compared(moves: Sequence[EvaluatedMove], count: int) -> list[EvaluatedMove]:
    """Return every n-th of the moves that have a human comment, ``count`` of them."""
    human = [one for one in moves if one.reference]
    if not 1 <= count <= len(human):
        raise ValueError(f"{len(human)} moves have a human comment; cannot choose {count}")
    return human[:: len(human) // count][:count]


def choose_lined(moves: Sequence[EvaluatedMove]) -> list[EvaluatedMove]:
    """Return the moves on which the whole line is asked for, the same in every profile.

    They are the first :data:`LINES` of the twenty that the book compares.
    """
    return choose_compared(moves, COMPARED)[:LINES]


def pairwise_requests(
    contexts: Contexts, comments: Comments, methods: Sequence[str] = METHODS
) -> list[Request]:
    """Return the questions on every pair of a move's comments in both orders.

    Parameters
    ----------
    contexts
        The feature context of each move (see :func:`chessgloss.facts.linearise`), by
        its name; their order is that of the questions.
    comments
        For each of these moves its comments by method. A method without a comment on a move
        takes no part in it.
    methods
        The methods compared, in order.

    Returns
    -------
    list of Request
        Move by move, and within a move all questions with the same candidate A together;
        ``about`` names the move and the methods shown as A and B.

    Raises
    ------
    ValueError
        If a move has a context and no comments.
    """
    prompt = load_prompt("pairwise")
    return [
        _request(
            prompt,
            {"of": move, "first": first, "second": second},
            context=context,
            a=quoted(told[first]),
            b=quoted(told[second]),
        )
        for move, context in contexts.items()
        for told in [_present(comments, move, methods)]
        for first, second in permutations(told, 2)
    ]


def number_requests(
    contexts: Contexts, comments: Comments, methods: Sequence[str] = METHODS
) -> list[Request]:
    """Return the questions on every pair in both orders, one score at a time.

    For a model that cannot write the line of 18 fields. Parameters are those of
    :func:`pairwise_requests`; ``about`` also names candidate and criterion. What is asked for
    comes last, so that all before it is read once for the twelve scores of a pair.
    """
    prompt = load_prompt("pairwise_number")
    return [
        _request(
            prompt,
            {"of": move, "first": first, "second": second, "candidate": one, "criterion": name},
            NUMBER,
            context=context,
            a=quoted(told[first]),
            b=quoted(told[second]),
            candidate=one,
            criterion=_spoken(number, name),
        )
        for move, context in contexts.items()
        for told in [_present(comments, move, methods)]
        for first, second in permutations(told, 2)
        for one in "AB"
        for number, name in enumerate(CRITERIA, start=1)
    ]


def alone_requests(
    contexts: Contexts, comments: Comments, methods: Sequence[str] = METHODS
) -> list[Request]:
    """Return the questions on each comment by itself, one criterion at a time, no rival in sight.

    Parameters are those of :func:`pairwise_requests`; ``about`` names move, method and
    criterion. The criterion comes last, so that all before it is read once for the six.
    """
    prompt = load_prompt("pairwise_alone")
    return [
        _request(
            prompt,
            {"of": move, "method": method, "criterion": name},
            NUMBER,
            context=context,
            comment=quoted(told[method]),
            criterion=_spoken(number, name),
        )
        for move, context in contexts.items()
        for told in [_present(comments, move, methods)]
        for method in told
        for number, name in enumerate(CRITERIA, start=1)
    ]


def _spoken(number: int, criterion: str) -> str:
    return f"C{number}, {criterion.replace('_', '-')}"


def _request(
    prompt: Prompt, about: Mapping[str, str | int], sampling: Sampling = LINE, **values: str
) -> Request:
    return Request(prompt.fill(**values), sampling, prompt=prompt.label, about=about)


def _present(comments: Comments, move: str, methods: Sequence[str]) -> dict[str, str]:
    if move not in comments:
        raise ValueError(f"no comments are given for the move {move}")
    return {name: comments[move][name] for name in methods if comments[move].get(name, "").strip()}
