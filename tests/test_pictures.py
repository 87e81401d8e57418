"""Pictures of shares: their words say all of it, and what was not measured has no point."""

import pytest

from chessgloss.book import pictures
from chessgloss.commentary import voice
from chessgloss.report import Result
from scripts import refuses

SHARE = Result(0.7, 0.66, 0.74, 150, unit="share of comments")
OTHER = Result(0.2, 0.1, 0.3, 90, unit="share of comments")
LACKING = Result(None, needs="a network")


def test_a_chart_draws_each_share_and_says_it_in_words():
    drawn = pictures.chart("a < b", {"one": [SHARE, OTHER], "two": [SHARE, None]})
    assert (
        "a &lt; b: one 70 % (66 to 74), 20 % (10 to 30); two 70 % (66 to 74)" in drawn
    )
    assert drawn.count('class="dot"') == 2
    assert drawn.count('class="dot hollow"') == 1


def test_what_was_not_measured_says_what_it_needs_and_a_point_needs_an_interval():
    drawn = pictures.chart("t", {"a": [LACKING, OTHER]})
    assert ">needs a network</text>" in drawn and 'class="dot"' not in drawn
    refuses(
        ValueError, "'bar' has no interval", pictures.chart, "t", {"bar": [Result(0.5)]}
    )


@pytest.fixture
def results() -> dict[str, Result]:
    return {
        "voice.false.bare": SHARE,
        "voice.false.ccc": OTHER,
        "voice.small.false.ccc": SHARE,
        "voice.decisive.bare": SHARE,
        "voice.decisive.notes": OTHER,
    }


def test_the_experiment_has_a_panel_an_outcome_and_a_small_model_only_if_it_was_read(
    results,
):
    shown = pictures.experiment(results, "a strong model", "a small one")
    assert shown.html.count("<svg") == 2
    assert shown.html.count('class="dot hollow"') == 1
    assert "A strong model: filled, 150 moves." in shown.text
    assert "hollow" not in shown.text, "its share from position and move is not there"
    of_small = {"voice.small.false.bare": OTHER}
    again = pictures.experiment(results | of_small, "a strong model", "a small one")
    assert "A small one: hollow, 90 of them" in again.text


def test_an_outcome_without_results_is_named(results):
    del results["voice.decisive.bare"], results["voice.decisive.notes"]
    words = "no results to draw: Comments that say what decides"
    refuses(ValueError, words, pictures.experiment, results, "a", "b")


def test_every_arm_and_every_step_has_words():
    assert {*voice.REGISTERED} <= {*pictures.SWITCHES}
    assert {*voice.CONTRASTS} == {*pictures.STEPS}
