"""Anybody's games: PGN and tables, packed in every way, damaged ones named, and the command."""

import bz2
import gzip
from itertools import islice

import pytest
import zstandard

from chessgloss.corpora import games as packed
from chessgloss.corpora import pgn as reader
from chessgloss.corpora.games import (
    GamesFileError,
    Skipped,
    TruncatedFileError,
    people_games,
    read_anybody,
    read_games,
)
from scripts import load_script, refuses

command = load_script("games/from_pgn.py")

MATE = "1. f3 e5 2. g4 Qh4# 0-1"
PLAYED = ("f2f3", "e7e5", "g2g4", "d8h4")


def pgn(moves: str, *headers: str) -> bytes:
    tags = ['[Event "?"]', '[WhiteElo "1900"]', *headers]
    return "\n".join([*tags, "", moves, "", ""]).encode()


GAMES = [
    pgn(MATE, '[Result "0-1"]', '[Termination "Normal"]'),
    pgn("1. e4 e5 2. Ke3 *", '[Result "*"]'),
    pgn("1. Kd2 *", '[SetUp "1"]', '[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]'),
    pgn(
        "1. g3 *",
        '[Variant "Chess960"]',
        '[SetUp "1"]',
        '[FEN "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1"]',
    ),
    pgn("1. e4 { not closed\n\n[%clk 0:01:00] e5 *", '[Result "*"]'),
    '[White "Réti – Alekhine"]\n\n{ a – dash }\n1. Nf3 d5 1/2-1/2\n\n'.encode("cp1252"),
    pgn("1. e4 e5 *", '[Variant "Atomic"]'),
]
WORDS = ["illegal", "set-up", "Chess960", "comment", "Atomic"]

PACKED = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.fixture(params=list(PACKED))
def mixed(request, tmp_path):
    path = tmp_path / f"mixed.pgn{request.param}"
    path.write_bytes(PACKED[request.param](b"".join(GAMES)))
    return path


def test_good_games_are_taken_and_bad_ones_named(mixed, monkeypatch):
    monkeypatch.setattr(reader, "WINDOW", 200)  # of whole games
    found = list(read_anybody(mixed))
    skipped = [each for each in found if isinstance(each, Skipped)]
    games = [each for each in found if not isinstance(each, Skipped)]
    assert [game.moves for game in games] == [PLAYED, ("g1f3", "d7d5")]
    assert (games[0].white, games[0].black) == ("1900", "?")
    assert (games[0].result, games[0].termination) == ("0-1", "Normal")
    assert [each.number for each in skipped] == [2, 3, 4, 5, 7]
    for each, word in zip(skipped, WORDS, strict=True):
        assert word in each.reason, each
    lines = b"".join(GAMES).split(b"\n")
    assert all(lines[each.line - 1].startswith(b"[Event") for each in skipped)


def test_peoples_games_are_the_first_of_the_file_that_are_taken(mixed, monkeypatch):
    monkeypatch.setenv("CHESSGLOSS_ASSET_GAMES", str(mixed))
    assert [game.moves for game in people_games(5)] == [PLAYED]
    assert [game.moves for game in people_games(6)] == [PLAYED, ("g1f3", "d7d5")]


def test_without_a_file_there_are_no_games_of_people(tmp_path, monkeypatch):
    monkeypatch.setenv("CHESSGLOSS_ASSET_GAMES", str(tmp_path / "none.pgn"))
    assert people_games(5) == []


def test_the_command_writes_the_games_form_and_counts(mixed, tmp_path, capsys):
    target = tmp_path / "games.tsv.zst"
    assert command.main([str(mixed), str(target)]) == 0
    out, err = capsys.readouterr()
    assert "2 games, 5 skipped" in out and len(err.splitlines()) == 5
    assert [game.moves[0] for game in read_games(target)] == ["f2f3", "g1f3"]
    assert command.main([str(mixed), str(target), "--limit", "1"]) == 0
    assert [game.moves for game in read_games(target)] == [PLAYED]


def test_tables_are_read_and_moves_checked(tmp_path):
    rows = [
        "\t".join(packed.COLUMNS),
        f"1900\t2000\t60+0\t0-1\tNormal\t{' '.join(PLAYED)}",
        "1900\t2000\t60+0\t0-1\tNormal\te2e5",
        "1900\t2000\t60+0\twon\tNormal\te2e4",
        "1900\t2000",
    ]
    path = tmp_path / "table.tsv.zst"
    path.write_bytes(PACKED[".zst"]("\n".join(rows).encode()))
    game, illegal, result, short = read_anybody(path)
    assert (game.moves, game.white, game.black) == (PLAYED, "1900", "2000")
    assert "illegal" in illegal.reason and "'won'" in result.reason
    assert "2 columns" in short.reason
    assert (illegal.number, illegal.line) == (2, 3)


def test_damage_leaves_no_file(tmp_path, capsys):
    whole = b"".join(GAMES) * 50
    target = tmp_path / "out.tsv.zst"
    for ending in (".gz", ".bz2", ".zst"):
        path = tmp_path / f"cut.pgn{ending}"
        path.write_bytes(PACKED[ending](whole)[:-20])
        refuses(TruncatedFileError, "is cut off", list, read_anybody(path))
        path.write_bytes(b"no such packing" * 9)
        refuses(GamesFileError, path.name, list, read_anybody(path))
        assert command.main([str(path), str(target)]) == 2
    empty = tmp_path / "bad.pgn"
    empty.touch()
    for path, words in ((empty, "no game"), (tmp_path / "none.pgn", "none.pgn")):
        assert command.main([str(path), str(target)]) == 2
        assert words in capsys.readouterr().err
    assert not target.exists()


def test_an_endless_game_costs_itself_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "MOST_IN_GAME", 500)
    long = pgn("1. e4 {" + "\n".join(["long"] * 200) + "} e5 *")
    path = tmp_path / "long.pgn"
    path.write_bytes(GAMES[0] + long + GAMES[0])
    first, skipped, last = read_anybody(path)
    assert first == last and "in one game" in skipped.reason


def test_what_stands_before_a_cut_is_read(tmp_path):
    path = tmp_path / "cut.pgn.gz"
    path.write_bytes(PACKED[".gz"](b"".join(GAMES) * 200)[:-20])
    found = islice(read_anybody(path), 1_300)
    assert len(list(found)) == 1_300
