"""The page "With the documents' own data": its commands can be given, and do what it says."""

import json
import re
import tomllib

import chess.pgn
import nbformat
import pytest
import zstandard

import chapters
from chessgloss.corpora.samples import sample_positions
from chessgloss.positions import Position
from fakes.leela_files import Architecture, write_leela
from scripts import PROJECT, load_script, selfplay

PAGE = (PROJECT / "book/own_data.md").read_text("utf-8")
CHAPTER = re.compile(r'^make chapter N=(\d\d)(?: PROFILE=\w+)? P="(.+)"$', re.M)
#: Commands of the page that chapters are executed with here: what is theirs in the notebook.
SHOWN = {
    "expert_name=leela layer=block1": "block1",
    "leela_layer=block1": "Leela, block1",
    "evaluations=lichess_db_eval.jsonl.zst": "split by position",
    "puzzles=lichess_db_puzzle.csv": "mates in one of Lichess",
    "games_path=games.pgn": "150 games of games.pgn",
}
PUZZLE = "00abd,6k1/5ppp/7q/8/8/8/5PPP/3R2K1 b - - 0 18,h6h5 d1d8,900,mateIn1"


def commands() -> list[tuple[str, str]]:
    """Return the numbers and the parameters of the page's chapters, its places made plain."""
    text = re.sub(r"/path/to/", "", PAGE)
    text = text.replace("$CHESSGLOSS_ASSET_LICHESS_PUZZLES", "lichess_db_puzzle.csv")
    return CHAPTER.findall(text.replace("block39", "block1"))


def test_every_chapter_takes_the_parameters_that_the_page_gives_it():
    listed = chapters.read_chapters(PROJECT)
    for number, given in commands():
        chapter = chapters.find_chapter(listed, number)
        assert chapters.read_parameters(PROJECT, chapter, given)
    given = {given for _, given in commands()}
    assert set(SHOWN) == {
        each for each in given if "model=" not in each and "judged" not in each
    }


def test_the_page_names_files_purposes_and_assets_that_there_are():
    assert all((PROJECT / path).is_file() for path in re.findall(r"python (\S+)", PAGE))
    purposes = set(re.findall(r"PURPOSE=(\w+)", PAGE)) - {"all"}
    assert purposes <= set(load_script("recordings/record.py").PURPOSES)
    assets = tomllib.loads((PROJECT / "lib/chessgloss/assets.toml").read_text("utf-8"))
    named = {name.lower() for name in re.findall(r"CHESSGLOSS_ASSET_(\w+)", PAGE)}
    assert named <= set(assets)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small files of the documents' forms."""
    folder = tmp_path_factory.mktemp("own")
    write_leela(folder / "network.pb.gz", Architecture())
    games = selfplay(150)
    sample = sample_positions(games, 20, seed=3)
    known = [{"pvs": [{"cp": 10, "line": "e2e4"}], "knodes": 1, "depth": 9}]
    fens = [fen.rsplit(" ", 2)[0] for fen in sample.fens]
    lines = [json.dumps({"fen": fen, "evals": known}) for fen in fens]
    packed = zstandard.ZstdCompressor().compress("\n".join(lines).encode())
    (folder / "lichess_db_eval.jsonl.zst").write_bytes(packed)
    rows = f"PuzzleId,FEN,Moves,Rating,Themes\n{PUZZLE}\n"
    (folder / "lichess_db_puzzle.csv").write_text(rows, "utf-8")
    played = []
    for game in games:
        board = Position.after(game.moves).board()
        written = chess.pgn.Game.from_board(board)
        written.headers["Result"] = game.result
        played.append(str(written))
    (folder / "games.pgn").write_text("\n\n".join(played), "utf-8")
    return folder


@pytest.mark.release
@pytest.mark.engine
@pytest.mark.parametrize(
    ("number", "given"), [each for each in commands() if each[1] in SHOWN]
)
def test_a_chapter_reads_the_documents_own_data(
    number, given, folder, tmp_path, monkeypatch
):
    monkeypatch.setenv("CHESSGLOSS_ASSET_LEELA", str(folder / "network.pb.gz"))
    chapter = chapters.find_chapter(chapters.read_chapters(PROJECT), number)
    parameters = {
        name: str(folder / value) if "." in str(value) else value
        for name, value in chapters.read_parameters(PROJECT, chapter, given).items()
    }
    run = chapters.separate_run(PROJECT, "smoke", tmp_path)
    executed = nbformat.read(chapters.execute(run, chapter, parameters), as_version=4)
    outputs = [each for cell in executed.cells for each in cell.get("outputs", ())]
    assert SHOWN[given] in str(outputs)
