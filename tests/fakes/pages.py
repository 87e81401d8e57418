"""A page as a parser sees it, the sizes of two screens, and text that would be code."""

from __future__ import annotations

from html.parser import HTMLParser

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
HOSTILE = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'> & <b>x"
)


class Page(HTMLParser):
    """Collects what a page would load and what stands in its scripts and labels."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.scripts: list[str] = []
        self.labelled: set[str] = set()
        self.fields: set[str] = set()
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self._inside = tag == "script"
        if self._inside:
            self.scripts.append("")
        if tag == "label" and "for" in given:
            self.labelled.add(given["for"])
        if tag in {"select", "textarea"} or (tag == "input" and given.get("type") != "checkbox"):
            self.fields.add(given.get("id", ""))
        for name in ("src", "href", "data", "poster", "action"):
            if given.get(name) and not given[name].startswith("#"):
                self.loads.append(given[name])

    def handle_endtag(self, tag):
        self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.scripts[-1] += data
