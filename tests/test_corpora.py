"""Corpora: self-play games and their file, samples and counts, lectures, and lines of files."""

import os
import re
import signal
import subprocess
import sys
import tracemalloc
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import chess
import numpy as np
import psutil
import pytest
import zstandard

from chessgloss import positions
from chessgloss.corpora import games, lectures
from chessgloss.corpora.games import (
    GamesFileError,
    line_of,
    pack,
    read_games,
    stream_lines,
)
from chessgloss.corpora.samples import sample_positions
from chessgloss.positions import Game
from chessgloss.store import file_digest
from fakes import heed_interrupts
from scripts import DATA, SELFPLAY, load_script, refuses

self_play = load_script("games/play.py")

# ---------------------------------------------------------------- self-play


@pytest.mark.engine
@pytest.mark.slow
def test_a_killed_run_goes_on_and_gives_the_same_bytes(
    stockfish, tmp_path, monkeypatch
):
    monkeypatch.setattr(self_play, "SHARD", 3)
    one, two = tmp_path / "a", tmp_path / "b"
    generate = partial(self_play.generate, count=5, seed=7, processes=1)
    whole = generate(tmp_path / "a.zst", shards=one)
    two.mkdir()
    self_play.play_shard(stockfish, two, 7, 3)
    (two / "mixed-7-0000000.part").write_text("cut off")
    again = generate(tmp_path / "b.zst", shards=two)
    assert whole.read_bytes() == again.read_bytes()
    assert len(list(read_games(whole))) == 5


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "status"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)]
)
def test_nothing_plays_on_when_a_run_is_ended(stockfish, tmp_path, end, status):
    (tmp_path / "_toc.yml").touch()
    target = tmp_path / "o.tsv.zst"
    words = [sys.executable, DATA / "games/play.py", target, "--games", "9"]
    env = os.environ | {"CHESSGLOSS_PROJECT": str(tmp_path)}
    running = subprocess.Popen(
        words, stderr=subprocess.PIPE, env=env, preexec_fn=heed_interrupts
    )
    begun = list[psutil.Process]()
    # two that tidy up, two workers, an engine
    while running.poll() is None and len(begun) < 5:
        begun = psutil.Process(running.pid).children(recursive=True)
    running.send_signal(end)
    assert b"Traceback" not in running.communicate()[1]
    assert running.returncode == status
    assert not psutil.wait_procs(begun, 30)[1]
    assert (tmp_path / ".cache" / "selfplay").is_dir()


@pytest.mark.parametrize(
    "words", ["a --games 3", "a.tsv.zst --games 0", "no/a.tsv.zst --games 1"]
)
def test_a_bad_target_or_number_is_one_line_and_status_2(words, capsys):
    assert (self_play.main(words.split()), capsys.readouterr().err.count("\n")) == (
        2,
        1,
    )


def test_a_file_reads_back_and_names_its_bad_lines(tmp_path):
    path = tmp_path / "g.zst"
    game = Game(("e2e4", "e7e5"), "1-0", "level 5", "level 3", "resigned", 6)
    line = line_of(0, game)
    assert list(read_games(pack([line, line], path), limit=1)) == [game]
    for lines, at in (
        ([line, "1\tA\tB\n"], "line 2"),
        ([line.replace("1-0", "2-0")], "line 1"),
    ):
        refuses(GamesFileError, at, list, read_games(pack(lines, path)))
    path.write_bytes(zstandard.compress(line.replace("level", "é").encode()))
    refuses(GamesFileError, r"g\.zst is damaged", list, read_games(path))
    pack([line] * 50_000, path)
    path.write_bytes(path.read_bytes()[:-20])
    refuses(GamesFileError, "cut off", list, read_games(path))


@pytest.mark.engine
@pytest.mark.slow
def test_the_committed_games_are_what_the_command_gives_in_any_order(stockfish):
    numbers = [19_999, 0, 5_003]
    committed = list(read_games(SELFPLAY))
    played = list(self_play.play_many(stockfish, 1, numbers))
    assert played == [committed[k] for k in numbers]
    assert next(self_play.play_many(stockfish, 8, [0])).moves != committed[0].moves


# ---------------------------------------------------------------- samples and counts


#: The first plies of one game: as many as ten positions of it, fewer, one, and none.
LONG = replace(next(read_games(SELFPLAY)), opening_plies=6)
GAMES = [replace(LONG, moves=LONG.moves[:plies]) for plies in (60, 12, 7, 40, 6)]


def test_rows_are_the_games_own_positions():
    sample = sample_positions(GAMES, 10, seed=1, jobs=1)
    for fen, game, ply in zip(sample.fens, sample.games, sample.plies, strict=True):
        assert GAMES[game].fens()[ply] == fen
        assert GAMES[game].opening_plies <= ply < len(GAMES[game].moves)
    assert np.bincount(sample.games, minlength=5).tolist() == [10, 6, 1, 10, 0]


def test_more_games_only_add_rows_and_jobs_change_nothing():
    draw = partial(sample_positions, per_game=5, seed=1)
    few = draw(GAMES[:2], jobs=1)
    every = draw(GAMES, jobs=1)
    assert every.fens[: len(few)] == few.fens
    assert draw(GAMES, jobs=2).digest() == every.digest()
    assert draw(GAMES, seed=2, jobs=1).digest() != every.digest()


@pytest.mark.parametrize(
    ("fen", "phase"),
    [
        (chess.STARTING_FEN, "opening"),
        (
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 30",
            "middlegame",
        ),
        ("r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21", "middlegame"),
        ("8/3nk3/1p4pp/1N1P1p2/1bP2KP1/3P1P2/7P/8 b - - 0 30", "endgame"),
    ],
)
def test_the_phase_goes_by_pieces_then_by_ply(fen, phase):
    assert positions.phase_of(fen) == phase


def test_the_committed_data_sheet_says_what_the_file_holds():
    games = list(read_games(SELFPLAY))
    splits = Counter(game.split for game in games)
    counts = {f"{name} games": splits[name] for name in ("train", "validation", "test")}
    counts |= {"games": len(games), "distinct games": len({game.key for game in games})}
    sheet = (SELFPLAY.parent / "README.md").read_text("utf-8")
    assert all(f"| {name} | {value:,} |\n" in sheet for name, value in counts.items())
    assert f"`{file_digest(SELFPLAY)}`" in sheet


# ---------------------------------------------------------------- lectures


def lecture(folder: Path, script: str) -> lectures.Lecture:
    path = folder / "lec7.txt"
    path.write_text(script.replace("; ", "\r\n") + "\r\n")
    return lectures.read_lecture(path)


@pytest.mark.parametrize(
    ("script", "comments", "lines"),
    [
        # a comment belongs to the move before it, over pauses; headings and take-backs end it
        (
            "k Good evening.; e2e4; k The centre,; 12; KIBITZ   and two  lines.; e5; Nf3; ki A knight.",  # noqa: E501
            [("1. e4", "The centre, and two lines.", 0), ("2. Nf3", "A knight.", 2)],
            ["e2e4 e7e5 g1f3"],
        ),
        (
            "e4; k Fine.; k *****; k Example 2: A vs B; k It goes on.",
            [("1. e4", "Fine.", 0)],
            ["e2e4"],
        ),
        # variations are replayed
        (
            "e4; e5; Nf3; back 2; k Or:; c5; k Sicilian.; revert; d4; back",
            [("1... c5", "Sicilian.", 1)],
            ["e2e4 e7e5 g1f3", "e2e4 c7c5", "d2d4"],
        ),
        # positions are set up: castling rights and the side to move, pieces placed and taken away
        (
            "bsetup; bsetup fen r3k2r/8/8/8/8/8/8/R3K2R; bsetup bcastle none; bsetup wcastle kside; "  # noqa: E501
            "tomove black; bsetup done; wname Anna; bname Bert; 1; Kf7; 0-0; k White castles.",
            [("2. O-O+", "White castles.", 1)],
            ["e8f7 e1g1"],
        ),
        (
            "bsetup; bsetup clear; K@e1; bsetup k@e8; P@a7; Q@d1; x@d1; bsetup done; a8=q; k One queen.",  # noqa: E501
            [("1. a8=Q+", "One queen.", 0)],
            ["a7a8q"],
        ),
        (
            "e4; tomove white; d4; k Two in a row.",
            [("1. d4", "Two in a row.", 0)],
            ["e2e4", "d2d4"],
        ),
        # a game of bughouse is passed over
        (
            "bsetup b bughouse; bsetup start; bsetup done; e4; P@h6; k A drop.; back 2; "
            "bsetup standard; bsetup done; d4; k Chess again.",
            [("1. d4", "Chess again.", 0)],
            ["d2d4"],
        ),
    ],
)
def test_a_lecture_is_replayed(tmp_path, script, comments, lines):
    read = lecture(tmp_path, script)
    assert [
        (c.context.numbered_san, c.comment, c.ply) for c in read.comments
    ] == comments
    roots = [c.context.position.root for c in read.comments if c.context.san == "O-O+"]
    assert set(roots) <= {"r3k2r/8/8/8/8/8/8/R3K2R b K - 0 1"}
    assert [" ".join(line) for line in read.lines] == lines
    assert read.comment_lines == len(re.findall(r"(?i)(?:^|; )k(?:i|ibitz)? ", script))
    assert (read.problems, read.comments[0].source) == ([], "lec7")


@pytest.mark.parametrize(
    "row",
    [
        "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1 | e1g1",
        "e4 e5 Nf3 Nc6 Bc4 Nf6 o-o | e1g1",
        "e4 d5 exd | e4d5",
        "e4 d5 ed | e4d5",
        "e4 e5 nf3 | g1f3",
        "e4 f6 Qh5_++ | d1h5",
        "e4 e5 Nf3!? | g1f3",
        "E2E4 | e2e4",
    ],
)
def test_moves_are_read_as_the_server_read_them(tmp_path, row):
    moves, uci = row.split(" | ")
    read = lecture(tmp_path, moves.replace(" ", "; ").replace("_", " "))
    assert (read.problems, read.lines[0][-1]) == ([], uci)


#: A lecture whose last line is not understood, and why.
NOT_UNDERSTOOD = """
e4; e4 | neither a command nor a legal move
Kind regards to all | not a command
e4; back 3 | 3 plies back, but only 1
back two | needs a number
bsetup; bsetup fen 9/8 | rows
bsetup; e4 | 'bsetup done' is missing
bsetup; bsetup white | unknown set-up command 'white'
bsetup; bsetup fen 8/8/8/8/8/8/8/8; bsetup done | not a legal position
tomove | needs white or black
"""


@pytest.mark.parametrize("row", NOT_UNDERSTOOD.strip().splitlines())
def test_what_is_not_understood_is_reported_by_line(tmp_path, row):
    script, reason = row.split(" | ")
    lines = script.split("; ")
    (problem,) = lecture(tmp_path, script).problems
    assert problem[:2] == (len(lines), lines[-1])
    assert reason in problem[2]


def test_an_empty_file_and_an_empty_folder_are_refused(tmp_path):
    refuses(lectures.LectureError, "holds no lec", lectures.read_lectures, tmp_path)
    refuses(lectures.LectureError, r"lec7\.txt is empty", lecture, tmp_path, " ")


def test_the_real_lectures_are_read_whole(real_lectures):
    """Counts checked against the files with grep; the texts stay where they are."""
    assert (len(real_lectures), sum(read.comment_lines for read in real_lectures)) == (
        31,
        2639,
    )
    assert sum(len(read.problems) for read in real_lectures) <= 6
    held = lectures.evaluated_lectures(real_lectures)
    assert held == {"lec3", "lec9", "lec10", "lec12", "lec25", "lec26"}
    comments = [c for read in real_lectures if read.name in held for c in read.comments]
    assert sum(map(lectures.eligible, comments)) == 254


# ---------------------------------------------------------------- lines of large files


def frames(path: Path, *texts: str) -> Path:
    """Write each text as its own frame, with a skippable frame and an empty one between."""
    skippable = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"size"
    empty = zstandard.compress(b"")
    path.write_bytes(
        b"".join(skippable + zstandard.compress(t.encode()) + empty for t in texts)
    )
    return path


def test_a_cut_off_file_gives_its_whole_lines_then_an_error(tmp_path):
    path = frames(tmp_path / "p.csv.zst", "first\nsecond\n", "third\n" * 50)
    path.write_bytes(path.read_bytes()[:-20])
    read = stream_lines(path)
    assert [next(read), next(read)] == [b"first\n", b"second\n"]
    refuses(games.TruncatedFileError, "cut off", list, read)


def test_a_line_without_end_is_refused_before_it_is_held(tmp_path):
    path = frames(tmp_path / "x.zst", "first\n" + "x" * (1 << 28))
    tracemalloc.start()
    refuses(
        GamesFileError,
        r"x\.zst: a line of over 1,048,576 bytes",
        list,
        stream_lines(path),
    )
    assert tracemalloc.get_traced_memory()[1] < 1 << 26
    tracemalloc.stop()


def test_lines_come_whole_across_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(games, "CHUNK", 3)
    monkeypatch.setattr(games, "PACKED_CHUNK", 3)
    data = "first line\n\nthe third, longer\nlast without end"
    (tmp_path / "x.txt").write_text(data)
    for path in (tmp_path / "x.txt", frames(tmp_path / "x.zst", data)):
        assert list(stream_lines(path)) == data.encode().splitlines(keepends=True)
