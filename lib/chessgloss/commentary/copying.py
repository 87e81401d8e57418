"""What a comment has copied from the worked examples in its prompt."""

from __future__ import annotations

import re

from chessgloss.prompts import load_prompt

#: A run of so many words in common counts as copied.
RUN = 6


def copies_examples(text: str, prompt: str, run: int = RUN) -> bool:
    """Return whether a text shares ``run`` words in a row with an example answer of a prompt.

    Case and punctuation do not count. A prompt without examples is never copied.
    """
    said = _runs(text, run)
    examples = (one.content for one in load_prompt(prompt).messages if one.role == "assistant")
    return any(said & _runs(example, run) for example in examples)


def _runs(text: str, run: int) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9']+", text.lower())
    return {tuple(words[at : at + run]) for at in range(len(words) - run + 1)}
