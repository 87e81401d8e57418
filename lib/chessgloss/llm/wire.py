"""One question over the OpenAI protocol: the call, its failures, and its answer as a record."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from chessgloss.llm.endpoints import Endpoint
from chessgloss.llm.records import Answer, Message, Request, State, Token

if TYPE_CHECKING:
    from openai import OpenAI

#: How a refusal in plain words begins.
_REFUSAL = re.compile(
    r"\W*(i['’]m sorry|i am sorry|sorry|i apologi[sz]e)?[,.]?\s*(but )?"
    r"(as an ai( language model| assistant)?,? )?"
    r"i (can['’]?t|cannot|can not|am (not able|unable) to|['’]m (not able|unable) to|won['’]t) "
    r"(assist|help|provide|comply|fulfil|fulfill|answer|do that|continue with|engage)",
    re.IGNORECASE,
)
#: The endpoint will not take these, however often they are sent.
_REJECTED = (400, 413, 422)
_MISCONFIGURED = (401, 402, 403, 404)
#: Decimals kept of a log-probability.
_DECIMALS = 5


class Transient(RuntimeError):
    """A call failed in a way that may pass: busy, broken, too slow, cut off.

    Parameters
    ----------
    reason
        What happened.
    wait
        Seconds after which the endpoint wants to be asked again, if it said so.
    """

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class Misconfigured(RuntimeError):
    """The endpoint knows neither key nor model: asking again would not help."""


class _Rejected(RuntimeError):
    """The endpoint did not take a request and never will; carries the status."""


@dataclass(slots=True)
class Connection:
    """A line to one endpoint, which threads may share.

    llama.cpp's server keeps as much of the last prompt as the next one begins with. How much
    that is changes the rounding of its arithmetic: log-probabilities of one and the same
    question move by hundredths, and now and then a word. Before each question a ``steady``
    endpoint is therefore brought to the same state: it has read all messages but the last,
    once for as long as they stay the same. So an answer does not depend on what was asked
    before it, and a constant beginning is not read again.

    Parameters
    ----------
    endpoint
        Whom to ask.
    """

    endpoint: Endpoint
    _client: Any = field(default=None, init=False, repr=False)
    _read: tuple[Message, ...] | None = field(default=None, init=False, repr=False)
    _guard: Lock = field(default_factory=Lock, init=False, repr=False)

    def ask(self, request: Request) -> tuple[Answer, dict[str, Any]]:
        """Send one request; return the answer and what the endpoint said about itself.

        Raises
        ------
        Transient
            On 408, 409, 429, 5xx, a time-out, a dropped connection, a reply that is none.
        Misconfigured
            On a wrong key, address or model.
        """
        with self._guard:
            self._client = self._client or _connect(self.endpoint)
        try:
            if not self.endpoint.steady:
                return self._ask(request)
            with self._guard:
                self._prepare(request.messages[:-1])
                return self._ask(request)
        except _Rejected as error:
            name = self.endpoint.model.name
            return Answer(State.FAILED, finish_reason=f"http_{error}", model=name), {}

    def _ask(self, request: Request) -> tuple[Answer, dict[str, Any]]:
        reply = self._send(_body(self.endpoint, request))
        answer = _answer(reply, request)
        _check_model(answer.model, self.endpoint)
        return answer, _served(reply, self.endpoint)

    def _prepare(self, beginning: tuple[Message, ...]) -> None:
        """Let the server read the beginning of a conversation and no more."""
        reuse, self._read = beginning == self._read, None
        body = _body(self.endpoint, Request((*beginning, Message("user", ""))))
        reply = self._send({**body, "max_tokens": 0, "extra_body": {"cache_prompt": reuse}})
        _check_model(reply.model, self.endpoint)
        self._read = beginning

    def _send(self, body: dict[str, Any]) -> Any:
        """Make one call and sort its failures."""
        import openai

        try:
            return self._client.chat.completions.create(**body)
        except openai.APIStatusError as error:
            raise _status(error, self.endpoint) from None
        except openai.APITimeoutError:
            raise Transient(f"no answer within {self.endpoint.timeout:g} s") from None
        except openai.APIConnectionError as error:
            raise Transient(f"connection lost: {error.__cause__ or error}") from None
        except (openai.OpenAIError, ValueError) as error:
            raise Transient(f"unreadable reply: {error}") from None


def _connect(endpoint: Endpoint) -> OpenAI:
    """Return a client that leaves repetition to its caller."""
    import openai

    no_proxy = openai.DefaultHttpxClient(trust_env=False) if endpoint.on_this_machine else None
    return openai.OpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key,
        timeout=endpoint.timeout,
        max_retries=0,
        http_client=no_proxy,
    )


def _body(endpoint: Endpoint, request: Request) -> dict[str, Any]:
    sampling = request.sampling
    body: dict[str, Any] = {
        "model": endpoint.model.name,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        "temperature": sampling.temperature,
        "seed": sampling.seed + request.repeat,
        "max_tokens": sampling.max_tokens,
    }
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if sampling.top_logprobs:
        body |= {"logprobs": True, "top_logprobs": sampling.top_logprobs}
    return body


def _status(error: Any, endpoint: Endpoint) -> RuntimeError:
    """Return the error that a status other than 200 means."""
    code = error.status_code
    if code in _REJECTED:
        return _Rejected(code)
    if code in _MISCONFIGURED:
        return Misconfigured(
            f"the endpoint answered {code} for model {endpoint.model.name}: check OPENAI_BASE_URL, "
            "OPENAI_API_KEY and CHESSGLOSS_MODEL"
        )
    return Transient(f"status {code}", _seconds(error.response.headers.get("retry-after")))


def _seconds(header: str | None) -> float | None:
    """Read ``Retry-After`` where it is a number; a date is left to the back-off."""
    return float(header) if header and re.fullmatch(r"\d+(\.\d+)?", header) else None


def _answer(reply: Any, request: Request) -> Answer:
    """Turn a completion into an answer; what lacks its parts was no reply."""
    try:
        choice = reply.choices[0]
        text = _clean(choice.message.content or choice.message.refusal or "")
        reason = choice.finish_reason or ""
        refused = bool(choice.message.refusal) or reason == "content_filter"
        usage = reply.usage
        return Answer(
            _state(text, reason, refused),
            text,
            _tokens(choice.logprobs, request) if request.sampling.top_logprobs else (),
            reason,
            usage.prompt_tokens if usage else 0,
            usage.completion_tokens if usage else 0,
            reply.model or "",
        )
    except (AttributeError, TypeError, IndexError) as error:
        raise Transient(f"unreadable reply: {error}") from None


def _state(text: str, reason: str, refused: bool) -> State:
    if refused:
        return State.REFUSED
    if reason == "length":
        return State.CUT_OFF
    if not text.strip():
        return State.EMPTY
    return State.REFUSED if _REFUSAL.match(text) else State.ANSWERED


def _tokens(logprobs: Any, request: Request) -> tuple[Token, ...]:
    content = (logprobs.content if logprobs else None) or ()
    return tuple(_token(one) for one in content[: request.sampling.logprob_tokens])


def _token(one: Any) -> Token:
    others = ((_clean(o.token), round(o.logprob, _DECIMALS)) for o in one.top_logprobs)
    ranked = tuple(sorted(others, key=lambda pair: -pair[1]))
    return Token(_clean(one.token), round(one.logprob, _DECIMALS), ranked)


def _clean(text: str) -> str:
    """Replace half characters, which no file could hold."""
    return text.encode("utf-8", "replace").decode()


def _check_model(served: str, endpoint: Endpoint) -> None:
    wanted = endpoint.model
    if wanted.kind == "local" and served != wanted.name:
        raise Misconfigured(
            f"the endpoint serves {served!r}, not {wanted.name}: start `chessgloss model "
            f"serve {wanted.name}`, or set CHESSGLOSS_MODEL to the model it serves"
        )


def _served(reply: Any, endpoint: Endpoint) -> dict[str, Any]:
    said = {
        "server": endpoint.server,
        "steady": endpoint.steady,
        "system_fingerprint": reply.system_fingerprint,
    }
    return {name: value for name, value in said.items() if value}
