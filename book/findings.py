"""The pages that say what was found: every claim of the four documents with its verdict.

``findings.toml`` holds the claims, each with the results that decide it and a rule over them;
:func:`pages` makes from it and the chapters' results the page of all claims and the first page.
A rule sees the bounds of an interval, never the estimate alone, so that no verdict is earned by
a small sample.
"""

from __future__ import annotations

import ast
import operator
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jinja2
from docutils.nodes import make_id

from chessgloss.book import pictures
from chessgloss.report import Result, in_words
from drawings import diagram
from reproduce import TITLES, ResultsError, place_of, read_places, read_results

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

#: Whose claims are tested: the documents', and one of our own.
DOCUMENTS = TITLES | {"book": "This book"}

#: Documents whose claims are of models that may know less than counting does: each needs a guard.
GUARDED = ("state_tracking",)

#: The generated pages; each has a template beside this file.
PAGES = ("findings.md", "index.md")

_OPERATORS: Mapping[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}


class FindingsError(ValueError):
    """A claim, a rule or a result that does not fit; the message names the entry."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a document, what we did to test it, and the rules that decide.

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
            raise FindingsError(f"{self.id}: unknown document {self.document!r}")
        decided = bool(self.fails and (self.holds or self.part))
        if bool(self.needs) == decided:
            raise FindingsError(
                f"{self.id}: give `fails` and one of `holds` and `part`, or `needs`"
            )
        if self.document in GUARDED and decided and not self.guard:
            raise FindingsError(f"{self.id}: say in `guard` what beats its baseline")
        if len({bool(self.front), bool(self.question), bool(self.answer)}) > 1:
            raise FindingsError(
                f"{self.id}: `front`, `question` and `answer` go together"
            )

    @property
    def rules(self) -> dict[str, str]:
        """Its rules by name."""
        named = {"holds": self.holds, "part": self.part, "fails": self.fails}
        return {name: rule for name, rule in named.items() if rule}


# ---------------------------------------------------------------- rules


def evaluate(rule: str, figures: Mapping[str, Result], entry: str) -> Any:
    """Return what a rule gives for results by name.

    Raises
    ------
    FindingsError
        If the rule uses anything but bounds, values, numbers, ``+ - *``, comparisons,
        ``and``, ``or`` and ``not``, or asks a result for a bound or value it must not give.
    """
    try:
        tree = ast.parse(rule, mode="eval").body
    except SyntaxError as error:
        raise FindingsError(f"{entry}: bad rule {rule!r}: {error.msg}") from error
    return _evaluate(tree, figures, f"{entry}: rule {rule!r}")


def _evaluate(node: ast.expr, figures: Mapping[str, Result], at: str) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(
            number, bool
        ):
            return number
        case ast.BoolOp(op=op, values=values):
            parts = [
                _evaluate(value, figures, at) for value in values
            ]  # all, so that all is seen
            return all(parts) if isinstance(op, ast.And) else any(parts)
        case ast.UnaryOp(op=ast.USub() | ast.Not() as sign, operand=operand):
            return _OPERATORS[type(sign)](_evaluate(operand, figures, at))
        case ast.BinOp(
            left=left, op=ast.Add() | ast.Sub() | ast.Mult() as sum_, right=right
        ):
            pair = _evaluate(left, figures, at), _evaluate(right, figures, at)
            return _OPERATORS[type(sum_)](*pair)
        case ast.Compare(left=left, ops=[compared], comparators=[right]) if (
            type(compared) in _OPERATORS
        ):
            pair = _evaluate(left, figures, at), _evaluate(right, figures, at)
            return _OPERATORS[type(compared)](*pair)
        case ast.Call(func=ast.Name(id=what), args=[ast.Name(id=name)], keywords=[]):
            return _read(what, name, figures, at)
    raise FindingsError(f"{at}: {ast.unparse(node)!r} is not allowed")


def answer(claim: Claim, words: Mapping[str, str]) -> str:
    """Return what was found, in a sentence with its numbers and their intervals.

    Parameters
    ----------
    claim
        It.
    words
        Its figures in words, by name; those that need what is not here are put in brackets.

    Raises
    ------
    FindingsError
        If the sentence names a figure that the claim has not.
    """
    said = {
        name: f"({each})" if each.startswith("needs ") else each
        for name, each in words.items()
    }
    try:
        return claim.answer.format_map(said)
    except (KeyError, ValueError) as error:
        raise FindingsError(f"{claim.id}: `answer` names no figure: {error}") from error


def _read(what: str, name: str, figures: Mapping[str, Result], at: str) -> float:
    if what not in ("lower", "upper", "value"):
        raise FindingsError(f"{at}: {what!r} is not lower, upper or value")
    if name not in figures:
        raise FindingsError(f"{at}: no figure {name!r}; there are {', '.join(figures)}")
    result = figures[name]
    if what == "value" and result.low is not None:
        raise FindingsError(
            f"{at}: {name!r} has an interval; ask for its lower or upper bound"
        )
    found = {"lower": result.low, "upper": result.high, "value": result.value}[what]
    if found is None:
        raise FindingsError(f"{at}: {name!r} has no {what}")
    return found


def lacking(claim: Claim, figures: Mapping[str, Result]) -> list[str]:
    """Return what a claim's test needs and what is not here, each once; nothing if it is decided.

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
    FindingsError
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
        raise FindingsError(f"{claim.id}: `holds` and `fails` are true together")
    return next((name for name in ("holds", "fails", "part") if name in true), "open")


# ---------------------------------------------------------------- what is read


@dataclass(frozen=True, slots=True)
class Book:
    """Of all chapters, by number: names, results, headings, and where results are computed.

    ``committed`` are the results of the project, which ``results`` may be too.
    """

    names: Mapping[str, str]
    results: Mapping[str, Mapping[str, Result]]
    committed: Mapping[str, Mapping[str, Result]]
    headings: Mapping[str, Sequence[str]]
    places: Mapping[str, Mapping[str, tuple[int, int]]]

    @classmethod
    def read(cls, project: Path, results: Path) -> Book:
        """Read the chapters listed in the project, and their results in a folder."""
        chapters = tomllib.loads(
            (project / "notebooks/chapters.toml").read_text("utf-8")
        )
        names = {name[:2]: name for name in chapters}
        headings = {}
        for number, name in names.items():
            lines = (project / f"notebooks/{name}.py").read_text("utf-8").splitlines()
            headings[number] = [
                line.split("# ", 2)[-1] for line in lines if line[:4] == "# ##"
            ]
        written, committed = (
            {
                n: read_results(folder / f"{name}.json") or {}
                for n, name in names.items()
            }
            for folder in (results, project / "book/results")
        )
        places = {
            n: read_places(project / f"notebooks/{name}.py")
            for n, name in names.items()
        }
        return cls(names, written, committed, headings, places)

    def result(self, address: str, entry: str) -> Result:
        """Return the result at ``chapter/key``."""
        number, _, key = address.partition("/")
        try:
            return self.results[number][key]
        except KeyError:
            raise FindingsError(
                f"{entry}: no result {address!r} in book/results"
            ) from None

    def words(self, address: str, entry: str) -> str:
        """Return the result at ``chapter/key`` in words; if it is absent, the committed one too."""
        number, _, key = address.partition("/")
        committed = self.committed.get(number, {}).get(key)
        return in_words(self.result(address, entry), committed)

    def committed_figures(self, claim: Claim) -> dict[str, Result]:
        """Return a claim's figures as the project has them."""
        book = replace(self, results=self.committed)
        return {name: book.result(key, claim.id) for name, key in claim.figures.items()}

    def cell(self, address: str) -> str:
        """Return the address of the cell that computes the result at ``chapter/key``."""
        number, _, key = address.partition("/")
        place = place_of(key, self.places[number])
        anchor = f"#cell-{place[0]}" if place else ""
        return f"executed/{self.names[number]}.html{anchor}"

    def link(self, claim: Claim) -> str:
        """Return the address of the section that decides a claim, from a page of the book."""
        if claim.chapter not in self.names:
            raise FindingsError(f"{claim.id}: no chapter {claim.chapter!r}")
        if claim.section and claim.section not in self.headings[claim.chapter]:
            raise FindingsError(
                f"{claim.id}: chapter {claim.chapter} has no {claim.section!r}"
            )
        heading = claim.section.replace("'", "’")  # as smartquotes sets it
        place = f"#{make_id(heading)}" if heading else ""
        return f"executed/{self.names[claim.chapter]}.html{place}"


def read_claims(path: Path) -> tuple[dict[str, Any], list[Claim]]:
    """Read ``findings.toml``; return it as it is, and its claims.

    Raises
    ------
    FindingsError
        If the file is malformed, or a claim lacks a field, has one too many, or comes twice.
    """
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
        claims = [Claim(**table) for table in tables["claim"]]
    except (tomllib.TOMLDecodeError, TypeError, KeyError) as error:
        raise FindingsError(f"{path.name}: {error}") from error
    if twice := [
        name for name, n in Counter(claim.id for claim in claims).items() if n > 1
    ]:
        raise FindingsError(f"{path.name}: claims come twice: {', '.join(twice)}")
    places = sorted(claim.front for claim in claims if claim.front)
    if places != [*range(1, 7)]:
        raise FindingsError(
            f"{path.name}: the first page shows six claims, 1 to 6, not {places}"
        )
    return tables, claims


# ---------------------------------------------------------------- pages


def example(tables: Mapping[str, Any]) -> str:
    """Return the HTML of a board that plays, with a comment on its move, every claim coloured."""
    from explorer import show_one

    told = tables["example"]
    return show_one(told["briefing"], told["source"], told["methods"])


def pages(project: Path, results: Path) -> dict[str, str]:
    """Return the generated pages by file name, as MyST Markdown.

    Parameters
    ----------
    project
        Folder of the book; its text, list of claims and headings are read.
    results
        Folder of the chapters' results.

    Raises
    ------
    FindingsError
        If a result that a claim names is missing, or an entry is wrong.
    """
    tables, claims = read_claims(project / "book/findings.toml")
    try:
        book = Book.read(project, results)
    except ResultsError as error:
        raise FindingsError(str(error)) from error
    figures, words = (
        {
            claim.id: {name: read(key, claim.id) for name, key in claim.figures.items()}
            for claim in claims
        }
        for read in (book.result, book.words)
    )
    verdicts = {claim.id: decide(claim, figures[claim.id]) for claim in claims}
    committed = {
        claim.id: decide(claim, book.committed_figures(claim))
        for claim in claims
        if verdicts[claim.id] == "needs" and not claim.needs
    }
    try:
        figure = pictures.experiment(book.results["05"], *tables["figure"]["models"])
    except ValueError as error:
        raise FindingsError(f"figure: {error}") from error
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(project / "book"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    given = {
        "titles": DOCUMENTS,
        "claims": claims,
        "front": sorted(
            (claim for claim in claims if claim.front), key=lambda each: each.front
        ),
        "figures": figures,
        "verdicts": verdicts,
        "names": VERDICTS,
        "short": ANSWERS,
        "answers": {claim.id: answer(claim, words[claim.id]) for claim in claims},
        "words": words,
        "committed": committed,
        "needs": {
            claim.id: " and ".join(lacking(claim, figures[claim.id]))
            for claim in claims
        },
        "links": {claim.id: book.link(claim) for claim in claims},
        "cell": book.cell,
        "counts": {
            document: Counter(verdicts[c.id] for c in claims if c.document == document)
            for document in DOCUMENTS
        },
        "decided": sum(1 for claim in claims if claim.rules),
        "figure": figure.html,
        "diagram": diagram(book.names),
        "example": example(tables),
    }
    return {
        name: environment.get_template(f"{name}.j2").render(given).rstrip() + "\n"
        for name in PAGES
    }
