"""Sentences, and how a claim in one is put: denied, supposed, asked, and of which moment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chessgloss.claims.phrases import Element
from chessgloss.claims.records import Stance, Tense

_ONLY_AFTER = re.compile(
    r"\b(?:now|still|keeps?|keeping|after (?:this|the) move|is left|are left|leaves|leaving"
    r"|has just|have just|remains?|continues?|cannot|can't|may not)\b"
)
_LATER = re.compile(
    r"\b(?:will|then|next|expected?|repl(?:y|ies)|answers?|follow\w*|later|soon|threat\w*"
    r"|must|has to|have to|need\w*|forced|eventually|going to|plans?|wants?|aims?|responds?)\b"
)
_ONLY_BEFORE = re.compile(r"\b(?:before (?:this|the) move|until now|previously|used to)\b")
_UNREAL = re.compile(
    r"\b(?:would|if|unless|were to|suppose|imagine|perhaps|maybe|potentially|possibly|might"
    r"|could have|should have|should|next move|last move|previous\w*|following move|usually"
    r"|often|generally"
    r"|in general|typical\w*|whenever|example|alternative|ways? to|indirectly)\b|^had\b|\bhad"
    r" (?:the|white|black|he|she|they|it)\b"
)
_ABLE = re.compile(
    r"\b(?:can|could|may|might|able to|will|shall|going to|cannot|can't|unable to)\b"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """The elements of one sentence, adverbs left out, and their tags as one string.

    Parameters
    ----------
    elements
        Its elements in order.
    tags
        One letter for each.
    words
        The sentence as written, in lower case.
    start
        Where it starts in the text.
    asked
        It ends in a question mark.
    """

    elements: tuple[Element, ...]
    tags: str
    words: str
    start: int
    asked: bool

    def stance(self, first: int, last: int, *, alone: bool = False) -> Stance:
        """Return how a claim made by the elements ``first`` to ``last`` is put.

        With ``alone``, words before them do not count (``misses Qe3 mate``).
        """
        scope = first if alone else self.clause_start(first)
        elements = self.elements[scope:last]
        words = " ".join(element.word for element in elements)
        plans = any(one.tag == "h" and not _ABLE.fullmatch(one.word) for one in elements)
        return Stance(
            negated="n" in self.tags[scope:last] or any(e.word == "no" for e in elements),
            supposed=plans or (not alone and self._unreal(first, last)),
            able=bool(_ABLE.search(words)),
            asked=self.asked,
        )

    def clause_start(self, index: int) -> int:
        """Return the first element of the clause that an element stands in."""
        while index > 0 and self.tags[index - 1] not in ";,":
            index -= 1
        return index

    def _unreal(self, first: int, last: int) -> bool:
        stop = self.elements[min(last, len(self.elements)) - 1].span[1] - self.start
        start = self.elements[self.clause_start(first)].span[0] - self.start
        supposed = _UNREAL.search(self.words, start, stop) is not None
        return supposed or re.search(r"\bif\b", self.words) is not None

    def tense(self, first: int, last: int) -> Tense:
        """Return the moment that the words of a claim allow."""
        clause = self.clause_start(first)
        scope = self.elements[clause - 1].span[1] - self.start if clause else 0
        stop = self.elements[last - 1].span[1] - self.start
        if _ONLY_BEFORE.search(self.words, scope, stop):
            return "before"
        later = _ONLY_AFTER.search(self.words, scope, stop + 5) is not None
        if later or self._follows_a_move(first):
            return "after"
        return "later" if _LATER.search(self.words) else "any"

    def _follows_a_move(self, first: int) -> bool:
        """Tell whether the clause hangs on a move: ``after Nf3``, ``with the knight on f3``."""
        return re.match(r"[_&]?(?:@z?[MT]|w[NM])", self.tags) is not None and first > 1


def sentences(text: str, elements: Sequence[Element]) -> tuple[Sentence, ...]:
    """Cut elements at full stops and question marks."""
    found: list[Sentence] = []
    current: list[Element] = []
    begin = 0
    for element in elements:
        if element.tag in ".?":
            found += _sentence(text, current, begin, element)
            current, begin = [], element.span[1]
        elif element.tag != "~":
            current.append(element)
    return (*found, *_sentence(text, current, begin, None))


def _sentence(
    text: str, elements: list[Element], begin: int, stop: Element | None
) -> tuple[Sentence, ...]:
    if not elements:
        return ()
    end = stop.span[0] if stop else len(text)
    begin += len(text[begin:end]) - len(text[begin:end].lstrip())
    tags = "".join(element.tag for element in elements)
    words = text[begin:end].lower().replace("’", "'")
    asked = stop is not None and "?" in stop.word
    return (Sentence(tuple(elements), tags, words, begin, asked),)
