"""Figures of the first page: comments on one move among which a reader votes, and bars."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from chessgloss import report
from chessgloss.commentary import voice
from chessgloss.commentary.notes import write_notes
from chessgloss.judges import blind
from chessgloss.llm.client import DEFAULT_MODEL, replay
from chessgloss.report import Result, in_words

#: Whose comments are shown, under which name.
WRITERS: Mapping[str, str] = {
    "small": "a small language model (1.5 billion parameters), asked as the CCC paper says",
    "notes": "the program: facts in fixed phrases, no model",
    "bare": "a strong language model that sees position and move alone",
    "ccc": "the strong model, asked as the CCC paper says",
    "lines_checked": "the strong model with the engine's lines; false claims sent back",
}


@dataclass(frozen=True, slots=True)
class Ballot:
    """A comment that can be voted for.

    Parameters
    ----------
    text
        The comment.
    who
        Who wrote it.
    said
        What two blind readings say of it; empty where it was not read blind.
    """

    text: str
    who: str
    said: str


def ballots(move: str, model: str) -> list[Ballot]:
    """Return the comments on a move of the experiment, in an order that tells nothing.

    Raises
    ------
    KeyError
        If the experiment has no such move, or a comment on it was not recorded.
    """
    written = voice.comments(replay(voice.PURPOSE, model))
    first = voice.shared_comments(replay("factorial", DEFAULT_MODEL))
    texts = {
        "small": first["ccc"][move].text,
        "notes": write_notes(voice.voice_moves()[move]).text,
        **{arm: written[arm][move].text for arm in ("bare", "ccc", "lines_checked")},
    }
    seen = blind.voice_seen()[move]
    reader = replay(blind.PURPOSE, model).recordings
    made = []
    for name, text in texts.items():
        read = []
        for reading in blind.READINGS:
            answer = reader.get(blind.ask(seen, text, reading))
            if answer is not None:
                read.append(blind.read_answer(answer.text))
        made.append(Ballot(text, WRITERS[name], _in_words(read)))
    random.Random(move).shuffle(made)
    return made


def _in_words(read: Sequence[Mapping[str, str]]) -> str:
    if not read:
        return ""
    says = " and ".join(each["decisive"] for each in read)
    false = " and ".join(each["false"] for each in read)
    return f"says what decides the move: {says}; something false in it: {false}"


def vote(move: str, model: str) -> str:
    """Return the HTML of a move with comments on it; their writers stand in a fold below."""
    shown = voice.voice_moves()[move].move
    rows = []
    names = []
    for letter, each in zip("ABCDE", ballots(move, model), strict=True):
        rows.append(
            f'<li><button type="button" data-vote="{letter}">{letter}</button> '
            f"<span>{escape(each.text)}</span></li>"
        )
        said = each.said or "not read blind"
        names.append(
            f'<li data-who="{letter}"><b>{letter}</b> {escape(each.who)} '
            f"<small>({escape(said)})</small></li>"
        )
    board = report.board(shown, size=260).html.replace("../explorer", "explorer")
    return (
        f'<div class="vote" id="vote"><div>{board}</div><div>'
        f'<p role="status">{escape(shown.numbered_san)}. Which comment would you keep? Press its letter.</p>'
        f'<ol class="ballots">{"".join(rows)}</ol>'
        "<details><summary>Who wrote them, and what two blind readings say</summary>"
        f"<ul>{''.join(names)}</ul></details></div></div>"
        f"<script>{_SCRIPT}</script>"
    )


_SCRIPT = """(() => {
  const place = document.getElementById("vote");
  for (const button of place.querySelectorAll("[data-vote]")) {
    button.addEventListener("click", () => {
      for (const each of place.querySelectorAll("[data-vote]")) {
        each.setAttribute("aria-pressed", String(each === button));
      }
      const who = place.querySelector(`[data-who="${button.dataset.vote}"]`);
      place.querySelector("details").open = true;
      place.querySelector("[role=status]").textContent = `You keep ${who.firstChild.textContent}:${who.childNodes[1].textContent}`;
    });
  }
})();"""


def bars(
    title: str,
    rows: Mapping[str, Result],
    known: Mapping[str, Result],
    ends: tuple[float, float] = (0, 1),
    form: str = "{:.0%}",
) -> str:
    """Return an SVG of numbers with their intervals, a line each; its words say all of it.

    Parameters
    ----------
    title
        What the numbers are.
    rows
        A number by label. One that was not measured has no mark: its line says what it needs.
    known
        The committed results by the same labels.
    ends
        Of the axis.
    form
        How a number is written.
    """
    low, high = ends
    bottom = 8 + _STEP * len(rows)
    marks = []
    for number in (low, (low + high) / 2, high):
        x = _across(number, ends)
        marks.append(f'<path class="grid" d="M{x:g} 8V{bottom}"/>')
        marks.append(
            f'<text class="tick" x="{x:g}" y="{bottom + 16}">{form.format(number)}</text>'
        )
    words = []
    for place, (label, result) in enumerate(rows.items()):
        y = 8 + _STEP * place + _STEP / 2
        words.append(f"{label} {in_words(result, known.get(label))}")
        marks.append(
            f'<text class="label" x="{_LEFT - 8}" y="{y + 4:g}">{escape(label)}</text>'
        )
        marks.append(_bar(result, ends, form, y))
    said = escape(f"{title}: {'; '.join(words)}")
    return (
        f'<svg class="drawn chart" viewBox="0 0 360 {bottom + 24}" role="img" '
        f'aria-label="{said}" xmlns="http://www.w3.org/2000/svg">{"".join(marks)}</svg>'
    )


#: Where the axis begins, its width, and the height of a line, in the picture's units.
_LEFT, _WIDTH, _STEP = 152, 150, 28


def _across(number: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return _LEFT + _WIDTH * (number - low) / (high - low)


def _bar(result: Result, ends: tuple[float, float], form: str, y: float) -> str:
    if result.value is None:
        words = escape(in_words(result))
        return f'<text class="needs" x="{_LEFT + 4}" y="{y + 4:g}">{words}</text>'
    at = _across(result.value, ends)
    drawn = f'<circle class="dot" cx="{at:.1f}" cy="{y:g}" r="5"/>'
    if result.low is not None and result.high is not None:
        low, high = (_across(each, ends) for each in (result.low, result.high))
        drawn = f'<path class="bar" d="M{low:.1f} {y:g}H{high:.1f}"/>{drawn}'
    words = form.format(result.value)
    return f'{drawn}<text class="value" x="356" y="{y + 4:g}">{words}</text>'


def figures(told: Mapping[str, Any], book: Any) -> dict[str, str]:
    """Return the bars of ``findings.toml``'s ``bars``, by name.

    Parameters
    ----------
    told
        By name: ``title``, ``rows``, a result's address by label, ``ends`` of the axis, and ``form``.
    book
        The results, as :class:`results.Book`.
    """
    committed = book.as_committed()
    return {
        name: bars(
            each["title"],
            {label: book.result(key, name) for label, key in each["rows"].items()},
            {label: committed.result(key, name) for label, key in each["rows"].items()},
            tuple(each.get("ends", (0, 1))),
            each.get("form", "{:.0%}"),
        )
        for name, each in told.items()
    }
