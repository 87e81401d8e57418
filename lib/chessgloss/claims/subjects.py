"""Who acts, and on what: subjects of verbs, and what pronouns and participles may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from chessgloss.claims.clauses import Sentence
from chessgloss.claims.phrases import Element
from chessgloss.claims.records import Term

#: The move, where no words stand for it.
THIS = Term("this", "the move", (0, 0))

#: Elements before a noun that make it an object, so that it need not be the subject.
_GOVERNORS = "oytwadxrkiegpVW"

#: Small words that may stand between a subject and its verb.
_BETWEEN = "bvhn_g&"

#: Subjects that deny: ``nothing defends``.
_NOBODY = frozenset({"nothing", "nobody", "none"})

_RELATIVE = frozenset({"which", "that", "who"})


@dataclass(frozen=True, slots=True)
class Scope:
    """The terms of the sentence before, which a pronoun may mean."""

    earlier: tuple[Term, ...] = ()

    def past(self, sentence: Sentence) -> Scope:
        """Return the scope of the sentence after this one."""
        return Scope(_acting(sentence, len(sentence.elements)))

    def actors(self, sentence: Sentence, match: re.Match[str]) -> tuple[Term, ...]:
        """Return the terms any of which may act in a matched pattern.

        A subject right before its verb is taken alone; a pronoun, a participle behind a
        comma or a second verb may mean the move or any piece or move spoken of before.
        """
        if _has(match, "agent"):
            return tuple(_of_side(self.terms(sentence, match, "agent"), sentence, match))
        if sentence.elements[match.start("verb") - 1].word in _NOBODY and match.start("verb"):
            return ()
        if match.re.groupindex.get("subj") is None:
            return ()
        verb = match.start("verb")
        if _has(match, "subj") and not _governed(sentence, match.start("subj"), verb):
            return tuple(self.terms(sentence, match, "subj"))
        return self.before(sentence, match.start("subj") if _has(match, "subj") else verb)

    def subject(self, sentence: Sentence, verb: int) -> tuple[Term, ...]:
        """Return the terms any of which may be the subject of the verb at an element."""
        index = verb
        while index > 0 and sentence.tags[index - 1] in _BETWEEN and verb - index < 4:
            index -= 1
        direct = index > 0 and sentence.tags[index - 1] in "NMC"
        joined = "&" in sentence.tags[index:verb]
        if direct and not joined and not _governed(sentence, index - 1, verb):
            return sentence.elements[index - 1].terms
        if index > 0 and sentence.tags[index - 1] == "T":
            moves = [term for term in _acting(sentence, index) if term.role == "move"]
            return tuple(moves[-1:]) or self.before(sentence, verb)
        return self.before(sentence, verb)

    def terms(self, sentence: Sentence, match: re.Match[str], group: str) -> Iterator[Term]:
        """Yield the terms of a pattern's group, pronouns with what they may stand for."""
        if _has(match, group):
            for index in range(*match.span(group)):
                yield from self._at(sentence, index)

    def _at(self, sentence: Sentence, index: int) -> tuple[Term, ...]:
        element = sentence.elements[index]
        if element.tag != "T":
            return element.terms
        options = self.before(sentence, index)
        if element.word in _RELATIVE:
            options = options[:1]
        return tuple(replace(term, options=options) for term in element.terms)

    def before(self, sentence: Sentence, index: int) -> tuple[Term, ...]:
        """Return every term that may act without being named, nearest first, then the move."""
        here = _acting(sentence, index)[::-1]
        terms = (*here, *(() if here else self.earlier[::-1]), THIS)
        return tuple(dict.fromkeys(terms))


def _of_side(terms: Iterator[Term], sentence: Sentence, match: re.Match[str]) -> Iterator[Term]:
    """Give an agent the side of the subject: ``Black recaptures with the knight``."""
    side = None
    if _has(match, "subj") and match["subj"] == "C":
        side = sentence.elements[match.start("subj")].terms[0].side
    for term in terms:
        yield term if term.side is not None or side is None else replace(term, side=side)


def _has(match: re.Match[str], group: str) -> bool:
    return match.re.groupindex.get(group) is not None and match[group] is not None


def _governed(sentence: Sentence, first: int, verb: int) -> bool:
    before = sentence.tags[first - 1] if first else ""
    participle = sentence.elements[verb].word.endswith("ing")
    if participle and before in ("y", "w"):
        return False
    return (participle and before == "&") or (bool(before) and before in _GOVERNORS)


def _acting(sentence: Sentence, stop: int) -> tuple[Term, ...]:
    return tuple(
        term for element in sentence.elements[:stop] if _can_act(element) for term in element.terms
    )


def _can_act(element: Element) -> bool:
    return element.tag in "NMC"
