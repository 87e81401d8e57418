"""Cases from outside: what people's files and moves are read as, where a folder of them is at hand.

``CHESSGLOSS_CASES`` names the folder, else it is ``../shared/cases`` relative to the checkout: PGN
files, and ``97_notations.tsv`` with a FEN, a move and what is right, a line each.
"""

import csv
import os
from contextlib import suppress
from pathlib import Path

import pytest

import chessgloss
from chessgloss import cli
from chessgloss.commentary.game_pgn import read_file
from chessgloss.corpora.pgn import PgnError, read_parts
from scripts import PROJECT

FOLDER = Path(os.environ.get("CHESSGLOSS_CASES") or PROJECT.parent / "shared/cases")
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="no folder of cases; CHESSGLOSS_CASES names one"
)

#: A line a file, by its number: plies of each game, -1 for one that cannot be used; what is said.
FILES = """
40: 14
42: 31
43: 21
44: 15 | without x
45: 10
46: 5 4
47: 6 | %
48: 17 | German
49: 10
50: 2 4
51: 5
52: 7
54: 600
56: 4 | the header says 1-0
57: 7
60: 11
63: 4 5
64: 10
64b: 16
65: 5
66: 10
67: 5 -1 4
69: 4 | Event stands twice
78: 2 2 2 -1 -1
01: 7
02: 7
04: 10
05: 5
06: 11
07: 5
08: 5
09: 0 5
10: 0
11: 4 | 1/2
12: 5 | Windows-1252
13: 5 | UTF-16
14: -1
15: 16
16: 4
22: 4 1 5 2 1
24: 5
25: 9
29: 8
29b: 12
29c: 5 8
""".strip().splitlines()


@pytest.mark.parametrize("row", FILES)
def test_a_file_is_read_as_is_right(row):
    number, right = row.split(": ")
    plies, _, words = right.partition(" | ")
    (path,) = [*FOLDER.glob(f"{number}_*.pgn"), *FOLDER.glob(f"second/{number}_*.pgn")]
    read = [each for each in read_file(path) if each.number]
    found = [
        -1 if each.problem else len([*each.game.mainline_moves()]) for each in read
    ]
    assert found == [*map(int, plies.split())]
    assert words in " ".join(reading for each in read for reading in each.repairs)


def test_nothing_of_a_file_is_lost():
    for path in [*FOLDER.glob("*.pgn"), *FOLDER.glob("second/*.pgn")]:
        parts = "".join(part.text for part in read_parts(path))
        whole = path.read_bytes()
        encoding = "utf-16" if whole[:2] == b"\xff\xfe" else "utf-8-sig"
        with suppress(UnicodeError):
            text = whole.decode(encoding).replace("\ufeff", "")
            assert "".join(parts.split()) == "".join(text.split()), path


def notations() -> list[dict[str, str]]:
    paths = [*FOLDER.glob("second/97_notations.tsv")]
    if not paths:
        return []
    with paths[0].open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("row", notations(), ids=lambda row: row["move"])
def test_a_move_and_its_position_are_read_as_is_right(row):
    said: list[str] = []
    expected = row["right"].partition(",")[0]
    if "refused: German letters" in row["right"]:
        with pytest.raises(ValueError, match="German"):
            chessgloss.read_move(row["fen"], row["move"])
        read = chessgloss.read_move(row["fen"], row["move"], language="de")
        assert read.san == expected
        return
    read = chessgloss.read_move(row["fen"], row["move"], say=said.append)
    if "castling field" in expected:
        assert "castling rights missing" in " ".join(said)
    else:
        assert read.san == expected
    assert bool(said) == ("said" in row["right"])


@pytest.mark.parametrize("content", [b'{"a": {"b": 1}}', b"\0" * 999, b'[Event "x"]\n'])
def test_what_is_no_game_ends_with_2(content, tmp_path, capsys):
    path = tmp_path / "x.pgn"
    path.write_bytes(content)
    with pytest.raises(PgnError, match="holds no game"):
        read_file(path)
    assert cli.main(["annotate", str(path), "-o", str(tmp_path / "out.pgn")]) == 2
    assert "holds no game" in capsys.readouterr().err
    assert not (tmp_path / "out.pgn").exists()
