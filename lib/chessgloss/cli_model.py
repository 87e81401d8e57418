"""The commands ``chessgloss model fetch`` and ``chessgloss model serve``."""

from __future__ import annotations

import argparse
import threading
from typing import Any

from chessgloss.llm.client import DEFAULT_MODEL, LOCAL_ASSETS


def add_model_commands(commands: Any) -> None:
    """Add ``model`` with its subcommands to the subparsers of the command line."""
    model = commands.add_parser("model", help="get or serve the language model of the book")
    actions = model.add_subparsers(dest="action", required=True, metavar="ACTION")
    fetch = actions.add_parser("fetch", help="get a model's file, check it, print its path")
    _add_name(fetch)
    fetch.set_defaults(run=_fetch)
    serve = actions.add_parser("serve", help="serve a model on 127.0.0.1 until Ctrl-C")
    _add_name(serve)
    serve.add_argument("--port", type=int, default=0, help="default: any that is free")
    serve.add_argument("--threads", type=int, default=2, help="idle cores to use (default 2)")
    serve.add_argument("--context", type=int, default=4096, help="tokens (default 4096)")
    serve.set_defaults(run=_serve)


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", nargs="?", default=DEFAULT_MODEL, choices=LOCAL_ASSETS, help="default: %(default)s"
    )


def _fetch(given: argparse.Namespace) -> int:
    from chessgloss.llm.server import fetch_model

    print(fetch_model(given.name))
    return 0


def _serve(given: argparse.Namespace) -> int:
    from chessgloss.llm.server import ServerSettings, fetch_model, local_server

    settings = ServerSettings(context=given.context, threads=given.threads, port=given.port)
    path = fetch_model(given.name)
    try:
        with local_server(path, given.name, settings) as url:
            print(export_lines(url, given.name), flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        print("stopped")
    return 0


def export_lines(url: str, name: str) -> str:
    """Return what to paste into another shell so that it asks this server."""
    return (
        f"{name} answers at {url} (Ctrl-C ends it). In another shell:\n"
        f"export OPENAI_BASE_URL={url}\nexport OPENAI_API_KEY=none\nexport CHESSGLOSS_MODEL={name}"
    )
