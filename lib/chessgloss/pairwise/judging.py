"""From the judge's answers to judged pairs: read, held against the hard rule, kept as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from chessgloss.judges.scale import read_score
from chessgloss.llm import Answer, Request, State
from chessgloss.pairwise.lines import Unreadable, read_line
from chessgloss.pairwise.records import CRITERIA, Ballot, Scores, Winner
from chessgloss.pairwise.ruling import Ruling, apply_rulings, struck

#: Ways to tell the winner of an answer: the judge's own word, the totals of its scores with the
#: tie-breaks, and the same after the hard rule.
By = Literal["word", "totals", "rule"]

#: Rulings of the hard rule by move and method.
Rulings = Mapping[tuple[str, str], Ruling]


@dataclass(frozen=True, slots=True)
class Judged:
    """One question on a pair, and what came of it.

    Parameters
    ----------
    move
        Name of the move.
    first, second
        The methods shown as candidates A and B.
    ballot
        What the judge said; ``None`` if it could not be read.
    ruled
        The ballot after the hard rule; ``None`` if there is no ballot.
    state
        ``read``; or ``A disqualified``, ``B disqualified``, ``both disqualified`` by the hard
        rule; or ``unreadable``; or what became of the answer (``cut_off``, ``refused`` ...).
    trouble
        Why the answer could not be read.
    """

    move: str
    first: str
    second: str
    ballot: Ballot | None = None
    ruled: Ballot | None = None
    state: str = "read"
    trouble: str = ""

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise ValueError(f"a method is not compared with itself: {self.first}")
        if (self.ballot is None) != (self.ruled is None):
            raise ValueError("a ballot and the ruled ballot are there together or not at all")

    def winner(self, by: By = "rule") -> Winner | None:
        """Return which candidate wins, or ``None`` if the answer could not be read."""
        if self.ballot is None or self.ruled is None:
            return None
        found: dict[By, Winner] = {
            "word": self.ballot.told,
            "totals": self.ballot.winner,
            "rule": self.ruled.winner,
        }
        return found[by]


def judge_pairs(
    requests: Sequence[Request], answers: Sequence[Answer], rulings: Rulings
) -> list[Judged]:
    """Read the answers to :func:`~chessgloss.pairwise.questions.pairwise_requests`.

    Parameters
    ----------
    requests, answers
        The questions, and their answers in the same order.
    rulings
        What the hard rule says of each comment, by move and method.

    Returns
    -------
    list of Judged
        In the order of the questions; nothing is left out.
    """
    return [
        _judge(one.about, answer, rulings) for one, answer in zip(requests, answers, strict=True)
    ]


def judge_by_numbers(
    requests: Sequence[Request], answers: Sequence[Answer], rulings: Rulings
) -> list[Judged]:
    """Read the answers to :func:`~chessgloss.pairwise.questions.number_requests`.

    The scores are those of :func:`read_cards`; totals and winner are the program's, so that no
    ballot contradicts itself. Parameters are those of :func:`judge_pairs`.

    Returns
    -------
    list of Judged
        A pair each, in the order of the questions; unreadable if one of twelve numbers is.
    """
    found: dict[tuple[str, str, str], dict[str, dict[str, float | None]]] = {}
    for one, answer in zip(requests, answers, strict=True):
        about = {name: str(value) for name, value in one.about.items()}
        place = (about["of"], about["first"], about["second"])
        sides = found.setdefault(place, {"A": {}, "B": {}})
        sides[about["candidate"]][about["criterion"]] = read_score(answer).value
    return [
        _numbered(place, _card(sides["A"]), _card(sides["B"]), rulings)
        for place, sides in found.items()
    ]


def read_cards(
    requests: Sequence[Request], answers: Sequence[Answer]
) -> dict[tuple[str, str], Scores | None]:
    """Read the answers to :func:`~chessgloss.pairwise.questions.alone_requests`.

    A score is the mean of the numbers weighted by their probabilities
    (:func:`chessgloss.judges.read_score`), rounded to a whole number as the rubric wants it.

    Returns
    -------
    dict
        Scores by move and method; ``None`` where one of the six could not be read.
    """
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    for one, answer in zip(requests, answers, strict=True):
        card = found.setdefault((str(one.about["of"]), str(one.about["method"])), {})
        card[str(one.about["criterion"])] = read_score(answer).value
    return {place: _card(values) for place, values in found.items()}


def pairs_of_cards(
    cards: Mapping[tuple[str, str], Scores | None], rulings: Rulings
) -> list[Judged]:
    """Return the pairs that the scores given alone decide by the rule, each in one order."""
    told = [(move, method, scores) for (move, method), scores in cards.items() if scores]
    return [
        _ruled(move, first, second, Ballot.of(a, b), rulings)
        for number, (move, first, a) in enumerate(told)
        for other, second, b in told[number + 1 :]
        if other == move
    ]


def _judge(about: Mapping[str, str | int], answer: Answer, rulings: Rulings) -> Judged:
    move, first, second = (str(about[name]) for name in ("of", "first", "second"))
    if answer.state != State.ANSWERED:
        return Judged(move, first, second, state=str(answer.state), trouble=answer.finish_reason)
    try:
        ballot = read_line(answer.text)
    except Unreadable as error:
        return Judged(move, first, second, state="unreadable", trouble=str(error))
    return _ruled(move, first, second, ballot, rulings)


def _numbered(
    place: tuple[str, str, str], a: Scores | None, b: Scores | None, rulings: Rulings
) -> Judged:
    if a is None or b is None:
        return Judged(*place, state="unreadable", trouble="an answer is no number from 1 to 5")
    return _ruled(*place, Ballot.of(a, b), rulings)


def _ruled(move: str, first: str, second: str, ballot: Ballot, rulings: Rulings) -> Judged:
    a, b = rulings[move, first], rulings[move, second]
    who = struck(a, b)
    state = "read" if who == "none" else f"{who} disqualified"
    return Judged(move, first, second, ballot, apply_rulings(ballot, a, b), state)


def _card(values: Mapping[str, float | None]) -> Scores | None:
    told = [values.get(name) for name in CRITERIA]
    return None if None in told else Scores(*(round(one) for one in told if one is not None))


# ---------------------------------------------------------------- the file

_SIDES: Final = ("a", "b")
_BALLOT: Final = tuple(
    f"{side}_{name}" for side in _SIDES for name in (*CRITERIA, "total_told", "total")
)
#: Header of the file of judged pairs.
HEADER: Final = (
    "move",
    "first",
    "second",
    "state",
    "winner_told",
    "winner_totals",
    "winner_rule",
    "contradictions",
    *_BALLOT,
    "a_faithfulness_ruled",
    "b_faithfulness_ruled",
    "trouble",
)


def write_judged(path: Path, judged: Iterable[Judged]) -> None:
    """Write judged pairs as CSV (RFC 4180, UTF-8, a header of :data:`HEADER`), a row each.

    Fields of an answer that could not be read are empty.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, HEADER, restval="")
        writer.writeheader()
        writer.writerows(map(_row, judged))


def read_judged(path: Path) -> list[Judged]:
    """Read the file of :func:`write_judged`.

    Raises
    ------
    ValueError
        Naming file and line, if the header or a row is not as it was written, or if what can
        be computed from a row does not agree with it.
    """
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        if tuple(reader.fieldnames or ()) != HEADER:
            raise ValueError(f"{path}: the first line is not the header of judged pairs")
        return [_read_row(row, f"{path}, line {reader.line_num}") for row in reader]


def _row(one: Judged) -> dict[str, object]:
    names = ("move", "first", "second", "state", "trouble")
    row: dict[str, object] = {name: getattr(one, name) for name in names}
    if one.ballot is None or one.ruled is None:
        return row
    row |= {f"winner_{by}": one.winner(by) for by in ("totals", "rule")}
    row |= {
        "winner_told": one.ballot.told,
        "contradictions": "; ".join(one.ballot.contradictions),
    }
    ballots = (one.ballot.a, one.ballot.b), (one.ruled.a, one.ruled.b), one.ballot.told_totals
    for side, scores, ruled, told in zip(_SIDES, *ballots, strict=True):
        row |= {f"{side}_{name}": score for name, score in zip(CRITERIA, scores, strict=True)}
        row |= {f"{side}_total_told": told, f"{side}_total": scores.total}
        row[f"{side}_faithfulness_ruled"] = ruled.faithfulness
    return row


def _read_row(row: Mapping[str, str], place: str) -> Judged:
    try:
        one = _judged(row)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{place}: not a judged pair ({error})") from error
    again = {name: str(value) for name, value in _row(one).items()}
    wrong = [name for name in HEADER if row[name] != again.get(name, "")]
    if wrong:
        raise ValueError(f"{place}: {wrong[0]} is {row[wrong[0]]!r}, but the scores say otherwise")
    return one


def _judged(row: Mapping[str, str]) -> Judged:
    head = row["move"], row["first"], row["second"]
    if not row["winner_told"]:
        return Judged(*head, state=row["state"], trouble=row["trouble"])
    a, b = (Scores(*(int(row[f"{side}_{name}"]) for name in CRITERIA)) for side in _SIDES)
    totals = int(row["a_total_told"]), int(row["b_total_told"])
    ballot = Ballot(a, b, row["winner_told"], totals)  # type: ignore[arg-type]
    limits = (int(row[f"{side}_faithfulness_ruled"]) for side in _SIDES)
    return Judged(*head, ballot, ballot.limited(*limits), row["state"], row["trouble"])
