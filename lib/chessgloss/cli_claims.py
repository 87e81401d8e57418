"""The command ``chessgloss claims``: the claims of a text on a move, each with its verdict."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chessgloss.claims import Checked, summarise, verify
from chessgloss.positions import read_fen, read_move


def add_claims(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand ``claims`` to a parser's subcommands."""
    parser = commands.add_parser("claims", help="check what a text says of a move")
    parser.add_argument("--fen", help="the position before the move")
    parser.add_argument("--move", help="the move, in SAN (also with its number) or UCI")
    parser.add_argument("--text", help="the text to check")
    parser.add_argument("--reply", help="the expected reply in UCI notation, if known")
    parser.add_argument(
        "--jsonl",
        type=Path,
        metavar="FILE",
        help='check many: {"fen", "move", "text"} a line, "-" for standard input; '
        "prints one object a line",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_claims)


def as_json(checked: Checked) -> dict[str, Any]:
    """Return a checked claim as the contract's object."""
    claim = checked.claim
    return {
        "text": claim.text,
        "span": list(claim.span),
        "kind": claim.kind,
        "verdict": checked.verdict,
        "evidence": checked.evidence,
        "anchor": checked.anchor,
        "cause": checked.cause,
    }


def _claims(given: argparse.Namespace) -> int:
    single = (given.fen, given.move, given.text)
    if given.jsonl is not None:
        if any(one is not None for one in single):
            raise ValueError("give either --jsonl, or --fen, --move and --text")
        for line in _stream(given.jsonl):
            print(json.dumps(line, ensure_ascii=False), flush=True)
        return 0
    if any(one is None for one in single):
        raise ValueError("give --fen, --move and --text, or --jsonl FILE")
    checked = _check(given.fen, given.move, given.text, given.reply)
    print(_object(checked) if given.json else _table(checked))
    return 0


def _check(fen: str, move: str, text: str, reply: str | None = None) -> tuple[Checked, ...]:
    return verify(text, read_move(read_fen(fen), move), reply=reply)


def _stream(path: Path) -> Iterator[dict[str, Any]]:
    """Yield an object of claims for each line of a file."""
    with sys.stdin if str(path) == "-" else path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _of_line(line, f"{path}, line {number}")


def _of_line(line: str, where: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
        fen, move, text = (str(entry[key]) for key in ("fen", "move", "text"))
    except (json.JSONDecodeError, KeyError, TypeError):
        raise ValueError(f'{where}: expected an object with "fen", "move" and "text"') from None
    try:
        checked = _check(fen, move, text)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    kept = {key: entry[key] for key in ("id",) if key in entry}
    return {**kept, "claims": [as_json(one) for one in checked]}


def _object(checked: tuple[Checked, ...]) -> str:
    claims = [as_json(one) for one in checked]
    return json.dumps(
        {"claims": claims, "summary": summarise(checked)}, ensure_ascii=False, indent=2
    )


def _table(checked: tuple[Checked, ...]) -> str:
    if not checked:
        return "no checkable claim"
    return "\n".join(
        f"{one.verdict:13} {one.claim.kind:10} {one.claim.text!r}: {one.evidence}"
        for one in checked
    )
