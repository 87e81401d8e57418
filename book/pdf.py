"""Print the built book into one PDF: every page in the order of the contents, by Chromium.

    python book/pdf.py [_build/html] [--output _build/chessgloss.pdf] [--pages 3]

Long lines of code are broken, what is folded stays folded. `pdfunite`, of Debian's
`poppler-utils`, joins the pages.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from tqdm import tqdm

PROJECT = Path(__file__).parents[1]

#: Nothing of the screen's frame, no line of code beyond the edge; a table keeps its title and,
#: where a page has room, its rows together; code may go on over the page.
STYLE = """
pre, code { white-space: pre-wrap !important; overflow-wrap: anywhere }
pre, div.highlight, div.cell, div.cell_input, div.cell_output { break-inside: auto !important }
div.cell_output, .pst-scrollable-table-container, .boards { overflow: visible !important }
table { font-size: 0.78em; break-inside: avoid }
td, th { white-space: normal !important; padding: 0.15em 0.4em !important }
h1, h2, h3, summary { break-after: avoid }
figure, svg, img, tr { break-inside: avoid }
.cell-link, .headerlink, .bd-header-article, .prev-next-footer { display: none !important }
"""
#: Pictures that wait until one scrolls to them are loaded now.
LOAD_ALL = """() => Promise.all([...document.images].map(image => {
  image.loading = 'eager';
  return image.decode().catch(() => null);
}))"""
#: Of the screen's size: so small that the wide tables fit.
SCALE = 0.68
MARGIN = {"top": "16mm", "bottom": "16mm", "left": "14mm", "right": "14mm"}


def contents(toc: Path) -> list[str]:
    """Return the pages of the table of contents, in its order, without an ending."""
    return re.findall(
        r"^\s*(?:- file|root): (\S+)$", toc.read_text("utf-8"), re.MULTILINE
    )


def main() -> int:
    """Print the book; return the exit status."""
    parser = argparse.ArgumentParser(prog="book/pdf.py")
    parser.add_argument("folder", nargs="?", type=Path, default=PROJECT / "_build/html")
    parser.add_argument(
        "--output", type=Path, default=PROJECT / "_build/chessgloss.pdf"
    )
    parser.add_argument(
        "--pages", type=int, default=None, help="only the first so many"
    )
    given = parser.parse_args()
    pages = [given.folder / f"{name}.html" for name in contents(PROJECT / "_toc.yml")]
    if missing := [page for page in pages if not page.is_file()]:
        print(f"{missing[0]} is missing; run `make book` first", file=sys.stderr)
        return 2
    if shutil.which("pdfunite") is None:
        print(
            "pdfunite is missing: sudo apt-get install poppler-utils", file=sys.stderr
        )
        return 2
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        printed = []
        for number, page in enumerate(
            tqdm(pages[: given.pages], unit="page", disable=None)
        ):
            view = browser.new_page(color_scheme="light")
            view.goto(page.resolve().as_uri(), wait_until="load")
            view.add_style_tag(content=STYLE)
            view.evaluate(LOAD_ALL)
            printed.append(str(Path(folder) / f"{number:02}.pdf"))
            view.pdf(
                path=printed[-1],
                format="A4",
                margin=MARGIN,
                scale=SCALE,
                print_background=True,
            )
            view.close()
        browser.close()
        subprocess.run(["pdfunite", *printed, str(given.output)], check=True)
    print(f"the book: {given.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
