import io
import json
import re
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from chessgloss import report
from chessgloss.positions import read_fen, read_move
from chessgloss.report import Result
from chessgloss.stats import Interval
from scripts import FIGURE_A6, refuses


@pytest.fixture
def results_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CHESSGLOSS_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results"


def test_results_are_written_in_the_form_other_programs_read(results_folder):
    rows = {
        "table6.mean.nnue": Result.of(
            Interval(0.5, 0.4, 0.6, 9), "accuracy", reference=0.91, source="ccc/table6"
        ),
        "games.count": Result(np.int64(7), unit="games"),
        "table6.mean.leela": Result(None, needs="a Leela network"),
    }
    report.save("02_x", rows)
    written = json.loads((results_folder / "02_x.json").read_text())
    assert list(written) == sorted(rows)
    back = {key: Result(**entry) for key, entry in written.items()}
    assert back == rows


def test_a_notebook_run_alone_leaves_the_committed_results(
    tmp_path, monkeypatch, capsys
):
    kept = tmp_path / "book/results/02_x.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    (tmp_path / "_toc.yml").touch()
    monkeypatch.delenv("CHESSGLOSS_RESULTS", raising=False)
    monkeypatch.chdir(tmp_path)
    report.save("02_x", {"games.count": Result(7)})
    scratch = tmp_path / "_build/scratch/02_x.json"
    assert scratch.is_file() and kept.read_text() == "{}"
    assert str(scratch) in capsys.readouterr().out


def test_a_table_becomes_results_named_by_its_rows_and_columns():
    frame = pd.DataFrame(
        {"clarity": [Interval(0.5, 0.4, 0.6, 9), 0.25]}, index=["ccc", "no help"]
    )
    paper = {("ccc", "clarity"): SimpleNamespace(value=0.88, key="ccc/table5")}
    assert report.rows(frame, "gcc", unit="share", reference=paper) == {
        "gcc.ccc.clarity": Result(0.5, 0.4, 0.6, 9, "share", 0.88, "ccc/table5"),
        "gcc.no_help.clarity": Result(0.25, unit="share"),
    }
    assert report.rows(frame["clarity"], "x").keys() == {"x.ccc", "x.no_help"}
    assert report.rows(7, "games.count") == {"games.count": Result(7)}
    assert report.rows({"a": None, "b": 1}, "x", drop=True).keys() == {"x.b"}
    refuses(ValueError, "no value", report.rows, {"a": float("nan")}, "x")


def test_what_needs_an_asset_says_so_whether_it_is_there_or_not(tmp_path, monkeypatch):
    values = {"there": 0.5, "not": None, "spread": Interval(0.5, 0.4, 0.6, 9)}
    kept = report.rows(values, "mean", unit="share", needs="a network")
    assert {result.needs for result in kept.values()} == {"a network"}
    absent, there = kept["mean.not"], kept["mean.spread"]
    assert report.in_words(absent) == "needs a network"
    said = "needs a network; the committed value is 50 % (40 to 60)"
    assert report.in_words(absent, there) == said

    (tmp_path / "_toc.yml").touch()
    monkeypatch.setenv("CHESSGLOSS_PROJECT", str(tmp_path))
    keys = {"its mean": "mean.spread", "other": "mean.not", "nothing": "mean.x"}
    shown = report.without("a network", "02_x", keys).html
    assert "Needs a network" in shown and "committed" not in shown
    monkeypatch.setenv("CHESSGLOSS_RESULTS", str(tmp_path / "book/results"))
    report.save("02_x", kept)
    shown = report.without("a network", "02_x", keys).html
    assert "the committed values" in shown
    assert re.findall("<t[hd]>(.+?)</t[hd]>", shown) == ["its mean", "50 % (40 to 60)"]


@pytest.mark.parametrize(
    ("tables", "reason"),
    [
        *(
            ([{key: Result(1)}], "dotted")
            for key in ("Table6.mean", "nodots", "a..b", "a.b c")
        ),
        ([{"a.b": Result(1)}, {"a.b": Result(2)}], "two tables"),
    ],
)
def test_keys_that_others_could_not_read_are_refused(results_folder, tables, reason):
    refuses(ValueError, reason, report.save, "02_x", *tables)
    assert not results_folder.exists()


@pytest.mark.parametrize(
    ("value", "more", "reason"),
    [
        (float("nan"), {}, "finite"),
        (None, {}, "says what it needs"),
        (1, {"reference": 0.9}, "source"),
    ],
)
def test_a_result_that_says_nothing_or_hides_its_source_is_refused(value, more, reason):
    refuses(ValueError, reason, Result, value, **more)


def test_a_table_keeps_counts_whole_and_escapes_text():
    frame = pd.DataFrame({"games": [12_000], "share": [0.123], "name": ["<b>"]})
    shown = report.table(frame, "<i>").html
    cells = re.findall("<td>(.*?)</td>", shown)
    assert cells == ["12,000", "0.12", "&lt;b&gt;"]
    assert (
        "<i>"
        not in shown + report.evidence(1, "<i>", 1, None, "<i>", {"<i>": "<i>"}).html
    )
    said = report.sheet("self-play", {"longest": 240, "draws": 0.5}).text.split()
    assert said[1:] == ["longest", "240", "draws", "0.50"]


def test_numbers_of_numpys_are_pasted_as_pythons_own(monkeypatch):
    pasted = {}
    record = lambda name, value, display: pasted.update({name: (type(value), value)})  # noqa: E731
    monkeypatch.setattr("myst_nb.glue", record)
    report.paste(mean=np.float64(0.5), n=np.int64(3), text="so")
    assert pasted == {"mean": (float, 0.5), "n": (int, 3), "text": (str, "so")}


def test_a_board_is_seen_by_the_side_to_move_with_the_moves_arrow():
    move = read_move(read_fen(FIGURE_A6), "Bxe6+")
    bare, moved, after = (
        report.board(it).html for it in (move.position, move, move.after())
    )
    assert ["#0072B2" in html for html in (bare, moved)] == [False, True]
    king = re.compile(r'href="#white-king"[^>]*transform="([^"]+)"')
    assert king.search(bare)[1] != king.search(after)[1]


def test_evidence_stands_in_html_and_in_text():
    shown = report.evidence(3, "moves", 1)
    assert shown.html == '<p class="evidence">n = 3 moves · seed 1</p>'
    line = repr(
        report.evidence(1200, "moves", 7, 40, "bootstrap", {"Stockfish": "15.1"})
    )
    assert (
        line
        == "n = 1,200 moves in 40 games · seed 7 · interval: bootstrap · Stockfish 15.1"
    )


def test_figures_are_the_same_bytes_twice():
    report.use_house_style()
    drawn = [io.BytesIO(), io.BytesIO()]
    for out in drawn:
        fig, ax = plt.subplots()
        ax.plot([1, 2], label="a line")
        ax.legend()
        fig.savefig(out, format="svg", metadata={"Date": None})
        plt.close(fig)
    assert drawn[0].getvalue() == drawn[1].getvalue()


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        (0.0, "share of comments"),
        (1.0, "accuracy"),
        (100.0, "%"),
        (0, "share, less bare"),
        (1, "area under the curve"),
    ],
)
def test_a_share_of_none_or_all_needs_an_interval_with_a_length(value, unit):
    refuses(ValueError, "none or all", Result, value, value, value, 63, unit)
    assert Result(value, unit=unit).low is None, "an exact share has no interval"
    width = 6 if unit == "%" else 0.06
    assert Result(value, value - width, value + width, 63, unit).n == 63


# ---------------------------------------------------------------- exercises


@pytest.mark.parametrize(
    "other",
    [
        {"b": 0.25, "a": 2},
        [2.0001, 0.25],
        (np.float64(0.25), np.int64(2)),
        pd.DataFrame({"column": [0.25, 2]}),
        pd.Series({"x": Interval(0.25, 0.1, 0.4, 9), "y": 2}, dtype=object),
    ],
)
def test_a_result_is_known_however_it_is_named_ordered_and_held(other):
    assert report.answer_digest(other) == report.answer_digest({"a": 0.25, "b": 2})


@pytest.mark.parametrize("other", [[0.25], [0.25, 2, 2], [0.27, 2], [-0.25, 2]])
def test_another_result_is_told_apart(other):
    assert report.answer_digest(other) != report.answer_digest([0.25, 2])


def test_the_check_of_an_exercise_says_what_is_right_and_where_to_look():
    right = {"share": report.answer_digest(0.5), "words": report.answer_digest(3)}
    shown = report.check(
        "Count each pair once.",
        right,
        share=0.5,
        words=4,
        open_still=...,
        by_lot=([0.4, 0.6], lambda found: abs(np.mean(found) - 0.5) < 0.1),
        strange=(3, lambda found: found["no"]),
    )
    assert str(shown).splitlines() == [
        "share: right",
        "words: not yet: Count each pair once. (Profile book; numbers within 0.005.)",
        "open_still: still to be found",
        "by_lot: right",
        "strange: not yet: Count each pair once.",
    ]


@pytest.mark.parametrize(
    ("right", "found", "how", "said"),
    [
        ([0.3, 7], [7, 0.304], {}, True),
        ([0.3, 7], [0.32, 7], {}, False),
        ([0.3, 7], [], {}, False),
        (set(), set(), {}, False),
        (20.0, 21.9, {"within": 2}, True),
        (20.0, 24.1, {"within": 2}, False),
        (["mate", "check"], ["mate", "check"], {"ordered": True}, True),
        (["mate", "check"], ["check", "mate"], {"ordered": True}, False),
    ],
)
def test_a_result_is_right_within_what_is_stated_and_an_empty_one_never(
    right, found, how, said
):
    expected = {"it": report.answer_digest(right, **how)}
    shown = report.check("Look.", expected, it=found, **how)
    assert (str(shown) == "it: right") == said


def test_the_reader_of_a_chapter_is_led_to_the_answer():
    assert "the chapter's own answer" in report.check("Look.", share=0.5).html


def test_the_chapter_itself_tells_the_hashes_of_its_results():
    shown = report.check("Look again.", share=0.5, tested=(1, lambda found: True))
    assert json.loads(str(shown)) == {"share": report.answer_digest(0.5)}


def test_names_stand_in_a_sentence():
    assert report.listed(["a"]) == "a"
    assert report.listed(["a", "b", "c"]) == "a, b and c"
    assert report.listed([], "nobody") == "nobody"
