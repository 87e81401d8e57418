"""Keep what was decided of the experiment before any answer was recorded.

    python data/commentary/factorial/freeze.py

writes ``frozen.json`` beside this file: the contrasts, what decides, the hashes of prompts,
checker and rules. Run once, before the first answer; a test holds the code to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from chessgloss.commentary import arms
from chessgloss.judges import contrasts
from chessgloss.llm.recordings import Request

HERE = Path(__file__).parent
LIBRARY = Path(arms.__file__).parents[1]

#: What finds false claims, and what it looks at.
CHECKER = ("claims", "facts")


def prompts_sha256(requests: Iterable[Request]) -> str:
    """Return the hash of questions: their messages and how answers are drawn, in their order."""
    digest = hashlib.sha256()
    for request in requests:
        turns = [[each.role, each.content] for each in request.messages]
        asked = [request.about["method"], request.about["of"], turns]
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


def decided() -> dict[str, object]:
    """Return what is decided, with the hashes of what decides it."""
    moves = arms.asked_moves()
    return {
        "decided": "before any answer was recorded",
        "moves": len(moves),
        "third": sum(map(arms.in_third, moves)),
        "outcome": "the comment makes at least one claim that the checker finds false",
        "contrasts": arms.CONTRASTS,
        "smallest_difference": contrasts.MATTERS,
        "level": contrasts.LEVEL,
        "correction": "Holm, over all contrasts",
        "sha256": {
            "prompts": prompts_sha256(arms.questions()),
            "checker": files_sha256(checker_files()),
            "rules": files_sha256([Path(contrasts.__file__)]),
        },
    }


def main() -> None:
    """Write the file; what stands in it beside that is kept."""
    path = HERE / "frozen.json"
    kept = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    text = json.dumps({**kept, **decided()}, indent=1)
    path.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
