"""The FICS lectures: invented ones line by line, the real ones by their counts."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from chessgloss import assets
from chessgloss.corpora.lectures import (
    CATALOGUE,
    Lecture,
    LectureError,
    commented_moves,
    read_lecture,
    read_lectures,
)


def lecture(folder: Path, *lines: str, name: str = "lec7.txt") -> Lecture:
    path = folder / name
    path.write_text("\r\n".join(lines) + "\r\n")
    return read_lecture(path)


def said(read: Lecture) -> list[tuple[str, str, int]]:
    return [(c.context.numbered_san, c.comment, c.ply) for c in read.comments]


def test_a_comment_belongs_to_the_move_before_it(tmp_path: Path) -> None:
    read = lecture(
        tmp_path,
        "k Good evening.",
        "e2e4",
        "k The centre,",
        "12",
        "KIBITZ   and two  lines.",
        "e5",
        "Nf3",
        "ki A knight.",
    )
    assert said(read) == [
        ("1. e4", "The centre, and two lines.", 0),
        ("2. Nf3", "A knight.", 2),
    ]
    assert read.comments[1].context.position.moves == ("e2e4", "e7e5")
    assert read.comments[0].source == "lec7"
    counts = read.counts
    assert (counts.on_moves, counts.before_moves, counts.comment_lines) == (3, 1, 4)
    assert (counts.plies, counts.pauses) == (3, 12)
    assert (read.title, read.author) == CATALOGUE[7]
    assert read.problems == ()


def test_back_and_revert_replay_variations(tmp_path: Path) -> None:
    read = lecture(
        tmp_path, "e4", "e5", "Nf3", "back 2", "k Or:", "c5", "k Sicilian.", "revert", "d4", "back"
    )
    assert said(read) == [("1... c5", "Sicilian.", 1)]
    assert [line.moves for line in read.lines] == [
        ("e2e4", "e7e5", "g1f3"),
        ("e2e4", "c7c5"),
        ("d2d4",),
    ]
    assert [game.moves for game in read.games] == [("e2e4", "e7e5", "g1f3")]
    assert read.counts.before_moves == 1


def test_a_position_is_set_up_with_its_names(tmp_path: Path) -> None:
    read = lecture(
        tmp_path,
        "bsetup",
        "bsetup fen r3k2r/8/8/8/8/8/8/R3K2R",
        "bsetup bcastle none",
        "bsetup wcastle kside",
        "tomove black",
        "bsetup done",
        "wname Anna",
        "bname Bert",
        "1",
        "Kf7",
        "0-0",
        "k White castles.",
    )
    (line,) = read.lines
    assert line.root == "r3k2r/8/8/8/8/8/8/R3K2R b K - 0 1"
    assert (line.white, line.black) == ("Anna", "Bert")
    assert said(read) == [("2. O-O+", "White castles.", 1)]
    assert read.counts.set_ups == 2


def test_revert_goes_back_to_the_last_position_set_up(tmp_path: Path) -> None:
    fen = "8/8/8/4k3/8/8/4P3/4K3"
    read = lecture(tmp_path, "bsetup", f"bsetup fen {fen}", "bsetup done", "e3", "revert", "e4+")
    assert [line.root.split()[0] for line in read.lines] == [fen, fen]
    assert [line.moves for line in read.lines] == [("e2e3",), ("e2e4",)]


def test_pieces_are_placed_and_taken_away(tmp_path: Path) -> None:
    read = lecture(
        tmp_path,
        "bsetup",
        "bsetup clear",
        "K@e1",
        "bsetup k@e8",
        "P@a7",
        "Q@d1",
        "x@d1",
        "bsetup done",
        "a8=q",
    )
    assert read.problems == ()
    assert read.lines[0].root.split()[0] == "4k3/P7/8/8/8/8/8/4K3"
    assert read.lines[0].moves == ("a7a8q",)


def test_start_gives_the_first_position_with_its_rights(tmp_path: Path) -> None:
    read = lecture(tmp_path, "e4", "bsetup", "bsetup start", "bsetup done", "d4")
    assert read.lines[1].root == chess.STARTING_FEN


def test_tomove_between_moves_hands_the_move_over(tmp_path: Path) -> None:
    read = lecture(tmp_path, "e4", "tomove white", "d4", "k Two in a row.")
    assert read.comments[0].context.mover == chess.WHITE
    assert read.comments[0].ply == 0
    assert read.problems == ()


@pytest.mark.parametrize(
    ("moves", "uci"),
    [
        (["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "e1g1"], "e1g1"),
        (["e4", "e5", "Nf3", "Nc6", "Bc4", "Nf6", "o-o"], "e1g1"),
        (["e4", "d5", "exd"], "e4d5"),
        (["e4", "d5", "ed"], "e4d5"),
        (["e4", "e5", "nf3"], "g1f3"),
        (["e4", "f6", "Qh5++"], "d1h5"),
        (["e4", "f6", "Qh5 ++"], "d1h5"),
        (["e4", "e5", "Nf3!?"], "g1f3"),
        (["E2E4"], "e2e4"),
    ],
)
def test_moves_are_read_as_the_server_read_them(tmp_path: Path, moves: list[str], uci: str) -> None:
    read = lecture(tmp_path, *moves)
    assert read.problems == ()
    assert read.lines[0].moves[-1] == uci


@pytest.mark.parametrize(
    ("lines", "at", "reason"),
    [
        (["e4", "e4"], 2, "neither a command nor a legal move"),
        (["Kind regards to all"], 1, "not a command"),
        (["e4", "back 3"], 2, "3 plies back, but only 1"),
        (["back two"], 1, "needs a number"),
        (["bsetup", "bsetup fen 9/8"], 2, "rows"),
        (["bsetup", "e4"], 2, "'bsetup done' is missing"),
        (["bsetup", "bsetup white"], 2, "unknown set-up command 'white'"),
        (["bsetup", "bsetup fen 8/8/8/8/8/8/8/8", "bsetup done"], 3, "not a legal position"),
        (["tomove"], 1, "needs white or black"),
    ],
)
def test_what_is_not_understood_is_reported_by_line(
    tmp_path: Path, lines: list[str], at: int, reason: str
) -> None:
    (problem,) = lecture(tmp_path, *lines).problems
    assert (problem.line, problem.text) == (at, lines[at - 1])
    assert reason in problem.reason


def test_moves_after_an_illegal_position_are_problems_not_moves(tmp_path: Path) -> None:
    read = lecture(tmp_path, "bsetup", "bsetup clear", "bsetup done", "e4", "k Nothing here.")
    assert [problem.line for problem in read.problems] == [3, 4]
    assert read.comments == ()
    assert read.counts.before_moves == 1


def test_headings_end_the_comment_on_a_move(tmp_path: Path) -> None:
    read = lecture(tmp_path, "e4", "k Fine.", "k *****", "k Example 2: A vs B", "k It goes on.")
    assert said(read) == [("1. e4", "Fine.", 0)]
    assert read.counts.headings == 2
    assert read.counts.before_moves == 1


def test_a_bughouse_game_is_counted_and_not_replayed(tmp_path: Path) -> None:
    read = lecture(
        tmp_path,
        "bsetup b bughouse",
        "bsetup start",
        "bsetup done",
        "e4",
        "P@h6",
        "k A drop.",
        "back 2",
        "bsetup standard",
        "bsetup done",
        "d4",
        "k Chess again.",
    )
    assert read.problems == ()
    assert (read.counts.variant_moves, read.counts.in_variants) == (2, 1)
    assert [comment.comment for comment in read.comments] == ["Chess again."]


def test_an_empty_file_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LectureError, match="holds no lec"):
        read_lectures(tmp_path)
    with pytest.raises(LectureError, match=r"lec7\.txt is empty"):
        lecture(tmp_path, " ")


def test_a_folder_is_read_in_the_order_of_numbers(tmp_path: Path) -> None:
    for name in ("lec10.txt", "lec2.txt", "lecture.txt"):
        lecture(tmp_path, "e4", f"k {name}", name=name)
    assert [comment.comment for comment in commented_moves(tmp_path)] == ["lec2.txt", "lec10.txt"]


@pytest.fixture(scope="module")
def real_lectures() -> list[Lecture]:
    try:
        return read_lectures(assets.locate("lectures"))
    except assets.AssetMissing as error:
        pytest.skip(str(error))


class TestRealLectures:
    """Counts checked against the files with grep; the texts stay where they are."""

    def test_all_are_read_and_nothing_is_lost(self, real_lectures: list[Lecture]) -> None:
        assert [int(read.name[3:]) for read in real_lectures] == list(CATALOGUE)
        assert sum(read.counts.comment_lines for read in real_lectures) == 2639
        assert sum(len(read.problems) for read in real_lectures) <= 6

    def test_every_move_of_standard_chess_is_replayed(self, real_lectures: list[Lecture]) -> None:
        bughouse = [read.name for read in real_lectures if read.counts.variant_moves]
        assert bughouse == ["lec16"]
        assert sum(read.counts.plies for read in real_lectures) == 4617
        assert all(line.check() for read in real_lectures for line in read.lines)

    def test_most_comments_are_short_enough_to_compare(self, real_lectures: list[Lecture]) -> None:
        comments = [comment for read in real_lectures for comment in read.comments]
        assert len(comments) > 1300
        assert sum(comment.words <= 40 for comment in comments) > 0.9 * len(comments)
