"""Lichess's databases and the compressed streams they come in, in miniature."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path

import chess
import chess.engine
import pytest
import zstandard

from chessgloss.corpora import streams
from chessgloss.corpora.lichess import Evaluation, Puzzle, read_evaluations, read_puzzles
from chessgloss.corpora.streams import DamagedLine, TruncatedFileError

CASTLES = "4k3/8/8/8/8/8/8/4K2R w K -"
HEAD = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags"
BACK_RANK = (
    "abc12,6k1/5ppp/8/8/8/8/r4PPP/1R4K1 b - - 0 1,h7h6 b1b8 g8h7,600,80,90,1000,"
    "mateIn1 short,https://example.org/g,"
)


def evaluation(fen: str, *searches: tuple[int, int, dict[str, object]]) -> str:
    evals = [{"depth": d, "knodes": k, "pvs": [pv]} for d, k, pv in searches]
    return json.dumps({"fen": fen, "evals": evals})


def pack(path: Path, *texts: str) -> Path:
    """Write each text as its own frame, with a skippable frame and an empty one between."""
    skippable = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"size"
    empty = zstandard.compress(b"")
    path.write_bytes(b"".join(skippable + zstandard.compress(t.encode()) + empty for t in texts))
    return path


def only(items: list[Evaluation | DamagedLine] | list[Puzzle | DamagedLine]) -> list[int]:
    return [item.line for item in items if isinstance(item, DamagedLine)]


def test_the_deepest_evaluation_is_taken_with_its_point_of_view(tmp_path: Path) -> None:
    line = evaluation(
        "4k3/8/8/8/8/8/8/4K2R b K -",
        (20, 900, {"cp": 10, "line": "e8d8"}),
        (30, 5, {"cp": 512, "line": "e8d7 e1h1 d7d6"}),
        (30, 4, {"cp": 1, "line": "e8e7"}),
    )
    (read,) = read_evaluations(pack(tmp_path / "e.jsonl.zst", line))
    assert isinstance(read, Evaluation)
    assert read.score == chess.engine.PovScore(chess.engine.Cp(512), chess.WHITE)
    assert read.score.pov(chess.BLACK) == chess.engine.Cp(-512)
    assert read.moves == ("e8d7", "e1g1", "d7d6")
    assert (read.depth, read.knodes) == (30, 5)
    assert read.position.fen.endswith("b K - 0 1")
    assert len(read.repairs) == 2


def test_mates_are_mates(tmp_path: Path) -> None:
    line = evaluation("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -", (9, 1, {"mate": 1, "line": "d1d8"}))
    (read,) = read_evaluations(pack(tmp_path / "e.jsonl.zst", line))
    assert isinstance(read, Evaluation)
    assert read.score.white() == chess.engine.Mate(1)
    assert read.split in ("train", "validation", "test")


def test_damaged_evaluations_are_numbered_and_skipped(tmp_path: Path) -> None:
    good = evaluation(CASTLES, (9, 1, {"cp": 3, "line": "e1g1"}))
    bad = [
        '{"fen": "x"',
        evaluation("9/8 w - -", (9, 1, {"cp": 3, "line": ""})),
        evaluation(CASTLES, (9, 1, {"cp": 3, "line": "e1a1"})),
        evaluation(CASTLES, (9, 1, {"line": "e1g1"})),
        json.dumps({"fen": CASTLES, "evals": []}),
        "[]",
    ]
    text = "\n".join([good, *bad, "", good])
    read = list(read_evaluations(pack(tmp_path / "e.jsonl.zst", text)))
    assert only(read) == [2, 3, 4, 5, 6, 7]
    assert all(item.reason for item in read if isinstance(item, DamagedLine))
    assert isinstance(read[-1], Evaluation)


def test_a_puzzle_starts_after_the_opponents_move(tmp_path: Path) -> None:
    (puzzle,) = read_puzzles(pack(tmp_path / "p.csv.zst", f"{HEAD}\n{BACK_RANK}\n"))
    assert isinstance(puzzle, Puzzle)
    assert puzzle.position.turn == chess.WHITE
    assert puzzle.first.san == "Rb8+"
    assert puzzle.solution == ("b1b8", "g8h7")
    assert (puzzle.name, puzzle.rating) == ("abc12", 600)
    assert puzzle.position.moves == ("h7h6",)


def test_puzzles_are_chosen_by_theme(tmp_path: Path) -> None:
    other = BACK_RANK.replace("mateIn1 short", "endgame short").replace("abc12", "def34")
    path = pack(tmp_path / "p.csv.zst", f"{HEAD}\n", f"{other}\n{BACK_RANK}\n")
    names = [p.name for p in read_puzzles(path, {"mateIn1"}) if isinstance(p, Puzzle)]
    assert names == ["abc12"]
    assert len(list(read_puzzles(path, ["short"]))) == 2


def test_damaged_puzzles_are_numbered_and_skipped(tmp_path: Path) -> None:
    bad = [
        "short,row",
        BACK_RANK.replace("h7h6 b1b8", "h7h6 b1b9"),
        BACK_RANK.replace("h7h6 b1b8 g8h7", "h7h6"),
        BACK_RANK.replace(",600,", ",high,"),
        BACK_RANK.replace("h7h6 b1b8 g8h7", ""),
    ]
    text = "\n".join([HEAD, *bad, BACK_RANK])
    read = list(read_puzzles(pack(tmp_path / "p.csv.zst", text)))
    assert only(read) == [2, 3, 4, 5, 6]
    assert isinstance(read[-1], Puzzle)


def test_a_file_of_other_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"lacks the columns .*FEN.*found \['a', 'b'\]"):
        list(read_puzzles(pack(tmp_path / "p.csv.zst", "a,b\n1,2\n")))


def test_a_cut_off_file_gives_its_good_rows_then_an_error(tmp_path: Path) -> None:
    row = evaluation(CASTLES, (9, 1, {"cp": 3, "line": "e1g1"})) + "\n"
    path = pack(tmp_path / "e.jsonl.zst", row * 3, row * 50)
    path.write_bytes(path.read_bytes()[:-20])
    read = read_evaluations(path)
    assert [isinstance(next(read), Evaluation) for _ in range(3)] == [True] * 3
    with pytest.raises(TruncatedFileError, match="cut off"):
        list(read)


def test_a_file_that_is_not_zstd_is_named(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl.zst"
    path.write_text("plain text")
    with pytest.raises(ValueError, match=r"e\.jsonl\.zst is not a sound \.zst file"):
        list(read_evaluations(path))


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".zst", zstandard.compress), (".gz", gzip.compress), (".bz2", bz2.compress), (".txt", bytes)],
)
def test_lines_come_whole_across_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, compress: object
) -> None:
    monkeypatch.setattr(streams, "CHUNK", 3)
    data = b"first line\n\nthe third, longer\nlast without end"
    path = tmp_path / f"x{suffix}"
    path.write_bytes(compress(data))  # type: ignore[operator]
    assert list(streams.lines(path)) == data.splitlines(keepends=True)


@pytest.mark.parametrize("suffix", [".gz", ".bz2"])
def test_other_cut_off_files_are_told_too(tmp_path: Path, suffix: str) -> None:
    compress = gzip.compress if suffix == ".gz" else bz2.compress
    path = tmp_path / f"x{suffix}"
    path.write_bytes(compress(b"line\n" * 100)[:-6])
    with pytest.raises(TruncatedFileError):
        list(streams.lines(path))
