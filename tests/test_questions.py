"""The questions that people ask: each has one sentence, numbers from the results, and a way on."""

import re

import pytest

import findings
import questions
from chessgloss.report import Result
from scripts import PROJECT, refuses

TOML = PROJECT / "book/questions.toml"
EVERY = questions.read_questions(TOML)


def test_there_are_thirty_and_no_two_ask_the_same():
    assert len(EVERY) == 30
    assert len({each.ask for each in EVERY}) == 30
    assert len({each.asked for each in EVERY}) == 30


@pytest.mark.parametrize("each", EVERY, ids=lambda each: each.asked)
def test_an_answer_is_one_sentence_that_leads_on(each):
    assert each.ask.endswith("?")
    assert each.answer.endswith(".")
    words = re.sub(r"\]\([^)]*\)|`[^`]*`|href='[^']*'|llama\.cpp", "", each.answer)
    assert not re.search(r"[.!?] [A-Z]", words), "more than one sentence"
    for target in re.findall(r"\]\(([\w/]+\.(?:md|ipynb))", each.answer):
        assert (PROJECT / "book" / target).is_file()
    for claim in re.findall(r"#claim-([\w-]+)", each.answer):
        assert f'id="claim-{claim}"' in (PROJECT / "book/findings.md").read_text(
            "utf-8"
        )


def test_numbers_are_those_of_the_results():
    book = findings.Book.read(PROJECT, PROJECT / "book/results")
    page = (PROJECT / "book/questions.md").read_text("utf-8")
    share = book.result("05/voice.false.bare", "a test").value
    (line,) = (line for line in page.splitlines() if "CCC's prompt and" in line)
    assert f"and {100 * share:.0f} % with position and move alone" in line


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (Result(0.705, unit="share of comments"), "70 %"),
        (Result(0.0379, unit="accuracy"), "3.8 points"),
        (Result(89.9, unit=""), "90 %"),
        (Result(84.0, unit="players"), "84"),
        (Result(0.888, unit="rank correlation"), "0.89"),
        (Result(62.3, unit="centipawns"), "62"),
        (Result(None, unit="players", needs="a network"), "(needs a network)"),
    ],
)
def test_a_number_is_said_without_its_interval(result, words):
    assert questions.said(result) == words


def test_the_highest_concepts_are_named_together():
    found = {
        "02/table6.material.nnue": Result(0.9996),
        "02/table6.white_space.nnue": Result(1.0),
        "02/table6.pawns.nnue": Result(0.99),
    }
    assert questions.highest(found) == "Material and White Space (1.000)"


@pytest.mark.parametrize(
    ("answer", "figures", "words"),
    [
        ("[It](x.md) is {more}.", {}, r"names \['more'\], has \[\]"),
        ("[It](x.md) is.", {"more": "05/x"}, r"names \[\], has \['more'\]"),
        ("It is.", {}, "leads nowhere"),
    ],
)
def test_an_answer_that_lacks_something_is_refused(answer, figures, words):
    fields = {"group": "G", "ask": "Is it?", "asked": "it", "answer": answer}
    refuses(ValueError, words, questions.Question, **fields, figures=figures)
