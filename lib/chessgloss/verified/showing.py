"""How a chapter shows a checked comment: each claim coloured by its verdict, with its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise

from chessgloss.claims import Checked, Truth
from chessgloss.report import Html

#: Name of the style of a verdict, the gravest first: of claims over the same words it counts.
STYLES: dict[Truth, str] = {
    "false": "claim-false",
    "not checkable": "claim-open",
    "true": "claim-true",
}

#: How a plain text marks a verdict, where there is no colour.
_MARKS: dict[Truth, str] = {"false": "✗", "not checkable": "?", "true": "✓"}


def coloured(text: str, checked: Sequence[Checked]) -> Html:
    """Show a comment with its claims coloured: true, false, not checkable.

    A pointer held over a claim shows kind, verdict and evidence; where claims lie over each
    other all are told. Verdicts differ in their underline too, not in colour alone.

    Parameters
    ----------
    text
        The comment.
    checked
        Its claims, with spans in this text.
    """
    pieces = "".join(_piece(text, start, stop, checked) for start, stop in _edges(text, checked))
    told = "; ".join(f"{_MARKS[one.verdict]} {one.claim.text}: {one.evidence}" for one in checked)
    return Html(f'<p class="claims">{pieces}</p>', f"{text}\n{told}" if told else text)


def checked_texts(rows: Mapping[str, tuple[str, Sequence[Checked]]], caption: str = "") -> Html:
    """Show checked comments under each other, each beside its name."""
    shown = {name: coloured(*row) for name, row in rows.items()}
    cells = "".join(
        f"<tr><th>{escape(name)}</th><td>{one.html}</td></tr>" for name, one in shown.items()
    )
    head = f'<p class="table-caption">{escape(caption)}</p>' if caption else ""
    body = f'<table class="dataframe results texts"><tbody>{cells}</tbody></table>'
    plain = "\n".join(f"{name}: {one.text}" for name, one in shown.items())
    return Html(f'<div class="results">{head}{body}</div>', plain)


def legend() -> Html:
    """Show what the colours mean."""
    spans = (f'<span class="{style}">{verdict}</span>' for verdict, style in STYLES.items())
    return Html(f'<p class="claims">{" ".join(spans)}</p>', "✓ true, ✗ false, ? not checkable")


def _edges(text: str, checked: Sequence[Checked]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a text over which the same claims lie."""
    cuts = {0, len(text), *(edge for one in checked for edge in one.claim.span)}
    yield from pairwise(sorted(cuts))


def _piece(text: str, start: int, stop: int, checked: Sequence[Checked]) -> str:
    over = [one for one in checked if one.claim.span[0] <= start and stop <= one.claim.span[1]]
    words = escape(text[start:stop])
    if not over:
        return words
    gravest = next(verdict for verdict in STYLES if any(one.verdict == verdict for one in over))
    told = "\n".join(f"{one.claim.kind}, {one.verdict}: {one.evidence}" for one in over)
    return f'<span class="{STYLES[gravest]}" title="{escape(told)}">{words}</span>'
