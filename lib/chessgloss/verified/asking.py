"""What a model is asked for a verified comment, and how its answers are read.

Every question goes on with the same conversation, so that a server that keeps what it has
read reads only the last message.
"""

from __future__ import annotations

import re
from dataclasses import replace

from chessgloss.claims import Checked
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.methods import TEMPERATURE, Comment, read_comment, request_comment
from chessgloss.commentary.prompts import load_prompt
from chessgloss.llm import Answer, Message, Request, Sampling, State
from chessgloss.verified.records import Attempt, Check
from chessgloss.verified.steps import Step

#: Longest answer to a follow-up question, which asks for one line.
FOLLOW_UP_TOKENS = 110

#: Most false claims told at once.
MOST_FAULTS = 6


def method_name(simple: bool) -> str:
    """Return the name of the method: in a club player's language or a beginner's."""
    return "ccc_simple" if simple else "ccc_verified"


def ask_first(briefing: Briefing, *, simple: bool = False) -> Request:
    """Return the first question: that of ``ccc``, or the same with the wish for simple words."""
    request = request_comment(briefing, "ccc")
    if not simple:
        return request
    prompt = load_prompt("comment_simple")
    (wish,) = prompt.fill(question=request.messages[-1].content)
    return replace(
        request,
        messages=(*request.messages[:-1], wish),
        prompt=prompt.label,
        about={"method": method_name(simple), "of": briefing.name, "round": 0},
    )


def ask_again(
    request: Request, answer: Answer, attempt: Attempt, step: Step, *, simple: bool = False
) -> Request:
    """Return the question that follows an answer.

    Parameters
    ----------
    request
        The question that was answered.
    answer, attempt
        The answer, and the comment that was read from it.
    step
        ``mend`` tells what is false, ``repeat`` asks for the comment alone.
    simple
        As in :func:`ask_first`.
    """
    prompt = load_prompt("comment_again" if step == "mend" else "comment_only")
    faults = {"faults": tell_faults(attempt.false)} if step == "mend" else {}
    (wish,) = prompt.fill(**faults)
    about = {"method": method_name(simple), "of": str(request.about["of"])}
    return Request(
        _continued(request.messages, answer.text, wish),
        Sampling(temperature=TEMPERATURE, max_tokens=FOLLOW_UP_TOKENS, seed=1),
        prompt=prompt.label,
        about={**about, "round": int(request.about.get("round", 0)) + 1},
    )


def tell_faults(false: tuple[Checked, ...]) -> str:
    """Return the false claims with what decides them, a line each."""
    told = dict.fromkeys(f'- "{one.claim.text}" ({one.evidence})' for one in false)
    return "\n".join(list(told)[:MOST_FAULTS])


def read_attempt(answer: Answer, check: Check, *, first: bool = True) -> Attempt:
    """Return the comment of an answer with its claims checked.

    An answer to a follow-up question may leave out the mark ``Comment:``, as long as it does
    not reason instead.
    """
    comment = read_comment(answer, "ccc")
    if (
        not first
        and comment.state == "unread"
        and not re.match(r"\W*thoughts\b", answer.text, re.I)
    ):
        comment = read_comment(answer, "llm")
    return _attempt(comment, check)


def _attempt(comment: Comment, check: Check) -> Attempt:
    if comment.state != State.ANSWERED:
        return Attempt("", (), comment.state)
    return Attempt(comment.text, check(comment.text))


def _continued(messages: tuple[Message, ...], answer: str, wish: Message) -> tuple[Message, ...]:
    """Return a conversation gone on; after an empty answer the wish joins the last question."""
    if answer.strip():
        return (*messages, Message("assistant", answer), wish)
    last = messages[-1]
    return (*messages[:-1], Message(last.role, f"{last.content}\n\n{wish.content}"))
