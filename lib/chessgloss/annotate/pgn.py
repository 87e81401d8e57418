"""The annotated PGN: a copy of the game with evaluations, glyphs, comments and better lines.

Whatever stood in the game stays: comments are added behind those of others, a glyph or an
evaluation only where there is none, and better lines behind the variations that are there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import chess
import chess.engine
import chess.pgn

from chessgloss.annotate.records import SIGNS, AnnotatedGame, Note

#: Longest line that is written; the standard allows 255 (section 4.3).
COLUMNS = 100

#: Put between another's comment and ours.
BETWEEN = " | chessgloss: "

#: A word of a comment; a command with all that touches it is one.
_WORD = re.compile(r"(?:\[%[^\]]*\]|\S)+")


def write_pgn(games: Iterable[AnnotatedGame]) -> str:
    """Return annotated games as the text of one PGN file (to be written as UTF-8)."""
    return "\n".join(game_text(annotated) for annotated in games)


def game_text(annotated: AnnotatedGame) -> str:
    """Return one annotated game as PGN, ending in a line end."""
    return annotated_copy(annotated).accept(_Exporter(columns=COLUMNS)) + "\n"


def annotated_copy(annotated: AnnotatedGame) -> chess.pgn.Game:
    """Return a copy of the game with the notes written into it."""
    copy = annotated.game.accept(chess.pgn.GameBuilder[chess.pgn.Game]())
    copy.headers["ChessglossAnnotator"] = annotated.used
    for node, note in zip(list(copy.mainline()), annotated.notes, strict=True):
        _write_note(node, note)
    return copy


def plain(text: str) -> str:
    """Return a comment as it may stand in braces: one line, no braces, no commands."""
    text = text.replace("{", "(").replace("}", ")").replace("[%", "[ %")
    return " ".join(text.split())


def _write_note(node: chess.pgn.ChildNode, note: Note) -> None:
    if note.nag and not node.nags & SIGNS.keys():
        node.nags.add(note.nag)
    if note.text:
        node.comment += (BETWEEN if node.comment else "") + plain(note.text)
    _write_score(node, note.score)
    if note.better and not node.parent.has_variation(chess.Move.from_uci(note.better[0])):
        moves = [chess.Move.from_uci(uci) for uci in note.better]
        better = node.parent.add_variation(moves[0])
        _write_score(better, note.better_score)
        better.add_line(moves[1:])


def _write_score(node: chess.pgn.ChildNode, score: chess.engine.PovScore | None) -> None:
    if score is not None and node.eval() is None:
        node.set_eval(score)


class _Exporter(chess.pgn.StringExporter):
    """python-chess's exporter, with long comments broken into lines.

    A line must not start with a sign that some programs read as a header or an escape.
    """

    def visit_comment(self, comment: str | list[str]) -> None:
        text = comment if isinstance(comment, str) else " ".join(comment)
        for token in _tokens(text.replace("}", ")")):
            self.write_token(token)
        self.force_movenumber = True


def _tokens(text: str) -> Iterator[str]:
    """Cut a comment at its white space, commands kept whole and joined to the word before."""
    held = "{ "
    for token in _WORD.findall(text):
        if held != "{ " and token[0] not in "[%;":
            yield held
            held = ""
        held += token + " "
    yield held + "} "
