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
from importlib.resources.abc import Traversable
from string import Template

from chessgloss.llm import ROLES, Message

#: What stands before and after text that is shown to a model to be judged.
OPENING, CLOSING = "<<<", ">>>"


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
        templates = (Template(message.content) for message in self.messages)
        return frozenset(name for one in templates for name in one.get_identifiers())

    def fill(self, **values: object) -> tuple[Message, ...]:
        """Return the messages with each placeholder replaced; values are not read again.

        Text that comes from people or models goes through :func:`quoted` first.

        Raises
        ------
        PromptError
            If a placeholder is given no value, or a value has no placeholder.
        """
        lacking, idle = self.placeholders - set(values), set(values) - self.placeholders
        if lacking or idle:
            parts = [f"no value for ${name}" for name in sorted(lacking)]
            parts += [f"no placeholder ${name}" for name in sorted(idle)]
            raise PromptError(f"prompt {self.label}: {', '.join(parts)}")
        return tuple(
            Message(one.role, Template(one.content).substitute(values)) for one in self.messages
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
    return read_prompt(name, (_folder() / f"{name}.txt").read_text(encoding="utf-8"))


def list_prompts() -> tuple[str, ...]:
    """Return the names of all prompts, sorted."""
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".txt") for name in names if name.endswith(".txt")))


def read_prompt(name: str, text: str) -> Prompt:
    """Read a prompt from the text of its file.

    Raises
    ------
    PromptError
        Naming the prompt and what is wrong with its text.
    """
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    header = _header(name, head)
    messages = _messages(name, body)
    try:
        valid = all(Template(message.content).is_valid() for message in messages)
    except ValueError:
        valid = False
    if not valid:
        raise PromptError(f"prompt {name}: a '$' that begins no placeholder; write '$$'")
    return Prompt(name, int(header["version"]), header["purpose"], messages)


def quoted(text: str) -> str:
    """Fence a text that is data, so that it cannot be taken for part of the prompt.

    The fence is ``<<<`` and ``>>>`` on lines of their own. Inside, each run of three or more
    of these characters is broken by spaces (``>>>`` becomes ``> > >``), odd blanks become
    spaces and invisible characters are dropped, so that no text closes its fence.
    """
    plain = "".join(map(_visible, text.replace("\r\n", "\n")))
    tame = re.sub(r"<{3,}|>{3,}", lambda run: " ".join(run.group()), plain)
    return f"{OPENING}\n{tame}\n{CLOSING}"


def _visible(character: str) -> str:
    if character in "\n\t" or character.isprintable():
        return character
    return " " if character.isspace() else ""


def _folder() -> Traversable:
    return files(__name__)


def _header(name: str, head: str) -> dict[str, str]:
    pairs = [line.partition(":") for line in head.splitlines()]
    header = {key.strip(): value.strip() for key, colon, value in pairs if colon}
    if len(header) != len(pairs) or set(header) != {"version", "purpose"}:
        raise PromptError(f"prompt {name}: begins with the lines 'version: 1' and 'purpose: ...'")
    if not re.fullmatch(r"[1-9]\d*", header["version"]) or not header["purpose"]:
        raise PromptError(f"prompt {name}: version is a whole number from 1, purpose a line")
    return header


def _messages(name: str, body: str) -> tuple[Message, ...]:
    first, *blocks = re.split(r"^--- *(.*)\n?", body.strip("\n"), flags=re.MULTILINE)
    if first.strip() or not blocks:
        raise PromptError(f"prompt {name}: after a blank line comes '--- system' or '--- user'")
    roles, texts = blocks[::2], [text.strip("\n") for text in blocks[1::2]]
    wrong = [role for role in roles if role not in ROLES]
    if wrong:
        raise PromptError(f"prompt {name}: '--- {wrong[0]}' is none of {', '.join(ROLES)}")
    empty = [role for role, text in zip(roles, texts, strict=True) if not text.strip()]
    if empty or "system" in roles[1:] or roles[-1] != "user":
        raise PromptError(f"prompt {name}: no block is empty, system is first, user is last")
    return tuple(map(Message, roles, texts))
