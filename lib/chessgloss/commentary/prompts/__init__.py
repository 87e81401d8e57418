"""Every prompt of the book: one named, versioned text file each.

A file begins with lines ``version: 1`` and ``purpose: ...``, then a blank line, then the
messages, each after a line ``--- system``, ``--- user`` or ``--- assistant``. An example for
the model is one more pair of ``user`` and ``assistant``. ``$name`` is a placeholder, ``$$`` a
dollar sign. Whoever changes a text raises its version: recorded answers name both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from chessgloss.llm.recordings import Message, Request, Sampling


@dataclass(frozen=True, slots=True)
class Prompt:
    """A conversation with placeholders.

    Parameters
    ----------
    name
        Name of its file, without the ending.
    version
        Whole number, from 1.
    purpose
        What it is for, in one line.
    messages
        The turns, with placeholders.
    """

    name: str
    version: int
    purpose: str
    messages: tuple[Message, ...]

    @property
    def label(self) -> str:
        """Name and version as recordings keep them: ``comment@1``."""
        return f"{self.name}@{self.version}"

    @property
    def placeholders(self) -> frozenset[str]:
        """Names of the values it must be given."""
        texts = [Template(message.content) for message in self.messages]
        return frozenset(name for text in texts for name in text.get_identifiers())

    def fill(self, **values: object) -> tuple[Message, ...]:
        """Return the messages with each placeholder replaced; values are not read again.

        Text that comes from people or models goes through
        :func:`~chessgloss.llm.text.quoted` first.

        Raises
        ------
        ValueError
            If a placeholder is given no value, or a value has no placeholder.
        """
        if wrong := self.placeholders ^ set(values):
            raise ValueError(
                f"prompt {self.label} is not filled by {', '.join(sorted(wrong))}"
            )
        filled = (
            (each.role, Template(each.content).substitute(values))
            for each in self.messages
        )
        return tuple(Message(*turn) for turn in filled)

    def ask(
        self, sampling: Sampling, about: dict[str, Any], **values: object
    ) -> Request:
        """Return the filled prompt as a question, drawn and described as given."""
        return Request(self.fill(**values), sampling, prompt=self.label, about=about)


def load_prompt(name: str) -> Prompt:
    """Return the prompt of this name; :class:`ValueError` names those there are."""
    if name not in all_prompts():
        raise ValueError(
            f"no prompt is called {name!r}; there are {', '.join(all_prompts())}"
        )
    return all_prompts()[name]


@cache
def all_prompts() -> dict[str, Prompt]:
    """Return all prompts by their names, in alphabetical order; their files are read once."""
    paths = sorted(Path(__file__).parent.glob("*.txt"))
    return {
        path.stem: read_prompt(path.stem, path.read_text("utf-8")) for path in paths
    }


def read_prompt(name: str, text: str) -> Prompt:
    """Read a prompt from the text of its file.

    Raises
    ------
    ValueError
        If the text is not in the form that this module describes.
    """
    head, _, body = text.partition("\n\n")
    header = re.fullmatch(r"version: ([1-9]\d*)\npurpose: (.+)", head)
    before, *blocks = re.split(r"^--- (.*)\n", body, flags=re.MULTILINE)
    texts = [block.strip("\n") for block in blocks[1::2]]
    if header is None or before.strip() or not all(texts) or blocks[-2:-1] != ["user"]:
        raise ValueError(f"prompt {name} is not in the form that {__name__} describes")
    return Prompt(
        name, int(header[1]), header[2], tuple(map(Message, blocks[::2], texts))
    )
