from __future__ import annotations

import subprocess
import sys

import pytest

from chessgloss import cli, doctor
from chessgloss.corpora import games


def test_the_doctor_says_what_to_run_for_what_is_missing(monkeypatch, capsys):
    monkeypatch.setenv("CHESSGLOSS_STOCKFISH", "/nowhere/stockfish")
    monkeypatch.setenv("PATH", "")
    assert cli.main(["doctor"]) == 1
    rows = capsys.readouterr().out.splitlines()
    assert rows[1].split() == ["component", "found", "version", "what", "to", "run"]
    engine = next(row for row in rows if row.startswith("Stockfish 15.1"))
    assert " no " in engine
    assert "apt-get install stockfish" in engine
    assert "node" in next(row for row in rows if row.startswith("Stockfish 8"))


def test_what_is_found_needs_no_remedy():
    findings = {finding.component: finding for finding in doctor.examine()}
    assert findings["Python"].found
    assert findings["chess"].version
    assert all(bool(finding.remedy) != finding.found for finding in findings.values())


def test_an_optional_part_is_no_failure(monkeypatch):
    optional = doctor.Finding("asset leela", False, "", "export X=...", essential=False)
    monkeypatch.setattr(doctor, "examine", lambda: [optional])
    assert cli.main(["doctor"]) == 0
    assert "no (optional)" in doctor.render([optional])


@pytest.mark.parametrize(
    "arguments",
    [["games", "out.txt", "--games", "3"], ["games", "out.tsv.zst", "--games", "0"]],
)
def test_bad_input_is_one_line_and_status_2(arguments, capsys):
    assert cli.main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("chessgloss games: ")
    assert error.count("\n") == 1


def test_games_are_generated_where_asked(tmp_path, monkeypatch):
    asked = {}
    monkeypatch.setattr(games, "generate", lambda target, n, **more: asked.update(more, n=n))
    assert cli.main(["games", str(tmp_path / "g.tsv.zst"), "--games", "7", "--seed", "3"]) == 0
    assert (asked["n"], asked["seed"]) == (7, 3)


def test_an_unknown_command_lists_those_there_are():
    said = subprocess.run(
        [sys.executable, "-m", "chessgloss.cli", "sing"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 2
    assert "doctor" in said.stderr
