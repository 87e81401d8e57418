"""The checker held against sentences whose claims are labelled: precision and recall of ``false``.

A line of the gold set is an object with ``id``, ``fen``, ``move``, ``text`` and ``claims``, each
with ``span``, ``kind`` and ``verdict`` (see ``data/claims/README.md``). Only the verdict
``false`` is scored, for it is the accusation.

A predicted false claim is *right* when a false claim of the gold set overlaps its span with the
same kind or one declared equivalent to it; it is a *false accusation* otherwise. A false claim of
the gold set is *found* when a predicted false claim overlaps it in the same way. Kinds are
equivalent where the same words can be labelled either way: a piece that is not there makes
whatever it is said to do untrue, and a move that is written as a capture, a check or a mate is all
of these at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from chessgloss.claims.records import Checked, Kind
from chessgloss.claims.verify import verify
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext, read_fen, read_move

_PAIRS: tuple[tuple[Kind, Kind], ...] = (
    ("piece", "move"),
    ("piece", "attack"),
    ("piece", "check"),
    ("piece", "capture"),
    ("piece", "mate"),
    ("piece", "tactic"),
    ("piece", "material"),
    ("piece", "structure"),
    ("move", "capture"),
    ("move", "check"),
    ("move", "mate"),
    ("move", "structure"),
    ("check", "mate"),
    ("attack", "tactic"),
    ("capture", "material"),
)

#: Pairs of kinds that the same words can be labelled with.
EQUIVALENT: frozenset[frozenset[Kind]] = frozenset(frozenset(pair) for pair in _PAIRS)

#: Gives the engine's verdict on a move; ``None`` leaves evaluations unchecked.
Judge = Callable[[MoveInContext], Verdict | None]


class GoldError(ValueError):
    """A line of a gold set that is not in its form."""


@dataclass(frozen=True, slots=True)
class GoldClaim:
    """A labelled claim.

    Parameters
    ----------
    kind
        Its kind.
    span
        Start and end in the text.
    verdict
        ``true``, ``false`` or ``not_checkable``.
    """

    kind: Kind
    span: tuple[int, int]
    verdict: str


@dataclass(frozen=True, slots=True)
class GoldText:
    """A labelled text on a move.

    Parameters
    ----------
    key
        The line's ``id``.
    move
        The move.
    text
        The text.
    claims
        Its claims.
    """

    key: str
    move: MoveInContext
    text: str
    claims: tuple[GoldClaim, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of accusations of one kind.

    Parameters
    ----------
    accused
        Claims that the checker calls false.
    right
        Those that the gold set calls false too.
    wrong
        False claims in the gold set.
    found
        Those that the checker finds.
    """

    accused: int
    right: int
    wrong: int
    found: int

    @property
    def precision(self) -> float | None:
        """Share of accusations that are right; ``None`` without any."""
        return self.right / self.accused if self.accused else None

    @property
    def recall(self) -> float | None:
        """Share of the false claims that are found; ``None`` without any."""
        return self.found / self.wrong if self.wrong else None


def read_gold(path: Path) -> Iterator[GoldText]:
    """Yield the texts of a gold set in order.

    Raises
    ------
    GoldError
        At the first line that is not in its form, named by its number.
    """
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            yield _read_line(json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            raise GoldError(f"{path.name}, line {number}: {error!r}") from None


def _read_line(entry: dict[str, Any]) -> GoldText:
    move = read_move(read_fen(entry["fen"]), entry["move"])
    claims = tuple(
        GoldClaim(one["kind"], (one["span"][0], one["span"][1]), one["verdict"])
        for one in entry["claims"]
    )
    return GoldText(entry["id"], move, entry["text"], claims)


def score_gold(path: Path, judge: Judge | None = None, *, strict: bool = False) -> dict[str, Score]:
    """Score the checker's ``false`` against a gold set.

    Parameters
    ----------
    path
        The gold set (``.jsonl``).
    judge
        Gives engine verdicts for claims of evaluation and of mates.
    strict
        Whether only the same kind counts, not one declared equivalent.

    Returns
    -------
    dict
        A score for each kind in the order of :data:`chessgloss.claims.records.Kind`, then
        ``all``.

    Raises
    ------
    GoldError
        If a line of the file is not in its form.
    """
    pairs = [(gold, _false(check_text(gold, judge))) for gold in read_gold(path)]
    scores = {kind: _score(pairs, kind, strict) for kind in get_args(Kind)}
    return scores | {"all": _score(pairs, None, strict)}


def check_text(gold: GoldText, judge: Judge | None = None) -> tuple[Checked, ...]:
    """Return what the checker says of a labelled text."""
    return verify(gold.text, gold.move, judge(gold.move) if judge else None)


def _false(checked: Iterable[Checked]) -> list[Checked]:
    return [one for one in checked if one.verdict == "false"]


def _score(
    pairs: Iterable[tuple[GoldText, list[Checked]]], kind: Kind | None, strict: bool
) -> Score:
    accused = right = wrong = found = 0
    for gold, said in pairs:
        labelled = [one for one in gold.claims if one.verdict == "false"]
        for one in said:
            if kind in (None, one.claim.kind):
                accused += 1
                right += any(_same(one, label, strict) for label in labelled)
        for label in labelled:
            if kind in (None, label.kind):
                wrong += 1
                found += any(_same(one, label, strict) for one in said)
    return Score(accused, right, wrong, found)


def _same(said: Checked, label: GoldClaim, strict: bool = False) -> bool:
    """Tell whether an accusation and a label speak of the same words and the same thing."""
    (first, last), (start, stop) = said.claim.span, label.span
    kinds = frozenset({said.claim.kind, label.kind})
    alike = len(kinds) == 1 or (not strict and kinds in EQUIVALENT)
    return first < stop and start < last and alike
