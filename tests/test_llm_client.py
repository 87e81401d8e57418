"""The client: states, retries, replay, and that nothing kept is lost or asked twice."""

import json
import time
from dataclasses import replace

import pytest

from chessgloss.llm import client as clients
from chessgloss.llm.client import (
    AnswerMissing,
    Client,
    Endpoint,
    Misconfigured,
    Refused,
    Unanswered,
)
from chessgloss.llm.dialect import THOUGHTS, Dialect
from chessgloss.llm.recordings import (
    Message,
    Model,
    Recordings,
    Request,
    Sampling,
    State,
)
from fakes.scripted_llm import scripted_llm
from scripts import refuses

MODEL = Model("scripted-1")
RETRIES = 3


def question(text: str, **sampling) -> Request:
    request = Request(
        (Message("user", text),), prompt="comment@1", about={"fen": "8/8", "ply": 3}
    )
    return replace(request, sampling=Sampling(**sampling))


@pytest.fixture
def recordings(tmp_path):
    return Recordings.of(MODEL, "commentary", tmp_path)


@pytest.fixture
def pauses(monkeypatch):
    """The pauses between calls, in seconds: noted, and made short."""
    noted = []
    sleep = time.sleep
    monkeypatch.setattr(
        time, "sleep", lambda seconds: (noted.append(seconds), sleep(0.001))
    )
    return noted


@pytest.fixture
def client_of(recordings):
    def make(llm, keeps=True, **more) -> Client:
        settings = {"timeout": 10.0, "server": "fake 1", "retries": RETRIES} | more
        return Client(
            recordings, Endpoint(llm.url, MODEL, "sk-secret", **settings), keeps
        )

    return make


# ---------------------------------------------------------------- one question


@pytest.mark.parametrize(
    ("step", "state", "text", "reason"),
    [
        ("text:Fine move.", State.ANSWERED, "Fine move.", "stop"),
        ("empty", State.EMPTY, " \n", "stop"),
        ("cut_off:The knight goes", State.CUT_OFF, "The knight goes", "length"),
        ("refused:I would rather not.", State.REFUSED, "I would rather not.", "stop"),
        ("filtered", State.REFUSED, "", "content_filter"),
        ("filter_error", State.REFUSED, "the filter declined", "content_filter"),
        ("text:I'm sorry, but I can't assist with that.", State.REFUSED, None, "stop"),
        (
            "text:As an AI language model, I cannot provide chess advice.",
            State.REFUSED,
            None,
            "stop",
        ),
        ("text:I cannot see a better move than Nf3.", State.ANSWERED, None, "stop"),
    ],
)
def test_what_becomes_of_a_question_is_a_state(client_of, step, state, text, reason):
    with scripted_llm(step) as llm:
        answer = client_of(llm).ask(question("Why Nf3?"))
    assert (answer.state, answer.finish_reason) == (state, reason)
    assert answer.text == (step.removeprefix("text:") if text is None else text)
    assert len(llm.asked) == 1


def test_the_endpoint_is_asked_for_what_the_request_says(client_of):
    sampling = {"temperature": 0.7, "max_tokens": 9, "seed": 5, "stop": ("\n", "##")}
    request = replace(question("Why?", **sampling), repeat=2)
    with scripted_llm() as llm:
        answer = client_of(llm).ask(request)
    (body,) = llm.asked
    assert body.pop("messages") == [{"role": "user", "content": "Why?"}]
    assert body == {**sampling, "model": "scripted-1", "seed": 7, "stop": ["\n", "##"]}
    assert llm.keys == ["Bearer sk-secret"]
    assert (answer.prompt_tokens, answer.completion_tokens) == (4, len("reply to Why?"))
    assert answer.model == "scripted-1"


def test_log_probabilities_come_ranked_and_survive_a_replay(client_of, recordings):
    request = question("Rate it.", max_tokens=1, top_logprobs=5, logprob_tokens=1)
    with scripted_llm() as llm:
        answer = client_of(llm).ask(request)
    assert llm.asked[0]["top_logprobs"] == 5
    (first,) = answer.tokens
    assert first.text == first.alternatives[0][0] == "4"
    expected = dict.fromkeys("123", 0.0375) | {"4": 0.7, "5": 0.0375}
    assert first.probabilities() == pytest.approx(expected, abs=1e-5)
    assert Client(Recordings(recordings.path, MODEL)).ask(request) == answer


# ---------------------------------------------------------------- kinds of model


ONE_NUMBER = {"max_tokens": 1, "top_logprobs": 5}


def test_what_an_endpoint_refuses_is_left_out_from_then_on_and_said(
    client_of, recordings, capsys
):
    with scripted_llm(mood="o3") as llm:
        client = client_of(llm)
        answers = [client.ask(question(each, **ONE_NUMBER)) for each in ("4", "5")]
    assert [answer.state for answer in answers] == [State.ANSWERED] * 2
    assert llm.refused == ["max_tokens", "temperature", "logprobs"]
    assert llm.asked[0].keys() == {"model", "messages", "seed", "max_completion_tokens"}
    assert llm.asked[0]["max_completion_tokens"] == 1 + THOUGHTS
    assert "Use 'max_completion_tokens' instead." in capsys.readouterr().err
    (line, _) = recordings.path.read_text().splitlines()
    served = json.loads(line)["served"]
    dropped = ["logprobs", "temperature", "top_logprobs"]
    assert (served["without"], served["thoughts"]) == (dropped, THOUGHTS)
    assert Client(recordings).ask(question("4", **ONE_NUMBER)) == answers[0]


@pytest.mark.parametrize("name", ["o3-mini", "openai/gpt-5", "deepseek-r1:14b", "QwQ"])
def test_a_model_whose_name_says_that_it_thinks_is_asked_so_at_once(tmp_path, name):
    model = Model(name)
    with scripted_llm(mood="o3", model=name) as llm:
        client = Client(
            Recordings.of(model, "static", tmp_path), Endpoint(llm.url, model)
        )
        assert client.ask(question("Move?", max_tokens=12)).state == State.ANSWERED
    assert (llm.refused, "temperature" in llm.asked[0]) == ([], False)


def test_thoughts_are_given_room_and_are_no_answer(client_of, recordings):
    with scripted_llm("text:Nf3", "text:Nf3", "text:e4", mood="r1") as llm:
        client = client_of(llm)
        answers = [client.ask(question(each, max_tokens=12)) for each in ("a", "b")]
    assert [(each.state, each.text) for each in answers] == [
        (State.ANSWERED, "Nf3"),
        (State.ANSWERED, "e4"),
    ]
    room = [body["max_tokens"] for body in llm.asked]
    assert room == [12, 12 + THOUGHTS, 12 + THOUGHTS]
    assert "think" not in recordings.path.read_text()


def test_a_refused_question_is_no_answer_and_is_told_in_the_endpoints_words(
    client_of, recordings
):
    constrained = [question(str(n), grammar="root ::= [a-h]") for n in range(9)]
    with scripted_llm(mood="strict") as llm:
        client = client_of(llm)
        with pytest.raises(
            Refused, match=r"argument supplied: grammar.*3 of 9 did not"
        ):
            client.ask_many(constrained, progress=False)
        assert client.ask(question("free")).state == State.ANSWERED
    assert (len(llm.refused), len(recordings)) == (clients.PATIENCE, 1)
    assert client.missing(constrained) == constrained


def test_a_refusal_that_an_older_version_kept_is_asked_again(client_of, recordings):
    with scripted_llm("text:one", "text:two") as llm:
        client_of(llm).ask(question("first"))
        line = json.loads(recordings.path.read_text())
        line |= {"state": "failed", "finish_reason": "http_400", "text": ""}
        recordings.path.write_text(json.dumps(line) + "\n")
        again = Client(Recordings(recordings.path, MODEL), Endpoint(llm.url, MODEL))
        assert again.ask(question("first")).text == "two"
        assert again.ask(question("first")).text == "two"


@pytest.mark.parametrize(
    ("refusal", "asked_again"),
    [
        ("This model's maximum context length is 4096 tokens.", False),
        ("'max_tokens' is too large: 9000", False),
        ("Unsupported parameter: 'frequency_penalty'", False),
        ("extra inputs are not permitted: seed", True),
        ("Unrecognized request argument supplied: stop", True),
    ],
)
def test_only_a_parameter_that_was_sent_and_can_be_spared_is_left_out(
    refusal, asked_again
):
    dialect = Dialect()
    request = question("Why?", stop=("\n",))
    body = dialect.body("m", request)
    assert dialect.learn(refusal, body) is asked_again
    lost = body.keys() - dialect.body("m", request).keys()
    assert len(lost) == asked_again


# ---------------------------------------------------------------- failures


@pytest.mark.parametrize(
    "script", [["429:7"], ["500", "503", "408"], ["drop"], ["half"]], ids=str
)
def test_what_may_pass_is_tried_again_after_a_pause(client_of, pauses, script):
    with scripted_llm(*script) as llm:
        assert client_of(llm).ask(question("q")).text == "reply to q"
    assert len(llm.asked) == len(script) + 1
    waits = [wait for wait in pauses if wait > 0.1]
    assert len(waits) == len(script) and waits == sorted(waits), "each pause is longer"
    assert script != ["429:7"] or waits == [7.0], "as long as the endpoint asks for"


@pytest.mark.parametrize("step", ["bad_json", "no_choices"])
def test_an_unreadable_reply_is_no_answer_and_is_asked_for_again(
    client_of, recordings, step
):
    with scripted_llm(step) as llm:
        refuses(Unanswered, "unreadable reply", client_of(llm).ask, question("q"))
        assert len(recordings) == 0
        assert client_of(llm).ask(question("q")).text == "reply to q"


def test_an_endpoint_that_is_too_slow_is_asked_again_and_nobody_is_an_error(client_of):
    with scripted_llm("slow:1.5", "", "drip:0.2") as llm:
        assert client_of(llm, timeout=0.3).ask(question("q")).text == "reply to q"
        with pytest.raises(Unanswered, match=r"nothing came within 0\.3 s"):
            client_of(llm, timeout=0.3, retries=0).ask(question("q again"))
    refuses(
        Unanswered,
        "connection lost",
        client_of(llm, retries=0).ask,
        question("q at last"),
    )


@pytest.mark.parametrize("status", ["401", "403", "404"])
def test_a_wrong_key_or_model_is_not_tried_again(client_of, status):
    with (
        scripted_llm(status) as llm,
        pytest.raises(Misconfigured, match="OPENAI_API_KEY") as error,
    ):
        client_of(llm).ask(question("q"))
    assert len(llm.asked) == 1 and "sk-secret" not in str(error.value)


def test_a_local_model_must_be_the_one_that_answers(tmp_path):
    model = Model("local-1", "0" * 64)
    with (
        scripted_llm(model="another") as llm,
        pytest.raises(Misconfigured, match="'another'"),
    ):
        Client(Recordings.of(model, "x", tmp_path), Endpoint(llm.url, model)).ask(
            question("q")
        )


def test_a_steady_server_reads_the_beginning_before_each_question(client_of):
    talks = [("Rules.", "a"), ("Rules.", "b"), ("Other rules.", "b"), ("Rules.", "a")]
    with scripted_llm() as llm:
        client = client_of(llm, keeps=False, steady=True)
        for rules, text in talks:
            client.ask(Request((Message("system", rules), Message("user", text))))
    said = [[turn["content"] for turn in body["messages"]] for body in llm.asked]
    assert said[1::2] == [list(talk) for talk in talks]
    assert said[::2] == [[rules, ""] for rules, _ in talks]
    reused = [body.get("cache_prompt") for body in llm.asked]
    assert reused == [False, None, True, None, False, None, False, None]


def test_a_steady_server_is_asked_one_question_at_a_time(client_of):
    with scripted_llm(*["slow:0.05"] * 12) as llm:
        client = client_of(llm, keeps=False, steady=True)
        client.ask_many(
            [question(f"q{n}") for n in range(6)], concurrency=3, progress=False
        )
    assert (len(llm.asked), llm.most_at_once) == (12, 1)


def test_a_server_that_broke_reads_the_beginning_again(client_of):
    with scripted_llm("", "", "bad_json", "", "") as llm:
        client = client_of(llm, keeps=False, steady=True)
        client.ask(question("a"))
        with pytest.raises(Unanswered):
            client.ask(question("b"))
        client.ask(question("b"))
    assert [body.get("cache_prompt") for body in llm.asked] == [
        False,
        None,
        True,
        False,
        None,
    ]


# ---------------------------------------------------------------- replay, record, live


def test_what_is_missing_is_asked_once_and_then_replayed_without_an_endpoint(
    client_of, recordings
):
    first, second, third = (question(text) for text in ("first", "second", "third"))
    with scripted_llm("text:one", "cut_off:two", "empty") as llm:
        client = client_of(llm)
        client.ask(first)
        asked = client.ask_many([second, first, second, third], progress=False)
    assert len(llm.asked) == 3
    replayed = Client(Recordings(recordings.path, MODEL)).ask_many(
        [second, first, second, third]
    )
    assert replayed == asked
    assert [answer.text for answer in replayed[:3]] == ["two", "one", "two"]


def test_a_missing_answer_names_question_file_and_command(client_of, recordings):
    with scripted_llm() as llm:
        client_of(llm).ask(question("known"))
    asked = [question(text) for text in ("known", "new", "newer")]
    command = "make record MODEL=scripted-1 PURPOSE=commentary$"
    said = refuses(AnswerMissing, command, Client(recordings).ask_many, asked)
    assert "comment@1 (fen 8/8, ply 3)" in said
    assert f"2 of 3 are not in {recordings.path}" in said


# ---------------------------------------------------------------- many questions


def test_answers_come_in_order_and_no_more_at_once_than_allowed(client_of):
    questions = [question(f"q{number}") for number in range(9)]
    with scripted_llm(*["slow:0.1", ""] * 4) as llm:
        answers = client_of(llm).ask_many(questions, concurrency=3, progress=False)
    assert [answer.text for answer in answers] == [
        f"reply to q{number}" for number in range(9)
    ]
    assert 2 <= llm.most_at_once <= 3
    refuses(ValueError, "at least 1", client_of(llm).ask_many, questions, concurrency=0)


@pytest.mark.parametrize(("lost", "came", "asked"), [(1, 49, 50), (25, 1, 4)])
def test_a_failure_stops_no_other_but_many_do(
    client_of, pauses, recordings, lost, came, asked
):
    questions = [question(f"q{number}") for number in range(50)]
    said = rf"comment@1 \(fen 8/8, ply 3\): status 500: scripted; {came} answers came"
    failures = ["500"] * lost * (1 + RETRIES)
    with scripted_llm("", *failures) as llm, pytest.raises(Unanswered, match=said):
        client_of(llm).ask_many(questions, progress=False)
    assert len({body["messages"][0]["content"] for body in llm.asked}) == asked
    assert len(recordings) == came


@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_interruption_loses_nothing_that_came(
    client_of, recordings, monkeypatch, concurrency
):
    questions = [question(f"q{number}") for number in range(20)]
    keep = Recordings.keep

    def interrupted(self, *given, **more):
        if len(self) == 5:
            raise KeyboardInterrupt
        return keep(self, *given, **more)

    with scripted_llm() as llm:
        monkeypatch.setattr(Recordings, "keep", interrupted)
        with pytest.raises(KeyboardInterrupt):
            client_of(llm).ask_many(questions, concurrency=concurrency, progress=False)
        monkeypatch.setattr(Recordings, "keep", keep)
        assert len(recordings) == 5
        client_of(llm).ask_many(questions, progress=False)
    assert len(Recordings(recordings.path, MODEL)) == 20


# ---------------------------------------------------------------- what is refused at the door


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Message("robot", "x"), "system|user|assistant"),
        (lambda: Model("a", "123"), "64 hex"),
        (lambda: Request(()), "at least 1 item"),
        (lambda: replace(question("q"), about={"board": [1]}), "about.board"),
        (lambda: Endpoint("localhost:80", MODEL), "http"),
        (lambda: Endpoint("https://user:key@host/v1", MODEL), "OPENAI_API_KEY"),
        (
            lambda: Client(
                Recordings.of(MODEL, "x"), Endpoint("http://h/v1", Model("m-2"))
            ),
            "m-2",
        ),
    ],
)
def test_bad_input_dies_at_the_door(make, complaint):
    refuses(ValueError, complaint, make)


def test_the_endpoint_comes_from_the_environment_and_hides_its_key(monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "CHESSGLOSS_MODEL"):
        monkeypatch.delenv(name, raising=False)
    complaints = {"": r"OPENAI_BASE_URL.*model serve", "sk-secret": "CHESSGLOSS_MODEL"}
    for key, complaint in complaints.items():
        monkeypatch.setenv("OPENAI_API_KEY", key)
        refuses(ValueError, complaint, clients.endpoint_from_environment)
    found = clients.endpoint_from_environment("gpt-4o")
    assert found.base_url == "https://api.openai.com/v1"
    assert found.model == Model("gpt-4o")
    assert "sk-secret" not in repr(found)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    local = clients.endpoint_from_environment()
    assert local.on_this_machine
    assert local.model.kind == "local"
