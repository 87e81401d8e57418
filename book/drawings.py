"""The picture of the method on the first page, drawn as SVG in the page's own colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

#: Boxes of the method's picture: words, place and width, chapter; then arrows between points.
_BOXES: Sequence[tuple[str, str, int, int, int, str]] = (
    ("A position and a move", "", 90, 4, 180, "01"),
    ("An engine", "verdict and best lines", 4, 78, 168, "01"),
    ("A network", "concepts it has learnt", 188, 78, 168, "02"),
    ("Facts of the board", "attacks, captures, threats", 4, 152, 168, "04"),
    ("What a move changes", "concepts, ranked", 188, 152, 168, "03"),
    ("A language model writes", "the comment", 70, 226, 220, "04"),
    ("A checker", "every claim against the board", 70, 300, 220, "05"),
    ("Judges", "scores and pairs", 4, 374, 168, "06"),
    ("Readers", "ratings, or moves chosen", 188, 374, 168, "08"),
)
_ARROWS = (
    *("M150 52L100 76", "M210 52L260 76", "M88 126V150", "M272 126V150"),
    *("M110 200L140 224", "M250 200L220 224", "M180 274V298", "M140 348L110 372"),
    *("M220 348L250 372", "M290 324H316V250H292"),
)


def diagram(names: Mapping[str, str]) -> str:
    """Return an SVG of the method: from a move to a checked comment and those who judge it."""
    marks = [
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
        *(
            f'<path class="arrow" d="{line}" marker-end="url(#tip)"/>'
            for line in _ARROWS
        ),
        '<text class="aside" x="321" y="291">false</text>',
    ]
    for title, words, x, y, width, chapter in _BOXES:
        middle = x + width / 2
        line = y + (20 if words else 29)
        marks.append(
            f'<a href="executed/{names[chapter]}.html"><rect x="{x}" y="{y}" width="{width}" '
            f'height="48" rx="6"/><text class="name" x="{middle:g}" y="{line}">'
            f'{title}</text><text class="words" x="{middle:g}" y="{y + 37}">{words}</text></a>'
        )
    said = (
        "A position and a move go to an engine, which gives a verdict and best lines, and to a "
        "network, which gives concepts it has learnt. Facts of the board and the concepts that "
        "the move changes most go to a language model, which writes the comment. A checker holds "
        "every claim against the board and sends false ones back. Judges score the comment; "
        "readers rate it or choose a move by it."
    )
    return _svg(360, 426, said, "".join(marks), "diagram")


def _svg(width: float, height: float, said: str, marks: str, kind: str) -> str:
    role = "group" if "<a " in marks else "img"  # a picture has no links within
    return (
        f'<svg class="drawn {kind}" viewBox="0 0 {width:g} {height:g}" role="{role}" '
        f'aria-label="{escape(said)}" xmlns="http://www.w3.org/2000/svg">{marks}</svg>'
    )
