"""The gates of the built pages: what they see on a page that fails, and on one in order."""

import pytest

import gates

FINE = """<!doctype html><html lang="en"><title>Fine</title><main><article id="top"><h1>Fine</h1>
<p>A word. <a href="#top">Up</a></p>
<figure><img alt="A green square" src="a.svg"><figcaption>1</figcaption></figure>
</article></main></html>"""
WIDE = '<table class="wide" style="margin-left:-99px"><tr><td>x</table></article>'
NARROW = """<table style="width:3em;table-layout:fixed"><tr><td style="overflow-wrap:anywhere">
accuracy</table></article>"""
SQUARE = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9" fill="green"/></svg>'


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """One theme, a phone and a desk, and no wait until a small page stands still."""
    for name, value in {
        "WIDTHS": (390, 1280),
        "THEMES": ("light",),
        "SETTLES": 20,
    }.items():
        monkeypatch.setattr(gates, name, value)


def found(browser, folder, page):
    (folder / "a.svg").write_text(SQUARE)
    (folder / "page.html").write_text(page)
    return [what for _, what in gates.check(browser, folder, "page.html")]


def test_a_page_in_order_passes(browser, tmp_path):
    assert found(browser, tmp_path, FINE) == []


def test_each_fault_is_found(browser, tmp_path):
    faults = {
        "no words for a picture: a.svg": FINE.replace('alt="A green square"', ""),
        "no such anchor: #nowhere": FINE.replace("#top", "#nowhere"),
        "1 figures without a caption": FINE.replace("<figcaption>1</figcaption>", ""),
        "begins left of the screen: TABLE wide": FINE.replace("</article>", WIDE),
        "words of a table on two lines: accuracy": FINE.replace("</article>", NARROW),
        "asks for https://example.org/x.png": FINE.replace(
            "a.svg", "https://example.org/x.png"
        ),
        "oops": FINE.replace(
            "</main>", "<script>console.error('oops')</script></main>"
        ),
    }
    for fault, page in faults.items():
        assert any(fault in each for each in found(browser, tmp_path, page)), fault


def test_a_search_that_misses_its_page_is_found(browser, tmp_path):
    (tmp_path / "search.html").write_text(
        """<ul class="search"><li><a href="book/a.html?x=1">A</a></li></ul>"""
    )
    wanted = {"this": "a", "that": "b"}
    missed = [what for _, what in gates.check_search(browser, tmp_path, wanted)]
    assert missed == ["'that' does not find b"]
