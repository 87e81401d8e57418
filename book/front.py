"""Figures of the first pages: comments on one move among which a reader votes, and charts."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from chessgloss import report
from chessgloss.book import pictures
from chessgloss.commentary import voice
from chessgloss.commentary.annotated import FAMOUS
from chessgloss.commentary.notes import write_notes
from chessgloss.judges import blind
from chessgloss.llm.client import DEFAULT_MODEL, replay
from chessgloss.report import in_words
from results import Book

#: Whose comments are shown, under which name.
WRITERS: Mapping[str, str] = {
    "small": "a small language model (1.5 billion parameters), asked as the CCC paper says",
    "notes": "the program: facts in fixed phrases, no model",
    "bare": "a strong language model that sees position and move alone",
    "ccc": "the strong model, asked as the CCC paper says",
    "lines_checked": "the strong model with the engine's lines; false claims sent back",
    "explain": "the strong model with lines, moves that fail and facts; false claims sent back",
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
        "explain": FAMOUS.comments()["explain"]["vote"],
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
    for letter, each in zip("ABCDEF", ballots(move, model), strict=True):
        rows.append(
            f'<li><button type="button" data-vote="{letter}">{letter}</button> '
            f"<span>{escape(each.text)}</span></li>"
        )
        said = each.said or "not read blind"
        names.append(
            f'<li data-who="{letter}"><b>{letter}</b> {escape(each.who)} '
            f"<small>({escape(said)})</small></li>"
        )
    board = _LINK.sub("", report.board(shown, size=260).html)
    return (
        f'<div class="vote" id="vote"><div>{board}</div><div>'
        f'<p role="status">{escape(shown.numbered_san)}. Which comment would you keep? '
        "Press its letter.</p>"
        f'<ol class="ballots">{"".join(rows)}</ol>'
        "<details><summary>Who wrote them, and what two blind readings say</summary>"
        f"<ul>{''.join(names)}</ul></details></div></div>"
        f"<script>{_SCRIPT}</script>"
    )


#: The link below a board: the move of the vote is not in the explorer.
_LINK = re.compile(r'<a class="explore".*?</a>', re.DOTALL)

_SCRIPT = """(() => {
  const place = document.getElementById("vote");
  for (const button of place.querySelectorAll("[data-vote]")) {
    button.addEventListener("click", () => {
      for (const each of place.querySelectorAll("[data-vote]")) {
        each.setAttribute("aria-pressed", String(each === button));
      }
      const who = place.querySelector(`[data-who="${button.dataset.vote}"]`);
      place.querySelector("details").open = true;
      const [letter, name] = who.childNodes;
      const words = `You keep ${letter.textContent}:${name.textContent}`;
      place.querySelector("[role=status]").textContent = words;
    });
  }
})();"""


def figures(told: Mapping[str, Any], book: Book) -> dict[str, str]:
    """Return the charts of ``findings.toml``'s ``bars``, by name.

    Parameters
    ----------
    told
        By name: ``title``, ``rows``, a result's address by label, and ``axis`` where its numbers
        are no shares.
    book
        The results.
    """
    return {
        name: pictures.chart(
            each["title"],
            {label: [book.result(key, name)] for label, key in each["rows"].items()},
            tuple(each.get("axis", pictures.SHARES)),
        )
        for name, each in told.items()
    }


def numbers(book: Book) -> dict[str, Callable[[str], Any]]:
    """Return what templates ask of a result at ``chapter/key``: bounds to decide by, and words.

    A result that is not here has no bound, so that nothing is concluded from it.
    """

    def asked(name: str, absent: float) -> Callable[[str], float]:
        def ask(address: str) -> float:
            found = getattr(book.result(address, "index"), name)
            return absent if found is None else float(found)

        return ask

    def written(form: str) -> Callable[[str], str]:
        def write(address: str) -> str:
            result = book.result(address, "index")
            return (
                in_words(result) if result.value is None else form.format(result.value)
            )

        return write

    return {
        "low": asked("low", -math.inf),
        "high": asked("high", math.inf),
        "value": asked("value", math.nan),
        "percent": lambda address: written("{:.0%}")(address).replace("%", " %"),
        "number": written("{:.0f}"),
        "fall": lambda address: f"{-asked('value', math.nan)(address):.0f}",
        "points": lambda address: f"{100 * asked('value', math.nan)(address):.0f}",
    }
