"""Open every page of the built book in Chromium and report what a reader would stumble over.

    python book/gates.py [_build/html] [--pages 3] [--keep]

Three widths and two themes a page: errors on the console, requests to elsewhere, what overflows
to the left, where nobody can scroll, words of a table on two lines, pictures without words, broken
anchors, weight of a first visit, first content below the first screen; and axe-core's serious
findings where it is installed. The page "Try it" is opened from a server as well and used, with its
concepts, the search is asked for what `book/search.toml` says it must find and for the questions of
`book/questions.toml`, and every link to the explorer is opened. Prints one line a finding and ends
with status 1 if there is one; then, of each chapter, words, screens and tables. What a reader has
to go through is counted: with `--keep` into `benchmarks/results/book.json`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import sys
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from questions import read_questions

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
EXPLORER = "book/explorer.html"
FRONT = "book/index.html"
#: A screen of a reader's; and one on which the first picture of a chapter is to be whole, above
#: this many pixels.
SCREEN = {"width": 1440, "height": 900}
SMALL_SCREEN = {"width": 1280, "height": 720}
FIRST_PICTURE = 620
#: Least width and height of what counts as a picture.
PICTURE = 120
#: Milliseconds until a page that was resized stands still.
SETTLES = 400
#: Of a search, how many of the first results count.
RESULTS = 3
SEARCHES = Path(__file__).with_name("search.toml")
QUESTIONS = Path(__file__).with_name("questions.toml")
#: Where what the book is measured by is kept.
KEPT = Path(__file__).parents[1] / "benchmarks/results/book.json"
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
  const first = article.querySelector('p, li, img, svg, table');
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
        if not any(
            link.endswith(f"/book/{expected}.html")
            for link in search(page, folder, query)
        ):
            yield "search", f"{query!r} does not find {expected}"
    page.close()


def search(page: Page, folder: Path, query: str) -> list[str]:
    """Return the paths of the first pages that the book's search finds."""
    page.goto(f"{(folder / 'search.html').as_uri()}?q={quote(query)}")
    page.wait_for_function(_FOUND)
    page.wait_for_timeout(SETTLES)
    links = page.locator("ul.search li a").evaluate_all(
        "links => links.map(link => new URL(link.href).pathname)"
    )
    return list(dict.fromkeys(links))[:RESULTS]


_FOUND = """() => document.querySelector('ul.search li a') ||
  document.body.innerText.includes('did not match')"""


def check_questions(browser: Browser, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield which questions, as people put them, do not find their answer."""
    page = browser.new_page()
    for each in read_questions(QUESTIONS):
        found = search(page, folder, each.asked)
        if not any(link.endswith("/book/questions.html") for link in found):
            yield "search", f"{each.asked!r} does not find its answer"
    page.close()


def explorer_links(browser: Browser, folder: Path) -> list[tuple[str, str]]:
    """Return the links of all pages into the explorer, each with the page that it is on first."""
    page = browser.new_page(java_script_enabled=False)
    found: dict[str, str] = {}
    for name in pages_of(folder):
        page.goto((folder / name).as_uri())
        for address in page.locator('a[href*="explorer.html#"]').evaluate_all(
            "links => links.map(link => link.href)"
        ):
            found.setdefault(address, name)
    page.close()
    return [(name, address) for address, name in found.items()]


def check_explorer(browser: Browser, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield which links lead to no move of the explorer with something said of it."""
    page = browser.new_page()
    page.goto((folder / EXPLORER).as_uri())
    for name, address in explorer_links(browser, folder):
        page.evaluate("hash => { location.hash = hash; }", address.partition("#")[2])
        page.wait_for_timeout(SETTLES // 4)
        said = "".join(page.locator("#gloss, #more").all_inner_texts())
        if page.locator("#move-name").inner_text() == "The start" or not said.strip():
            yield name, f"leads to no move of the explorer: {address.partition('#')[2]}"
    page.close()


@dataclass(frozen=True, slots=True)
class Length:
    """What a reader has to go through on a page.

    Parameters
    ----------
    words, screens, tables
        Visible words, of letters or digits and in no closed menu; the height in screens of 1440 by
        900 pixels; visible tables.
    pictured
        Whether a whole picture stands within the first 620 pixels at 1280 by 720.
    """

    words: int
    screens: float
    tables: int
    pictured: bool


_LENGTH = """() => { const article = document.querySelector('article');
  const seen = [...article.querySelectorAll('table')].filter(each => each.checkVisibility());
  const words = text => text.split(/\\s+/).filter(each => /[\\p{L}\\p{N}]/u.test(each)).length;
  const closed = [...article.querySelectorAll('select')].map(each => words(each.innerText));
  const open = words(article.innerText) - closed.reduce((sum, each) => sum + each, 0);
  return [open, article.scrollHeight, seen.length]; }"""
_PICTURED = """([least, lowest]) =>
  [...document.querySelectorAll('article img, article svg, article canvas')].some(each => {
    const box = each.getBoundingClientRect();
    if (!each.checkVisibility()) return false;
    return box.width >= least && box.height >= least && box.top >= 0 && box.bottom <= lowest; })"""


def measure(browser: Browser, folder: Path, name: str) -> Length:
    """Return what a reader has to go through on a page: words, screens, tables, a picture."""
    page = browser.new_page(viewport=SCREEN)
    page.goto((folder / name).as_uri())
    words, height, tables = page.evaluate(_LENGTH)
    page.set_viewport_size(SMALL_SCREEN)
    page.wait_for_timeout(SETTLES)
    pictured = page.evaluate(_PICTURED, [PICTURE, FIRST_PICTURE])
    page.close()
    return Length(words, height / SCREEN["height"], tables, pictured)


def results(
    chapters: dict[str, Length], front: Length, empty: int, unanswered: int
) -> dict[str, dict[str, Any]]:
    """Return what the book is measured by, as the benchmarks keep it."""
    lengths = list(chapters.values())
    asked = len(read_questions(QUESTIONS))

    def counted(value: float, unit: str, n: int = len(lengths)) -> dict[str, Any]:
        return {"value": value, "low": value, "high": value, "n": n, "unit": unit}

    return {
        "book.screens": counted(round(sum(x.screens for x in lengths), 1), "screens"),
        "book.words": counted(sum(x.words for x in lengths), "visible words"),
        "book.front.words": counted(front.words, "visible words", 1),
        "book.pictures_first": counted(sum(x.pictured for x in lengths), "chapters"),
        "book.explorer_links_empty": counted(empty, "links", 1),
        "book.questions_found": counted(asked - unanswered, "questions", asked),
    }


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
    parser.add_argument(
        "--keep", action="store_true", help=f"write what is counted into {KEPT.name}"
    )
    given = parser.parse_args()
    folder = given.folder.resolve()
    names = pages_of(folder)[: given.pages]
    if not names:
        print(f"no pages in {given.folder}; run `make book` first", file=sys.stderr)
        return 2
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium")
        checks = [check(browser, folder, name) for name in names]
        if (folder / "_static/live/files.json").is_file():
            checks.append(check_live(browser, folder))
        if (folder / "search.html").is_file():
            wanted = tomllib.loads(SEARCHES.read_text("utf-8"))["found"]
            checks.append(check_search(browser, folder, wanted))
        count = sum(map(_report, checks))
        unanswered = _report(check_questions(browser, folder))
        empty = _report(check_explorer(browser, folder))
        chapters = {
            name: measure(browser, folder, name)
            for name in names
            if "/executed/" in name
        }
        kept = results(chapters, measure(browser, folder, FRONT), empty, unanswered)
        browser.close()
    for name, each in chapters.items():
        first = "" if each.pictured else ", no picture on the first screen"
        print(
            f"{name}: {each.words:,} words, {each.screens:.1f} screens, "
            f"{each.tables} tables{first}"
        )
    for key, result in kept.items():
        print(f"{key}: {result['value']:,} {result['unit']}, n = {result['n']}")
    if given.keep:
        KEPT.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", "utf-8")
    count += unanswered + empty
    print(
        f"{len(names)} pages, {len(WIDTHS)} widths, {len(THEMES)} themes: {count} findings"
    )
    return int(count > 0)


def _report(found: Iterator[tuple[str, str]]) -> int:
    """Print what is found, one line each; return how many they are."""
    count = 0
    for where, what in found:
        print(f"{where}: {what}", flush=True)
        count += 1
    return count


if __name__ == "__main__":
    sys.exit(main())
