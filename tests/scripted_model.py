"""A second model beside the recorded one: plain answers by rule, recorded for the smallest sizes.

It is a model as many services are: it gives no log-probabilities, now and then
answers nothing or something else than asked for, and as a judge never writes the rubric's line.
Its answers (``tests/recordings``) let the chapters be executed with another model than the book's.
When a prompt or a briefing changed, record them again; those that still fit are kept:

    python tests/scripted_model.py
"""

import hashlib
import os
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jupytext
import zstandard

from chessgloss.book.profiles import load_sizes
from chessgloss.llm.client import replay
from chessgloss.llm.recordings import Answer, Recordings, Request, State
from chessgloss.skill.mates import mate_questions, read_problems
from chessgloss.store import read_zstd

PROJECT = Path(__file__).resolve().parents[1]
MODEL = "scripted-1"
RECORDED = Path(__file__).with_name("recordings")
#: The chapters that replay a model's answers.
REPLAYING = ("04", "05", "06", "07", "09", "11")
#: What it says for a move.
MOVES = ("Nf3", "e2e4", "Qxf7#", "O-O", "I cannot tell.")
#: One question in so many has no answer; of a judge's, of one token, fewer.
SLIP = 9
JUDGE_SLIP = 50


def reply(request: Request) -> Answer:
    """Return the answer to a question."""
    digest = hashlib.sha256(str(request.messages).encode()).digest()
    judged = request.sampling.max_tokens == 1
    slips = digest[0] % (JUDGE_SLIP if judged else SLIP) == 0
    name = request.prompt.partition("@")[0]
    if judged:
        choices = "AB" if name == "gcc_choice" else "12345"
        text = "H" if slips else choices[digest[1] % len(choices)]
        return _answer(text, State.CUT_OFF)
    if slips:
        return _answer("", State.EMPTY)
    return _answer(_written(name, request, digest[1]))


def _written(name: str, request: Request, number: int) -> str:
    if name.startswith("mate_") or name in ("play_san", "play_uci"):
        return MOVES[number % len(MOVES)]
    if name == "play_reason":
        return f"Move: {MOVES[number % len(MOVES)]}\nReason: The knight attacks the pawn on e5."
    if name == "pairwise":
        return "Both comments are fine, I like the first."
    said = ("The queen on d5 attacks the rook on h8.", "A fine idea.")[number % 2]
    comment = f"This is move number {number}, and it is on the way. {said}"
    return f"Thoughts: none.\nComment: {comment}"


def _answer(text: str, state: State = State.ANSWERED) -> Answer:
    return Answer(state, text, (), "stop", model=MODEL)


def project_copy(folder: Path, recorded: Path = RECORDED) -> Path:
    """Return a checkout in ``folder`` that shares all but the recordings, and has both models'."""
    for path in PROJECT.iterdir():
        if path.name not in ("data", "_build", ".git", ".cache"):
            (folder / path.name).symlink_to(path)
    (folder / "data/recordings").mkdir(parents=True)
    for path in (PROJECT / "data").iterdir():
        if path.name != "recordings":
            (folder / "data" / path.name).symlink_to(path)
    for path in (PROJECT / "data/recordings").iterdir():
        (folder / "data/recordings" / path.name).symlink_to(path)
    own = folder / "data/recordings" / MODEL
    own.mkdir()
    for packed in sorted(recorded.glob("*.jsonl.zst")):
        (own / packed.stem).write_bytes(read_zstd(packed))
    return folder


def answering(get: Any) -> Any:
    """Return a method of :class:`Recordings` that lets the script answer what is missing.

    Chapters ask what is recorded before they take it, so it is there as soon as it is looked for.
    """

    def look_up(recordings: Recordings, request: Request) -> Answer | None:
        found = get(recordings, request)
        if found is None and recordings.model.name == MODEL:
            found = recordings.keep(request, reply(request), date="2026-01-01")
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


def ask_mates() -> None:
    """Ask what chapter 09 reads from the file, before anything is asked there."""
    count = load_sizes("09_mate_in_one", "smoke").recorded
    questions = mate_questions(read_problems(count=count))
    replay("mate_in_one", MODEL).ask_many(list(questions["request"]))


def main() -> None:
    """Let the chapters ask the script, and keep its answers."""
    import matplotlib as mpl

    mpl.use("agg")
    with tempfile.TemporaryDirectory() as name:
        project = project_copy(Path(name))
        settings = {
            f"CHESSGLOSS_{each}": f"{name}/{each}" for each in ("RESULTS", "STORE")
        }
        with (
            chdir(project),
            patch.dict(os.environ, settings),
            patch.object(Recordings, "get", answering(Recordings.get)),
        ):
            ask_mates()
            for number in REPLAYING:
                (source,) = (project / "notebooks").glob(f"{number}_*.py")
                print(source.stem)
                run_cells(source, model=MODEL)
        RECORDED.mkdir(exist_ok=True)
        for path in (project / "data/recordings" / MODEL).glob("*.jsonl"):
            packed = zstandard.ZstdCompressor(level=19).compress(path.read_bytes())
            (RECORDED / f"{path.name}.zst").write_bytes(packed)


if __name__ == "__main__":
    main()
