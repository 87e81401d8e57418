"""Claims told by fixed wordings, found in a sentence: material, files, judgements."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chessgloss.claims.clauses import Sentence
from chessgloss.claims.notation import read_notation
from chessgloss.claims.records import Claim, Stance, Tense, Term
from chessgloss.claims.wording import Wording
from chessgloss.claims.wordings_evaluation import MOVES, SIDES
from chessgloss.claims.wordings_material import AHEAD, COUNTS, GAINS, PROMOTIONS, STRUCTURES

#: Of wordings of one kind that overlap, the first in this order counts.
WORDINGS: tuple[Wording, ...] = (
    *AHEAD,
    *COUNTS,
    *GAINS,
    *PROMOTIONS,
    *STRUCTURES,
    *SIDES,
    *MOVES,
)

#: Relations whose side, if not in the wording, is the one last named before it.
_OF_A_SIDE = frozenset({"better", "wins", "ahead", "behind"})

#: Relations that judge one move, which need not be the last that the sentence writes.
_JUDGES = frozenset({"bad_move", "good_move", "best_move"})

_DENIES = re.compile(
    r"\b(?:not|no|never|hardly|isn't|wasn't|without|far from|no longer|nor|neither|avoid\w*"
    r"|prevent\w*|doesn't|cannot|can't|rather than|instead of)[^\w,;:]+(?:\w+[^\w,;:]+){0,3}$"
)
_DENIES_WITHIN = re.compile(r"\b(?:not|no longer|never|isn't|hardly)\b")


def find(text: str, sentence: Sentence) -> Iterator[Claim]:
    """Yield the claims that a sentence makes by fixed wordings."""
    taken: list[tuple[str, int, int]] = []
    for one in WORDINGS:
        for match in one.words.finditer(sentence.words):
            first, last = match.span()
            if not any(
                kind == one.kind and first < stop and start < last for kind, start, stop in taken
            ):
                taken.append((one.kind, first, last))
                yield _claim(text, sentence, one, match)


def _claim(text: str, sentence: Sentence, wording: Wording, match: re.Match[str]) -> Claim:
    span = (match.start() + sentence.start, match.end() + sentence.start)
    groups = {name: value.strip() for name, value in match.groupdict().items() if value}
    side = groups.pop("side", None)
    detail = (*wording.detail, *(f"{name}={value}" for name, value in sorted(groups.items())))
    sides = _sides_before(sentence, match.end())
    if wording.relation == "only_move":
        detail = (*detail, *(f"other={term.side}" for term in sides))
    moves = _moves(sentence) if wording.relation not in _JUDGES else _judged(sentence, match)
    named = () if side is None else (Term("side", side, span, side == "white"),)
    return Claim(
        wording.kind,
        text[slice(*span)],
        span,
        wording.relation,
        _subjects(wording, named, sides, [term for term in moves if term.span[1] <= span[0]]),
        moves,
        _stance(sentence, match),
        _tense(sentence, match),
        detail,
    )


def _subjects(
    wording: Wording, named: tuple[Term, ...], sides: tuple[Term, ...], moves: list[Term]
) -> tuple[Term, ...]:
    """Return whose claim it is: for what a move wins the move, else the side."""
    if wording.relation in ("wins", "en_passant") and moves:
        return (moves[-1],)
    if named or wording.relation not in _OF_A_SIDE:
        return named
    return sides[-1:]


def _sides_before(sentence: Sentence, offset: int) -> tuple[Term, ...]:
    """Return the sides that a sentence names before an offset, in order."""
    return tuple(
        term
        for element in sentence.elements
        if element.tag == "C" and element.span[0] - sentence.start < offset
        for term in element.terms
    )


def _index(sentence: Sentence, offset: int) -> int:
    return sum(element.span[0] - sentence.start < offset for element in sentence.elements)


def _stance(sentence: Sentence, match: re.Match[str]) -> Stance:
    first = max(0, _index(sentence, match.start()) - 1)
    base = sentence.stance(first, max(first + 1, _index(sentence, match.end())))
    denied = _DENIES.search(sentence.words[: match.start()]) or _DENIES_WITHIN.search(match.group())
    return Stance(denied is not None, base.supposed, asked=base.asked)


def _tense(sentence: Sentence, match: re.Match[str]) -> Tense:
    first = max(0, _index(sentence, match.start()) - 1)
    return sentence.tense(first, max(1, _index(sentence, match.end())))


def _judged(sentence: Sentence, match: re.Match[str]) -> tuple[Term, ...]:
    """Return the moves that a judgement may be of: not those behind a break that follows it.

    In ``a blunder; Bxe4 was called for`` the move played is judged, in ``the best move was
    Bxe4`` the one told so.
    """
    index = _index(sentence, match.end())
    told = re.match(r"b#?(?P<move>[MS])", sentence.tags[index:])
    if told:
        return tuple(map(_as_move, sentence.elements[index + told.start("move")].terms))
    rest = sentence.tags[index:].partition(";")[0]
    return tuple(
        term
        for one in sentence.elements[: index + len(rest)]
        if one.tag == "M"
        for term in one.terms
    )


def _as_move(term: Term) -> Term:
    """Return a term as a move: a bare square is a pawn's."""
    if term.role == "move":
        return term
    notation = read_notation(term.text)
    return Term("move", term.text, term.span, square=notation.to, move=notation)


def _moves(sentence: Sentence) -> tuple[Term, ...]:
    """Return the moves written in a sentence: one of them may be what is judged."""
    return tuple(term for one in sentence.elements if one.tag == "M" for term in one.terms)
