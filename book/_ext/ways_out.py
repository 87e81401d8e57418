"""Sphinx extension: what a reader can do with a page stands on it.

- Under the title of each chapter: how to change it, and what its notebook needs that is downloaded.
- At the foot of every page: the licence, and how to cite the book.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx

#: The pages that say how a chapter is changed, and how the book is cited.
ADAPT, REFERENCES = "book/adapt", "book/references"
_CHAPTER = re.compile(r"book/executed/((\d\d)_\w+)")


def lead_to_changing(app: Sphinx, doctree: document, docname: str) -> None:
    """Set a line under a chapter's title: change it, and what its notebook needs."""
    chapter = _CHAPTER.fullmatch(docname)
    title = next(doctree.findall(nodes.title), None)
    if chapter is None or title is None:
        return
    name, number = chapter.groups()
    page = app.builder.get_relative_uri(docname, ADAPT)
    line = (
        f'<p class="ways-out"><a href="{escape(page)}" title="notebooks/{name}.py, then make '
        f'chapter N={number}">Change this chapter</a> · The notebook that you download needs '
        "the repository, set up by <code>make sync</code>.</p>"
    )
    title.parent.insert(1, nodes.raw("", line, format="html"))


def say_how_to_cite(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Add to a page's foot where it stands how the book is cited."""
    here = "" if pagename == REFERENCES else context["pathto"](REFERENCES)
    page = f"{here}#citing"
    line = f'<p><a href="{escape(page)}">How to cite this book</a></p>'
    foot = context.get("theme_extra_footer") or ""
    context["theme_extra_footer"] = f"{foot}{line}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hooks."""
    app.connect("doctree-resolved", lead_to_changing)
    app.connect("html-page-context", say_how_to_cite)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
