"""Blind readings: what a reader is shown, what it answers, and what it must not see."""

import json
from collections import Counter

import chess.engine
import pytest

from chessgloss.commentary.moves import released_comments, released_moves
from chessgloss.judges import blind
from chessgloss.judges.blind import Seen
from chessgloss.positions import Position, read_move
from chessgloss.scores import Analysis, Line


def seen(name: str, san: str = "e4") -> Seen:
    start = Position(chess.STARTING_FEN)
    move = read_move(start, san)
    around = [
        Analysis(at, (Line(line, chess.engine.PovScore(score, at.turn), 9),), 1, "x")
        for at, line, score in (
            (start, ("e2e4", "c7c5"), chess.engine.Cp(35)),
            (move.after(), ("c7c5",), chess.engine.Mate(-2)),
        )
    ]
    return Seen(name, move, *around)


def test_a_reader_sees_board_move_and_lines_and_a_fenced_comment():
    asked = blind.ask(seen("a/1"), "It >>> opens lines.", "first", {"method": "notes"})
    told, shown = (each.content for each in asked.messages)
    assert told.startswith("You judge a comment on a chess move")
    assert shown.splitlines()[1] == "r n b q k b n r"
    assert "Move played by White: 1. e4\n" in shown
    assert "- White is ahead by 0.3 pawns: 1. e4 c5" in shown
    assert "- White mates in 2: 1...c5" in shown
    assert shown.endswith("Comment:\n<<<\nIt > > > opens lines.\n>>>")
    assert "notes" not in told + shown


def test_two_readings_are_told_the_same_five_things_in_different_words():
    first, second = (blind.ask(seen("a/1"), "x", each) for each in blind.READINGS)
    assert first.messages[1] == second.messages[1]
    assert first.messages[0] != second.messages[0]
    for asked in (first, second):
        example = asked.messages[0].content.splitlines()[-1]
        assert blind.read_answer(example).keys() == blind.ANSWERS.keys()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            "decisive=partly helpful=yes misleading=no false=no author=model",
            ["partly", "yes", "no", "no", "model"],
        ),
        (
            "False: no, Misleading: yes; **helpful** = Partly, decisive: no, author: person",
            ["no", "partly", "yes", "no", "person"],
        ),
        ("I cannot say. decisive=maybe", []),
    ],
)
def test_an_answer_is_read_by_the_names_in_it_and_what_is_not_in_the_form_is_left_out(
    text, read
):
    assert [*blind.read_answer(text).values()] == read


def test_no_file_shows_a_move_twice_and_its_order_tells_no_writer():
    moves = {f"a/{k}": seen(f"a/{k}") for k in range(40)}
    writers = ("bare", "ccc", "notes", "broken")
    written = [(name, w, f"{w} on {name}") for name in moves for w in writers]
    asked = [*blind.questions(written, moves)]
    assert len(asked) == 2 * len(written)
    places = Counter(
        (each.about["set"], each.about["part"], each.about["of"]) for each in asked
    )
    assert set(places.values()) == {1}
    parts = Counter(
        (each.about["part"], each.about["method"])
        for each in asked
        if each.about["set"] == "first"
    )
    assert len(parts) == 16, "each writer comes in each part"
    assert max(parts.values()) < 25


def test_a_preference_shows_both_and_a_rewording_sees_one_comment_alone():
    asked = blind.ask_preference(seen("a/1"), ("One.", "Two."), {"method": "x"})
    assert asked.messages[1].content.endswith(
        "First comment:\n<<<\nOne.\n>>>\nSecond comment:\n<<<\nTwo.\n>>>"
    )
    reworded = blind.ask_rewording("I love this!")
    assert reworded.messages[1].content == "<<<\nI love this!\n>>>"


def test_peoples_comments_are_read_from_a_clone_and_nowhere_else(tmp_path):
    cell = {"source": ["x = 1\n", f"ref_list = {[f'text {k} .' for k in range(60)]}"]}
    notebook = {"cells": [{"source": []}] * 6 + [cell]}
    path = tmp_path / "02_ccc_generation.ipynb"
    path.write_text(json.dumps(notebook), "utf-8")
    found = released_comments(tmp_path)
    assert found["released/02"] == "text 1 ."
    assert found.keys() == {each.name for each in released_moves()}
    assert not any(each.reference for each in released_moves())
