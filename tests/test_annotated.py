"""The blind reading of comments on annotated moves: who is asked what, and what is kept."""

import json
from collections import Counter

import pytest

from chessgloss.commentary.annotated import ANNOTATED, KEPT
from chessgloss.commentary.notes import write_notes
from chessgloss.llm.batches import split
from chessgloss.llm.client import replay
from chessgloss.llm.recordings import Answer, State
from scripts import load_script, refuses

STUDY = load_script("annotated/study.py")


@pytest.fixture(scope="module")
def moves():
    return ANNOTATED.briefings()


@pytest.fixture(scope="module")
def study(moves, tmp_path_factory):
    """Of a third of the moves all say what the program does; it is reworded as it is."""
    made = STUDY.Study("scripted-1", {}, tmp_path_factory.mktemp("kept"))
    few = dict([*moves.items()][::3])
    notes = {name: write_notes(each).text for name, each in few.items()}
    written = {writer: dict[str, str]() for writer in STUDY.WRITERS}
    for writer, texts in written.items():
        for name, text in notes.items():
            texts[name] = f"{writer}: {text}"
    made.__dict__["moves"] = few
    made.__dict__["written"] = written
    answered(
        made, "reword", lambda each: each.messages[-1].content.splitlines()[1][:300]
    )
    return made


def answered(study, stage: str, said) -> list:
    """Record an answer to every question of a stage; return the questions."""
    purpose, make = STUDY.ASKED[stage]
    recordings = study.recordings(purpose)
    asked = make(study)
    for each in asked:
        recordings.keep(each, Answer(State.ANSWERED, said(each)), "2026-11-28", {})
    return asked


def test_writers_are_given_what_was_searched_and_readers_other_lines(moves, study):
    seen = study.seen
    assert len(moves) == 3 * len(seen)
    for name, each in study.moves.items():
        assert each.before.best.moves
        assert each.move == seen[name].move
        assert each.before.nodes != seen[name].before.nodes


def test_both_arms_are_asked_once_a_move_and_no_file_shows_a_move_twice(study):
    asked = ANNOTATED.questions()
    arms = Counter(each.about["method"] for each in asked)
    assert arms == {"ccc": 60, "explain": 60}
    contents = {each.messages[-1].content for each in asked}
    assert len(contents) == 120
    for stage, (_, make) in STUDY.ASKED.items():
        questions = make(study)
        for batch in split(questions, 40, 1, STUDY._group(questions)):
            names = [each.about["of"] for each in batch]
            assert len(names) == len(set(names)) > 0, stage


def test_what_two_readings_are_shown(study):
    asked = study.blind()
    forms = Counter(
        (each.about["set"], str(each.about["method"]).split()[1]) for each in asked
    )
    assert forms["first", "reworded"] == 80
    assert forms["second", "reworded"] == 80
    assert forms["first", "original"] == 80
    assert forms["second", "original"] == 0
    assert forms["first", "broken"] == forms["second", "broken"]
    assert 12 <= forms["first", "broken"] <= 24
    for writer, texts in study.broken.items():
        for name, text in texts.items():
            assert text != study.reworded[writer][name]
    pairs = study.prefer()
    first = Counter(str(each.about["first"]) for each in pairs)
    assert len(pairs) == 40
    assert min(first.values()) > 4


def test_tables_hold_verdicts_and_no_words(study, monkeypatch, tmp_path):
    answered(
        study,
        "blind",
        lambda each: "decisive=partly helpful=yes misleading=no false=no author=model",
    )
    said = iter(["First.", "second", "tie", "neither of them"] * 20)
    pairs = answered(study, "prefer", lambda each: next(said))
    monkeypatch.setattr(STUDY, "HERE", tmp_path)
    STUDY.write_verdicts(study)
    verdicts = (tmp_path / "verdicts.tsv").read_text().splitlines()
    assert verdicts[1].endswith("first\tpartly\tyes\tno\tno\tmodel")
    assert len(verdicts) == 1 + len(study.blind())
    preferences = (tmp_path / "preferences.tsv").read_text().splitlines()
    told = [row.split("\t") for row in preferences[1:]]
    assert [row[3] for row in told[:4]] == [
        pairs[0].about["first"],
        pairs[1].about["second"],
        "tie",
        "",
    ]
    files = tmp_path.glob("*.tsv")
    tables = "".join(path.read_text() for path in files)
    for of in study.written.values():
        for text in of.values():
            assert " ".join(text.split()[1:4]) not in tables


@pytest.mark.parametrize(
    "kept",
    [KEPT["famous"], pytest.param(KEPT["annotated"], marks=pytest.mark.release)],
    ids=lambda kept: kept.name,
)
def test_nothing_that_the_program_calls_false_is_left_in_what_is_explained(kept):
    said = kept.explained("claude")
    verdicts = Counter[str]()
    for _, claims in said.values():
        verdicts.update(each.verdict for each in claims)
    assert verdicts["false"] == 0
    assert 0 < verdicts["not checkable"] < verdicts["true"]
    moves = kept.moves()
    assert said.keys() <= moves.keys()
    assert len(said) > 0.9 * len(moves)
    client = replay(kept.name, "claude")
    back = kept.sent_back(client)
    first = {text.key for text in kept.texts_first(client)}
    assert 0 < len(back) < len(said)
    again = kept.texts_again(client)
    assert len(again) == len(back)
    assert first.isdisjoint(text.key for text in again)


def test_people_s_comments_are_read_by_name_and_needed(tmp_path, capsys):
    path = tmp_path / "people.jsonl"
    line = json.dumps({"id": "S01", "comment": "So  far\nso good."})
    path.write_text(f"{line}\n")
    assert STUDY.read_people(path) == {"S01": "So far so good."}
    refuses(SystemExit, "2", STUDY.main, ["reword", "--write", str(tmp_path)])
    assert "--people" in capsys.readouterr().err
