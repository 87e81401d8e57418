"""Questions in files: what a model sees, what is matched, and that nothing said is lost."""

import json
import re
from dataclasses import replace

import pytest

from chessgloss.llm import batches
from chessgloss.llm.batches import Form
from chessgloss.llm.client import Client, model_named
from chessgloss.llm.recordings import (
    Asked,
    Message,
    Model,
    Recordings,
    Request,
    Sampling,
)
from fakes.scripted_llm import completion
from scripts import refuses

MODEL = model_named("claude")


def question(text: str, method: str = "bare", *before: Message, **sampling) -> Request:
    messages = (*before, Message("user", text))
    about = {"of": text, "method": method}
    return Request(messages, Sampling(**sampling), prompt="comment@1", about=about)


@pytest.fixture
def recordings(tmp_path):
    return Recordings.of(MODEL, "comments", tmp_path / "recordings")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "batches"


def name_of(path) -> str:
    return path.name.partition(".")[0]


def answer(path, *lines) -> None:
    """Put answers beside a file of questions: objects, or lines as they are."""
    text = ""
    for line in lines:
        written = line if isinstance(line, str) else json.dumps(line)
        text += f"{written}\n"
    beside = path.with_name(f"{name_of(path)}.answers.jsonl")
    beside.write_text(text, "utf-8")


def numbered(*answers) -> list[dict]:
    return [{"number": n, "answer": each} for n, each in enumerate(answers, 1)]


def keep(folder, recordings, requests):
    return batches.keep_answers(folder, recordings, requests, "2026-01-31")


# ---------------------------------------------------------------- order


def test_batches_hold_each_question_once_in_an_order_that_the_seed_decides():
    asked = [question(f"q{n}") for n in range(95)]
    parts = batches.split(asked, 40, seed=1)
    assert sorted(map(len, parts)) == [31, 32, 32]
    flat = [one for part in parts for one in part]
    assert sorted(flat, key=asked.index) == asked != flat
    assert batches.split(asked[::-1], 40, seed=1) == parts
    assert batches.split(asked, 40, seed=2) != parts


# ---------------------------------------------------------------- the plain form


def test_a_plain_file_shows_numbers_roles_and_the_instruction_and_no_purpose(
    folder, recordings
):
    system = Message("system", "Be brief.")
    example = (
        Message("user", "Why e4?"),
        Message("assistant", "It takes space."),
    )
    asked = [
        question("Why Nf3?", "ccc", system, *example),
        question("===== 2 =====", "ccc", system),
    ]
    path = batches.write_batch(folder, recordings, asked, Form.PLAIN)
    text = path.read_text("utf-8")
    assert "Below are 2 questions" in text and "only one you had been asked" in text
    assert f"file {name_of(path)}.answers.jsonl" in text
    (_, *turns) = re.split(r"====== \w+ ======", text)
    beginning, first, second, _ = turns
    assert beginning.strip() == "[system]\nBe brief."
    assert first.strip() == (
        "[user]\nWhy e4?\n\n[assistant]\nIt takes space.\n\n[user]\nWhy Nf3?"
    )
    assert second.strip() == "===== 2 ====="
    assert not re.search("ccc|comments|claude|comment@1", path.name + text)


def test_one_question_in_a_file_is_asked_alone(folder, recordings):
    asked = question("Why Nf3?", stop=("\n\n",))
    path = batches.write_batch(folder, recordings, [asked], Form.PLAIN)
    text = path.read_text("utf-8")
    assert "Below is one question. Answer it." in text and "[user]" not in text
    answer(path, *numbered("\n\nIt develops.\n\nMore."))
    keep(folder, recordings, [asked])
    assert recordings.get(asked).text == "It develops."
    assert recordings.provenance(asked).asked == Asked.ALONE


def test_answers_are_replayed_like_any_other_and_say_how_they_came(folder, recordings):
    asked = [question(f"q{n}", top_logprobs=5, max_tokens=1) for n in range(3)]
    path = batches.write_batch(folder, recordings, asked, Form.PLAIN)
    answer(path, *numbered("one", "two", "I cannot help with that."))
    (reading,) = keep(folder, recordings, asked)
    assert reading.kept == 3
    replayed = Client(Recordings(recordings.path, MODEL)).ask_many(asked)
    assert [each.text for each in replayed][:2] == ["one", "two"]
    assert [each.state for each in replayed] == ["answered", "answered", "refused"]
    origin = recordings.provenance(asked[0])
    assert (origin.endpoint, origin.date) == ("batch", "2026-01-31")
    assert (origin.asked, origin.batch) == (Asked.TOGETHER, name_of(path))


def test_a_reader_is_told_who_was_asked_how_and_when(folder, recordings):
    asked = [question("a"), question("b")]
    path = batches.write_batch(folder, recordings, asked, Form.PLAIN)
    answer(path, *numbered("one", "two"))
    keep(folder, recordings, asked)
    first = recordings.get(asked[0])
    recordings.keep(question("c"), first, "2026-02-01")
    client = Client(recordings)
    assert client.told(asked).endswith("2026-01-31")
    assert "asked alone, asked several questions" in client.told()
    assert client.told().endswith("2026-01-31 to 2026-02-01")


LENIENT = [
    '```json\n[{"number": 1, "answer": "one"},\n {"number": 2, "answer": "two"}]\n```',
    '{"number": 1, "answer": "one"} {"number": "2", "answer": "two"}',
    '{\n "number": 1,\n "answer": "one"\n}\n{"number": 2, "answer": "two"}',
    '{"number": 1, "answer": "one"}\n\n{"number": 2, "answer": "two"}\n'
    '{"number": 2, "answer": "two"}',
]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        *((text, ["one", "two"]) for text in LENIENT),
        (
            '{"number": 1, "answer": 0.7} {"number": 2, "answer": {"a": ["Läufer"]}}',
            ["0.7", '{"a": ["Läufer"]}'],
        ),
    ],
)
def test_answers_are_read_in_whatever_form_of_json_they_come(
    folder, recordings, text, texts
):
    asked = [question("a"), question("b")]
    path = batches.write_batch(folder, recordings, asked, Form.PLAIN)
    answer(path, text)
    (reading,) = keep(folder, recordings, asked)
    assert (reading.kept, reading.unanswered) == (2, {})
    assert [recordings.get(one).text for one in asked] == texts


def test_what_has_no_answer_is_told_by_number_and_asked_again(folder, recordings):
    asked = [question(f"q{n}") for n in range(1, 6)]
    path = batches.write_batch(folder, recordings, asked, Form.PLAIN)
    assert len(batches.waiting(folder, recordings)) == 5
    answer(
        path,
        {"number": 1, "answer": "fine"},
        '{"number": 2, "answer": "she said "no""}',
        {"number": 3, "answer": "  "},
        {"number": 4, "answer": "this"},
        {"number": 4, "answer": "that"},
        {"number": 9, "answer": "which?"},
    )
    (reading,) = keep(folder, recordings, asked)
    assert reading.kept == 1
    why = {
        place.partition(" of ")[0]: text for place, text in reading.unanswered.items()
    }
    assert why.pop("line 2").startswith("no JSON")
    assert why == {
        "2": "no line of the answers is about it",
        "3": "its answer is empty",
        "4": "it has two answers that differ",
        "5": "no line of the answers is about it",
        "line 6": "it is about no question of this batch",
    }
    assert batches.waiting(folder, recordings) == set()
    again = Client(recordings).missing(asked)
    assert again == asked[1:]
    path = batches.write_batch(folder, recordings, again, Form.PLAIN)
    answer(path, *numbered(*"bcde"))
    both = keep(folder, recordings, asked)
    assert sorted(each.kept for each in both) == [0, 4]
    texts = [recordings.get(one).text for one in asked]
    assert texts == ["fine", *"bcde"]


def test_a_question_whose_messages_changed_is_refused_by_name(folder, recordings):
    asked = [question("a"), question("b")]
    path = batches.write_batch(folder, recordings, asked, Form.PLAIN)
    answer(path, *numbered("one", "two"))
    politely = (Message("user", "b, please"),)
    changed = [asked[0], replace(asked[1], messages=politely)]
    (reading,) = keep(folder, recordings, changed)
    assert reading.unanswered == {
        "2": "comment@1 (of b, method bare): its messages have changed since"
    }
    assert (reading.kept, len(recordings)) == (1, 1)


def test_a_folder_may_hold_batches_of_several_purposes_and_models(folder, recordings):
    other = Recordings(recordings.path, Model("gpt-4o"))
    elsewhere = Recordings.of(MODEL, "scores", recordings.path.parents[1])
    for each in (recordings, other, elsewhere):
        batches.write_batch(folder, each, [question("a")], Form.PLAIN)
    assert len(batches.read_batches(folder, recordings)) == 1
    path = next(folder.glob("kept/*.json"))
    path.write_text('{"name": 3}')
    said = refuses(
        batches.BatchDamaged, "no batch", batches.read_batches, folder, recordings
    )
    assert str(path) in said


# ---------------------------------------------------------------- OpenAI's form


def result(task: dict, text: str, kind: str = "text") -> dict:
    """Return a line of the Batch API's output."""
    body = completion(kind, text, task["body"], "gpt-4o-2024-08-06")
    body |= {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000}
    response = {"status_code": 200, "request_id": "r", "body": body}
    key = task["custom_id"]
    return {"id": "batch_req_1", "custom_id": key, "response": response, "error": None}


@pytest.fixture
def gpt(tmp_path):
    return Recordings.of(Model("gpt-4o"), "comments", tmp_path / "recordings")


def tasks_of(path) -> list[dict]:
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_openais_form_has_its_fields_and_comes_back_with_log_probabilities(folder, gpt):
    system = Message("system", "Be brief.")
    asked = [
        question("Rate it.", "ccc", system, max_tokens=1, top_logprobs=5),
        question("Why?", "ccc", grammar="root ::= [a-h]"),
    ]
    path = batches.write_batch(folder, gpt, asked, Form.OPENAI)
    tasks = tasks_of(path)
    assert path.name.endswith(".questions.jsonl")
    for task, one in zip(tasks, asked, strict=True):
        named = {"custom_id": gpt.key_of(one), "url": "/v1/chat/completions"}
        assert (named | {"method": "POST"}).items() <= task.items()
    rated = {"model": "gpt-4o", "max_tokens": 1, "logprobs": True}
    assert rated.items() <= tasks[0]["body"].items()
    assert tasks[1]["body"]["grammar"] == "root ::= [a-h]"
    results = [result(task, "4") for task in tasks[::-1]]
    answer(path, *results)
    (reading,) = keep(folder, gpt, asked)
    assert (reading.kept, reading.unanswered) == (2, {})
    first = gpt.get(asked[0])
    assert (first.text, first.model) == ("4", "gpt-4o-2024-08-06")
    assert first.tokens[0].probabilities()["4"] == pytest.approx(0.7, abs=1e-5)
    origin = gpt.provenance(asked[0])
    assert (origin.asked, origin.date) == (Asked.BATCH, "2023-11-14")


def test_errors_of_a_batch_are_told_in_their_own_words(folder, gpt):
    asked = [question(f"q{n}") for n in range(5)]
    path = batches.write_batch(folder, gpt, asked, Form.OPENAI)
    tasks = tasks_of(path)
    lines = [result(task, "fine") for task in tasks]
    lines[1] |= {"response": None, "error": {"message": "Not in time."}}
    server = {"message": "The server had an error."}
    lines[2]["response"] |= {"status_code": 500, "body": {"error": server}}
    declined = {"code": "content_filter", "message": "the filter declined"}
    lines[3]["response"] |= {"status_code": 400, "body": {"error": declined}}
    lines[4]["response"]["body"] = {"created": 1, "choices": []}
    answer(path, *lines[:3])
    rest = folder / f"{name_of(path)}.answers.errors.jsonl"
    rest.write_text("\n".join(map(json.dumps, lines[3:])))
    (reading,) = keep(folder, gpt, asked)
    assert list(reading.unanswered) == ["2", "3", "5"]
    assert "Not in time." in reading.unanswered["2"]
    assert reading.unanswered["3"] == "status 500: The server had an error."
    assert gpt.get(asked[3]).state == "refused"
    assert Client(gpt).missing(asked) == [asked[1], asked[2], asked[4]]
