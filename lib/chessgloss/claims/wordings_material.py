"""Wordings of claims of material, promotion, pawn files and discovered attacks."""

from __future__ import annotations

from chessgloss.claims.wording import SIDE, SIDE_IS, Wording, alternatives, wording

#: ``a``, ``two``, ``3``.
COUNT = r"(?P<count>an?|one|two|three|four|five|\d+)"
_NUMBER = "no|one|two|three|four|five|six|seven|eight|\\d"
_PIECES = "pawn|piece|rook|queen|knight|bishop|minor piece"
UNIT = rf"(?P<unit>(?:(?:clear|full|extra|whole|clean|healthy) )*(?:{_PIECES}|exchange|point)s?)"
_STILL = r"(?:still |now |only |just |already )*"
_EXACTLY = r"(?: (?:only|just|still|exactly|now|got|already))*"
_BEGINS = r"(?:^|[,;:] ?|with )(?:still )?"
_SIZE = r"(?:(?:whole|full|clear) )*"

_WON = alternatives("wins|win|winning|won|nets|netted|netting|gains|picks up")
_PRIZE_WORDS = r"(?:(?:clean|clear|full|whole|free|safe|healthy|black|white|second|valuable) )*"
_PRIZE = rf"{_PRIZE_WORDS}(?P<unit>pawn|piece|knight|bishop|rook|queen|exchange|material)\b"
_PIECE_MADE = r"(?:a |an )?(?:new |second )?(?P<piece>queen|rook|bishop|knight)"
_ON_LAST = r"(?: on (?P<square>[a-h][18]))?"
_OPENNESS = alternatives(r"half-?\s?open|semi-?\s?open|open|opened|closed")

AHEAD: tuple[Wording, ...] = (
    wording("material", "ahead", rf"\b{SIDE_IS} {COUNT} {UNIT} (?:up|ahead|to the good)\b"),
    wording("material", "ahead", rf"\b{SIDE_IS} (?:up|ahead)(?: by)? {COUNT} {UNIT}\b"),
    wording("material", "ahead", rf"\b{SIDE_IS} (?:up|ahead) (?P<unit>the exchange)\b"),
    wording("material", "ahead", rf"\b{SIDE_IS} (?P<unit>the exchange) (?:up|ahead)\b"),
    wording("material", "behind", rf"\b{SIDE_IS} {COUNT} {UNIT} (?:down|behind)\b"),
    wording("material", "behind", rf"\b{SIDE_IS} (?:down|behind)(?: by)? {COUNT} {UNIT}\b"),
    wording("material", "behind", rf"\b{SIDE_IS} (?:down )?(?P<unit>the exchange)(?: down)?\b"),
    wording(
        "material",
        "ahead",
        rf"\b{SIDE_IS} (?:(?:up|ahead) (?:in |on )?material|material (?:up|ahead))\b",
    ),
    wording(
        "material",
        "behind",
        rf"\b{SIDE_IS} (?:(?:down|behind) (?:in |on )?material|material (?:down|behind))\b",
    ),
    wording(
        "material", "ahead", rf"\b{SIDE} has (?:a|the) material (?:advantage|edge|lead|plus)\b"
    ),
    wording(
        "material",
        "ahead",
        rf"\b{SIDE} (?:has|with) an extra (?P<unit>pawn|piece|rook|queen|knight|bishop|exchange)\b",
    ),
    wording("material", "ahead", rf"{_BEGINS}{COUNT} {_SIZE}{UNIT} (?:up|ahead|to the good)\b"),
    wording("material", "behind", rf"{_BEGINS}{COUNT} {_SIZE}{UNIT} (?:down|behind)\b"),
    wording(
        "material",
        "level",
        r"\bmaterial(?:'s| (?:is|remains|stays|was))"
        r"(?: (?:still|now|completely|dead|exactly|roughly))* (?:equal|level|even|balanced)\b",
    ),
    wording("material", "level", r"\b(?:equal|level|even) (?:on |in )?material\b"),
)

COUNTS: tuple[Wording, ...] = (
    wording(
        "material",
        "pair",
        rf"\b{SIDE}(?:'s| (?:has|keeps|retains|owns|enjoys|possesses|with))?(?: still| has)?"
        r" (?:the|a) (?:bishop pair|pair of bishops|two bishops)\b",
    ),
    wording(
        "material",
        "counts_both",
        rf"\b(?:both sides|each side|both players|each player) {_STILL}(?:has|have|with){_EXACTLY}"
        rf" (?P<count>{_NUMBER}) (?P<noun>(?:pawn|piece|rook|queen|knight|bishop)s?)\b",
    ),
    wording(
        "material",
        "no_more",
        r"\b(?:the )?(?P<noun>queens|rooks|knights|bishops) (?:are|have been|have come|come)"
        r" (?:now )?(?:off|traded off|exchanged off)(?: the board)?\b",
    ),
)

GAINS: tuple[Wording, ...] = (
    wording(
        "material",
        "wins",
        rf"\b{_WON}(?: back)? (?:(?:a|an|the|at least a|some) )?{_PRIZE}(?! (?:on|from))",
    ),
    wording(
        "material",
        "exchange_result",
        r"\bby exchanges on (?P<square>[a-h][1-8]) (?P<side>white|black)"
        r" (?P<deed>wins|loses) (?P<count>\d+) pawns?\b",
    ),
    wording(
        "material",
        "exchange_result",
        r"\bexchanges on (?P<square>[a-h][1-8]) (?P<even>come out even)\b",
    ),
    wording(
        "material",
        "brings",
        r"\bthe move brings (?P<side>white|black) (?P<count>\d+) pawns? of material\b",
    ),
    wording("capture", "en_passant", r"\ben passant\b|\be\.p\."),
)

PROMOTIONS: tuple[Wording, ...] = (
    wording(
        "move",
        "promotes",
        r"\b(?:under-?)?promot(?:es|ed|ing)(?: (?:the |his |her )?pawn)?"
        rf"(?: (?:to|into) {_PIECE_MADE})?{_ON_LAST}",
    ),
    wording(
        "move",
        "promotes",
        r"\bmakes (?:a|another|a new|a second) (?P<piece>queen|knight|rook|bishop)\b",
    ),
    wording("move", "promotes", rf"\bpawn (?:queens|becomes {_PIECE_MADE}|queened){_ON_LAST}"),
)

STRUCTURES: tuple[Wording, ...] = (
    wording(
        "tactic",
        "discovers",
        r"\b(?:(?:with|is|by|unleash\w+|creat\w+|mak\w+|giv\w+|using"
        r"|thanks to) an? discovered attack"
        r"|discover(?:s|ing) an attack)\b",
    ),
    wording(
        "structure",
        "open_file",
        rf"\b(?P<half>{_OPENNESS}) (?P<file>[b-h]|a(?=-)|(?<=the )a)[-\s]file\b",
    ),
    wording(
        "structure",
        "open_file",
        r"\b(?P<file>[b-h]|a(?=-)|(?<=the )a)[-\s]file (?:is|was|stays|remains|becomes)"
        r"(?: (?:now|still|completely|fully|wide))* (?P<half>half-?open|semi-?open|open|closed)\b"
        r"(?: for (?P<side>white|black))?",
    ),
    wording(
        "structure",
        "opens_file",
        r"\b(?P<half>(?:half-?\s?|semi-?\s?)?(?:opens|opening|opened))(?: up)?(?: the)?"
        r" (?P<file>[b-h]|a(?=-)|(?<=the )a)[-\s]file\b(?P<fully> completely| fully)?",
    ),
)
