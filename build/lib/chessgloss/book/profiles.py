"""Sizes of the chapters, from ``notebooks/profiles.toml``: one table a chapter.

``smoke`` is for continuous integration (seconds a chapter), ``book`` is what the committed
chapters show, ``paper`` is the documents' own scale. The same code runs in all three; only
these numbers differ.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

from chessgloss.store import find_project

PROFILES = ("smoke", "book", "paper")


class Sizes(SimpleNamespace):
    """One chapter's sizes as attributes, which cannot be changed."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"no size {name!r}; there are {', '.join(vars(self))}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"sizes are read from profiles.toml; {name!r} cannot be set")


def load_sizes(chapter: str, profile: str) -> Sizes:
    """Return the sizes of a chapter (``02_concept_vectors``) in a profile.

    Raises
    ------
    ValueError
        If there is no such profile or chapter, or a size has no value in the profile.
    """
    sizes = sizes_of(find_project(), chapter, profile)
    if not sizes:
        raise ValueError(f"notebooks/profiles.toml has no sizes of a chapter {chapter!r}")
    return Sizes(**sizes)


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
            raise ValueError(f"{path.name}: [{chapter}] {name} needs {', '.join(PROFILES)}")
        value = values[profile]
        sizes[name] = tuple(value) if isinstance(value, list) else value
    return sizes
