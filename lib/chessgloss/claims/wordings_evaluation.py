"""Wordings of judgements: who is better and by how much, whether a move is good or bad."""

from __future__ import annotations

from chessgloss.claims.wording import SIDE, SIDE_IS, Wording, alternatives, wording

#: Centipawns that the words ask for, on the scale of the engine's verdict. What is called a
#: blunder is false only below the class of that name (see ``facts.verdict``).
_BETTER, _WINNING, _EQUAL = "bound=50", "bound=250", "bound=60"
_TURNED = "turned=1"

_DEGREE = alternatives(
    "slightly|a (?:little|bit|touch)|much|clearly|significantly|far|considerably|completely|totally"
    "|simply|just|easily|marginally|somewhat|a lot|probably|comfortably|objectively|practically"
    "|decisively"
)
_QUITE = alternatives("completely|totally|easily|clearly|technically")
_WON_GAME = alternatives("position|advantage|game|endgame|ending|edge|attack")
_HAS = alternatives("has|holds|keeps|enjoys|retains|maintains|gets|obtains|with")
_SIZE = alternatives(
    "small|slight|clear|big|large|huge|significant|considerable|comfortable|modest|tiny|solid"
    "|definite|winning|decisive"
)
_ROUGHLY = alternatives(
    "still|now|roughly|about|approximately|completely|dead|more or less|objectively|dynamically"
)
_EVEN = "equal|level|balanced|even"
_NOT_OF = r"(?! (?:the|a|an|back|two|one|material|move)\b)"

SIDES: tuple[Wording, ...] = (
    wording(
        "evaluation",
        "better",
        rf"\b{SIDE_IS} (?:{_DEGREE} )?(?:better|superior|on top|for choice|ahead(?! (?:by|in|on"
        rf"|a)\b))"
        r"(?! (?:off|to|than|with|by)\b)",
        _BETTER,
    ),
    wording(
        "evaluation",
        "better",
        rf"\b{SIDE_IS} (?:{_DEGREE} )?(?:worse|inferior)\b(?! (?:than|to|off)\b)",
        _BETTER,
        _TURNED,
    ),
    wording(
        "evaluation", "better", rf"\b{SIDE_IS} (?:{_DEGREE} )?(?:winning|won)\b{_NOT_OF}", _WINNING
    ),
    wording(
        "evaluation",
        "better",
        rf"\b{SIDE} has an? (?:{_QUITE} )?(?:winning|decisive|won|crushing|overwhelming)"
        rf" {_WON_GAME}\b",
        _WINNING,
    ),
    wording(
        "evaluation",
        "better",
        rf"\b{SIDE_IS} (?:{_DEGREE} )?(?:lost|losing)\b"
        r"(?! (?:the|a|an|his|her|its|material|two|one|track|time|control)\b)",
        _WINNING,
        _TURNED,
    ),
    wording(
        "evaluation",
        "better",
        rf"\b{SIDE} {_HAS} (?:a|an|the|some) (?:{_SIZE} )*(?:advantage|edge|plus|upper hand)\b",
        _BETTER,
    ),
    wording(
        "evaluation",
        "better",
        rf"\b{SIDE} (?:takes over|seizes|has|gets|enjoys|holds|keeps|obtains) the"
        r" (?:advantage|better (?:game|position|chances|of it)|upper hand|edge)\b",
        _BETTER,
    ),
    wording(
        "evaluation",
        "better",
        rf"\b(?:{_SIZE} )*(?:advantage|edge|plus) (?:to|for|of|goes to|lies with)"
        r" (?P<side>white|black)\b",
        _BETTER,
    ),
    wording(
        "evaluation",
        "better",
        r"\b(?:position|evaluation|game|engine|balance)(?: (?:is|now|clearly|strongly|heavily"
        r"|slightly))*"
        r" (?:favou?rs|favou?rable (?:to|for)|favou?ring|prefers) (?P<side>white|black)\b",
        _BETTER,
    ),
    wording(
        "evaluation",
        "better",
        rf"\b{SIDE} (?:is )?(?:wins|winning)"
        r" (?:easily|comfortably|trivially|without difficulty|by force|at will)\b",
        _WINNING,
    ),
    wording(
        "evaluation",
        "better",
        r"(?<!\bmove )(?<!it )\b(?:is|are|stands|'s)"
        rf" (?:(?:now|still|simply|clearly|just|completely|already) )*winning\b{_NOT_OF}",
        _WINNING,
    ),
    wording(
        "evaluation",
        "equal",
        r"\b(?:position|game|evaluation|endgame|ending|it|things|this|chances)"
        rf"(?:'s| is| are| remains| stays| was)(?: {_ROUGHLY})* (?:{_EVEN}|drawn|a draw)\b",
        _EQUAL,
    ),
    wording(
        "evaluation",
        "equal",
        r"\b(?:equality|dead drawn|dead equal|(?:equal|balanced|level|even) position"
        r"|both sides (?:are|stand) (?:about |roughly )?equal)\b",
        _EQUAL,
    ),
    wording("evaluation", "equal", rf"(?:^|[.;,] ?){_ROUGHLY} (?:equal|level|even)\b", _EQUAL),
    wording(
        "evaluation",
        "equal",
        r"\bkeeps? (?:the )?(?:balance|position level|game level|equality)\b",
        _EQUAL,
    ),
)

_BY_FAR = alternatives(
    "clearly|simply|far|much|even|a little|slightly|definitely|also|objectively|certainly"
)
_PREFERRED = "better|stronger|preferable|superior|more accurate|more precise"
_MOVE = alternatives("move|choice|option|defen[cs]e|try|alternative|continuation|reply")
_GRAVE = alternatives(
    "a|an|the|this|that|clear|serious|terrible|huge|big|horrible|outright|bad|grave|major|losing"
    "|real|costly|game-losing|positional|tactical"
)
_FINE = alternatives(
    "good|strong|excellent|solid|fine|great|accurate|brilliant|precise|superb|correct|sound|decent"
    "|sensible|nice|powerful|wonderful|outstanding|fantastic|right|logical"
)
_POOR = alternatives("dubious|bad|poor|weak|questionable|inaccurate")

MOVES: tuple[Wording, ...] = (
    wording(
        "evaluation",
        "better_move",
        rf"\b(?:was|is|were|looks|would have been|would be)(?: {_BY_FAR})* (?:the )?"
        rf"(?:{_PREFERRED})(?: {_MOVE})?\b(?! than)",
    ),
    wording("evaluation", "better_move", rf"\b(?:{_PREFERRED}) (?:was|is|were|would have been)\b"),
    wording(
        "move",
        "legal_count",
        r"\b(?:only|just|exactly) (?P<count>one|two|three|four|five|six|\d+)"
        r" legal (?:moves?|repl(?:y|ies)|options?|answers?|responses?)\b",
    ),
    wording(
        "evaluation",
        "only_move",
        r"\bonly (?:legal |good |sensible )?(?:move|reply|answer|defen[cs]e)(?: available"
        r"| here)?\b",
    ),
    wording(
        "evaluation",
        "best_move",
        r"\b(?:(?:(?:the|clearly|simply|objectively|very) )*best(?: possible| available)?"
        r" (?:move|choice|option|reply|continuation|try)|the engine's (?:first |top )?choice"
        r"|top (?:engine )?(?:choice|move)|strongest (?:move|continuation|option|choice|reply))\b",
    ),
    wording(
        "evaluation",
        "bad_move",
        rf"\b(?:{_GRAVE} )+(?:blunders?|howler)\b|\bblunders?\b(?! (?:the|a|an|his|her)\b)",
        "low=140",
    ),
    wording("evaluation", "bad_move", rf"\b(?:{_GRAVE} )+(?:mistakes?|error)\b", "low=80"),
    wording(
        "evaluation",
        "bad_move",
        r"\ban? (?:(?:serious|slight|minor|small) )*"
        rf"(?:inaccuracy|imprecision|{_POOR} (?:move|choice))\b",
        "low=30",
    ),
    wording(
        "evaluation",
        "good_move",
        rf"\b(?:a|an|the) (?:(?:very|really|quite|perfectly) )*{_FINE} (?:and \w+ )?"
        r"(?:move|choice|decision|reply|response|continuation|option|idea)\b",
        "high=30",
    ),
)
