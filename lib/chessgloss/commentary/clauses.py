"""Comments cut into clauses that can be left out, and joined again.

::

    parts = cut("The queen attacks d6, and White stays ahead.")
    join(parts, without(parts, {0, 1}, {1}))[0]  # The queen attacks d6.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from chessgloss.claims.lexicon import tokenise
from chessgloss.claims.parser import Element, chunk, sentences
from chessgloss.commentary.briefing import PHRASES

_PATTERNS: Final = {
    name: re.compile(each) for name, each in PHRASES["clause_patterns"].items()
}
#: Tags of the claim reader's words that are verbs (see :mod:`chessgloss.claims.lexicon`).
_VERBS: Final = frozenset("adVxrWcmkieDgpOs^bvh")
_SUBJECT: Final = frozenset("NCTSMzJPL")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a comment.

    Parameters
    ----------
    text
        Its words, without joint and stop.
    joint
        What joins it to the part before, or blanks at the start of a sentence.
    sentence
        Number of its sentence, from 0.
    stop
        The stop of its sentence.
    leans
        It has no subject of its own.
    announces
        It is a head before a colon.
    """

    text: str
    joint: str
    sentence: int
    stop: str
    leans: bool = False
    announces: bool = False

    @property
    def relative(self) -> bool:
        """Whether it follows from what stands right before it: *which*, or a participle."""
        return _is_relative(self.text, self.joint)


def cut(text: str) -> tuple[Part, ...]:
    """Return the clauses of a comment, each of which can be left out, in order.

    A sentence is cut where a coordinate clause, a participle or a relative clause begins. A
    part that has no subject of its own leans on the part before it and goes with it; so does
    a part whose pronoun would lose what it stands for.
    """
    parts = list[Part]()
    for number, span in enumerate(sentence_spans(text)):
        body = text[slice(*span)].strip()
        bare = body.rstrip(".!?…\"' ")
        stop = re.sub(r"[\"' ]", "", body[len(bare) :]) or "."
        begin = 0
        joint = ""
        leans = False
        for match in _cuts(bare):
            colon = match["colon"] is not None
            parts.append(
                Part(bare[begin : match.start()], joint, number, stop, leans, colon)
            )
            begin = match.end()
            joint = match.group()
            after = bare[begin:]  # it leans if it has no subject of its own
            leans = _is_relative(after, joint) or _begins_with_verb(_words(after))
        if bare[begin:].strip():
            parts.append(Part(bare[begin:], joint, number, stop, leans))
    return tuple(parts)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of each sentence; the claim reader decides what a full stop is."""
    starts = [
        sentence.start for sentence in sentences(text, chunk(text, tokenise(text)))
    ] or [0]
    return list(zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True))


def join(
    parts: Sequence[Part],
    kept: Set[int],
) -> tuple[str, dict[int, tuple[int, int]]]:
    """Return the text of some parts, and where each of them stands in it.

    A sentence whose first part is gone begins with the first that is kept; a joint is the
    kept part's own, but a colon or semicolon between two kept parts stays.
    """
    text = ""
    spans = {}
    last = -1
    for index in sorted(kept):
        part = parts[index]
        words = part.text
        if last >= 0 and parts[last].sentence == part.sentence:
            joints = [each.joint for each in parts[last + 1 : index + 1]]
            text += next(
                (joint for joint in joints if joint.startswith((":", ";"))), joints[-1]
            )
        else:
            text += f"{parts[last].stop} " if last >= 0 else ""
            if not re.match(
                r"[a-h](?:[1-8x]|-)", words
            ):  # a square or a move stays small
                words = words[:1].upper() + words[1:]
        spans[index] = (len(text), len(text) + len(words))
        text += words
        last = index
    return (text + parts[last].stop if kept else ""), spans


def without(
    parts: Sequence[Part],
    kept: Set[int],
    gone: Set[int],
) -> frozenset[int]:
    """Return what is kept once some parts are gone, and what cannot stand without them."""
    left = set(kept) - set(gone)
    for index in sorted(left):
        if _falls(parts, left, index):
            left.discard(index)
    return frozenset(index for index in left if not _is_idle(parts, left, index))


def _falls(
    parts: Sequence[Part],
    left: Set[int],
    index: int,
) -> bool:
    """Tell whether a part has lost its subject, or what its pronoun stands for."""
    part = parts[index]
    head = index
    while head > 0 and parts[head].leans and parts[head - 1].sentence == part.sentence:
        head -= 1
    if part.leans and head != index and (head not in left or parts[head].leans):
        return True
    if _PATTERNS["pair"].search(part.text) and not part.announces:
        return any(
            k not in left
            for k in range(index)
            if parts[k].sentence >= part.sentence - 1
        )
    return (
        index > 0
        and index - 1 not in left
        and bool(_PATTERNS["leaning"].search(part.text))
    )


def _is_idle(
    parts: Sequence[Part],
    left: Set[int],
    index: int,
) -> bool:
    """Tell whether a head announces what is gone, or two things of which one is gone."""
    part = parts[index]
    announced = [
        k for k in range(index + 1, len(parts)) if parts[k].sentence == part.sentence
    ]
    there = sum(k in left for k in announced)
    pair = _PATTERNS["pair"].search(part.text) is not None
    idle = there == 0 or (pair and there < min(2, len(announced)))
    return part.announces and idle and not _PATTERNS["judgement"].search(part.text)


def _cuts(sentence: str) -> Iterator[re.Match[str]]:
    """Yield the places where a sentence may be cut cleanly."""
    begin = 0
    for match in _PATTERNS["joint"].finditer(sentence):
        before = sentence[begin : match.start()]
        after = sentence[match.end() :]
        joint = match[0]
        whole = _PATTERNS["paired"].search(before) and joint[0] not in ";:"
        sharp = re.match(r"[:;]|\s[-–—]", joint)
        if not whole and (sharp or (_says(before) and _begins_clause(after, joint))):
            yield match
            begin = match.end()


def _words(text: str) -> list[Element]:
    return [element for element in chunk(text, tokenise(text)) if element.tag != "~"]


def _is_finite(element: Element) -> bool:
    word = element.word.split()[0]
    pattern = _PATTERNS["denial" if element.tag == "n" else "finite"]
    verb = element.tag in _VERBS or pattern.fullmatch(word) is not None
    return verb and not word.endswith("ing")


def _says(text: str) -> bool:
    """Tell whether a text has a finite verb, or is a participle with what belongs to it."""
    return bool(re.match(r"\w+ing\b", text)) or any(map(_is_finite, _words(text)))


def _begins_with_verb(words: Sequence[Element]) -> bool:
    return bool(words) and _is_finite(words[0]) and words[0].tag not in _SUBJECT


def _is_relative(
    text: str,
    joint: str,
) -> bool:
    return bool(re.search(r"\b(?:which|who)\b", joint) or re.match(r"\w+ing\b", text))


def _begins_clause(
    after: str,
    joint: str,
) -> bool:
    """Tell whether a clause begins here: with a verb, or with a subject and its verb."""
    if re.match(r",\s+$", joint):
        return True
    if re.match(r"(?i)(?:then\s+)?(?:after|if)\s+(?:\d|white|black)", after):
        return True
    words = _words(re.split(r"[;:]", after)[0])[:7]
    if not words or _begins_with_verb(words):
        return bool(words)
    # does a verb come before a stop or another joint?
    verbs = (
        word.tag not in ".,;&"
        for word in words[1:]
        if word.tag in ".,;&" or _is_finite(word)
    )
    return next(verbs, False) and words[0].tag in _SUBJECT
