"""Annotated games as PGN: files read for it, and copies written with our notes.

Whatever stood in the game stays: comments are added behind those of others, a glyph or an
evaluation only where there is none, and better lines behind the variations that are there.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

import chess
import chess.pgn

from chessgloss.commentary.annotate import OURS, SIGNS, AnnotatedGame, Annotation
from chessgloss.corpora.pgn import (
    BEHIND,
    NEXT,
    OUTSIDE,
    Builder,
    PgnError,
    PgnGame,
    read_parts,
)
from chessgloss.llm.text import visible
from chessgloss.notation import Language

#: A move of the main line, what is written beside it, and a better line that begins there.
Noted: TypeAlias = "tuple[chess.pgn.ChildNode, Annotation, chess.pgn.ChildNode | None]"

#: Longest line that is written; the PGN standard allows 255 (section 4.3).
COLUMNS = 100

_COMMENT_WORD = re.compile(r"(?:\[%[^\]]*\]|\S)+")

#: The longest game that is annotated, in plies: twice the longest of any tournament.
MOST_PLIES = 1_200


def read_file(path: Path, language: Language | None = None) -> list[PgnGame]:
    """Read a PGN file: its games and the text between them (:func:`.pgn.read_parts`).

    ``problem`` of a game says why it cannot be annotated, and what to do.

    Raises
    ------
    PgnError
        If the file holds no game, or has a line without end.
    """
    games = [_with_our_problems(read) for read in read_parts(path, language)]
    if not any(each.problem or each.is_played for each in games):
        raise PgnError(f"{path} holds no game; give a PGN file with at least one")
    return games


def _with_our_problems(read: PgnGame) -> PgnGame:
    problem = read.problem
    if any(repair.startswith("castling rights") for repair in read.repairs):
        rights = "castling rights without king and rook on their squares"
        problem = f"its FEN has {rights} (Chess960?)"
    if problem:
        other_rules = "variant" in problem or "960" in problem
        remedy = "only standard chess can be annotated"
        problem += f"; {remedy if other_rules else 'correct it and annotate again'}"
    elif read.game.end().ply() - read.game.ply() > MOST_PLIES:
        problem = f"it has over {MOST_PLIES:,} plies; cut it into parts"
    return read._replace(problem=problem)


def read_games(
    path: Path, say: Callable[[str], object] = warnings.warn
) -> list[chess.pgn.Game]:
    """Return the games of a PGN file that can be annotated; ``say`` is told of the others.

    Raises
    ------
    PgnError
        As :func:`read_file`, and if no game can be annotated.
    """
    read = [each for each in read_file(path) if each.number]
    games = [each.game for each in read if not each.problem]
    problems = [f"{path}: {name_game(each)}: {each.problem}" for each in read]
    problems = [line for line, each in zip(problems, read, strict=True) if each.problem]
    if not games:
        raise PgnError("; ".join(problems))
    for problem in problems:
        say(problem)
    return games


def name_game(read: PgnGame) -> str:
    """Return a game's place in its file, and its players: ``game 2 (line 6, A – B)``."""
    title = title_of(read.game)
    players = f", {title}" if title.strip("? –") else ""
    return f"game {read.number} (line {read.line}{players})"


def write_pgn(games: Iterable[AnnotatedGame | str]) -> str:
    """Return games as the text of one PGN file (to be written as UTF-8).

    Those that are not annotated are given as they are written.
    """
    copies = (
        each
        if isinstance(each, str)
        else annotated_copy(each).accept(_Exporter(columns=COLUMNS))
        for each in games
    )
    return visible("\n".join(f"{copy}\n" for copy in copies))


def annotated_copy(annotated: AnnotatedGame) -> chess.pgn.Game:
    """Return a copy of the game with the notes written into it."""
    copy, moves = with_better_lines(annotated)
    copy.headers.setdefault(OURS, annotated.sources)
    for node, note, better in moves:
        node.comment, mark, behind = node.comment.partition(BEHIND)
        if note.nag and not node.nags & SIGNS.keys():
            node.nags.add(note.nag)
        if note.text:
            node.comment += (" | chessgloss: " if node.comment else "") + plain(
                note.text
            )
        if note.score and node.eval() is None:
            node.set_eval(note.score)
        node.comment += mark + behind
        if better:
            better.set_eval(note.better_score)
    return copy


def with_better_lines(annotated: AnnotatedGame) -> tuple[chess.pgn.Game, list[Noted]]:
    """Return a copy with the better lines, and for each move its note and the line beside it."""
    copy = annotated.game.accept(Builder())
    moves = []
    for node, note in zip(list(copy.mainline()), annotated.notes, strict=True):
        line = [chess.Move.from_uci(uci) for uci in note.better]
        better = None
        if line and not node.parent.has_variation(line[0]):
            better = node.parent.add_variation(line[0])
            better.add_line(line[1:])
        moves.append((node, note, better))
    return copy, moves


def plain(text: str) -> str:
    """Return a comment as it may stand in braces: one line, no braces, no commands."""
    text = text.replace("{", "(").replace("}", ")").replace("[%", "[ %")
    return " ".join(text.split())


class _Exporter(chess.pgn.StringExporter):
    """python-chess's exporter: long comments are broken into lines, and all keep their places.

    A line must not start with a sign that some programs read as a header or an escape: commands
    are kept whole and joined to the word before. A bracket is written when something stands in
    it (:mod:`chessgloss.corpora.pgn`).
    """

    def __init__(self, columns: int) -> None:
        super().__init__(columns=columns)
        self._bracket_waits = False
        self._behind: dict[int, str] = {}

    def begin_variation(self) -> None:
        self._bracket_waits = True

    def end_variation(self) -> None:
        self._open_bracket()
        self._write_behind()
        super().end_variation()

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        self._open_bracket()
        super().visit_move(board, move)

    def visit_result(self, result: str) -> None:
        self._write_behind()
        super().visit_result(result)

    def visit_comment(self, comment: str) -> None:
        here, _, behind = comment.partition(BEHIND)
        outside, _, inside = here.rpartition(OUTSIDE)
        self._write_comments(outside)
        self._open_bracket()
        self._write_comments(inside)
        self._behind[self.variation_depth] = behind

    def _open_bracket(self) -> None:
        if self._bracket_waits:
            self._bracket_waits = False
            super().begin_variation()

    def _write_behind(self) -> None:
        self._write_comments(self._behind.pop(self.variation_depth, ""))

    def _write_comments(self, comments: str) -> None:
        for text in filter(None, comments.split(NEXT)):
            self._write_comment(text)

    def _write_comment(self, text: str) -> None:
        token = "{ "
        for word in _COMMENT_WORD.findall(text.replace("}", ")")):
            if token != "{ " and word[0] not in "[%;":
                self.write_token(token)
                token = ""
            token += word + " "
        self.write_token(token + "} ")
        self.force_movenumber = True


def title_of(game: chess.pgn.Game) -> str:
    """Return who played: ``White – Black``."""
    return f"{header_of(game, 'White')} – {header_of(game, 'Black')}"


def header_of(game: chess.pgn.Game, key: str) -> str:
    """Return a header's value; python-chess leaves its escaped quotation marks as they are."""
    return visible(game.headers.get(key, "?").replace('\\"', '"'))
