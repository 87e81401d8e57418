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

#: Forms of helping verbs that show the number of their subject.
_SINGULAR = re.compile(r"(?:is|was|has|does)(?:n['’]t)?")
_PLURAL = re.compile(r"(?:are|were|have|do)(?:n['’]t)?")


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
        if not _has(match, "subj"):
            return self.before(sentence, verb)
        first = own_subject(sentence, match)
        if _governed(sentence, first, verb):
            return self.before(sentence, first)
        return tuple(
            term for index in range(first, match.end("subj")) for term in self._at(sentence, index)
        )

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


def own_subject(sentence: Sentence, match: re.Match[str]) -> int:
    """Return the first element of a verb's own subject.

    Of two nouns that ``and`` joins, a verb in the singular has the second alone: in ``takes the
    bishop and the queen attacks f7`` only the queen attacks.
    """
    last = match.end("subj") - 1
    return last if _number(sentence, match) == "singular" else match.start("subj")


def act_together(sentence: Sentence, match: re.Match[str], actors: tuple[Term, ...]) -> bool:
    """Tell whether every piece that is named as acting acts, not any of them."""
    if len(actors) < 2 or any(term.role != "piece" for term in actors):
        return False
    group = "agent" if _has(match, "agent") else "subj"
    if not _has(match, group) or "or" in _words(sentence, match.span(group)):
        return False
    spans = {sentence.elements[index].span for index in range(*match.span(group))}
    named = all(term.span in spans for term in actors)
    return named and (group == "agent" or _number(sentence, match) == "plural")


def _number(sentence: Sentence, match: re.Match[str]) -> str:
    """Return the number of a verb, ``singular`` or ``plural``; empty where its form has none."""
    helpers = _words(sentence, (match.end("subj"), match.start("verb")))
    if "h" in sentence.tags[match.end("subj") : match.start("verb")]:
        return ""
    verb = sentence.elements[match.start("verb")].word.split()[0]
    for word in helpers:
        if _SINGULAR.fullmatch(word):
            return "singular"
        if _PLURAL.fullmatch(word):
            return "plural"
    if verb.endswith("ed") or helpers:
        return ""
    return "singular" if verb.endswith("s") and not verb.endswith("ss") else "plural"


def _words(sentence: Sentence, extent: tuple[int, int]) -> list[str]:
    return [element.word for element in sentence.elements[slice(*extent)]]


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
    if sentence.elements[first].word.endswith("'s"):
        return False
    before = sentence.tags[first - 1] if first else ""
    participle = sentence.elements[verb].word.endswith("ing")
    if participle and before in ("y", "w"):
        return False
    if before == "&":
        return participle and "b" not in sentence.tags[first:verb]
    return bool(before) and before in _GOVERNORS


def _acting(sentence: Sentence, stop: int) -> tuple[Term, ...]:
    return tuple(
        term for element in sentence.elements[:stop] if _can_act(element) for term in element.terms
    )


def _can_act(element: Element) -> bool:
    return element.tag in "NMC"
