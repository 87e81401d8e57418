"""The checker measured: on labelled sentences, and on true sentences with one word exchanged.

A line of the gold set is an object with ``id``, ``fen``, ``move``, ``text`` and ``claims``, each
with ``span``, ``kind`` and ``verdict`` (see ``data/claims/README.md``). Only the verdict
``false`` is scored, for it is the accusation. A predicted false claim is *right* when a false
claim of the gold set overlaps its span with the same kind or one declared equivalent to it; it is
a *false accusation* otherwise. A false claim of the gold set is *found* when a predicted false
claim overlaps it in the same way.

Human comments are labelled without their texts, which are other people's, and with twins in which
one word is exchanged (:func:`read_human`); of more of them it is asked which of four moves they
are on (:func:`match`).

A minimal pair is a clause of facts as a sentence, and its twin in which one word is exchanged (a
square, a piece, a side), so that the clause no longer is among the facts of the move before it,
of it, or after it. What a clause says of pieces that attack, defend, pin or fork is told whole by
the facts, so that the twin is untrue by the board; the twin is kept only if its words still name
something that could be on a board.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import chess

from chessgloss.claims.checker import Checked, verify
from chessgloss.claims.parser import Kind
from chessgloss.corpora.lectures import CommentedMove, Lecture
from chessgloss.facts.gathering import gather
from chessgloss.facts.records import FactKind
from chessgloss.facts.verdict import Verdict
from chessgloss.positions import MoveInContext, read_fen, read_move

#: Kinds that the same words can be labelled with: a piece that is not there makes whatever it is
#: said to do untrue, and a move that is written as a capture, a check or a mate is all of these.
_ALIKE = (
    "piece move, piece attack, piece check, piece capture, piece mate, piece tactic,"
    "piece material, piece structure, move capture, move check, move mate, move structure,"
    "check mate, attack tactic, capture material"
)
EQUIVALENT = frozenset(frozenset(pair.split()) for pair in _ALIKE.split(","))

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


def read_gold(path: Path) -> Iterator[GoldText]:
    """Yield the texts of a gold set in order.

    Raises
    ------
    GoldError
        At the first line that is not in its form, named by its number.
    """

    def read(entry: dict[str, Any]) -> list[GoldText]:
        move = read_move(read_fen(entry["fen"]), entry["move"])
        return [GoldText(entry["id"], move, entry["text"], _claims(entry))]

    return _read(path, read)


def read_human(path: Path, lectures: Iterable[Lecture]) -> Iterator[GoldText]:
    """Yield labelled comments of the lectures, each followed by its twins.

    A twin is the comment with one word exchanged: every claim labelled ``true`` whose span holds
    that word is ``false`` in it, and all others keep their labels. Its key has the edit's number
    after a ``+``.

    Parameters
    ----------
    path
        Labels without the texts (``.jsonl``, see ``data/claims/README.md``).
    lectures
        The lectures that hold the texts.

    Raises
    ------
    GoldError
        At the first line that is not in its form or does not fit the lectures' text.
    """
    comments = _comments(lectures)

    def read(entry: dict[str, Any]) -> list[GoldText]:
        key = f"{entry['lecture']}/{entry['number']}"
        text = comments[key].comment
        if hashlib.sha256(text.encode()).hexdigest() != entry["sha256"]:
            raise ValueError("the lecture's text is another one; fetch the asset again")
        gold = GoldText(key, comments[key].context, text, _claims(entry))
        twins = enumerate(entry["edits"])
        return [gold, *(_twin(gold, edit, f"{key}+{number}") for number, edit in twins)]

    return _read(path, read)


def read_written(path: Path, half: str) -> Iterator[GoldText]:
    """Yield the sentences of one half of other writers' (``written.jsonl``), each as one claim.

    Raises
    ------
    GoldError
        At the first line that is not in its form, named by its number.
    """

    def read(entry: dict[str, Any]) -> list[GoldText]:
        if entry["half"] != half:
            return []
        move = read_move(read_fen(entry["fen"]), entry["move"])
        whole = (0, len(entry["text"]))
        claim = GoldClaim(entry["kind"], whole, entry["verdict"])
        return [GoldText(entry["id"], move, entry["text"], (claim,))]

    return _read(path, read)


def read_comments(lectures: Iterable[Lecture]) -> Iterator[GoldText]:
    """Yield the comments of lectures, without labels, by ``lecture/number``."""
    for key, each in _comments(lectures).items():
        yield GoldText(key, each.context, each.comment, ())


def _read(
    path: Path, read: Callable[[dict[str, Any]], list[GoldText]]
) -> Iterator[GoldText]:
    for number, line in enumerate(
        path.read_text(encoding="utf-8").splitlines(), start=1
    ):
        try:
            texts = read(json.loads(line))
        except (ValueError, LookupError, TypeError) as error:
            raise GoldError(f"{path.name}, line {number}: {error!r}") from None
        yield from texts


def _claims(entry: Mapping[str, Any]) -> tuple[GoldClaim, ...]:
    labels = ((each["kind"], each["span"], each["verdict"]) for each in entry["claims"])
    return tuple(
        GoldClaim(kind, (span[0], span[1]), verdict) for kind, span, verdict in labels
    )


def _comments(lectures: Iterable[Lecture]) -> dict[str, CommentedMove]:
    """Return the comments of lectures by the lecture's name and their number in it."""
    numbered = ((lecture.name, enumerate(lecture.comments)) for lecture in lectures)
    return {
        f"{name}/{number}": each
        for name, comments in numbered
        for number, each in comments
    }


def _twin(gold: GoldText, edit: Mapping[str, Any], key: str) -> GoldText:
    """Return a text with one word exchanged, and its claims as they are then."""
    start = edit["at"]
    end = edit["at"] + len(edit["old"])
    if gold.text[start:end] != edit["old"]:
        raise ValueError(f"the text has no {edit['old']!r} at {start}")
    longer = len(edit["new"]) - len(edit["old"])
    claims = []
    for number, claim in enumerate(gold.claims):
        first, last = (place + longer * (place >= end) for place in claim.span)
        holds = (
            claim.span[0] < end and start < claim.span[1] and claim.verdict == "true"
        )
        kind = edit.get("kind", claim.kind) if number == edit["claim"] else claim.kind
        claims.append(
            GoldClaim(kind, (first, last), "false" if holds else claim.verdict)
        )
    text = gold.text[:start] + edit["new"] + gold.text[end:]
    return GoldText(key, gold.move, text, tuple(claims))


def check_text(gold: GoldText, judge: Judge | None = None) -> tuple[Checked, ...]:
    """Return what the checker says of a labelled text."""
    return verify(gold.text, gold.move, judge(gold.move) if judge else None)


def score_gold(
    gold: Path | Iterable[GoldText], judge: Judge | None = None
) -> dict[str, Score]:
    """Score the checker's ``false`` against a gold set.

    Parameters
    ----------
    gold
        The gold set (``.jsonl``), or its texts.
    judge
        Gives engine verdicts for claims of evaluation and of mates.

    Returns
    -------
    dict
        A score for each kind in the order of :data:`chessgloss.claims.Kind`, then ``all``.

    Raises
    ------
    GoldError
        If a line of the file is not in its form.
    """
    counts: dict[str, list[int]] = {
        kind: [0, 0, 0, 0] for kind in (*get_args(Kind), "all")
    }
    for text in read_gold(gold) if isinstance(gold, Path) else gold:
        accused = [each for each in check_text(text, judge) if each.verdict == "false"]
        labels = [label for label in text.claims if label.verdict == "false"]
        seen: list[tuple[str, int, bool]] = [
            (each.claim.kind, 0, any(_same(each, one) for one in labels))
            for each in accused
        ]
        seen += [
            (label.kind, 2, any(_same(one, label) for one in accused))
            for label in labels
        ]
        for kind, place, agreed in seen:
            for row in (counts[kind], counts["all"]):
                row[place] += 1
                row[place + 1] += agreed
    return {kind: Score(*numbers) for kind, numbers in counts.items()}


def _same(accused: Checked, label: GoldClaim) -> bool:
    """Tell whether an accusation and a label speak of the same words and the same thing."""
    (first, last) = accused.claim.span
    (start, stop) = label.span
    kinds = frozenset({accused.claim.kind, label.kind})
    return first < stop and start < last and (len(kinds) == 1 or kinds in EQUIVALENT)


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


#: How much it counts that a claim fits a move: what is only named (a written move, a piece on its
#: square) more than what is said, what is so after the move a little more; what is false counts
#: against it. All weights were set on the lectures of ``dev``.
FITS: Mapping[str, float] = {"named": 2.0, "true": 0.5, "false": -3.0}
FITS_AFTER = 0.5

#: How much it counts that the move goes to a square, wing or the centre that the words name, and
#: against a move in an ending, for each piece on the board.
TO_SQUARE, TO_WING, TO_CENTRE, ENDING = 1.0, 2.0, 1.0, -0.1

_CENTRE = frozenset({chess.D4, chess.E4, chess.D5, chess.E5})


def match(
    text: str,
    moves: Sequence[MoveInContext],
    check: Callable[[str, MoveInContext], Iterable[Checked]] = verify,
) -> tuple[int, ...]:
    """Return the moves that a text fits best, by index.

    A claim counts the more, the fewer of the moves it fits (or is false of). All moves that tie
    are returned, so that a right answer among ``n`` counts ``1 / n``.

    Parameters
    ----------
    text
        The text.
    moves
        The moves to choose from.
    check
        Gives the same claims of a text on any move, in the same order, with their verdicts.
    """
    scores = [_fit_of_words(text, move) for move in moves]
    checked = [check(text, move) for move in moves]
    for same_claim in zip(*checked, strict=True):
        weights = [_fit(each) for each in same_claim]
        fitting = sum(weight > 0 for weight in weights)
        failing = sum(weight < 0 for weight in weights)
        for place, weight in enumerate(weights):
            shared = fitting if weight > 0 else failing
            rarity = math.log((len(moves) + 0.5) / max(1, shared))
            scores[place] += weight * rarity
    best = max(scores)
    return tuple(n for n, each in enumerate(scores) if math.isclose(each, best))


def _fit(checked: Checked) -> float:
    """Return how much a claim speaks for a move (or, below zero, against it)."""
    weight = FITS.get(checked.verdict, 0.0)
    if checked.verdict == "true" and checked.anchor == "after":
        weight += FITS_AFTER
    return weight


def _fit_of_words(text: str, move: MoveInContext) -> float:
    """Return how much the places that a text names speak for a move, claims apart."""
    words = text.lower()
    to = move.move.to_square
    wing = "king" if chess.square_file(to) > chess.square_file(chess.D1) else "queen"
    fit = 0.0
    if re.search(rf"(?<![a-z0-9])[kqrbn]?x?{chess.square_name(to)}(?![a-z0-9])", words):
        fit += TO_SQUARE
    if re.search(rf"\b{wing}.?side", words):
        fit += TO_WING
    if to in _CENTRE and re.search("cent(?:er|re)", words):
        fit += TO_CENTRE
    if re.search("ending|endgame", words):
        fit += ENDING * chess.popcount(chess.Board(move.position.fen).occupied)
    return fit


# ---------------------------------------------------------------- minimal pairs

ErrorType = Literal["wrong_square", "wrong_piece", "wrong_side"]

#: Kinds whose clauses are all listed by the facts, so that a clause that is not there is untrue.
KINDS: tuple[FactKind, ...] = (
    "capture",
    "castling",
    "promotion",
    "check",
    "attack",
    "defence",
    "passed_pawn",
    "isolated_pawn",
    "doubled_pawns",
    "open_file",
    "pin",
    "fork",
    "mate",
)

_SQUARE = re.compile(r"\b[a-h][1-8]\b")
_EXCHANGED: dict[ErrorType, re.Pattern[str]] = {
    "wrong_square": _SQUARE,
    "wrong_piece": re.compile(r"\b(?:knight|bishop|rook|queen|king|pawn)\b"),
    "wrong_side": re.compile(r"\b(?:white|black|White|Black)\b"),
}
_OTHER_SIDE = {"white": "black", "black": "white", "White": "Black", "Black": "White"}


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """A true sentence and its corrupted twin.

    Parameters
    ----------
    move
        The move they are about.
    kind
        The kind of fact that the true sentence tells.
    error
        What was exchanged.
    true, false
        The two sentences, each with a capital and a full stop.
    """

    move: MoveInContext
    kind: FactKind
    error: ErrorType
    true: str
    false: str


def minimal_pairs(
    moves: Iterable[MoveInContext], count: int, *, seed: int = 0
) -> tuple[MinimalPair, ...]:
    """Return minimal pairs, at most one of each error type from a move.

    Parameters
    ----------
    moves
        Moves to speak of; as many are read as are needed.
    count
        How many pairs.
    seed
        Chooses facts and exchanges; the same seed and moves give the same pairs.

    Raises
    ------
    ValueError
        If the moves give fewer pairs.
    """
    pairs: list[MinimalPair] = []
    for move in moves:
        if len(pairs) >= count:
            break
        pairs += _pairs_of(
            move, random.Random(f"{seed} {move.position.fen} {move.uci}")
        )
    if len(pairs) < count:
        raise ValueError(
            f"the moves give only {len(pairs)} of {count} pairs; give more moves"
        )
    return tuple(pairs[:count])


def _pairs_of(move: MoveInContext, rng: random.Random) -> Iterator[MinimalPair]:
    facts = gather(move)
    clauses = {fact.text for fact in facts.facts}
    for error in _EXCHANGED:
        plain = (
            [f for f in facts.of(kind) if " but may not " not in f.text]
            for kind in KINDS
        )
        of_each_kind = [rng.choice(of_kind) for of_kind in plain if of_kind]
        for fact in rng.sample(of_each_kind, len(of_each_kind)):
            twins = (
                text for text in corrupted(fact.text, error, rng) if text not in clauses
            )
            if (twin := next(twins, None)) is not None:
                yield MinimalPair(
                    move, fact.kind, error, sentence(fact.text), sentence(twin)
                )
                break


def corrupted(clause: str, error: ErrorType, rng: random.Random) -> Iterator[str]:
    """Yield a clause with one thing exchanged, in a drawn order.

    No pawn is put on the first or last rank, and no square is named twice.
    """
    places = list(_EXCHANGED[error].finditer(clause))
    for place in rng.sample(places, len(places)):
        word = place.group()
        if error == "wrong_side":
            others = [_OTHER_SIDE[word]]
        elif error == "wrong_piece":
            others = sorted({"pawn", "knight", "bishop", "rook", "queen"} - {word})
        else:
            # those next to it, which a writer takes for it
            near = chess.SquareSet(chess.BB_KING_ATTACKS[chess.parse_square(word)])
            others = sorted(map(chess.square_name, near))
        for other in (
            others if error == "wrong_side" else rng.sample(others, len(others))
        ):
            text = clause[: place.start()] + other + clause[place.end() :]
            squares = _SQUARE.findall(text)
            pawn = re.search(
                r"\bpawns? on (?:[a-h][1-8](?:, | and ))*[a-h][18]\b", text
            )
            if pawn is None and len(set(squares)) == len(squares):
                yield text


def sentence(clause: str) -> str:
    """Return a clause as a sentence: a capital first, a full stop last."""
    return f"{clause[0].upper()}{clause[1:]}."
