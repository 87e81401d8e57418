"""Language models: one client, recorded answers, and a server on this machine.

>>> from chessgloss.llm import Client, Message, Recordings, Request, Sampling, default_model
>>> client = Client(Recordings.of(default_model(), "commentary"))  # doctest: +SKIP
>>> client.ask(Request((Message("user", "Hello"),), Sampling(max_tokens=50)))  # doctest: +SKIP
"""

from __future__ import annotations

from chessgloss.llm.client import AnswerMissing, Client, Estimate, Mode, Retry, Unanswered
from chessgloss.llm.endpoints import (
    DEFAULT_MODEL,
    LOCAL_ASSETS,
    Endpoint,
    default_model,
    endpoint_from_environment,
    model_named,
)
from chessgloss.llm.recorded import REMEDY, replay
from chessgloss.llm.recordings import RecordingDamaged, Recordings, read_records, request_key
from chessgloss.llm.records import Answer, Message, Model, Request, Sampling, State, Token
from chessgloss.llm.wire import Misconfigured

__all__ = [
    "DEFAULT_MODEL",
    "LOCAL_ASSETS",
    "REMEDY",
    "Answer",
    "AnswerMissing",
    "Client",
    "Endpoint",
    "Estimate",
    "Message",
    "Misconfigured",
    "Mode",
    "Model",
    "RecordingDamaged",
    "Recordings",
    "Request",
    "Retry",
    "Sampling",
    "State",
    "Token",
    "Unanswered",
    "default_model",
    "endpoint_from_environment",
    "model_named",
    "read_records",
    "replay",
    "request_key",
]
