"""Sixty moves that people annotated, kept for one blind reading of comments on them.

The program's notes, the method ``explain`` and the paper's ``ccc`` comment on each; what they are
given is in ``data/annotated``. How that was made, and in which order all is asked, says the README
there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from chessgloss.claims.gold import GoldText
from chessgloss.commentary import explain
from chessgloss.commentary.arms import ask_arm, read_comment, send_back
from chessgloss.commentary.asking import read_analysis, read_refutation
from chessgloss.commentary.briefing import Briefing, after_pass
from chessgloss.facts.change import Changes, ConceptChange, concept_and_side
from chessgloss.llm.client import Client
from chessgloss.llm.recordings import Request
from chessgloss.positions import MoveInContext, Position, text_digest
from chessgloss.scores import Analysis
from chessgloss.store import data_file

#: Under which purpose the answers of the arms are recorded.
PURPOSE: Final = "annotated"

#: The arms that ask a model.
ARMS: Sequence[str] = ("ccc", explain.METHOD)


def _file(name: str) -> Any:
    return json.loads(data_file(f"annotated/{name}").read_text("utf-8"))


def read_moves() -> dict[str, MoveInContext]:
    """Return the moves by name, in the order of their lot, each with its game before it."""
    lines = data_file("annotated/moves.jsonl").read_text("utf-8").splitlines()
    rows = map(json.loads, lines)
    return {
        row["id"]: MoveInContext(
            Position(row["fen"], tuple(row["moves"].split())), row["uci"]
        )
        for row in rows
    }


def briefed_moves() -> dict[str, Briefing]:
    """Return what writers know of the moves, by name (``writers.json``)."""
    rows = _file("writers.json")
    moves = read_moves()
    return {name: _briefing(name, move, rows[name]) for name, move in moves.items()}


def _briefing(name: str, move: MoveInContext, row: Mapping[str, Any]) -> Briefing:
    best = MoveInContext(move.position, row["before"]["lines"][0][2].split()[0])

    def passing(which: str, position: Position) -> Analysis | None:
        turned = after_pass(position) if which in row else None
        return read_analysis(turned, row[which]) if turned else None

    return Briefing(
        name,
        move,
        read_analysis(move.position, row["before"]),
        read_analysis(move.after(), row["after"]),
        concepts=_changes(row["concepts"]),
        passed=passing("passed", move.after()),
        idle=passing("idle", move.position),
        better_passed=passing("better_passed", best.after()),
        refutations=tuple(read_refutation(move, each) for each in row["failing"]),
    )


def _changes(rows: Sequence[Sequence[Any]]) -> Changes:
    return tuple(
        ConceptChange(*concept_and_side(term), before, after, change, rank)
        for rank, (term, before, after, change) in enumerate(rows, start=1)
    )


# ---------------------------------------------------------------- what is asked


def questions(arms: Iterable[str] = ARMS) -> list[Request]:
    """Return what some arms are asked on all moves, arm by arm, each in the order of the moves."""
    rows = _file("writers.json")
    moves = briefed_moves()
    return [
        ask_arm(each, arm, _changes(rows[name]["published"]))
        for arm in arms
        for name, each in moves.items()
    ]


def is_checked() -> bool:
    """Return whether the first comments of ``explain`` were checked (``sent_back.json``)."""
    return data_file("annotated/sent_back.json").is_file()


def sent_back(client: Client) -> list[Request]:
    """Return what is asked of the comments in which a claim was found false.

    ``sent_back.json`` holds the words of each claim and what decides it, by the name of the move.
    """
    stored = _file("sent_back.json")
    return [
        send_back(each, client.ask(each).text, stored[str(each.about["of"])])
        for each in questions([explain.METHOD])
        if each.about["of"] in stored
    ]


# ---------------------------------------------------------------- what is read and checked


def texts_first(client: Client) -> list[GoldText]:
    """Return the first comments of both arms, as reader 1 is given them."""
    return _texts(client, questions())


def texts_again(client: Client) -> list[GoldText]:
    """Return the comments that were written again, as reader 1 is given them."""
    return _texts(client, sent_back(client))


def _texts(client: Client, asked: Iterable[Request]) -> list[GoldText]:
    """Return the comments that were answered, in an order that tells nothing of the arm."""
    moves = read_moves()
    found = list[GoldText]()
    for each in asked:
        name, arm = str(each.about["of"]), str(each.about["method"])
        if text := read_comment(client.ask(each), arm).text:
            found.append(GoldText(f"{name}#{text_digest(text)}", moves[name], text))
    return sorted(found, key=lambda text: text_digest(text.key))


# ---------------------------------------------------------------- what was written


def read_comments() -> dict[str, dict[str, str]]:
    """Return the comments that were read, by who wrote them and the name of the move.

    ``notes`` are the program's as it was then, ``explain`` what was left when it was checked.
    """
    return _file("comments.json")["comments"]
