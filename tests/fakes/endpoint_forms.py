"""Scripted servers of the forms that are in use: their addresses, keys, refusals and errors.

``with endpoint_form("vllm", key="sk-1") as root`` serves one on 127.0.0.1, which has the
model ``m``. Each form is as the documents of its program describe it:

``ollama``     /v1 alone; any key; a plain text for other paths; log-probabilities
``llama_cpp``  with and without /v1; a key if it was started with one; log-probabilities
``vllm``       /v1 alone; a key if it was started with one; errors in two shapes
``anthropic``  /v1 alone; always a key; log-probabilities and seed are ignored, a blank stop refused
``gateway``    /v1 alone; what goes wrong comes with status 200 (``trouble``)

Source: https://docs.ollama.com/api/openai-compatibility
Source: https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
Source: https://docs.vllm.ai/en/latest/serving/openai_compatible_server/
Source: https://platform.claude.com/docs/en/api/openai-sdk
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fakes.scripted_llm import completion

Reply = tuple[int, dict | str]

#: What stands before ``/chat/completions``.
PREFIXES = {"llama_cpp": ("", "/v1")}

#: What a form answers to another path.
NOT_FOUND: dict[str, dict | str] = {
    "ollama": "404 page not found",
    "llama_cpp": {"error": {"code": 404, "message": "File Not Found"}},
    "vllm": {"detail": "Not Found"},
    "anthropic": {
        "type": "error",
        "error": {"type": "not_found_error", "message": "Not found"},
    },
    "gateway": "<html><body>Nothing here</body></html>",
}

#: What it answers to a wrong key, or none.
UNAUTHORIZED: dict[str, dict | str] = {
    "llama_cpp": {"error": {"code": 401, "message": "Invalid API Key"}},
    "vllm": {"error": "Unauthorized"},
    "anthropic": {
        "error": {"type": "authentication_error", "message": "invalid x-api-key"}
    },
    "gateway": {"error": {"message": "No auth credentials found", "code": 401}},
}

#: What it answers of a model that it does not have.
NO_MODEL: dict[str, dict | str] = {
    "ollama": {
        "error": {"message": "model 'other' not found", "type": "not_found_error"}
    },
    "vllm": {
        "object": "error",
        "message": "The model `other` does not exist.",
        "code": 404,
    },
    "anthropic": {"error": {"type": "not_found_error", "message": "model: other"}},
    "gateway": {"error": {"message": "other is not a valid model ID", "code": 400}},
}

#: What a gateway sends with status 200.
TROUBLES: dict[str, dict | str] = {
    "error": {"error": {"message": "Provider returned error", "code": 502}},
    "page": "<html><head><style>a {}</style></head><body>Sign in to the proxy</body></html>",
    "no_choices": {"object": "chat.completion", "model": "m", "choices": []},
    "null_choices": {"object": "chat.completion", "model": "m", "choices": None},
}


@contextmanager
def endpoint_form(form: str, key: str = "", trouble: str = "") -> Iterator[str]:
    """Serve a form while the context lasts; yield its root."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            given = self.headers.get("Authorization", "").removeprefix("Bearer ")
            status, said = reply(form, self.path, given, body, key, trouble)
            raw = (said if isinstance(said, str) else json.dumps(said)).encode()
            kind = "text/html" if isinstance(said, str) else "application/json"
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def reply(
    form: str, path: str, given: str, body: dict, key: str, trouble: str
) -> Reply:
    """Return the status and the body of a form's answer."""
    prefix = path.removesuffix("/chat/completions")
    if prefix == path or prefix not in PREFIXES.get(form, ("/v1",)):
        return 404, NOT_FOUND[form]
    if form in UNAUTHORIZED and key and given != key:
        return 401, UNAUTHORIZED[form]
    if trouble:
        return 200, TROUBLES[trouble]
    if body["model"] != "m" and form in NO_MODEL:
        return 400 if form == "gateway" else 404, NO_MODEL[form]
    if form == "anthropic":
        if not all(each.strip() for each in body.get("stop", ())):
            message = "stop_sequences: each stop sequence must contain non-whitespace"
            return 400, {"error": {"type": "invalid_request_error", "message": message}}
        body = {name: value for name, value in body.items() if name != "logprobs"}
    said = completion("text", "4", body, "m")
    if form == "gateway":
        message = said["choices"][0]["message"]
        message["content"] = [{"type": "text", "text": "4"}]
    return 200, said
