"""Readers measured: on labelled texts and on people's comments.

A line of the gold set is an object with ``id``, ``fen``, ``move``, ``text`` and ``claims``, each
with ``span``, ``kind`` and ``verdict`` (see ``data/claims/README.md``). A reader is whatever makes
checked claims of a text (:data:`Check`). It *accuses* a text if one of its claims is false, and
that is right if one of its labels is (:func:`score`). Of people's comments it is asked which of
four moves they are on (:func:`match`).
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from chessgloss.claims.decide import Checked
from chessgloss.corpora.lectures import CommentedMove, Lecture
from chessgloss.positions import MoveInContext, read_fen, read_move

#: What a text is called, or labelled; ``open`` where it is neither.
Called = Literal["true", "false", "open"]


class GoldError(ValueError):
    """A line of a gold set that is not in its form."""


@dataclass(frozen=True, slots=True)
class GoldClaim:
    """A labelled claim.

    Parameters
    ----------
    kind
        Its kind, as its labels call it.
    span
        Start and end in the text.
    verdict
        ``true``, ``false`` or ``not_checkable``.
    """

    kind: str
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
    claims: tuple[GoldClaim, ...] = ()

    @property
    def label(self) -> Called:
        """``false`` if one of its claims is, ``true`` if one is true and none false."""
        verdicts = {claim.verdict for claim in self.claims}
        if "false" in verdicts:
            return "false"
        return "true" if "true" in verdicts else "open"


#: Makes checked claims of a text: a reader, and what decides.
Check = Callable[[GoldText], Iterable[Checked]]


class Score(NamedTuple):
    """How what a reader calls texts compares with their labels; each part and of how many.

    Parameters
    ----------
    precision
        Accused texts that are false.
    recall
        False texts that are accused.
    called
        Texts labelled true or false that are called so.
    """

    precision: tuple[int, int]
    recall: tuple[int, int]
    called: tuple[int, int]


def read_gold(path: Path, half: str | None = None) -> Iterator[GoldText]:
    """Yield the texts of a gold set in order.

    Parameters
    ----------
    path
        The file.
    half
        Of other writers' sentences (``written.jsonl``), each of which is one claim: the half.

    Raises
    ------
    GoldError
        At the first line that is not in its form, named by its number.
    """
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            entry = json.loads(line)
            if half is not None and entry["half"] != half:
                continue
            text = _gold_text(entry, whole=half is not None)
        except (ValueError, LookupError, TypeError) as error:
            raise GoldError(f"{path.name}, line {number}: {error!r}") from None
        yield text


def _gold_text(entry: Mapping[str, Any], *, whole: bool) -> GoldText:
    move = read_move(read_fen(entry["fen"]), entry["move"])
    text = entry["text"]
    labels = [{**entry, "span": (0, len(text))}] if whole else entry["claims"]
    claims = (
        GoldClaim(each["kind"], (each["span"][0], each["span"][1]), each["verdict"])
        for each in labels
    )
    return GoldText(entry["id"], move, text, tuple(claims))


def read_comments(lectures: Iterable[Lecture]) -> Iterator[GoldText]:
    """Yield the comments of lectures, without labels, by ``lecture/number``."""
    for key, each in _comments(lectures).items():
        yield GoldText(key, each.context, each.comment)


def _comments(lectures: Iterable[Lecture]) -> dict[str, CommentedMove]:
    """Return the comments of lectures by the lecture's name and their number in it."""
    numbered = ((lecture.name, enumerate(lecture.comments)) for lecture in lectures)
    return {
        f"{name}/{number}": each
        for name, comments in numbered
        for number, each in comments
    }


# ---------------------------------------------------------------- how good is a reader?


def call(checked: Iterable[Checked]) -> Called:
    """Return what a text is called: ``false`` if one of its claims is, ``true`` if all are true."""
    verdicts = {each.verdict for each in checked}
    if "false" in verdicts:
        return "false"
    return "true" if verdicts == {"true"} else "open"


def score(texts: Iterable[GoldText], check: Check) -> Score:
    """Score a reader on labelled texts.

    Parameters
    ----------
    texts
        The texts.
    check
        Returns the claims that a reader makes of a text, with their verdicts.
    """
    counts = Counter((text.label, call(check(text))) for text in texts)

    def count(label: Called | None = None, called: Called | None = None) -> int:
        return sum(
            number
            for (one, other), number in counts.items()
            if label in (None, one) and called in (None, other)
        )

    found = count("false", "false")
    right = found + count("true", "true")
    labelled = count("true") + count("false")
    return Score(
        (found, count(called="false")), (found, count("false")), (right, labelled)
    )


def verdicts_sha256(checked: Mapping[str, Iterable[Checked]]) -> str:
    """Return the SHA-256 of the verdicts on texts, with the evidence, by the texts' keys."""
    rows = [
        [key, str(each.claim), each.verdict, each.evidence]
        for key, claims in sorted(checked.items())
        for each in claims
    ]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


# ---------------------------------------------------------------- which move is it of?


@dataclass(frozen=True, slots=True)
class Matching:
    """A comment, and four moves of which one is its own.

    Parameters
    ----------
    key
        ``lecture/number`` of the comment.
    texts
        The comment as if it were on each of the moves; their keys add ``@`` and the place.
    right
        The index of its own move.
    """

    key: str
    texts: tuple[GoldText, ...]
    right: int


def read_matching(
    path: Path, lectures: Iterable[Lecture], split: str
) -> Iterator[Matching]:
    """Yield the comments of one split, each with four moves and which of them is its own.

    Parameters
    ----------
    path
        The task without the texts (``.tsv``, see ``data/claims/README.md``).
    lectures
        The lectures that hold the texts.
    split
        ``dev`` or ``test``.
    """
    comments = _comments(lectures)
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t")
    for row in (row for row in rows if row["split"] == split):
        key = f"{row['lecture']}/{row['number']}"
        texts = (
            GoldText(
                f"{key}@{place}", comments[name].context, comments[key].comment, ()
            )
            for place, name in enumerate(row["candidates"].split())
        )
        yield Matching(key, tuple(texts), int(row["right"]))


#: How much it counts that a claim fits a move, and against the move if it does not.
FITS: Mapping[str, float] = {"true": 1.0, "false": -3.0}


def match(texts: Sequence[GoldText], check: Check) -> tuple[int, ...]:
    """Return the moves that a comment fits best, by index.

    A claim counts the more, the fewer of the moves it fits (or is false of). All moves that tie
    are returned, so that a right answer among ``n`` counts ``1 / n``.

    Parameters
    ----------
    texts
        The comment as if it were on each of the moves.
    check
        Returns the claims that a reader makes of a text, with their verdicts.
    """
    checked = [list(check(text)) for text in texts]
    shared = Counter(
        pair
        for claims in checked
        for pair in {(str(c.claim), c.verdict) for c in claims}
    )
    scores = [0.0] * len(texts)
    for place, claims in enumerate(checked):
        for each in claims:
            on = shared[str(each.claim), each.verdict]
            rarity = math.log((len(texts) + 0.5) / on)
            scores[place] += FITS.get(each.verdict, 0.0) * rarity
    best = max(scores)
    return tuple(n for n, each in enumerate(scores) if math.isclose(each, best))
