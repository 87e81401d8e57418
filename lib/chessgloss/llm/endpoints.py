"""Where a language model answers: an address, a model, and a key that is never shown."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import urlsplit

from chessgloss.assets import REGISTRY
from chessgloss.llm.records import Model

#: Models that this machine can serve, and the asset that holds each one's file.
LOCAL_ASSETS: Mapping[str, str] = MappingProxyType(
    {"qwen2.5-coder-1.5b-q4_k_m": "qwen", "smollm2-135m-q4_1": "smollm2"}
)
#: The model whose recorded answers the book shows.
DEFAULT_MODEL = "qwen2.5-coder-1.5b-q4_k_m"

_OPENAI = "https://api.openai.com/v1"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that speaks the OpenAI protocol.

    Parameters
    ----------
    base_url
        Its address up to and with ``/v1``.
    model
        The model to ask there.
    api_key
        Its key; local servers take any. It is in no text, record or error.
    timeout
        Seconds to wait for one answer. A busy machine needs minutes for a long prompt.
    server
        Program and version behind it, if known; kept with each answer.
    steady
        Whether it is a llama.cpp server with one slot that nobody else asks, so that
        :class:`chessgloss.llm.wire.Connection` can keep its answers apart. Such a server is
        asked one question at a time.
    """

    base_url: str
    model: Model
    api_key: str = field(default="none", repr=False)
    timeout: float = 600.0
    server: str = ""
    steady: bool = False

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("an endpoint's address begins with http:// or https://")
        if parts.username or parts.password or parts.query:
            raise ValueError("put the key into OPENAI_API_KEY, not into the endpoint's address")
        if self.timeout <= 0:
            raise ValueError(f"timeout must be positive, got {self.timeout}")

    @property
    def on_this_machine(self) -> bool:
        """Whether the address is this machine's own, so that no proxy must be asked."""
        return urlsplit(self.base_url).hostname in _LOOPBACK


def model_named(name: str) -> Model:
    """Return the model of this name, with its file's hash if this machine can serve it."""
    asset = LOCAL_ASSETS.get(name)
    return Model(name, REGISTRY[asset].sha256 or "" if asset else "")


def default_model() -> Model:
    """Return the model named by ``CHESSGLOSS_MODEL``, or the one the book shows."""
    return model_named(os.environ.get("CHESSGLOSS_MODEL") or DEFAULT_MODEL)


def endpoint_from_environment(model: str | None = None) -> Endpoint:
    """Return the endpoint of ``OPENAI_BASE_URL``, ``OPENAI_API_KEY`` and ``CHESSGLOSS_MODEL``.

    A key alone means OpenAI's own service.

    Parameters
    ----------
    model
        Name of the model to ask, in place of ``CHESSGLOSS_MODEL``.

    Raises
    ------
    ValueError
        If neither an address nor a key is set, or a service is named without a model.
    """
    url, key = os.environ.get("OPENAI_BASE_URL", ""), os.environ.get("OPENAI_API_KEY", "")
    if not url and not key:
        raise ValueError(
            "no language model: set OPENAI_BASE_URL (and OPENAI_API_KEY, CHESSGLOSS_MODEL), or "
            "run `chessgloss model serve` and the export lines it prints"
        )
    named = model_named(model) if model else default_model()
    endpoint = Endpoint(url or _OPENAI, named, key or "none")
    if not (model or endpoint.on_this_machine or os.environ.get("CHESSGLOSS_MODEL")):
        raise ValueError("set CHESSGLOSS_MODEL to the name of the model to ask")
    return endpoint
