"""Small grammar: verb forms, sentences, words, and choices that a seed repeats."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Literal

Form = Literal["finite", "participle"]

_VERB = re.compile(r"\[([^|\]]+)\|([^\]]+)\]")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def inflect(text: str, form: Form) -> str:
    """Return the text with each verb written ``[takes|taking]`` in the form wanted."""
    return _VERB.sub(r"\1" if form == "finite" else r"\2", text)


def number_word(number: int) -> str:
    """Return ``number`` in letters up to ten, in digits above."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def sentence(clause: str) -> str:
    """Return a clause as a sentence: a capital first, a full stop last."""
    return f"{clause[0].upper()}{clause[1:]}."


def may_open(clause: str) -> bool:
    """Tell whether a clause may open a sentence: a pawn move such as ``exd5`` may not.

    Written with a capital it would be no move, or another.
    """
    return re.match(r"[a-h][1-8x]", clause) is None


def count_words(text: str) -> int:
    """Return the number of words, split at white space."""
    return len(text.split())


def opening(clause: str) -> str:
    """Return the first two words of a clause, in lower case: what makes prose sound alike."""
    return " ".join(clause.lower().split()[:2])


def shuffled(options: Iterable[str], key: str) -> list[str]:
    """Return the options in an order that depends on them and on ``key`` alone."""
    return sorted(options, key=lambda option: _digest(f"{key}|{option}"))


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
