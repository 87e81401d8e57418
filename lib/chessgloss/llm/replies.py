"""What a reply says: the answer in a completion of the protocol, or in a plain text."""

from __future__ import annotations

import re
from typing import Any

from chessgloss.llm.dialect import without_thoughts
from chessgloss.llm.recordings import Answer, Request, State, Token

#: The code, and the reason for an end, of what a service's filter declines.
FILTERED = "content_filter"
#: How a refusal in plain words begins.
_REFUSAL = re.compile(
    r"\W*(i['’]m sorry|i am sorry|sorry|i apologi[sz]e)?[,.]?\s*(but )?"
    r"(as an ai( language model| assistant)?,? )?"
    r"i (can['’]?t|cannot|can not|am (not able|unable) to|['’]m (not able|unable) to|won['’]t) "
    r"(assist|help|provide|comply|fulfil|fulfill|answer|do that|continue with|engage)",
    re.IGNORECASE,
)
#: Characters kept of what an endpoint says.
_LONGEST_SENTENCE = 300
#: Decimals kept of a log-probability.
_DECIMALS = 5


def read_completion(reply: Any, request: Request) -> Answer:
    """Turn a completion, of openai's types, into an answer; what lacks its parts raises."""
    choice = reply.choices[0]
    usage = reply.usage
    said = _clean(choice.message.content or choice.message.refusal or "")
    reason = choice.finish_reason or ""
    tokens: tuple[Token, ...] = ()
    if request.sampling.top_logprobs and choice.logprobs:
        given = (choice.logprobs.content or ())[: request.sampling.logprob_tokens]
        tokens = tuple(map(_read_token, given))
    return Answer(
        _state(without_thoughts(said), reason, declined=bool(choice.message.refusal)),
        without_thoughts(said),
        tokens,
        reason,
        prompt_tokens=usage.prompt_tokens if usage else 0,
        completion_tokens=usage.completion_tokens if usage else 0,
        model=reply.model or "",
    )


def read_text(text: str, request: Request) -> Answer:
    """Turn a text that a model wrote outside the protocol into an answer.

    It ends where the request says that an answer ends, as an endpoint would have ended it.
    """
    said = without_thoughts(_clean(text)).strip()
    for end in request.sampling.stop:
        said = said.partition(end)[0]
    return Answer(_state(said, ""), said)


def sentence(error: Any, otherwise: str = "") -> str:
    """Return what an endpoint's error says, in one line.

    Parameters
    ----------
    error
        The body of its reply, or the error within it: an object of JSON or a text.
    otherwise
        What to return if it says nothing.
    """
    if isinstance(error, dict) and isinstance(error.get("error"), dict | str):
        error = error["error"]
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or otherwise
    return " ".join(str(error or otherwise).split())[:_LONGEST_SENTENCE]


def _state(text: str, reason: str, *, declined: bool = False) -> State:
    if declined or reason == FILTERED:
        return State.REFUSED
    if reason == "length":
        return State.CUT_OFF
    if not text.strip():
        return State.EMPTY
    return State.REFUSED if _REFUSAL.match(text) else State.ANSWERED


def _read_token(given: Any) -> Token:
    others = (
        (_clean(o.token), round(o.logprob, _DECIMALS)) for o in given.top_logprobs
    )
    ranked = tuple(sorted(others, key=lambda pair: -pair[1]))
    return Token(_clean(given.token), round(given.logprob, _DECIMALS), ranked)


def _clean(text: str) -> str:
    """Replace half characters, which no file could hold."""
    return text.encode("utf-8", "replace").decode()
