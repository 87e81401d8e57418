"""Text that comes from people or models: without what cannot be seen, and fenced as data."""

from __future__ import annotations

import re


def visible(text: str) -> str:
    """Return a text with odd blanks as spaces and without its invisible characters."""
    return "".join(_visible_character(each) for each in text.replace("\r\n", "\n"))


def _visible_character(character: str) -> str:
    if character in "\n\t" or character.isprintable():
        return character
    return " " if character.isspace() else ""


def quoted(text: str) -> str:
    """Fence a text that is data, so that it cannot be taken for part of the prompt.

    The fence is ``<<<`` and ``>>>`` on lines of their own. Inside, each run of three or more
    of these characters is broken by spaces (``>>>`` becomes ``> > >``), and what cannot be seen
    is gone (:func:`visible`), so that no text closes its fence.
    """
    inside = re.sub(r"<{3,}|>{3,}", lambda run: " ".join(run.group()), visible(text))
    return f"<<<\n{inside}\n>>>"


def counted(number: int, noun: str) -> str:
    """Return ``1 claim`` or ``3 claims``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
