"""Reads the files that raters send back: every fault is named, nothing is dropped silently."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from chessgloss.survey.blinding import Key, shown_order
from chessgloss.survey.records import CAUSES, COLUMNS, DIMENSIONS, STRENGTHS, Ratings

FORMAT = "chessgloss-ratings/1"

_CODE = re.compile(r"[A-Z0-9_-]{1,24}")
_LONGEST = {"other": 300, "remark": 1_000, "remarks": 4_000}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a file of ratings.

    Parameters
    ----------
    file
        The file, as it was named.
    place
        Where in it: ``comment 7, relevance``.
    kind
        ``unreadable``, ``foreign`` (of another study or key), ``missing``, ``doubled``,
        ``out_of_range`` or ``tampered``.
    text
        What is wrong, and what to do.
    """

    file: str
    place: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.place}: {self.text}"


class RatingsError(ValueError):
    """Files of ratings that cannot be used as they are; ``problems`` lists every fault."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(one) for one in problems))


@dataclass(slots=True)
class _Session:
    """A file while it is read: what it holds, and what is wrong with it."""

    file: str
    key: Key
    told: dict[str, Any] = field(default_factory=dict)
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def fault(self, place: str, kind: str, text: str) -> None:
        self.problems.append(Problem(self.file, place, kind, text))

    @property
    def participant(self) -> str:
        return str(self.told.get("participant"))


def read_ratings(paths: Iterable[Path], key: Key, *, partial: bool = False) -> Ratings:
    """Read and check the files of all raters of a study.

    Each file must belong to the key's study, name its comments by ids that the key knows,
    in the order that its participant's code draws, and answer every question within its
    scale. Files of pilot runs are checked, named in ``notes`` and not counted.

    Parameters
    ----------
    paths
        Files that the form made.
    key
        Of the study.
    partial
        Whether answers may be missing; they are then counted in ``notes``. Every other
        fault is an error as before.

    Raises
    ------
    RatingsError
        If anything is wrong; it lists all faults of all files, each with its place.
    """
    sessions = [_read(path, key) for path in sorted(paths)]
    problems = [one for session in sessions for one in session.problems]
    problems += _across(sessions)
    lacking = [
        one for one in problems if partial and one.kind == "missing" and "comment" in one.place
    ]
    if wrong := [one for one in problems if one not in lacking]:
        raise RatingsError(wrong)
    counted = [one for one in sessions if not one.told["pilot"]]
    if not counted:
        raise RatingsError([Problem("(all files)", "-", "missing", "no file of a main run")])
    rows = [row for one in counted for row in one.rows]
    return Ratings(
        pd.DataFrame(rows, columns=list(COLUMNS)).astype(dict.fromkeys(DIMENSIONS, float)),
        tuple(one.name for one in key.study.moves),
        key.study.methods,
        simulated=bool(counted[0].told["simulated"]),
        notes=_notes(sessions, lacking),
    )


def strengths(paths: Iterable[Path]) -> pd.DataFrame:
    """Return who rated: ``participant``, ``scale``, ``rating``, ``pilot``; of checked files."""
    told = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(paths)]
    return pd.DataFrame(
        [
            (
                t["participant"],
                STRENGTHS[t["strength"]["scale"]],
                t["strength"]["rating"],
                t["pilot"],
            )
            for t in told
        ],
        columns=["participant", "scale", "rating", "pilot"],
    )


def _notes(sessions: Sequence[_Session], lacking: Sequence[Problem]) -> tuple[str, ...]:
    pilots = [f"{one.file}: a pilot run, not counted" for one in sessions if one.told["pilot"]]
    files = sorted({one.file for one in lacking})
    counts = {file: sum(one.file == file for one in lacking) for file in files}
    return (*pilots, *(f"{file}: {count} answers missing" for file, count in counts.items()))


def _across(sessions: Sequence[_Session]) -> list[Problem]:
    """Return the faults that show only when files are laid side by side."""
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for one in sessions:
        if one.told and one.participant in seen:
            first = seen[one.participant]
            text = f"{one.participant} is also in {first}; keep one file for each participant"
            problems.append(Problem(one.file, "participant", "doubled", text))
        elif one.told:
            seen[one.participant] = one.file
    kinds = {bool(one.told.get("simulated")) for one in sessions if one.told}
    if len(kinds) > 1:
        invented = [one.file for one in sessions if one.told.get("simulated")]
        text = "simulated ratings among human ones; read them by themselves"
        problems += [Problem(file, "simulated", "foreign", text) for file in invented]
    return problems


# ---------------------------------------------------------------- one file


def _read(path: Path, key: Key) -> _Session:
    session = _Session(str(path), key)
    try:
        told = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except (OSError, ValueError, RecursionError) as error:
        session.fault("the file", "unreadable", f"cannot be read as JSON: {error}")
        return session
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        session.fault("format", "unreadable", f"not a file of ratings ({FORMAT})")
        return session
    if told.get("study") != key.study_id:
        session.fault("study", "foreign", f"{told.get('study')!r} is not this key's study")
        return session
    _check_head(session, told)
    if not session.problems:
        session.told = told
        _check_comments(session, told)
    return session


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON value")


def _check_head(session: _Session, told: dict[str, Any]) -> None:
    participant, strength = told.get("participant"), told.get("strength")
    if not isinstance(participant, str) or not _CODE.fullmatch(participant):
        session.fault("participant", "missing", f"{participant!r} is no participant code")
    for name in ("pilot", "simulated"):
        if not isinstance(told.get(name), bool):
            session.fault(name, "missing", f"must be true or false, got {told.get(name)!r}")
    if told.get("consent") is not True:
        session.fault("consent", "missing", "no consent was given: the file must not be used")
    if not isinstance(strength, dict) or strength.get("scale") not in list(STRENGTHS):
        session.fault("strength", "missing", f"one of {', '.join(STRENGTHS)} is expected")
    else:
        _check_strength(session, strength)
    _check_text(session, "the file", "remarks", told.get("remarks"))
    if not isinstance(told.get("comments"), list):
        session.fault("comments", "missing", "no list of comments")


def _check_strength(session: _Session, strength: dict[str, Any]) -> None:
    rating = strength.get("rating")
    if strength["scale"] == "none":
        if rating is not None:
            session.fault("strength", "out_of_range", f"no rating, and yet {rating!r}")
    elif type(rating) is not int or not 100 <= rating <= 3500:
        session.fault("strength", "out_of_range", f"rating {rating!r} is not within 100 to 3500")


def _check_comments(session: _Session, told: dict[str, Any]) -> None:
    known = session.key.items()
    seen: dict[str, int] = {}
    for place, row in enumerate(told["comments"], start=1):
        where = f"comment {place}"
        item = row.get("item") if isinstance(row, dict) else None
        if not isinstance(item, str) or item not in known:
            session.fault(where, "tampered", f"id {item!r} is not one of this study")
        elif item in seen:
            session.fault(where, "doubled", f"{item} is comment {seen[item]} already")
        elif (row.get("place"), row.get("move")) != (place, known[item][0]):
            session.fault(where, "tampered", f"{item} does not belong to this place and move")
        else:
            seen[item] = place
            _check_answers(session, where, row)
    _check_order(session, list(seen))


def _check_order(session: _Session, found: list[str]) -> None:
    known = session.key.items()
    moves = sorted({known[item][0] for item in found})
    due = range(1, len(session.key.study.moves) + 1)
    wanted = moves if session.told["pilot"] else due
    by_move = {n: [item for item, (number, _) in known.items() if number == n] for n in wanted}
    expected = [i for items in by_move.values() for i in shown_order(session.participant, items)]
    if absent := [item for item in expected if item not in found]:
        text = f"{len(absent)} of {len(expected)} comments are not in the file, first {absent[0]}"
        session.fault("comments", "tampered", text)
    elif found != expected:
        text = f"not in the order that {session.participant} was shown: edited, or another's"
        session.fault("comments", "tampered", text)


def _check_answers(session: _Session, where: str, row: dict[str, Any]) -> None:
    before = len(session.problems)
    points = [_points(session, where, name, row.get(name)) for name in DIMENSIONS]
    causes = row.get("causes")
    if not isinstance(causes, list) or any(one not in list(CAUSES) for one in causes):
        session.fault(f"{where}, causes", "out_of_range", f"{causes!r}; known: {', '.join(CAUSES)}")
        return
    if len(set(causes)) < len(causes):
        session.fault(f"{where}, causes", "doubled", "a cause is named twice")
    _check_causes(session, where, row, causes)
    seconds: Any = row.get("seconds")
    if type(seconds) not in (int, float) or not 0 <= seconds < 1e6:
        session.fault(f"{where}, seconds", "out_of_range", f"{seconds!r} is no duration")
    for name in ("other", "remark"):
        _check_text(session, where, name, row.get(name))
    if all(one.kind == "missing" for one in session.problems[before:]):
        move, method = session.key.items()[row["item"]]
        name = session.key.study.moves[move - 1].name
        marked = [cause in causes for cause in CAUSES]
        session.rows.append((session.participant, name, method, *points, *marked))


def _points(session: _Session, where: str, name: str, value: object) -> int | None:
    place, most = f"{where}, {name}", DIMENSIONS[name]
    if value is None:
        session.fault(place, "missing", "not answered")
    elif type(value) is int and 1 <= value <= most:
        return value
    else:
        session.fault(place, "out_of_range", f"{value!r} is not one of 1 to {most}")
    return None


def _check_causes(
    session: _Session, where: str, row: dict[str, Any], causes: Sequence[str]
) -> None:
    place, correct = f"{where}, causes", row.get("correctness")
    if correct == DIMENSIONS["correctness"] and causes:
        session.fault(place, "out_of_range", "a fully correct comment has no cause of error")
    if correct in range(1, DIMENSIONS["correctness"]) and not causes:
        session.fault(place, "missing", "not fully correct, and no cause is named")
    if ("other" in causes) != bool(row.get("other")):
        session.fault(f"{where}, other", "missing", "another cause needs its words, and only it")


def _check_text(session: _Session, where: str, name: str, value: object) -> None:
    if not isinstance(value, str) or len(value) > _LONGEST[name]:
        text = f"must be text of at most {_LONGEST[name]} characters"
        session.fault(f"{where}, {name}", "out_of_range", text)
