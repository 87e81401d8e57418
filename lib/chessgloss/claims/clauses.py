"""Clauses read as a whole, where their words are not understood one by one.

A clause with an unread word is put in plain terms: what it names becomes a sign with its place in
the sentence (``N3`` a piece, ``S5`` a square, ``C0`` a side, ``M2`` a move, ``T4`` a pronoun),
short forms are written out, and words that change nothing are left out. The patterns under
``clause`` in ``relations.toml`` must match it from end to end, so that no word stays unread. What
they say takes the place of all that was read in parts of the clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import chess

from chessgloss.claims.lexicon import Tag, cue, is_said, words
from chessgloss.claims.parser import (
    ALL_PIECES,
    REACH,
    THIS,
    Claim,
    Detail,
    Element,
    Sentence,
    Stance,
    Tense,
    Term,
)
from chessgloss.claims.relations import Reading, relations
from chessgloss.claims.unread import open_clauses, unread_clause

#: The signs of what a clause names, by tag.
_SIGNS = {
    Tag.PIECE: "N",
    Tag.SQUARE: "S",
    Tag.MOVE: "M",
    Tag.PLAYER: "C",
    Tag.PRONOUN: "T",
}

#: A clause of more words and things than these is not looked at as a whole.
LONGEST = 16

#: Short forms of verbs, written out.
_SHORT = (
    (r"\bcannot\b|\bcan't\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (
        r"\b(?:in return |in exchange )?for the (?:missing )?(queen|rook|bishop|knight|pawn)\b",
        r"for a \1",
    ),
    (r"\b(it|that|there|he|she|who|which)'s\b", r"\1 is"),
)


def read_whole(sentence: Sentence, claims: Sequence[Claim]) -> Iterator[Claim]:
    """Yield the claims of a sentence, with those of clauses that are read as a whole.

    What stays unread is a claim of kind ``unread``.

    Parameters
    ----------
    sentence
        The sentence.
    claims
        What has been read in it.
    """
    kept = [*claims]
    open_ = list[Claim]()
    outright = not _is_open(sentence)
    for first, last, unread in [*open_clauses(sentence, claims)]:
        found = _read(sentence, first, last) if outright else []
        if not found and outright and first > 1:
            # ``…, but not with the pawn``: with the clause before it
            first = sentence.clause_start(first - 2)
            found = _read(sentence, first, last)
        if not found:
            if unread:
                open_.append(unread_clause(sentence, unread))
            continue
        (start, stop) = sentence.span(first, last)
        kept = [*_outside(kept, start, stop), *found]
        open_ = [*_outside(open_, start, stop)]
    yield from kept
    yield from open_


def _outside(claims: Sequence[Claim], start: int, stop: int) -> Iterator[Claim]:
    """Yield the claims that stand outside a part of the text, and those that only name."""
    for each in claims:
        if each.named or each.span[1] <= start or stop <= each.span[0]:
            yield each


def _read(sentence: Sentence, first: int, last: int) -> list[Claim]:
    """Return what a clause claims as a whole, or its parts before and behind an ``and``."""
    clause = _clause(sentence, first, last)
    if is_said("conditional", clause.words):
        return []
    if claim := _match(clause, first):
        return [claim]
    for index in range(first + 1, last - 1):
        if sentence.tags[index] != Tag.AND:
            continue
        parts = [_read(sentence, first, index), _read(sentence, index + 1, last)]
        if all(parts):
            return [claim for part in parts for claim in part]
    return []


def _is_open(sentence: Sentence) -> bool:
    """Tell whether a sentence asks or supposes, so that no clause of it is said outright."""
    return (
        sentence.asked
        or Tag.IF in sentence.tags
        or is_said("condition_word", sentence.words)
        or is_said("other_game", sentence.words)
        or is_said("addressed", sentence.words)
    )


def _clause(sentence: Sentence, first: int, last: int) -> Sentence:
    """Return a clause as a sentence of its own, with what was spoken of before it."""
    # with what is left out before and behind it: ``only the king``
    whole = (sentence.start, sentence.start + len(sentence.words))
    start = sentence.elements[first - 1].span[1] if first else whole[0]
    behind = sentence.elements[last : last + 1]
    stop = behind[0].span[0] if behind else whole[1]
    return replace(
        sentence,
        elements=sentence.elements[first:last],
        tags=sentence.tags[first:last],
        words=sentence.words[start - sentence.start : stop - sentence.start],
        start=start,
        earlier=_spoken(sentence, first),
    )


def _spoken(sentence: Sentence, stop: int) -> tuple[Term, ...]:
    """Return what was spoken of before an element: pieces, squares, sides and moves."""
    here = [term for each in sentence.elements[:stop] for term in each.terms]
    return (*sentence.earlier, *(term for term in here if term.role != "this"))


@cache
def _readings(*, signs: bool) -> tuple[Reading, ...]:
    """Return the patterns of whole clauses, over signs or over words, row by row."""
    return tuple(
        reading
        for row in relations().values()
        for reading in row.readings
        if reading.reader == "clause"
        and signs == bool(re.search(r"[NSMCT]\]?\\d", reading.pattern.pattern))
    )


@cache
def _vocabulary() -> frozenset[str]:
    """Return the beginnings of all words that a pattern can match, and of those left out."""
    readings = (*_readings(signs=True), *_readings(signs=False))
    patterns = [each.pattern.pattern for each in readings]
    patterns += [cue("idle").pattern, cue("openers").pattern]
    patterns += [re.sub(r"\w\?", "", each) for each in patterns]
    found = " ".join(patterns)
    return frozenset(re.findall(r"[a-z]{3,}", found))


def _is_known(text: str) -> bool:
    """Tell whether each word of a text can be one of a pattern's, so that it is worth a look."""
    beginnings = _vocabulary()
    return all(
        any(word[:end] in beginnings for end in range(3, len(word) + 1))
        for word in re.findall("[a-z]{3,}", text)
    )


def _match(clause: Sentence, first: int) -> Claim | None:
    """Return the claim of the first pattern that a whole clause matches, if one does."""
    if len(clause.elements) > LONGEST:
        return None
    for text, readings in (
        (signed(clause), _readings(signs=True)),
        (clause.words, _readings(signs=False)),
    ):
        if not _is_known(text):
            continue
        short = plain(text)
        for reading in readings:
            match = reading.pattern.fullmatch(short)
            claim = match and _claim(clause, match, reading, opens=first == 0)
            if claim:
                return claim
    return None


def signed(clause: Sentence) -> str:
    """Return the words of a clause with a sign for each thing that it names."""
    parts = []
    done = 0
    for index, element in enumerate(clause.elements):
        sign = _SIGNS.get(element.tag)
        if sign is None or _is_general(element):
            continue
        start, stop = (place - clause.start for place in element.span)
        owner = "'s" if element.word.endswith("'s") else ""
        parts += [clause.words[done:start], _counted(element), f"{sign}{index}{owner}"]
        done = stop
    return "".join([*parts, clause.words[done:]])


def _is_general(element: Element) -> bool:
    """Tell whether a phrase says neither which piece nor where: ``a loose piece``."""
    if element.tag != Tag.PIECE:
        return False
    (term, *others) = element.terms
    return not others and term.pieces == ALL_PIECES - {chess.KING} and not term.square


def _counted(element: Element) -> str:
    """Return the word before a noun that says how many: ``no``, ``two``, ``only``."""
    found = sorted(words("counting") & element.adjectives)
    return "".join(f"{word} " for word in found)


def plain(text: str) -> str:
    """Return words with short forms written out, without those that change nothing."""
    for short, long in _SHORT:
        text = re.sub(short, long, text)
    text = cue("idle").sub(" ", text)
    text = re.sub(r"[^\w'-]+", " ", text).strip()
    return cue("openers").sub("", text)


# ---------------------------------------------------------------- a match as a claim


def _claim(
    clause: Sentence, match: re.Match[str], reading: Reading, *, opens: bool
) -> Claim | None:
    """Return what a matched clause claims; nothing if who or what is meant is not clear."""
    groups = dict[str, str]()
    for name, value in sorted(match.groupdict().items()):
        # ``obj2`` is one more object
        if value:
            kind = name.rstrip("23456")
            groups[kind] = f"{groups.get(kind, '')} {value}".strip()
    denied = groups.pop("neg", None) is not None
    named = {name: groups.pop(name, "") for name in ("subj", "obj", "side", "owner")}
    span = clause.span(0, len(clause.elements))
    subjects = _terms(clause, named["subj"], opens)
    objects = _terms(clause, named["obj"], opens)
    if not named["obj"] and reading.detail.get("of") in ("it", "which"):
        near = reading.detail["of"] == "which"
        objects = (clause.earlier[-1:] if near else _spoken_of(clause)) or None
    owners = _terms(clause, named["owner"], opens)
    if subjects is None or objects is None or owners is None:
        return None
    if owners:
        owned = tuple(term.owned_by(owners[0].side) for term in subjects)
        subjects = owned or owners
        if any(term.side != owners[0].side for term in subjects):
            return None
    if reading.detail.get("of") == "side" and not named["side"]:
        sides = [term for term in clause.earlier if term.side is not None]
        if not sides:
            return None
        subjects = (Term("side", "who", span, sides[-1].side),)
    if named["side"]:
        side = named["side"] == "white"
        subjects = (Term("side", named["side"], span, side),)
    if "(?P<subj>(?!))" in match.re.pattern:
        subjects = _before(clause)
    extra = dict(reading.detail)
    extra.pop("of", None)
    denied ^= extra.pop("denied", "") == "yes"
    if denied and reading.relation == "can_take" and _gives_reason(clause):
        return None
    detail = Detail.of({**extra, **groups})
    if detail.state:
        objects = (_pawn(detail, subjects, span),)
        subjects = ()
    return Claim(
        relations()[reading.relation].kind,
        clause.text[slice(*span)],
        span,
        reading.relation,
        objects,
        Stance(negated=denied),
        _tense(match.string),
        detail,
        subjects,
    )


def _gives_reason(clause: Sentence) -> bool:
    """Tell whether a capture is denied for a reason that is not given: ``as``, a colon."""
    around = clause.text[
        max(0, clause.start - REACH // 4) : clause.start + REACH
    ].lower()
    reason = (
        r"\b(?:as|due to|for|or|because|since|otherwise|without|after|so|or else)\b|:"
    )
    return re.search(reason, around) is not None and "pin" not in around


def _tense(text: str) -> Tense:
    past = re.search(r"\b(?:was|were|had)\b", text)
    return "past" if past else "after"


def _pawn(detail: Detail, owners: tuple[Term, ...], span: tuple[int, int]) -> Term:
    """Return the pawns on a square or file: ``the e-pawn``."""
    square = chess.parse_square(detail.square) if detail.square else None
    file = chess.FILE_NAMES.index(detail.file) if detail.file else None
    side = owners[0].side if owners else None
    pawns = frozenset({chess.PAWN})
    return Term("piece", "such a pawn", span, side, pawns, square, file)


def _terms(clause: Sentence, signs: str, opens: bool) -> tuple[Term, ...] | None:
    """Return what signs stand for; nothing if that is not clear."""
    found = list[Term]()
    for sign in re.findall(r"[NSMCT]\d+", signs):
        element = clause.elements[int(sign[1:])]
        terms = element.terms
        if element.tag == Tag.PRONOUN:
            terms = _meant(clause, element, opens)
        elif element.tag == Tag.PIECE and not _is_plain(element):
            return None
        if not terms:
            return None
        found += terms
    return tuple(found)


def _is_plain(element: Element) -> bool:
    """Tell whether a phrase says nothing of its piece but what and where it is."""
    strange = {
        word
        for word in element.adjectives
        if not re.fullmatch(r"[a-h][1-8]?-?|[a-h][ -]", word)
    }
    strange -= words("harmless") | words("noun") | words("counting") | words("player")
    return not strange


def _meant(clause: Sentence, element: Element, opens: bool) -> tuple[Term, ...]:
    """Return what a pronoun means: the move, or the one piece spoken of before."""
    if element.word in words("the_move") or (opens and not clause.earlier):
        return (THIS,)
    if element.word in ("which", "that", "who") and clause.elements[0] is element:
        return clause.earlier[-1:]
    return _spoken_of(clause) if element.word == "it" else ()


def _spoken_of(clause: Sentence) -> tuple[Term, ...]:
    """Return the one piece spoken of before a clause; nothing if there are several."""
    pieces = {
        (term.pieces, term.square): term
        for term in clause.earlier
        if term.role == "piece"
    }
    return tuple(pieces.values()) if len(pieces) == 1 else ()


def _before(clause: Sentence) -> tuple[Term, ...]:
    """Return who acts in a clause without a subject: the one that is named first before it."""
    for term in clause.earlier:
        if term.role == "piece":
            return (term,)
        break
    return (THIS,)
