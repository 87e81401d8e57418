"""What known services ask for their models, to say beforehand what a recording will cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from chessgloss.llm.records import Model

#: Where the prices stand, and when they were read.
PRICES_SOURCE = "https://platform.openai.com/docs/pricing, as quoted in May 2026"


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens.

    Parameters
    ----------
    prompt
        Read by the model, at the full rate (a cached prefix is cheaper).
    completion
        Written by it.
    """

    prompt: float
    completion: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the cost of so many tokens in US dollars."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


#: Source: ``PRICES_SOURCE``.
PRICES: Mapping[str, Price] = MappingProxyType(
    {
        "gpt-4.1": Price(2.00, 8.00),
        "gpt-4.1-mini": Price(0.40, 1.60),
        "gpt-4.1-nano": Price(0.10, 0.40),
        "gpt-4o": Price(2.50, 10.00),
        "gpt-4o-mini": Price(0.15, 0.60),
    }
)


def price_of(model: Model) -> Price | None:
    """Return what a model costs: nothing on this machine, ``None`` if it is not known."""
    if model.kind == "local":
        return Price(0.0, 0.0)
    dated = [name for name in PRICES if model.name == name or model.name.startswith(f"{name}-20")]
    return PRICES[dated[0]] if dated else None
