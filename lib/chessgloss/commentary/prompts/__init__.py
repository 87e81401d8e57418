"""Every prompt of the book: one named, versioned text file each.

A file begins with lines ``version: 1`` and ``purpose: ...``, then a blank line, then the
messages, each after a line ``--- system``, ``--- user`` or ``--- assistant``. An example for
the model is one more pair of ``user`` and ``assistant``. ``$name`` is a placeholder, ``$$`` a
dollar sign. Whoever changes a text raises its version: recorded answers name both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from chessgloss.llm import ROLES, Message

_FOLDER = files(__name__)


class PromptError(ValueError):
    """A prompt's file, or what it is filled with, is not as it must be."""


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

        Text that comes from people or models goes through :func:`quoted` first.

        Raises
        ------
        PromptError
            If a placeholder is given no value, or a value has no placeholder.
        """
        problems = [f"no value for ${name}" for name in sorted(self.placeholders - set(values))]
        problems += [f"no placeholder ${name}" for name in sorted(set(values) - self.placeholders)]
        if problems:
            raise PromptError(f"prompt {self.label}: {', '.join(problems)}")
        return tuple(
            Message(message.role, Template(message.content).substitute(values))
            for message in self.messages
        )


def load_prompt(name: str) -> Prompt:
    """Return the prompt of this name.

    Raises
    ------
    PromptError
        If there is none, or its file is not well formed.
    """
    if name not in list_prompts():
        raise PromptError(f"no prompt is called {name!r}; there are {', '.join(list_prompts())}")
    return read_prompt(name, _FOLDER.joinpath(f"{name}.txt").read_text(encoding="utf-8"))


def list_prompts() -> tuple[str, ...]:
    """Return the names of all prompts, sorted."""
    names = [entry.name for entry in _FOLDER.iterdir()]
    return tuple(sorted(name.removesuffix(".txt") for name in names if name.endswith(".txt")))


def read_prompt(name: str, text: str) -> Prompt:
    """Read a prompt from the text of its file.

    Raises
    ------
    PromptError
        Naming the prompt and what is wrong with its text.
    """
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    header = re.fullmatch(r"version: *(.*)\npurpose: *(.*)", head)
    before, *blocks = re.split(r"^--- *(.*)\n?", body.strip("\n"), flags=re.MULTILINE)
    roles, texts = blocks[::2], [block.strip("\n") for block in blocks[1::2]]
    wrong_roles = [role for role in roles if role not in ROLES]
    problem = None
    if header is None:
        problem = "begins with the lines 'version: 1' and 'purpose: ...'"
    elif not re.fullmatch(r"[1-9]\d*", header[1]) or not header[2].strip():
        problem = "version is a whole number from 1, purpose a line"
    elif before.strip() or not blocks:
        problem = "after a blank line comes '--- system' or '--- user'"
    elif wrong_roles:
        problem = f"'--- {wrong_roles[0]}' is none of {', '.join(ROLES)}"
    elif not all(map(str.strip, texts)) or "system" in roles[1:] or roles[-1] != "user":
        problem = "no block is empty, system is first, user is last"
    elif not all(Template(block).is_valid() for block in texts):
        problem = "a '$' that begins no placeholder; write '$$'"
    if header is None or problem:
        raise PromptError(f"prompt {name}: {problem}")
    return Prompt(name, int(header[1]), header[2].strip(), tuple(map(Message, roles, texts)))


def quoted(text: str) -> str:
    """Fence a text that is data, so that it cannot be taken for part of the prompt.

    The fence is ``<<<`` and ``>>>`` on lines of their own. Inside, each run of three or more
    of these characters is broken by spaces (``>>>`` becomes ``> > >``), odd blanks become
    spaces and invisible characters are dropped, so that no text closes its fence.
    """
    visible = "".join(
        character if character in "\n\t" or character.isprintable() else " " * character.isspace()
        for character in text.replace("\r\n", "\n")
    )
    inside = re.sub(r"<{3,}|>{3,}", lambda run: " ".join(run.group()), visible)
    return f"<<<\n{inside}\n>>>"
