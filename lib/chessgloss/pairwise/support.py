"""Support: whether the feature context speaks of an event that a comment claims.

The rubric's hard rule asks for support *in the context that the judge was given*, not for truth
on the board: a fork that stood before the move may be real and yet stand nowhere in the
context. A context is read here as the lines ``name: value`` that
:func:`chessgloss.facts.linearise` writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import chess

from chessgloss.claims import Claim, Disqualifier

#: What a line says that has nothing of its kind, or of which nobody was asked.
_SILENT = frozenset({"no", "none", "NA", "0"})

#: Lines that hold written moves.
_MOVES = ("move", "best line", "expected reply")

_HANGING = tuple(
    f"{whose} hanging pieces {when}"
    for whose in ("own", "opponent's")
    for when in ("before", "after")
)
_THREATS = ("threats after", "opponent's chances after")

#: The lines that can carry each event.
CARRIERS: Mapping[Disqualifier, tuple[str, ...]] = MappingProxyType(
    {
        "check": ("check", "discovered check", "double check"),
        "checkmate": ("checkmate",),
        "capture": ("capture",),
        "promotion": ("promotion",),
        "trade": ("trade",),
        "hanging-piece win": (*_HANGING, *_THREATS, "material change", "exchange result"),
        "forced tactic or threat": (
            *(f"new {name}" for name in ("fork", "pin", "skewer", "discovered attack")),
            *_THREATS,
        ),
    }
)
#: What a written move shows of an event.
_SIGNS: Mapping[Disqualifier, str] = MappingProxyType(
    {"check": "+", "checkmate": "#", "capture": "x", "promotion": "="}
)
#: Events that a counted mate in an evaluation carries, too.
_MATING: tuple[Disqualifier, ...] = ("checkmate", "forced tactic or threat")

_SQUARE = re.compile(r"[a-h][1-8]")
_WRITTEN = re.compile(r"[KQRBN]?[a-h]?[1-8]?x?([a-h][1-8])(?:=[QRBN])?[+#]?")


def supports(context: str, event: Disqualifier, squares: frozenset[str] = frozenset()) -> bool:
    """Tell whether a line of the context carries an event.

    Parameters
    ----------
    context
        Lines ``name: value``.
    event
        Which event.
    squares
        Names of the squares that the comment ties the event to. A line that names squares
        counts only if it shares one; a bare ``yes`` or a number counts for any.
    """
    lines = dict(line.partition(": ")[::2] for line in context.splitlines())
    told = [lines.get(name, "no") for name in CARRIERS[event]]
    found = [set(_SQUARE.findall(value)) for value in told if value not in _SILENT]
    found += [{square} for square in _shown(lines, event)]
    found += [set() for _ in _mates(lines)] if event in _MATING else []
    return any(not squares or not named or named & squares for named in found)


def squares_of(claim: Claim) -> frozenset[str]:
    """Return the names of the squares that a claim's words name."""
    terms = (*claim.subjects, *claim.objects)
    named = {chess.square_name(term.square) for term in terms if term.square is not None}
    written = {square for term in terms if term.move for square in _SQUARE.findall(term.text)}
    return frozenset(named | written)


def _shown(lines: Mapping[str, str], event: Disqualifier) -> Iterator[str]:
    """Yield the squares to which written moves that show the event go."""
    sign = _SIGNS.get(event)
    words = [word for name in _MOVES for word in lines.get(name, "").split()]
    for word in words if sign else ():
        move = _WRITTEN.fullmatch(word)
        if move and sign and sign in word:
            yield move.group(1)


def _mates(lines: Mapping[str, str]) -> list[str]:
    return [when for when in ("before", "after") if "mate" in lines.get(f"evaluation {when}", "")]
