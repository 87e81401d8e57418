"""What a chapter shows of the checker's score on the gold set: shares with intervals, mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from chessgloss.claims import Kind, verify
from chessgloss.claims.gold import (
    EQUIVALENT,
    GoldText,
    Judge,
    MinimalPair,
    Score,
    check_text,
    read_gold,
)
from chessgloss.stats import Interval, share
from chessgloss.verified.clauses import sentence_spans
from chessgloss.verified.records import false_of


def precision(score: Score) -> Interval | None:
    """Return the share of accusations that are right; ``None`` without any."""
    return share(score.right, score.accused) if score.accused else None


def recall(score: Score) -> Interval | None:
    """Return the share of false claims that are found; ``None`` without any."""
    return share(score.found, score.wrong) if score.wrong else None


def score_table(scores: Mapping[str, Score]) -> pd.DataFrame:
    """Return precision and recall of ``false`` by kind, with the counts behind them."""
    rows = {
        kind: {
            "precision": precision(one),
            "accusations": one.accused,
            "recall": recall(one),
            "false claims": one.wrong,
        }
        for kind, one in scores.items()
    }
    return pd.DataFrame(rows).T.astype(object).fillna("")


def count_sentences(path: Path) -> int:
    """Return the number of sentences in a gold set."""
    return sum(len(sentence_spans(gold.text)) for gold in read_gold(path))


def mistakes(path: Path, judge: Judge | None = None) -> pd.DataFrame:
    """List where the checker and the labels part: accusations without a label, and misses.

    Returns
    -------
    pandas.DataFrame
        Columns ``id``, ``kind``, ``mistake`` (``false accusation`` or ``missed``), ``words``,
        ``why`` (the checker's evidence; its verdict on these words for a miss).
    """
    rows = [row for gold in read_gold(path) for row in _mistakes(gold, judge)]
    return pd.DataFrame(rows, columns=["id", "kind", "mistake", "words", "why"])


def _mistakes(gold: GoldText, judge: Judge | None) -> Iterator[tuple[str, Kind, str, str, str]]:
    checked = check_text(gold, judge)
    false = false_of(checked)
    labels = [one for one in gold.claims if one.verdict == "false"]
    for said in false:
        if not any(_same(said.claim.kind, said.claim.span, o.kind, o.span) for o in labels):
            yield gold.key, said.claim.kind, "false accusation", said.claim.text, said.evidence
    for label in labels:
        if not any(_same(o.claim.kind, o.claim.span, label.kind, label.span) for o in false):
            words = gold.text[slice(*label.span)]
            over = [o for o in checked if _same(o.claim.kind, o.claim.span, label.kind, label.span)]
            why = f"{over[0].verdict}: {over[0].evidence}" if over else "not read"
            yield gold.key, label.kind, "missed", words, why


def _same(kind: Kind, span: tuple[int, int], other: Kind, over: tuple[int, int]) -> bool:
    alike = kind == other or frozenset({kind, other}) in EQUIVALENT
    return alike and span[0] < over[1] and over[0] < span[1]


def told_apart(pair: MinimalPair) -> bool:
    """Tell whether the checker accuses the corrupted twin of a pair and not the true one."""
    true, false = (false_of(verify(text, pair.move)) for text in (pair.true, pair.false))
    return bool(false) and not true
