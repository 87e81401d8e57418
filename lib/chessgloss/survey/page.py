"""The form that raters fill in: one HTML page, complete in itself, that names no method."""

from __future__ import annotations

import html
import re
from importlib import resources
from string import Template
from typing import Any

from chessgloss.commentary.annotate import embedded, piece_shapes, policy
from chessgloss.positions import MoveInContext, Position
from chessgloss.report import board
from chessgloss.survey.blinding import Key
from chessgloss.survey.records import CAUSES, DIMENSIONS, STRENGTHS, Settings, StudyMove

#: The move that the instructions speak of: 6. Nxf7 of the Two Knights Defence.
GUIDE = MoveInContext(
    Position("r1bqkb1r/ppp2ppp/2n5/3np1N1/2B5/8/PPPP1PPP/RNBQK2R w KQkq - 0 6"), "g5f7"
)

_DEFINITIONS = re.compile(r"<defs>.*?</defs>", re.DOTALL)


def write_form(key: Key, settings: Settings | None = None) -> str:
    """Return the form for a study as the text of an HTML file.

    The page holds boards, moves and comments under their opaque names, sorted by these: no
    method's name and nothing of the key. Comments reach it as JSON and are shown as text
    only. Its own policy forbids it every request and every other script.

    Parameters
    ----------
    key
        The study and its secret.
    settings
        Breaks, pilot and organiser; :class:`Settings` as it stands if not given.
    """
    script = _part("form.js")
    told = describe(key, settings or Settings())
    return Template(_part("form.html")).substitute(
        title=html.escape(key.study.title),
        policy=policy(script),
        style=_part("form.css"),
        pieces=piece_shapes(),
        guide_board=draw(GUIDE),
        boards="".join(_template(n, one) for n, one in enumerate(key.study.moves, start=1)),
        data=embedded(told),
        script=script,
    )


def describe(key: Key, settings: Settings) -> dict[str, Any]:
    """Return what the page's script is given: the study without its methods, as JSON values."""
    names: dict[int, list[tuple[str, str]]] = {}
    for item, (number, method) in sorted(key.items().items()):
        text = key.study.moves[number - 1].comments[method]
        names.setdefault(number, []).append((item, text))
    return {
        "study": key.study_id,
        "title": key.study.title,
        "organiser": settings.organiser,
        "block": settings.block,
        "breakMinutes": settings.break_minutes,
        "pilotMoves": min(settings.pilot_moves, len(key.study.moves)),
        "points": dict(DIMENSIONS),
        "causes": list(CAUSES),
        "strengths": dict(STRENGTHS),
        "moves": [
            {
                "san": one.move.numbered_san,
                "side": "White" if one.move.mover else "Black",
                "fen": one.move.position.fen,
                "items": [{"id": item, "text": text} for item, text in names[number]],
            }
            for number, one in enumerate(key.study.moves, start=1)
        ],
    }


def draw(move: MoveInContext) -> str:
    """Return the board with the move's blue arrow, its pieces left to the page to define."""
    label = html.escape(f"Board before {move.numbered_san}, with the move as a blue arrow")
    svg = _DEFINITIONS.sub("", board(move).html, count=1)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def _template(number: int, one: StudyMove) -> str:
    return f'<template id="board-{number}">{draw(one.move)}</template>'


def _part(name: str) -> str:
    return resources.files("chessgloss.survey").joinpath(name).read_text("utf-8")
