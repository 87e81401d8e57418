"""What is asked of a language model and what comes back: plain, frozen records."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

ROLES = ("system", "user", "assistant")

#: The protocol gives at most this many alternatives a token.
#: Source: the API reference of Chat Completions, parameter ``top_logprobs``.
MOST_ALTERNATIVES = 20

_MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]*")
_PROMPT_NAME = re.compile(r"([a-z0-9_]+@[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Model:
    """A language model, named so that its answers can be told from any other's.

    Parameters
    ----------
    name
        The name it is asked for by, such as ``qwen2.5-coder-1.5b-q4_k_m``.
    sha256
        Hash of its file, for a model on this machine; empty for a remote one.
    """

    name: str
    sha256: str = ""

    def __post_init__(self) -> None:
        if not _MODEL_NAME.fullmatch(self.name) or ".." in self.name:
            raise ValueError(f"a model's name is letters, digits and ._:/@-, got {self.name!r}")
        if not re.fullmatch(r"([0-9a-f]{64})?", self.sha256):
            raise ValueError(f"sha256 of {self.name} must be 64 hex digits, got {self.sha256!r}")

    @property
    def kind(self) -> str:
        """``local`` if its file is known, else ``remote``."""
        return "local" if self.sha256 else "remote"

    @property
    def folder(self) -> str:
        """Name of the folder that holds its recorded answers."""
        return re.sub(r"[:/@]+", "_", self.name)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Parameters
    ----------
    role
        ``system``, ``user`` or ``assistant``.
    content
        Its text.
    """

    role: str
    content: str

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"a message's role is one of {', '.join(ROLES)}, got {self.role!r}")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is drawn; every field is part of a recording's key.

    Parameters
    ----------
    temperature
        0 takes the likeliest token each time.
    max_tokens
        Longest answer. One that reaches it comes back as ``cut_off``.
    seed
        Of the drawing; a remote model may ignore it.
    top_logprobs
        Alternatives to give with each token, 0 for no log-probabilities at all.
    logprob_tokens
        Of how many first tokens the log-probabilities are kept.
    stop
        Texts that end an answer; they are not part of it.
    """

    temperature: float = 0.0
    max_tokens: int = 256
    seed: int = 0
    top_logprobs: int = 0
    logprob_tokens: int = 1
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "temperature", abs(float(self.temperature)) or 0.0)
        object.__setattr__(self, "stop", tuple(self.stop))
        if not 0 <= self.temperature <= 2:
            raise ValueError(f"temperature must be 0 to 2, got {self.temperature}")
        if self.max_tokens < 1 or self.logprob_tokens < 1:
            raise ValueError(
                f"token counts must be positive, got {self.max_tokens} and {self.logprob_tokens}"
            )
        if not 0 <= self.top_logprobs <= MOST_ALTERNATIVES:
            raise ValueError(f"top_logprobs: 0 to {MOST_ALTERNATIVES}, got {self.top_logprobs}")


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a language model.

    Parameters
    ----------
    messages
        The conversation so far; a recording keeps only its hash.
    sampling
        How the answer is drawn.
    repeat
        Tells apart several answers to the same question, from 0; added to the seed.
    prompt
        Name and version of the prompt that made the messages: ``comment@1``.
    about
        What filled the prompt, as ids and positions (``lecture``, ``ply``, ``fen``,
        ``move``); never text that belongs to others. Kept, but no part of the key.
    """

    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    repeat: int = 0
    prompt: str = ""
    about: Mapping[str, str | int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(self.messages))
        if not self.messages:
            raise ValueError("a request needs at least one message")
        if self.repeat < 0:
            raise ValueError(f"repeat must not be negative, got {self.repeat}")
        if not _PROMPT_NAME.fullmatch(self.prompt):
            raise ValueError(f"a prompt is named like 'comment@1', got {self.prompt!r}")
        if not all(isinstance(value, str | int) for value in self.about.values()):
            raise ValueError(f"about holds texts and whole numbers only, got {dict(self.about)}")

    def __str__(self) -> str:
        about = ", ".join(f"{name} {value}" for name, value in self.about.items())
        return f"{self.prompt or 'unnamed prompt'} ({about or 'about nothing in particular'})"


class State(StrEnum):
    """What became of a question."""

    ANSWERED = "answered"
    EMPTY = "empty"
    CUT_OFF = "cut_off"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Token:
    """One token of an answer.

    Parameters
    ----------
    text
        The token.
    logprob
        Natural logarithm of its probability.
    alternatives
        The likeliest tokens at this place, itself included, with their logarithms;
        likeliest first.
    """

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()

    def probabilities(self) -> dict[str, float]:
        """Return the probability of each alternative; equal texts are added up."""
        found: dict[str, float] = {}
        for text, logprob in self.alternatives:
            found[text] = found.get(text, 0.0) + math.exp(logprob)
        return found


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Parameters
    ----------
    state
        ``answered``: a whole text. ``empty``: none, or blanks. ``cut_off``: it reached
        ``max_tokens`` (as each answer of one token does). ``refused``: the model or its
        filter declined. ``failed``: the endpoint did not take the question, or gave no answer.
    text
        The text as it came; for a refusal the reason, if one was given.
    tokens
        The first tokens with their alternatives, if they were asked for.
    finish_reason
        The endpoint's word for why it ended, or ``http_400`` and the like.
    prompt_tokens, completion_tokens
        As the endpoint counted them, 0 if it did not.
    model
        The model's name as the endpoint gave it.
    """

    state: State
    text: str = ""
    tokens: tuple[Token, ...] = ()
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", State(self.state))
