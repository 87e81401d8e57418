"""The pages that say what was found: every claim of the four documents with its verdict.

``findings.toml`` holds the claims, each with the results that decide it and a rule over them;
:func:`pages` makes from it and the chapters' results the page of all claims and the first page.
A rule sees the bounds of an interval, never the estimate alone, so that no verdict is earned by
a small sample.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import jinja2
from docutils.nodes import make_id
from jinja2.sandbox import SandboxedEnvironment

import front
import questions
from chessgloss.book import pictures
from chessgloss.report import Result
from drawings import diagram
from results import TEMPLATES, TITLES, Book, ResultsError, tables_in_a_word

#: Verdicts in words, by the name of the rule that gives each.
VERDICTS = {
    "holds": "holds here",
    "part": "holds in part",
    "fails": "does not hold here",
    "open": "cannot tell",
    "needs": "cannot be tested here",
}

#: What a verdict answers to the question on the first page.
ANSWERS = {
    "holds": "yes",
    "part": "in part",
    "fails": "no",
    "open": "cannot tell",
    "needs": "not tested",
}

#: Verdicts that decide, and how many of those that say most are shown first.
DECIDED = ("holds", "part", "fails")
TELLING = 10

#: Whose claims are tested: the documents', and one of our own.
DOCUMENTS = TITLES | {"book": "This book"}

#: Documents whose claims are of models that may know less than counting does: each needs a guard.
GUARDED = ("state_tracking",)

#: The generated pages; each has a template beside this file.
PAGES = (
    "findings.md",
    "index.md",
    "part_board.md",
    "part_explaining.md",
    "part_players.md",
    "questions.md",
)

#: What a rule asks of a result.
_ASKED = re.compile(r"(\w+)\((\w+)\)")

_RULES = SandboxedEnvironment(undefined=jinja2.StrictUndefined)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a document, our test of it, and the rules that decide.

    Parameters
    ----------
    id
        Its name, and its place on the page.
    document
        One of :data:`DOCUMENTS`.
    where
        Section or table that makes the claim.
    claim, test
        The claim, and our test of it, in words.
    chapter
        Number of the chapter that decides it, two digits.
    section
        Heading there; empty leads to the chapter as a whole.
    standin
        What our stand-in changes.
    figures
        Results by the name that the rules use: ``"02/table6.mean.nnue"``.
    guard
        What must be true before anything is concluded, as a rule: which of the numbers that are
        concluded from beat their baselines. Else the verdict is that one cannot tell.
    holds, part, fails
        Rules, see :func:`decide`; what cannot be shown here in full has no ``holds``.
    needs
        What a test would take that is nowhere here, instead of rules.
    front, question, answer
        Place on the first page, 1 to 6, the question that the verdict answers there, and what was
        found in a sentence, with names of figures in braces.
    """

    id: str
    document: str
    where: str
    claim: str
    test: str
    chapter: str
    section: str = ""
    standin: str = ""
    figures: Mapping[str, str] = field(default_factory=dict)
    guard: str = ""
    holds: str = ""
    part: str = ""
    fails: str = ""
    needs: str = ""
    front: int = 0
    question: str = ""
    answer: str = ""

    def __post_init__(self) -> None:
        if self.document not in DOCUMENTS:
            raise ResultsError(f"{self.id}: unknown document {self.document!r}")
        decided = bool(self.fails and (self.holds or self.part))
        if bool(self.needs) == decided:
            raise ResultsError(
                f"{self.id}: give `fails` and one of `holds` and `part`, or `needs`"
            )
        if self.document in GUARDED and decided and not self.guard:
            raise ResultsError(f"{self.id}: say in `guard` what beats its baseline")
        if len({bool(self.front), bool(self.question), bool(self.answer)}) > 1:
            raise ResultsError(
                f"{self.id}: `front`, `question` and `answer` go together"
            )

    @property
    def rules(self) -> dict[str, str]:
        """Its rules by name."""
        named = {"holds": self.holds, "part": self.part, "fails": self.fails}
        return {name: rule for name, rule in named.items() if rule}


# ---------------------------------------------------------------- rules


def evaluate(rule: str, figures: Mapping[str, Result], entry: str) -> bool:
    """Return whether a rule is true of results by name.

    A rule compares and adds up bounds of results, ``lower(name)`` and ``upper(name)``, the
    ``value(name)`` of those without an interval, and numbers.

    Raises
    ------
    ResultsError
        If the rule uses anything else, or asks a result for a bound or value it must not give.
    """
    at = f"{entry}: rule {rule!r}"
    asked = _ASKED.findall(rule)
    found = {
        each: _read(*each, figures, at) for each in asked
    }  # all, so that all is seen
    terms = {
        what: lambda name, what=what: found[what, name]
        for what in ("lower", "upper", "value")
    }
    try:
        holds = _RULES.compile_expression(rule, undefined_to_none=False)
        return bool(holds(terms, **{name: name for _, name in asked}))
    except (jinja2.TemplateError, TypeError, LookupError) as error:
        raise ResultsError(f"{at} is not allowed: {error}") from error


def answer(claim: Claim, words: Mapping[str, str]) -> str:
    """Return the finding in a sentence, with its numbers and their intervals.

    Parameters
    ----------
    claim
        It.
    words
        Its figures in words, by name; those that need what is not here are put in brackets.

    Raises
    ------
    ResultsError
        If the sentence names a figure that the claim has not.
    """
    said = {
        name: f"({each})" if each.startswith("needs ") else each
        for name, each in words.items()
    }
    try:
        return claim.answer.format_map(said)
    except (KeyError, ValueError) as error:
        raise ResultsError(f"{claim.id}: `answer` names no figure: {error}") from error


def _read(what: str, name: str, figures: Mapping[str, Result], at: str) -> float:
    if what not in ("lower", "upper", "value"):
        raise ResultsError(f"{at}: {what!r} is not lower, upper or value")
    if name not in figures:
        raise ResultsError(f"{at}: no figure {name!r}; there are {', '.join(figures)}")
    result = figures[name]
    if what == "value" and result.low is not None:
        raise ResultsError(
            f"{at}: {name!r} has an interval; ask for its lower or upper bound"
        )
    found = {"lower": result.low, "upper": result.high, "value": result.value}[what]
    if found is None:
        raise ResultsError(f"{at}: {name!r} has no {what}")
    return found


def lacking(claim: Claim, figures: Mapping[str, Result]) -> list[str]:
    """Return the absent things that a claim's test needs, each once; none if it is decided.

    A number that is shown beside and in no rule takes part in no verdict.
    """
    if claim.needs:
        return [claim.needs]
    named = re.findall(r"\((\w+)\)", " ".join([claim.guard, *claim.rules.values()]))
    absent = (figure for name, figure in figures.items() if name in named)
    return list(dict.fromkeys(each.needs for each in absent if each.value is None))


def decide(claim: Claim, figures: Mapping[str, Result]) -> str:
    """Return the name of a claim's verdict, a key of :data:`VERDICTS`.

    Where a number that its rules ask for is absent, that is ``needs``.

    Raises
    ------
    ResultsError
        If a rule is bad, or ``holds`` and ``fails`` are true together.
    """
    if lacking(claim, figures):
        return "needs"
    if claim.guard and not evaluate(claim.guard, figures, claim.id):
        return "open"
    true = {
        name for name, rule in claim.rules.items() if evaluate(rule, figures, claim.id)
    }
    if {"holds", "fails"} <= true:
        raise ResultsError(f"{claim.id}: `holds` and `fails` are true together")
    return next((name for name in ("holds", "fails", "part") if name in true), "open")


# ---------------------------------------------------------------- pages


def link(book: Book, claim: Claim) -> str:
    """Return the address of the section that decides a claim, from a page of the book.

    Raises
    ------
    ResultsError
        If there is no such chapter or section.
    """
    if claim.chapter not in book.names:
        raise ResultsError(f"{claim.id}: no chapter {claim.chapter!r}")
    if claim.section and claim.section not in book.headings[claim.chapter]:
        raise ResultsError(
            f"{claim.id}: chapter {claim.chapter} has no {claim.section!r}"
        )
    heading = claim.section.replace("'", "’")  # as smartquotes sets it
    place = f"#{make_id(heading)}" if heading else ""
    return f"executed/{book.names[claim.chapter]}.html{place}"


def read_claims(path: Path) -> tuple[dict[str, Any], list[Claim]]:
    """Read ``findings.toml``; return it as it is, and its claims.

    Raises
    ------
    ResultsError
        If the file is malformed, or a claim lacks a field, has one too many, or comes twice.
    """
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
        claims = [Claim(**table) for table in tables["claim"]]
    except (tomllib.TOMLDecodeError, TypeError, KeyError) as error:
        raise ResultsError(f"{path.name}: {error}") from error
    if twice := [
        name for name, n in Counter(claim.id for claim in claims).items() if n > 1
    ]:
        raise ResultsError(f"{path.name}: claims come twice: {', '.join(twice)}")
    places = sorted(claim.front for claim in claims if claim.front)
    if places != [*range(1, 7)]:
        raise ResultsError(
            f"{path.name}: the first page shows six claims, 1 to 6, not {places}"
        )
    known = {claim.id for claim in claims}
    if unknown := [name for name in tables["telling"] if name not in known]:
        raise ResultsError(f"{path.name}: `telling` has no claim {unknown[0]!r}")
    return tables, claims


def pages(project: Path, folder: Path) -> dict[str, str]:
    """Return the generated pages by file name, as MyST Markdown.

    Parameters
    ----------
    project
        Folder of the book; its text, list of claims and headings are read.
    folder
        Folder of the chapters' results.

    Raises
    ------
    ResultsError
        If a result that a claim names is missing, or an entry is wrong.
    """
    tables, claims = read_claims(project / "book/findings.toml")
    book = Book.read(project, folder)
    by_id = {claim.id: claim for claim in claims}
    try:
        models = tables["figure"]["models"]
        figure = pictures.experiment(book.results["05"], *models).html
    except ValueError as error:
        figure = f"<p>Not drawn: {escape(str(error))}.</p>"
    cards = {claim.id: _card(claim, book) for claim in claims}
    decided = [each for each in tables["telling"] if cards[each]["verdicts"] in DECIDED]
    environment = TEMPLATES.overlay(
        loader=jinja2.FileSystemLoader(project / "book"), autoescape=True
    )
    given = {
        "titles": DOCUMENTS,
        "claims": claims,
        "front": sorted(
            (claim for claim in claims if claim.front), key=lambda each: each.front
        ),
        "names": VERDICTS,
        "short": ANSWERS,
        "cell": book.cell,
        "counts": {
            document: Counter(
                cards[claim.id]["verdicts"]
                for claim in claims
                if claim.document == document
            )
            for document in DOCUMENTS
        },
        "questions": questions.answers(
            project / "book/questions.toml",
            book.result,
            book.keys(),
            {name: ANSWERS[card["verdicts"]] for name, card in cards.items()},
        ),
        "tables": tables_in_a_word(project, book),
        "decided": sum(1 for claim in claims if claim.rules),
        "telling": [by_id[name] for name in decided[:TELLING]],
        "figure": figure,
        "bars": front.figures(tables["bars"], book),
        "vote": front.vote(**tables["vote"]),
        "diagram": diagram(book.names),
        **front.numbers(book),
    }
    for name in cards[claims[0].id]:
        given[name] = {claim: card[name] for claim, card in cards.items()}
    return {
        name: environment.get_template(f"{name}.j2").render(given).rstrip() + "\n"
        for name in PAGES
    }


def _card(claim: Claim, book: Book) -> dict[str, Any]:
    """Return the values of a claim that the pages show, by the names that the templates use."""
    figures = {name: book.result(key, claim.id) for name, key in claim.figures.items()}
    words = {name: book.words(key, claim.id) for name, key in claim.figures.items()}
    verdict = decide(claim, figures)
    committed = "needs"
    if verdict == "needs" and not claim.needs:
        kept = book.as_committed()
        known = {
            name: kept.result(key, claim.id) for name, key in claim.figures.items()
        }
        committed = decide(claim, known)
    return {
        "figures": figures,
        "words": words,
        "verdicts": verdict,
        "committed": committed,
        "answers": answer(claim, words),
        "needs": " and ".join(lacking(claim, figures)),
        "links": link(book, claim),
    }
