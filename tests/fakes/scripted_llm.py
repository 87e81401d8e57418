"""A scripted language model behind a real socket: it answers by rule and fails on command.

``with scripted_llm("429:2", "drop", "") as llm`` serves on 127.0.0.1. Each question takes the
next step of the script; when the script is over, or a step is empty, the answer is ``reply to
<last message>``. A step is a kind, and for some a value after a colon:

``429:SECONDS`` (with that Retry-After), ``500`` and other statuses, ``drop`` (closes the
connection), ``filter_error`` (a filter's 400), ``half`` (closes it in the middle of the answer),
``slow:SECONDS``,
``drip:SECONDS`` (between the bytes of its first word), ``bad_json``,
``no_choices``, ``empty``, ``cut_off:TEXT``, ``refused:TEXT``, ``filtered``, ``text:TEXT``,
``huge`` (ten megabytes), ``no_utf8``, ``null`` (no content).

A server in a *mood* answers as a kind of model does: ``o3`` takes no ``max_tokens``, temperature
or log-probabilities, and needs room for its thoughts; ``r1`` writes its thoughts before its answer;
``plain`` gives no log-probabilities; ``strict`` takes no grammar and says so.
"""

import json
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: What each mood refuses, in the words of the services that do.
REFUSALS = {
    "o3": {
        "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        "temperature": "Unsupported value: 'temperature' does not support 0.0 with this model. "
        "Only the default (1) value is supported.",
        "logprobs": "You are not allowed to request logprobs from this model.",
    },
    "strict": {"grammar": "Unrecognized request argument supplied: grammar"},
}

#: Tokens that a model spends on its thoughts.
THOUGHT = 50


@dataclass
class ScriptedLlm:
    """What was asked so far, and where."""

    script: list[str]
    model: str
    mood: str = ""
    url: str = ""
    asked: list[dict] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    refused: list[str] = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def next_step(self, body: dict, key: str) -> Iterator[str]:
        with self.guard:
            self.asked.append(body)
            self.keys.append(key)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            step = self.script.pop(0) if self.script else ""
        try:
            yield step
        finally:
            with self.guard:
                self.at_once -= 1


@contextmanager
def scripted_llm(
    *script: str, model: str = "scripted-1", mood: str = ""
) -> Iterator[ScriptedLlm]:
    """Serve a script while the context lasts."""
    llm = ScriptedLlm(list(script), model, mood)
    handler = type("Handler", (_Handler,), {"llm": llm})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # a client that was killed
    llm.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield llm
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    llm: ScriptedLlm
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        refusals = REFUSALS.get(self.llm.mood, {})
        if refused := [name for name in refusals if name in body]:
            status = 403 if refused[0] == "logprobs" else 400
            error = {"message": refusals[refused[0]], "param": refused[0]}
            self.llm.refused.append(refused[0])
            self.send(status, json.dumps({"error": error}))
            return
        with self.llm.next_step(body, self.headers["Authorization"]) as step:
            kind, _, value = step.partition(":")
            self.play(kind, value, body)

    def play(self, kind: str, value: str, body: dict) -> None:
        if kind == "slow":
            time.sleep(float(value))
        if kind == "drop":
            self.close_connection = True
        elif kind.isdigit():
            extra = {"Retry-After": value} if value else {}
            self.send(int(kind), json.dumps({"error": {"message": "scripted"}}), extra)
        elif kind == "filter_error":
            error = {"code": "content_filter", "message": "the filter declined"}
            self.send(400, json.dumps({"error": error}))
        elif kind == "bad_json":
            self.send(200, '{"choices": [')
        elif kind == "no_choices":
            self.send(200, '{"choices": []}')
        else:
            said = completion(kind, value, body, self.llm.model)
            think(said, body, self.llm.mood)
            text = json.dumps(said, ensure_ascii=False)
            self.send(
                200,
                text,
                cut=kind == "half",
                pause=float(value) if kind == "drip" else 0,
            )

    def send(
        self,
        status: int,
        text: str,
        extra: dict | None = None,
        cut: bool = False,
        pause: float = 0,
    ) -> None:
        raw = text.encode("utf-8", "surrogateescape")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        for name, value in (extra or {}).items():
            self.send_header(name, value)
        self.end_headers()
        for k in range(5 if pause else 0):
            self.wfile.write(raw[k : k + 1])
            time.sleep(pause)
        self.wfile.write(raw[: len(raw) // 2] if cut else raw[5 if pause else 0 :])
        self.close_connection = self.close_connection or cut


def completion(kind: str, value: str, body: dict, model: str) -> dict:
    """Return a reply in the form of the protocol."""
    last = body["messages"][-1]["content"]
    said = value if kind in ("text", "cut_off") else f"reply to {last}"
    said = {"huge": "x" * 10_000_000, "no_utf8": "\udcff\udcfe"}.get(kind, said)
    text = {"empty": " \n", "filtered": "", "refused": None, "null": None}.get(
        kind, said
    )
    message = {"content": text, "refusal": value if kind == "refused" else None}
    reason = {"cut_off": "length", "filtered": "content_filter"}.get(kind, "stop")
    choice = {"message": message, "finish_reason": reason}
    if body.get("logprobs"):
        tokens = said if said.isdigit() else "41"
        choice["logprobs"] = {
            "content": [token(one, body["top_logprobs"]) for one in tokens]
        }
    usage = {"prompt_tokens": len(last), "completion_tokens": len(text or "")}
    return {
        "model": model,
        "system_fingerprint": "fp_1",
        "choices": [choice],
        "usage": usage,
    }


def think(reply: dict, body: dict, mood: str) -> None:
    """Change a reply into that of a model that thinks first, in the moods that do."""
    if mood == "plain":
        reply["choices"][0].pop("logprobs", None)
    if mood not in ("o3", "r1"):
        return
    (choice,) = reply["choices"]
    room = body.get("max_completion_tokens", body.get("max_tokens"))
    thoughts = "<think>\nLet me look.\n</think>\n\n" if mood == "r1" else ""
    if room <= THOUGHT:
        choice["finish_reason"] = "length"
        choice["message"]["content"] = thoughts[:12]
    else:
        choice["message"]["content"] = thoughts + choice["message"]["content"]
    details = {"reasoning_tokens": min(room, THOUGHT)} if mood == "o3" else {}
    reply["usage"]["completion_tokens_details"] = details


def token(text: str, alternatives: int) -> dict:
    """Return a token of probability 0.7 whose alternatives share the rest, out of order."""
    rest = [text, *(str(digit) for digit in range(1, 10) if str(digit) != text)][
        :alternatives
    ]
    chances = {one: 0.7 if one == text else 0.3 / 8 for one in rest}
    ranked = [
        {"token": one, "logprob": math.log(chance)} for one, chance in chances.items()
    ]
    return {"token": text, "logprob": math.log(0.7), "top_logprobs": ranked[::-1]}
