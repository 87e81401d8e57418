"""Recorded answers by model and purpose, as the chapters replay them."""

from __future__ import annotations

from chessgloss.llm.client import Client
from chessgloss.llm.endpoints import DEFAULT_MODEL, model_named
from chessgloss.llm.recordings import Recordings

#: The command that records what is missing, as errors name it.
REMEDY = "make record MODEL={model} PURPOSE={purpose}"


def replay(purpose: str, model: str = DEFAULT_MODEL) -> Client:
    """Return a client that replays a model's recorded answers of one purpose."""
    return Client(Recordings.of(model_named(model), purpose), remedy=REMEDY)
