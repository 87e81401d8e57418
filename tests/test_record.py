"""The script that records answers: its batches, on recordings that are whole and on none."""

import pytest

from chessgloss.llm.client import Endpoint, model_named
from chessgloss.llm.recordings import Message, Recordings, Request
from fakes.scripted_llm import scripted_llm
from scripts import load_script

record = load_script("recordings/record.py")
MODEL = "scripted-1"


@pytest.mark.parametrize("purpose", ["commentary", "arms", "extraction", "mate_in_one"])
def test_no_answer_that_the_book_shows_is_missing(purpose):
    assert record.missing(purpose, "qwen2.5-coder-1.5b-q4_k_m").calls == 0


def test_a_run_before_the_questions_says_what_they_would_take():
    questions = [
        Request((Message("user", "x" * 4001),)),
        Request((Message("user", "y" * 40),)),
    ]
    assert (
        str(record.estimate(questions))
        == "2 calls, about 1,011 tokens in, at most 512 out"
    )


def test_a_batch_may_follow_from_the_answers_to_the_one_before(tmp_path, monkeypatch):
    def question(text: str) -> Request:
        return Request((Message("user", text),), prompt="comment@1")

    def batches(client):
        yield [question("first"), question("second")]
        yield [question(f"more on {client.ask(question('second')).text}")]

    kept = Recordings.of(model_named(MODEL), "commentary", tmp_path)
    monkeypatch.setattr(record, "PURPOSES", {"commentary": batches})
    monkeypatch.setattr(record.Recordings, "of", lambda model, purpose: kept)
    with scripted_llm("text:one", "text:two", "text:three") as llm:
        endpoint = Endpoint(llm.url, model_named(MODEL))
        monkeypatch.setattr(record, "endpoint_from_environment", lambda model: endpoint)
        assert record.record("commentary", MODEL) == 3
        assert record.record("commentary", MODEL) == 3, (
            "what is there is not asked again"
        )
    assert (len(llm.asked), kept.get(question("more on two")).text) == (3, "three")
