"""Pictures of shares with their intervals, as SVG, for chapters and the first page alike.

Colours are the page's own, so that a picture is legible on light and dark ground.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType

from chessgloss.report import Html, Result, in_words

#: What the experiment compares, in words, by arm or writer: each has what the one before has and
#: what is named, as far as a plus stands before it.
SWITCHES: Mapping[str, str] = MappingProxyType(
    {
        "bare": "position and move",
        "verdict": "+ engine's verdict",
        "verdict_attacks": "+ list of attacks",
        "reasoning": "+ written reasoning",
        "ccc": "+ concepts (CCC)",
        "ccc_others": "CCC, other concepts",
        "ccc_no_attacks": "CCC, no attacks",
        "lines": "verdict and lines",
        "lines_checked": "lines, checked",
        "notes": "program's notes",
        "reference": "people",
    }
)

#: What the experiment's contrasts add, in words, by their names.
STEPS: Mapping[str, str] = MappingProxyType(
    {
        "verdict": "engine's verdict",
        "attacks": "attacks after the verdict",
        "attacks_ccc": "attacks within CCC",
        "reasoning": "written reasoning",
        "concepts": "five concepts",
        "right_other": "right concepts, not others",
        "ccc_bare": "all of CCC",
        "lines": "lines in place of CCC",
        "checked": "false claims sent back",
    }
)

#: Panels of the experiment: what is shared out, and where the shares of either model stand.
PANELS: Sequence[tuple[str, str, str]] = (
    ("Comments with a false claim", "voice.false", "voice.small.false"),
    ("Comments that say what decides", "voice.decisive", "voice.small.decisive"),
)

_LEFT, _WIDTH, _STEP, _TOP = 134, 162, 20, 8


#: The ends of an axis, and how a number on it is written.
SHARES = (0.0, 1.0, "{:.0%}")


def chart(
    title: str,
    bars: Mapping[str, Sequence[Result | None]],
    axis: tuple[float, float, str] = SHARES,
) -> str:
    """Return an SVG of numbers with their intervals, one line each; its words say all of it.

    Parameters
    ----------
    title
        What is shared out.
    bars
        By the name of a line one number or more: the first is filled, the others are hollow. What
        was not measured says what it needs if it stands first; ``None`` is left out.
    axis
        Its ends, and how a number is written: by default those of shares.
    """
    low, high, form = axis
    bottom = _TOP + _STEP * len(bars)
    quarters = [low + (high - low) * part / 4 for part in range(5)]
    marks = [_grid(_across(each, axis), bottom, form.format(each)) for each in quarters]
    said = []
    for place, (name, shares) in enumerate(bars.items()):
        y = _TOP + _STEP * (place + 0.5)
        marks.append(_text("label", _LEFT - 8, y + 4, name))
        there = [each for each in shares if each is not None]
        for rank, each in enumerate(there):
            marks.append(_mark(name, each, y, rank, axis))
        known = [form.format(each.value) for each in there if each.value is not None]
        marks.append(_text("value", 358, y + 4, ", ".join(known)))
        said.append(f"{name} {', '.join(map(in_words, there)) or 'was not asked'}")
    words = escape(f"{title}: {'; '.join(said)}")
    return (
        f'<svg class="drawn chart" viewBox="0 0 360 {bottom + 24}" role="img" '
        f'aria-label="{words}" xmlns="http://www.w3.org/2000/svg">{"".join(marks)}</svg>'
    )


def _across(number: float, axis: tuple[float, float, str]) -> float:
    low, high, _ = axis
    return _LEFT + _WIDTH * (number - low) / (high - low)


def _grid(x: float, bottom: float, words: str) -> str:
    line = f'<path class="grid" d="M{x:g} {_TOP}V{bottom}"/>'
    return line + _text("tick", x, bottom + 16, words)


def _mark(
    name: str, share: Result, y: float, rank: int, axis: tuple[float, float, str]
) -> str:
    """Return the point of a number on its interval; a later one stands lower and is hollow."""
    if share.value is None:
        return "" if rank else _text("needs", _LEFT + 4, y + 4, in_words(share))
    if share.low is None or share.high is None:
        raise ValueError(f"figure: {name!r} has no interval")
    low, mid, high = (
        _across(each, axis) for each in (share.low, share.value, share.high)
    )
    style = " hollow" if rank else ""
    at = y + 8 * rank - 2
    bar = f'<path class="bar{style}" d="M{low:.1f} {at:g}H{high:.1f}"/>'
    return f'{bar}<circle class="dot{style}" cx="{mid:.1f}" cy="{at:g}" r="4"/>'


def _text(kind: str, x: float, y: float, words: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(words)}</text>'


def experiment(results: Mapping[str, Result], writer: str, small: str) -> Html:
    """Show what each part of the prompt does: both outcomes, side by side, both models.

    Parameters
    ----------
    results
        Of chapter 5, by key.
    writer, small
        What to call the model that can write, and the small one, which is drawn if it was read.

    Raises
    ------
    ValueError
        If there is nothing to draw of an outcome.
    """
    drawn = {
        title: {
            words: [results.get(f"{of_writer}.{arm}"), results.get(f"{of_small}.{arm}")]
            for arm, words in SWITCHES.items()
            if _is_known(results.get(f"{of_writer}.{arm}"))
        }
        for title, of_writer, of_small in PANELS
    }
    if empty := [title for title, bars in drawn.items() if not bars]:
        raise ValueError(f"no results to draw: {', '.join(empty)}")
    return side_by_side(drawn, _caption(results, writer, small))


def _is_known(share: Result | None) -> bool:
    return share is not None and share.value is not None


def side_by_side(
    panels: Mapping[str, Mapping[str, Sequence[Result | None]]], caption: str
) -> Html:
    """Show charts beside each other, below each other on a phone, with one caption."""
    drawn = "".join(
        f'<div><p class="panel">{escape(title)}</p>{chart(title, bars)}</div>'
        for title, bars in panels.items()
    )
    figure = (
        f'<figure class="drawn pair"><div class="boards">{drawn}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
    return Html(figure, caption)


def _caption(results: Mapping[str, Result], writer: str, small: str) -> str:
    first, second = (results.get(f"{panel}.bare") for panel in PANELS[0][1:])
    caption = "A row with a plus adds to the rows above it. 95 % intervals. "
    caption += f"{_capital(writer)}: filled, {first.n if first else 0} moves."
    if second:
        caption += (
            f" {_capital(small)}: hollow, {second.n} of them, by the same reader."
        )
    return caption


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
