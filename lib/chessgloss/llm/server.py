"""A language model's server on this machine: llama.cpp, as the package xllamacpp brings it."""

from __future__ import annotations

import importlib.metadata
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from chessgloss import assets
from chessgloss.llm.client import DEFAULT_MODEL, LOCAL_ASSETS, Endpoint, model_named

#: The version whose options are known to work.
XLLAMACPP = "xllamacpp==2026.10.11549"
#: llama.cpp's level of messages that lets errors through only.
_ERRORS_ONLY = 1
#: Seconds to wait until a model answers.
_READY_WITHIN = 120


class ServerMissing(RuntimeError):
    """The program that serves models is not installed, or a model does not start."""


def fetch_model(name: str = DEFAULT_MODEL) -> Path:
    """Return the checked file of a model that this machine can serve, fetching it if need be.

    Raises
    ------
    ValueError
        If no such model is known.
    chessgloss.assets.AssetMissing
        If its file cannot be had.
    """
    if name not in LOCAL_ASSETS:
        raise ValueError(
            f"no file of {name!r} is known; there are {', '.join(LOCAL_ASSETS)}"
        )
    return assets.locate(LOCAL_ASSETS[name])


@contextmanager
def local_server(
    path: Path,
    name: str,
    *,
    context: int = 4096,
    threads: int = 2,
    port: int = 0,
    slots: int = 1,
) -> Iterator[str]:
    """Serve a GGUF file on 127.0.0.1 while the context lasts; yield its base URL.

    With one slot one request is worked on at a time; the part of a prompt that equals the
    beginning of the last one is not read again (:class:`chessgloss.llm.client.Client` keeps
    answers apart from what was asked before). With several, a request goes to the idle slot whose
    last prompt began most like it, so that several beginnings stay read; what was asked before
    then decides how much is, and the last bits of the arithmetic with it.

    Parameters
    ----------
    path
        The model's file.
    name
        The name under which it answers.
    context
        Longest prompt and answer together, in tokens, of one slot.
    threads
        Threads of computation: the number of idle cores.
    port
        0 for any that is free.
    slots
        Prompts that are kept read, and requests that may be worked on together.

    Raises
    ------
    ServerMissing
        If xllamacpp is not installed, or the model does not answer in time.
    """
    if context < 256 or threads < 1 or slots < 1 or not 0 <= port < 65536:
        given = f"{context}, {threads}, {slots}, {port}"
        raise ValueError(
            f"context from 256, threads and slots from 1, port below 65536, got {given}"
        )
    if not path.is_file():
        raise ServerMissing(f"no model file {path}; run `chessgloss model fetch`")
    try:
        import xllamacpp
    except ImportError as error:
        raise ServerMissing(
            f"no server: pip install --no-deps {XLLAMACPP} ({error})"
        ) from None
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {name}
    params.n_ctx = context * slots
    params.port = port
    params.n_parallel = slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cache_prompt = True
    params.cache_ram_mib = 0  # a slot's own cache is enough for one prompt at a time
    params.fit_params = params.ui = params.endpoint_slots = params.cors_credentials = (
        False
    )
    # no page's script
    params.hostnames = ["127.0.0.1"]
    params.cors_origins = "http://127.0.0.1"
    params.verbosity = _ERRORS_ONLY
    try:
        with _interrupts_waiting():
            server = xllamacpp.Server(params)
            _wait_until_ready(server.listening_address)
    except RuntimeError as error:
        raise ServerMissing(f"{path.name} does not start: {error}") from None
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server  # the last reference: this stops its threads


@contextmanager
def _interrupts_waiting() -> Iterator[None]:
    """Let a Ctrl-C wait for the end: a llama.cpp that is ended before it is ready hangs."""
    handler = signal.getsignal(signal.SIGINT)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)  # it sets one of its own
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def local_endpoint(name: str = DEFAULT_MODEL, **settings: int) -> Iterator[Endpoint]:
    """Serve a known model while the context lasts; yield the endpoint to ask.

    The settings are those of :func:`local_server`.
    """
    with local_server(fetch_model(name), name, **settings) as url:
        server = f"xllamacpp {importlib.metadata.version('xllamacpp')}"
        slots = settings.get("slots", 1)
        steady = slots == 1
        server += "" if steady else f", {slots} slots"
        yield Endpoint(url, model_named(name), server=server, steady=steady)


def _wait_until_ready(address: str) -> None:
    opener = build_opener(ProxyHandler({}))
    end = time.monotonic() + _READY_WITHIN
    while time.monotonic() < end:
        with suppress(URLError):  # still loading
            if opener.open(f"{address}/health", timeout=_READY_WITHIN).status == 200:
                return
        time.sleep(0.1)
    raise ServerMissing(
        f"the model did not answer at {address} within {_READY_WITHIN} s"
    )
