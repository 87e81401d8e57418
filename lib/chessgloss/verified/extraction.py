"""A language model as a reader of claims, scored beside the rules on the gold set.

The model lists the claims of a comment, a line each: kind, bar, the words. A line counts
only if its kind is known and its words stand in the comment. What the words say is then
left to the rules: a model finds, it does not judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from chessgloss.claims import Kind, extract, verify
from chessgloss.claims.gold import EQUIVALENT, GoldText, Score, read_gold
from chessgloss.commentary.prompts import load_prompt, quoted
from chessgloss.llm import Answer, Request, Sampling, State
from chessgloss.store import find_project

#: Comments of the development half that the model is asked about.
COMMENTS: Final = 60

#: Longest list of claims.
LIST_TOKENS: Final = 220

#: What becomes of a line: it names a claim, its words are not in the comment, or it is no
#: such line.
Reading = Literal["claim", "not in the comment", "unread"]

_LINE: Final = re.compile(r"[-*\s]*(?P<kind>[a-z]+)\s*\|\s*(?P<words>\S.*?)\s*$", re.IGNORECASE)
_QUOTES: Final = "\"'“”‘’ "


@dataclass(frozen=True, slots=True)
class Span:
    """Words of a comment that are said to be a claim.

    Parameters
    ----------
    kind
        Its kind.
    start, stop
        Where the words stand.
    """

    kind: Kind
    start: int
    stop: int

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind) or not 0 <= self.start < self.stop:
            raise ValueError(f"a claim has a known kind and words, got {self}")

    def same(self, other: Span) -> bool:
        """Tell whether two speak of the same words and of kinds that can be taken for one."""
        kinds = frozenset({self.kind, other.kind})
        overlap = self.start < other.stop and other.start < self.stop
        return overlap and (len(kinds) == 1 or kinds in EQUIVALENT)


@dataclass(frozen=True, slots=True)
class Listed:
    """What a model listed for one comment.

    Parameters
    ----------
    spans
        The claims, in the order listed.
    lines
        What became of each line.
    """

    spans: tuple[Span, ...]
    lines: tuple[Reading, ...]


def development_half() -> Path:
    """Return where the gold set's half to build on is kept."""
    return find_project() / "data" / "claims" / "dev.jsonl"


def asked_texts(path: Path | None = None, count: int = COMMENTS) -> list[GoldText]:
    """Return the labelled comments that are asked about, spread evenly over the file."""
    texts = list(read_gold(path or development_half()))
    step = max(1, len(texts) // count)
    return texts[::step][:count]


def extraction_requests(texts: Iterable[GoldText] | None = None) -> list[Request]:
    """Return the questions: one for each of :func:`asked_texts` unless texts are given."""
    return [ask_claims(one) for one in (asked_texts() if texts is None else texts)]


def ask_claims(gold: GoldText) -> Request:
    """Return the question for the claims of a labelled comment."""
    prompt = load_prompt("extract_claims")
    return Request(
        prompt.fill(comment=quoted(gold.text)),
        Sampling(temperature=0.0, max_tokens=LIST_TOKENS, seed=1),
        prompt=prompt.label,
        about={"of": gold.key},
    )


def read_claims(answer: Answer, text: str) -> Listed:
    """Read the list of claims of a comment, strictly.

    An answer that was cut off is read up to its last whole line. Words that stand in the
    comment more than once are taken where they were not taken yet.
    """
    lines = answer.text.splitlines()
    if answer.state == State.CUT_OFF:
        lines = lines[:-1]
    elif answer.state != State.ANSWERED:
        lines = []
    spans: list[Span] = []
    read: list[Reading] = []
    for line in (one for one in lines if one.strip() and one.strip().lower() != "none"):
        found = _read_line(line, text, spans)
        read.append("claim" if isinstance(found, Span) else found)
        if isinstance(found, Span):
            spans.append(found)
    return Listed(tuple(spans), tuple(read))


def _read_line(line: str, text: str, taken: Sequence[Span]) -> Span | Reading:
    match = _LINE.fullmatch(line)
    kind = next((one for one in get_args(Kind) if match and one == match["kind"].lower()), None)
    if match is None or kind is None:
        return "unread"
    words = match["words"].strip(_QUOTES)
    places = [one.span() for one in re.finditer(re.escape(words), text)] if words else []
    free = [one for one in places if not any((s.start, s.stop) == one for s in taken)]
    return Span(kind, *free[0]) if free else "not in the comment"


def spans_of_rules(text: str) -> tuple[Span, ...]:
    """Return the claims of a comment as the rules find them."""
    return tuple(Span(one.kind, *one.span) for one in extract(text))


def spans_of_gold(gold: GoldText) -> tuple[Span, ...]:
    """Return the claims of a labelled comment."""
    return tuple(Span(one.kind, *one.span) for one in gold.claims)


def score_spans(said: Sequence[Sequence[Span]], gold: Sequence[GoldText]) -> Score:
    """Score claims said to be in texts against the labels.

    Returns
    -------
    Score
        ``accused`` counts the claims said, ``right`` those that a label agrees with, ``wrong``
        the labels, ``found`` those that something said agrees with.
    """
    pairs = [(one, spans_of_gold(text)) for one, text in zip(said, gold, strict=True)]
    return Score(
        sum(len(spans) for spans, _ in pairs),
        sum(_agreeing(spans, labels) for spans, labels in pairs),
        sum(len(labels) for _, labels in pairs),
        sum(_agreeing(labels, spans) for spans, labels in pairs),
    )


def _agreeing(spans: Sequence[Span], others: Sequence[Span]) -> int:
    return sum(any(one.same(other) for other in others) for one in spans)


def missed(spans: Iterable[Span], rules: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans that no claim of the rules agrees with."""
    return tuple(one for one in spans if not any(one.same(other) for other in rules))


def readable(gold: GoldText, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the spans whose words alone the rules can read and judge."""
    return tuple(one for one in spans if _is_judged(gold, one))


def _is_judged(gold: GoldText, span: Span) -> bool:
    checked = verify(gold.text[span.start : span.stop], gold.move)
    return any(one.verdict != "not checkable" for one in checked)
