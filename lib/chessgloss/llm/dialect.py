"""A question in the OpenAI protocol, and the parameters that an endpoint refuses.

Models that think before they answer want ``max_completion_tokens``, out of which their thoughts
are paid, and refuse a temperature and log-probabilities; other services refuse a seed. What an
endpoint refuses it names, and it is asked again without that. Nothing here waits or connects.

Source: https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chessgloss.llm.recordings import Request

#: Tokens for the thoughts of a model that thinks, beside those of its answer.
THOUGHTS = 4096

#: Names of models that think before they answer.
_THINKERS = re.compile(
    r"(^|/)(o[1-9]\b|gpt-5|deepseek-r\d|qwq|magistral)|reasoner|reasoning|thinking",
    re.IGNORECASE,
)

#: What a question can do without; log-probabilities are two parameters.
_DROPPED = {
    "temperature": ("temperature",),
    "seed": ("seed",),
    "stop": ("stop",),
    "top_logprobs": ("logprobs", "top_logprobs"),
    "logprobs": ("logprobs", "top_logprobs"),
}

#: The two names of the longest answer.
_LIMITS = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}

#: How an endpoint says that it does not take a parameter, or not this value of it.
_UNSUPPORTED = re.compile(
    r"support|unrecogni[sz]ed|unknown|unexpected|not (?:allowed|permitted)|non-whitespace",
    re.IGNORECASE,
)

_THOUGHT = re.compile(r"\s*<think>.*?</think>\s*", re.DOTALL)
_THINKING = re.compile(r"\s*<think>")


def thinks(name: str) -> bool:
    """Return whether a model of this name thinks before it answers."""
    return bool(_THINKERS.search(name))


def without_thoughts(text: str) -> str:
    """Return an answer without the thoughts before it; nothing if these do not end."""
    if not _THINKING.match(text):
        return text
    answer = _THOUGHT.sub("", text, count=1)
    return "" if _THINKING.match(answer) else answer


@dataclass(slots=True)
class Dialect:
    """What one endpoint takes of a question, as far as it has said.

    Parameters
    ----------
    thoughts
        Tokens for thoughts, added to the longest answer.
    limit
        Name of the parameter for the longest answer.
    without
        Parameters that are not sent.
    refused_limits
        Names of the longest answer that were refused.
    heard
        What the endpoint said when it refused.
    """

    thoughts: int = 0
    limit: str = "max_tokens"
    without: set[str] = field(default_factory=set)
    refused_limits: set[str] = field(default_factory=set)
    heard: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, model: str) -> Dialect:
        """Return the dialect expected of a model of this name, before it has said anything."""
        if not thinks(model):
            return cls()
        return cls(THOUGHTS, "max_completion_tokens", {"temperature"})

    def body(self, model: str, request: Request) -> dict[str, Any]:
        """Return the parameters of a question to a model."""
        sampling = request.sampling
        body: dict[str, Any] = {
            "model": model,
            "messages": [
                {"role": turn.role, "content": turn.content}
                for turn in request.messages
            ],
            "temperature": sampling.temperature,
            "seed": sampling.seed + request.repeat,
            self.limit: sampling.max_tokens + self.thoughts,
        }
        if sampling.stop:
            body["stop"] = list(sampling.stop)
        if sampling.grammar:
            body["extra_body"] = {"grammar": sampling.grammar}
        if sampling.top_logprobs:
            body |= {"logprobs": True, "top_logprobs": sampling.top_logprobs}
        return {name: value for name, value in body.items() if name not in self.without}

    def learn(self, refusal: str, body: Mapping[str, Any]) -> bool:
        """Take from an endpoint's refusal what it does not take.

        Parameters
        ----------
        refusal
            The endpoint's own words.
        body
            What it was asked with.

        Returns
        -------
        bool
            Whether the question can be asked again in another form.
        """
        self.heard.add(refusal)
        if not _UNSUPPORTED.search(refusal):
            return False
        named = {
            name for name in body if re.search(rf"\b{name}(_sequences)?\b", refusal)
        }
        if dropped := named & _DROPPED.keys():
            self.without.update(*(_DROPPED[name] for name in dropped))
            return True
        for name in named & _LIMITS.keys():
            self.refused_limits.add(name)
            if self.limit == name:
                self._rename_limit()
            return self.limit not in self.refused_limits
        return False

    def changes(self, request: Request) -> dict[str, Any]:
        """Return how a question was changed when it was asked; empty if it was not."""
        usual = Dialect().body("", request)
        dropped = sorted(usual.keys() & self.without)
        changes: dict[str, Any] = {}
        if dropped:
            changes["without"] = dropped
        if self.thoughts:
            changes["thoughts"] = self.thoughts
        return changes

    def _rename_limit(self) -> None:
        if self.limit == "max_tokens":
            self.thoughts = self.thoughts or THOUGHTS
        self.limit = _LIMITS[self.limit]
