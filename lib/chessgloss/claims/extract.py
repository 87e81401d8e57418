"""Claims found in a text: from the tags of its sentences, and from its wordings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chessgloss.claims import (
    checks_and_mates,
    told_counts,
    told_moves,
    told_pieces,
    told_threats,
    wordings,
)
from chessgloss.claims.clauses import Sentence, sentences
from chessgloss.claims.patterns import PATTERNS, Pattern
from chessgloss.claims.phrases import chunk
from chessgloss.claims.records import Claim, Stance, Term
from chessgloss.claims.subjects import THIS, Scope, act_together, own_subject
from chessgloss.claims.tokens import tokenise


def extract(text: str) -> tuple[Claim, ...]:
    """Return the checkable claims of an English text on a move, in the order of their spans.

    Nothing is looked up on a board: a claim says what the words say. Empty for a text
    without any.
    """
    found: list[Claim] = []
    scope = Scope()
    for sentence in sentences(text, chunk(text, tokenise(text))):
        found += _of_sentence(text, sentence, scope)
        scope = scope.past(sentence)
    if _UNREADABLE.search(text):
        found = [_less_certain(claim) for claim in found]
    return _in_order(found)


def _less_certain(claim: Claim) -> Claim:
    """Take back the certainty of moves in a text whose lines cannot all be followed."""
    if claim.kind != "move":
        return claim
    moves = tuple(replace(term, definite=False) for term in claim.objects)
    relation = "legal" if claim.relation == "played" else claim.relation
    return replace(claim, relation=relation, objects=moves)


def _of_sentence(text: str, sentence: Sentence, scope: Scope) -> Iterator[Claim]:
    for pattern in PATTERNS:
        for match in pattern.tags.finditer(sentence.tags):
            claim = _from_pattern(text, sentence, pattern, match, scope)
            if claim is not None:
                yield claim
    yield from told_moves.find(text, sentence)
    yield from told_pieces.find(text, sentence)
    yield from told_threats.find(text, sentence)
    yield from told_counts.find(text, sentence)
    yield from checks_and_mates.find(text, sentence, scope)
    yield from wordings.find(text, sentence)


def _from_pattern(
    text: str, sentence: Sentence, pattern: Pattern, match: re.Match[str], scope: Scope
) -> Claim | None:
    first, last = match.start(), match.end()
    if sentence.tags[first] in "&":
        first += 1
    elif match.re.groupindex.get("subj") and first == match.start("subj"):
        first = own_subject(sentence, match)
    span = (sentence.elements[first].span[0], sentence.elements[last - 1].span[1])
    if pattern.relation == "captures" and _takes_away(sentence, span, match):
        return None
    if _has_no_object(sentence, match):
        return None
    objects = [term for group in _OBJECTS for term in scope.terms(sentence, match, group)]
    count = _COUNT.match(sentence.words, span[1] - sentence.start)
    if count:
        span = (span[0], sentence.start + count.end())
    actors = scope.actors(sentence, match)
    return Claim(
        pattern.kind,
        text[slice(*span)],
        span,
        pattern.relation,
        _placed(sentence, match, actors),
        _placed(sentence, match, tuple(objects) or _undergoing(sentence, match, scope)),
        _stance(sentence, match, pattern.relation),
        sentence.tense(first, last),
        _detail(sentence, match, count),
        act_together(sentence, match, actors),
    )


def _stance(sentence: Sentence, match: re.Match[str], relation: str) -> Stance:
    verb = match.start("verb")
    stance = sentence.stance(verb, match.end())
    if "no" in sentence.elements[match.start()].adjectives:
        stance = replace(stance, negated=True)
    if relation in ("captures", "exchanges") and _is_idle(sentence, match, stance):
        stance = replace(stance, supposed=True)
    vague = sentence.elements[verb].word.startswith("threat") and stance.negated
    return replace(stance, supposed=True) if vague else stance


def _is_idle(sentence: Sentence, match: re.Match[str], stance: Stance) -> bool:
    """Tell whether a capture is only spoken of: ``taking it fails``, ``it can't be taken, as``."""
    verb = match.start("verb")
    subject = match.re.groupindex.get("subj") is not None and match["subj"]
    if sentence.elements[verb].word.endswith("ing") and not subject:
        before = sentence.tags[verb - 1 : verb]
        return before not in (",", "_", "b") or (before == "_" and verb == 1)
    if not subject and sentence.elements[verb].word in _BASE_FORMS:
        return sentence.tags[verb - 1 : verb] not in tuple("hvn!C")
    if " of" in sentence.elements[verb].word:
        return True
    passive = match.re.groupindex.get("subj") is None
    reason = re.search(r"\b(?:as|due to|for|or|because|since)\b|:$", sentence.words)
    exchange = sentence.tags[verb] == "r"
    return stance.negated and stance.able and (passive or exchange or reason is not None)


def _placed(sentence: Sentence, match: re.Match[str], actors: tuple[Term, ...]) -> tuple[Term, ...]:
    """Give the subject the square told before it: ``from g8 the queen hits``."""
    place = re.search(r"[yo](S),?$", sentence.tags[: match.start()])
    if place is None or len(actors) != 1 or actors[0].role != "piece" or actors[0].square:
        return actors
    square = sentence.elements[place.start(1)].terms[0].square
    return (replace(actors[0], square=square),)


def _has_no_object(sentence: Sentence, match: re.Match[str]) -> bool:
    """Tell whether a pronoun behind a verb is no object: ``attacked in this manner``."""
    if match.re.groupindex.get("obj") is None or match["obj"] != "T":
        return False
    behind = match.start("obj") > match.start("verb")
    return behind and sentence.elements[match.start("obj")].word not in ("it", "them", "him")


def _undergoing(sentence: Sentence, match: re.Match[str], scope: Scope) -> tuple[Term, ...]:
    """Return what a second passive verb speaks of: ``is hit by e4 and held by the rook``."""
    if not match.re.pattern.startswith("&"):
        return ()
    options = tuple(term for term in scope.before(sentence, match.start()) if term.role == "piece")
    return (replace(THIS, options=options[-1:]),)


def _takes_away(sentence: Sentence, span: tuple[int, int], match: re.Match[str]) -> bool:
    """Tell whether a verb takes no piece: ``takes d8 away``, ``takes aim``, ``takes over``."""
    rest = sentence.words[span[1] - sentence.start :]
    verb = sentence.elements[match.start("verb")].word
    loose = len(match.group()) - match.start("verb") + match.start() == 1
    if re.match(r"[\w\s,]{0,14}\b(?:away|from)\b", rest):
        return True
    return loose and _alone(sentence, match, verb, rest)


def _alone(sentence: Sentence, match: re.Match[str], verb: str, rest: str) -> bool:
    """Tell whether a verb of capture without an object is none."""
    if re.match(r"\s*(?:back|with check|with the|once more|again|,|$|nothing)", rest) is None:
        return True
    return not re.match(r"(?:re)?(?:captur|tak)\w*|took", verb)


def _detail(
    sentence: Sentence, match: re.Match[str], count: re.Match[str] | None
) -> tuple[str, ...]:
    verb = match.start("verb")
    detail = [sentence.elements[verb].word]
    end = sentence.elements[match.end() - 1].span[1] - sentence.start
    start = sentence.elements[verb].span[1] - sentence.start
    number = count or _COUNT.match(sentence.words, start)
    if number:
        words = number["count"].split()[0]
        detail.append(f"count={_TIMES.get(words) or words}")
    elif re.search(r"\bonly by\b|\bby\b.*\b(?:only|alone)\b", sentence.words[start : end + 6]):
        detail.append("count=1")
    if _is_made(sentence, match, verb):
        detail.append("made")
    return tuple(detail)


def _is_made(sentence: Sentence, match: re.Match[str], verb: int) -> bool:
    """Tell whether the words say outright that it is done now, not that it can or will be."""
    start = sentence.clause_start(match.start())
    around = sentence.tags[start : match.end()]
    infinitive = sentence.tags[max(0, verb - 1) : verb] in ("t", "!")
    future = re.search(r"\b(?:will|going to|next|then|threat\w*|can|could)\b", sentence.words)
    able = re.search(r"\b(?:cannot|can't|may not|unable)\b", sentence.words)
    unsaid = set(around) & set("hHB!@#") or "B" in sentence.tags
    denied = "n" in around and not able
    return denied or not (unsaid or infinitive or future or able)


_BASE_FORMS = frozenset(
    {"take", "capture", "grab", "remove", "eliminate", "recapture", "trade", "exchange", "swap"}
)
#: A capture written without its square: ``QxQ``.
_UNREADABLE = re.compile(r"\b[KQRBN]x[KQRBN]\b")
_OBJECTS = ("obj", "behind", "behind2")
_COUNT = re.compile(
    r"(?: now| currently)? ?(?:only |just |exactly )?"
    r"(?P<count>once|twice|thrice|(?:two|three|four|five|six|\d) times)\b(?! more)"
)
_TIMES = {"once": 1, "twice": 2, "thrice": 3, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def _in_order(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Sort by span and drop what is said twice of the same words."""
    kept: dict[tuple[object, ...], Claim] = {}
    told = [claim.span for claim in claims if claim.relation in ("gives_check", "is_mate")]
    for claim in claims:
        if claim.relation in ("move_checks", "move_mates") and any(
            first <= claim.span[0] and claim.span[1] <= last for first, last in told
        ):
            continue
        kept.setdefault((claim.span, claim.kind, claim.relation, claim.detail), claim)
    return tuple(sorted(kept.values(), key=lambda claim: (claim.span, claim.kind, claim.relation)))
