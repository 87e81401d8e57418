"""Benchmarks: turns and ratios, of which code a figure is, and that the page says so."""

import json
import re
import subprocess
import sys

import pytest

from scripts import PROJECT

sys.path += [str(PROJECT / "benchmarks"), str(PROJECT / "book/_ext")]

import bench
import measured

PAGE = (PROJECT / "book/scale.md").read_text("utf-8")
SCRIPT = "from chessgloss.speed import used\n\nused()\n"
LIBRARY = "def used():\n    return 1\n"
ENTRY = {"value": 0.98, "low": 0.96, "high": 1.01, "n": 12_000}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with one benchmark, ``some_speed``, of one function of its library."""
    package = tmp_path / "lib/chessgloss"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "speed.py").write_text(LIBRARY)
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "some_speed.py").write_text(SCRIPT)
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(bench, "BENCHMARKS", folder)
    monkeypatch.setattr(bench, "RESULTS", folder / "results")
    monkeypatch.setattr(bench.age_of, "__defaults__", (folder / "results",))
    monkeypatch.setattr(measured, "_benchmarks", lambda: folder)
    bench.keep("some_speed", {"some.ratio": ENTRY, "machine": {"date": "2026-11-25"}})
    return tmp_path


@pytest.mark.parametrize(
    ("before", "after", "current"),
    [
        ("return 1", "return 1", True),
        ("return 1", "return 3", False),
    ],
)
def test_figures_are_of_older_code_once_what_they_measure_changed(
    project, before, after, current
):
    (project / "lib/chessgloss/speed.py").write_text(LIBRARY.replace(before, after))
    assert bench.age_of("some_speed").current is current
    shown = measured.row("some_speed | some.ratio | Some tables")
    assert shown.startswith(
        "| Some tables | 0.98 | 0.96 to 1.01 | 12,000 | measured on"
    )
    assert ("of older code" in shown) is not current
    assert ("of older code" in measured.age("some_speed")) is not current


def test_results_without_a_fingerprint_are_of_older_code(project):
    path = project / "benchmarks/results/some_speed.json"
    path.write_text(json.dumps({"some.ratio": ENTRY}))
    assert "not noted, **of older code**" in measured.age("some_speed")
    assert "not measured" in measured.row("some_speed | other.ratio | Others")


def test_the_page_quotes_no_figure_without_its_age():
    """What the extension writes carries its age; a figure in the page's own text would not."""
    cut = re.sub(r"```\{figures\}.*?```", "", PAGE, flags=re.DOTALL)
    for path in bench.RESULTS.glob("*.json"):
        entries = json.loads(path.read_text("utf-8")).values()
        values = [one["value"] for one in entries if "value" in one]
        quoted = [f"{v:g}" for v in values if re.search(rf"\b{v:g}\b", cut)]
        assert not [number for number in quoted if "." in number], path.name
    tables = [part for part in re.split(r"\n## ", PAGE) if "results/scale.csv" in part]
    assert tables
    assert all("{measured}`table6_speed`" in part for part in tables)


def test_every_benchmark_is_listed_and_keeps_the_fingerprint_of_its_code():
    stems = {path.stem for path in bench.BENCHMARKS.glob("*.py")}
    listed = {*bench.SHORT, *bench.LONG}
    others = {"bench", "campaign", "fuzz"}
    assert {stem for stem in stems if not stem.endswith("_worker")} == listed | others
    for name in listed:
        script = (bench.BENCHMARKS / f"{name}.py").read_text("utf-8")
        assert f'keep("{name}", ' in script
    keys = re.findall(r"^(\w+) \| ([\w.]+) \|", PAGE, re.MULTILINE)
    assert keys
    assert {name for name, _ in keys} <= listed


def test_both_sides_are_measured_in_turns():
    called = []
    works = {name: lambda name=name: called.append(name) or 2.0 for name in "ab"}
    assert bench.in_turns(works, 2) == {"a": [2.0, 2.0], "b": [2.0, 2.0]}
    assert called == ["a", "b", "a", "b"]


def test_a_ratio_is_the_median_of_the_rounds_within_its_interval():
    found = bench.ratio([2.0, 6.0, 12.0], [1.0, 2.0, 3.0], reference=0.9)
    assert (found["value"], found["rounds"], found["reference"]) == (3.0, 3, 0.9)
    assert 2.0 <= found["low"] <= 3.0 <= found["high"] <= 4.0
    with pytest.raises(ValueError, match="longer"):
        bench.ratio([1.0], [1.0, 2.0])


def test_the_library_of_the_last_version_is_in_git():
    named = bench.last_version()
    command = ["git", "cat-file", "-e", f"{named}^{{commit}}"]
    if subprocess.run(command, cwd=PROJECT, capture_output=True).returncode:
        pytest.skip("this checkout has no history")
    with bench.last_library() as library:
        assert (library / "chessgloss/__init__.py").is_file()
    assert not library.exists()
