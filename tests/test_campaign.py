"""Each campaign of ``campaign.py`` at its smallest: faults and bad input, and no defect."""

from __future__ import annotations

import json

import pytest

import campaign
from scripts import PROJECT

#: Cases of each: enough that every kind of fault has its chance, few enough for every day.
SMALL = {"endpoint": 150, "engines": 8, "inputs": 6_500, "kills": 3, "trainings": 3}


@pytest.mark.parametrize("name", SMALL)
def test_no_defect(name, tmp_path):
    run, _, _ = campaign.CAMPAIGNS[name]
    counts = run(SMALL[name], 1, tmp_path)
    assert counts.pop("defect", 0) == 0
    assert len(counts) > 1, "nothing happened"


@pytest.mark.slow
def test_a_killed_chapter_leaves_nothing_half(tmp_path):
    assert campaign.kills(campaign.execute_chapter, 1, 1, tmp_path)["defect"] == 0


def test_a_long_run_holds_no_more_at_its_end(tmp_path, oracle8, stockfish_network):
    counts = campaign.soak(800, 1, tmp_path)
    assert counts["tried"] == 800 and counts["defect"] == 0


def test_a_killed_engine_leaves_nothing_behind(tmp_path, stockfish):
    assert campaign.killed_engines(3, 1, tmp_path)["defect"] == 0


def test_a_defect_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign, "REFUSALS", (ZeroDivisionError,))
    assert campaign.inputs(130, 1, tmp_path)["defect"] > 10


def test_the_page_has_every_campaign_without_a_defect():
    done = json.loads((PROJECT / "book/reliability.json").read_text("utf-8"))
    assert set(done) == set(campaign.CAMPAIGNS)
    assert (PROJECT / "book/reliability.md").read_text("utf-8") == campaign.page()
    assert [name for name, entry in done.items() if entry["defects"]] == []
