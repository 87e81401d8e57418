"""How many pieces a side is said to have: ``White has a queen and two rooks against a rook``."""

from __future__ import annotations

import re
from collections.abc import Iterator

import chess

from chessgloss.claims.clauses import Sentence
from chessgloss.claims.records import Claim, Stance, Term

_NUMBER = r"no|an?|one|two|three|four|five|six|seven|eight|\d"
_NOUN = r"(?:pawn|piece|rook|queen|knight|bishop|minor piece)s?"
_ADJECTIVES = r"(?:(?:single|lone|extra|whole|more|remaining|full) )*"
_ITEM = rf"(?:{_NUMBER}) {_ADJECTIVES}{_NOUN}\b"
_LIST = rf"{_ITEM}(?:(?:, and|,| and| plus) {_ITEM})*"
_STILL = r"(?:still |now |only |just |already )*"
_EXACTLY = r"(?: (?:only|just|still|exactly|now|got|already))*"
_HAS = re.compile(
    rf"\b(?P<side>white|black) {_STILL}(?:has|had|owns|have|is left with){_EXACTLY}"
    rf" (?P<items>{_LIST})(?: left| remaining)?(?: against (?P<others>{_LIST}))?"
    r"(?P<after>[^.;]{0,14})"
)
_ONE = re.compile(rf"(?P<count>{_NUMBER}) (?P<adjectives>{_ADJECTIVES})(?P<noun>{_NOUN})\b")
#: Words behind that make of the last noun something else.
_COMPOUND = re.compile(
    r"\s*(?:advantage|move|structure|chain|endgame|ending|majority|island|pair|lift|outpost|sacrifice)"
)


def find(text: str, sentence: Sentence) -> Iterator[Claim]:
    """Yield the counts of pieces that a sentence gives."""
    for match in _HAS.finditer(sentence.words):
        if _COMPOUND.match(match["after"]):
            continue
        side = match["side"] == "white"
        whole = _is_whole(match)
        yield from _items(text, sentence, match, "items", side, whole)
        if match["others"]:
            yield from _items(text, sentence, match, "others", not side, True)


def _is_whole(match: re.Match[str]) -> bool:
    """Tell whether the words count all there is: a list, a comparison, ``only two``."""
    told = match.group()
    several = len(_ONE.findall(match["items"])) > 1
    exact = re.search(r"\b(?:only|just|exactly|left|remaining|single|against)\b", told)
    return several or exact is not None


def _items(
    text: str,
    sentence: Sentence,
    match: re.Match[str],
    group: str,
    side: chess.Color,
    whole: bool,
) -> Iterator[Claim]:
    offset = sentence.start + match.start(group)
    base = sentence.stance(0, len(sentence.elements), alone=True)
    for item in _ONE.finditer(match[group]):
        span = (offset + item.start(), offset + item.end())
        detail = [f"count={item['count']}", f"noun={item['noun']}"]
        detail += ["more=1"] if re.search("more|extra", item["adjectives"]) else []
        detail += ["whole=1"] if whole else []
        owner = Term("side", match["side"], span, side)
        yield Claim(
            "material",
            text[slice(*span)],
            span,
            "counts",
            (owner,),
            (),
            Stance(supposed=base.supposed, able=base.able, asked=base.asked),
            sentence.tense(0, 1),
            tuple(detail),
        )
