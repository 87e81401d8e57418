"""Evidence in the words of a person, for a page.

The evidence of a claim is short and always put alike: it is compared, recorded, and told to a
language model that is to mend its comment. A reader is told the same in plainer words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

#: What stands for a match: a text with its groups, or what a function makes of it.
Said: TypeAlias = str | Callable[[re.Match[str]], str]

_MEN: Final = "pawn|knight|bishop|rook|queen|king"
_SIDE: Final = "(White|Black)"
_DEED: Final = re.compile(
    rf"(?:({_MEN}) )?(capture|move)(?: of an? ([a-z ]+?))?(?: to ((?:the )?\S+))?( with .+)?"
)


def plainly(evidence: str) -> str:
    """Return evidence as a person would put it; what nobody would put otherwise stays."""
    for pattern, said in _PLAIN:
        evidence = pattern.sub(said, evidence)
    return evidence


def _cannot(match: re.Match[str]) -> str:
    """Say what a side cannot play: ``no knight of Black's can take a queen``."""
    side, words = match.groups()
    if words == "castling":
        return f"{side} cannot castle"
    deed = _DEED.fullmatch(words)
    if deed is None or words == "move":
        return f"{side} cannot play {words}" if words != "move" else match.group()
    man, sort, taken, place, more = deed.groups()
    who = f"{side} cannot"
    if man == "king":
        who = f"{side}'s king cannot"
    elif man:
        who = f"no {man} of {side}'s can"
    does = f" go to {place}" if place else " move"
    if sort == "capture":
        does = f" take {'a ' + taken if taken else 'anything'}"
        does += f" on {place}" if place else ""
    return f"{who}{does}{more or ''}"


def _unlike(match: re.Match[str]) -> str:
    """Say what was played instead: ``Rxc5, no capture of a queen on c5``."""
    played, words = match.groups()
    if "capture" in words:
        words = words.replace(" to ", " on ")
    return f"the move played is {played}, {words}"


def _many(number: str, man: str) -> str:
    return f"{number} {man}" if number == "1" else f"{number} {man}s"


def _counted(match: re.Match[str]) -> str:
    """Say how many men more or fewer there are: ``3 pawns fewer``."""
    number, man, sort = match.groups()
    return f"{_many(number, man)} {'more' if sort == 'more' else 'fewer'}"


def _outcome(match: re.Match[str]) -> str:
    """Say how a side comes out: ``9 pawns ahead``."""
    side, number = match.groups()
    won = int(number)
    if not won:
        return f"{side} comes out level"
    pawns = _many(str(abs(won)), "pawn")
    return f"{side} comes out {pawns} {'ahead' if won > 0 else 'behind'}"


def _lone(match: re.Match[str]) -> str:
    """Say what else is legal: nothing."""
    words = (
        "are the only legal moves" if " and " in match[1] else "is the only legal move"
    )
    return f"{match[1]} {words}"


#: What is put otherwise, and how; in this order.
_PLAIN: Final[tuple[tuple[re.Pattern[str], Said], ...]] = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"^it was not read$", "the program does not understand these words"),
        (r"^there is no predicate for it$", "neither board nor engine can decide it"),
        (r"^no engine was asked$", "an engine has to judge this, and none was asked"),
        (r"nothing gives check to neither king", "neither king is in check"),
        (rf"nothing gives check to {_SIDE}'s king", r"\1's king is not in check"),
        (r"^(.+) is attacked by nothing$", r"nothing attacks \1"),
        (r"^(.+) is defended by nothing$", r"nothing defends \1"),
        (r"the move played, (\S+), is (no .+)", _unlike),
        (r"the move played, (\S+), is .+", r"the move played is \1"),
        (rf"{_SIDE} has no legal (.+)", _cannot),
        (r"^(.+) is all that is legal$", _lone),
        (r"^the ((?:white|black) .+) is there$", r"there is a \1"),
        (r"^it holds of (\d+): (.+)$", r"so it is with \1: \2"),
        (r": the ((?:white|black) .+) is there$", r": the \1"),
        (r"^(the \w+ king) on (\w\d) stands there$", r"\1 stands on \2"),
        (r"^on the ([a-h]-file): nothing$", r"no pawn stands on the \1"),
        (r"^on the ([a-h]-file): (.+)$", r"on the \1 there is \2"),
        (rf"(\d+) ({_MEN}) (more|less)", _counted),
        (rf"{_SIDE} comes out ([+-]\d+) pawns", _outcome),
        (rf"the exchanges bring {_SIDE} (-?\d+) pawns", _outcome),
        (r"\b1 (attacker|defender|rank)s\b", r"1 \1"),
        (r"^no such trade is on the board$", "no such men can be traded"),
        (r"^only supposed; ", "this is only supposed; "),
        (r"^which is meant is not said: ", "it is not said which is meant: "),
        (r"^which side is meant is not said; ", "it is not said which side is meant; "),
        (
            r"the pieces that are meant are of the wrong side",
            "such a piece is of the wrong side",
        ),
    )
)
