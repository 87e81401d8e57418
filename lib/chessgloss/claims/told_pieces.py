"""Pieces named in a sentence: on squares, owned by a side, and the state of pawns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import chess

from chessgloss.claims.clauses import Sentence
from chessgloss.claims.phrases import Element
from chessgloss.claims.records import Claim, Stance, Term

_STATES = ("passed", "doubled", "isolated", "connected")
_LOOSE = frozenset({"undefended", "unprotected", "hanging", "unguarded", "loose"})
_IS_STATE = re.compile(r"N[Tbvnh_]{1,3}z?(?P<state>[JX_I])")
_STANDS = re.compile(r"(?P<subj>N)T?[bv]{1,2}o(?P<to>S)")
_HAVE = re.compile(
    r"\b(?:has|have|had|gets|got|makes|creates|obtains|accepts|left with|saddled|keeps|retains"
    r"|possesses|owns|enjoys|suffers from)\b"
)


def find(text: str, sentence: Sentence) -> Iterator[Claim]:
    """Yield the claims on pieces that a sentence makes by naming them."""
    for index, element in enumerate(sentence.elements):
        if element.tag == "N":
            yield from _named(text, sentence, index)
    for match in _STANDS.finditer(sentence.tags):
        yield from _standing(text, sentence, match)


def _named(text: str, sentence: Sentence, index: int) -> Iterator[Claim]:
    element = sentence.elements[index]
    stance = replace(sentence.stance(index, index + 1), negated="no" in element.adjectives)
    words = text[slice(*element.span)]
    placed = sentence.tags[index - 1 : index] == "p"
    if (element.terms[0].square is not None and not placed) or _is_owned(element, sentence, index):
        being = _being(sentence, index, stance)
        yield Claim("piece", words, element.span, "stands", (), element.terms, being)
    owned = tuple(_with_side(term, sentence, index) for term in element.terms)
    for state in _STATES:
        if state in element.adjectives and element.terms[0].pieces == {chess.PAWN}:
            yield Claim(
                "structure",
                words,
                element.span,
                "pawn_state",
                (),
                owned,
                _having(sentence, index, stance),
                sentence.tense(index, index + 1),
                (state,),
            )
    yield from _predicates(text, sentence, index)
    yield from _undefended(text, sentence, index)
    if "pinned" in element.adjectives and element.terms[0].square is not None:
        yield Claim("tactic", words, element.span, "pins", (), element.terms[:1], stance)
    for word in sorted(_LOOSE & element.adjectives):
        yield Claim(
            "attack", words, element.span, "loose", (), element.terms[:1], stance, "any", (word,)
        )


def _being(sentence: Sentence, index: int, stance: Stance) -> Stance:
    """Return the stance of a piece on a square: wished for, if ``a`` piece that is not had."""
    before = sentence.tags[index - 1 : index]
    verbs = re.findall("[adxVkiegpbv]", sentence.tags[sentence.clause_start(index) : index])
    definite = sentence.elements[index].terms[0].definite and verbs[-1:] not in (["g"], ["p"])
    if definite or stance.negated or before in ("v", "b"):
        return replace(stance, supposed=False, able=False)
    return replace(stance, supposed=True)


def _having(sentence: Sentence, index: int, stance: Stance) -> Stance:
    """Return the stance of what a noun phrase says: denied only by ``no`` or ``has not``."""
    denied = re.search(r"(?:[vC]n[_v]?|nv?)$", sentence.tags[sentence.clause_start(index) : index])
    term = _with_side(sentence.elements[index].terms[0], sentence, index)
    named = term.side is not None or term.square is not None or term.file is not None
    if denied or not (named or term.definite):
        return replace(stance, supposed=True)
    return stance


def _is_owned(element: Element, sentence: Sentence, index: int) -> bool:
    """Tell whether a phrase such as ``Black's knight`` says that there is one."""
    term = element.terms[0]
    owner = re.match(r"(?:white|black)['’]s |the (?:white|black) ", element.word)
    return term.side is not None and term.file is None and owner is not None


def _with_side(term: Term, sentence: Sentence, index: int) -> Term:
    """Give a piece the side that is said to have it: ``White has doubled pawns``."""
    if term.side is not None:
        return term
    for place in range(index - 1, max(-1, index - 6), -1):
        element = sentence.elements[place]
        if element.tag == "C":
            between = sentence.words[
                element.span[1] - sentence.start : term.span[0] - sentence.start
            ]
            return replace(term, side=element.terms[0].side) if _HAVE.search(between) else term
    return term


def _predicates(text: str, sentence: Sentence, index: int) -> Iterator[Claim]:
    """Yield what is said of pawns behind a verb: ``the pawn on d5 is isolated and passed``."""
    element = sentence.elements[index]
    pawns = tuple(term for term in element.terms if chess.PAWN in term.pieces)
    rest = sentence.words[element.span[1] - sentence.start :]
    said = re.match(
        r"(?:,? which)? (?:is|are|was|were|becomes?|remains?|has been|stays?"
        r"|will be)\b(?P<what>[^,;.]*)",
        rest,
    )
    if said is None or not pawns:
        return
    for state in _STATES:
        found = re.search(rf"\b{state}\b(?! pawn)", said["what"])
        if found is None:
            continue
        end = element.span[1] + said.start("what") + found.end()
        span = (element.span[0], end)
        first = sum(other.span[0] < end for other in sentence.elements)
        yield Claim(
            "structure",
            text[slice(*span)],
            span,
            "pawn_state",
            (),
            pawns,
            sentence.stance(index, first),
            sentence.tense(index, first),
            (state,),
        )


def _undefended(text: str, sentence: Sentence, index: int) -> Iterator[Claim]:
    """Yield what is said of defenders: ``the rook on h8 has no defender``."""
    element = sentence.elements[index]
    rest = sentence.words[element.span[1] - sentence.start :]
    said = re.match(
        r" (?:still |now |currently |really )*(?:has|have|with|lacks|is without|had) (?:no|any"
        r"|a)? ?"
        r"(?:\w+ )?(?:defenders?|protection|protectors?)\b",
        rest,
    )
    if said is None or " a " in said.group():
        return
    span = (element.span[0], element.span[1] + said.end())
    stance = replace(sentence.stance(index, index + 1), negated=False)
    yield Claim(
        "attack",
        text[slice(*span)],
        span,
        "loose",
        (),
        element.terms[:1],
        stance,
        sentence.tense(index, index + 1),
        ("undefended",),
    )


def _standing(text: str, sentence: Sentence, match: re.Match[str]) -> Iterator[Claim]:
    first, last = match.span()
    (term, *others) = sentence.elements[match.start("subj")].terms
    square = sentence.elements[match.start("to")].terms[0].square
    if others or term.square is not None:
        return
    span = (sentence.elements[first].span[0], sentence.elements[last - 1].span[1])
    yield Claim(
        "piece",
        text[slice(*span)],
        span,
        "stands",
        (),
        (replace(term, square=square),),
        sentence.stance(first, last),
        sentence.tense(first, last),
    )
