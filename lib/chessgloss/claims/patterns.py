"""What a claim looks like: regular expressions over the tags of a sentence, by kind.

A pattern's named groups say which elements act (``subj``, ``agent``) and which are acted on
(``obj``, ``behind``). Where ``subj`` finds nothing, whatever was spoken of before may be
meant (see :mod:`chessgloss.claims.subjects`). The tags are those of
:mod:`chessgloss.claims.lexicon` and :mod:`chessgloss.claims.phrases`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chessgloss.claims.records import Kind

#: Pieces and squares acted on: one, a list, or a pronoun.
_OBJECTS = r"(?P<obj>[NS](?:(?:,&|,|&)o?[NS](?![bvhadxVkipg]))*|T(?![bvhaA]))"
_PIECES = r"(?P<obj>N(?:(?:,&|,|&)N)*)"
#: What acts, and the small words between it and its verb.
_SUBJECT = r"(?:(?P<subj>(?:[NM]&)?[NMTCS])(?P<mid>,?T?[bvhn_]{0,4}))?"
#: The one that acts in the passive; two, where nothing behind the second makes it a subject.
_BY = r"[yw](?P<agent>N&N(?![^,;&otwf])|[NMC])"
_AGENT = rf"(?:_?{_BY})?"
#: What undergoes, and the small words behind it.
_PASSIVE = r"(?P<obj>[NST])(?:,?T)?[bvn_h]{1,4}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way of making a claim.

    Parameters
    ----------
    kind, relation
        What is claimed.
    tags
        Regular expression over a sentence's tags; its group ``verb`` is the verb.
    """

    kind: Kind
    relation: str
    tags: re.Pattern[str]


def _pattern(kind: Kind, relation: str, tags: str) -> Pattern:
    return Pattern(kind, relation, re.compile(tags))


PATTERNS: tuple[Pattern, ...] = (
    # attacks and defences
    _pattern("attack", "attacks", _SUBJECT + r"(?P<verb>[aA])o?" + _OBJECTS + _AGENT),
    _pattern("attack", "attacks", _PASSIVE + r"(?P<verb>A)" + _AGENT),
    _pattern("attack", "attacks", r"(?P<obj>[NS])(?:,?&)?(?P<verb>A)_?" + _BY),
    _pattern("attack", "attacks", r"&(?P<verb>A)_?" + _BY),
    _pattern("attack", "defends", _SUBJECT + r"(?P<verb>d)" + _OBJECTS + _AGENT),
    _pattern("attack", "defends", _PASSIVE + r"(?P<verb>G)" + _AGENT),
    _pattern("attack", "defends", r"(?P<obj>[NS])(?P<verb>G)_?" + _BY),
    _pattern("attack", "defends", r"&[b_]?(?P<verb>G)_?" + _BY),
    _pattern("attack", "controls", _SUBJECT + r"(?P<verb>V)(?P<obj>S(?:(?:,&|,|&)S)*)"),
    _pattern("attack", "loose", r"(?P<obj>[NT])(?:,?T)?[bnv_h]{0,3}(?P<verb>U)(?!N)"),
    _pattern("structure", "shelters", r"(?P<subj>N)(?P<verb>s)" + _PIECES),
    # captures and exchanges
    _pattern("capture", "captures", _SUBJECT + r"(?P<verb>x)o?(?P<obj>[NST])" + _AGENT),
    _pattern("capture", "captures", _SUBJECT + r"(?P<verb>x)(?:n|(?![oNST]))" + _AGENT),
    _pattern("capture", "captures", _PASSIVE + r"(?P<verb>X)" + _AGENT),
    _pattern("capture", "exchanges", _SUBJECT + r"(?P<verb>r)" + _PIECES + r"(?:_(?P<behind>N))?"),
    _pattern("capture", "exchanges", r"(?P<obj>N)[bvh]{1,3}(?P<verb>r)(?!N)"),
    # forks, pins, skewers
    _pattern("tactic", "forks", _SUBJECT + r"(?P<verb>k)[_f]?" + _OBJECTS),
    _pattern("tactic", "pins", _SUBJECT + r"(?P<verb>i)(?P<obj>[NT])(?:[ty]_?(?P<behind>N))?"),
    _pattern(
        "tactic", "pins", _PASSIVE + r"(?P<verb>I)(?:t(?P<behind>N))?" + _AGENT
        + r"(?:t(?P<behind2>N))?",
    ),
    _pattern(
        "tactic",
        "skewers",
        _SUBJECT + r"(?P<verb>e)(?P<obj>N)(?:(?:,?&|t|_|,)(?P<behind>N))?",
    ),
)  # fmt: skip
