"""What a judge that can read is asked: its own test, GCC-Eval, the pairwise rubric.

Comments of five kinds on the sixty moves that were released with the CCC paper are judged, and
comments with one word broken, under another move, or with praise. Everything is known beforehand:
what was decided before the first answer stands in ``data/commentary/judge/frozen.json``.

Every question shows one comment, or in the rubric one pair. ``set``, ``asked`` and ``part`` in what
a question is about say which questions may lie in one file: comments on one move have different
parts, so that whoever answers a file sees no move twice, and no comment beside its broken twin.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, TypeAlias

import pandas as pd

from chessgloss.assets import AssetMissing, locate
from chessgloss.commentary import voice
from chessgloss.commentary.briefing import Comment
from chessgloss.commentary.moves import released_comments
from chessgloss.commentary.notes import write_notes
from chessgloss.judges.gcc import (
    DIMENSIONS,
    WITH_REFERENCE,
    WITHOUT_HINT,
    Form,
    ask_each,
    with_requests,
)
from chessgloss.judges.pairwise import ask_pair, contexts_of
from chessgloss.llm.client import Client, replay
from chessgloss.llm.recordings import Model, Request
from chessgloss.positions import text_digest

#: Under which purpose the answers are recorded.
PURPOSE: Final = "strong_judge"

#: Under which those to single comments are that a judge with log-probabilities gives: a token each,
#: of which Equation 1 makes the score.
TOKENS_PURPOSE: Final = "gcc_eval"

#: The sets in which two comments are compared.
PAIRED: Final = ("rubric", "truer")

#: What is judged, with what tables call it: three arms of the experiment, the notes by program, and
#: people's comments, which are there where a clone of the released repository is.
KINDS: Final = {
    "bare": "position and move",
    "ccc": "CCC",
    "lines_checked": "checked lines",
    "notes": "the program's notes",
    "reference": "people",
}
PEOPLE: Final = "reference"

#: Draws moves, pairs and orders.
SEED: Final = 6

#: Pairs of a comment and its copy with one word broken, and the share of them that the judge has to
#: win before its scores of the five kinds are shown; a tie is half a win.
PAIRS: Final = 150
BAR: Final = 0.90

#: Moves on which comments are judged without the engine's hint, and under another move.
FEW_MOVES: Final = 30

#: Comments that are judged with praise and with padding, and questions that are asked twice.
CHANGED_MOVES: Final = 20
CHANGES: Final = {
    "praise before": "A brilliant, deeply instructive move! {text}",
    "padded": (
        "{text} In chess, every move matters, and a good player always keeps the whole board in "
        "mind. Time will tell how the game goes on from here."
    ),
}
AGAIN: Final = 60

#: Moves on which the rubric compares two comments, and which two kinds; pairs of a comment and its
#: broken copy that it compares.
COMPARED: Final = 40
COMPARISONS: Final = (("bare", "ccc"), ("ccc", "lines_checked"), ("ccc", "notes"))
TWINS: Final = {"true": "as written", "broken": "one word broken"}

#: Comments by arm and by the name of the move.
Written: TypeAlias = Mapping[str, Mapping[str, Comment]]

#: What is measured, by the name of the set.
OUTCOMES: Final = {
    "pairs": "share of pairs whose unbroken comment gets the higher score of relevance, a tie one "
    "half; below the bar the five kinds are not compared",
    "table5": "mean score of each kind in four dimensions, paired differences over moves; "
    "correlations of the dimensions",
    "reference": "relevance with a person's comment in view less without, by kind",
    "no_hint": "relevance and completeness with the engine's hint less without, by kind",
    "pairs_no_hint": "the pairs won with the engine's hint less without",
    "foreign": "relevance under another move less under its own",
    "changed": "relevance with praise or padding less without",
    "again": "mean difference of two answers to one question, and their correlation",
    "rubric": "points of each kind by the totals (a tie one half), both orders; share of pairs "
    "with the same winner in both; points of the comment shown first",
    "truer": "points by the totals that a comment gets against its broken copy, both orders",
}

#: What a frame of questions on single comments says of each.
_COLUMNS: Final = ["move", "method", "variant", "text", "asked"]


def question_sets(writer: Client, form: Form = "decimal") -> dict[str, pd.DataFrame]:
    """Return every question on a model's comments, by what it serves.

    Parameters
    ----------
    writer
        Replays the model's comments (purpose ``voice``).
    form
        How scores are asked for: as decimals, or as the token of Equation 1.

    Returns
    -------
    dict of pandas.DataFrame
        Frames with a column ``request``. Of single comments: ``move``, ``method``, ``variant``,
        ``text``, ``asked``. Of the rubric: ``move``, ``first``, ``second``. Sets that need people's
        comments or planted errors have no rows without them.

    Raises
    ------
    chessgloss.llm.client.AnswerMissing
        If a comment of the model is not recorded.
    """
    written = voice.comments(writer)
    texts = judged_texts(written)
    pairs = twins(written, writer.model)
    people = texts[texts["method"] == PEOPLE].set_index("move")["text"].to_dict()
    in_view = texts[texts["move"].isin(people)]
    few = texts[texts["move"].isin(drawn_moves("few", FEW_MOVES))]
    singles = {
        "pairs": ask_each(pairs, ["relevance"]),
        "table5": ask_each(texts, DIMENSIONS),
        "reference": ask_each(in_view, [WITH_REFERENCE]),
        "no_hint": ask_each(few, WITHOUT_HINT),
        "pairs_no_hint": ask_each(pairs, WITHOUT_HINT[:1]),
        "foreign": ask_each(foreign(texts), ["relevance"]),
        "changed": ask_each(changed(texts), ["relevance"]),
    }
    moves = voice.voice_moves()
    asked = {
        name: with_requests(frame, moves, screened=False, form=form, references=people)
        for name, frame in singles.items()
    }
    asked["again"] = again(asked["table5"])
    asked["rubric"] = compared(texts)
    asked["truer"] = compared_twins(pairs)
    return {name: _parted(name, frame) for name, frame in asked.items()}


def questions(writer: Client) -> list[Request]:
    """Return every question on a model's comments, set by set."""
    sets = question_sets(writer).values()
    return [request for frame in sets for request in frame["request"]]


def token_questions(writer: Client) -> list[Request]:
    """Return the questions on single comments for a judge that gives log-probabilities."""
    sets = question_sets(writer, "token")
    singles = (frame for name, frame in sets.items() if name not in PAIRED)
    return [request for frame in singles for request in frame["request"]]


def judge_of(name: str) -> tuple[Client, Form]:
    """Return who judges single comments, and how scores were asked for.

    By tokens and their probabilities where such answers of the judge are recorded.
    """
    by_token = replay(TOKENS_PURPOSE, name)
    if len(by_token.recordings):
        return by_token, "token"
    return replay(PURPOSE, name), "decimal"


# ---------------------------------------------------------------- comments


def judged_texts(written: Written) -> pd.DataFrame:
    """Return the comments of the five kinds on the released moves.

    Parameters
    ----------
    written
        The comments of every arm, by arm and by the name of the move.

    Returns
    -------
    pandas.DataFrame
        Columns ``move``, ``method``, ``variant`` (empty) and ``text``, kind by kind; people's
        comments are missing where their source is.
    """
    by_kind = _of_kinds(written)
    rows = [
        (name, kind, "", by_kind[kind][name])
        for kind in KINDS
        for name in released_names()
        if by_kind.get(kind, {}).get(name)
    ]
    return pd.DataFrame(rows, columns=_COLUMNS[:-1])


def _of_kinds(written: Written) -> dict[str, dict[str, str]]:
    """Return comments by kind and by the name of the move."""
    moves = voice.voice_moves()
    found = {
        arm: {name: each.text for name, each in of_arm.items()}
        for arm, of_arm in written.items()
        if arm in KINDS
    }
    found["notes"] = {name: write_notes(moves[name]).text for name in released_names()}
    with suppress(AssetMissing):
        found[PEOPLE] = released_comments(locate("ccc", fetch=False))
    return found


def released_names() -> list[str]:
    """Return the names of the sixty released moves."""
    return sorted(name for name in voice.voice_moves() if name.startswith("released/"))


def drawn_moves(what: str, count: int) -> list[str]:
    """Return so many of the released moves, drawn for one use."""
    return random.Random(f"{SEED} {what}").sample(released_names(), count)


# ---------------------------------------------------------------- tests of the judge


def twins(written: Written, model: Model) -> pd.DataFrame:
    """Return pairs of a comment and its copy with one word broken, drawn from the planted errors.

    :data:`PAIRS` of them; from every move one pair is drawn before a second is.

    Parameters
    ----------
    written
        The comments of every arm, by arm and by the name of the move.
    model
        Who wrote them, and in whose comments errors were planted.

    Returns
    -------
    pandas.DataFrame
        Two rows a pair: ``pair`` (its number), ``error`` (what was exchanged), ``move``,
        ``method``, ``variant`` (one of :data:`TWINS`), ``text``. Without rows where no errors were
        planted.
    """
    planted = list[dict[str, str]]()
    if voice.is_made("plants.jsonl", model):
        planted = voice.read_plants(model)
    random.Random(f"{SEED} pairs").shuffle(planted)
    seen = pd.Series([each["move"] for each in planted], dtype=object)
    turns = seen.groupby(seen).cumcount()
    drawn = turns.sort_values(kind="stable").index[:PAIRS]
    rows = [
        (number, each["error"], each["move"], each["arm"], variant, text)
        for number, each in enumerate(planted[place] for place in drawn)
        for variant, text in zip(
            TWINS,
            (written[each["arm"]][each["move"]].text, each["text"]),
            strict=True,
        )
    ]
    return pd.DataFrame(rows, columns=["pair", "error", *_COLUMNS[:-1]])


def foreign(texts: pd.DataFrame) -> pd.DataFrame:
    """Return comments under another move than the one they were written on (``written_on``)."""
    names = drawn_moves("foreign", FEW_MOVES)
    shown = names[FEW_MOVES // 2 :] + names[: FEW_MOVES // 2]
    own = _in_turn(texts, names).assign(variant="foreign")
    return own.assign(written_on=own["move"], move=shown)


def changed(texts: pd.DataFrame) -> pd.DataFrame:
    """Return comments with praise and with padding (:data:`CHANGES`)."""
    own = _in_turn(texts, drawn_moves("changed", CHANGED_MOVES))
    parts = [
        own.assign(
            variant=name,
            text=[CHANGES[name].format(text=each) for each in own["text"]],
        )
        for name in CHANGES
    ]
    return pd.concat(parts, ignore_index=True)


def _in_turn(texts: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return one comment on each move, kind after kind; no person's, so that all have the same."""
    kinds = [kind for kind in KINDS if kind != PEOPLE]
    wanted = [(name, kinds[place % len(kinds)]) for place, name in enumerate(names)]
    by_name = texts.set_index(["move", "method"])
    return by_name.loc[wanted].reset_index()[_COLUMNS[:-1]]


def again(asked: pd.DataFrame) -> pd.DataFrame:
    """Return some questions of Table 5, one on each move, to be asked a second time."""
    kinds = [kind for kind in KINDS if kind != PEOPLE]
    names = drawn_moves("again", AGAIN)
    wanted = [
        (name, kinds[place % len(kinds)], DIMENSIONS[place // len(kinds) % 4])
        for place, name in enumerate(names)
    ]
    chosen = asked.set_index(["move", "method", "asked"]).loc[wanted].reset_index()
    repeated = [replace(each, repeat=1) for each in chosen["request"]]
    return chosen.assign(request=repeated)


# ---------------------------------------------------------------- the rubric


def compared(texts: pd.DataFrame) -> pd.DataFrame:
    """Return the rubric's questions on two kinds of comment on a move, in both orders."""
    names = drawn_moves("rubric", COMPARED)
    of = texts.set_index(["move", "method"])["text"]
    rows = [
        (name, *order, "", of[name, order[0]], of[name, order[1]])
        for name in names
        for pair in COMPARISONS
        for order in (pair, pair[::-1])
    ]
    return _in_pairs(rows)


def compared_twins(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the rubric's questions on a comment and its broken copy, in both orders."""
    by_pair = pairs.pivot(
        index=["pair", "move", "method"], columns="variant", values="text"
    )
    rows = [
        (each.move, *order, each.method, *(getattr(each, side) for side in order))
        for each in by_pair.reset_index()[:COMPARED].itertuples()
        for order in (tuple(TWINS), tuple(TWINS)[::-1])
    ]
    return _in_pairs(rows)


def _in_pairs(rows: Iterable[Sequence[str]]) -> pd.DataFrame:
    """Return questions on move, first, second, who wrote both (if one did), and both texts."""
    frame = pd.DataFrame(
        rows, columns=["move", "first", "second", "method", "text_a", "text_b"]
    )
    moves = voice.voice_moves()
    contexts = contexts_of(moves[name] for name in frame["move"].unique())
    requests = [
        ask_pair(
            contexts[each.move],
            (each.text_a, each.text_b),
            {"of": each.move, "first": each.first, "second": each.second},
        )
        for each in frame.itertuples()
    ]
    return frame.assign(asked="rubric", request=requests)


# ---------------------------------------------------------------- files


def _parted(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return questions that say their set and part: questions on one move have different parts."""
    lots = [text_digest(f"{SEED} {each.messages}") for each in frame["request"]]
    part = frame.assign(lot=lots).groupby(["asked", "move"])["lot"].rank()
    requests = [
        replace(each, about={**each.about, "set": name, "asked": asked, "part": number})
        for each, asked, number in zip(
            frame["request"], frame["asked"], part.astype(int), strict=True
        )
    ]
    return frame.assign(request=requests)
