from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chessgloss.stats import Interval
from chessgloss.tracking import tables
from chessgloss.tracking.baselines import (
    END_BASELINES,
    EVEN_DRAW,
    MARK,
    Baselines,
    Judged,
    list_moves,
)
from chessgloss.tracking.probes import END_TASKS, Instance
from chessgloss.tracking.runs import RunRecord, find_run
from chessgloss.tracking.tables import (
    NOT_TRAINED,
    NOTATION_ROWS,
    PROBE_COLUMNS,
    Outcome,
    compare_runs,
    headline,
    perplexity_table,
    probe_table,
    read_longer,
    read_outcomes,
    reference_cells,
    score_baselines,
    score_rows,
)
from chessgloss.tracking.tokens import tokenise
from chessgloss.tracking.trends import fit_trend, passes_table, rap_curve, seed_spread

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

#: 56 plies that lead back to the first position, and one more that shows where the knight goes.
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8") * 14
PLAIN = Outcome("S-uci-1", "S", "uci", 0.0, 1, 1_600_000, 4, 3_000_000, True, 24.0, 24.5)


def rap(percent: int, dev: float, seed: int = 1, size: str = "S") -> Outcome:
    name = f"{size}-rap{percent}-{seed}"
    return replace(PLAIN, name=name, size=size, model="uci_rap", probability=percent / 100,
                   seed=seed, dev=dev)  # fmt: skip


RUNS = [
    *(PLAIN, replace(PLAIN, name="S-uci-2", seed=2, dev=22.0)),
    *(rap(5, 21.0), rap(25, 18.0), rap(100, 40.0), rap(25, 15.0, seed=2), rap(25, 19.0, seed=3)),
    replace(PLAIN, name="M-uci-1", size="M", dev=14.0, stopped_early=False),
]


@pytest.fixture
def questions() -> list[Instance]:
    """Twenty questions with the knight's two squares as answers, in both End tasks."""
    one = Instance("end_actual", "long", SHUFFLE, START, 68, 9, 24, frozenset({24, 26}), "g")
    numbered = [replace(one, game=f"game {k}") for k in range(20)]
    return [*numbered, *(replace(each, task="end_other", exact=None) for each in numbered)]


def grounds_on(questions: list[Instance], last: str) -> Baselines:
    """Baselines of one training game, whose knight leaves g1 after 40 plies as ``last`` says."""
    game = tokenise([[*SHUFFLE[:40], *[last, "g8f6", f"{last[2:]}g1", "f6g8"] * 4]])
    return Baselines(list_moves(game, np.array([0])), questions)


@pytest.fixture
def unhelpful(questions) -> Baselines:
    """Baselines that have seen the knight go to e2 alone: never legal."""
    return grounds_on(questions, "g1e2")


def answers(right: int, exact: int) -> np.ndarray:
    """Log-probabilities of twenty answers: so many legal, and of these so many as played."""
    scores = np.zeros((20, 77))
    scores[:right, 26] = 1
    scores[:exact, 24] = 2
    scores[right:, 0] = 1
    return scores


def test_the_first_seed_and_the_best_probability_stand_in_the_tables():
    chosen = headline(reversed(RUNS))
    assert {key: one.name for key, one in chosen.items()} == {
        ("S", "uci"): "S-uci-1",
        ("S", "uci_rap"): "S-rap25-1",
        ("M", "uci"): "M-uci-1",
    }


def test_a_row_that_was_not_trained_says_so():
    even = Interval(23.0, 22.5, 23.5, 10)
    tests = {"S-uci-1": Judged(Interval(24.5, 24.1, 24.9, 10), False)}
    table = perplexity_table(RUNS, NOTATION_ROWS, tests, even)
    assert list(table.index)[:4] == ["S UCI", "S UCI + RAP", "S UCI + AP", "M UCI"]
    assert list(map(str, table.loc["S UCI"]))[:2] == [f"24.0 {MARK}", f"24.5 [24.1, 24.9] {MARK}"]
    assert list(table.loc["S UCI"])[2:5] == [4, 3_000_000, "yes"]
    assert list(table.loc["S UCI + RAP", ["dev", "RAP, %", "run"]]) == ["18.0", 25, "S-rap25-1"]
    assert table.index[-1] == EVEN_DRAW
    assert table.loc[EVEN_DRAW, "test"] == even
    assert table.loc["M UCI", "early stop"] == "no"
    assert set(table.loc["L UCI + AP"]) == {NOT_TRAINED, ""}


def test_what_nobody_trained_for_is_said_in_words():
    assert tables.told(-3.456, "+.1f") == "-3.5"
    assert tables.told(None, ".1f") == tables.told(float("nan"), ".0%") == tables.NOT_TRAINED


def test_figure_2_begins_with_plain_uci():
    curve = rap_curve(RUNS)
    assert list(curve.index) == [0, 5, 25, 100]
    assert list(curve["S"]) == [24.0, 21.0, 18.0, 40.0]
    assert curve["M"].notna().tolist() == [True, False, False, False]


def test_the_spread_is_over_seeds_alone():
    spread = seed_spread(RUNS)
    assert list(spread.index) == ["S uci", "S uci_rap 25 %"]
    assert list(spread.loc["S uci_rap 25 %"]) == [3, 15.0, 18.0, 19.0]
    assert seed_spread(RUNS[:1]).empty


def test_scores_are_laid_out_as_the_paper_prints_them(unhelpful):
    kept = {"S-uci-1": answers(15, 5), "M-uci-1": answers(20, 10)}

    def predict(name, task, band):
        return kept.get(name)

    actual, other = (score_rows(RUNS, predict, unhelpful, task, seed=1) for task in END_TASKS)
    grounds = [score_baselines(unhelpful, task, seed=1) for task in END_TASKS]
    table = probe_table(actual, other, NOTATION_ROWS, grounds)
    assert list(table.columns) == list(PROBE_COLUMNS)
    row = table.loc["S UCI"]
    assert (row["LgM Actual Acc."].value.value, row["ExM Acc."].value.value) == (75, 25)
    assert row["LgM Other Acc."].value.value == 75
    assert table.loc["M UCI", "LgM Actual Acc."].value.value == 100
    assert set(table.loc["S UCI + RAP"]) == {NOT_TRAINED}
    assert list(table.index)[-3:] == list(END_BASELINES.values())
    assert table.loc[END_BASELINES["start"], "LgM Actual Acc."].value == 0


def test_what_counting_does_as_well_is_marked_and_nothing_else(questions, unhelpful):
    def predict(name, task, band):
        return {"S-uci-1": answers(15, 12), "M-uci-1": answers(20, 10)}.get(name)

    helpful = grounds_on(questions, "g1h3")
    marked = {}
    for name, grounds in (("unhelpful", unhelpful), ("helpful", helpful)):
        scores = score_rows(RUNS, predict, grounds, "end_actual", seed=1)
        marked[name] = [f"{one.judged('lgm'):.0f}".endswith(MARK) for one in scores.values()]
    assert marked == {"unhelpful": [False, False], "helpful": [True, True]}
    assert score_baselines(helpful, "end_actual", seed=1)["came_from"].lgm.value == 100


def test_as_played_must_beat_the_draw_among_right_answers_too(unhelpful):
    def predict(name, task, band):
        return {"S-uci-1": answers(20, 10), "M-uci-1": answers(20, 19)}.get(name)

    scores = score_rows(RUNS, predict, unhelpful, "end_actual", seed=1)
    assert scores["S", "uci"].above == {"lgm", "rprec"}
    assert scores["M", "uci"].above == {"lgm", "rprec", "exm"}


def test_each_column_of_ours_stands_before_the_papers():
    nothing = tables.probe_table({}, {}, NOTATION_ROWS, [{}, {}])
    nothing.loc["Random Legal"] = ["-"] * 5
    legal, _, played = (
        tables.beside_paper(nothing, "table6", part) for part in tables.PROBE_PARTS.values()
    )
    assert list(legal) == ["Actual", "Actual, paper", "Other", "Other, paper"]
    assert legal.loc["S UCI", "Actual"] == tables.NOT_TRAINED
    assert legal.loc["S UCI", "Actual, paper"] == 74.0
    assert played.loc["Random Legal", "Actual, paper"] == 19.6


def test_two_runs_are_compared_on_the_same_questions(questions, unhelpful):
    kept = {"S-uci-1": answers(18, 0), "M-uci-1": answers(8, 0)}
    one, other, none = RUNS[0], RUNS[-1], RUNS[1]

    def predict(name, task, band):
        return kept.get(name)

    found = compare_runs(one, other, predict, unhelpful, "end_actual", seed=1)
    assert found.value.difference.value == 50
    assert 0.001 < found.value.p < 0.01
    turned = compare_runs(other, one, predict, unhelpful, "end_actual", seed=1)
    assert turned.value.difference.value == -50
    assert compare_runs(one, none, predict, unhelpful, "end_actual", seed=1) is None
    helpful = grounds_on(questions, "g1h3")
    floor = compare_runs(one, other, predict, helpful, "end_actual", seed=1)
    assert (found.above, floor.above) == (True, False)
    assert str(floor).endswith(MARK)


def test_published_cells_are_found_and_contradictions_left_out():
    row = reference_cells("end_actual", "long", "S", "uci_rap")
    assert {name: cell["reference"] for name, cell in row.items()} == {
        "lgm": 88.4,
        "rprec": 75.5,
        "exm": 33.3,
    }
    assert row["lgm"]["source"] == "state_tracking/table6/S UCI + RAP/LgM Actual Acc."
    assert reference_cells("start_other", "long", "L", "uci_ap")["rprec"]["reference"] == 99.7
    assert reference_cells("end_other", "long", "M", "lstm", "table7")["lgm"]["reference"] == 67.2
    assert reference_cells("end_actual", "long", "L", "performer", "table7") == {}
    assert reference_cells("end_actual", "short", "S", "uci") == {}


def test_a_trend_is_the_line_through_the_logarithms():
    line = fit_trend([100, 400, 1600], [40, 20, 10])
    assert line.exponent == pytest.approx(-0.5)
    assert line.errors(6400) == pytest.approx(5)
    assert line.games(5) == pytest.approx(6400)
    with pytest.raises(ValueError, match="two sizes"):
        fit_trend([100], [40])
    with pytest.raises(ValueError, match="two sizes"):
        fit_trend([100, 200], [40, 0])


def test_a_longer_run_stands_apart_from_the_papers_tables(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    epoch = {"epoch": 1, "loss": 2.0, "dev_perplexity": 50.0, "tokens": 650_000}
    for name in ("S-uci-1", "S-uci-1x15"):
        record = RunRecord(find_run(name), 1_000, 3_750, (epoch,), False, 50.0, 51.0, {})
        (tmp_path / "runs" / f"{name}.json").write_text(json.dumps(record.to_values()))
    assert [one.name for one in read_outcomes(tmp_path)] == ["S-uci-1"]
    assert [one.name for one in read_longer(tmp_path)] == ["S-uci-1x15"]


def test_the_same_training_for_longer_stands_under_the_shorter_one(unhelpful) -> None:
    longer = replace(PLAIN, name="S-uci-1x15", epochs=12, tokens=9_000_000, dev=20.0)
    dropped = replace(longer, name="S-uci-1x15d10", dropout=0.1)
    kept = {"S-uci-1": answers(8, 2), "S-uci-1x15": answers(16, 5), "S-rap25-1": answers(4, 0)}
    kept["S-uci-1x15d10"] = answers(12, 3)
    table = passes_table(
        [longer, rap(25, 18.0), rap(5, 21.0), dropped, PLAIN],
        lambda name, task, band: kept.get(name),
        unhelpful,
        seed=1,
    )
    plain = ["UCI, 4 passes", "UCI, 12 passes", "UCI, dropout 10%, 12 passes"]
    trained = [*plain, "UCI + RAP 25%, 4 passes"]
    assert list(table.index) == [*trained, *END_BASELINES.values()]
    assert [one.value.value for one in table.loc[trained, "legal, %"]] == [40, 80, 60, 20]
    assert [one.value.value for one in table.loc[trained, "as played, %"]] == [10, 25, 15, 0]
    assert set(table.loc[trained, "early stop"]) == {"yes"}


def test_an_outcome_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="no size 'XL'"):
        replace(PLAIN, size="XL")
    with pytest.raises(ValueError, match="at least 1"):
        replace(PLAIN, test=0.5)


def test_no_runs_are_no_outcomes(tmp_path):
    assert read_outcomes(tmp_path) == []
