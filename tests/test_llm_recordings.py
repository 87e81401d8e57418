"""Recordings: found by all that changes an answer, and whole whatever dies while writing."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from chessgloss.llm import recordings as rec
from chessgloss.llm.recordings import (
    Answer,
    Message,
    Model,
    Recordings,
    Request,
    request_key,
)
from scripts import refuses

MODEL = Model("scripted-1")
QUESTION = Request(
    (Message("system", "Be brief."), Message("user", "Why Nf3?")),
    rec.Sampling(temperature=0.5, max_tokens=20, seed=3, top_logprobs=5, stop=("\n",)),
    prompt="comment@1",
    about={"lecture": "lec7", "ply": 12},
)
TOKEN = rec.Token("4", -0.35667, (("4", -0.35667), ("1", -3.2834)))
REPLY = Answer(
    "answered", "Läufer f1 ist frei. ♘", (TOKEN,), "stop", 17, 9, "scripted-1"
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "scripted-1" / "commentary.jsonl"


@pytest.fixture
def recordings(path):
    return Recordings(path, MODEL)


def read_records(path: Path) -> list[dict]:
    """Return the whole lines of a file."""
    return [
        json.loads(line)
        for line in path.read_bytes().splitlines(True)
        if line[-1:] == b"\n"
    ]


def question(number: int) -> Request:
    return replace(QUESTION, messages=(Message("user", f"question {number}"),))


def keep(recordings: Recordings, number: int, text: str = "yes") -> Answer:
    return recordings.keep(
        question(number), replace(REPLY, text=text), date="2026-01-31"
    )


def test_an_answer_comes_back_as_it_was_kept_in_a_line_that_holds_no_message(
    recordings, path
):
    assert recordings.get(QUESTION) is None
    recordings.keep(QUESTION, REPLY, date="2026-01-31", served={"server": "x 1"})
    assert recordings.get(QUESTION) == Recordings(path, MODEL).get(QUESTION) == REPLY
    line = path.read_text("utf-8")
    assert "Läufer f1 ist frei. ♘" in line and "Why Nf3?" not in line
    (record,) = read_records(path)
    assert record["key"] == request_key(MODEL, QUESTION)
    assert record["about"] == QUESTION.about
    assert record["served"] == {"model": "scripted-1", "server": "x 1"}


CHANGED = {
    "temperature": 0.6,
    "max_tokens": 21,
    "seed": 4,
    "top_logprobs": 6,
    "logprob_tokens": 2,
}
CHANGED |= {"stop": (), "grammar": "root ::= move"}


def sampled(**changed) -> Request:
    return replace(QUESTION, sampling=replace(QUESTION.sampling, **changed))


def test_the_key_changes_with_each_ingredient_and_with_nothing_else():
    system, user = QUESTION.messages
    messages = [
        (system, Message("user", "Why Nf3??")),
        (Message("user", "Be brief."), user),
    ]
    others = [
        replace(QUESTION, messages=given) for given in (*messages, (user, system))
    ]
    others += [sampled(**{name: value}) for name, value in CHANGED.items()]
    keys = {request_key(MODEL, one) for one in (*others, replace(QUESTION, repeat=1))}
    keys |= {
        request_key(Model(*named), QUESTION)
        for named in (["s2"], [MODEL.name, "0" * 64])
    }
    kept = request_key(MODEL, QUESTION)
    assert len(keys - {kept}) == len(others) + 3
    assert kept == "c6482653bb0718298f7563be", (
        "a key that changed would lose every recorded answer"
    )
    same = replace(QUESTION, prompt="other@2", about={"fen": "8/8/8/8/8/8/8/8"})
    assert request_key(MODEL, same) == kept


def test_the_first_answer_to_a_question_stays_and_all_writers_are_seen(
    recordings, path
):
    assert keep(recordings, 1, "first").text == "first"
    assert keep(recordings, 1, "second").text == "first"
    assert keep(Recordings(path, MODEL), 1, "third").text == "first"
    keep(Recordings(path, MODEL), 2)
    assert recordings.get(question(2)).text == "yes"
    assert len(recordings) == len(read_records(path)) == 2


TORN = [b'{"about": {"ply": 1', b"\x00\x00\x00", '{"text": "♘'.encode()[:-1]]


@pytest.mark.parametrize("tail", TORN)
def test_a_torn_last_line_is_passed_over_and_then_removed(recordings, path, tail):
    keep(recordings, 1)
    with path.open("ab") as handle:
        handle.write(tail)
    reopened = Recordings(path, MODEL)
    assert (reopened.get(question(1)).text, len(read_records(path))) == ("yes", 1)
    keep(reopened, 2, "after the tear")
    assert [record["text"] for record in read_records(path)] == [
        "yes",
        "after the tear",
    ]
    assert tail not in path.read_bytes()


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda line: line.replace(b'"yes"', b'"yes'), "no record"),
        (lambda line: b"<<<<<<< HEAD\n" + line, "no record"),
        (lambda line: line.replace(b'"seed": 3', b'"seed": 4'), "altered"),
        (
            lambda line: line.replace(b'"model_sha256": ""', b'"model_sha256": "1"'),
            "not of",
        ),
    ],
)
def test_a_damaged_line_is_an_error_that_names_its_place(
    recordings, path, damage, complaint
):
    keep(recordings, 1)
    path.write_bytes(damage(path.read_bytes()))
    assert str(path) in refuses(
        rec.RecordingDamaged, complaint, len, Recordings(path, MODEL)
    )
    path.with_name(f"{path.name}.zst").write_bytes(b"no archive")
    refuses(
        rec.RecordingDamaged, r"zst is damaged or cut off", len, Recordings(path, MODEL)
    )


def test_recordings_have_a_place_by_model_and_purpose(tmp_path):
    found = Recordings.of(Model("org/model:free"), "gcc_eval", tmp_path)
    assert found.path == tmp_path / "org_model_free" / "gcc_eval.jsonl"
    refuses(ValueError, "one word", Recordings.of, MODEL, "../up", tmp_path)


#: Keeps question after question and says which are on the disk.
WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[4])
import test_llm_recordings as here
kept = here.Recordings(Path(sys.argv[1]), here.MODEL)
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    here.keep(kept, number, "x" * 50_000)
    print(number, flush=True)
"""


def start_writer(path: Path, first: int, end: int) -> subprocess.Popen:
    given = [str(path), str(first), str(end), str(Path(__file__).parent)]
    command = [sys.executable, "-B", "-c", WRITER, *given]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_writer_that_is_killed_loses_at_most_the_answer_in_hand(recordings, path):
    writer = start_writer(path, 0, 100_000)
    said = [int(writer.stdout.readline()) for _ in range(20)]
    writer.kill()
    said += [int(line) for line in writer.stdout.read().splitlines()]
    writer.wait()
    kept = [
        number for number in range(len(said) + 1) if recordings.get(question(number))
    ]
    assert kept[: len(said)] == said
    keep(recordings, 100_000)
    texts = [record["text"] for record in read_records(path)]
    assert texts == ["x" * 50_000] * len(kept) + ["yes"]


def test_two_writers_neither_tear_nor_repeat_lines(path):
    writers = [start_writer(path, 0, 40), start_writer(path, 20, 60)]
    assert [writer.communicate()[0].count("\n") for writer in writers] == [40, 40]
    records = read_records(path)
    assert len(records) == len({record["key"] for record in records}) == 60
    assert {record["text"] for record in records} == {"x" * 50_000}
    assert len(Recordings(path, MODEL)) == 60
