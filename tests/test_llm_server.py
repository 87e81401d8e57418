"""The server on this machine: what its commands say, and that a real model keeps the protocol."""

import signal
import subprocess
import sys
import urllib.request
from dataclasses import replace

import pytest

from chessgloss import assets, cli
from chessgloss.llm import server
from chessgloss.llm.client import (
    DEFAULT_MODEL,
    Client,
    Endpoint,
    Misconfigured,
    Refused,
    model_named,
)
from chessgloss.llm.recordings import Message, Recordings, Request, Sampling
from fakes import heed_interrupts
from scripts import or_skip, refuses

TINY = "smollm2-135m-q4_1"
SERVE = ("model", "serve", TINY, "--threads", "1")


def test_a_model_is_fetched_by_its_name_and_the_books_without_one(monkeypatch, capsys):
    monkeypatch.setattr(server.assets, "locate", lambda name: f"/cache/{name}")
    assert [cli.main(["model", "fetch", *name]) for name in ((), (TINY,))] == [0, 0]
    assert capsys.readouterr().out == "/cache/qwen\n/cache/smollm2\n"
    assert cli.main(["model", "fetch", "gpt-4o"]) == 2
    assert "no file of 'gpt-4o' is known; there are qwen" in capsys.readouterr().err


def test_a_missing_file_or_package_is_named_with_its_remedy(monkeypatch, tmp_path):
    absent = tmp_path / "no.gguf"
    there = tmp_path / "yes.gguf"
    there.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    for path, remedy in ((absent, "model fetch"), (there, "pip install")):
        refuses(server.ServerMissing, remedy, server.local_server(path, "x").__enter__)
    for wrong in ({"context": 10}, {"threads": 0}, {"port": 70000}):
        serving = server.local_server(there, "x", **wrong)
        refuses(ValueError, "context from 256", serving.__enter__)


# ---------------------------------------------------------------- a real, tiny model


@pytest.fixture(scope="module")
def tiny_file():
    pytest.importorskip("xllamacpp")
    return or_skip(assets.locate, "smollm2", fetch=False)


@pytest.fixture(scope="module")
def tiny(tiny_file):
    with server.local_endpoint(TINY, context=1024, threads=1) as endpoint:
        yield endpoint


@pytest.fixture
def recordings(tiny, tmp_path):
    return Recordings.of(tiny.model, "contract", tmp_path)


def question(text: str, **sampling) -> Request:
    return Request((Message("user", text),), Sampling(**{"max_tokens": 4} | sampling))


@pytest.mark.slow
def test_a_real_answer_is_recorded_and_replayed(tiny, recordings):
    request = question("Name a chess piece. ♘", top_logprobs=5, logprob_tokens=3)
    answer = Client(recordings, tiny).ask(request)
    assert (answer.state, answer.completion_tokens, answer.model) == (
        "cut_off",
        4,
        TINY,
    )
    assert [len(token.alternatives) for token in answer.tokens] == [5] * 3
    assert answer.text.startswith("".join(token.text for token in answer.tokens))
    assert Client(Recordings(recordings.path, tiny.model)).ask(request) == answer


@pytest.mark.slow
def test_a_real_answer_depends_on_its_seed_and_not_on_what_was_asked_before(
    tiny, recordings
):
    beginning = Message("system", "You comment chess moves. " + "Be exact. " * 10)
    sampling = Sampling(max_tokens=6, top_logprobs=2, logprob_tokens=6)
    said = ("The knight goes to f3.", "The knight goes to f3 and e5.", "Rook takes d8.")
    first, near, far = (
        Request((beginning, Message("user", text)), sampling) for text in said
    )
    client, fresh = (Client(recordings, tiny, keeps=False) for _ in range(2))
    answer = client.ask(first)
    for before in (first, near, far):
        client.ask(before)
        assert client.ask(first) == answer
    assert fresh.ask(first) == answer
    asked = question("Tell me a story.", temperature=1.5, max_tokens=12, seed=1)
    texts = [client.ask(replace(asked, repeat=n)).text for n in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.slow
def test_a_real_server_refuses_what_is_too_long_and_another_model_is_noticed(
    tiny, recordings
):
    with pytest.raises(Refused, match="status 400"):
        Client(recordings, tiny).ask(question("pawn " * 3000))
    assert len(recordings) == 0
    other = Endpoint(tiny.base_url, model_named(DEFAULT_MODEL))
    with pytest.raises(Misconfigured, match=TINY):
        Client(Recordings(recordings.path, other.model), other, keeps=False).ask(
            question("Hello")
        )


@pytest.mark.slow
def test_serving_says_where_and_ends_at_an_interrupt(tiny_file):
    command = [sys.executable, "-m", "chessgloss", *SERVE]
    how = {"stdout": subprocess.PIPE, "text": True, "preexec_fn": heed_interrupts}
    running = subprocess.Popen(command, **how)
    first = running.stdout.readline()
    assert first.startswith(f"{TINY} answers at http://127.0.0.1:")
    assert running.stdout.readline().startswith(
        "export OPENAI_BASE_URL=http://127.0.0.1:"
    )
    running.send_signal(signal.SIGINT)
    assert running.wait(60) == 130


@pytest.mark.slow
def test_a_page_of_a_browser_may_not_read_what_a_real_server_answers(tiny):
    asked = urllib.request.Request(
        f"{tiny.base_url}/models", headers={"Origin": "https://x.example"}
    )
    with urllib.request.urlopen(asked) as reply:
        assert reply.headers["Access-Control-Allow-Origin"] in (
            None,
            "http://127.0.0.1",
        )


#: The command line, interrupted before its model is ready.
INTERRUPTED = """
import os, signal, sys
from chessgloss.__main__ import main
from chessgloss.llm import server
def interrupted(where, ready=server._wait_until_ready):
    os.kill(os.getpid(), signal.SIGINT)
    ready(where)
server._wait_until_ready = interrupted
sys.exit(main())
"""


@pytest.mark.slow
def test_an_interrupt_while_a_real_model_loads_ends_in_one_line(tiny_file):
    command = [sys.executable, "-c", INTERRUPTED, *SERVE]
    how = {
        "capture_output": True,
        "text": True,
        "timeout": 60,
        "preexec_fn": heed_interrupts,
    }
    done = subprocess.run(command, **how)
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, done.stdout, last) == (
        130,
        "",
        "chessgloss model: stopped",
    )


@pytest.mark.slow
def test_an_answer_under_a_grammar_is_one_that_the_grammar_has(tiny, recordings):
    request = question("Which move?", grammar='root ::= "Nf3" | "Qxd8"')
    answer = Client(recordings, tiny).ask(request)
    assert answer.text
    assert any(move.startswith(answer.text) for move in ("Nf3", "Qxd8"))
    assert "grammar_sha256" in recordings.path.read_text("utf-8")
