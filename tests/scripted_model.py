"""A second model beside the recorded one, in four moods: what it says, recorded and executed.

Its answers come by rule, in the form of the protocol. Each mood is a model of its own:

``fair``
    does as it is told and gives log-probabilities;
``unmarked``
    never writes ``Comment:``, thinks aloud where it was asked to think, and as a judge too;
``markdown``
    writes Markdown, and at length, until it is cut off; as a judge ``**4**`` first;
``reticent``
    gives no log-probabilities and refuses a third of what it is asked.

``python benchmarks/moods.py`` executes the chapters that replay a model with each of them.
"""

import hashlib
import math
import os
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jupytext
from openai.types.chat import ChatCompletion

import chapters
from chessgloss.llm.recordings import Answer, Recordings, Request
from chessgloss.llm.replies import read_completion

PROJECT = Path(__file__).resolve().parents[1]
MOODS = ("fair", "unmarked", "markdown", "reticent")
#: The chapters that replay a model's answers.
REPLAYING = ("04", "09", "11")
#: What it says for a move.
MOVES = ("Nf3", "e2e4", "Qxf7#", "O-O", "I cannot tell.")
#: What it says of a move.
REMARKS = (
    "It threatens to win the queen on d5 at once.",
    "White is clearly better after this check.",
    "The knight takes the pawn on e5 and attacks the rook.",
    "Black castles, and the game is about level.",
)


def model_of(mood: str) -> str:
    """Return the name of the model that is in a mood."""
    return f"scripted-{mood}"


# ---------------------------------------------------------------- what it says


def reply(mood: str, request: Request) -> Answer:
    """Return the answer to a question, as the client reads it from the protocol."""
    number = hashlib.sha256(str(request.messages).encode()).digest()[1]
    if mood == "reticent" and number % 3 == 0:
        refusal = "I'm sorry, but I can't assist with that."
        return _completion(request, mood, None, "stop", refusal)
    text = _said(request, number)
    if mood == "unmarked":
        judged = request.sampling.max_tokens == 1
        text = "The" if judged else text.replace("Comment: ", "")
    if mood == "markdown":
        text = _in_markdown(text, request)
    cut = mood == "markdown" and len(text) > 40 and number % 4 == 0
    return _completion(request, mood, text, "length" if cut else "stop")


def _said(request: Request, number: int) -> str:
    name = request.prompt.partition("@")[0]
    if request.sampling.max_tokens == 1:
        return str(1 + number % 5)
    if name.startswith("mate_") or name in ("play_san", "play_uci"):
        return MOVES[number % len(MOVES)]
    if name == "play_reason":
        return f"Move: {MOVES[number % len(MOVES)]}\nReason: {REMARKS[number % 4]}"
    told = request.messages[0].content
    thoughts = "Thoughts:\n- The king is safe.\n\n" if "Thoughts:" in told else ""
    remarks = REMARKS[number % 4], REMARKS[number // 4 % 4]
    return f"{thoughts}Comment: This is move {number}. {' '.join(remarks)}"


def _in_markdown(text: str, request: Request) -> str:
    if request.sampling.max_tokens == 1 or len(text) < 16:
        return f"**{text}**"
    marked = text.replace("Comment:", "**Comment:**").replace("Move:", "**Move:**")
    more = "\n".join(
        f"- *Point {number}:* {REMARKS[number % 4]}" for number in range(9)
    )
    return f"### Answer\n\n{marked}\n\n### Why\n\n{more}"


def _completion(
    request: Request, mood: str, text: str | None, reason: str, refusal: str = ""
) -> Answer:
    message = {"role": "assistant", "content": text, "refusal": refusal or None}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": reason}
    count = request.sampling.top_logprobs
    if count and text and mood != "reticent":
        first = "**" if text.startswith("**") else text.split(maxsplit=1)[0]
        choice["logprobs"] = {"content": [_token(first, count)]}
    body = {"id": "1", "object": "chat.completion", "created": 0, "choices": [choice]}
    completion = ChatCompletion.construct(**body, model=model_of(mood))
    return read_completion(completion, request)


def _token(first: str, count: int) -> dict[str, Any]:
    """Return the first token, of probability 0.7, with others that share the rest."""
    others = [one for one in (*"12345", "The") if one != first][: count - 1]
    chances = {first: 0.7} | dict.fromkeys(others, 0.3 / len(others))
    ranked = [
        {"token": one, "logprob": math.log(chance)} for one, chance in chances.items()
    ]
    return {"token": first, "logprob": math.log(0.7), "top_logprobs": ranked}


# ---------------------------------------------------------------- recorded


def project_copy(folder: Path) -> Path:
    """Return a checkout in ``folder`` that shares all, with recordings that can be added to."""
    folder.mkdir(exist_ok=True)
    for path in PROJECT.iterdir():
        if path.name not in ("data", "_build", ".git", ".cache"):
            (folder / path.name).symlink_to(path)
    (folder / "data/recordings").mkdir(parents=True)
    for path in (PROJECT / "data").iterdir():
        if path.name != "recordings":
            (folder / "data" / path.name).symlink_to(path)
    for path in (PROJECT / "data/recordings").iterdir():
        (folder / "data/recordings" / path.name).symlink_to(path)
    return folder


def answering(get: Any) -> Any:
    """Return a method of :class:`Recordings` that lets the script answer what is missing.

    Chapters ask what is recorded before they take it, so it is there as soon as it is looked for.
    """
    moods = {model_of(mood): mood for mood in MOODS}

    def look_up(recordings: Recordings, request: Request) -> Answer | None:
        found = get(recordings, request)
        if found is None and (mood := moods.get(recordings.model.name)):
            found = recordings.keep(request, reply(mood, request), date="2026-01-01")
        return found

    return look_up


def run_cells(source: Path, **parameters: object) -> None:
    """Run the code of a chapter at its smallest sizes."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in jupytext.read(source, fmt="py:percent").cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, source.name, "exec"), names)
            if "parameters" in cell.metadata.get("tags", ()):
                names |= {"profile": "smoke", **parameters}


def record_chapters(project: Path, mood: str) -> None:
    """Let the chapters ask a mood, and keep what it says in a copy of the project."""
    import matplotlib as mpl

    mpl.use("agg")
    settings = {
        f"CHESSGLOSS_{each}": str(project / f"_build/{each.lower()}")
        for each in ("RESULTS", "STORE")
    }
    with (
        chdir(project),
        patch.dict(os.environ, settings),
        patch.object(Recordings, "get", answering(Recordings.get)),
        redirect_stdout(StringIO()),
    ):
        for number in REPLAYING:
            (source,) = (project / "notebooks").glob(f"{number}_*.py")
            run_cells(source, model=model_of(mood))


def execute_chapters(
    project: Path, folder: Path, mood: str
) -> Iterator[tuple[str, str]]:
    """Execute the chapters on what a mood said; yield each one's name and how it failed."""
    run = chapters.separate_run(project, "smoke", folder)
    for number in REPLAYING:
        chapter = chapters.find_chapter(chapters.read_chapters(project), number)
        try:
            chapters.execute(run, chapter, {"model": model_of(mood)})
        except chapters.ChapterError as error:
            yield chapter.name, str(error)
        else:
            yield chapter.name, ""
