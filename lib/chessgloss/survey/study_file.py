"""Studies as files: JSON with a record for each move, or a table with tabs between columns."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chessgloss.positions import read_fen, read_move
from chessgloss.survey.records import Study, StudyError, StudyMove

#: First columns of a table; every further column is a method.
HEAD = ("name", "fen", "move")


def read_study(path: Path, *, title: str = "", baseline: str = "") -> Study:
    """Read a study from ``.json`` or ``.tsv``.

    JSON: ``{"title", "baseline", "moves": [{"name", "fen", "move", "comments": {METHOD:
    TEXT}}]}``. TSV: columns ``name``, ``fen``, ``move``, then one for each method, with the
    comments in the cells. Moves are SAN or UCI.

    Parameters
    ----------
    path
        The file.
    title, baseline
        Take the place of what the file says; a table says neither (its name is the title,
        ``ccc`` the baseline).

    Raises
    ------
    StudyError
        If the file breaks its form; the message names file and move or line.
    """
    readers = {".json": _read_json, ".tsv": _read_tsv}
    if path.suffix not in readers:
        raise StudyError(f"{path}: a study ends in .json or .tsv")
    try:
        told = readers[path.suffix](path)
    except (UnicodeDecodeError, json.JSONDecodeError, csv.Error) as error:
        raise StudyError(f"{path} cannot be read: {error}") from None
    if not isinstance(told, dict):
        raise StudyError(f"{path}: expected one JSON object with title, baseline and moves")
    given = {"title": title, "baseline": baseline}
    return of_record(told | {name: value for name, value in given.items() if value}, str(path))


def write_study(path: Path, study: Study) -> None:
    """Write a study as JSON."""
    text = json.dumps(as_record(study), ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def as_record(study: Study) -> dict[str, Any]:
    """Return a study as plain JSON values."""
    moves = [
        {
            "name": one.name,
            "fen": one.move.position.fen,
            "move": one.move.uci,
            "comments": dict(one.comments),
        }
        for one in study.moves
    ]
    return {"title": study.title, "baseline": study.baseline, "moves": moves}


def of_record(told: Mapping[str, Any], where: str) -> Study:
    """Return the study that plain JSON values describe; ``where`` names them in errors."""
    rows = told.get("moves")
    if not isinstance(rows, list):
        raise StudyError(f"{where}: no list of moves")
    moves = tuple(_move(row, f"{where}, move {number}") for number, row in enumerate(rows, start=1))
    title, baseline = told.get("title") or "Chess commentary", told.get("baseline") or "ccc"
    try:
        return Study(str(title), moves, str(baseline))
    except StudyError as error:
        raise StudyError(f"{where}: {error}") from None


def _move(row: object, where: str) -> StudyMove:
    if not isinstance(row, dict):
        raise StudyError(f"{where}: expected an object with name, fen, move and comments")
    texts = [row.get(name) for name in HEAD]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise StudyError(f"{where}: name, fen and move must be given as text")
    comments = row.get("comments")
    if not isinstance(comments, dict) or not all(isinstance(t, str) for t in comments.values()):
        raise StudyError(f"{where}: comments must be an object of method to text")
    name, fen, move = map(str, texts)
    try:
        played = read_move(read_fen(fen), move)
        return StudyMove(name, played, {one: " ".join(t.split()) for one, t in comments.items()})
    except ValueError as error:
        raise StudyError(f"{where}: {error}") from None


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _read_tsv(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, delimiter="\t", strict=True)
        header = next(reader, [])
        if tuple(header[:3]) != HEAD or len(set(header)) < len(header):
            raise StudyError(
                f"{path}, line 1: columns are {', '.join(header) or 'missing'}; "
                f"expected {', '.join(HEAD)} and one column for each method"
            )
        rows = [_row(path, reader.line_num, header, cells) for cells in reader if cells]
    return {"title": path.stem.replace("_", " "), "moves": rows}


def _row(path: Path, line: int, header: list[str], cells: list[str]) -> dict[str, Any]:
    if len(cells) != len(header):
        raise StudyError(f"{path}, line {line}: {len(cells)} cells instead of {len(header)}")
    told: dict[str, Any] = dict(zip(header[:3], cells[:3], strict=True))
    return told | {"comments": dict(zip(header[3:], cells[3:], strict=True))}
