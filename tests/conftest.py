"""Fixtures that several test modules share."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from chessgloss import assets
from chessgloss.commentary.asking import briefings_file, read_briefings
from chessgloss.commentary.briefing import Briefing
from chessgloss.corpora.lectures import Lecture, read_lectures
from chessgloss.engine import find_stockfish
from chessgloss.experts import Expert, load_expert
from chessgloss.llm.recordings import Recordings
from chessgloss.oracle import Oracle, stockfish8
from fakes import children
from fakes.pages import Tab, find_chromium
from scripts import or_skip


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    """A process of tests, and what it starts, has one thread: more would wait for each other."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """A real Chromium without a window, driven by Playwright, of which a process takes one."""
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium: sudo apt-get install chromium")
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed"
    )
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program)
        yield chromium
        chromium.close()


@pytest.fixture
def open_tab(browser, tmp_path) -> Iterator[Callable[..., Tab]]:
    """Opens a page in a tab; at the end it has asked for nothing else and made no error."""
    path = tmp_path / "page.html"
    opened = list[Tab]()

    def show(text: str, kind: type[Tab] = Tab, **options) -> Tab:
        path.write_text(text, encoding="utf-8")
        opened.append(kind(browser, path, **options))
        return opened[-1]

    yield show
    for tab in opened:
        assert tab.errors == []
        asked = {address.partition("#")[0] for address in tab.requests}
        assert {one for one in asked if not one.startswith("blob:")} == {path.as_uri()}
        tab.context.close()


@pytest.fixture
def no_process_left() -> Iterator[None]:
    """Every process that a test starts is gone soon after it."""
    before = children()
    deadline = time.monotonic() + 60
    yield
    while children() - before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not children() - before


@pytest.fixture
def recordings_aside(tmp_path, monkeypatch) -> Path:
    """A folder in which all recordings lie, in place of the project's."""
    place = Recordings.of
    monkeypatch.setattr(
        Recordings, "of", lambda model, purpose, *_: place(model, purpose, tmp_path)
    )
    return tmp_path


@pytest.fixture(scope="session")
def stockfish() -> Path:
    """The real Stockfish of this machine."""
    return or_skip(find_stockfish)


@pytest.fixture(scope="session")
def oracle8() -> Oracle:
    """The real Stockfish 8."""
    return or_skip(stockfish8)


@pytest.fixture(scope="session")
def stockfish_network() -> Expert:
    """The real network of Stockfish 15.1."""
    return or_skip(load_expert, "nnue")


@pytest.fixture(scope="session")
def briefings() -> dict[str, Briefing]:
    """The committed briefings of the evaluated moves, by name."""
    return read_briefings(briefings_file())


@pytest.fixture(scope="session")
def figure_a6(briefings) -> Briefing:
    """The committed briefing of the CCC paper's Figure A6."""
    return briefings["ccc/figA6"]


@pytest.fixture(scope="session")
def real_lectures() -> list[Lecture]:
    """The lectures themselves, which are never committed."""
    return or_skip(lambda: list(read_lectures(assets.locate("lectures"))))


@pytest.fixture(scope="session")
def maia_file() -> Path:
    """A real Leela-format network, which is never committed."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "nets"
    folder = Path(os.environ.get("CHESSGLOSS_NETS", beside))
    path = folder / "maia-1900.pb.gz"
    if not path.is_file():
        pytest.skip(
            f"no maia-1900.pb.gz in {folder}; set CHESSGLOSS_NETS to its folder"
        )
    return path
