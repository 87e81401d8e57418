"""What the page "Try it" loads, whether its claims are the library's own, and how long it starts.

Bytes as they lie on the server: before anything is asked, after a comment was asked for, and what
the concepts take beyond that. The claims of every text of the gold set's ``dev.jsonl``, in the page
and natively. In turns: from the first question to the first verdict in a new page; the same verdict
by the command line.

    python benchmarks/live_page.py
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import ROOT, in_turns, keep, machine, ratio

from chessgloss import read_move
from chessgloss.live import LiveBook, describe_move

sys.path += [str(ROOT), str(ROOT / "book")]

import dodo

import gates

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: A question for the first verdict: the CCC paper's Figure A6.
FEN, MOVE = "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21", "Bxe6+"
TEXT = "Black can take the bishop with the rook."


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--note", default="", help="what else the machine was doing")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        dodo.write_live_files()
        (Path(folder) / "node_modules").symlink_to(ROOT / "node_modules")
        if failure := dodo.build_live_page(Path(folder)):
            sys.exit(failure.get_msg())
        site = Path(folder) / "_build/html"
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium")
        with gates.serve(site) as address:
            results = loaded(browser, site, address)
            results["live.same_claims"] = same_claims(browser, address)
            works = {
                "page": lambda: seconds_in_page(browser, address),
                "native": seconds_natively,
            }
            seconds = in_turns(works, options.rounds)
        browser.close()
    unit = "seconds to the first verdict over seconds of the command line"
    results["live.start_over_native"] = ratio(
        seconds["page"], seconds["native"], unit=unit
    )
    keep("live_page", results | {"machine": machine(options.note)})


def loaded(browser: Browser, site: Path, address: str) -> dict[str, Any]:
    """Return the bytes of a first visit, and those more for a check, a comment, the concepts."""
    page = browser.new_page()
    traffic = gates.Traffic(page, site, address)
    open_page(page, address)
    first = traffic.total
    page.evaluate(ASK, question())
    checked = traffic.total
    move = describe_move(read_move(FEN, MOVE))
    page.evaluate(ASK, {"task": "comment", "move": move, "nodes": 10_000})
    used = traffic.total
    page.evaluate(ASK, {"task": "concepts", "move": move})
    opened = traffic.total
    page.close()
    return {
        "live.first_visit_bytes": exact(first, "bytes"),
        "live.check_bytes": exact(checked - first, "bytes"),
        "live.after_click_bytes": exact(used - first, "bytes"),
        "live.concepts_bytes": exact(opened - used, "bytes"),
    }


def same_claims(browser: Browser, address: str) -> dict[str, Any]:
    """Return the share of texts whose claims are the same in the page and natively."""
    lines = (ROOT / "data/claims/dev.jsonl").read_text("utf-8").splitlines()
    book = LiveBook(lambda *_: sys.exit("no engine is asked"))
    page = browser.new_page()
    open_page(page, address)
    same = []
    for row in map(json.loads, lines):
        move = describe_move(read_move(row["fen"], row["move"]))
        asked = {"task": "check", "move": move, "text": row["text"]}
        native = json.loads(json.dumps(book.check(move, row["text"])))
        same.append(page.evaluate(ASK, asked) == native)
    page.close()
    return exact(sum(same) / len(same), "share of texts", len(same))


ASK = "question => tryIt.library.ask(question)"


def question() -> dict[str, Any]:
    """Return the question that checks the example."""
    return {"task": "check", "move": describe_move(read_move(FEN, MOVE)), "text": TEXT}


def open_page(page: Page, address: str) -> None:
    """Open the page and wait until it can be asked."""
    page.goto(f"{address}/{gates.LIVE_PAGE}")
    page.locator("#board .piece").first.wait_for()


def seconds_in_page(browser: Browser, address: str) -> float:
    """Return the seconds from the first question to its verdict in a new page."""
    page = browser.new_context().new_page()
    open_page(page, address)
    began = time.perf_counter()
    answer = page.evaluate(ASK, question())
    taken = time.perf_counter() - began
    page.context.close()
    assert answer["claims"], "no verdict"
    return taken


def seconds_natively() -> float:
    """Return the seconds that the command line takes for the same verdict."""
    command = [sys.executable, "-m", "chessgloss", "claims", "--fen", FEN]
    command += ["--move", MOVE, "--text", TEXT]
    began = time.perf_counter()
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def exact(value: float, unit: str, n: int = 1) -> dict[str, Any]:
    """Return a result that is counted, not measured."""
    return {"value": value, "low": value, "high": value, "n": n, "unit": unit}


if __name__ == "__main__":
    main()
