"""Fresh results against committed ones: every verdict, and what it counts as."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chessgloss import verdict
from chessgloss.verdict import Tolerance, VerdictError

CHAPTER = "02_concept_vectors"
NOISE = Tolerance(f"{CHAPTER}/table6.*", absolute=0.01, relative=0.0, reason="solver noise")


def entry(value: float | None, **fields: Any) -> dict[str, Any]:
    plain = {"low": None, "high": None, "n": 100, "unit": "", "reference": None, "source": None}
    return {"value": value, **plain, **fields}


def write(folder: Path, chapter: str, entries: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{chapter}.json").write_text(json.dumps(entries), "utf-8")
    return folder


def judge(
    tmp_path: Path,
    committed: dict[str, Any] | None,
    fresh: dict[str, Any] | None,
    tolerances: tuple[Tolerance, ...] = (),
) -> verdict.Row:
    """Compare one key, ``table6.mean``, of one chapter."""
    old = write(tmp_path / "old", CHAPTER, {"table6.mean": committed} if committed else {})
    new = write(tmp_path / "new", CHAPTER, {"table6.mean": fresh} if fresh else {})
    (row,) = verdict.compare(old, new, tolerances)
    return row


ABSENT = entry(None, absent="leela network")


@pytest.mark.parametrize(
    ("committed", "fresh", "tolerances", "expected"),
    [
        (entry(0.9), entry(0.9), (), "identical"),
        (entry(1), entry(1.0), (), "identical"),
        (entry(float("nan")), entry(float("nan")), (), "identical"),
        (entry(0.9), entry(0.905), (), "different"),
        (entry(0.9), entry(0.905), (NOISE,), "within tolerance"),
        (entry(0.9), entry(0.92), (NOISE,), "different"),
        (entry(0.9, low=0.8), entry(0.9, low=0.805), (NOISE,), "within tolerance"),
        (entry(0.9, low=0.8), entry(0.9, low=0.7), (NOISE,), "different"),
        (entry(0.9), entry(0.9, n=101), (NOISE,), "different"),
        (entry(0.9), entry(0.9, unit="pawns"), (NOISE,), "different"),
        (entry(0.9), entry(None), (NOISE,), "different"),
        (entry(0.9), entry(float("nan")), (NOISE,), "different"),
        (entry(1), entry(True), (), "different"),
        (entry(0.9), None, (), "missing"),
        (None, entry(0.9), (), "new"),
        (ABSENT, entry(0.9), (), "new"),
        (entry(0.9), ABSENT, (), "asset absent"),
        (ABSENT, ABSENT, (), "asset absent"),
        (None, ABSENT, (), "asset absent"),
    ],
)
def test_a_result_gets_its_verdict(
    tmp_path: Path,
    committed: dict[str, Any] | None,
    fresh: dict[str, Any] | None,
    tolerances: tuple[Tolerance, ...],
    expected: str,
) -> None:
    row = judge(tmp_path, committed, fresh, tolerances)
    assert row.verdict == expected
    assert verdict.is_green([row]) == (expected not in {"different", "missing"})


def test_the_detail_names_what_moved(tmp_path: Path) -> None:
    row = judge(tmp_path, entry(0.9, n=100), entry(0.8, n=90))
    assert row.detail == "n 100 -> 90, value 0.9 -> 0.8"
    assert str(row).startswith(f"{CHAPTER}/table6.mean: different")


def test_a_key_missing_because_its_whole_chapter_failed(tmp_path: Path) -> None:
    old = write(tmp_path / "old", CHAPTER, {"table6.mean": entry(0.9)})
    (tmp_path / "new").mkdir()
    (row,) = verdict.compare(old, tmp_path / "new", ())
    assert row.verdict == "missing"


def test_the_larger_allowance_counts() -> None:
    tolerance = Tolerance("*", absolute=0.5, relative=0.1, reason="threads")
    assert tolerance.covers(100.0, 110.0)
    assert not tolerance.covers(100.0, 110.1)
    assert tolerance.covers(1.0, 1.5)
    assert tolerance.covers(-100.0, -110.0)


def test_the_first_matching_pattern_counts(tmp_path: Path) -> None:
    strict = Tolerance(f"{CHAPTER}/table6.mean", reason="exact")
    row = judge(tmp_path, entry(0.9), entry(0.905), (strict, NOISE))
    assert row.verdict == "different"


def test_verdicts_are_counted_table_by_table(tmp_path: Path) -> None:
    old = {"table6.mean": entry(1), "table6.worst": entry(2), "figure2.bars": entry(3)}
    new = {"table6.mean": entry(1), "table6.worst": entry(9), "figure2.bars": entry(3)}
    first = write(tmp_path / "old", CHAPTER, old), write(tmp_path / "new", CHAPTER, new)
    write(first[0], "01_positions", {"games.count": entry(5)})
    write(first[1], "01_positions", {"games.count": entry(5)})
    rows = verdict.compare(*first, ())
    counts = verdict.count_by_table(rows)
    assert list(counts) == ["01_positions games", f"{CHAPTER} table6", f"{CHAPTER} figure2"]
    assert counts[f"{CHAPTER} table6"] == {"identical": 1, "different": 1}
    assert "table6.worst: different; value 2 -> 9" in verdict.render(rows)
    assert verdict.summarise(rows) == "RED: 4 results: 3 identical, 1 different"


def test_a_failed_chapter_is_red_even_if_all_results_agree(tmp_path: Path) -> None:
    row = judge(tmp_path, entry(0.9), entry(0.9))
    assert verdict.summarise([row]) == "GREEN: 1 results: 1 identical"
    assert verdict.summarise([row], failed_chapters=1).startswith("RED")


# ---------------------------------------------------------------- files


def test_tolerances_are_read_in_order(tmp_path: Path) -> None:
    path = tmp_path / "tolerances.toml"
    path.write_text(
        '[[tolerance]]\npattern = "a/*"\nabsolute = 0.5\nreason = "x"\n'
        '[[tolerance]]\npattern = "*"\nrelative = 0.1\nreason = "y"\n'
    )
    first, second = verdict.read_tolerances(path)
    assert (first.pattern, first.absolute, first.relative) == ("a/*", 0.5, 0.0)
    assert (second.pattern, second.relative) == ("*", 0.1)


@pytest.mark.parametrize(
    "text",
    [
        '[[tolerance]]\npattern = "*"\nabsolute = -1\nreason = "x"',
        '[[tolerance]]\npattern = "*"\nrelative = inf\nreason = "x"',
        '[[tolerance]]\npattern = "*"\nabsolute = 1',
        '[[tolerance]]\npattern = "*"\nabsolut = 1\nreason = "x"',
        '[[tolerance]]\nabsolute = 1\nreason = "x"',
        "[[tolerance",
    ],
)
def test_a_bad_tolerance_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tolerances.toml"
    path.write_text(text)
    with pytest.raises(VerdictError):
        verdict.read_tolerances(path)


def test_the_declared_tolerances_can_be_read() -> None:
    declared = Path(__file__).parents[1] / "book/tolerances.toml"
    assert all(entry.pattern.count("/") == 1 for entry in verdict.read_tolerances(declared))


@pytest.mark.parametrize("text", ["{", "[]", '{"games.count": 3}', '{"games.count": {"n": 3}}'])
def test_a_bad_result_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "01_x.json").write_text(text)
    with pytest.raises(VerdictError, match=r"01_x\.json"):
        verdict.read_results(tmp_path)
