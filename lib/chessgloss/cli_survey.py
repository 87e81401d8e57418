"""The commands of the human study: ``chessgloss survey collect``, ``build`` and ``read``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from chessgloss.survey.records import Ratings

#: The paper's five methods (4.1), under the names that they have here.
METHODS = "reference,gac,llm,llm_expert,ccc"
#: The paper's number of moves (4.2).
MOVES = 50


def add_survey(commands: Any) -> None:
    """Add ``survey`` and what it can do to an :mod:`argparse` object of subcommands."""
    survey = commands.add_parser("survey", help="the human study: build the form, read ratings")
    what = survey.add_subparsers(dest="what", required=True, metavar="WHAT")
    _add_collect(what)
    _add_build(what)
    _add_read(what)


def _add_collect(what: Any) -> None:
    parser = what.add_parser("collect", help="gather the book's comments into a study file")
    parser.add_argument("-o", "--output", type=Path, required=True, help="study file, .json")
    parser.add_argument("--methods", default=METHODS, help=f"separated by commas ({METHODS})")
    parser.add_argument("--moves", type=int, default=MOVES, help=f"how many (default {MOVES})")
    parser.add_argument("--baseline", default="ccc", help="compared with the others (ccc)")
    parser.add_argument("--model", help="whose recorded answers (default: the book's)")
    parser.set_defaults(run=_collect)


def _add_build(what: Any) -> None:
    parser = what.add_parser("build", help="write the form, one HTML page, and its key")
    parser.add_argument("study", type=Path, help="moves and comments: .json or .tsv")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the page, .html")
    parser.add_argument("--key", type=Path, help="key file (default: beside the page, .key.json)")
    parser.add_argument("--title", default="", help="stands at the head of the page")
    parser.add_argument("--baseline", default="", help="method to compare with (default ccc)")
    parser.add_argument("--organiser", default="", help="who runs it, and how to reach them")
    parser.add_argument("--block", type=int, default=50, help="comments between breaks (50)")
    parser.add_argument("--break-minutes", type=float, default=10, help="least rest (10)")
    parser.add_argument("--pilot-moves", type=int, default=4, help="moves of a pilot run (4)")
    parser.set_defaults(run=_build)


def _add_read(what: Any) -> None:
    parser = what.add_parser("read", help="check files of ratings and make Tables 1 to 4")
    parser.add_argument("ratings", type=Path, nargs="+", help="files that raters sent back")
    parser.add_argument("--key", type=Path, required=True, help="key file of the form")
    parser.add_argument("--scores", type=Path, help="automatic scores, .csv, for Table 4")
    parser.add_argument("--partial", action="store_true", help="allow answers to be missing")
    parser.add_argument("--seed", type=int, default=1, help="of intervals and tests (1)")
    parser.add_argument("--json", action="store_true", help="print everything as one object")
    parser.set_defaults(run=_read)


# ---------------------------------------------------------------- collect


def _collect(given: argparse.Namespace) -> int:
    from chessgloss.survey.records import complete_moves, study_of
    from chessgloss.survey.study_file import write_study

    methods = [name.strip() for name in given.methods.split(",") if name.strip()]
    comments, moves = _comments(methods, given.model)
    complete = complete_moves(comments, methods)
    if len(complete) < given.moves:
        _say(f"only {len(complete)} moves have a comment of every method")
    chosen = {name: moves[name] for name in complete[: given.moves]}
    write_study(given.output, study_of(comments, chosen, methods, baseline=given.baseline))
    _say(f"{len(chosen)} moves x {len(methods)} methods in {given.output}")
    return 0


def _comments(methods: list[str], model: str | None) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the comments of the methods named, and the evaluated moves by name."""
    from chessgloss.brief_moves import briefings_file, evaluated_moves
    from chessgloss.commentary.briefing import read_briefings
    from chessgloss.llm import DEFAULT_MODEL, replay
    from chessgloss.panel import gather_comments

    moves, briefings = evaluated_moves(), read_briefings(briefings_file())
    client = replay("commentary", model or DEFAULT_MODEL)
    found = gather_comments(methods, moves, briefings, client)
    return found, {one.name: one.move for one in moves}


# ---------------------------------------------------------------- build


def _build(given: argparse.Namespace) -> int:
    from chessgloss.survey.blinding import Key, read_key, write_key
    from chessgloss.survey.page import write_form
    from chessgloss.survey.records import Settings
    from chessgloss.survey.study_file import read_study

    settings = Settings(given.organiser, given.block, given.break_minutes, given.pilot_moves)
    path = given.key or given.output.with_suffix(".key.json")
    if given.output.suffix != ".html" or path.resolve() == given.output.resolve():
        raise ValueError("the page needs a name that ends in .html, and the key another one")
    if given.study.resolve() in {path.resolve(), given.output.resolve()}:
        raise ValueError(f"{given.study} is the study itself; give page and key other names")
    study = read_study(given.study, title=given.title, baseline=given.baseline)
    key = read_key(path) if path.exists() else Key.new(study)
    if key.study != study:
        raise ValueError(
            f"{path} is the key of another study; remove it or name another with --key"
        )
    write_key(path, key)
    given.output.write_text(write_form(key, settings), encoding="utf-8")
    for one in study.moves:
        if len(set(one.comments.values())) < len(one.comments):
            _say(f"{one.name}: two methods wrote the same comment")
    count = len(study.moves) * len(study.methods)
    _say(f"{given.output}: {len(study.moves)} moves, {count} comments; give it to raters")
    _say(f"{path}: tells which method wrote what; keep it from raters")
    return 0


# ---------------------------------------------------------------- read


def _read(given: argparse.Namespace) -> int:
    from chessgloss.survey.blinding import read_key
    from chessgloss.survey.reading import RatingsError, read_ratings, strengths

    key = read_key(given.key)
    try:
        ratings = read_ratings(given.ratings, key, partial=given.partial)
    except RatingsError as error:
        return _refuse(error, as_json=given.json)
    tables = _tables(ratings, key.study.words(), key.study.baseline, given)
    who = strengths(given.ratings)
    if given.json:
        print(_as_json(ratings, {"participants": who.astype(object)} | tables))
        return 0
    for note in ratings.notes:
        _say(note)
    for name, frame in tables.items():
        print(f"{name} ({ratings.label})", _as_text(frame), "", sep="\n")
    print(who.to_string(index=False), "", sep="\n")
    print(
        f"raters: {len(ratings.raters)}, moves: {len(ratings.moves)}; * p < 0.001 against "
        f"{key.study.baseline}, signs of the moves' mean differences flipped, uncorrected"
    )
    return 0


def _refuse(error: Any, *, as_json: bool) -> int:
    told = [
        {"file": one.file, "place": one.place, "kind": one.kind, "text": one.text}
        for one in error.problems
    ]
    if as_json:
        print(json.dumps({"problems": told}, ensure_ascii=False, indent=1))
    for one in error.problems:
        _say(str(one))
    _say(f"{len(told)} faults; nothing was computed")
    return 2


def _tables(
    ratings: Ratings, words: pd.DataFrame, baseline: str, given: argparse.Namespace
) -> dict[str, pd.DataFrame]:
    from chessgloss.survey import tables

    found = {
        "Table 1": tables.table1(ratings, words, baseline, seed=given.seed),
        "Table 2, of all comments": tables.table2(ratings, seed=given.seed),
    }
    if (ratings.frame["correctness"] < 3).any():
        found["Table 2, of those not fully correct"] = tables.table2(
            ratings, of="incorrect", seed=given.seed
        )
    if len(ratings.raters) > 1:
        found["Table 3"] = tables.table3(ratings, seed=given.seed)
    else:
        _say("Table 3 needs two raters")
    if given.scores:
        scores = tables.read_scores(given.scores, ratings)
        found["Table 4"] = tables.table4(ratings, scores, seed=given.seed)
    return found


def _as_text(frame: pd.DataFrame) -> str:
    from chessgloss.survey.tables import as_printed

    if "star" in frame:
        return as_printed(frame).to_string()
    return frame.map(lambda cell: f"{cell:.2f}").to_string()


def _as_json(ratings: Ratings, tables: dict[str, pd.DataFrame]) -> str:
    from chessgloss.measures import Interval

    def plain(cell: Any) -> Any:
        if isinstance(cell, Interval):
            return {"value": cell.value, "low": cell.low, "high": cell.high, "n": cell.n}
        return None if cell is None or cell != cell else cell

    told: dict[str, Any] = {
        "simulated": ratings.simulated,
        "raters": list(ratings.raters),
        "moves": len(ratings.moves),
        "methods": list(ratings.methods),
        "notes": list(ratings.notes),
    }
    for name, frame in tables.items():
        rows = frame.reset_index() if name != "participants" and "star" not in frame else frame
        keys = [" ".join(one).strip() if isinstance(one, tuple) else str(one) for one in rows]
        told[name] = [
            {key: plain(cell) for key, cell in zip(keys, row, strict=True)}
            for row in rows.itertuples(index=False, name=None)
        ]
    return json.dumps(told, ensure_ascii=False, indent=1, default=lambda one: one.item())


def _say(text: str) -> None:
    print(f"chessgloss: {text}", file=sys.stderr)
