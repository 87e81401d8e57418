"""Clauses whose verb no relation reads, so that what is not understood is seen.

A sentence is cut at stops, commas, words that begin a clause, and ``and`` between two verbs. A
verb of a clause counts as read if a claim that says something holds it, or has it right before
its words (``White has played`` Nf3). What is only named (:attr:`~chessgloss.claims.Claim.named`)
says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chessgloss.claims.lexicon import Tag, cue, over_tags, tags, words
from chessgloss.claims.parser import Claim, Sentence

#: Between a verb that helps and the claim that it belongs to: ``has played``, ``is now``.
_HELPING = over_tags(
    "[{be}{have}{maybe}{not}{put}{go}{into}{threaten}{with}{pronoun}]+(?:{the}[{adjective}{unknown}]{0,2}|{adjective}*)$"
)

#: A condition that only names a move, which is claimed apart: ``if Black plays gxf6``.
_SUPPOSED_MOVE = "{if}[{player}{pronoun}]?{put}{move_number}?{move}"


def open_clauses(
    sentence: Sentence, claims: Sequence[Claim]
) -> Iterator[tuple[int, int, list[int]]]:
    """Yield each clause with a word that no claim accounts for, and the elements that are unread.

    A clause is its first element and its last (one behind). One that is read but would be left
    open comes without such elements.

    Parameters
    ----------
    sentence
        The sentence.
    claims
        What has been read in it.
    """
    read = _read(sentence, claims)
    if len(read) < len(sentence.elements):
        read |= _harmless(sentence)
    for first, last in _clauses(sentence):
        unread = [
            index
            for index in range(first, last)
            if index not in read
            and (_is_verb(sentence, index, first) or _says_more(sentence, index, first))
        ]
        if not unread or _is_push_alone(sentence, first, last):
            if _is_doubtful(sentence, claims, first, last):
                yield first, last, []
            continue
        start = unread[0]
        while start > first and start - 1 not in read:
            start -= 1
        stop = unread[-1]
        while stop < last and stop not in read:
            stop += 1
        yield first, last, [*range(start, stop)]


def _is_doubtful(
    sentence: Sentence, claims: Sequence[Claim], first: int, last: int
) -> bool:
    """Tell whether a claim in a clause would be left open for the way it is put."""
    (start, stop) = sentence.span(first, last)
    return any(
        start <= claim.span[0] < stop
        and not claim.named
        and (
            claim.stance.supposed
            or claim.stance.unclear
            or (claim.relation == "captures" and claim.stance.able)
        )
        for claim in claims
    )


def unread_clause(sentence: Sentence, unread: Sequence[int]) -> Claim:
    """Return the claim of kind ``unread`` of a clause (see :func:`open_clauses`)."""
    span = sentence.span(unread[0], unread[-1] + 1)
    text = sentence.text[slice(*span)]
    stance = sentence.stance(unread[0], unread[-1] + 1)
    return Claim("unread", text, span, "unread", stance=stance)


def _harmless(sentence: Sentence) -> set[int]:
    """Return the elements that tell a time by the move itself, or suppose a move that is named."""
    found = set[int]()
    for match in cue("of_the_move").finditer(sentence.words):
        span = sentence.offsets(match)
        found.update(_held(sentence, span))
    for match in over_tags(_SUPPOSED_MOVE).finditer(sentence.tags):
        (first, last) = match.span()
        found.update(range(first, last))
    return found


def _is_push_alone(sentence: Sentence, first: int, last: int) -> bool:
    """Tell whether a clause is the pawn's move that opens a sentence: ``d5, and …``."""
    if first > 0 or last > 1:
        return False
    return sentence.tags[0] == Tag.SQUARE


def _says_more(sentence: Sentence, index: int, first: int) -> bool:
    """Tell whether an element that no claim holds can make the clause false all the same.

    A piece, a square, a file, a side behind the subject, a count, a denial: ``on b4, but not d2``.
    """
    element = sentence.elements[index]
    if element.word in words("weighty"):
        return True
    if element.tag == Tag.PLAYER:
        return index > first
    return element.tag in tags("weighty")


def _read(sentence: Sentence, claims: Sequence[Claim]) -> set[int]:
    """Return the elements that claims hold which say something, and helping verbs before them."""
    read = set[int]()
    for claim in claims:
        if claim.named:
            continue
        held = _held(sentence, claim.span)
        read.update(held)
        before = held[0] - 1 if held else -1
        for terms in (claim.subjects, claim.objects):
            for term in terms:
                places = _held(sentence, term.span)
                if len(terms) == 1 or before in places:
                    read.update(places)
        if claim.detail.both:
            read.update(_of_both(sentence))
        helping = _HELPING.search(sentence.tags[: held[0]]) if held else None
        if helping:
            read.update(range(helping.start(), held[0]))
    return read


def _of_both(sentence: Sentence) -> list[int]:
    """Return the elements of ``both sides`` or ``neither player``."""
    sides = cue("both_sides").search(sentence.words)
    if sides is None:
        return []
    span = sentence.offsets(sides)
    return _held(sentence, span)


def _held(sentence: Sentence, span: tuple[int, int]) -> list[int]:
    """Return the elements that stand in a part of the text."""
    (start, stop) = span
    return [
        index
        for index, element in enumerate(sentence.elements)
        if element.span[0] < stop and start < element.span[1]
    ]


def _clauses(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Yield first and last element (one behind) of each clause."""
    first = 0
    for index, tag in enumerate((*sentence.tags, ".")):
        joins = tag == Tag.AND and _joins_clauses(sentence, first, index)
        if joins or tag in tags("clause_ends"):
            if first < index:
                yield first, index
            first = index + 1


def _joins_clauses(sentence: Sentence, first: int, index: int) -> bool:
    """Tell whether an ``and`` stands between two verbs, the second one close behind it."""
    before = range(first, index)
    if not any(_is_verb(sentence, each, first) for each in before):
        return False
    last = min(index + 5, len(sentence.tags))
    for each in range(index + 1, last):
        if sentence.tags[each] in tags("clause_ends"):
            return False
        if _is_verb(sentence, each, index + 1):
            return True
    return False


def _is_verb(sentence: Sentence, index: int, first: int) -> bool:
    """Tell whether an element is a verb, as far as its tag and the words around it show.

    A word that is not known is one behind what can be a subject.
    """
    element = sentence.elements[index]
    before = sentence.tags[index - 1] if index > first else ""
    if element.tag == Tag.NOT:
        return element.word not in words("plain_denials")
    if element.word in words("no_verbs"):
        return False
    if element.tag == Tag.UNKNOWN:
        return before in tags("subjects")
    this = index > first and sentence.elements[index - 1].word in ("this", "that")
    noun = before in (Tag.THE, Tag.ADJECTIVE, Tag.ON, Tag.OF) or (
        this and element.word in words("nouns_too")
    )
    return element.tag in tags("verbs") and not noun
