"""Open every page of the built book in Chromium and report what a reader would stumble over.

    python book/gates.py [_build/html] [--pages 3]

Three widths and two themes a page: errors on the console, requests to elsewhere, what overflows
to the left, where nobody can scroll, words of a table on two lines, pictures without words, broken
anchors, weight of a first visit, first content below the first screen; and axe-core's serious
findings where it is installed. The page "Try it" is opened from a server as well and used, with its
concepts, and the search is asked for what `book/search.toml` says it must find. Prints one line a
finding and ends with status 1 if there is one; then, of each chapter, words, screens and tables.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

WIDTHS = (390, 768, 1280)
THEMES = ("light", "dark")
HEIGHT = 900
#: Most bytes of a first visit.
WEIGHT = 1_000_000
#: Most bytes that the page "Try it" loads when it is used: Python, the book's code, an engine.
USED_WEIGHT = 6_000_000
#: Most bytes more when its concepts are opened: the paper's Stockfish 8.
CONCEPT_WEIGHT = 300_000
LIVE_PAGE = "book/try_it.html"
#: Milliseconds until a page that was resized stands still.
SETTLES = 400
#: Of a search, how many of the first results count.
RESULTS = 3
SEARCHES = Path(__file__).with_name("search.toml")
AXE = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"

#: What the page says of itself: pictures without words, what begins left of the screen (and of
#: nothing that scrolls), where the article's first content stands, links within the page.
_LOOK = """() => {
  const article = document.querySelector('article') || document.body;
  const named = element => (element.getAttribute('alt') || element.getAttribute('aria-label') ||
    element.querySelector('title,desc')?.textContent || '').trim();
  const bare = [...article.querySelectorAll('img')].filter(image => {
    const words = named(image);
    return !image.closest('[aria-hidden=true]') && (!words || /[.](png|svg)$/.test(words));
  }).map(image => image.getAttribute('src').split('/').pop());
  const unreachable = [...article.querySelectorAll('table, svg, img, pre, figure, .boards > *')]
    .filter(each => { const box = each.getBoundingClientRect();
      const scroller = each.closest('div.cell_output, .pst-scrollable-table-container, pre');
      return box.width > 0 && box.left + (scroller ? scroller.scrollLeft : 0) < -1; })
    .map(each => each.tagName + ' ' + (each.className.baseVal ?? each.className));
  const lost = [...document.querySelectorAll('a[href^="#"]')].map(link => link.getAttribute('href'))
    .filter(href => href.length > 1 && !document.getElementById(decodeURIComponent(href.slice(1))));
  const broken = [];
  for (const cell of article.querySelectorAll('td, th')) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && broken.length < 5) {
      const text = walker.currentNode;
      if (text.parentElement.closest('code, .pre')) continue;
      for (const word of text.data.matchAll(/\\p{L}{4,}/gu)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map(box => box.top)).size > 1) broken.push(word[0]);
      }
    }
  }
  const first = article.querySelector('p, img, svg, table');
  return {bare, unreachable, lost, broken, first: first ? first.getBoundingClientRect().top : 1e9,
          wide: document.documentElement.scrollWidth - innerWidth,
          uncaptioned: [...article.querySelectorAll('figure')].filter(figure =>
            figure.querySelector('img') && !figure.querySelector('figcaption')).length};
}"""


def look(page: Page, width: int, theme: str) -> Iterator[str]:
    """Yield the faults of a page at a width and in a theme."""
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    page.wait_for_timeout(SETTLES)
    seen: dict[str, Any] = page.evaluate(_LOOK)
    if seen["wide"] > 1:
        yield f"{seen['wide']} pixels wider than the screen"
    for each in seen["unreachable"]:
        yield f"begins left of the screen: {each}"
    if seen["broken"]:
        yield f"words of a table on two lines: {', '.join(seen['broken'])}"
    if seen["first"] > HEIGHT:
        yield "no content on the first screen"
    if width == WIDTHS[-1]:
        yield from (f"no words for a picture: {each}" for each in seen["bare"])
        yield from (f"no such anchor: {each}" for each in seen["lost"])
        if seen["uncaptioned"]:
            yield f"{seen['uncaptioned']} figures without a caption"
        if AXE.is_file():
            page.evaluate(
                AXE.read_text("utf-8")
            )  # a script tag is what the policy forbids
            found = page.evaluate(
                "async () => (await axe.run(document.querySelector('main') || document, {"
                "resultTypes: ['violations']})).violations"
                ".filter(each => ['serious', 'critical'].includes(each.impact))"
                ".map(each => each.id + ' at ' + each.nodes.length + ': ' + each.nodes[0].target)"
            )
            yield from (f"axe: {each}" for each in found)


def check(browser: Browser, folder: Path, name: str) -> Iterator[tuple[str, str]]:
    """Yield the faults of one page, with their place."""
    context = browser.new_context(viewport={"width": WIDTHS[-1], "height": HEIGHT})
    page = context.new_page()
    problems: list[str] = []
    loaded: dict[str, int] = {}

    def weigh(address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme in ("http", "https"):
            problems.append(f"asks for {address}")
        elif parts.scheme == "file":
            loaded[address] = Path(unquote(parts.path)).stat().st_size

    page.on("request", lambda request: weigh(request.url))
    page.on("console", lambda said: said.type == "error" and problems.append(said.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((folder / name).as_uri(), wait_until="load")
    if sum(loaded.values()) > WEIGHT:
        largest = sorted(loaded, key=lambda each: -loaded[each])[:3]
        shown = ", ".join(
            f"{each.rsplit('/', 1)[-1]} {loaded[each]:,}" for each in largest
        )
        problems.append(f"{sum(loaded.values()):,} bytes on a first visit: {shown}")
    yield from ((f"{name}", each) for each in problems)
    for theme in THEMES:
        for width in WIDTHS:
            for each in dict.fromkeys(look(page, width, theme)):
                yield f"{name} ({width}, {theme})", each
    context.close()


class _Quiet(SimpleHTTPRequestHandler):
    """A plain server of files, which says nothing."""

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine as long as the context lasts; gives its address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Traffic:
    """The bytes on disk that a page requests of its server, and its requests to others."""

    def __init__(self, page: Page, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address
        self.loaded: dict[str, int] = {}
        self.foreign: list[str] = []
        page.on("request", lambda request: self._note(request.url.partition("#")[0]))

    def _note(self, address: str) -> None:
        parts = urlsplit(address)
        if address.startswith(f"{self.address}/"):
            path = self.folder / unquote(parts.path).lstrip("/")
            self.loaded[parts.path] = path.stat().st_size if path.is_file() else 0
        elif parts.scheme not in ("blob", "data"):
            self.foreign.append(address)

    @property
    def total(self) -> int:
        """Bytes so far."""
        return sum(self.loaded.values())


def check_live(browser: Browser, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the faults of the page "Try it" where it runs: from a server, and used."""
    context = browser.new_context(viewport={"width": WIDTHS[-1], "height": HEIGHT})
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda said: said.type == "error" and problems.append(said.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    with serve(folder) as address:
        traffic = Traffic(page, folder, address)
        page.goto(f"{address}/{LIVE_PAGE}", wait_until="load")
        page.locator("#board .piece").first.wait_for()
        if traffic.total > WEIGHT:
            problems.append(f"{traffic.total:,} bytes on a first visit")
        for theme in THEMES:
            for width in WIDTHS:
                for each in dict.fromkeys(look(page, width, theme)):
                    yield f"{LIVE_PAGE} (served, {width}, {theme})", each
        first = traffic.total
        page.locator("#comment").click()
        page.locator("#card table, .source.bad").first.wait_for(timeout=120_000)
        if (state := page.locator(".source.bad")).count():
            problems.append(state.inner_text())
        used = traffic.total
        if (more := used - first) > USED_WEIGHT:
            problems.append(f"{more:,} bytes more once it is used")
        page.locator("#concepts > summary").click()
        page.locator("#concept-bars table, #concept-state.bad").first.wait_for()
        if (state := page.locator("#concept-state.bad")).count():
            problems.append(state.inner_text())
        if (more := traffic.total - used) > CONCEPT_WEIGHT:
            problems.append(f"{more:,} bytes more once its concepts are opened")
        problems += [f"asks for {each}" for each in traffic.foreign]
        for theme in THEMES:
            for each in dict.fromkeys(look(page, WIDTHS[0], theme)):
                yield f"{LIVE_PAGE} (used, {theme})", each
    yield from ((f"{LIVE_PAGE} (served)", each) for each in problems)
    context.close()


def check_search(
    browser: Browser, folder: Path, wanted: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the queries that do not find their page among the first results."""
    page = browser.new_page()
    for query, expected in wanted.items():
        page.goto(f"{(folder / 'search.html').as_uri()}?q={quote(query)}")
        page.locator("ul.search li a").first.wait_for()
        page.wait_for_timeout(SETTLES)
        links = page.locator("ul.search li a").evaluate_all(
            "links => links.map(link => new URL(link.href).pathname)"
        )
        if not any(link.endswith(f"/book/{expected}.html") for link in links[:RESULTS]):
            yield "search", f"{query!r} does not find {expected}"
    page.close()


def measure(browser: Browser, folder: Path, name: str) -> str:
    """Return the length of a page: words, screens and tables."""
    page = browser.new_page(viewport={"width": WIDTHS[-1], "height": HEIGHT})
    page.goto((folder / name).as_uri())
    words, height, tables = page.evaluate(
        """() => { const article = document.querySelector('article');
          return [article.innerText.split(/\\s+/).length, article.scrollHeight,
                  article.querySelectorAll('table').length]; }"""
    )
    page.close()
    return f"{words:,} words, {height / HEIGHT:.0f} screens, {tables} tables"


def pages_of(folder: Path) -> list[str]:
    """Return the pages of a built book."""
    skipped = {"genindex.html", "search.html", "index.html"}
    found = (path.relative_to(folder) for path in folder.rglob("*.html"))
    return sorted(
        str(path)
        for path in found
        if path.parts[0] != "_static" and str(path) not in skipped
    )


def main() -> int:
    """Check the pages; return the exit status."""
    parser = argparse.ArgumentParser(prog="book/gates.py")
    parser.add_argument("folder", nargs="?", type=Path, default=Path("_build/html"))
    parser.add_argument(
        "--pages", type=int, default=None, help="only the first so many"
    )
    given = parser.parse_args()
    folder = given.folder.resolve()
    names = pages_of(folder)[: given.pages]
    if not names:
        print(f"no pages in {given.folder}; run `make book` first", file=sys.stderr)
        return 2
    count = 0
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium")
        for name in names:
            for where, what in check(browser, folder, name):
                print(f"{where}: {what}")
                count += 1
        if (folder / "_static/live/files.json").is_file():
            for where, what in check_live(browser, folder):
                print(f"{where}: {what}")
                count += 1
        if (folder / "search.html").is_file():
            wanted = tomllib.loads(SEARCHES.read_text("utf-8"))["found"]
            for where, what in check_search(browser, folder, wanted):
                print(f"{where}: {what}")
                count += 1
        for name in names:
            if "/executed/" in name:
                print(f"{name}: {measure(browser, folder, name)}")
        browser.close()
    print(
        f"{len(names)} pages, {len(WIDTHS)} widths, {len(THEMES)} themes: {count} findings"
    )
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
