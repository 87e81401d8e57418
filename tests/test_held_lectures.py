from __future__ import annotations

from dataclasses import fields
from itertools import pairwise

import pytest

from chessgloss import assets
from chessgloss.corpora.fics import Counts
from chessgloss.corpora.held_lectures import eligible, evaluated_lectures
from chessgloss.corpora.lectures import Lecture, read_lectures
from chessgloss.positions import CommentedMove, MoveInContext, read_fen, split_of

START = read_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
OPENING = MoveInContext(START, "e2e4")
NO_COUNTS = Counts(**{field.name: 0 for field in fields(Counts)})
#: Of these lectures the split leaves lec9, lec10 and lec12 out of the training part.
NAMES = ["lec8", "lec9", "lec10", "lec11", "lec12", "lec13"]


def lecture(name: str, comments: list[str]) -> Lecture:
    commented = tuple(CommentedMove(OPENING, text, name, 0) for text in comments)
    return Lecture(name, "", "", commented, (), NO_COUNTS, ())


def test_a_lecture_outside_the_training_part_is_evaluated():
    lectures = [lecture(name, ["one two three"]) for name in NAMES]
    assert evaluated_lectures(lectures, enough=3) == {"lec9", "lec10", "lec12"}


def test_others_join_in_an_order_that_is_not_the_given_one():
    lectures = [lecture(name, ["one two three"]) for name in NAMES]
    joined = [evaluated_lectures(lectures, enough=enough) for enough in (3, 4, 5, 6, 7)]
    assert [len(names) for names in joined] == [3, 4, 5, 6, 6]
    assert all(fewer <= more for fewer, more in pairwise(joined))
    assert evaluated_lectures(reversed(lectures), enough=4) == joined[1]


@pytest.mark.parametrize(("words", "counts"), [(2, False), (3, True), (40, True), (41, False)])
def test_only_comments_of_middle_length_count(words: int, counts: bool):
    text = " ".join(["word"] * words)
    lectures = [lecture("lec9", [text]), lecture("lec8", [text])]
    assert eligible(lectures[0].comments[0]) is counts
    assert ("lec8" in evaluated_lectures(lectures, enough=1)) is not counts


def test_the_evaluated_lectures_are_these_six():
    try:
        lectures = read_lectures(assets.locate("lectures", fetch=False))
    except assets.AssetMissing as error:
        pytest.skip(str(error))
    held = evaluated_lectures(lectures)
    assert held == {"lec3", "lec9", "lec10", "lec12", "lec25", "lec26"}
    assert held == {one.name for one in lectures if split_of(one.name) != "train"}
    assert sum(eligible(c) for one in lectures if one.name in held for c in one.comments) == 254
