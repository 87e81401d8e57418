"""Moves named in a sentence: written ones, ones told in words, castling, promotion."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import chess

from chessgloss.claims.clauses import Sentence
from chessgloss.claims.notation import Notation
from chessgloss.claims.records import Claim, Stance, Tense, Term

_SQUARE_BEHIND = r"(?:[ot]z?|f)?(?P<to>S)"
_GOES = (
    re.compile(
        r"(?P<piece>N)(?P<mid>[Tbvhn_]{0,3})(?P<verb>[g_])_?(?:yz?(?P<src>S))?" + _SQUARE_BEHIND
    ),
    re.compile(r"(?P<piece>N)(?P<mid>[Tbvhn]{0,3})(?P<verb>[g_])tz?(?P<to>S)"),
    re.compile(r"(?P<verb>[gp])(?P<piece>N)(?:yz?(?P<src>S))?[ot]z?(?P<to>S)"),
    re.compile(r"(?P<piece>N)_?t(?P<to>S)"),
)
_PUT = re.compile(r"(?P<verb>p)(?P<piece>N)")
_CASTLES = re.compile(r"(?:(?P<subj>[NMTC])(?P<mid>[Tbvhn_]{0,3}))?(?P<verb>O)")
_RIGHTS = re.compile(r"(?:rights?|able|ability|possib\w+|option) (?:of |to )$|\bcastling rights")
_PLACING = frozenset({"puts", "put", "putting", "places", "place", "placing", "placed"})

#: Words that set a move against the one played, so that it must have been possible before it.
_INSTEAD_AFTER = re.compile(
    r"\W*(?:\w+\W+){0,2}?(?:was|were|would(?: also| have)|would've|could have|might have"
    r"|should have|had been|instead)\b"
)
_INSTEAD_BEFORE = re.compile(
    r"(?:(?:better|possible|stronger|preferable|alternative|correct|simpler|right|best|playable"
    r"|available|missed|option|idea)\W+(?:was|were|would have been)\W+(?:\w+\W+){0,2}"
    r"|instead(?: of)?[\s,]+|why not\W+|(?:could|should|might) have (?:also )?(?:played|tried)\W+"
    r"|preferred\W+|missed\W+)(?:\d+\W+)?$"
)
_SUGGESTS = re.compile(r"\b(?:why not|what about|how about|what if)\W+(?:\d+\W+)?$")
#: Words of plans and variations before a move, and of the past behind it: not of this position.
_REMOTE_BEFORE = re.compile(
    r"\b(?:will be|would|if|then|followed|follows|until|once|when|whenever|ideas?|plans?"
    r"|variations?"
    r"|themes?|lines?|later|eventually|previous\w*|earlier|example|mated by|an early|lost|forced"
    r"|had played"
    r"|have played|opening|move \d+|by playing)\b"
)
_REMOTE_AFTER = re.compile(
    r"\W*(?:\w+ )?(?:did|was (?:obviously |clearly |a |an )*(?:bad|necessary|wrong|premature"
    r"|mistake|error)"
    r"|forced|has been|had|is (?:no longer|not|impossible)|isn't)\b"
)
#: Words that offer a move to be played at once.
_OFFERS = re.compile(
    r"^(?!.*\b(?:later|eventually|then|soon|once|after|if|when|until|not|cannot|instead)\b)"
    r".*\b(?:should|can|could|must|may|might|will)\s+(?:\w+ ){0,2}?"
    r"(?:reply|respond|answer|play|try|continue|choose|recapture)\b[^;]*$"
)
_CANNOT = re.compile(r"\b(?:cannot|can't|can not|unable to|couldn't|could not|no longer)\b")


def find(text: str, sentence: Sentence) -> Iterator[Claim]:
    """Yield the claims on moves that a sentence makes."""
    yield from _told(text, sentence)
    yield from _written(sentence)
    yield from _castling(text, sentence)


def _told(text: str, sentence: Sentence) -> Iterator[Claim]:
    taken: set[int] = set()
    for pattern in _GOES:
        for match in pattern.finditer(sentence.tags):
            if not taken & set(range(*match.span())):
                claim = _goes(text, sentence, match)
                taken |= set(range(*match.span())) if claim else set()
                yield from [claim] if claim else []
    for match in _PUT.finditer(sentence.tags):
        term = sentence.elements[match.start("piece")].terms[0]
        placing = sentence.elements[match.start("verb")].word in _PLACING
        if match.start() not in taken and term.square is not None and placing:
            notation = Notation(_only(term.pieces), term.square)
            yield _claim(text, sentence, match.span(), term, notation)


def _goes(text: str, sentence: Sentence, match: re.Match[str]) -> Claim | None:
    element = sentence.elements[match.start("piece")]
    if len(element.terms) > 1 or _stays(sentence, match):
        return None
    term = element.terms[0]
    source = term.square
    if match.re.groupindex.get("src") and match["src"]:
        source = sentence.elements[match.start("src")].terms[0].square
    to = sentence.elements[match.start("to")].terms[0].square
    notation = Notation(
        _only(term.pieces),
        to,
        file=term.file if source is None else chess.square_file(source),
        rank=None if source is None else chess.square_rank(source),
    )
    return _claim(text, sentence, match.span(), term, notation)


def _stays(sentence: Sentence, match: re.Match[str]) -> bool:
    """Tell whether an unknown verb with no ``to`` says that no piece moves."""
    if match.re.groupindex.get("verb") is None:
        return False
    between = sentence.tags[match.start("verb") : match.start("to")]
    return sentence.tags[match.start("verb")] == "_" and "t" not in between


def _claim(
    text: str, sentence: Sentence, extent: tuple[int, int], term: Term, notation: Notation
) -> Claim:
    first, last = extent
    span = (sentence.elements[first].span[0], sentence.elements[last - 1].span[1])
    bare = sentence.tags[first : first + 2] == "Nt"
    loose = bare and first > 0 and sentence.tags[first - 1] not in ",;&"
    move = replace(
        term, role="move", move=notation, square=notation.to, span=span, definite=not loose
    )
    if term.side is None and first and sentence.tags[first - 1] == "C":
        move = replace(move, side=sentence.elements[first - 1].terms[0].side)
    relation = "played" if asserts(sentence, first, last) and not bare else "legal"
    return Claim(
        "move",
        text[slice(*span)],
        span,
        _denied(sentence, span) or relation,
        (),
        (move,),
        sentence.stance(first, last),
        _tense(sentence, span),
    )


def _denied(sentence: Sentence, span: tuple[int, int]) -> str | None:
    """Return the relation of a move said to be impossible."""
    words = sentence.words[: span[1] - sentence.start]
    return "impossible" if _CANNOT.search(words, max(0, len(words) - 60)) else None


def _only(pieces: frozenset[chess.PieceType]) -> chess.PieceType | None:
    return next(iter(pieces)) if len(pieces) == 1 else None


def asserts(sentence: Sentence, first: int, last: int) -> bool:
    """Tell whether the sentence says outright that a move is made."""
    start = sentence.clause_start(first)
    around = sentence.tags[start:last]
    unsaid = bool(set(around) & set("hnHB!@#")) or "B" in sentence.tags
    infinitive = sentence.tags[max(0, first - 1) : first] == "t"
    future = re.search(
        r"\b(?:will|going to|next|if|then|would|could|threat\w*|forc\w+)\b", sentence.words
    )
    return not (unsaid or infinitive or future or sentence.asked)


def _written(sentence: Sentence) -> Iterator[Claim]:
    for index, element in enumerate(sentence.elements):
        if element.tag != "M" or element.terms[0].move is None:
            continue
        (term,) = element.terms
        move = replace(
            term,
            side=_player(sentence, index) if term.side is None else term.side,
            definite=_is_offered(sentence, index)
            or (term.definite and not _is_remote(sentence, index)),
            numbered=None if "threat" in sentence.words else term.numbered,
        )
        relation = "played" if _is_played(sentence, index) else "legal"
        stance = _stance(sentence, index)
        tense = _tense(sentence, term.span)
        yield Claim("move", term.text, term.span, relation, (), (move,), stance, tense)
        stance = replace(stance, negated=False)
        if move.move and move.move.mate:
            yield Claim("mate", term.text, term.span, "move_mates", (), (move,), stance, tense)
        elif move.move and move.move.check:
            yield Claim("check", term.text, term.span, "move_checks", (), (move,), stance, tense)


def _is_remote(sentence: Sentence, index: int) -> bool:
    """Tell whether a move without a number stands behind words of plans, lines or the past."""
    element = sentence.elements[index]
    if element.terms[0].numbered is not None:
        return False
    start = element.span[0] - sentence.start
    before, after = sentence.words[:start], sentence.words[start + len(element.word) :]
    return bool(_REMOTE_BEFORE.search(before) or _REMOTE_AFTER.match(after))


def _stance(sentence: Sentence, index: int) -> Stance:
    stance = sentence.stance(index, index + 1)
    words = sentence.words[: sentence.elements[index].span[0] - sentence.start]
    if _SUGGESTS.search(words):
        return Stance()
    return replace(stance, supposed=False) if _is_offered(sentence, index) else stance


def _is_offered(sentence: Sentence, index: int) -> bool:
    """Tell whether a move is told as one that can be played at once: ``can reply with Nd5``."""
    element = sentence.elements[index]
    if not element.terms[0].definite and element.tag == "S":
        return False
    return _OFFERS.search(sentence.words[: element.span[0] - sentence.start]) is not None


def _tense(sentence: Sentence, span: tuple[int, int]) -> Tense:
    """Return ``before`` for a move that is set against the one played."""
    before = sentence.words[: span[0] - sentence.start]
    after = sentence.words[span[1] - sentence.start :]
    instead = _INSTEAD_BEFORE.search(before) or _INSTEAD_AFTER.match(after)
    return "before" if instead else "any"


def _player(sentence: Sentence, index: int) -> chess.Color | None:
    """Return the side said to play a move: ``White's Nf3``, ``Black plays Nf6``."""
    before = sentence.tags[max(0, index - 3) : index]
    match = re.search(r"C(?:[vh]?p)?#?$", before)
    if match is None:
        return None
    return sentence.elements[index - len(before) + match.start()].terms[0].side


def _is_played(sentence: Sentence, index: int) -> bool:
    said = re.search(r"(?:^|[,;&])(?:(?:[CT]v?|)p|C[^;,M@B]{1,6}[wy])#?$", sentence.tags[:index])
    return said is not None and asserts(sentence, index, index + 1)


def _castling(text: str, sentence: Sentence) -> Iterator[Claim]:
    for match in _CASTLES.finditer(sentence.tags):
        verb = match.start("verb")
        element = sentence.elements[verb]
        if _is_general(sentence, match):
            continue
        rest = sentence.words[element.span[0] - sentence.start :]
        side = next((t.side for t in _before(sentence, verb) if t.role == "side"), None)
        first = match.start()
        span = (sentence.elements[first].span[0], element.span[1])
        relation = _castling_relation(sentence, match)
        term = Term("move", element.word, element.span, side, move=Notation(castles=_wing(rest)))
        kind = "move" if relation in ("castles", "played", "legal") else "structure"
        yield Claim(
            "move" if kind == "move" else "structure",
            text[slice(*span)],
            span,
            relation,
            (),
            (term,),
            _castling_stance(sentence, match, relation),
            _tense(sentence, span),
            ("both",) if re.search(r"\bboth\b", sentence.words) else (),
        )


def _castling_stance(sentence: Sentence, match: re.Match[str], relation: str) -> Stance:
    stance = sentence.stance(match.start("verb"), match.end())
    if relation == "legal":
        return Stance()
    return replace(stance, negated=False) if relation == "loses_right" else stance


def _is_general(sentence: Sentence, match: re.Match[str]) -> bool:
    """Tell whether castling is only spoken of: ``castling is dangerous``, ``players castle``."""
    verb = match.start("verb")
    word = sentence.elements[verb].word
    before = sentence.tags[verb - 1 : verb]
    if word.startswith("castling") or word.endswith("castling"):
        prevented = verb > 0 and sentence.elements[verb - 1].word == "from"
        said = before in (",", "y", "C", "w", "") or "right" in sentence.words
        return prevented or not said
    base = word == "castle" or word.startswith("castle ")
    return base and before not in tuple("vhntC!&")


def _before(sentence: Sentence, index: int) -> Iterator[Term]:
    for element in reversed(sentence.elements[:index]):
        if element.tag in ";":
            return
        yield from element.terms


def _wing(words: str) -> str:
    """Return the wing that the words about castling name."""
    found = re.match(r"(?:\w+ (?:to |on )?(?:the )?)?(king|short|queen|long)", words)
    if found is None:
        return "either"
    return "K" if found[1] in ("king", "short") else "Q"


def _castling_relation(sentence: Sentence, match: re.Match[str]) -> str:
    element = sentence.elements[match.start("verb")]
    before = sentence.words[: element.span[0] - sentence.start]
    around = before[-40:] + sentence.words[element.span[0] - sentence.start :][:25]
    if re.search(r"right|option", around):
        loses = re.search(
            r"\b(?:los\w+|gives? up|giving up|forfeit\w*|abandon\w*|without|no)\b", around
        )
        return "loses_right" if loses else "has_right"
    if element.word.startswith("castled") and "un" + element.word not in around:
        return "castled"
    if _CANNOT.search(before):
        return "impossible"
    if re.search(r"\b(?:ready|next move|at once|immediately|now)\b", sentence.words):
        return "legal"
    if re.search(r"\b(?:can|may|could|still|to|wants?|will)\b[\w\s]*$", before[-25:]):
        return "may_castle"
    return "played" if asserts(sentence, match.start(), match.end()) else "legal"
