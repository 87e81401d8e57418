"""The pages, in a real browser: nothing asked of the network, no error, all of it visible."""

from __future__ import annotations

import functools
import http.server
import re
import shutil
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup

from chessgloss.chapters import committed_run, read_chapters, separate_run

PROJECT = Path(__file__).resolve().parents[1]
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def dodo() -> Iterator[Any]:
    sys.path.insert(0, str(PROJECT))
    try:
        import dodo as module

        yield module
    finally:
        sys.path.remove(str(PROJECT))


@pytest.fixture(scope="session")
def built_book(dodo: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the committed book in a folder of its own; return the folder of its pages."""
    run = committed_run(PROJECT)
    for chapter in read_chapters(PROJECT):
        if not run.notebook(chapter).is_file():
            pytest.skip(f"{chapter.name} has not been executed: run `make book`")
    folder = tmp_path_factory.mktemp("book")
    if (PROJECT / "node_modules").is_dir():
        (folder / "node_modules").symlink_to(PROJECT / "node_modules")
    failure = dodo.build_from(run, folder / "source", folder)
    assert failure is None, failure.get_msg()
    return folder / "_build/html"


def pages_of(folder: Path) -> list[str]:
    """Paths of the book's own pages, relative to the folder."""
    own = [path for path in folder.rglob("*.html") if "_static" not in path.parts]
    return sorted(path.relative_to(folder).as_posix() for path in own)


# ---------------------------------------------------------------- the files


def test_every_internal_link_leads_to_a_page_and_a_place(built_book: Path) -> None:
    soups = {
        page: BeautifulSoup((built_book / page).read_text("utf-8"), "lxml")
        for page in pages_of(built_book)
    }
    anchors = {page: {tag["id"] for tag in soup.find_all(id=True)} for page, soup in soups.items()}
    broken = []
    for page, soup in soups.items():
        for link in soup.find_all("a", href=True):
            address = urlsplit(link["href"])
            if address.scheme or address.netloc or link["href"] == "#":
                continue
            target = (built_book / page).parent / unquote(address.path) if address.path else None
            name = target.resolve().relative_to(built_book).as_posix() if target else page
            if not (built_book / name).exists():
                broken.append(f"{page}: {link['href']}")
            elif address.fragment and name in anchors and address.fragment not in anchors[name]:
                broken.append(f"{page}: no place {link['href']}")
    assert broken == []


def test_no_page_names_a_script_or_style_from_elsewhere(built_book: Path) -> None:
    foreign = []
    for page in pages_of(built_book):
        soup = BeautifulSoup((built_book / page).read_text("utf-8"), "lxml")
        loaded = soup.find_all(["script", "img", "iframe"], src=True)
        loaded += soup.find_all("link", href=True, rel=["stylesheet", "preload", "icon"])
        names = [tag.get("src") or tag.get("href") for tag in loaded]
        foreign += [f"{page}: {name}" for name in names if urlsplit(name).netloc]
    assert foreign == []


def test_a_pasted_value_follows_its_notebook(dodo: Any, tmp_path: Path) -> None:
    """A page that pastes a number is built again when only the notebook changed."""
    run = separate_run(tmp_path, "book", tmp_path / "book")
    write_tiny_book(tmp_path, "41.00")
    assert dodo.build_html(tmp_path, tmp_path) is None
    page = tmp_path / "_build/html/book/index.html"
    assert "counted 41.0 games" in text_of(page)
    write_glued_notebook(run.executed / "01_tiny.ipynb", "42.00")
    assert dodo.build_html(tmp_path, tmp_path) is None
    assert "counted 42.0 games" in text_of(page)


def test_a_broken_reference_fails_the_build(dodo: Any, tmp_path: Path) -> None:
    write_tiny_book(tmp_path, "41.00")
    index = tmp_path / "book/index.md"
    index.write_text(index.read_text("utf-8") + "\n[nowhere](no_such_page.md)\n", "utf-8")
    failure = dodo.build_html(tmp_path, tmp_path)
    assert "no_such_page" in failure.get_msg()


def write_tiny_book(folder: Path, value: str) -> None:
    (folder / "book").mkdir()
    shutil.copy2(PROJECT / "_config.yml", folder)
    for name in ("_ext", "_static", "references.bib"):
        source, copy = PROJECT / "book" / name, folder / "book" / name
        shutil.copytree(source, copy) if source.is_dir() else shutil.copy2(source, copy)
    (folder / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nchapters:\n  - file: book/executed/01_tiny\n"
    )
    (folder / "book/index.md").write_text(
        "# Tiny\n\nWe counted {glue:text}`executed/01_tiny.ipynb::games:.1f` games.\n"
    )
    write_glued_notebook(folder / "book/executed/01_tiny.ipynb", value)


def write_glued_notebook(path: Path, value: str) -> None:
    """Write an executed notebook whose one cell glued ``games``."""
    metadata = {"scrapbook": {"mime_prefix": "application/papermill.record/", "name": "games"}}
    data = {"application/papermill.record/text/plain": value}
    output = nbformat.v4.new_output("display_data", data, metadata=metadata)
    cell = nbformat.v4.new_code_cell("glue()", outputs=[output], execution_count=1)
    heading = nbformat.v4.new_markdown_cell("# A tiny chapter")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[heading, cell], metadata=kernel), path)


def text_of(page: Path) -> str:
    soup = BeautifulSoup(page.read_text("utf-8"), "lxml")
    return re.sub(r"\s+", " ", soup.find("article").get_text())


# ---------------------------------------------------------------- the browser


@dataclass
class Visit:
    """What happened while one page was open."""

    page: str
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    images: list[dict[str, Any]] = field(default_factory=list)
    width: int = 0


@pytest.fixture(scope="session")
def address(built_book: Path) -> Iterator[str]:
    """Serve the pages on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments: Any) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(built_book))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


#: Every picture of a page: its box, and for an SVG whether it shows a board's squares.
PICTURES = """async () => {
  const found = [];
  for (const node of document.querySelectorAll('article img, article svg')) {
    if (node.closest('mjx-container') || node.closest('details:not([open])')) continue;
    const box = node.getBoundingClientRect();
    let board = node.tagName === 'svg' && node.querySelector('.square') !== null;
    if (node.tagName === 'IMG' && node.src.endsWith('.svg'))
      board = (await (await fetch(node.src)).text()).includes('class="square');
    found.push({name: node.src || 'inline svg', width: box.width, height: box.height, board,
                loaded: node.tagName === 'svg' || node.naturalWidth > 0});
  }
  return found;
}"""


def visit(browser: Any, address: str, page: str, viewport: dict[str, int]) -> Visit:
    """Open one page in a fresh profile and note what it asks for and complains of."""
    seen = Visit(page)
    context = browser.new_context(viewport=viewport)
    tab = context.new_page()
    tab.on("request", lambda request: seen.requests.append(request.url))
    tab.on("console", lambda said: said.type == "error" and seen.errors.append(said.text))
    tab.on("pageerror", lambda error: seen.errors.append(str(error)))
    tab.goto(f"{address}/{quote(page)}", wait_until="networkidle")
    seen.images = tab.evaluate(PICTURES)
    seen.width = tab.evaluate("document.documentElement.scrollWidth")
    context.close()
    return seen


@pytest.fixture(scope="session")
def visits(browser: Any, address: str, built_book: Path) -> list[Visit]:
    return [visit(browser, address, page, DESK) for page in pages_of(built_book)]


@pytest.mark.browser
def test_no_page_asks_the_network_for_anything(visits: list[Visit], address: str) -> None:
    own = (f"{address}/", "data:", "blob:")
    asked = [url for seen in visits for url in seen.requests if not url.startswith(own)]
    assert asked == []
    assert all(seen.requests for seen in visits)


@pytest.mark.browser
def test_no_page_complains(visits: list[Visit]) -> None:
    assert {seen.page: seen.errors for seen in visits if seen.errors} == {}


@pytest.mark.browser
def test_pictures_load_and_boards_are_visible(visits: list[Visit]) -> None:
    pictures = [(seen.page, image) for seen in visits for image in seen.images]
    unseen = [
        (page, image)
        for page, image in pictures
        if not image["loaded"] or min(image["width"], image["height"]) < 8
    ]
    boards = [image for _, image in pictures if image["board"]]
    assert unseen == []
    assert boards, "no page shows a board"
    assert min(min(board["width"], board["height"]) for board in boards) >= 100


@pytest.mark.browser
def test_no_page_is_wider_than_a_phone(browser: Any, address: str, built_book: Path) -> None:
    pages = pages_of(built_book)
    widths = {page: visit(browser, address, page, PHONE).width for page in pages}
    assert {page: width for page, width in widths.items() if width > PHONE["width"]} == {}


@pytest.mark.browser
def test_the_search_finds_a_chapter_by_a_word_of_its_title(
    browser: Any, address: str, built_book: Path
) -> None:
    page = pages_of(built_book / "book/executed")[0]
    soup = BeautifulSoup((built_book / "book/executed" / page).read_text("utf-8"), "lxml")
    word = max(re.findall(r"[A-Za-z]+", soup.find("h1").get_text()), key=len)
    tab = browser.new_page()
    tab.goto(f"{address}/search.html?q={word}")
    tab.wait_for_selector("#search-results ul.search li a", timeout=15_000)
    found = tab.eval_on_selector_all(
        "#search-results ul.search li a", "all => all.map(a => a.href)"
    )
    tab.close()
    assert any(urlsplit(link).path.endswith(page) for link in found)
