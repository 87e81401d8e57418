"""Reference values: the files as committed, their form, and the page made from them."""

import io
import json
import re

import chess.pgn
import pytest

from chessgloss.book import reference
from chessgloss.report import Result
from places import place_of, read_places
from results import (
    COLOURS,
    Item,
    ResultsError,
    in_a_word,
    overview,
    read_inventory,
    status,
    verdict,
)
from scripts import DATA, PROJECT, refuses

FOLDER = DATA / "reference"
INVENTORY = PROJECT / "book" / "inventory.csv"


@pytest.fixture
def small_page(tmp_path):
    """Render a page of one chapter whose results are given."""

    def make(results: dict, chapter: str = "02_concept_vectors") -> str:
        for name in ("book/results", "notebooks", "data"):
            (tmp_path / name).mkdir(parents=True, exist_ok=True)
        for path in (INVENTORY, FOLDER):
            link = tmp_path / path.relative_to(PROJECT)
            if not link.exists():
                link.symlink_to(path)
        listed = f'[{chapter}]\ntitle = "A chapter"\n'
        (tmp_path / "notebooks/chapters.toml").write_text(listed, "utf-8")
        (tmp_path / f"notebooks/{chapter}.py").write_text("# %%\n", "utf-8")
        folder = tmp_path / "book/results"
        (folder / f"{chapter}.json").write_text(json.dumps(results), "utf-8")
        return overview(tmp_path, folder)

    return make


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.564", 0.564),
        ("-0.06", -0.06),
        ("200,000", 200_000),
        ("57%", 57),
        ("17.2%p", 17.2),
        ("15K", 15_000),
        ("2.9 million", 2_900_000),
        ("2000+", 2000),
        ("5 × 10^-4", 5e-4),
        ("five", 5),
        ("4-6", None),
        ("f1", None),
        ("N/A", None),
        ("", None),
    ],
)
def test_number_of(text, number):
    assert reference.number_of(text) == number


def test_the_files_have_the_form_that_their_readme_gives():
    cells = reference.load()
    assert {cell.document for cell in cells} == set(reference.DOCUMENTS)
    assert len({cell.key for cell in cells}) == len(cells)
    for path in FOLDER.glob("*.csv"):
        assert path.read_text("utf-8").startswith(
            "table,row,column,value,unit,flag,source,note\n"
        )
    for cell in cells:
        named = (cell.table, cell.row, cell.column, cell.printed, cell.source)
        assert all(text and text.strip() for text in named), cell.key
        assert cell.flags <= reference.PRINTED_FLAGS | reference.DOUBT_FLAGS, cell.key
        assert cell.note or not cell.doubtful, cell.key


def test_table_6_is_what_its_precision_and_recall_give_on_balanced_classes():
    frame = reference.table("ccc", "table6")
    false_positives = (
        frame["Recall"] / 2 * (1 - frame["Precision"]) / frame["Precision"]
    )
    implied = 1 - (1 - frame["Recall"]) / 2 - false_positives
    assert (implied - frame["Accuracy"]).abs().max() < 0.01


def test_printed_positions_admit_the_printed_moves_and_follow_from_the_printed_game():
    for figure in ("figureA1", "figureA5", "figureA6"):
        fen = reference.lookup("ccc", figure, "position", "FEN").printed
        board = chess.Board(fen)
        assert board.is_valid()
        san = reference.lookup("ccc", figure, "move", "SAN").printed
        board.push_san(re.sub(r"^\d+\.(\.\.)? ", "", san))
    text = reference.lookup("ccc", "figureA6", "position", "PGN").printed
    assert chess.pgn.read_game(io.StringIO(text)).end().board().fen() == fen


@pytest.mark.parametrize(
    ("names", "hint"),
    [
        (("ccc", "table6", "White Knigths", "Accuracy"), "White Knights"),
        (("ccc", "table6", "White Knights", "accuracy"), "Accuracy"),
        (("ccc", "tabel6", "White Knights", "Accuracy"), "table6"),
        (("cccc", "table6", "White Knights", "Accuracy"), "state_tracking"),
    ],
)
def test_lookup_of_a_wrong_name_lists_near_ones(names, hint):
    refuses(KeyError, hint, reference.lookup, *names)


def test_table_keeps_words_as_words_and_absent_numbers_as_nan():
    frame = reference.table("state_tracking", "table1")
    assert frame.loc["Piece type", "Examples"] == "P, K, Q, R, B, N"
    assert frame["Count"].dtype == float
    assert (
        reference.table("ccc", "table4")
        .loc["GCC-Eval", ["Correctness rho"]]
        .isna()
        .all()
    )


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (Result(0.95, 0.94, 0.96, 10, "share", 0.95, "x"), "agrees"),
        (Result(0.95, 0.94, 0.96, 10, "share", 0.91, "x"), "ours is higher"),
        (Result(0.95, 0.94, 0.96, 10, "share", 0.99, "x"), "ours is lower"),
        (Result(77, reference=77, source="x"), "equal"),
        (
            Result(0.95, reference=0.91, source="x"),
            r"differs by \+0.04 \(no interval\)",
        ),
        (Result(0.95), "no reference value"),
        (
            Result(None, reference=0.91, source="x", needs="a network"),
            "not measured, needs a network",
        ),
        (Result(None, needs="a network"), "no reference value"),
    ],
)
def test_verdict(result, words):
    assert re.fullmatch(words, verdict(result))


def test_a_printed_value_stands_for_all_that_rounds_to_it(small_page):
    near = {"value": 0.9995, "low": 0.999, "high": 0.9999, "n": 4000, "unit": "share"}
    cells = [c for c in reference.load("ccc") if c.printed == "1.00"]
    cell = next(c for c in cells if c.table == "table6")
    cited = near | {"reference": cell.value, "source": cell.key}
    page = small_page({"table6.near": cited})
    assert (
        "`table6.near` | 1 | 1.000 |" in page or "`table6.near` | 1 | 0.9995 |" in page
    )
    assert "| within our interval | `table6.near` |" in page
    assert "*By whom:* In the paper the network is Leela T78" in page
    far = cited | {"low": 0.98, "value": 0.985, "high": 0.99}
    page = small_page({"table6.near": far})
    assert "| ours is lower | `table6.near` |" in page


def test_every_item_has_a_word_of_the_overview():
    words = {
        "**In part**: 1 equal": "in part",
        "not reproducible: no FEN printed; 1 shown, nothing": "not reproducible",
        "1 shown, nothing printed to compare with": "shown",
        "not yet: chapter 02": "not yet",
    }
    assert {each: in_a_word(each) for each in words} == words
    page = (PROJECT / "book/reproduce.md").read_text("utf-8")
    listed = re.findall(r'<li><span class="verdict \w+">([\w ]+)</span>', page)
    assert len(listed) == len(read_inventory(PROJECT / "book/inventory.csv"))
    assert {*listed} <= {*COLOURS}


def test_status_counts_verdicts_and_keeps_the_obstacle():
    plain = Item("ccc", "Table 6", "concepts", "02", "table6.", "")
    hidden = Item("ccc", "Figure 1", "comments", "04", "figure1.", "no FEN printed")
    results = {
        "table6.a": Result(1.0),
        "table6.b": Result(1.0, reference=1.0, source="x"),
    }
    assert (
        status(plain, results, True)
        == "**Reproduced**: 1 equal; 1 shown, nothing printed to compare with"
    )
    lower = Result(0.5, 0.4, 0.6, 10, "share", 0.9, "x")
    both = results | {"table6.c": lower}
    assert status(plain, both, True).startswith("**In part**: 1 equal; 1 ours is lower")
    assert status(plain, {"table6.c": lower}, True).startswith("**Other values**: 1 ")
    needy = {
        f"table6.{k}": Result(None, reference=1.0, source="x", needs="raters")
        for k in "de"
    }
    assert status(plain, results | needy, True).startswith("**Not measured**: ")
    own = {f"table6.{k}": Result(None, needs="a network") for k in "defgh"}
    assert status(plain, results | own, True) == (
        "**Reproduced**: 1 equal; 1 shown, nothing printed to compare with; "
        "5 not measured, needs a network"
    ), "what has nothing printed beside it takes part in no verdict"
    assert status(plain, {}, False) == "not yet: chapter 02"
    assert status(plain, {}, True) == "not yet: chapter 02 writes no `table6.`"
    assert status(hidden, {}, False) == "not reproducible: no FEN printed"
    assert status(hidden, results, True).startswith(
        "not reproducible: no FEN printed; 1 equal"
    )


def test_inventory_lists_every_numbered_table_once_with_its_own_prefix():
    items = read_inventory(INVENTORY)
    assert len({(item.document, item.item) for item in items}) == len(items)
    assert len({(item.chapter, item.prefix) for item in items}) == len(items)
    for document in ("ccc", "state_tracking"):
        cells = reference.load(document)
        tables = {cell.table for cell in cells if re.fullmatch(r"table\d", cell.table)}
        named = {
            name for item in items if item.document == document for name in item.tables
        }
        assert tables <= named


@pytest.mark.parametrize(
    "fields", [{"chapter": "4"}, {"prefix": "table1"}, {"document": "cc"}]
)
def test_bad_inventory_row_is_refused(fields):
    good = {"document": "ccc", "item": "Table 1", "shows": "x", "obstacle": ""}
    with pytest.raises(ResultsError, match="inventory"):
        Item(**({**good, "chapter": "08", "prefix": "table1."} | fields))


def test_page_sets_a_result_beside_its_reference_value(small_page):
    key = "ccc/table6/Imbalance/Accuracy"
    entry = {"value": 0.998, "low": 0.99, "high": 1.0, "n": 4000, "unit": "share"}
    page = small_page({"table6.imbalance": entry | {"reference": 0.80, "source": key}})
    assert (
        "| ours is higher | `table6.imbalance` | 0.8 | 0.998 | 0.99 to 1 | 4,000 | share |"
        in page
    )
    assert (
        "**Other values**: 1 ours is higher ([chapter 2](executed/02_concept_vectors.ipynb))."
        in page
    )
    assert (
        '<span class="verdict fails">other values</span> <a href="#ccc-table-6">'
        in page
    )
    assert "Not yet: chapter 08" in page


def test_page_lists_a_result_under_the_table_it_cites_whichever_chapter_wrote_it(
    small_page,
):
    entry = {"value": 26.0, "low": 24.0, "high": 28.0, "n": 60, "unit": "words"}
    cell = reference.lookup("ccc", "table1", "GPT-4o", "Words per comment")
    cited = entry | {"reference": cell.value, "source": cell.key}
    page = small_page({"words.llm": cited}, "04_commentary")
    table1 = page.split("### Table 1: Human ratings")[1].split("### Table 2")[0]
    assert "`words.llm`" in table1 and page.count("`words.llm`") == 1


@pytest.mark.parametrize(
    ("source", "number", "message"),
    [
        ("ccc/table6/Imbalance/Accuracy", 0.81, "printed as '0.80'"),
        ("ccc/table6/Imbalance/accuracy", 0.80, "which is not there"),
    ],
)
def test_page_refuses_a_result_that_misquotes(small_page, source, number, message):
    entry = {"value": 0.9, "reference": number, "source": source}
    refuses(ResultsError, message, small_page, {"table6.imbalance": entry})


def test_committed_page_is_what_the_inputs_give():
    committed = (PROJECT / "book" / "reproduce.md").read_text(encoding="utf-8")
    assert committed == overview(PROJECT, PROJECT / "book" / "results")


def places_in(folder, text):
    notebook = folder / "01_x.py"
    notebook.write_text(text)
    return read_places(notebook)


def test_a_key_leads_to_the_cell_that_computes_it(tmp_path):
    found = places_in(
        tmp_path,
        "# %%\nmean = 1\n# %%\nother = 2\nmean = 3\n# %%\n"
        'report.save("01_x", report.rows(mean, "a.mean"), report.rows({"x": 1}, "b"), more(c))\n'
        'kept = {f"c.{name}": 1 for name in "xy"}\n',
    )
    assert place_of("a.mean.ccc", found) == (1, 5)
    assert place_of("b.x", found) == (2, 7)
    assert place_of("c.x", found) == (2, 8)
    assert place_of("elsewhere", found) == (2, 7), "where the chapter saves"


def test_a_key_is_followed_through_the_cell_that_saves(tmp_path):
    found = places_in(
        tmp_path,
        "# %%\nfound = 1\nname = 2\n# %%\nother = 3\n# %%\n"
        'means = {"found": found, "other": min(other, 4)}\n'
        "named = {name: row for name, row in other.items()}\n"
        'report.save("01_x", report.rows(means, "mean"), report.rows(named, "row"))\n',
    )
    assert place_of("mean.found", found) == (0, 2)
    assert place_of("mean.other", found) == (1, 5)
    assert place_of("row.a", found) == (1, 5), "not where `name` is elsewhere"
