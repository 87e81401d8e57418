"""Keep what was decided of an experiment before any answer was recorded.

    python data/commentary/freeze.py factorial
    python data/commentary/freeze.py voice
    python data/commentary/freeze.py judge

writes ``frozen.json`` into the experiment's folder: the contrasts, what decides, the hashes of
prompts, checker and rules. Run before the first answer; a test holds the code to it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from chessgloss.claims import read_model
from chessgloss.commentary import arms, voice
from chessgloss.commentary.prompts import load_prompt
from chessgloss.judges import blind, contrasts, strong
from chessgloss.llm.client import replay
from chessgloss.llm.recordings import Request

HERE = Path(__file__).parent
LIBRARY = Path(arms.__file__).parents[1]

#: What finds false claims, and what it looks at.
CHECKER = ("claims", "facts", "predicates")


def prompts_sha256(requests: Iterable[Request]) -> str:
    """Return the hash of questions: their messages and how answers are drawn, in their order."""
    digest = hashlib.sha256()
    for request in requests:
        turns = [[each.role, each.content] for each in request.messages]
        asked = [request.about.get("method", ""), request.about["of"], turns]
        digest.update(json.dumps([*asked, asdict(request.sampling)]).encode())
    return digest.hexdigest()


def files_sha256(paths: Iterable[Path]) -> str:
    """Return the hash of files of the library, by name and content."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.relative_to(LIBRARY).as_posix()}\0".encode())
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def checker_files() -> list[Path]:
    """Return the files of the claim checker."""
    rooms = (LIBRARY / room for room in CHECKER)
    return [
        path
        for room in rooms
        for path in room.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    ]


def text_sha256(text: str) -> str:
    """Return the hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def shared() -> dict[str, object]:
    """Return what holds for every experiment."""
    return {
        "smallest_difference": contrasts.MATTERS,
        "level": contrasts.LEVEL,
    }


def factorial() -> dict[str, object]:
    """Return what is decided of the 303 moves, with the hashes of what decides it."""
    moves = arms.asked_moves()
    return shared() | {
        "decided": "before any answer was recorded",
        "moves": len(moves),
        "third": sum(map(arms.in_third, moves)),
        "outcome": "the comment makes at least one claim that the checker finds false",
        "contrasts": arms.CONTRASTS,
        "correction": "Holm, over all contrasts",
        "sha256": {
            "prompts": prompts_sha256(arms.questions()),
            "checker": files_sha256(checker_files()),
            "rules": files_sha256([Path(contrasts.__file__)]),
        },
    }


def of_voice() -> dict[str, object]:
    """Return what is decided of the 150 moves; each arm has the hash of its own prompts."""
    blocks = voice.read_blocks()
    return shared() | {
        "decided": "before any answer was recorded; one look, when all answers are there",
        "moves": sum(map(len, blocks)),
        "blocks": len(blocks),
        "outcomes": voice.OUTCOMES,
        "contrasts": voice.CONTRASTS,
        "correction": "Holm, over all contrasts of both outcomes",
        "planted_errors": voice.PLANTS,
        "seed": voice.SEED,
        "intervals": "bootstrap over moves; over blocks as a sensitivity",
        "sha256": {
            "moves": text_sha256(json.dumps(blocks)),
            "reader": text_sha256(read_model.instructions()),
            "checker": files_sha256(checker_files()),
            "blind": {name: text_sha256(blind.told(name)) for name in blind.TOLD},
            "sent_back": text_sha256(arms.SENT_BACK.template),
            "prompts": {
                arm: prompts_sha256(voice.questions([arm])) for arm in voice.ARMS
            },
        },
    }


def judge_questions() -> dict[str, list[Request]]:
    """Return what the judge of the experiment's comments is asked, set by set.

    People's words are left out, so that the hashes are the same with and without their source.
    """
    sets = strong.question_sets(replay(voice.PURPOSE, "claude"))
    return {
        name: [
            request
            for request in frame["request"]
            if request.about.get("method") != strong.PEOPLE
        ]
        for name, frame in sets.items()
        if name != "reference"
    }


def of_judge() -> dict[str, object]:
    """Return what is decided of the judge; a set of questions has the hash of its own."""
    asked = judge_questions()
    prompts = {
        str(each.prompt).partition("@")[0]
        for requests in asked.values()
        for each in requests
    }
    return {
        "decided": "before any answer was recorded; one look, when all answers are there",
        "kinds": [*strong.KINDS],
        "pairs": strong.PAIRS,
        "bar": strong.BAR,
        "outcomes": strong.OUTCOMES,
        "comparisons": strong.COMPARISONS,
        "seed": strong.SEED,
        "questions": {name: len(requests) for name, requests in asked.items()},
        "sha256": {
            "prompts": {
                name: text_sha256(str(load_prompt(name).messages))
                for name in sorted(prompts | {f"gcc_{strong.WITH_REFERENCE}"})
            },
            "questions": {
                name: prompts_sha256(requests) for name, requests in asked.items()
            },
        },
    }


DECIDED = {"factorial": factorial, "voice": of_voice, "judge": of_judge}


def main() -> None:
    """Write the file of an experiment; what stands in it beside that is kept."""
    (name,) = sys.argv[1:]
    path = HERE / name / "frozen.json"
    kept = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    text = json.dumps({**kept, **DECIDED[name]()}, indent=1)
    path.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
