"""Endpoints of the forms in use: they answer, or the error says in their words what to do."""

import pytest

from chessgloss.llm.client import Client, Endpoint, Misconfigured, Refused, Unanswered
from chessgloss.llm.recordings import Message, Model, Recordings, Request, Sampling
from fakes import endpoint_forms
from fakes.endpoint_forms import endpoint_form

FORMS = ("ollama", "llama_cpp", "vllm", "anthropic", "gateway")
KEYED = ("llama_cpp", "vllm", "anthropic", "gateway")
KEY = "sk-right-key"


def ask(url, folder, *, model="m", key="", **sampling):
    request = Request((Message("user", "Rate it."),), Sampling(**sampling))
    endpoint = Endpoint(url, Model(model), key or "none", retries=0)
    return Client(Recordings.of(Model(model), "form", folder), endpoint).ask(request)


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize("form", FORMS)
def test_each_form_answers_at_its_address(form, slash, tmp_path):
    with endpoint_form(form, KEY) as root:
        answer = ask(f"{root}/v1{slash}", tmp_path, key=KEY, stop=("\n\n",))
    assert (answer.text, answer.state) == ("4", "answered")


def test_what_a_form_ignores_or_refuses_costs_no_answer(tmp_path, capsys):
    with endpoint_form("anthropic", KEY) as root:
        answer = ask(f"{root}/v1", tmp_path, key=KEY, top_logprobs=5, stop=("\n\n",))
    assert (answer.text, answer.tokens) == ("4", ())
    assert "must contain non-whitespace" in capsys.readouterr().err


#: What the error quotes of the server, by form.
NO_PATH = {
    "ollama": "404 page not found",
    "vllm": "Not Found",
    "anthropic": "Not found",
    "gateway": "Nothing here",
}


@pytest.mark.parametrize("form", NO_PATH)
def test_an_address_without_its_end_is_told_what_it_usually_ends_in(form, tmp_path):
    with (
        endpoint_form(form) as root,
        pytest.raises(Misconfigured, match=NO_PATH[form]) as error,
    ):
        ask(root, tmp_path)
    assert f"an address usually ends in /v1, this one is {root};" in str(error.value)


def test_llama_cpp_answers_without_the_end_of_its_address_and_a_key_too(tmp_path):
    with endpoint_form("llama_cpp") as root:
        answer = ask(root, tmp_path, max_tokens=1, top_logprobs=5)
    assert answer.tokens[0].text == "4"


UNAUTHORIZED = {
    "llama_cpp": "Invalid API Key",
    "vllm": "Unauthorized",
    "anthropic": "invalid x-api-key",
    "gateway": "No auth credentials found",
}


@pytest.mark.parametrize("key", ["", "sk-wrong-key"])
@pytest.mark.parametrize("form", KEYED)
def test_a_wrong_key_is_told_in_the_servers_words(form, key, tmp_path):
    said = f"answered 401 for model m: {UNAUTHORIZED[form]};.*OPENAI_API_KEY"
    with (
        endpoint_form(form, KEY) as root,
        pytest.raises(Misconfigured, match=said) as error,
    ):
        ask(f"{root}/v1", tmp_path, key=key)
    assert "sk-" not in str(error.value) and "/v1" not in str(error.value)


NO_MODEL = {
    "ollama": "model 'other' not found",
    "vllm": "The model `other` does not exist",
    "anthropic": "model: other",
    "gateway": "other is not a valid model ID",
}


@pytest.mark.parametrize("form", NO_MODEL)
def test_a_model_that_is_not_there_is_told_in_the_servers_words(form, tmp_path):
    with (
        endpoint_form(form) as root,
        pytest.raises((Misconfigured, Refused), match=NO_MODEL[form]) as error,
    ):
        ask(f"{root}/v1", tmp_path, model="other")
    assert "usually ends" not in str(error.value)


TROUBLES = {
    "error": "Provider returned error",
    "page": "no completion: 'Sign in to the proxy'",
    "no_choices": "no answer in the reply",
    "null_choices": "no answer in the reply",
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_what_comes_in_place_of_a_completion_is_told_in_its_own_words(
    trouble, tmp_path
):
    with (
        endpoint_form("gateway", trouble=trouble) as root,
        pytest.raises(Unanswered, match=TROUBLES[trouble]),
    ):
        ask(f"{root}/v1", tmp_path)


def test_a_server_that_repeats_the_key_does_not_make_us_say_it(tmp_path, monkeypatch):
    said = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
    monkeypatch.setitem(endpoint_forms.UNAUTHORIZED, "vllm", said)
    with (
        endpoint_form("vllm", "sk-other") as root,
        pytest.raises(Misconfigured, match=r"provided: \(the key\)") as error,
    ):
        ask(f"{root}/v1", tmp_path, key=KEY)
    assert KEY not in str(error.value)
