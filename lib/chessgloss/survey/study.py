"""A study of commentary by people: moves and comments, who wrote what, and the form for raters.

A study is a file of moves with one comment of each method. Raters see the comments under opaque
names, in an order drawn at random; the key, which stays with its maker, undoes both.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template
from typing import Annotated, Any

import chess
import chess.svg
import pandas as pd
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from chessgloss.commentary.game_page import embedded, piece_shapes, policy
from chessgloss.positions import MoveInContext, Position, read_fen, read_move

#: Criteria in the order they are asked, with the points of their scales.
#: Source: CCC paper, section 4.2 and Figure A3.
DIMENSIONS = {
    "correctness": 3,
    "relevance": 5,
    "completeness": 5,
    "clarity": 5,
    "fluency": 5,
}

#: Causes of incorrectness, as asked and as tabled; the last is in the rater's own words.
#: Source: CCC paper, Table 2 and Figure A3.
CAUSES: Mapping[str, str] = {
    "move": "Illegal move or piece that is not there",
    "tactical": "Tactical or immediate advantage misunderstood",
    "positional": "Positional or long-term advantage misunderstood",
    "evaluation": "Move or position wrongly evaluated",
    "other": "Another cause",
}

#: What a rater may name as playing strength.
STRENGTHS: Mapping[str, str] = {
    "chesscom_rapid": "Chess.com rapid",
    "chesscom_blitz": "Chess.com blitz",
    "lichess_rapid": "Lichess rapid or classical",
    "lichess_blitz": "Lichess blitz",
    "fide": "FIDE",
    "national": "a national federation",
    "none": "no rating",
}

KEY_FORMAT = "chessgloss-key/1"

#: The move that the instructions speak of: 6. Nxf7 of the Two Knights Defence.
GUIDE = MoveInContext(
    Position("r1bqkb1r/ppp2ppp/2n5/3np1N1/2B5/8/PPPP1PPP/RNBQK2R w KQkq - 0 6"), "g5f7"
)

_MASK = 0xFFFFFFFF


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    if not line:
        raise ValueError("is empty")
    return line


Text = Annotated[str, AfterValidator(_one_line)]


class StudyMove(BaseModel):
    """A move and the comments of all methods on it.

    Parameters
    ----------
    name
        What the move is called in tables, such as ``lec9/12``.
    fen, move
        The position and the move, in SAN or UCI; kept as FEN and UCI.
    comments
        Method to text, in one line.
    """

    model_config = ConfigDict(frozen=True)

    name: Text
    fen: str
    move: str
    comments: dict[str, Text]

    @model_validator(mode="before")
    @classmethod
    def _read_move(cls, row: Any) -> Any:
        if isinstance(row, dict) and all(
            isinstance(row.get(key), str) for key in ("fen", "move")
        ):
            played = read_move(read_fen(row["fen"]), row["move"])
            return row | {"fen": played.position.fen, "move": played.uci}
        return row

    @property
    def played(self) -> MoveInContext:
        """The move."""
        return MoveInContext(Position(self.fen), self.move)


class Study(BaseModel):
    """Moves, the methods that comment on each, and the method all others are compared with.

    Parameters
    ----------
    title
        Stands at the head of the form.
    moves
        In the order they are shown; each has a comment of the same methods.
    baseline
        Method that the stars of Table 1 compare with; the paper's is CCC.
    """

    model_config = ConfigDict(frozen=True)

    title: str = "Chess commentary"
    baseline: str = "ccc"
    moves: tuple[StudyMove, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _same_methods(self) -> Study:
        names = [move.name for move in self.moves]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"moves named twice: {', '.join(twice)}")
        for move in self.moves:
            if differ := set(move.comments) ^ set(self.methods):
                raise ValueError(
                    f"move {move.name}: not the same methods: {sorted(differ)}"
                )
        if len(self.methods) < 2 or self.baseline not in self.methods:
            methods = ", ".join(self.methods)
            raise ValueError(
                f"two methods, one of them {self.baseline!r}, are not in: {methods}"
            )
        return self

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in the order of the first move."""
        return tuple(self.moves[0].comments)

    def words(self) -> pd.DataFrame:
        """Return words per comment, split at white space: moves x methods."""
        texts = pd.DataFrame({move.name: move.comments for move in self.moves}).T
        return texts.map(lambda text: len(text.split()))[list(self.methods)]


@dataclass(frozen=True, slots=True)
class Settings:
    """How the form is run.

    Parameters
    ----------
    organiser
        Who runs the study and how to reach them; without it the page calls itself a
        demonstration.
    block
        Comments between two breaks.
    break_minutes
        How long a break lasts at least.
    pilot_moves
        Moves that a pilot participant rates.
    """

    organiser: str = ""
    block: int = 50
    break_minutes: float = 10
    pilot_moves: int = 4

    def __post_init__(self) -> None:
        if self.block < 1 or self.pilot_moves < 1 or self.break_minutes < 0:
            raise ValueError(
                f"block and pilot moves are at least 1, no time is negative: {self}"
            )


# ---------------------------------------------------------------- studies and their files


def complete_moves(comments: pd.DataFrame, methods: Sequence[str]) -> list[str]:
    """Return the moves of a table of comments on which every method has an answered one.

    Parameters
    ----------
    comments
        Columns ``move``, ``method``, ``state``, ``text``, as
        :func:`chessgloss.commentary.methods.gather_comments` returns them.
    methods
        Names of the methods.
    """
    usable = comments[
        (comments["state"] == "answered") & comments["method"].isin(methods)
    ]
    counts = usable.groupby("move", sort=False)["method"].nunique()
    return list(counts.index[counts == len(set(methods))])


def study_of(
    comments: pd.DataFrame,
    moves: Mapping[str, MoveInContext],
    methods: Sequence[str],
    *,
    title: str = "Chess commentary",
    baseline: str = "ccc",
) -> Study:
    """Return the study of the moves given, in their order, from a table of comments.

    Parameters
    ----------
    comments
        As in :func:`complete_moves`.
    moves, methods
        The moves by name, and the methods to be compared.
    title, baseline
        As in :class:`Study`.

    Raises
    ------
    ValueError
        If a move lacks an answered comment of a method; :func:`complete_moves` names the
        moves that have them all.
    """
    if lacking := set(moves) - set(complete_moves(comments, methods)):
        raise ValueError(
            f"no usable comment of every method: {sorted(lacking)}; leave them out"
        )
    texts = comments.set_index(["move", "method"])["text"]
    rows = [
        {"name": name, "fen": move.position.fen, "move": move.uci}
        | {"comments": {method: texts[name, method] for method in methods}}
        for name, move in moves.items()
    ]
    return Study.model_validate({"title": title, "baseline": baseline, "moves": rows})


def read_study(path: Path) -> Study:
    """Read a study from a file of JSON.

    It holds ``{"title", "baseline", "moves": [{"name", "fen", "move", "comments": {METHOD:
    TEXT}}]}``; moves are SAN or UCI, and title and baseline may be missing (:class:`Study`).

    Raises
    ------
    ValueError
        If the file breaks its form; the message names file and move.
    """
    try:
        return Study.model_validate(json.loads(path.read_text("utf-8")))
    except ValidationError as error:
        problems = [f"{path}: {place}: {text}" for place, text in faults(error)]
        raise ValueError("\n".join(problems)) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None


def faults(error: ValidationError) -> list[tuple[str, str]]:
    """Return place (``move 3, comments``) and text of each fault that pydantic found."""
    listed = []
    for fault in error.errors(include_url=False, include_context=False):
        place = ", ".join(map(str, fault["loc"][:3]))
        place = re.sub(r"s?, (\d+)", lambda number: f" {int(number[1]) + 1}", place)
        listed.append((place or "the file", fault["msg"].removeprefix("Value error, ")))
    return listed


# ---------------------------------------------------------------- who wrote what


class Key(BaseModel):
    """A study and the secret behind the opaque names of its comments.

    Parameters
    ----------
    study
        The study.
    secret
        64 hex digits; who has it can tell which method wrote which comment.
    """

    model_config = ConfigDict(frozen=True)

    study: Study
    secret: str = Field(pattern=r"^[0-9a-f]{64}$")

    @classmethod
    def new(cls, study: Study) -> Key:
        """Return a key with a secret drawn by the operating system."""
        return cls(study=study, secret=secrets.token_hex(32))

    def items(self) -> dict[str, tuple[int, str]]:
        """Return opaque name to (number of the move from 1, method), in the study's order.

        An opaque name is 16 hex digits of the comment's keyed hash.
        """
        secret = bytes.fromhex(self.secret)
        items = dict[str, tuple[int, str]]()
        for number, move in enumerate(self.study.moves, start=1):
            for method, text in move.comments.items():
                message = "\0".join([move.name, method, text]).encode()
                name = hmac.new(secret, message, hashlib.sha256).hexdigest()[:16]
                items[name] = number, method
        return items

    @property
    def study_id(self) -> str:
        """Name of the study as it is blinded: changes with a move, a text or the secret."""
        moves = [f"{move.fen} {move.move}" for move in self.study.moves]
        joined = "\0".join([self.study.title, *moves, *self.items()])
        return hashlib.sha256(joined.encode()).hexdigest()[:16]


def shown_order(participant: str, items: Iterable[str]) -> list[str]:
    """Return the comments of one move in the order that a participant sees them.

    The order is random, from the participant's code and the comments' opaque names alone,
    and the page draws it by the same rule: a file can be checked against it.
    """
    return sorted(items, key=lambda item: (lot(f"{participant}|{item}"), item))


def lot(text: str) -> int:
    """Return a number of 32 bits drawn by a text.

    FNV-1a over the UTF-8 bytes, then the final mixing of MurmurHash3: both fit in a few
    lines of the page's JavaScript. Sources: Fowler, Noll and Vo (1991); Appleby (2011).
    """
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & _MASK
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        value = (value ^ value >> shift) * factor & _MASK
    return value ^ value >> 16


def write_key(key: Key) -> str:
    """Return a key as the text of its file, which whoever rates must not see."""
    record = {
        "format": KEY_FORMAT,
        "note": "Tells which method wrote which comment. Keep it from everyone who rates.",
        "study_id": key.study_id,
        **key.model_dump(),
    }
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def read_key(path: Path) -> Key:
    """Read a key file.

    Raises
    ------
    ValueError
        If the file is no key, or its content was changed since it was written.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        key = Key.model_validate(record)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{path}: not a key of `chessgloss survey build`: {error!r}"
        ) from None
    if (record.get("format"), record.get("study_id")) != (KEY_FORMAT, key.study_id):
        raise ValueError(
            f"{path}: the key was changed since it was written; use the original"
        )
    return key


# ---------------------------------------------------------------- the form


def write_form(key: Key, settings: Settings | None = None) -> str:
    """Return the form for a study as the text of an HTML file, complete in itself.

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
    boards = (
        f'<template id="board-{number}">{draw(move.played)}</template>'
        for number, move in enumerate(key.study.moves, start=1)
    )
    files = resources.files("chessgloss.survey")
    page, style, script = (
        files.joinpath(f"form.{kind}").read_text("utf-8")
        for kind in ("html", "css", "js")
    )
    return Template(page).substitute(
        title=html.escape(key.study.title),
        policy=policy(script),
        style=style,
        pieces=piece_shapes(),
        guide_board=draw(GUIDE),
        boards="".join(boards),
        data=embedded(describe(key, settings or Settings())),
        script=script,
    )


def describe(key: Key, settings: Settings) -> dict[str, Any]:
    """Return what the page's script is given: the study without its methods, as JSON values."""
    names = sorted(key.items().items())
    moves = [
        {
            "san": move.played.numbered_san,
            "side": "White" if move.played.mover else "Black",
            "fen": move.fen,
            "items": [
                {"id": item, "text": move.comments[method]}
                for item, (of, method) in names
                if of == number
            ],
        }
        for number, move in enumerate(key.study.moves, start=1)
    ]
    return {
        "study": key.study_id,
        "title": key.study.title,
        "organiser": settings.organiser,
        "block": settings.block,
        "breakMinutes": settings.break_minutes,
        "pilotMoves": min(settings.pilot_moves, len(moves)),
        "points": DIMENSIONS,
        "causes": list(CAUSES),
        "strengths": STRENGTHS,
        "moves": moves,
    }


def draw(move: MoveInContext, size: int = 340) -> str:
    """Return the board with the move's blue arrow, its pieces left to the page to define."""
    arrow = chess.svg.Arrow(
        move.move.from_square, move.move.to_square, color="#0072B2c0"
    )
    turn = move.position.turn
    svg = chess.svg.board(
        move.position.board(), orientation=turn, arrows=[arrow], size=size
    )
    svg = re.sub(r"<defs>.*?</defs>", "", svg, count=1, flags=re.DOTALL)
    label = html.escape(
        f"Board before {move.numbered_san}, with the move as a blue arrow"
    )
    labelled = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    return f'<div class="board">{labelled}</div>'
