"""What is kept of the code released with the CCC paper: facts, places, positions, hashes."""

import csv
import hashlib
import json
import re
import tomllib

import pytest

from chessgloss import assets
from chessgloss.positions import read_move, repair_fen
from scripts import PROJECT

FOLDER = PROJECT / "data/released"


def read_rows(name):
    with (FOLDER / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def test_every_deviation_stands_at_a_place_whose_hash_is_kept():
    places = {row["name"] for row in read_rows("cells.tsv")}
    text = (FOLDER / "deviations.toml").read_text("utf-8")
    rows = tomllib.loads(text)["deviation"]
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        assert set(row) == {"id", "name", "unit", "paper", "code", "where", "explains"}
        assert row["where"], row["id"]
        assert set(row["where"]) <= places, row["id"]
    digests = [row["sha256"] for row in read_rows("cells.tsv")]
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests)
    assert len(set(digests)) == len(digests)


def test_the_sixty_moves_are_legal_and_none_of_them_castles():
    rows = read_rows("moves.tsv")
    names = {row["name"] for row in rows}
    assert len(names) == len(rows) == 60
    for row in rows:
        move = read_move(repair_fen(row["fen"]).position, row["move"])
        assert not move.position.board().is_castling(move.move)
        assert row["fen"].split()[2] == "-"


def test_a_clone_has_the_cells_that_were_read():
    try:
        clone = assets.locate("ccc", fetch=False)
    except assets.AssetMissing as error:
        pytest.skip(str(error))
    rows = read_rows("cells.tsv")
    cells = [row for row in rows if row["place"].startswith("cell")]
    for row in cells:
        notebook = json.loads((clone / row["file"]).read_text("utf-8"))
        (_, number, *_) = row["place"].split()
        source = "".join(notebook["cells"][int(number)]["source"])
        digest = hashlib.sha256(source.encode()).hexdigest()
        assert digest == row["sha256"], row["name"]
