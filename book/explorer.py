"""The explorer: a page where a reader steps through the commented moves.

The board and its words are those of an annotated game (:func:`game_page.player`). What is shown
is made of committed data: the engine's lines, the notes, the comments of several methods with
every claim checked, and of the recorded positions who plays what. Positions that the chapters
show beside these are searched when the page is made, so that every link from a board finds a move.
"""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import chess
import chess.pgn
import pandas as pd

from chessgloss import live
from chessgloss.claims import Checked
from chessgloss.claims.wording import plainly
from chessgloss.commentary import annotate, arms, asking, explain, game_page, methods
from chessgloss.commentary.annotate import AnnotatedGame, Annotation
from chessgloss.commentary.annotated import FAMOUS as KEY_MOVES
from chessgloss.commentary.briefing import Briefing, Comment
from chessgloss.commentary.moves import evaluated_moves
from chessgloss.commentary.notes import notes, write_notes
from chessgloss.engine import analyse_many
from chessgloss.llm.client import DEFAULT_MODEL, model_title, replay
from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import Analysis
from chessgloss.skill import grading
from chessgloss.skill.grading import Settings, graded_moves
from chessgloss.skill.players import Asked, RecordedPlayer
from chessgloss.store import default_store

#: Methods whose comments are shown, as far as a move has one.
SHOWN = (
    "notes",
    "ccc_proven",
    "ccc_notes",
    "ccc",
    "reasoning",
    "verdict",
    "bare",
    "gac",
)

#: Plies of an engine's line that can be played.
PLIES = 5

#: Nodes of each search of a position that a chapter shows, and lines before its move.
NODES, LINES = 100_000, 3

#: The famous games' names for a move's place, by the name of its briefing.
FAMOUS = {
    "famous/opera": "the Opera Game, 1858",
    "famous/immortal": "the Immortal Game, 1851",
    "famous/rubinstein": "Rubinstein's Immortal, 1907",
    "famous/hastings": "the battle of Hastings, 1895",
    "famous/marshall": "Marshall's Golden Move, 1912",
}

#: Whose comments, checked, are shown beside the program's on moves of famous games.
WRITER = "claude"

#: How a claim's verdict is marked.
MARKS = {"false": "false", "not checkable": "open", "true": "true"}


def write_page(project: Path) -> str:
    """Return the page as MyST Markdown, from the data of a project."""
    games = [*_famous(project), *_evaluated(), *_recorded(project)]
    games += _shown_elsewhere(project, games)
    head = (project / "book/explorer.md.j2").read_text("utf-8")
    return head.replace("{{ player }}", game_page.player(games, level=2).strip())


def _famous(project: Path) -> Iterator[dict[str, Any]]:
    """Yield moves of famous games, as the program comments on them."""
    known = asking.read_briefings(project / "data/famous/briefings.json")
    said = explained()
    key = {
        (each.position.fen, each.uci): name for name, each in KEY_MOVES.moves().items()
    }
    for name, where in FAMOUS.items():
        game = _own(known[name], where, "Moves of famous games")
        move = known[name].move
        at = key.get((move.position.fen, move.uci), "")
        game["nodes"][1]["comments"] += said.get(at, [])
        yield game


def _own(known: Briefing, where: str, group: str) -> dict[str, Any]:
    """Return a move with the program's own comment alone."""
    written = Comment(write_notes(known).text, "notes", None)
    return _game(known, where, group, [written])


def explained() -> dict[str, list[list[Any]]]:
    """Return what a model explains of moves of the six games, by name: ``opera/31``.

    As a node of the player has it: who wrote it, the method, the parts of the comment.
    """
    title = f"{model_title(WRITER)} from lines and facts; checked by the program"
    return {
        name: [[title, explain.METHOD, _cut(text, checked)]]
        for name, (text, checked) in KEY_MOVES.explained(WRITER).items()
    }


class Link(NamedTuple):
    """What a link to this page asks for: a position, and a move in it or none."""

    fen: str
    move: str


def links(text: str) -> Iterator[Link]:
    """Yield what the links of a page, or of an executed notebook, ask this page for."""
    for address in re.findall(r"explorer\.html#(fen=[^\"\\\s]+)", text):
        asked = parse_qs(html.unescape(address))
        yield Link(asked["fen"][0], asked.get("move", [""])[0])


def _shown_elsewhere(
    project: Path, games: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the positions of the chapters' boards that no other game begins with, searched."""
    chapters = tomllib.loads((project / "notebooks/chapters.toml").read_text("utf-8"))
    asked: dict[Link, str] = {}
    for name, chapter in chapters.items():
        path = project / f"book/executed/{name}.ipynb"
        where = f"{chapter['title']} (chapter {int(name[:2])})"
        for link in links(path.read_text("utf-8") if path.is_file() else ""):
            if not any(_answers(game, link) for game in games):
                asked.setdefault(link, where)
    before = _searched((Position(link.fen) for link in asked), LINES)
    moves = [
        MoveInContext(analysis.position, link.move or analysis.lines[0].moves[0])
        for link, analysis in zip(asked, before, strict=True)
    ]
    after = _searched((move.after() for move in moves), 1)
    for number, where in enumerate(asked.values()):
        name = f"shown-{number + 1}"
        known = Briefing(name, moves[number], before[number], after[number])
        yield _own(known, where, "Boards of other chapters")


def _searched(positions: Iterable[Position], lines: int) -> list[Analysis]:
    return analyse_many(list(positions), nodes=NODES, multipv=lines, progress=False)


def _answers(game: Mapping[str, Any], link: Link) -> bool:
    """Whether a game begins with the position of a link, and has its move."""
    placement, side, *_ = link.fen.split(" ")
    root, *rest = game["nodes"]
    firsts = [node for node in rest if node["parent"] == 0]
    if root["placement"] != placement:
        return False
    return any(
        link.move in ("", node["uci"]) and bool(node["white"]) == (side == "w")
        for node in firsts
    )


def _evaluated() -> Iterator[dict[str, Any]]:
    """Yield the moves that chapters 4 to 6 comment on."""
    moves = evaluated_moves(1)
    known = asking.read_briefings(asking.briefings_file())
    table = methods.gather_comments(
        SHOWN, moves, known, replay(arms.PURPOSE, DEFAULT_MODEL)
    )
    for move in moves:
        rows = table[(table["move"] == move.name) & (table["state"] == "answered")]
        comments = [
            Comment(row.text, row.method, row.model) for row in rows.itertuples()
        ]
        lecture, _, number = move.name.partition("/")
        where = (
            f"paper, Figure {number[3:]}"
            if lecture == "ccc"
            else f"lecture {lecture[3:]}"
        )
        group = "Moves of the paper and of lectures (chapters 4 to 6)"
        yield _game(known[move.name], where, group, comments)


def _game(
    known: Briefing, where: str, group: str, comments: Sequence[Comment]
) -> dict[str, Any]:
    """Return a move as a game of one move, with the lines around it and its comments."""
    move, verdict = known.move, known.verdict
    game = chess.pgn.Game()
    game.setup(move.position.board())
    game.add_variation(move.move)
    if verdict.reply_line:
        line = [chess.Move.from_uci(uci) for uci in verdict.reply_line[:PLIES]]
        game[0].add_line(line)
    marks = [
        Annotation(None) for _ in range(len(list(game.mainline())) - 1)
    ]  # the lines are the engine's
    better = verdict.best_line[:PLIES] if verdict.best != move.uci else ()
    best = (
        ""
        if not better
        else f" It prefers {move.position.board().san(chess.Move.from_uci(verdict.best))}."
    )
    said = f"The engine's verdict: {verdict.judgement}.{best}"
    nag = annotate.NAGS.get(verdict.glyph)
    first = Annotation(verdict.after, nag, said, better, verdict.before)
    shown = game_page.describe_game(AnnotatedGame(game, (first, *marks), ""))
    del shown["pgn"], shown["headers"]
    root, played = shown["nodes"][0], shown["nodes"][1]
    root |= game_page.value_of(verdict.before, move.position.board())
    played["comments"] = [
        [methods.TITLES[each.method], each.method, _parts(each.text, known)]
        for each in comments
        if each.text
    ]
    played["notes"] = [note.sentence for note in notes(known)][:8]
    played["concepts"] = [
        [change.term, round(change.before, 2), round(change.after, 2)]
        for change in sorted(known.concepts, key=lambda each: each.rank)[:5]
    ]
    return shown | {
        "name": known.name.replace("/", "-"),
        "title": f"{move.numbered_san}",
        "listed": f"{move.numbered_san}: {where}",
        "event": f"{where} · {known.before.engine}, {verdict.nodes:,} nodes",
        "about": "",
        "group": group,
        "opens": 1,
        "turned": move.position.turn == chess.BLACK,
    }


def _parts(text: str, known: Briefing) -> list[list[str]]:
    """Cut a comment where claims begin and end; each part with mark and evidence, if a claim."""
    return _cut(text, live.check(text, known))


def _cut(text: str, checked: Sequence[Checked]) -> list[list[str]]:
    parts: list[list[str]] = []
    for start, stop in pairwise(
        sorted({0, len(text)}.union(*(c.span for c in checked)))
    ):
        over = [c for c in checked if c.span[0] <= start and stop <= c.span[1]]
        parts.append([text[start:stop], *_mark(over)])
    return parts


def _mark(over: Sequence[Checked]) -> list[str]:
    gravest = next((v for v in MARKS if any(c.verdict == v for c in over)), None)
    if gravest is None:
        return []
    why = "; ".join(map(_why, over))
    return [MARKS[gravest], why]


def _why(checked: Checked) -> str:
    """Return a claim's kind, verdict and evidence in words; what was not read is of no kind."""
    kind = "" if checked.kind == "unread" else f"{checked.kind}, "
    return f"{kind}{checked.verdict}: {plainly(checked.evidence)}"


def _recorded(project: Path) -> Iterator[dict[str, Any]]:
    """Yield the positions that recorded players answered, with who plays what."""
    folder = project / "data/static/recorded"
    places = pd.read_csv(folder / "positions.tsv", sep="\t", index_col="position")[
        "fen"
    ]
    labels = pd.read_csv(folder / "ratings.tsv", sep="\t", index_col="player")[
        "label"
    ].to_dict()
    tables = grading.find_tables(
        list(map(Position, places)),
        Settings(),
        grading.read_tables(grading.tables_path(folder, Settings())),
        default_store(),
    )
    graded = graded_moves(dict(zip(places.index, tables, strict=True)))
    answers: dict[str, dict[str, list[str]]] = {name: {} for name in places.index}
    for path in sorted((folder / "players").glob("*.tsv")):
        player = RecordedPlayer(path)
        asked = [Asked(name, Position(places[name])) for name in player.rows.index]
        for name, given in zip(player.rows.index, player.choose(asked), strict=True):
            answers[name].setdefault(given.uci or "", []).append(
                labels.get(player.name, player.name)
            )
    for name, fen in places.items():
        yield _position(str(name), str(fen), answers[str(name)], graded.loc[name])


def _position(
    name: str, fen: str, answers: Mapping[str, list[str]], graded: pd.DataFrame
) -> dict[str, Any]:
    board = chess.Board(fen)
    game = chess.pgn.Game()
    game.setup(board)
    rows = []
    for uci, names in answers.items():
        loss = float(graded["uncut"].get(uci, float("inf")))
        san = (
            board.san(chess.Move.from_uci(uci))
            if uci in graded.index
            else "an illegal move"
        )
        rows.append((loss, uci, san, sorted(names)))
    rows.sort()
    for _, uci, san, _ in rows:
        if san != "an illegal move":
            game.add_variation(chess.Move.from_uci(uci))
    shown = game_page.describe_game(
        AnnotatedGame(game, (Annotation(None),) * bool(game.variations), "")
    )
    del shown["pgn"], shown["headers"]
    shown["nodes"][0]["players"] = [
        [san, None if loss == float("inf") else round(loss), names]
        for loss, _, san, names in rows
    ]
    side = "White" if board.turn else "Black"
    _, best, san, names = rows[0]
    of = sum(map(len, answers.values()))
    title = f"{side} to move, move {board.fullmove_number}"
    found = f"{len(names)} of {of} recorded players find {san}"
    return shown | {
        "name": name,
        "title": title,
        "listed": f"{title}: {found}" if best in graded.index else title,
        "event": f"{of} recorded players on position {name}",
        "about": "Losses by Stockfish's search of every legal move (chapter 11).",
        "group": "Positions with recorded players (chapter 11)",
        "opens": min(1, len(shown["nodes"]) - 1),
        "turned": not board.turn,
    }
