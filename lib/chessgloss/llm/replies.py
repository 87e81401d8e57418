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
#: A page of HTML in place of a reply is read without its marks.
_TAG = re.compile(r"<(script|style).*?</\1>|<[^>]*>", re.DOTALL)
#: Decimals kept of a log-probability.
_DECIMALS = 5


def read_completion(reply: Any, request: Request) -> Answer:
    """Turn a completion, of openai's types, into an answer.

    Raises
    ------
    ValueError
        If there is no answer in it: what the endpoint says instead.
    """
    if not getattr(reply, "choices", None):
        raise ValueError(_instead(reply))
    choice = reply.choices[0]
    usage = reply.usage
    refusal = getattr(choice.message, "refusal", None)
    said = without_thoughts(_clean(_content(choice.message.content) or refusal or ""))
    text = _until_stop(said, request)
    reason = choice.finish_reason or ""
    tokens: tuple[Token, ...] = ()
    if request.sampling.top_logprobs and choice.logprobs:
        given = (choice.logprobs.content or ())[: request.sampling.logprob_tokens]
        tokens = tuple(map(_read_token, given))
    return Answer(
        _state(text, reason, declined=bool(refusal)),
        text,
        tokens,
        reason,
        prompt_tokens=usage.prompt_tokens if usage else 0,
        completion_tokens=usage.completion_tokens if usage else 0,
        model=reply.model or "",
    )


def _instead(reply: Any) -> str:
    """Return an endpoint's words in place of a completion."""
    if isinstance(reply, str):
        return f"the reply is no completion: {sentence(reply)!r}"
    error = getattr(reply, "error", None)
    return sentence(error) if error else "there is no answer in the reply"


def _content(given: Any) -> str:
    """Return the text of a message, which may come in parts."""
    if not isinstance(given, list):
        return given or ""
    parts = (part if isinstance(part, dict) else vars(part) for part in given)
    return "".join(str(part.get("text") or "") for part in parts)


def _until_stop(text: str, request: Request) -> str:
    """Return an answer up to the request's end marks, if the endpoint did not cut it there."""
    for end in request.sampling.stop:
        text = text.partition(end)[0]
    return text


def read_text(text: str, request: Request) -> Answer:
    """Turn a text that a model wrote outside the protocol into an answer.

    It ends where the request says that an answer ends, as an endpoint would have ended it.
    """
    said = _until_stop(without_thoughts(_clean(text)).strip(), request)
    return Answer(_state(said, ""), said)


def sentence(error: Any, otherwise: str = "") -> str:
    """Return an endpoint's error in one line.

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
    said = str(error or otherwise)
    text = _TAG.sub(" ", said) if said.lstrip().startswith("<") else said
    return " ".join(text.split())[:_LONGEST_SENTENCE]


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
