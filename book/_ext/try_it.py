"""Sphinx extension: the directive ``try-it``, where a reader checks and comments moves.

The page works in the browser (``_static/live``). What stands here without it are the examples
of ``book/try_it.toml``, each with its comments marked when the book is made.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import chess
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from chessgloss.commentary.briefing import Briefing

#: Where chapter 05 keeps how many sentences of a writer who was new to them the readers call
#: rightly: the newest writer's first.
READERS = ("reader.{}.new.called", "reader.{}.last.called")

#: What the program's own comment is called.
OURS = "the program, with Stockfish 15.1"

#: Concepts of an example that are shown as the network sees them: as many as the paper names.
NETWORK_CONCEPTS = 5


class TryIt(SphinxDirective):
    """The board, its forms, and the examples."""

    def run(self) -> list[nodes.Node]:
        """Return the page's HTML."""
        self.env.note_reread()  # the library checks the examples anew at each build
        source = Path(self.env.doc2path(self.env.docname))
        examples = read_examples(source.with_suffix(".toml"))
        template = Template(Path(__file__).with_suffix(".html").read_text("utf-8"))
        results = project() / "book/results/05_claims.json"
        reads = how_much_is_read(json.loads(results.read_text("utf-8")))
        return [nodes.raw("", fill(template, examples, reads), format="html")]


def project() -> Path:
    """Return the project's folder; the pages may be a copy elsewhere."""
    import chessgloss

    return Path(chessgloss.__file__).parents[2]


def how_much_is_read(results: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a sentence on how much of a stranger's words is read; empty if nobody counted."""
    for key in READERS:
        rules = results.get(key.format("rules"))
        model = results.get(key.format("model"))
        if rules is not None:
            break
    else:
        return ""
    said = (
        f"It reads little: of the sentences of a writer new to it, its rules judge "
        f"{_in_hundred(rules)} rightly"
    )
    if model is not None:
        said += (
            f"; a strong language model that reads in their place, {_in_hundred(model)}"
        )
    return f'{said} (<a href="executed/05_claims.html">every claim checked</a>).'


def _in_hundred(result: Mapping[str, Any]) -> str:
    return f"{100 * float(result['value']):.0f} of 100"


def read_briefings() -> dict[str, Briefing]:
    """Return what is known of the moves that an example may be of, by name."""
    from chessgloss.commentary import asking

    found = dict[str, Any]()
    for name in ("commentary", "notes/second", "famous"):
        path = project() / "data" / name / "briefings.json"
        found |= asking.read_briefings(path)
    return found


def read_examples(path: Path) -> list[dict[str, Any]]:
    """Return the examples: position, move, and comments with their claims."""
    from chessgloss import live, report
    from chessgloss.commentary.notes import write_notes

    known = read_briefings()
    examples = []
    for row in tomllib.loads(path.read_text("utf-8"))["examples"]:
        briefing = known[row["briefing"]]
        written = [*row["comments"], [OURS, write_notes(briefing).text]]
        comments, shown = [], {}
        for who, text in written:
            checked = live.check(text, briefing)
            shown[who] = text, checked
            claims = [live.describe_claim(each) for each in checked]
            comments.append({"who": who, "text": text, "claims": claims})
        examples.append(
            {
                "title": row["title"],
                "move": live.describe_move(briefing.move),
                "legal": live.describe_position(briefing.move.position)["legal"],
                "comments": comments,
                "network": _network_terms(briefing),
                "published": row["published"],
                "shown": report.claims(shown).html,
            }
        )
    return examples


def _network_terms(briefing: Briefing) -> list[tuple[str, float, float]]:
    """Return the concepts that the network shows first for a move: term, before, after."""
    from chessgloss import live

    first = briefing.concepts[:NETWORK_CONCEPTS]
    rows = [live.describe_term(each.term, each.before, each.after) for each in first]
    return [(row["key"], row["before"], row["after"]) for row in rows]


def fill(template: Template, examples: Sequence[Mapping[str, Any]], reads: str) -> str:
    """Return the page's HTML with its data, its examples, and the board's style and pieces."""
    from importlib.resources import files

    from chessgloss.commentary import game_page

    style = files("chessgloss.commentary").joinpath("player.css").read_text("utf-8")
    keys = ("title", "move", "legal", "comments", "network", "published")
    data = [{key: example[key] for key in keys} for example in examples]
    return template.substitute(
        style=style,
        reads=reads,
        pieces=game_page.piece_shapes(),
        data=game_page.embedded({"examples": data}),
        examples="\n".join(
            show_example(number, each) for number, each in enumerate(examples)
        ),
    )


def show_example(number: int, example: Mapping[str, Any]) -> str:
    """Return an example as it stands on the page without any script."""
    name = escape(f"{example['move']['name']}, {example['title']}")
    return (
        f'<article class="example" id="example-{number}" data-example="{number}">'
        f"{draw_board(example['move'])}"
        f"<div><h3>{name}</h3>{example['shown']}</div></article>"
    )


def draw_board(move: Mapping[str, Any]) -> str:
    """Return the position before a move, with an arrow, of the pieces that the page defines."""
    board = chess.Board(move["fen"])
    played = chess.Move.from_uci(move["uci"])

    def place(square: int) -> tuple[int, int]:
        file, rank = chess.square_file(square), chess.square_rank(square)
        return (file, 7 - rank) if board.turn else (7 - file, rank)

    parts = ['<rect class="light" width="8" height="8"/>']
    dark = "".join(
        f"M{x} {y}h1v1h-1z" for x in range(8) for y in range(8) if (x + y) % 2
    )
    parts.append(f'<path class="dark" d="{dark}"/>')
    for square, piece in board.piece_map().items():
        x, y = place(square)
        side = "white" if piece.color else "black"
        name = chess.piece_name(piece.piece_type)
        parts.append(
            f'<use href="#{side}-{name}" transform="translate({x} {y}) scale(.02222)"/>'
        )
    ((x1, y1), (x2, y2)) = place(played.from_square), place(played.to_square)
    parts.append(
        f'<path class="arrow" stroke="#1f4f9c" fill="none" marker-end="url(#tip)" '
        f'd="M{x1 + 0.5} {y1 + 0.5}L{x2 + 0.5} {y2 + 0.5}"/>'
    )
    words = escape(f"Board with the move {move['name']}: {move['fen']}")
    return (
        f'<svg class="small-board" viewBox="0 0 8 8" role="img" aria-label="{words}">'
        f"{''.join(parts)}</svg>"
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("try-it", TryIt)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
