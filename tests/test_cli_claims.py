from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from chessgloss.cli_claims import add_claims

FEN = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_claims(parser.add_subparsers())
    given = parser.parse_args(["claims", *arguments])
    return given.run(given)


def test_the_object_follows_the_contract(capsys: pytest.CaptureFixture[str]):
    text = "The bishop on c4 attacks f7 and the knight on f6."
    assert run("--fen", FEN, "--move", "4. O-O", "--text", text, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    for claim in found["claims"]:
        assert set(claim) >= {"text", "span", "kind", "verdict", "evidence"}
        assert text[slice(*claim["span"])] == claim["text"]
    verdicts = {(one["kind"], one["text"]): one["verdict"] for one in found["claims"]}
    assert verdicts["piece", "The bishop on c4"] == "true"
    assert verdicts["piece", "the knight on f6"] == "false"
    assert found["summary"]["false"] == 2


def test_the_table_names_verdict_kind_and_evidence(capsys: pytest.CaptureFixture[str]):
    run("--fen", FEN, "--move", "e1g1", "--text", "The rook on e1 is active.")
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split()[:2] == ["false", "piece"]
    run("--fen", FEN, "--move", "e1g1", "--text", "A quiet move.")
    assert capsys.readouterr().out == "no checkable claim\n"


def test_a_stream_gives_one_object_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "many.jsonl"
    entries = [
        {"id": 1, "fen": FEN, "move": "O-O", "text": "White castles."},
        {"fen": FEN, "move": "d3", "text": "White castles."},
    ]
    path.write_text("\n".join(json.dumps(one) for one in entries) + "\n\n")
    assert run("--jsonl", str(path)) == 0
    first, second = (json.loads(one) for one in capsys.readouterr().out.splitlines())
    assert (first["id"], first["claims"][0]["verdict"]) == (1, "true")
    assert second["claims"][0]["verdict"] == "false"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fen", FEN, "--move", "O-O"], "give --fen, --move and --text, or --jsonl FILE"),
        (["--jsonl", "x", "--text", "y"], "give either --jsonl, or"),
        (["--fen", "8/8 w", "--move", "e4", "--text", "x"], "has 2 of 6 fields"),
        (["--fen", FEN, "--move", "Qh9", "--text", "x"], "'Qh9' is not a legal move"),
        (["--fen", FEN, "--move", "O-O", "--text", "x", "--reply", "e2e4"], "is not legal"),
        (["--fen", FEN, "--move", "O-O", "--text", "x", "--reply", "Nf6"], "is not legal|expected"),
    ],
)
def test_bad_input_raises_one_clear_line(arguments: list[str], message: str):
    with pytest.raises(ValueError, match=message) as caught:
        run(*arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"fen": 1}', '{"fen": "8/8", "move": "a", "text": ""}']
)
def test_a_bad_line_of_a_stream_is_named(tmp_path: Path, line: str):
    path = tmp_path / "many.jsonl"
    path.write_text(line)
    with pytest.raises(ValueError, match=r"many\.jsonl, line 1"):
        run("--jsonl", str(path))


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path):
    with pytest.raises(OSError, match=r"absent\.jsonl"):
        run("--jsonl", str(tmp_path / "absent.jsonl"))
