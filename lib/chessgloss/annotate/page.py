"""One HTML page that plays annotated games: complete in itself, nothing asked of the network."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from importlib import resources
from string import Template
from typing import TypeAlias

import chess
import chess.engine
import chess.pgn
import chess.svg

from chessgloss.annotate.pgn import game_text
from chessgloss.annotate.records import SIGNS, AnnotatedGame, Note
from chessgloss.engine import ScoreWording, expected_score, score_text
from chessgloss.single_page import embedded, piece_shapes, policy

#: A node of the page's game tree, as plain JSON values.
Node: TypeAlias = dict[str, str | int | float | bool | list | None]

_COMMAND = re.compile(r"\[%[^\]]*\]")
_ROSTER = ("Event", "Site", "Date")
_MATE = "mate in {moves}"
_WORDING = ScoreWording(number="{pawns:+.2f}", mate=_MATE, mated=_MATE, level=None)


def write_page(games: Sequence[AnnotatedGame]) -> str:
    """Return the page for one or more annotated games, as the text of an HTML file.

    Comments and headers reach the page as JSON and are shown as text only: nothing in a PGN
    file can run there. The page's own policy forbids it every request and foreign script.
    """
    script, style = _part("page.js"), _part("page.css")
    return Template(_part("page.html")).substitute(
        title=html.escape(_title(games[0].game)),
        policy=policy(script),
        style=style,
        pieces=piece_shapes(),
        pgn=html.escape("\n".join(game_text(annotated) for annotated in games)),
        data=embedded([describe(annotated) for annotated in games]),
        script=script,
    )


def describe(annotated: AnnotatedGame) -> dict[str, str | list]:
    """Return a game as the page reads it: ``nodes`` in order, each with its ``next`` ones.

    Nodes name others by index; node 0 is the first position. ``points`` are the points,
    0 to 1, that White can expect; ``gloss`` is our comment, ``comment`` that of others.
    """
    game = annotated.game
    return {
        "title": _title(game),
        "event": _event(game),
        "result": game.headers.get("Result", "*"),
        "headers": [[key, _header(game, key)] for key in game.headers],
        "about": f"Comments: {annotated.used}",
        "pgn": game_text(annotated),
        "nodes": _nodes(annotated),
    }


def _nodes(annotated: AnnotatedGame) -> list[Node]:
    start = annotated.game.board()
    nodes = [_root(annotated.game, start)]
    waiting: list[tuple[chess.pgn.GameNode, int, chess.Board]] = [(annotated.game, 0, start)]
    while waiting:
        parent, index, board = waiting.pop()
        note = annotated.notes[parent.ply() - start.ply()] if _has_note(parent) else None
        for child in parent.variations:
            own = note if child.is_mainline() else None
            after = board.copy(stack=False)
            after.push(child.move)
            nodes.append(_node(child, index, board, after, own))
            waiting.append((child, _append(nodes, index), after))
        if note is not None and not parent.has_variation(_first(note)):
            _add_better(nodes, index, board, note)
    return nodes


def _has_note(node: chess.pgn.GameNode) -> bool:
    return node.is_mainline() and bool(node.variations)


def _first(note: Note) -> chess.Move:
    return chess.Move.from_uci(note.better[0]) if note.better else chess.Move.null()


def _append(nodes: list[Node], parent: int) -> int:
    """Enter the newest node among those that follow its parent; return its index."""
    following = nodes[parent]["next"]
    assert isinstance(following, list)
    following.append(len(nodes) - 1)
    return len(nodes) - 1


def _add_better(nodes: list[Node], index: int, board: chess.Board, note: Note) -> None:
    """Append the better line; without one there is nothing to append."""
    board = board.copy(stack=False)
    for place, uci in enumerate(note.better):
        move = chess.Move.from_uci(uci)
        node = _bare(board, move, index)
        board.push(move)
        node["placement"] = board.board_fen()
        if place == 0:
            node |= _value(note.better_score, board)
            node["gloss"] = "The engine's choice."
        nodes.append(node)
        index = _append(nodes, index)


def _root(game: chess.pgn.Game, board: chess.Board) -> Node:
    return _blank() | {
        "placement": board.board_fen(),
        "comment": _human(game.comment),
        "arrows": _arrows(game),
        "main": True,
    }


def _node(
    node: chess.pgn.ChildNode,
    parent: int,
    board: chess.Board,
    after: chess.Board,
    note: Note | None,
) -> Node:
    nags = sorted(node.nags & SIGNS.keys()) or ([note.nag] if note and note.nag else [])
    score = node.eval() or (note.score if note else None)
    return (
        _bare(board, node.move, parent)
        | _value(score, after)
        | {
            "placement": after.board_fen(),
            "marks": "".join(SIGNS[nag] for nag in nags if nag),
            "before": _human(node.starting_comment),
            "comment": _human(node.comment),
            "gloss": note.text if note else "",
            "arrows": _arrows(node),
            "main": note is not None,
        }
    )


def _blank() -> Node:
    """Return a node that says nothing yet."""
    words: Node = dict.fromkeys(("uci", "san", "marks", "before", "comment", "gloss", "score"), "")
    return words | {
        "parent": -1,
        "number": 0,
        "white": False,
        "points": None,
        "main": False,
        "arrows": [],
        "next": [],
    }


def _bare(board: chess.Board, move: chess.Move, parent: int) -> Node:
    return _blank() | {
        "parent": parent,
        "uci": move.uci(),
        "san": board.san(move),
        "number": board.fullmove_number,
        "white": board.turn,
    }


def _value(score: chess.engine.PovScore | None, board: chess.Board) -> Node:
    """Return the value of a position in words and in the points that White can expect."""
    if board.is_checkmate():
        return {"score": "checkmate", "points": 0.0 if board.turn else 1.0}
    if board.is_stalemate() or board.is_insufficient_material():
        return {"score": "draw", "points": 0.5}
    if score is None:
        return {}
    text = score_text(score, _WORDING)
    return {"score": text, "points": round(expected_score(score, board.ply(), chess.WHITE), 3)}


def _arrows(node: chess.pgn.GameNode) -> list[list[str]]:
    squares = chess.SQUARE_NAMES
    return [[squares[one.tail], squares[one.head], one.color] for one in node.arrows()]


def _human(comment: str) -> str:
    return " ".join(_COMMAND.sub(" ", comment).split())


def _title(game: chess.pgn.Game) -> str:
    return f"{_header(game, 'White')} – {_header(game, 'Black')}"


def _event(game: chess.pgn.Game) -> str:
    said = [_header(game, key) for key in _ROSTER]
    known = [text for text in said if text.strip("?. ")]
    return " · ".join([*known, _header(game, "Result")])


def _header(game: chess.pgn.Game, key: str) -> str:
    """Return a header's value; python-chess leaves its escaped quotation marks as they are."""
    return game.headers.get(key, "?").replace('\\"', '"')


def _part(name: str) -> str:
    return resources.files("chessgloss.annotate").joinpath(name).read_text("utf-8")
