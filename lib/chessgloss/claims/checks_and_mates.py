"""Checks and mates named in a sentence: given, threatened, answered, or counted in moves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import chess

from chessgloss.claims.clauses import Sentence
from chessgloss.claims.records import Claim, Kind, Term
from chessgloss.claims.subjects import Scope

#: Small words between a verb and ``check`` or ``mate``.
_FILLERS = (
    r"(?:(?:an?|no|not|another|immediate|strong|nasty|simple|useful|also|even|indeed|already|now"
    r"|discovered|double|smothered|back-rank|back rank|beautiful|lovely|nice|simply|just|forced"
    r"|still|any|pretty|neat|instant|only)\s+)*$"
)
#: Words behind which ``check`` or ``mate`` is something that happens: given, or is there.
_ANNOUNCES = re.compile(
    r"(?:\bgiv(?:es?|ing|en)|\bgave|\bdeliver\w*|\bwith|\bwithout|\bis|\bwas|\bit's|\bthat's"
    r"|\bisn't|\bwasn't|\bnot|\bbeen?|\bannounc\w*|\band|[,:;]|^)\s*" + _FILLERS
)
#: Words after ``check`` that make it no chess check, or one that is to come.
_LOOSE_AFTER = re.compile(
    r"\s*(?:that|if|whether|out|how|what|his|her|your|for|left|available|ideas?|threats?)\b"
)
_LOOSE_BEFORE = re.compile(
    r"(?:perpetual|spite|future|further|many|series of|one|two|keep\w* (?:\S+ ){1,3}in"
    r"|held? (?:\S+ ){1,3}in)\s+(?:a )?$"
)
_ESCAPES = re.compile(
    r"\b(?:(?:block|answer|parr|escap|evad|interpos|meet|sidestep|stop|respond|get|mov|step|run"
    r"|deal)\w* (?:\w+ ){0,3}?(?:the|out of|from|to the|with the) check(?!mate)\b)"
)
_MATE_IN = re.compile(
    r"\b(?:(?:check)?mate|mates|mating|mated)[\s-]+in[\s-]+(?:just |only )?"
    r"(?P<count>one|two|three|four|five|six|\d+)\b|[#m](?P<count2>\d+)\b"
)
_THREATENS = re.compile(r"threat\w*\W+(?:\w+\W+){0,3}?$")
_MATE_LOOSE_AFTER = re.compile(
    r"\s*(?:attack|net|threat|pattern|ideas?|chances?|combin|material|next|soon|follows|cannot"
    r"|is\b|looms|will|would|was on|on\b(?! the (?:spot|board))|at the|to follow|can\b|could"
    r"|after|by\b)"
)
_IS_MATED = re.compile(r"\b(?:is|are|'s|been|was)\s+(?:now |already |simply )?$")
#: A king said to be in mate, and words that make it an aim.
_IN_MATE = re.compile(r"\bking (?:is |now )*in\s+(?:an? )?$")
_AIMED = re.compile(r"\b(?:to|can|could|may|might|will)\s+(?:\w+ly )?(?:\w+)\b[^,;:]*$")
_CONDITION = re.compile(r"\b(?:if|otherwise|after|when|then|unless|before|until|as before)\b")
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_STALEMATE = re.compile(r"^(?:it|this)(?: is|'s) stalemate\b|\bis stalemated\b")


def find(text: str, sentence: Sentence, scope: Scope) -> Iterator[Claim]:
    """Yield the claims of check and mate that a sentence makes."""
    for index, element in enumerate(sentence.elements):
        words = sentence.words
        start, stop = (edge - sentence.start for edge in element.span)
        before, after = words[:start], words[stop:]
        if element.tag == "c":
            relation = _check(element.word, before, after, sentence, index)
            if relation:
                yield _claim(text, sentence, index, "check", relation, scope)
        elif element.tag == "m":
            yield from _mate(text, sentence, index, before, after, scope)
    for match in _ESCAPES.finditer(sentence.words):
        span = (match.start() + sentence.start, match.end() + sentence.start)
        yield Claim("check", text[slice(*span)], span, "was_in_check")
    for match in _STALEMATE.finditer(sentence.words):
        span = (match.start() + sentence.start, match.end() + sentence.start)
        index = sum(element.span[0] < span[0] for element in sentence.elements)
        stance = sentence.stance(index - 1, index)
        yield Claim("mate", text[slice(*span)], span, "is_stalemate", stance=stance)


def _check(word: str, before: str, after: str, sentence: Sentence, index: int) -> str | None:
    """Return what is said of a check; ``None`` if none is said to happen."""
    noun = re.search(r"(?:^|[,;:] )an? (?:\w+ )?$", before) is not None
    loose = word in ("check", "checking") and _LOOSE_AFTER.match(after) and not noun
    if loose or _LOOSE_BEFORE.search(before):
        return None
    if word == "checked" and re.search(r"\b(?:have|has|had)\s+$", before):
        return "gives_check"
    if before.endswith("in ") or word == "checked":
        return "in_check"
    if word in ("checks", "checking"):
        verb = sentence.tags[index - 1 : index] in ("N", "M", "C", "T", "&", "_", ",", "")
        return "gives_check" if verb and re.match(r"[NCT]|$", sentence.tags[index + 1 :]) else None
    if not (noun or _ANNOUNCES.search(before) or sentence.tags[index - 1 : index] == "M"):
        return None
    if re.search(r"\bdiscovered\s*$", before):
        return "discovered_check"
    return "double_check" if re.search(r"\bdouble\s*$", before) else "gives_check"


def _mate(
    text: str, sentence: Sentence, index: int, before: str, after: str, scope: Scope
) -> Iterator[Claim]:
    element = sentence.elements[index]
    counted = _MATE_IN.match(sentence.words, element.span[0] - sentence.start)
    threat = _THREATENS.search(before) is not None
    if re.search(r"[!h]$", sentence.tags[:index]) and not counted:
        return
    if re.match(r"\s*(?:on the )?next", after):
        yield _claim(text, sentence, index, "mate", "threatens_mate", scope, "1")
    elif counted:
        number = counted["count"] or counted["count2"]
        count = _NUMBERS.get(number) or int(number)
        relation = "threatens_mate" if threat else "mate_in"
        yield _claim(text, sentence, index, "mate", relation, scope, str(count), counted.end())
    elif threat:
        yield _claim(text, sentence, index, "mate", "threatens_mate", scope, "0")
    elif _is_mate(element.word, before, after, sentence, index):
        yield _claim(text, sentence, index, "mate", "is_mate", scope)


def _is_mate(word: str, before: str, after: str, sentence: Sentence, index: int) -> bool:
    """Tell whether a mate is said to be on the board, not to be looked for or feared."""
    if _MATE_LOOSE_AFTER.match(after):
        return False
    if word in ("mated", "checkmated"):
        ends = re.match(r"\s*(?:$|[,;:(])", after) is not None
        return ends and bool(_IS_MATED.search(before)) and not _CONDITION.search(sentence.words)
    if word in ("mates", "checkmates"):
        return sentence.tags[index - 1 : index] in ("N", "M", "C", "T")
    if word in ("mate", "checkmate"):
        stops = re.match(
            r"(?: too| already| here| at once| on the spot| on the board)?\s*(?:$|[,;:(])", after
        )
        loose = re.search(r"(?:\band|,)\s*(?:\w+\s+)?$", before) is not None
        named = re.search(r"M,?$", sentence.tags[:index]) is not None
        if _IN_MATE.search(before):
            return stops is not None and not _AIMED.search(before)
        return named or (bool(_ANNOUNCES.search(before)) and stops is not None and not loose)
    return False


def _claim(
    text: str,
    sentence: Sentence,
    index: int,
    kind: Kind,
    relation: str,
    scope: Scope,
    detail: str = "",
    stop: int = 0,
) -> Claim:
    element = sentence.elements[index]
    first = _verb_start(sentence, index)
    named = re.search(r"M[b,_]{0,2}$", sentence.tags[:first])
    subjects = scope.subject(sentence, first)
    stance = sentence.stance(first, index + 1)
    if named:
        first = named.start()
        subjects = sentence.elements[first].terms
        stance = sentence.stance(first, index + 1, alone=True)
    elif sentence.elements[index - 1].word == "with":
        subjects = scope.before(sentence, first)
    elif element.word in ("mated", "checkmated"):
        subjects = ()
    elif sentence.tags[first - 1 : first] == "T" or stance.supposed or stance.able:
        subjects = _only_move(sentence) or subjects
    if named is None and re.search("[h!]", sentence.tags[:first]):
        stance = replace(stance, supposed=True)
    end = max(element.span[1], stop + sentence.start if stop else 0)
    span = (sentence.elements[first].span[0], end)
    return Claim(
        kind,
        text[slice(*span)],
        span,
        relation,
        subjects,
        _checked(sentence, index),
        stance,
        sentence.tense(first, index + 1),
        (detail,) if detail else ("had",) if re.search(r"\bhad\b", text[slice(*span)]) else (),
    )


def _only_move(sentence: Sentence) -> tuple[Term, ...]:
    """Return the one move that a sentence writes, of which a supposed check then speaks."""
    moves = [element for element in sentence.elements if element.tag == "M"]
    return moves[0].terms if len(moves) == 1 else ()


def _verb_start(sentence: Sentence, index: int) -> int:
    """Take in the words right before: ``gives check``, ``puts the king in``."""
    words = {"gives", "give", "giving", "with", "delivers", "delivering", "in", "threatens",
             "threatening", "threaten", "is", "comes", "a", "an", "delivered", "discovered",
             "double", "gave", "forced", "no", "had", "given", "has"}  # fmt: skip
    while index > 0 and sentence.elements[index - 1].word in words:
        index -= 1
    return index


def _checked(sentence: Sentence, index: int) -> tuple[Term, ...]:
    """Return the king or side said to be in check: behind the word, or before ``in check``."""
    behind = re.match(r".t?([NC])", sentence.tags[index:])
    if behind:
        term = sentence.elements[index + behind.start(1)].terms[0]
        return (term,) if term.role == "side" or term.pieces == {chess.KING} else ()
    mated = sentence.elements[index].word in ("mated", "checkmated")
    if sentence.elements[index - 1].word != "in" and not mated:
        return ()
    for element in reversed(sentence.elements[max(0, index - 5) : index]):
        for term in element.terms:
            if term.role == "side" or term.pieces == {chess.KING}:
                return (term,)
    return ()
