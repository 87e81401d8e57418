"""The pages as a stranger's `make reproduce` writes them, where some or all assets are absent."""

import dataclasses
import json
import re

import pytest
from bs4 import BeautifulSoup

import findings
import front
import results
from chapters import committed_run, read_chapters
from chessgloss.assets import REGISTRY, AssetMissing
from chessgloss.report import Result, in_words
from scripts import PROJECT, load_script

dodo = load_script("../dodo.py")
COMMITTED = PROJECT / "book/results"
ENTRIES = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in sorted(COMMITTED.glob("*.json"))
}
#: The committed results by chapter and key.
KEPT = {
    (chapter, key): Result(**entry)
    for chapter, entries in ENTRIES.items()
    for key, entry in entries.items()
}
#: What results need and not every reader has, a word of it; a network is what lc0's engine reads.
ASSETS = (
    "a Leela network",
    "a clone of the",
    "people's games",
    "ratings by people",
    "recorded answers",
)
ALL = ("all of these", "a Leela network", "people's games", "a clone of the")


def lacks(result: Result, asset: str) -> bool:
    """Whether a result needs an asset that is absent."""
    wanted = ASSETS if asset == ALL[0] else (asset,)
    return any(each in result.needs for each in wanted)


@pytest.fixture(scope="module", params=ALL)
def stranger(request, tmp_path_factory):
    """An absent asset, and the folder of the results of a reader who lacks it."""
    folder = tmp_path_factory.mktemp("results")
    for chapter, entries in ENTRIES.items():
        made = {
            key: {**entry, "value": None, "low": None, "high": None}
            if lacks(KEPT[chapter, key], request.param)
            else entry
            for key, entry in entries.items()
        }
        (folder / f"{chapter}.json").write_text(json.dumps(made), "utf-8")
    return request.param, folder


def claims_of(folder):
    """Return the pages of claims from a folder of results; the vote is not of results."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(front, "vote", lambda move, model: "<p>A vote.</p>")
        return findings.pages(PROJECT, folder)


@pytest.fixture(scope="module")
def as_committed():
    """The committed claims by the address of their card."""
    page = claims_of(COMMITTED)["findings.md"]
    return {card["id"]: card for card in cards(page, ".finding[id]")}


@pytest.fixture(scope="module")
def pages(stranger):
    """What the stranger's results give: the generated pages by name."""
    _, folder = stranger
    overview = folder / "reproduce.md"
    dodo.write_overview(folder, overview)
    rows = results.compare(COMMITTED, folder, ())
    report = results.page(
        rows,
        notebooks="0 of 16 are alike",
        failures=[],
        times=[],
        declared=PROJECT / "book/tolerances.toml",
    )
    return {
        **claims_of(folder),
        "reproduce.md": overview.read_text("utf-8"),
        "reproduced.md": report,
    }


def cards(page: str, selector: str) -> list:
    html = "".join(re.findall(r"```\{raw\} html\n(.*?)```", page, re.S))
    return BeautifulSoup(html, "lxml").select(selector)


def test_every_need_of_the_committed_results_is_tried():
    needs = {result.needs for result in KEPT.values()} - {""}
    assert all(any(asset in each for asset in ASSETS) for each in needs)
    assert all(any(asset in each for each in needs) for asset in ASSETS)


def test_what_is_absent_makes_no_difference_to_whether_it_reproduces(stranger):
    asset, folder = stranger
    rows = results.compare(COMMITTED, folder, ())
    assert results.is_green(rows)
    absent = {(row.chapter, row.key) for row in rows.itertuples() if row.needs}
    assert absent >= {place for place in KEPT if lacks(KEPT[place], asset)}
    assert sum(rows["outcome"] == "identical") + len(absent) == len(rows)


def test_no_verdict_rests_on_what_is_absent_and_the_others_stay(
    stranger, pages, as_committed
):
    asset, _ = stranger
    changed = 0
    for card in cards(pages["findings.md"], ".finding[id]"):
        known = as_committed[card["id"]]
        if card["class"] == known["class"]:
            continue
        changed += 1
        assert "needs" in card["class"]
        head = card.select_one(".verdict").get_text()
        wanted = ASSETS if asset == ALL[0] else (asset,)
        assert head.startswith("cannot be tested here: needs ")
        assert any(each in head for each in wanted)
        (verdict,) = set(known["class"]) - {"finding"}
        needs = card.select_one(".finding-needs").get_text()
        assert findings.VERDICTS[verdict] in needs
    of_one = {ALL[0]: 4, "a Leela network": 2, "a clone of the": 2}
    assert changed == of_one.get(asset, 0)


def test_what_is_absent_is_told_with_its_committed_value_wherever_it_stands(
    stranger, pages
):
    asset, _ = stranger
    gone = {place: result for place, result in KEPT.items() if lacks(result, asset)}
    inventory = results.read_inventory(PROJECT / "book/inventory.csv")
    overview = pages["reproduce.md"].splitlines()
    for (chapter, key), result in gone.items():
        absent = dataclasses.replace(result, value=None, low=None, high=None)
        told = in_words(absent, result)
        assert f"| `{chapter}/{key}` | {told} |" in pages["reproduced.md"]
        prefixes = [item.prefix for item in inventory if item.chapter == chapter[:2]]
        if key.startswith((*prefixes,)):
            of_key = [line for line in overview if f"<code>{key}</code></a> |" in line]
            assert any(told in line for line in of_key)
    for name, page in pages.items():
        said = re.sub(r"<script.*?</script>", "", page, flags=re.S)
        assert not re.search(r"\b(None|nan|absent:)\b", said), name


def test_the_first_page_says_what_a_card_needs(stranger, pages):
    asset, _ = stranger
    shown = cards(pages["index.md"], ".front-finding")
    said = " ".join(card.get_text() for card in shown)
    network = asset in (ALL[0], "a Leela network")
    games = asset in (ALL[0], "people's games")
    assert ("The verdict needs a Leela network" in said) == network
    assert ("(needs people's games; the committed value is" in said) == games
    assert ("not tested" in said) == network


def test_even_without_a_single_result_the_pages_say_what_they_need(tmp_path):
    for chapter, entries in ENTRIES.items():
        lost = {"value": None, "low": None, "high": None, "needs": "a lamp"}
        made = {key: {**entry, **lost} for key, entry in entries.items()}
        (tmp_path / f"{chapter}.json").write_text(json.dumps(made), "utf-8")
    made = claims_of(tmp_path)
    shown = cards(made["findings.md"], ".finding[id]")
    assert {card["class"][-1] for card in shown} == {"needs"}
    assert made["index.md"].count("not tested") == 6
    dodo.write_overview(tmp_path, tmp_path / "page.md")
    assert "**Reproduced**" not in (tmp_path / "page.md").read_text("utf-8")


# ---------------------------------------------------------------- built, and what stops no book

#: What is beside the generated pages; the other pages are but their titles here.
KEPT_AS_THEY_ARE = ("references.bib", "_static", "_ext")


def stub(page):
    """Return the title of a page, and the places in it to which others lead."""
    kept = page.read_text("utf-8") if page.is_file() else ""
    places = re.findall(r"^\((\S+)\)=$", kept, flags=re.M)
    return f"# {page.stem}\n" + "".join(f"\n({at})=\n## {at}\n" for at in places)


@pytest.mark.parametrize("stranger", [ALL[0]], indirect=True)
def test_the_strangers_pages_build_without_a_warning(stranger, pages, tmp_path):
    toc = (PROJECT / "_toc.yml").read_text("utf-8")
    files = re.findall(r"(?:root|file): (\S+)", toc)
    for name in ("_config.yml", *(f"book/{each}" for each in KEPT_AS_THEY_ARE)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(PROJECT / name)
    for file in [*files, "book/reproduced", "book/library/one"]:
        page = tmp_path / f"{file}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        text = pages.get(page.name, stub(PROJECT / f"{file}.md"))
        page.write_text(text.replace(".ipynb)", ".md)"), "utf-8")
    after = "      - file: book/reproduce\n"
    assert after in toc
    toc = toc.replace(after, f"{after}      - file: book/reproduced\n")
    (tmp_path / "_toc.yml").write_text(toc, "utf-8")
    failure = dodo.build_html(tmp_path, tmp_path / "out")
    assert failure is None, failure.get_msg()
    assert (tmp_path / "out/_build/html/book/reproduced.html").is_file()


def test_there_is_a_book_where_the_lectures_of_its_example_are_missing(
    tmp_path, monkeypatch
):
    def missing(*_):
        raise AssetMissing(REGISTRY["lectures"], ["no source is known"])

    built = []
    monkeypatch.setattr(findings, "pages", missing)
    monkeypatch.setattr(dodo, "build_html", lambda *where: built.append(where))
    run = committed_run(PROJECT)
    failure = dodo.build_from(run, tmp_path / "source", tmp_path)
    assert "the 31 FICS lectures" in failure.get_msg() and len(built) == 1
    kept = (PROJECT / "book/findings.md").read_text("utf-8")
    assert (tmp_path / "source/book/findings.md").read_text("utf-8") == kept


def test_there_is_an_overview_where_chapters_failed(tmp_path):
    for chapter in read_chapters(PROJECT)[::2]:
        text = (COMMITTED / f"{chapter.name}.json").read_text("utf-8")
        (tmp_path / f"{chapter.name}.json").write_text(text, "utf-8")
    dodo.write_overview(tmp_path, tmp_path / "page.md")
    assert "Not yet: chapter 02" in (tmp_path / "page.md").read_text("utf-8")
    rows = results.compare(COMMITTED, tmp_path, ())
    assert not results.is_green(rows)
    assert "RED" in results.summarise(rows, 8)


def test_a_committed_page_is_left_as_it_is_by_make_book():
    """What `make book` would write anew is what is committed, marks included."""
    assert dodo.findings_are_fresh() and dodo.explorer_is_fresh()
