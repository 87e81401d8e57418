"""Sizes of the three profiles, a module for each chapter.

``smoke`` is for continuous integration (seconds a chapter), ``book`` is what the
committed chapters show, ``paper`` is the documents' own scale. The same code runs in all;
only these numbers differ. A chapter imports its own module, so that a change of one
chapter's sizes leaves the others fresh.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Sizes = TypeVar("Sizes")


def choose(profile: str, sizes: Mapping[str, Sizes]) -> Sizes:
    """Return the sizes of a profile.

    Raises
    ------
    ValueError
        If there is no such profile; the message lists those there are.
    """
    if profile not in sizes:
        raise ValueError(f"no profile {profile!r}; choose one of {', '.join(sizes)}")
    return sizes[profile]
