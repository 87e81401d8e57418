"""How language models are asked for a mate in one: the four prompts of the CCC paper, as questions.

``bare`` tells the position, ``expert`` also an engine's best move, ``hint`` that there is a mate
in one (the paper's Figure A5, in our words). ``vector`` is ``hint`` where the expert network
shows the concept and ``bare`` elsewhere, so that it asks nothing that the others do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal

from chessgloss.commentary.prompts import load_prompt
from chessgloss.llm import Client, Request
from chessgloss.skill.answers import Answer
from chessgloss.skill.llm_players import MOVE, ask_patiently, read_said
from chessgloss.skill.mates import RECORDED, Problem, read_problems

Kind = Literal["bare", "expert", "hint", "vector"]

#: The prompts in the order of the paper's Table 7; those that differ are recorded.
KINDS: Final[tuple[Kind, ...]] = ("bare", "expert", "hint", "vector")
ASKED: Final[tuple[Kind, ...]] = KINDS[:3]

#: The column of the paper's Table 7 that each prompt stands for.
TABLE7: Final[Mapping[Kind, str]] = MappingProxyType(
    {"bare": "LLM", "expert": "LLM + expert", "hint": "LLM + concept (mate-in-one)"}
)

#: The models of the paper's Table 7, and the names under which an endpoint is asked for them.
#: ChessGPT is served on one's own machine, by llama.cpp or vLLM, under that name.
PAPERS_MODELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "GPT-4o": "gpt-4o",
        "GPT-4o-mini": "gpt-4o-mini",
        "GPT-3.5-turbo": "gpt-3.5-turbo",
        "ChessGPT": "chessgpt",
    }
)

#: Purpose under which answers are recorded, and the same for all problems.
PURPOSE, PURPOSE_ALL = "mate_in_one", "mate_in_one_all"


def mate_request(problem: Problem, kind: Kind, seen: bool | None = None) -> Request:
    """Return the question on a problem.

    Parameters
    ----------
    problem
        The problem. As the engine's best move the first of its mates is told: to an engine
        all of them are worth the same.
    kind
        Which prompt.
    seen
        For ``vector``: whether the network shows that there is a mate.

    Raises
    ------
    ValueError
        If that is not said for ``vector``.
    """
    if kind == "vector":
        if seen is None:
            raise ValueError(f"{problem.name}: say whether the mate is seen, for 'vector'")
        kind = "hint" if seen else "bare"
    prompt = load_prompt(f"mate_{kind}")
    values = {"fen": problem.fen}
    if kind == "expert":
        values["best"] = problem.first.san
    about = {"of": problem.name, "fen": problem.fen}
    return Request(prompt.fill(**values), MOVE, prompt=prompt.label, about=about)


def mate_requests(problems: Iterable[Problem], kinds: Iterable[Kind] = ASKED) -> list[Request]:
    """Return the questions on problems, prompt by prompt, as a server reads them fastest."""
    todo = list(problems)
    return [mate_request(one, kind) for kind in kinds for one in todo]


def mate_in_one_requests(count: int | None = RECORDED) -> list[Request]:
    """Return every question of the chapter on mate in one that a model is asked.

    Parameters
    ----------
    count
        The first so many problems; ``None`` for all.
    """
    return mate_requests(read_problems(count=count))


def mate_answers(
    problems: Sequence[Problem], kind: Kind, client: Client, seen: Sequence[bool] | None = None
) -> list[Answer]:
    """Return a model's answers to problems, replayed or asked for.

    Parameters
    ----------
    problems
        The problems.
    kind
        Which prompt.
    client
        Whose answers.
    seen
        For ``vector``: where the mate is seen (:func:`chessgloss.skill.seen.mate_seen`).

    Raises
    ------
    chessgloss.llm.AnswerMissing
        If a recorded answer is missing.
    """
    shown: Sequence[bool | None] = seen if seen is not None else [None] * len(problems)
    requests = [mate_request(one, kind, see) for one, see in zip(problems, shown, strict=True)]
    said = ask_patiently(client, requests)
    return [read_said(text, one.board) for text, one in zip(said, problems, strict=True)]


def answered(client: Client, problems: Iterable[Problem]) -> bool:
    """Return whether a model's answers to all prompts on these problems are recorded."""
    return not client.missing(mate_requests(problems))


def command(row: str, purpose: str = PURPOSE) -> str:
    """Return the command that records the answers for a row of the paper's Table 7."""
    return f"make record MODEL={PAPERS_MODELS[row]} PURPOSE={purpose}"
