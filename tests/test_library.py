"""The library's pages: every module stands on one, and the example at a page's head is right."""

import doctest
import re
from collections import Counter

import pytest

from scripts import PROJECT

BOOK = PROJECT / "book"
PAGES = [BOOK / "library.md", *sorted(BOOK.glob("library/*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_an_example_gives_what_its_page_shows(page):
    shown = re.search(r"```pycon\n(.+?)```", page.read_text("utf-8"), re.DOTALL)
    example = doctest.DocTestParser().get_doctest(shown[1], {}, page.name, str(page), 0)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    said: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=flags).run(example, out=said.append)
    assert outcome.attempted
    assert not outcome.failed, "".join(said)


def test_every_module_stands_on_one_page():
    text = "".join(page.read_text("utf-8") for page in PAGES)
    named = Counter(re.findall(r"automodule:: (\S+)", text))
    library = PROJECT / "lib"
    dotted = (
        path.relative_to(library).with_suffix("") for path in library.rglob("*.py")
    )
    modules = {".".join(path.parts).removesuffix(".__init__") for path in dotted}
    commands = {"chessgloss.cli", "chessgloss.__main__"}  # the README has them
    assert named == Counter(modules - commands)
