"""A page as a parser sees it, the sizes of two screens, and text that would be code."""

from __future__ import annotations

from bs4 import BeautifulSoup

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
HOSTILE = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'> & <b>x"
)


class Page:
    """What a page would load, and what stands in its scripts and labels."""

    def __init__(self, text: str) -> None:
        soup, names = BeautifulSoup(text, "lxml"), ("src", "href", "data", "poster", "action")
        links = [tag.get(name, "") for tag in soup.find_all(True) for name in names]
        self.loads = [link for link in links if link and not link.startswith("#")]
        self.scripts = [script.string or "" for script in soup("script")]
        self.labelled = {label["for"] for label in soup("label", attrs={"for": True})}
        asked = soup.select("select, textarea, input:not([type=checkbox])")
        self.fields = {field.get("id", "") for field in asked}
