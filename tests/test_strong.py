"""The judge of the second experiment: what it is asked, in which files, and how answers return."""

import json
import os
import re
from collections import defaultdict

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
    sizes = {name: len(frame) for name, frame in sets.items()}
    assert sizes == {
        "pairs": 300,
        "table5": 5 * 60 * 4,
        "reference": 5 * 60,
        "no_hint": 5 * 30 * 2,
        "pairs_no_hint": 300,
        "foreign": 30,
        "changed": 40,
        "again": 60,
        "rubric": 40 * 3 * 2,
        "truer": 40 * 2,
    }
    in_view = sets["reference"]
    assert all(
        "A person on move" in each.messages[-1].content for each in in_view["request"]
    )
    kept = [str(each.about) for frame in sets.values() for each in frame["request"]]
    assert not any("A person on move" in about for about in kept)
    assert {each.name for each in released_moves()} == {*strong.released_names()}


def test_without_their_source_their_rows_are_absent_and_nothing_else_changes(
    sets, writer, monkeypatch
):
    def missing(name, fetch):
        raise AssetMissing(REGISTRY[name], [])

    monkeypatch.setattr(strong, "locate", missing)
    without = strong.question_sets(writer)
    assert without["reference"].empty
    for name, frame in without.items():
        others = sets[name]
        if "method" in others and name != "reference":
            others = others[others["method"] != strong.PEOPLE]
            assert {each.messages for each in frame["request"]} == {
                each.messages for each in others["request"]
            }


def test_a_pair_is_a_comment_and_its_copy_with_one_word_broken(sets):
    pairs = sets["pairs"]
    by_pair = pairs.pivot(index=["pair", "move"], columns="variant", values="text")
    assert len(by_pair) == strong.PAIRS
    assert by_pair.index.get_level_values("move").nunique() > 130
    for _, true, broken in by_pair[["true", "broken"]].itertuples():
        words = [re.findall(r"\w+", each) for each in (true, broken)]
        assert sum(map(str.__ne__, *words)) == 1


def test_a_foreign_comment_stands_under_another_move_and_words_are_added_to_no_other(
    sets,
):
    foreign = sets["foreign"]
    assert (foreign["move"] != foreign["written_on"]).all()
    assert foreign["move"].is_unique and foreign["written_on"].is_unique
    own = sets["table5"].drop_duplicates(["move", "method"])
    written = own.set_index(["move", "method"])["text"]
    for each in sets["changed"].itertuples():
        assert written[each.move, each.method] in each.text
    assert {each.repeat for each in sets["again"]["request"]} == {1}


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


def test_no_file_shows_a_move_twice_or_a_comment_beside_its_twin(aside):
    written(aside)
    client = replay(strong.PURPOSE, JUDGE)
    known, _ = RECORD.known_questions(strong.PURPOSE, client, WRITER)
    of_key = {client.recordings.key_of(each): each for each in known}
    files = defaultdict(list)
    for path in aside.glob("kept/*.json"):
        for each in json.loads(path.read_text())["questions"].values():
            files[path].append(of_key[each["key"]])
    assert sum(map(len, files.values())) == len(of_key)
    assert max(map(len, files.values())) <= 60
    for requests in files.values():
        moves = [each.about["of"] for each in requests]
        assert len(moves) == len({*moves})
        assert len({each.messages[0] for each in requests}) == 1


def test_the_answers_of_a_file_return_to_their_questions(aside, sets):
    paths, _ = written(aside)
    for path in paths:
        text = path.read_text("utf-8")
        count = len(re.findall(r"^=+ \d+ =+$", text, re.MULTILINE))
        line = "WINNER,B,A,4,4,4,4,4,4,24,B,5,4,4,4,4,4,25"
        said = line if "WINNER" in text else "3.7"
        rows = [
            json.dumps({"number": number, "answer": said})
            for number in range(1, count + 1)
        ]
        name = path.name.partition(".")[0]
        (aside / f"{name}.answers.jsonl").write_text("\n".join(rows))
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
