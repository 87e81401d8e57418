"""Positions: the suite drawn from games, its file, kinds of position, and the known sets."""

import json

import chess
import pytest

from chessgloss.experts import load_expert
from chessgloss.llm.client import replay
from chessgloss.positions import CommentedMove, MoveInContext, Position, read_fen
from chessgloss.skill import suite
from chessgloss.skill.levels import read_level_games
from fakes.books import write_book
from scripts import load_script, refuses

script = load_script("static/make.py")

START = Position(chess.STARTING_FEN)
AFTER_E4 = read_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
SCHOLARS_MATE = read_fen(
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
)


@pytest.fixture(scope="module")
def committed_games():
    return read_level_games(suite.data_folder() / "games.tsv.zst")


def test_positions_come_back_with_the_history_of_their_game(committed_games):
    committed = suite.read_suite(suite.data_folder() / "suite.json")
    positions = suite.positions_of(committed, committed_games)
    for row, position in zip(committed.itertuples(), positions, strict=True):
        assert (position.fen, len(position.moves)) == (row.fen, row.ply)
        assert committed_games[row.level][row.number].moves[row.ply] == row.played
    for first in ([], committed_games[20]):
        others = committed_games | {5: first}
        refuses(ValueError, "is not of these", suite.positions_of, committed, others)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "version 99"),
        ({"positions": [{"name": "x"}]}, "has not the columns"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path, change, message):
    written = json.loads((suite.data_folder() / "suite.json").read_text("utf-8"))
    (tmp_path / "suite.json").write_text(json.dumps(written | change))
    refuses(ValueError, message, suite.read_suite, tmp_path / "suite.json")


def test_the_committed_suite_is_made_of_the_committed_games(tmp_path):
    for name in ("games.tsv.zst", "tables-nodes-20000.tsv.zst"):
        (tmp_path / name).symlink_to(suite.data_folder() / name)
    assert script.main(["suite", "--folder", str(tmp_path)]) == 0
    committed = suite.data_folder() / "suite.json"
    assert (tmp_path / "suite.json").read_bytes() == committed.read_bytes()
    drawn = suite.read_suite(committed)["fen"]
    assert len({fen.rsplit(" ", 2)[0] for fen in drawn}) == 400
    assert all(chess.Board(fen).legal_moves.count() > 1 for fen in drawn)


# ---------------------------------------------------------------- questions to a model


@pytest.mark.engine
def test_a_model_is_asked_every_way_and_all_is_recorded():
    requests = load_script("recordings/record.py").model_requests(load_expert("nnue"))
    assert replay("static").missing(requests) == []
    assert len(requests) == 150 * len(suite.MODEL_PLAYS) + 60
    assert len({each.prompt for each in requests}) == 3
    assert any(
        "an expert sees: White" in each.messages[-1].content for each in requests
    )


# ---------------------------------------------------------------- kinds of position


@pytest.mark.parametrize(
    ("fen", "wanted", "kind"),
    [
        (chess.STARTING_FEN, set(), "quiet"),
        (SCHOLARS_MATE.fen, {"mate", "capture", "hanging"}, "tactical"),
        ("4k3/8/8/8/7b/8/8/4K3 w - - 0 1", {"check"}, "tactical"),
        ("4k3/4n3/8/8/8/8/8/4RK2 b - - 0 1", {"pin"}, "quiet"),
        ("2r1k3/8/1N6/8/8/8/8/4K3 w - - 0 1", {"capture"}, "tactical"),
    ],
)
def test_motifs_say_what_is_at_stake(fen, wanted, kind):
    row = suite.describe_positions([fen]).iloc[0]
    assert row["kind"] == kind and all(row[f"motif {name}"] for name in wanted)
    assert row["side"] == ("White" if " w " in fen else "Black")
    assert row["concept mate in one"] == ("mate" in wanted)


# ---------------------------------------------------------------- known moves


@pytest.mark.parametrize(
    ("good", "comments"),
    [
        (
            True,
            (
                "A very strong move. White plans f4",
                "!",
                "!! The point",
                "This is an EXCELLENT move.",
            ),
        ),
        (
            False,
            (
                "? The decisive mistake.",
                "?? And he falls for it",
                "?! Correct was a5",
                "Another mistake!! White should take",
                "an error... it allows the bishop out",
            ),
        ),
        (
            None,
            (
                "!? Interesting",
                "This strong diagonal will prove enough",
                "White wins",
                "Later he makes a mistake.",
                "Another nice mate position",
            ),
        ),
    ],
)
def test_a_comment_judges_its_move_at_its_beginning_only(good, comments):
    assert [suite.praised(comment) for comment in comments] == [good] * len(comments)


PUZZLE = """[Event "Caf\xe9"]
[FEN "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 {0}"]
[SetUp "1"]

{1} *

"""


def test_puzzles_are_drawn_by_lot_and_studies_taken_if_solved(tmp_path):
    for number in (2, 3, 4):
        text = "".join(PUZZLE.format(n, "1. Rd8#") for n in range(1, 6))
        (tmp_path / f"mate_in_{number}.pgn").write_text(text, "latin-1")
    study = tmp_path / "lichess_study_lichess-practice-the-fork_by_a.pgn"
    study.write_text(PUZZLE.format(1, "1. g4") + PUZZLE.format(1, ""))
    found = suite.read_puzzles(tmp_path, count=2)
    assert [known.kind for known in found] == ["mate"] * 6 + ["study"]
    assert found[-1].name == "study.the-fork.001"
    assert {known.move for known in found} == {"d1d8", "g2g4"}


def test_the_books_favourite_is_vouched_for(tmp_path):
    path = write_book(tmp_path / "small.bin", [("e2e4", 9), ("e7e5", 1), ("g1f3", 7)])
    (known,) = suite.draw_book_positions(path, count=1, plies=2)
    assert (known.position.moves, known.move) == (("e2e4", "e7e5"), "g1f3")


def test_moves_of_lectures_are_numbered_within_their_lecture():
    comments = [
        CommentedMove(MoveInContext(START, "e2e4"), "words", source, 0)
        for source in ("lec2", "lec3", "lec2")
    ]
    names = [known.name for known in suite.name_moves(comments)]
    assert names == ["lec2.000", "lec3.000", "lec2.001"]


def test_pairs_are_the_plans_one_and_one_of_each_opening_and_mate():
    opening = suite.Known("opening.000", "opening", AFTER_E4, "e7e5")
    mate = suite.Known("mate_in_1.000", "mate", SCHOLARS_MATE, "h5f7")
    pairs = suite.make_pairs(
        [opening, mate, suite.Known("study.x.001", "study", START, "e2e4")]
    )
    assert (pairs[0].source, pairs[0].good, pairs[0].bad) == ("plan", "e7e5", "a7a6")
    assert {pair.name for pair in pairs} <= {"plan", "opening.000", "mate_in_1.000"}
    assert pairs == suite.make_pairs([opening, mate]) and pairs[-1].bad != "h5f7"
