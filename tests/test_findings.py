"""The pages of findings: rules, verdicts, what an entry must have, links, the first page."""

import json
import re

import pytest
from bs4 import BeautifulSoup

import findings
from chessgloss.report import Result
from drawings import chart
from findings import Book, Claim, FindingsError, decide, evaluate
from scripts import PROJECT, refuses

TOML = PROJECT / "book/findings.toml"
FEW = Result(0.7, 0.35, 0.93, 10)
MANY = Result(0.7, 0.66, 0.74, 500)


def claim(**fields):
    given = {
        "id": "tiny",
        "document": "rubric",
        "where": "here",
        "claim": "More than half.",
        "test": "We count.",
        "chapter": "02",
        "section": "Table 6",
        "figures": {"share": "02/table6.share"},
        "holds": "lower(share) > 0.5",
        "part": "lower(share) > 0.3 and upper(share) < 0.6",
        "fails": "upper(share) < 0.5",
    }
    return Claim(**{**given, **fields})


@pytest.fixture(scope="module")
def written():
    return findings.pages(PROJECT, PROJECT / "book/results")


def soup_of(page: str) -> BeautifulSoup:
    return BeautifulSoup(
        "".join(re.findall(r"```\{raw\} html\n(.*?)```", page, re.S)), "lxml"
    )


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (MANY, "holds"),
        (FEW, "open"),
        (Result(0.45, 0.4, 0.55, 300), "part"),
        (Result(0.2, 0.1, 0.3, 300), "fails"),
    ],
)
def test_each_verdict_is_reached_and_few_cases_decide_nothing(share, expected):
    assert decide(claim(), {"share": share}) == expected


def test_a_rule_computes():
    figures = {"a": Result(2, 1, 3), "b": Result(5)}
    assert evaluate(
        "2 * value(b) - upper(a) == 7 and not lower(a) > 1", figures, "tiny"
    )
    assert not evaluate("-lower(a) > 0 or value(b) != 5", figures, "tiny")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("lower(share", "bad rule"),
        ("__import__('os')", "not allowed"),
        ("share.low > 1", "not allowed"),
        ("open(share)", "'open' is not lower, upper or value"),
        ("lower(other) > 0", "no figure 'other'"),
        ("value(share) > 0.5", "'share' has an interval"),
        ("True", "not allowed"),
        ("0 < lower(share) < 1", "not allowed"),
        ("lower(share) > 0.5 or lower(other) > 0", "no figure 'other'"),
    ],
)
def test_a_bad_rule_is_refused_and_its_entry_named(rule, words):
    with pytest.raises(FindingsError, match=f"^tiny: .*{re.escape(words)}"):
        decide(claim(holds=rule), {"share": MANY})


def test_a_claim_has_rules_that_can_decide_or_says_what_it_needs():
    assert decide(claim(needs="people", holds="", part="", fails=""), {}) == "needs"
    refuses(
        FindingsError,
        "tiny: give `holds` and `fails`, or `needs`",
        claim,
        needs="people",
    )
    refuses(
        FindingsError, "'share' has no lower", decide, claim(), {"share": Result(0.9)}
    )
    with pytest.raises(FindingsError, match="true together"):
        decide(claim(fails="upper(share) < 1"), {"share": MANY})


# ---------------------------------------------------------------- entries


def test_a_missing_key_chapter_or_section_is_named():
    book = Book({"02": "02_concepts"}, {"02": {}}, {"02": ["Table 6"]})
    with pytest.raises(FindingsError, match=r"tiny: no result '02/table6\.share'"):
        book.result("02/table6.share", "tiny")
    assert book.link(claim()) == "executed/02_concepts.html#table-6"
    assert book.link(claim(section="")) == "executed/02_concepts.html"
    refuses(
        FindingsError,
        "tiny: chapter 02 has no 'Table 7'",
        book.link,
        claim(section="Table 7"),
    )
    refuses(FindingsError, "tiny: no chapter '77'", book.link, claim(chapter="77"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('id = "concepts"', 'id = "expert"', "come twice: expert"),
        ("front = 6", "front = 5", "six claims"),
        ('test = "', 'tset = "', "tset"),
        ("[[claim]]", "[[claim", r"findings\.toml"),
    ],
)
def test_a_bad_list_of_claims_is_refused(tmp_path, old, new, words):
    path = tmp_path / "findings.toml"
    path.write_text(TOML.read_text("utf-8").replace(old, new, 1), "utf-8")
    refuses(FindingsError, words, findings.read_claims, path)


def test_a_contradiction_that_is_none_is_refused():
    entry = {
        "document": "ccc",
        "where": "Table 7",
        "says": "Nothing.",
        "check": "value(share) > 1",
        "printed": {"share": "ccc/table7/GPT-4o/LLM"},
    }
    read = findings.contradictions
    given = {"contradiction": [entry]}
    refuses(FindingsError, "ccc, Table 7: no contradiction", read, given)
    entry["printed"] = {"share": "ccc/table7/GPT-5/LLM"}
    refuses(FindingsError, "no printed value 'ccc/table7/GPT-5/LLM'", read, given)


# ---------------------------------------------------------------- pages


def test_committed_pages_are_what_the_inputs_give(written):
    assert {
        name: (PROJECT / "book" / name).read_text("utf-8") for name in written
    } == written


def test_the_first_page_shows_six_findings_two_pictures_and_a_coloured_comment(written):
    cards = soup_of(written["findings.md"])
    shown = soup_of(written["index.md"]).select(".front-finding")
    assert len(shown) == 6
    for finding in shown:
        card = cards.find(id=finding["href"].removeprefix("findings.html#"))
        assert (
            card.select_one(".verdict").get_text()
            == finding.select_one(".verdict").get_text()
        )
        assert finding.select_one(".front-figure b").get_text()
    soup = soup_of(written["index.md"])
    assert [len(svg["aria-label"]) > 100 for svg in soup.select("svg.drawn")] == [
        True,
        True,
    ]
    comments = json.loads(soup.find("script", id="data").string)["games"][0]["nodes"][
        1
    ]["comments"]
    marks = {part[1] for _, _, parts, _ in comments for part in parts if len(part) > 1}
    assert {"true", "false"} <= marks, "no claim to colour"


def test_text_is_escaped_and_a_bar_needs_an_interval(tmp_path, written):
    assert not re.search(r"<code>[^<]*[<>][^/]", written["findings.md"])
    book = tmp_path / "book"
    book.mkdir()
    for name in findings.PAGES:
        (book / f"{name}.j2").write_text(
            (PROJECT / f"book/{name}.j2").read_text("utf-8")
        )
    head = 'where = "4.2"\nclaim = "'
    (book / "findings.toml").write_text(
        TOML.read_text("utf-8").replace(head, f"{head}<i>", 1)
    )
    (tmp_path / "notebooks").symlink_to(PROJECT / "notebooks")
    page = findings.pages(tmp_path, PROJECT / "book/results")["findings.md"]
    assert "&lt;i&gt;" in page and "<i>" not in page
    assert "a &lt; b" in chart("a < b", "share", {"bar": MANY})
    refuses(
        ValueError,
        "'bar' has no interval",
        chart,
        "title",
        "share",
        {"bar": Result(0.5)},
    )
