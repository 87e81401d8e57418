"""The questions that people ask of the book, answered in a sentence each: ``book/questions.toml``.

The numbers come from the chapters' results, the verdicts from the rules of ``book/findings.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from chessgloss.predicates.words import listed
from chessgloss.report import Result


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its answer.

    Parameters
    ----------
    group
        The heading that it stands under.
    ask, asked
        The question, and how people put it into a search field.
    answer
        One sentence, in Markdown, with a link; names of figures in braces.
    claim
        The claim of ``findings.toml`` whose verdict stands in front, if any.
    figures
        Results by name: ``"05/voice.false.ccc"``.
    best
        Results of concepts, of which ``{best}`` names the highest: ``"02/table6.*.nnue"``.
    """

    group: str
    ask: str
    asked: str
    answer: str
    claim: str = ""
    figures: Mapping[str, str] = field(default_factory=dict)
    best: str = ""

    def __post_init__(self) -> None:
        named = {*re.findall(r"\{(\w+)\}", self.answer)}
        given = {*self.figures} | ({"best"} if self.best else set())
        if named != given:
            raise ValueError(f"{self.ask}: names {sorted(named)}, has {sorted(given)}")
        if "](" not in self.answer and "href=" not in self.answer:
            raise ValueError(f"{self.ask}: the answer leads nowhere")


def read_questions(path: Path) -> list[Question]:
    """Read the questions, in their order."""
    rows = tomllib.loads(path.read_text("utf-8"))["question"]
    return [Question(**row) for row in rows]


def answers(
    path: Path,
    result: Callable[[str, str], Result],
    keys: Iterable[str],
    verdicts: Mapping[str, str],
) -> dict[str, list[tuple[str, str]]]:
    """Return the questions with their answers, by group.

    Parameters
    ----------
    path
        The file of questions.
    result
        Returns the result at an address; the second argument is who asks.
    keys
        Addresses of all results.
    verdicts
        The short verdict on each claim, by its id.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for each in read_questions(path):
        words = dict[str, str]()
        for name, key in each.figures.items():
            words[name] = said(result(key, each.ask))
        if each.best:
            fitting = [key for key in keys if fnmatchcase(key, each.best)]
            words["best"] = highest({key: result(key, each.ask) for key in fitting})
        line = each.answer.format(**words)
        if each.claim:
            verdict = verdicts[each.claim].capitalize()
            line = f"{verdict}. {line}"
        found.setdefault(each.group, []).append((each.ask, line))
    return found


def said(result: Result) -> str:
    """Return a result as running text has it: without its interval."""
    value = result.value
    unit = result.unit
    if value is None:
        return f"(needs {result.needs})"
    if unit.startswith(("share", "precision")):
        return f"{100 * value:.0f} %"
    if unit == "accuracy":
        return f"{100 * value:.1f} points"
    if unit in ("%", ""):
        return f"{value:.0f} %"
    if abs(value) < 2:
        return f"{value:.2f}"
    return f"{value:,.0f}"


def highest(results: Mapping[str, Result]) -> str:
    """Return the concepts whose results are highest, to three digits, with the value."""
    values = dict[str, float]()
    for key, each in sorted(results.items()):
        if each.value is not None:
            values[_concept(key)] = round(each.value, 3)
    if not values:
        return said(next(iter(results.values())))
    most = max(values.values())
    names = [name for name, value in values.items() if value == most]
    return f"{listed(names)} ({most:.3f})"


def _concept(key: str) -> str:
    """Return the name of a concept from the key of its result."""
    name = key.split(".")[-2].replace("_", " ")
    if name.startswith(("white ", "black ")):
        return name.title()
    return name.capitalize()
