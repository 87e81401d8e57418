"""A page as a parser and as a browser sees it, two screens, and text that would be code."""

import base64
import hashlib
import json
import re
import shutil
from pathlib import Path

from bs4 import BeautifulSoup

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'> & <b>x"  # noqa: E501
#: Text that a page must show as it is. Where it ran, ``window.hacked`` is set or the page is left.
HOSTILES = (
    HOSTILE,
    "<script>window.hacked = 1</script>",
    "<svg onload='window.hacked = 1'>",
    "<svg><animate onbegin='window.hacked = 1'>",
    "<!--<script>",
    "-->]]><svg onload=hacked=1>",
    "<iframe srcdoc='<script>parent.hacked = 1</script>'></iframe>",
    "<base href='http://127.0.0.1:9/'>",
    "<meta http-equiv='refresh' content='0;url=http://127.0.0.1:9/'>",
    "\"onmouseover='hacked=1' x=\"",
    "<a href='javascript:hacked=1'>x</a>",
    "[x](javascript:hacked=1)",
    "<object data='data:text/html,x'>",
    "<style>@import 'http://127.0.0.1:9/x';</style>",
    "<link rel=stylesheet href='http://127.0.0.1:9/'>",
    "<math><mtext><img src=x onerror='window.hacked = 1'>",
    "<details open ontoggle='window.hacked = 1'>x",
    "<template><img src=x onerror='window.hacked = 1'></template>",
    "${hacked=1} {{7*7}} {% x %}",
    "<scr<script>ipt>window.hacked = 1</scr</script>ipt>",
    "&lt;img src=x onerror=hacked=1&gt;",
)


def find_chromium() -> str | None:
    """Return the path of the browser, or ``None`` where it is not installed."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


def read_whole_page(text: str) -> tuple[BeautifulSoup, dict]:
    """Check that a page loads nothing and runs its own script alone; return it and its data."""
    soup = BeautifulSoup(text, "lxml")
    names = ("src", "href", "data", "poster", "action")
    links = [tag.get(name, "") for tag in soup.find_all(True) for name in names]
    assert [link for link in links if link and not link.startswith("#")] == []
    assert "://" not in re.sub(r"http://www\.w3\.org/\d+/\w+", "", text)
    data, script = (each.string for each in soup("script"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#x27;sha256-{digest}&#x27;" in text
    assert "default-src &#x27;none&#x27;" in text
    return soup, json.loads(data)


class Tab:
    """A page in a browser, with what it asked for and complained of."""

    def __init__(self, browser, path: Path, at: str = "", **options) -> None:
        self.context = browser.new_context(**options)
        self.address = path.as_uri()
        self.requests = list[str]()
        self.errors = list[str]()
        self.open(at)

    def open(self, at: str = "") -> None:
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on(
            "console", lambda one: one.type == "error" and self.errors.append(one.text)
        )
        self.page.goto(self.address + at)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, name: str) -> str:
        return self.page.locator(f"#{name}").inner_text()
