"""Sizes of the chapters, from ``notebooks/profiles.toml``: one table a chapter.

``smoke`` is for continuous integration (seconds a chapter), ``book`` is what the committed
chapters show, ``paper`` is the documents' own scale. The same code runs in all three; only
these numbers differ.
"""

from __future__ import annotations

import tomllib
from collections import namedtuple
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chessgloss.store import find_project

PROFILES = ("smoke", "book", "paper")


def load_sizes(chapter: str, profile: str) -> Any:
    """Return the sizes of a chapter (``02_concept_vectors``) in a profile: a named tuple.

    Raises
    ------
    ValueError
        If there is no such profile or chapter, or a size has no value in the profile.
    """
    sizes = sizes_of(find_project(), chapter, profile)
    if not sizes:
        raise ValueError(
            f"notebooks/profiles.toml has no sizes of a chapter {chapter!r}"
        )
    return namedtuple("Sizes", sizes)(**sizes)


def sizes_of(project: Path, chapter: str, profile: str) -> dict[str, Any]:
    """Return a chapter's sizes by name, lists as tuples; nothing if the chapter has none.

    Raises
    ------
    ValueError
        If there is no such profile, or a size has no value in it.
    """
    if profile not in PROFILES:
        raise ValueError(f"no profile {profile!r}; choose one of {', '.join(PROFILES)}")
    path = project / "notebooks" / "profiles.toml"
    tables = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    sizes = {}
    for name, values in tables.get(chapter, {}).items():
        if set(values) != set(PROFILES):
            raise ValueError(
                f"{path.name}: [{chapter}] {name} needs {', '.join(PROFILES)}"
            )
        value = values[profile]
        sizes[name] = tuple(value) if isinstance(value, list) else value
    return sizes


def listed(parameter: str | Sequence[str]) -> tuple[str, ...]:
    """Return a chapter's parameter that is a list; a string is one item.

    So ``papermill -p asked "Why not Qxe6+?"`` asks one question.
    """
    return (parameter,) if isinstance(parameter, str) else tuple(parameter)
