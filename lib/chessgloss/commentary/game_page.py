"""The page that plays annotated games, complete in itself: nothing is asked of the network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.resources import files
from string import Template
from typing import Any, TypeAlias

import chess
import chess.engine
import chess.pgn
import chess.svg

from chessgloss.commentary.annotate import SIGNS, AnnotatedGame, Annotation
from chessgloss.commentary.game_pgn import (
    header_of,
    title_of,
    with_better_lines,
    write_pgn,
)
from chessgloss.llm.text import visible
from chessgloss.positions import natural_end
from chessgloss.scores import ScoreWording, centipawns, score_text, win_chance

#: A node of the page's game tree, as plain JSON values.
Node: TypeAlias = dict[str, Any]

#: The keys of a node, in their order in a page.
_KEYS = (
    "uci",
    "san",
    "marks",
    "before",
    "comment",
    "gloss",
    "score",
    "parent",
    "number",
    "white",
    "chance",
    "main",
    "arrows",
    "next",
    "placement",
)

_COMMAND = re.compile(r"\[%[^\]]*\]")
_MATE = "mate in {moves}"
_WORDING = ScoreWording(number="{pawns:+.2f}", mate=_MATE, mated=_MATE, level=None)


def write_page(games: Sequence[AnnotatedGame]) -> str:
    """Return the page for one or more annotated games, as the text of an HTML file.

    Comments and headers reach the page as JSON and are shown as text only: nothing in a PGN
    file can run there. The page's own policy forbids it every request and foreign script.
    """
    shown = player(
        [describe_game(annotated) for annotated in games], pgn=write_pgn(games)
    )
    return Template(_part("page.html")).substitute(
        title=html.escape(title_of(games[0].game)),
        policy=policy(_part("player.js")),
        player=shown,
    )


def player(games: Sequence[dict[str, Any]], level: int = 1, pgn: str = "") -> str:
    """Return the board that plays games, with what is said of their moves, as HTML for a page.

    Parameters
    ----------
    games
        As :func:`describe_game` gives them. Further keys of a game: ``name`` for links, ``group``
        and ``listed`` for the list of games, ``opens`` for the node shown first, ``turned`` for
        Black below; of a node: ``comments``, ``notes``, ``concepts``, ``players``.
    level
        Level of its heading on the page.
    pgn
        What stands in its place where no script runs.
    """
    small = [
        game | {"nodes": [_without_blanks(node) for node in game["nodes"]]}
        for game in games
    ]
    words = {"pieces": piece_shapes(), "pgn": html.escape(pgn)}
    words |= {"data": embedded(share_texts(small))}
    words |= {"style": _part("player.css"), "script": _part("player.js")}
    return Template(_part("player.html")).substitute(
        words, level=level, below=level + 1
    )


def _without_blanks(node: Node) -> Node:
    kept = (
        key
        for key, each in node.items()
        if each is not False and each not in ("", [], None)
    )
    return {key: node[key] for key in kept}


def _part(name: str) -> str:
    return files("chessgloss.commentary").joinpath(name).read_text("utf-8")


def policy(script: str) -> str:
    """Return a content security policy, escaped for an attribute, that allows one script.

    Nothing else is loaded or run: no address, no other script, no form sent anywhere.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
    )
    return html.escape(f"{allowed}base-uri 'none'; form-action 'none'", quote=True)


def embedded(value: object) -> str:
    """Return a value as JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return (
        text.replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def share_texts(games: Sequence[object]) -> dict[str, list]:
    """Return ``games`` with each text that comes again as ``~`` and its place in ``texts``."""

    def walk(value: Any, leaf: Callable[[str], str]) -> Any:
        if isinstance(value, str):
            return leaf(value)
        if isinstance(value, dict):
            return {key: walk(each, leaf) for key, each in value.items()}
        return (
            [walk(each, leaf) for each in value]
            if isinstance(value, list | tuple)
            else value
        )

    counts: Counter[str] = Counter()
    walk(games, lambda text: counts.update([text]) or text)
    texts = [
        text
        for text, n in counts.items()
        if (n > 1 and len(text) > 6) or text[:1] == "~"
    ]
    places = {text: f"~{place}" for place, text in enumerate(texts)}
    return {"texts": texts, "games": walk(games, lambda text: places.get(text, text))}


def piece_shapes() -> str:
    """Return python-chess's twelve pieces as SVG definitions."""
    return "".join(chess.svg.PIECES[letter] for letter in "KQRBNPkqrbnp")


def describe_game(annotated: AnnotatedGame) -> dict[str, str | list]:
    """Return a game as the page reads it: ``nodes`` in order, each with its ``next`` ones.

    Nodes name others by index; node 0 is the first position. ``points`` are the points,
    0 to 1, that White can expect; ``gloss`` is our comment, ``comment`` that of others.
    """
    game = annotated.game
    known = [header_of(game, key) for key in ("Event", "Site", "Date")]
    known = [text for text in known if text.strip("?. ")]
    return {
        "title": title_of(game),
        "event": " · ".join([*known, header_of(game, "Result")]),
        "result": game.headers.get("Result", "*"),
        "headers": [[key, header_of(game, key)] for key in game.headers],
        "about": f"Comments: {annotated.sources}",
        "pgn": write_pgn([annotated]),
        "nodes": _nodes(annotated),
    }


def _nodes(annotated: AnnotatedGame) -> list[Node]:
    """Return the nodes of a game, of its variations, and of the engine's better lines."""
    game, moves = with_better_lines(annotated)
    notes: dict[chess.pgn.GameNode, Annotation] = {
        node: note for node, note, _ in moves
    }
    ours = [(node, note, better) for node, note, better in moves if better]
    notes |= {
        better: Annotation(note.better_score, text=_instead_of(node, note))
        for node, note, better in ours
    }
    beyond = {node for _, _, better in ours for node in better.mainline()}
    nodes = [_node(game, Annotation(None), -1)]
    waiting: list[tuple[chess.pgn.GameNode, int]] = [(game, 0)]
    while waiting:
        parent, index = waiting.pop()
        for child in parent.variations:
            nodes[index]["next"].append(len(nodes))
            waiting.append((child, len(nodes)))
            nodes.append(_node(child, notes.get(child, Annotation(None)), index))
            if child in beyond:
                nodes[-1] |= {"score": None, "chance": None}
    return nodes


def _instead_of(node: chess.pgn.ChildNode, note: Annotation) -> str:
    """Return what is said of a better move: which it is better than, and what that is worth."""
    before = node.parent.board()
    dots = "." if before.turn else "..."
    value = value_of(note.score, node.board()).get("score")
    worth = f" ({value})" if value else ""
    return f"Better than {before.fullmove_number}{dots} {before.san(node.move)}{worth}."


def _node(node: chess.pgn.GameNode, note: Annotation, parent: int) -> Node:
    """Return the position of a node, and what the game and a note say of the move to it."""
    board = node.board()
    names = chess.SQUARE_NAMES
    said: Node = dict.fromkeys(_KEYS) | {
        "parent": parent,
        "number": 0,
        "next": [],
        "comment": _human(node.comment),
        "main": node.is_mainline(),
        "arrows": [
            [names[each.tail], names[each.head], each.color] for each in node.arrows()
        ],
        "placement": board.board_fen(),
    }
    if isinstance(node, chess.pgn.ChildNode):
        before = node.parent.board()
        given = sorted(node.nags & SIGNS.keys())
        nags = given or ([note.nag] if note.nag else [])
        said |= value_of(node.eval() or note.score, board)
        said |= {
            "uci": node.uci(),
            "san": node.san(),
            "marks": "".join(SIGNS[n] for n in nags),
            "before": _human(node.starting_comment),
            "gloss": note.text,
            "number": before.fullmove_number,
            "white": before.turn,
        }
    return said


def value_of(score: chess.engine.PovScore | None, board: chess.Board) -> Node:
    """Return the value of a position in words (``score``), and White's ``chance`` to win."""
    if board.is_checkmate():
        return {"score": "checkmate", "chance": 0.0 if board.turn else 1.0}
    if natural_end(board):
        return {"score": "draw", "chance": 0.5}
    if score is None:
        return {}
    chance = float(win_chance(centipawns(score, chess.WHITE)))
    if score.is_mate():
        chance = float(score.white() > chess.engine.Cp(0))
    return {"score": score_text(score, _WORDING), "chance": round(chance, 3)}


def _human(comment: str) -> str:
    return visible(" ".join(_COMMAND.sub(" ", comment).split()))
