"""The rubric's line of answer, read strictly and written.

``WINNER,<A|B|TIE>,A,c1,c2,c3,c4,c5,c6,total,B,c1,c2,c3,c4,c5,c6,total``

Tolerated: white space around the line and around a field, and one code fence of three
backticks around the line. Nothing else: a line in lower case, a missing field, a word before
or after it make the answer unreadable. What the line *says* may contradict itself: that is read,
and reported by :attr:`chessgloss.pairwise.records.Ballot.contradictions`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from chessgloss.pairwise.records import CRITERIA, Ballot, Scores, Winner

#: Fields of a line: two for the winner, and a name, the scores and a total for each candidate.
_BLOCK = 2 + len(CRITERIA)
FIELDS = 2 + 2 * _BLOCK

_FENCED = re.compile(r"```[a-z]*[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,3}")


class Unreadable(ValueError):
    """An answer that is not the line that was asked for."""


def read_line(text: str) -> Ballot:
    """Read the line of answer on a pair.

    Raises
    ------
    Unreadable
        Naming the first thing that is wrong: lines, number of fields, a marker, the winner, a
        score.
    """
    fields = _fields(text, FIELDS)
    winner: dict[str, Winner] = {name: name for name in get_args(Winner)}
    if fields[0] != "WINNER" or fields[1] not in winner:
        raise Unreadable(f"begins with WINNER and A, B or TIE, not {','.join(fields[:2])!r}")
    (a, total_a), (b, total_b) = _block("A", fields[2:-_BLOCK]), _block("B", fields[-_BLOCK:])
    return Ballot(a, b, winner[fields[1]], (total_a, total_b))


def write_line(ballot: Ballot) -> str:
    """Return the line of a ballot as it was told: :func:`read_line` gives the ballot again."""
    blocks = zip("AB", (ballot.a, ballot.b), ballot.told_totals, strict=True)
    parts = [f"{name},{','.join(map(str, scores))},{total}" for name, scores, total in blocks]
    return ",".join(["WINNER", ballot.told, *parts])


def _fields(text: str, count: int) -> list[str]:
    line = text.strip()
    fenced = _FENCED.fullmatch(line)
    line = fenced.group(1).strip() if fenced else line
    if len(line.splitlines()) != 1:
        raise Unreadable(f"the answer is one line, not {len(line.splitlines())}")
    fields = [field.strip() for field in line.split(",")]
    if len(fields) != count:
        raise Unreadable(f"the line has {count} fields, not {len(fields)}")
    return fields


def _block(name: str, fields: Sequence[str]) -> tuple[Scores, int]:
    marker, *told, total = fields
    if marker != name:
        raise Unreadable(f"{name} stands before its scores, not {marker!r}")
    wrong = [field for field in (*told, total) if not _NUMBER.fullmatch(field)]
    if wrong:
        raise Unreadable(f"scores and totals are whole numbers, not {wrong[0]!r}")
    try:
        return Scores(*map(int, told)), int(total)
    except ValueError as error:
        raise Unreadable(f"candidate {name}: {error}") from None
