"""What a side can do next, as a sentence says: win a piece, mate, take, promote."""

from __future__ import annotations

import re
from collections.abc import Iterator

import chess

from chessgloss.claims.clauses import Sentence
from chessgloss.claims.notation import Notation
from chessgloss.claims.records import Claim, Kind, Stance, Term

_WINS = re.compile(r"(?P<subj>C)?[vh!_]{0,2}[!h](?P<verb>[W])(?P<obj>N)(?:w(?P<agent>N))?")
_MATES = re.compile(
    r"(?P<subj>C)?[vh!_]{0,2}[!h](?P<verb>m)(?:w(?P<agent>N)(?:y(?P<src>S)t(?P<to>S))?)?"
)

_PROMOTES = re.compile(
    r"(?P<subj>C)?[vh!_]{0,2}[!h](?P<verb>\^)(?P<obj>N)(?:[oty](?P<to>S))?(?:t(?P<new>N))?"
)
_TABLE = ((_WINS, "can_win"), (_MATES, "can_mate"), (_PROMOTES, "can_promote"))
_KINDS: dict[str, Kind] = {"can_win": "capture", "can_mate": "mate", "can_promote": "move"}


def find(text: str, sentence: Sentence) -> Iterator[Claim]:
    """Yield the threats that a sentence tells of."""
    for pattern, relation in _TABLE:
        for match in pattern.finditer(sentence.tags):
            first = match.start("subj") if match["subj"] else match.start()
            last = match.end()
            span = (sentence.elements[first].span[0], sentence.elements[last - 1].span[1])
            objects = _terms(sentence, match, "obj") or _mating_move(sentence, match)
            yield Claim(
                _KINDS[relation],
                text[slice(*span)],
                span,
                relation,
                (*_terms(sentence, match, "agent"), *_terms(sentence, match, "subj")),
                objects,
                _stance(sentence, first, last),
                sentence.tense(first, last),
            )


def _stance(sentence: Sentence, first: int, last: int) -> Stance:
    """Return the stance of what can be done: only ``if`` and questions leave it open."""
    stance = sentence.stance(first, last)
    unreal = re.search(r"\b(?:if|would|unless|might|could have)\b", sentence.words) is not None
    return Stance(stance.negated, unreal, False, stance.asked)


def _terms(sentence: Sentence, match: re.Match[str], group: str) -> tuple[Term, ...]:
    if match.re.groupindex.get(group) is None or match[group] is None:
        return ()
    return sentence.elements[match.start(group)].terms[:1]


def _mating_move(sentence: Sentence, match: re.Match[str]) -> tuple[Term, ...]:
    """Return the move of ``mate with the queen from h3 to g2``."""
    source, target = _terms(sentence, match, "src"), _terms(sentence, match, "to")
    if not source or source[0].square is None:
        return ()
    file, rank = chess.square_file(source[0].square), chess.square_rank(source[0].square)
    move = Notation(None, target[0].square, file=file, rank=rank)
    return (Term("move", "the mating move", target[0].span, move=move),)
