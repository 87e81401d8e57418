"""Fixtures that several test modules share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from chessgloss.engines import EngineMissing, find_stockfish


@pytest.fixture(scope="module")
def browser() -> Iterator:
    """A real Chromium without a window, driven by Playwright."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium on the PATH")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture
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
