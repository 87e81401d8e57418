"""A comment cut into clauses that can be left out, and put together again without some.

A sentence is cut where a coordinate clause, a participle or a relative clause begins. A part
that has no subject of its own leans on the part before it and goes with it; so does a part
whose pronoun would lose what it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from chessgloss.claims.lexicon import tokenise
from chessgloss.claims.parser import Element, chunk, sentences

#: Where a sentence may be cut, the joint being what stands between the parts.
_JOINT: Final = re.compile(
    r"(?P<colon>:)\s+|;\s+(?:but |and |so )?|\s[-–—]\s"
    r"|,?\s+(?:and|but|while|whereas|so|although|though|because|yet)\s+"
    r"|,\s+(?:which|who)\s+(?=\w)|,\s+(?=\w+ing\b)"
)
#: Words that join more than one cut would leave whole.
_PAIRED: Final = re.compile(r"\b(?:not only|neither|either|both (?=\w+s\b))", re.IGNORECASE)
#: Tags of the claim reader's words that are verbs (see :mod:`chessgloss.claims.lexicon`).
_VERBS: Final = frozenset("adVxrWcmkieDgpOs^bvh")
#: Verbs and auxiliaries beside those, as comments use them.
_FINITE: Final = re.compile(
    r"(?:adds?|gives?|makes?|stands?|leaves?|keeps?|opens?|wins?|loses?|stays?|works?|helps?"
    r"|needs?|lets?|allows?|creates?|gains?|improves?|weakens?|strengthens?|prepares?|blocks?"
    r"|stops?|prevents?|forces?|frees?|connects?|exposes?|restricts?|can|could|will|would|must"
    r"|may|might|should|follows?|matters?|begins?|ends?|offers?|joins?|increases?|prevails?"
    r"|seems?|helped|gave|made|left|kept|opened|lost|stood|added)"
)
#: Words that stand for what the part before has named.
_LEANING: Final = re.compile(
    r"\b(?:both|them|these|those|they|their|either|neither|also|too|latter|former|such|again"
    r"|its|another)\b|\bthis(?! (?:is|was|move|makes))\b|\bit\b(?! (?:is|was) an? )",
    re.IGNORECASE,
)
#: Words that stand for two things named before, or promise two to come.
_PAIR: Final = re.compile(r"\b(?:both|double|twofold|either|neither|these two)\b", re.IGNORECASE)
#: Heads before a colon that say something by themselves.
_JUDGES: Final = re.compile(r"\b(?:blunder|mistake|inaccuracy|error|move|mate|checkmate)\b")
#: Denials that hold a verb.
_DENIES: Final = re.compile(r"cannot|.*n't|stops|prevents|avoids|lacks|misses|loses|declines|fails")
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
    def refers_back(self) -> bool:
        """Whether a word in it stands for what the part before has named."""
        return bool(_LEANING.search(self.text))


def cut(text: str) -> tuple[Part, ...]:
    """Return the parts of a comment in order."""
    return tuple(
        part
        for number, (start, stop) in enumerate(sentence_spans(text))
        for part in _parts(text[start:stop], number)
    )


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of each sentence; the claim reader decides what a full stop is."""
    starts = [one.start for one in sentences(text, chunk(text, tokenise(text)))] or [0]
    edges = [0, *starts[1:], len(text)]
    return [(edges[k], edges[k + 1]) for k in range(len(starts))]


def join(parts: Sequence[Part], kept: Set[int]) -> tuple[str, dict[int, tuple[int, int]]]:
    """Return the text of some parts, and where each of them stands in it.

    A sentence whose first part is gone begins with the first that is kept; a joint is the
    kept part's own, but a colon or semicolon between two kept parts stays.
    """
    text, spans, last = "", {}, None
    for index in sorted(kept):
        part = parts[index]
        fresh = last is None or parts[last].sentence != part.sentence
        if fresh:
            text += (parts[last].stop + " ") if last is not None else ""
        else:
            text += _joint(parts[last + 1 : index + 1]) if last is not None else ""
        spans[index] = (len(text), len(text) + len(part.text))
        text += _capital(part.text) if fresh else part.text
        last = index
    return (text + parts[last].stop if last is not None else ""), spans


def without(parts: Sequence[Part], kept: Set[int], gone: Set[int]) -> frozenset[int]:
    """Return what is kept once some parts are gone, and what cannot stand without them."""
    left = set(kept) - set(gone)
    for index in sorted(left):
        if _falls(parts, left, index):
            left.discard(index)
    return frozenset(_without_idle_heads(parts, left))


def _falls(parts: Sequence[Part], left: Set[int], index: int) -> bool:
    part = parts[index]
    if part.leans and not _has_head(parts, left, index):
        return True
    if _PAIR.search(part.text) and not part.announces:
        near = [k for k in range(index) if parts[k].sentence >= part.sentence - 1]
        return any(k not in left for k in near)
    return index > 0 and index - 1 not in left and part.refers_back


def _has_head(parts: Sequence[Part], left: Set[int], index: int) -> bool:
    """Tell whether the part that a leaning one takes its subject from is still there."""
    head = index
    while head > 0 and parts[head].leans and parts[head - 1].sentence == parts[index].sentence:
        head -= 1
    return head == index or (head in left and (not parts[head].leans))


def _without_idle_heads(parts: Sequence[Part], left: Set[int]) -> Iterator[int]:
    """Leave out heads that announce what is gone, or two things of which one is gone."""
    for index in sorted(left):
        part = parts[index]
        told = [k for k in range(index + 1, len(parts)) if parts[k].sentence == part.sentence]
        there = sum(k in left for k in told)
        idle = there == 0 or (there < min(2, len(told)) and bool(_PAIR.search(part.text)))
        if not (part.announces and idle) or _JUDGES.search(part.text):
            yield index


def _parts(sentence: str, number: int) -> Iterator[Part]:
    body = sentence.strip()
    bare = body.rstrip(".!?…\"' ")
    stop = re.sub(r"[\"' ]", "", body[len(bare) :]) or "."
    begin, joint, leans = 0, "", False
    for found in _cuts(bare):
        text = bare[begin : found.start()]
        yield Part(text, joint, number, stop, leans, found["colon"] is not None)
        begin, joint = found.end(), found.group()
        leans = _leans(bare[begin:], joint)
    if bare[begin:].strip():
        yield Part(bare[begin:], joint, number, stop, leans)


def _cuts(sentence: str) -> Iterator[re.Match[str]]:
    """Yield the places where a sentence may be cut cleanly."""
    begin = 0
    for found in _JOINT.finditer(sentence):
        before, after = sentence[begin : found.start()], sentence[found.end() :]
        if _PAIRED.search(before) and not re.match(r"[;:]", found.group()):
            continue
        sharp = re.match(r"[:;]|\s[-–—]", found.group()) is not None
        if sharp or (_says(before) and _begins_clause(after, found.group())):
            yield found
            begin = found.end()


def _elements(text: str) -> tuple[Element, ...]:
    return chunk(text, tokenise(text))


def _is_finite(element: Element) -> bool:
    word = element.word.split()[0]
    if word.endswith("ing"):
        return False
    if element.tag == "n":
        return _DENIES.fullmatch(word) is not None
    return element.tag in _VERBS or _FINITE.fullmatch(word) is not None


def _says(text: str) -> bool:
    """Tell whether a text has a finite verb, or is a participle with what belongs to it."""
    return bool(re.match(r"\w+ing\b", text)) or any(map(_is_finite, _elements(text)))


def _leans(after: str, joint: str) -> bool:
    """Tell whether a part has no subject of its own: it begins with a verb, or ``which``."""
    if "which" in joint or "who" in joint or re.match(r"\w+ing\b", after):
        return True
    words = [one for one in _elements(after) if one.tag != "~"]
    return bool(words) and _is_finite(words[0]) and words[0].tag not in _SUBJECT


def _begins_clause(after: str, joint: str) -> bool:
    """Tell whether a clause begins here: with a verb, or with a subject and its verb."""
    if re.match(r",\s+$", joint):
        return True
    words = [one for one in _elements(re.split(r"[;:]", after)[0]) if one.tag != "~"][:7]
    if not words:
        return False
    if _is_finite(words[0]) and words[0].tag not in _SUBJECT:
        return True
    return words[0].tag in _SUBJECT and _verb_comes(words[1:])


def _verb_comes(words: Sequence[Element]) -> bool:
    """Tell whether a verb comes before a stop or another joint."""
    for one in words:
        if one.tag in ".,;&":
            return False
        if _is_finite(one):
            return True
    return False


def _joint(skipped: Sequence[Part]) -> str:
    """Return the joint of the last part, or the colon or semicolon before one left out."""
    sharp = next((part.joint for part in skipped if part.joint.startswith((":", ";"))), None)
    return sharp or skipped[-1].joint


def _capital(text: str) -> str:
    """Return a text with a capital first, unless it begins with a square or a move."""
    return text if re.match(r"[a-h](?:[1-8x]|-)", text) else text[:1].upper() + text[1:]
