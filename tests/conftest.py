"""Fixtures that several test modules share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from chessgloss.engine import EngineMissing, find_stockfish

#: The browser says nothing to the network of itself.
BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """A real Chromium without a window, driven by Playwright, of which a process takes one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("no Chromium: sudo apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=BROWSER_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def stockfish() -> Path:
    """The real Stockfish of this machine."""
    try:
        return find_stockfish()
    except EngineMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def maia_file() -> Path:
    """A real Leela-format network, which is never committed."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "nets"
    folder = Path(os.environ.get("CHESSGLOSS_NETS", beside))
    path = folder / "maia-1900.pb.gz"
    if not path.is_file():
        pytest.skip(f"no maia-1900.pb.gz in {folder}; set CHESSGLOSS_NETS to its folder")
    return path
