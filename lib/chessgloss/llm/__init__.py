"""Language models: one client, recorded answers, and a server on this machine.

>>> from chessgloss.llm import Client, Message, Recordings, Request, Sampling, default_model
>>> client = Client(Recordings.of(default_model(), "commentary"))  # doctest: +SKIP
>>> client.ask(Request((Message("user", "Hello"),), Sampling(max_tokens=50)))  # doctest: +SKIP
"""

from __future__ import annotations

from chessgloss.llm.client import (
    DEFAULT_MODEL,
    LOCAL_ASSETS,
    REMEDY,
    AnswerMissing,
    Client,
    Endpoint,
    Estimate,
    Misconfigured,
    Mode,
    Unanswered,
    default_model,
    endpoint_from_environment,
    model_named,
    replay,
)
from chessgloss.llm.recordings import (
    ROLES,
    Answer,
    Message,
    Model,
    RecordingDamaged,
    Recordings,
    Request,
    Sampling,
    State,
    Token,
    read_records,
    request_key,
)

__all__ = [
    "DEFAULT_MODEL",
    "LOCAL_ASSETS",
    "REMEDY",
    "ROLES",
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
