"""The judge of the second experiment: what it is asked, in which files, and how answers return."""

import json
import os
import re

import pytest

from chessgloss.assets import REGISTRY, AssetMissing
from chessgloss.commentary import voice
from chessgloss.commentary.moves import released_moves
from chessgloss.judges import gcc, pairwise, strong
from chessgloss.judges.gcc import read_decimal
from chessgloss.llm.client import replay
from chessgloss.llm.recordings import Answer, Recordings, State
from chessgloss.store import data_file
from scripts import load_script

FREEZE = load_script("commentary/freeze.py")
RECORD = load_script("recordings/record.py")
WRITER, JUDGE = "claude", "scripted-1"
APART = ("set", "asked", "part")
LINE = "WINNER,B,A,4,4,4,4,4,4,24,B,5,4,4,4,4,4,25"


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Return a clone with a made-up comment on each of the released moves."""
    folder = tmp_path_factory.mktemp("clone")
    texts = [f"A person on move {number} ." for number in range(60)]
    cell = {"source": [f"ref_list = {texts}"]}
    notebook = {"cells": [{"source": []}] * 6 + [cell]}
    (folder / "02_ccc_generation.ipynb").write_text(json.dumps(notebook))
    return folder


@pytest.fixture(scope="module")
def writer():
    return replay(voice.PURPOSE, WRITER)


@pytest.fixture(scope="module")
def sets(people, writer):
    """Return all questions, with people's comments."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strong, "locate", lambda name, fetch: people)
        return strong.question_sets(writer)


def test_what_is_asked_is_what_was_decided_before_the_first_answer():
    frozen = json.loads(data_file("commentary/judge/frozen.json").read_text())
    assert frozen == json.loads(json.dumps(FREEZE.of_judge()))


def test_people_are_judged_where_their_words_are_and_no_recording_has_them(sets):
    of_people = sets["reference"]["request"]
    assert all("A person on move" in str(each.messages) for each in of_people)
    assert not any("A person on move" in str(each.about) for each in of_people)
    assert {each.name for each in released_moves()} == {*strong.released_names()}


def test_without_their_source_their_rows_are_absent_and_nothing_else_changes(
    sets, writer, monkeypatch
):
    def missing(name, fetch):
        raise AssetMissing(REGISTRY[name], [])

    monkeypatch.setattr(strong, "locate", missing)
    without = strong.question_sets(writer)
    assert without["reference"].empty
    others = sets["table5"].query("method != @strong.PEOPLE")
    asked = [{x.messages for x in y["request"]} for y in (others, without["table5"])]
    assert asked[0] == asked[1]


# ---------------------------------------------------------------- files


@pytest.fixture
def aside(sets, monkeypatch, tmp_path):
    """Put the judge's recordings aside; return the folder of files."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    place = Recordings.of
    monkeypatch.setattr(
        Recordings,
        "of",
        lambda model, purpose, *more: place(
            model, purpose, *([tmp_path] if purpose == strong.PURPOSE else more)
        ),
    )
    monkeypatch.setattr(strong, "question_sets", lambda writer: sets)
    return tmp_path / "files"


def written(folder):
    layout = RECORD.Layout(size=60, seed=1, apart=APART)
    return RECORD.write_questions(strong.PURPOSE, WRITER, folder, layout, JUDGE)


def test_the_answers_of_a_file_return_to_their_questions(aside, sets):
    paths, _ = written(aside)
    for path in paths:
        text = path.read_text("utf-8")
        count = len(re.findall(r"^=+ \d+ =+$", text, re.MULTILINE))
        said = LINE if "WINNER" in text else "3.7"
        rows = [{"number": n, "answer": said} for n in range(1, count + 1)]
        name = path.name.partition(".")[0]
        (aside / f"{name}.answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    readings = RECORD.read_answers(strong.PURPOSE, WRITER, aside, "2026-01-31", JUDGE)
    assert not any(each.unanswered for each in readings)
    client = replay(strong.PURPOSE, JUDGE)
    for name, frame in sets.items():
        answered = client.answered(frame)
        if name in ("rubric", "truer"):
            lines = pairwise.read_lines(answered)
            assert {*lines["state"]} == {"read"}
        else:
            assert {read_decimal(each).value for each in answered["answer"]} == {3.7}
    assert "A person on move" not in client.recordings.path.read_text("utf-8")


def test_a_judge_with_log_probabilities_is_asked_for_a_token_of_single_comments_alone(
    writer, request
):
    asked = strong.token_questions(writer)
    assert {each.sampling for each in asked} == {gcc.ONE_TOKEN}
    assert not {str(each.about["set"]) for each in asked} & {*strong.PAIRED}
    assert strong.judge_of(JUDGE)[1] == "decimal"
    request.getfixturevalue("recordings_aside")
    judge = replay(strong.TOKENS_PURPOSE, JUDGE)
    judge.recordings.keep(asked[0], Answer(State.CUT_OFF, "4"), "2026-01-31")
    assert strong.judge_of(JUDGE)[1] == "token"


# ---------------------------------------------------------------- one decimal


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3.7", 3.7),
        ("5", 5),
        ("Relevance: 4.0", 4),
        ("**2.5**", 2.5),
        ("4.5/5", 4.5),
        ("5.5", None),
        ("0.9", None),
        ("3.75", None),
        ("3-4", None),
        ("good", None),
        ("", None),
    ],
)
def test_a_decimal_is_read_on_the_scale_and_nothing_else_is_a_score(text, value):
    score = read_decimal(Answer(State.ANSWERED, text))
    assert score.value == value if value else score is gcc.UNSCORED
    assert read_decimal(Answer(State.REFUSED, text)) is gcc.UNSCORED
