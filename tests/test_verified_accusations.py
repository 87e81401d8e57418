from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from chessgloss.brief_moves import briefings_file
from chessgloss.commentary.briefing import read_briefings
from chessgloss.llm import DEFAULT_MODEL
from chessgloss.verified.accusations import KEY, accuse, draw, read_reading
from chessgloss.verified.published import is_published, published_by, read_published

STORED = Path(__file__).resolve().parents[1] / "data" / "claims" / "accusations.json"


@pytest.fixture(scope="module")
def briefings():
    return read_briefings(briefings_file())


def comments(*rows: tuple[str, str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["method", "move", "text"])
    return frame.assign(state="answered")


def test_what_is_false_is_accused_once(briefings):
    text = "The bishop takes the knight on e6. A move. The bishop takes the knight on e6."
    found = accuse(comments(("llm", "ccc/figA6", text)), briefings)
    assert set(found["claim"]) == {"The bishop takes the knight on e6", "the knight on e6"}
    assert len(found) == 2
    assert accuse(comments(("llm", "ccc/figA6", "Bxe6+ gives check.")), briefings).empty


def test_a_draw_takes_so_many_of_each_method_and_depends_on_its_seed_alone():
    rows = [(name, "m", f"claim {k}", "piece", "") for name in ("a", "b") for k in range(30)]
    made = pd.DataFrame(rows, columns=[*KEY, "evidence"])
    some = draw(made, {"a": 5, "b": 50}, seed=3)
    assert some["method"].value_counts().to_dict() == {"b": 30, "a": 5}
    assert some.equals(draw(made, {"a": 5, "b": 50}, seed=3))
    assert not some.equals(draw(made, {"a": 5, "b": 50}, seed=4))
    assert set(draw(made, {"b": 1}, seed=3)["method"]) == {"b"}


def test_the_reading_is_of_sixty_at_least_by_a_named_checker():
    reading = read_reading(STORED)
    assert len(reading.rows) >= 60
    assert len(reading.checker) == 64
    assert all(
        rows.shape[0] <= reading.most[str(name)] for name, rows in reading.rows.groupby("method")
    )
    assert "no person" in json.loads(STORED.read_text())["annotator"]


def test_precision_is_the_share_of_right_accusations(tmp_path: Path):
    stored = json.loads(STORED.read_text())
    row = {"method": "llm", "move": "m", "kind": "piece", "evidence": "e", "reason": "r"}
    stored["accusations"] = [row | {"claim": str(k), "right": k != 3} for k in range(4)]
    path = tmp_path / "some.json"
    path.write_text(json.dumps(stored))
    found = read_reading(path).precision()["llm"]
    assert (found.value, found.n) == (0.75, 4)
    assert 0.25 < found.low < 0.75 < found.high < 1


@pytest.mark.parametrize(
    ("change", "message"),
    [({"reason": ""}, "without a label or a reason"), ({"right": "yes"}, "without a label")],
)
def test_an_accusation_without_label_or_reason_is_refused(tmp_path: Path, change, message):
    stored = json.loads(STORED.read_text())
    stored["accusations"][0] |= change
    path = tmp_path / "some.json"
    path.write_text(json.dumps(stored))
    with pytest.raises(ValueError, match=message):
        read_reading(path)


def test_an_accusation_named_twice_is_refused(tmp_path: Path):
    stored = json.loads(STORED.read_text())
    stored["accusations"].append(stored["accusations"][0])
    path = tmp_path / "some.json"
    path.write_text(json.dumps(stored))
    with pytest.raises(ValueError, match="twice"):
        read_reading(path)


def test_published_comments_stay_as_they_are_and_are_checked_anew(briefings):
    told = [briefings["lec9/4"], briefings["lec26/30"]]
    mate, castles = read_published(told, DEFAULT_MODEL)
    assert mate.comment.text.endswith("The queen hits h3 and h2.")
    assert "The queen hits h3 and h2" in [
        one.claim.text for one in mate.checked if one.verdict == "false"
    ]
    assert castles.way == "rewritten"
    assert mate.rounds == 2
    assert len(published_by()) == 64


def test_every_move_is_published_for_the_recorded_model_and_no_other(briefings):
    for simple in (False, True):
        assert all(is_published(one, DEFAULT_MODEL, simple=simple) for one in briefings.values())
        assert not any(is_published(one, "gpt-4o", simple=simple) for one in briefings.values())
