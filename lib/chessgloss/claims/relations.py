"""The relations that can be claimed, and how the words of a sentence are read as them.

The table is ``relations.toml``: one row a relation, with its kind, its words, what decides it
(:mod:`chessgloss.claims.looks`) and the event of the rubric's hard rule that it is. The kind
gives the cause of error. To add a claim, add a row there with its two examples, and a function in
``looks``, named in :data:`LOOKS`. Most words are read by :func:`read_verb` (who does what to whom)
or :func:`read_wording` (a fixed wording); moves, pieces, threats and checks have readers of their
own.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import chess

from chessgloss.claims.lexicon import (
    Notation,
    Tag,
    cue,
    expand,
    is_said,
    letters,
    noun_pieces,
    number,
    over_tags,
    tags,
    words,
)
from chessgloss.claims.looks import (
    captures,
    checks,
    engine,
    lines,
    material,
    moves,
    pieces,
    presupposed,
    replies,
    structure,
    tactics,
)
from chessgloss.claims.parser import (
    ALL_PIECES,
    THIS,
    Claim,
    Detail,
    Element,
    Kind,
    Sentence,
    Stance,
    Tense,
    Term,
)
from chessgloss.claims.scene import is_king

#: The four causes of an incorrect comment (CCC paper, Table 2).
Cause = Literal[
    "illegal move or missing piece",
    "tactical or immediate advantage",
    "positional or long-term advantage",
    "evaluation of the move or position",
]

_MOVE, _TACTICAL, _POSITIONAL, _EVALUATION = get_args(Cause)

#: The cause that a false claim of each kind counts under.
CAUSES: dict[Kind, Cause] = dict.fromkeys(get_args(Kind), _TACTICAL) | {
    "move": _MOVE,
    "piece": _MOVE,
    "structure": _POSITIONAL,
    "evaluation": _EVALUATION,
}

#: What disqualifies a comment by the rubric's hard rule (Chess Commentary Pairwise Evaluation
#: Rubric, criterion 1) if it is claimed without support.
Disqualifier = Literal[
    "check",
    "checkmate",
    "capture",
    "promotion",
    "trade",
    "hanging-piece win",
    "forced tactic or threat",
]


#: Readers of patterns over words; all others have patterns over tags.
OF_WORDS = frozenset({"wording", "counts", "pair"})

#: The sides as a wording names them.
SIDES = ("white", "black")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way of saying a relation.

    Parameters
    ----------
    relation
        Name of the row that it stands in.
    reader
        What reads a match: one of :data:`READERS`.
    pattern
        Regular expression over a sentence's tags, or over its words in lower case.
    detail
        What the wording says beside its groups, by the names of :class:`Detail`.
    needs
        Tags or words one of which must be in a sentence that it matches; empty if not known.
    """

    relation: str
    reader: str
    pattern: re.Pattern[str]
    detail: Mapping[str, str]
    needs: frozenset[str]

    @classmethod
    def of(
        cls, relation: str, reader: str, pattern: str, detail: Mapping[str, str]
    ) -> Reading:
        """Return the reading of a pattern, with what it needs as far as that is seen easily."""
        verb = re.search(r"\(\?P<verb>\[?([^\])]+)\]?\)", pattern)
        needs = frozenset[str]()
        if reader in OF_WORDS:
            if pattern.startswith(r"\b(?P<side>white|black)"):
                needs = frozenset(SIDES)
        elif verb or len(pattern) == 1:
            needs = frozenset(verb[1] if verb else pattern)
        return cls(relation, reader, re.compile(pattern), detail, needs)


@dataclass(frozen=True, slots=True)
class Relation:
    """A row of the table.

    Parameters
    ----------
    kind
        What is claimed.
    event
        Event of the hard rule.
    decide
        Looks at one moment and gives a finding; of a named move, at all moments at once,
        and gives verdict, evidence and anchor.
    readings
        How words say it; none if it is found by the reading of another row.
    presupposed
        The words do not say it but take it for granted, whether they deny it or ask it.
    state
        It lasts: said in the present, it is of the position after the move.
    hints
        One of these is in the words of every sentence that its readings match; empty if not known.
    """

    kind: Kind
    event: Disqualifier | None
    decide: Callable[..., Any]
    readings: tuple[Reading, ...]
    presupposed: bool = False
    state: bool = False
    hints: tuple[str, ...] = ()


#: What decides a claim, by the name that the table gives it.
LOOKS: dict[str, Callable[..., Any]] = {
    look.__name__: look
    for look in (
        moves.check_move,
        moves.impossible,
        moves.signed,
        moves.may_castle,
        moves.loses_right,
        moves.castled,
        moves.promotes,
        moves.can_promote,
        moves.legal_count,
        moves.steps,
        moves.from_promotion,
        presupposed.on_move,
        presupposed.theme,
        presupposed.there_is,
        pieces.stands,
        pieces.attacks,
        pieces.loose,
        pieces.shelters,
        captures.captures,
        captures.en_passant,
        captures.exchanges,
        captures.wins,
        captures.can_win,
        captures.exchange_result,
        captures.brings,
        captures.ways,
        captures.offers_trade,
        checks.gives_check,
        checks.in_check,
        checks.was_in_check,
        checks.discovered_check,
        checks.double_check,
        checks.is_mate,
        checks.is_stalemate,
        checks.threatens_mate,
        checks.can_mate,
        checks.missed_mate,
        checks.mate_in,
        tactics.forks,
        tactics.pins,
        tactics.discovers,
        material.ahead,
        material.level,
        material.pair,
        material.in_return,
        material.majority,
        material.counts,
        material.counts_both,
        material.there_are,
        material.line_up,
        material.wing_counts,
        material.opposite_bishops,
        material.all_there,
        material.more_pawns,
        material.pawns_level,
        material.still_on,
        structure.pawn_state,
        structure.connected,
        structure.doubled_rooks,
        structure.on_the_seventh,
        structure.no_open_file,
        structure.only_open_file,
        structure.open_file,
        lines.blocks,
        lines.opens_line,
        lines.same_line,
        lines.sole,
        lines.king_place,
        lines.pawns_on_file,
        lines.placed,
        lines.unpins,
        lines.lets_go,
        lines.on_file,
        replies.can_block,
        replies.can_take,
        replies.must,
        replies.can_go,
        replies.mates_at_once,
        replies.moved,
        moves.right_to_castle,
        engine.better,
        engine.loses,
        engine.better_move,
        engine.throws_away,
        engine.only_move,
    )
}


@cache
def relations() -> dict[str, Relation]:
    """Return the rows of ``relations.toml`` by name."""
    table = tomllib.loads(Path(__file__).with_name("relations.toml").read_text("utf-8"))
    parts = {**letters(), **table["parts"]}

    def readings(name: str, reader: str, entries: list[Any]) -> Iterator[Reading]:
        for entry in entries:
            group: dict[str, Any] = (
                entry if isinstance(entry, dict) else {"any": [entry]}
            )
            detail = {key: value for key, value in group.items() if key != "any"}
            for text in group["any"]:
                yield Reading.of(name, reader, expand(text, parts), detail)

    return {
        name: Relation(
            row["kind"],
            row.get("event"),
            _look(name, row),
            tuple(
                r
                for key in row
                if key in READERS or key == "clause"
                for r in readings(name, key, row[key])
            ),
            row.get("presupposed", False),
            row.get("state", False),
            tuple(row.get("hints", ())),
        )
        for name, row in table["relations"].items()
    }


def _look(name: str, row: Mapping[str, Any]) -> Callable[..., Any]:
    """Return what decides a row of the table: the look under its own name, if it names none.

    Raises
    ------
    ValueError
        If there is no such look.
    """
    look = row.get("decide", name)
    if look not in LOOKS:
        raise ValueError(
            f"[relations.{name}] of relations.toml is decided by {look!r}, which is no look: "
            "write that function in chessgloss.claims.looks and name it in LOOKS of "
            "relations.py, or name another under `decide`"
        )
    return LOOKS[look]


def _claim(
    sentence: Sentence, relation: str, span: tuple[int, int], *parts: Any, **more: Any
) -> Claim:
    """Return a claim of a relation that stands at a place in the sentence's text.

    What follows the place are the fields of :class:`Claim` from ``objects`` on.
    """
    text = sentence.text[slice(*span)]
    return Claim(relations()[relation].kind, text, span, relation, *parts, **more)


# ---------------------------------------------------------------- who does what to whom


def read_verb(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read a verb with who acts and what is acted on."""
    first, last = match.span()
    of_none = _denies_of_all(sentence, match)
    if sentence.tags[first] in (Tag.AND, Tag.BREAK):
        first += 1
    elif match.groupdict().get("subj"):
        first = sentence.own_subject(match)
    if of_none and not _has(match, "agent"):
        first = sentence.any_subject(match.start("verb"))
    if first and _opens_phrase(sentence.elements[first - 1]):
        first -= 1
    span = sentence.span(first, last)
    if reading.relation == "captures" and _takes_nothing(sentence, span, match):
        return
    if _is_turned_round(sentence, match):
        return
    behind = match.groupdict().get("obj") == Tag.PRONOUN and match.start(
        "obj"
    ) > match.start("verb")
    if behind and sentence.elements[match.start("obj")].word not in (
        "it",
        "them",
        "him",
    ):
        return  # ``attacked in this manner``
    objects = sentence.group(match, "obj", "behind", "behind2")
    acting = sentence.actors(match)
    if "subj" not in match.re.groupindex and "obj" not in match.re.groupindex:
        # what a second passive verb speaks of: ``is hit by e4 and held by the rook``
        pieces = [
            term for term in sentence.may_act(match.start()) if term.role == "piece"
        ]
        if not pieces and not _has(match, "agent"):
            return
        objects = (replace(THIS, options=tuple(pieces[-1:])),)
    times = cue("times").match(sentence.words, span[1] - sentence.start)
    if times:
        span = (span[0], sentence.start + times.end())
    if match.groupdict().get("place"):
        (place,) = sentence.group(match, "place")
        objects = tuple(_on_square(term, place.square) for term in objects)
    together = sentence.act_together(match, acting)
    exception = _exception(sentence, match, of_none)
    if exception:
        acting = sentence.elements[exception].terms
        (start, stop) = sentence.elements[exception].span
        start = sentence.elements[exception - 1].span[0]
        span = (min(span[0], start), max(span[1], stop))
    if of_none:
        objects = tuple(replace(term, least=1, every=False) for term in objects)
        acting = tuple(replace(term, least=1, every=False) for term in acting)
    named = objects
    objects, subjects = _placed(sentence, match, objects, acting)
    if objects is not named or subjects is not acting:
        span = _with_places(sentence, match, span)
    stance = _stance_of_verb(sentence, match, reading.relation)
    detail = _detail_of_verb(sentence, match, times)
    relation = reading.relation
    if exception:
        stance = replace(stance, negated=False, unclear=False)
        detail = replace(detail, count=1)
        relation = relation.replace("loose", "defends")
    how = (stance, sentence.tense(first, last), detail)
    yield _claim(sentence, relation, span, objects, *how, subjects, together)


def _opens_phrase(element: Element) -> bool:
    """Tell whether a word belongs to the subject behind it: ``neither``, ``both the queen and``."""
    return element.tag == Tag.NOBODY or element.word in ("both", "either")


def _exception(sentence: Sentence, match: re.Match[str], of_none: bool) -> int | None:
    """Return the element that alone acts where nobody else does: ``nothing except the rook``."""
    none = "no" in sentence.elements[match.start()].adjectives
    loose = sentence.tags[match.start("verb")] in tags("loose")
    if not (none or loose or of_none):
        return None
    excepted = over_tags("{other_than}({piece})").search(sentence.tags)
    return excepted.start(1) if excepted else None


#: The verb is a participle of what is suffered: ``was attacked``.
_SUFFERED = frozenset({"attacked", "defended", "captured"})


def _is_turned_round(sentence: Sentence, match: re.Match[str]) -> bool:
    """Tell whether the subject suffers what the verb says: ``was attacked on f1``."""
    if not match.groupdict().get("subj"):
        return False
    tag = sentence.tags[match.start("verb")]
    suffers = tag in {letters()[name] for name in _SUFFERED}
    between = match.groupdict().get("mid") or ""
    return suffers and (Tag.BE in between or "," in between)


def _on_square(term: Term, square: chess.Square | None) -> Term:
    """Return a piece with its square, unless the words give it another place."""
    if term.role != "piece" or term.square is not None:
        return term
    return replace(term, square=square)


#: A square told before a clause's first piece, and one behind its last.
_PLACE_BEFORE = "[{from}{on}]({square}),?$"

_PLACE_BEHIND = "{from}({square})"


def _with_places(
    sentence: Sentence, match: re.Match[str], span: tuple[int, int]
) -> tuple[int, int]:
    """Return a claim's place in the text with the squares told before and behind it."""
    (start, stop) = span
    before = over_tags(_PLACE_BEFORE).search(sentence.tags[: match.start()])
    behind = over_tags(_PLACE_BEHIND).match(sentence.tags, match.end())
    if before:
        start = min(start, sentence.elements[before.start()].span[0])
    if behind:
        stop = max(stop, sentence.elements[behind.start(1)].span[1])
    return start, stop


def _placed(
    sentence: Sentence,
    match: re.Match[str],
    objects: tuple[Term, ...],
    acting: tuple[Term, ...],
) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Give the piece named first the square told before it: ``from g8 the queen hits``."""
    before = sentence.tags[: match.start()]
    place = over_tags(_PLACE_BEFORE).search(before)
    origin = over_tags(_PLACE_BEHIND).match(sentence.tags, match.end())
    if origin:
        (there,) = sentence.elements[origin.start(1)].terms
        if acting and all(term.role == "piece" for term in acting):
            return objects, tuple(_on_square(term, there.square) for term in acting)
        return objects, (replace(there, role="piece"),)
    if place is None:
        return objects, acting
    square = sentence.elements[place.start(1)].terms[0].square
    suffers = _has(match, "obj") and match.start("obj") < match.start("verb")
    first = objects if suffers else acting
    if len(first) != 1:
        return objects, acting
    placed = (_on_square(first[0], square),)
    return (placed, acting) if suffers else (objects, placed)


def _takes_nothing(
    sentence: Sentence, span: tuple[int, int], match: re.Match[str]
) -> bool:
    """Tell whether a verb takes no piece: ``takes d8 away``, ``takes aim``, ``takes over``."""
    verb = match.start("verb")
    rest = sentence.words[span[1] - sentence.start :]
    away = re.match(r"\s*away\b", sentence.after(verb))
    if away or re.match(r"[\w\s,]{0,14}\b(?:away|from)\b", rest):
        return True
    alone = re.match(
        r"\s*(?:back|with check|with the|once more|again|,|$|nothing)", rest
    )
    takes = re.match(r"(?:re)?(?:captur|tak)\w*|took", sentence.elements[verb].word)
    return match.end() - verb == 1 and not (alone and takes)


def _stance_of_verb(sentence: Sentence, match: re.Match[str], relation: str) -> Stance:
    verb = match.start("verb")
    stance = sentence.stance(verb, match.end())
    if "no" in sentence.elements[match.start()].adjectives:
        stance = replace(stance, negated=True)
    if _denies_of_all(sentence, match):
        stance = replace(stance, unclear=False)
    rest = sentence.words[sentence.span(verb, match.end())[1] - sentence.start :]
    elsewhere = re.match(r"\s*on the (?:queen|king)'?s?[- ]?(?:side|wing)", rest)
    sole = "the only" in sentence.elements[match.start()].word
    if elsewhere or sole:
        stance = replace(stance, unclear=True)
    forced = relation == "captures" and cue("forced").search(sentence.before(verb))
    if forced or _is_of_many(sentence, match):
        stance = replace(stance, unclear=True)
    named = match.groupdict().get("subj") not in (None, Tag.PRONOUN)
    addressed = not named and is_said("addressed", sentence.words)
    other_game = is_said("other_game", sentence.words)
    if addressed or other_game:
        stance = replace(
            stance, supposed=True, distant=True, past=stance.past or other_game
        )
    vague = stance.negated and sentence.elements[verb].word.startswith("threat")
    idle = relation in ("captures", "exchanges") and _is_idle(sentence, match, stance)
    if relation == "captures" and stance.negated and Tag.IF in sentence.tags:
        stance = replace(
            stance, negated=False
        )  # ``if he does not take``, which he could
    if idle:
        by = sentence.elements[verb - 1].word == "by"
        return replace(
            stance, supposed=True, distant=not by or stance.negated or stance.distant
        )
    return replace(stance, supposed=stance.supposed or vague)


def _is_of_many(sentence: Sentence, match: re.Match[str]) -> bool:
    """Tell whether a verb is said of some number that is not told: ``most of the pieces``."""
    nouns = (
        match.start(name) for name in ("subj", "obj", "agent") if _has(match, name)
    )
    return any(cue("many").search(sentence.before(noun)) for noun in nouns)


def _has(match: re.Match[str], name: str) -> bool:
    return match.groupdict().get(name) is not None


def _denies_of_all(sentence: Sentence, match: re.Match[str]) -> bool:
    """Tell whether a verb's subject is nobody, anybody, or none of its pieces."""
    if sentence.has_any_agent(match):
        return Tag.NEARLY not in sentence.tags and "nor" not in sentence.words.split()
    suffers = _has(match, "obj") and match.start("obj") < match.start("verb")
    named = suffers or _has(match, "subj")
    return named and sentence.is_of_neither(match.start("verb"))


def _is_idle(sentence: Sentence, match: re.Match[str], stance: Stance) -> bool:
    """Tell whether a capture is only spoken of: ``taking it fails``, ``it can't be taken, as``."""
    verb = match.start("verb")
    has_subject = match.groupdict().get("subj")
    word = sentence.elements[verb].word
    before = sentence.tags[verb - 1 : verb]
    if word.endswith("ing") and not has_subject:
        subject = r"[^,;]{0,40}?\b(?:is|was|would|leads?|loses|fails|allows|runs)\b"
        opened = before == Tag.UNKNOWN and verb != 1
        follows = before in (",", Tag.BE) or opened
        return (
            not follows
            or re.match(subject, sentence.after(match.end() - 1)) is not None
        )
    if not has_subject and word in words("base_of_capture"):
        return before not in tags("before_base")
    pinned = "pin" in sentence.words
    reason = r"\b(?:as|due to|for|or|because|since|otherwise|without)\b|:"
    general = "subj" not in match.re.groupindex or sentence.tags[verb] == Tag.EXCHANGE
    denied = stance.negated and stance.able
    given = re.search(reason, sentence.words) is not None and not pinned
    return " of" in word or (denied and (general or given))


def _detail_of_verb(
    sentence: Sentence, match: re.Match[str], times: re.Match[str] | None
) -> Detail:
    """Return the verb, how often, and whether the words say outright that it is done now."""
    verb = match.start("verb")
    behind = match.start("behind") if _has(match, "behind") else 0
    return Detail(
        verb=sentence.elements[verb].word,
        result="for" if behind and sentence.elements[behind - 1].word == "for" else "",
        count=_how_often(sentence, match, times),
        made=_is_said_outright(sentence, match),
    )


def _how_often(
    sentence: Sentence, match: re.Match[str], times: re.Match[str] | None
) -> int | None:
    """Return how many act: ``twice``, ``only by the queen``."""
    verb = match.start("verb")
    start = sentence.span(verb, verb + 1)[1] - sentence.start
    stop = sentence.span(verb, match.end())[1] - sentence.start
    if times := times or cue("times").match(sentence.words, start):
        return number(times["count"].split()[0])
    alone = r"\bonly (?:by|from|with)\b|\bby\b.*\b(?:only|alone)\b"
    if re.search(alone, sentence.words[start : stop + 6]):
        return 1
    if _has(match, "agent") and re.search(r"\bonly\s+$", sentence.before(verb)):
        return 1
    has_subject = match.groupdict().get("subj") is not None
    return 1 if has_subject and sentence.says_only(match.start("subj")) else None


def _is_said_outright(sentence: Sentence, match: re.Match[str]) -> bool:
    """Tell whether the words say that something is done now (or, denied, that it is not)."""
    verb = match.start("verb")
    around = sentence.tags[sentence.clause_start(match.start()) : match.end()]
    before = sentence.tags[max(0, verb - 1) : verb]
    # not what is said behind a break: ``takes a pawn, but White will take it back``
    rest = sentence.tags.find(Tag.BREAK, match.end())
    words = sentence.words if rest < 0 else sentence.before(rest)
    if re.search(r"\b(?:cannot|can't|may not|unable|no way|no position|able)\b", words):
        return False
    if not {Tag.NOT, Tag.NOBODY}.isdisjoint(around):
        return re.search(r"\b(?:can|could)\b", words) is None
    return not (
        not tags("unsaid").isdisjoint(around)
        or Tag.COMPARE in sentence.tags
        or before in (Tag.INTO, Tag.THREATEN)
        or re.search(
            r"\b(?:will|going to|next|then|threat\w*|can|could|mate in)\b", words
        )
    )


# ---------------------------------------------------------------- moves


def read_move_in_words(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read a move told in words: ``the knight goes to f3``, ``puts the queen on h5``."""
    first, last = match.span()
    if match.groupdict().get("between"):
        first = match.start("verb")
    element = sentence.elements[match.start("piece")]
    term = element.terms[0]
    source = sentence.group(match, "src")
    piece = next(iter(term.pieces)) if len(term.pieces) == 1 else None
    if "to" in match.re.groupindex:
        # an unknown verb with no ``to`` says that no piece moves
        verb = (
            match.groupdict().get("verb")
            and sentence.tags[match.start("verb") : match.start("to")]
        )
        if len(element.terms) > 1 or (
            verb and verb[0] == Tag.UNKNOWN and Tag.INTO not in verb
        ):
            return
        start = source[0].square if source else term.square
        (to,) = sentence.group(match, "to")
        file = term.file
        rank = None
        if start is not None:
            file = chess.square_file(start)
            rank = chess.square_rank(start)
        notation = Notation(piece, to.square, file=file, rank=rank)
    elif term.square is not None and sentence.elements[first].word in words("placing"):
        notation = Notation(piece, term.square)
    else:
        return
    span = sentence.span(first, last)
    before = sentence.tags[first - 1 : first]
    side = term.side
    owner = over_tags(_DOES).search(sentence.tags, max(0, first - 8), first)
    if side is None and owner:
        side = sentence.elements[owner.start()].terms[0].side
    bare = sentence.tags[first : first + 2] == Tag.PIECE + Tag.INTO
    move = replace(
        term, role="move", move=notation, square=notation.to, span=span, side=side
    )
    move = replace(move, definite=not bare or before in ("", ",", Tag.BREAK, Tag.AND))
    words_up_to = sentence.words[: span[1] - sentence.start]
    relation = "played" if not bare and sentence.asserts(first, last) else "legal"
    if cue("cannot").search(words_up_to, max(0, len(words_up_to) - 60)):
        relation = "impossible"
    stance = sentence.stance(first, last)
    if relation == "played" and cue("remote_before").search(words_up_to):
        relation = "legal"
        stance = replace(stance, supposed=True)
    tense = _tense_of_move(sentence, span)
    has = cue("just_done").search(sentence.before(match.end() - 1))
    verb = match.start("verb") if _has(match, "verb") else first
    detail = Detail(made=has is not None, verb=sentence.elements[verb].word)
    yield _claim(sentence, relation, span, (move,), stance, tense, detail, named=bare)


#: Who does what follows: ``White has``, ``Black now``.
_DOES = "{player}[{have}{maybe}{unknown}{be}]*$"

#: Whose a written move is: ``White's Nf3``, ``Black plays Nf6``, ``White replies with Nc3``.
_OF_A_PLAYER = (
    "{player}(?:(?:[{have}{maybe}]?{put})?"
    "|[^{break},{move}{piece}{player}{pronoun}{after}{compare}]{1,12}{with})"
    "{move_number}?$"
)

#: The words before a written move say that it is played: ``White plays``, ``He has played``.
_IS_PLAYED = (
    "(?:^|[,{break}{and}])"
    "(?:(?:[{player}{pronoun}]{have}?|){put}"
    "|{player}[^{break},{move}{after}{compare}{mate}{check}]{1,6}[{with}{from}])"
    "{move_number}?$"
)


def read_written(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read a written move, and the sign of check or mate behind it."""
    index = match.start()
    (term,) = sentence.elements[index].terms
    before = sentence.before(index)
    after = sentence.after(index)
    side = term.side
    # one that can be played at once: ``can reply with Nd5``
    offered = cue("offers").search(before)
    past = cue("remote_after").match(after) or cue("other_game").search(before)
    if side is None:
        # ``White's Nf3``, ``Black plays Nf6``
        of_side = over_tags(_OF_A_PLAYER)
        player = of_side.search(sentence.tags, max(0, index - 14), index)
        side = sentence.elements[player.start()].terms[0].side if player else None
    numbered = None if "threat" in sentence.words else term.numbered
    move = replace(term, side=side, numbered=numbered)
    plays = over_tags(_IS_PLAYED).search(sentence.tags[:index])
    told = re.search(r"(?:^|[,;:])\s*(?:play|put|push)\s*$", before)
    played = plays and not told and sentence.asserts(index, index + 1)
    stance = sentence.stance(index, index + 1)
    tense = _tense_of_move(sentence, term.span)
    # what a move is said of does not matter, but that it cannot be played, or comes much later
    clause = re.split(r"\b(?:because|as|since|due to)\b|,", before[-60:])[-1]
    denied = bool(past or cue("cannot").search(clause))
    far = not (offered or term.numbered is not None) and cue("remote_before").search(
        before
    )
    move_stance = Stance(denied, bool(far), stance.able, stance.asked, past=stance.past)
    if cue("suggests").search(before):
        move_stance = stance = Stance()
    elif offered:
        stance = replace(stance, supposed=False)
    relation = "played" if played else "legal"
    possible = cue("possible_before").search(before) or cue("possible_after").match(
        after
    )
    named = not (played or possible)
    span = term.span
    if behind := cue("possible_after").match(after):
        span = (span[0], span[1] + behind.end())
    elif ahead := cue("possible_before").search(before):
        start = span[0] - len(before) + ahead.start()
        span = (start, span[1])
    # ``Bf4 attacks a knight`` may be of the piece
    acts = sentence.tags[index + 1 : index + 2] in tags("of_a_piece")
    detail = Detail(made=named and acts)
    yield _claim(
        sentence, relation, span, (move,), move_stance, tense, detail, named=named
    )
    if term.move and (term.move.mate or term.move.check):
        sign = "move_mates" if term.move.mate else "move_checks"
        avoided = re.search(r"\b(?:avoid|prevent|threat|stop|follow)\w*[^,;]*$", before)
        stance = replace(
            stance, negated=False, supposed=bool(avoided) or stance.supposed
        )
        yield _claim(sentence, sign, term.span, (move,), stance, tense, named=named)


def _tense_of_move(sentence: Sentence, span: tuple[int, int]) -> Tense:
    """Return ``before`` for a move that is set against the one played."""
    before = sentence.words[: span[0] - sentence.start]
    after = sentence.words[span[1] - sentence.start :]
    instead = cue("instead_before").search(before) or cue("instead_after").match(after)
    starts_line = re.search(r"\b(?:after|once)\s+(?:\d+\W+)?$", before)
    return "before" if instead and not starts_line else "any"


def read_castling(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read that a side castles, can castle, has castled or loses its right to."""
    first = match.start()
    verb = match.start("verb")
    element = sentence.elements[verb]
    rest = sentence.words[element.span[0] - sentence.start :]
    gone = cue("castling_gone").match(rest)
    right = gone or cue("castling_there").match(rest)
    if not right and _is_general(sentence, verb):
        return
    wing = re.match(r"(?:\w+ (?:to |on )?(?:the )?)?(king|short|queen|long)", rest)
    named = "either" if wing is None else "K" if wing[1] in ("king", "short") else "Q"
    clause = sentence.tags.rfind(Tag.BREAK, 0, verb) + 1
    denied = sentence.tags.rfind(Tag.NOBODY, clause, verb)
    clause = max(clause, denied)
    owners = [
        each.terms[0].side
        for each in sentence.elements[clause:verb]
        if each.tag == Tag.PLAYER
    ]
    span = sentence.span(first, verb + 1)
    relation = _castling_relation(sentence, first, verb)
    if relation == "loses_right":
        span = _with_its_loss(sentence, verb, span)
    stance = Stance() if relation == "legal" else sentence.stance(verb, match.end())
    if denied >= 0 and relation in ("castled", "may_castle", "has_right"):
        stance = replace(stance, unclear=False)
        span = sentence.span(denied, verb + 1)
    lost = re.search(r"\b(?:lost|losing|given up)\b", sentence.before(verb)) is not None
    stance = replace(
        stance, negated=stance.negated and not lost and relation != "loses_right"
    )
    side = owners[-1] if owners else None
    if relation == "castled" and sentence.before(verb).rstrip().endswith("yet to"):
        stance = replace(stance, negated=True, supposed=False, distant=False)
        player = max(0, sentence.tags.rfind(Tag.PLAYER, 0, verb))
        owners = [term.side for term in sentence.elements[player].terms]
        side = owners[0] if owners else None
        span = sentence.span(player, verb + 1)
    if wings := re.match(r"[^,;]*?\b(?:either|both) (?:sides?|wings?)\b", rest):
        named = "both"
        span = (span[0], element.span[0] + wings.end())
        stance = replace(
            stance, unclear=relation not in ("may_castle", "has_right"), able=True
        )
    if re.search(r"\bboth\s+$", sentence.before(verb)):
        named = "both"
    if right:
        relation = "has_right"
        stance = replace(stance, negated=gone is not None, able=False, unclear=False)
        side = right["side"] == "white" if right["side"] else side
        stop = element.span[0] + right.end()
        span = (min(span[0], element.span[0]), stop)
    castles = Notation(castles=named)
    move = Term("move", element.word, element.span, side, move=castles)
    detail = Detail(both=re.search(r"\bboth\b", sentence.words) is not None)
    tense = _tense_of_move(sentence, span)
    if relation in ("castled", "has_right", "may_castle"):
        tense = sentence.tense(first, verb + 1)
    yield _claim(sentence, relation, span, (move,), stance, tense, detail)


#: Words that say that a right is lost.
_LOSES = (
    r"\b(?:los\w+|lost|costs?|gives? up|giving up|forfeit\w*|abandon\w*|without|no)\b"
)


def _with_its_loss(
    sentence: Sentence, verb: int, span: tuple[int, int]
) -> tuple[int, int]:
    """Return a claim's place in the text with the words of the loss before it, and its side."""
    player = sentence.tags.rfind(Tag.PLAYER, 0, verb)
    loss = re.search(_LOSES, sentence.before(verb))
    if loss is None:
        return span
    shift = sentence.elements[verb].span[0] - len(sentence.before(verb))
    start = loss.start() + shift
    if player >= 0:
        start = min(start, sentence.elements[player].span[0])
    element = sentence.elements[verb]
    words = re.match(
        r"castling rights?\b", sentence.words[element.span[0] - sentence.start :]
    )
    stop = element.span[0] + words.end() if words else span[1]
    return min(start, span[0]), stop


def _is_general(sentence: Sentence, verb: int) -> bool:
    """Tell whether castling is only spoken of: ``castling is dangerous``, ``players castle``."""
    word = sentence.elements[verb].word
    before = sentence.tags[verb - 1 : verb]
    if word.startswith("castling") or word.endswith("castling"):
        prevented = verb > 0 and sentence.elements[verb - 1].word == "from"
        return prevented or not (
            before == ""
            or before in tags("before_castling")
            or "right" in sentence.words
        )
    return re.match(r"castle( |$)", word) is not None and before not in tags(
        "before_castle"
    )


def _castling_relation(sentence: Sentence, first: int, verb: int) -> str:
    before = sentence.before(verb)
    word = sentence.elements[verb].word
    around = before[-40:] + sentence.words[len(before) :][:25]
    if re.search(r"\bright(?:s\b|\b(?! a))|option", around):
        kept = re.search(r"n't\b|\bnot\b|\bnever\b", before)
        return "has_right" if kept or not re.search(_LOSES, around) else "loses_right"
    if word.startswith("castled") and "un" + word not in around:
        return "castled"
    if re.search(r"\byet to\s+$", before):
        return "castled"
    if re.search(r"\b(?:no longer|any ?more|any longer)\b", around):
        return "has_right"
    if cue("cannot").search(before):
        return "cannot_castle"
    at_once = re.search(
        r"\b(?:ready|next move|at once|immediately|right away|straight ?away|now)\b",
        sentence.words,
    )
    able = re.search(
        r"\b(?:can|may|could|still|to|wants?|will)\b[\w\s]*$", before[-25:]
    )
    if able and not at_once:
        return "may_castle"
    return "played" if not at_once and sentence.asserts(first, verb + 1) else "legal"


# ---------------------------------------------------------------- pieces named

_VERBS = "[{attack}{defend}{capture}{control}{fork}{pin}{skewer}{go}{put}{be}{have}]"
_STATES = ("passed", "doubled", "isolated", "connected", "backward", "protected")


def _stance_of_noun(sentence: Sentence, index: int) -> Stance:
    denied = "no" in sentence.elements[index].adjectives
    stance = sentence.stance(index, index + 1)
    return replace(stance, negated=denied, unclear=False)


def read_named(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read that there is a piece from its being named: ``the knight on f3``, ``Black's rook``.

    One that is not had is wished for (``a knight on f5``), and one may be named by the square
    that it began on (``his f1 bishop``).
    """
    index = match.start()
    element = sentence.elements[index]
    term = element.terms[0]
    before = sentence.tags[index - 1 : index]
    phrase = element.word
    owner = re.match(r"(?:white|black)['’]s |the (?:white|black) ", phrase)
    owned = owner is not None and term.side is not None and term.file is None
    possessive = term.square is None and re.match(r"(?:his|her|my) \w+$", phrase)
    owned = owned or bool(possessive and not is_king(term))
    if not owned and (term.square is None or before == Tag.PUT):
        return
    stance = _stance_of_noun(sentence, index)
    verbs = over_tags(_VERBS).findall(
        sentence.tags[sentence.clause_start(index) : index]
    )
    put = verbs[-1:] in ([Tag.GO], [Tag.PUT])
    there = (term.definite and not put) or before in (Tag.HAVE, Tag.BE)
    by_square = re.search(r"\b([a-h][18])[ -](\w+)$", phrase)
    home = by_square and chess.Board().piece_type_at(chess.parse_square(by_square[1]))
    named = by_square and home and noun_pieces(by_square[2]) == {home}
    had = (
        there and not named and not is_said("elsewhere", sentence.words)
    ) or stance.negated
    if cue("gone_after").match(sentence.after(index)):
        had = False
    stance = replace(stance, supposed=not had, able=stance.able and not had)
    said = before in (Tag.HAVE, Tag.BE) or stance.negated
    yield _claim(
        sentence, "stands", element.span, element.terms, stance, named=not said
    )


def read_there(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read that there is a piece, and one of the move, from its being spoken of: ``the queens``."""
    element = sentence.elements[match.start()]
    for term in element.terms:
        if term.pieces != ALL_PIECES and term.square is None and term.definite:
            yield _claim(sentence, reading.relation, element.span, (term,))
            yield _claim(
                sentence, "theme", element.span, (term,), detail=Detail(theme="piece")
            )


def read_standing(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read that a piece stands on a square: ``the knight is on f3``."""
    (term, *others) = sentence.elements[match.start("subj")].terms
    if others or term.square is not None:
        return
    term = replace(term, square=sentence.group(match, "to")[0].square)
    extent = match.span()
    stance = sentence.stance(*extent)
    tense = sentence.tense(*extent)
    yield _claim(sentence, "stands", sentence.span(*extent), (term,), stance, tense)


#: ``White has no``, ``Black does not have``
_NOT_HAD = "(?:[{have}{player}]{not}[{unknown}{have}]?|{not}{have}?)$"


def read_pawn_state(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read the state of pawns from an adjective, or behind a verb: ``is isolated``."""
    index = match.start()
    element = sentence.elements[index]
    if element.tag != Tag.PIECE:
        yield from _state_of_it(sentence, index)
        return
    if element.terms[0].pieces == {chess.PAWN}:
        yield from _state_before(sentence, index)
    pawns = tuple(term for term in element.terms if chess.PAWN in term.pieces)
    being = cue("being").match(sentence.after(index)) if pawns else None
    made = pawns and cue("leaves").search(sentence.before(index))
    if made and being is None:
        being = cue("made_so").match(sentence.after(index))
    for state in _STATES[:-1]:
        if being and (word := re.search(rf"\b{state}\b(?! pawn)", being.group())):
            span = (element.span[0], element.span[1] + word.end())
            last = sentence.index(span[1] - sentence.start)
            stance = sentence.stance(index, last)
            tense = sentence.tense(index, last)
            detail = Detail(state=state)
            yield _claim(sentence, "pawn_state", span, pawns, stance, tense, detail)


def _state_of_it(sentence: Sentence, index: int) -> Iterator[Claim]:
    """Read the state of the pawn last spoken of: ``but it is isolated``, ``it's passed``."""
    element = sentence.elements[index]
    if element.tag == Tag.PRONOUN and element.word not in ("it", "they"):
        return
    named = [
        term
        for term in sentence.acting(index)
        if term.role == "piece" and term.definite
    ]
    if not named or named[-1].pieces != {chess.PAWN}:
        return
    rest = sentence.after(index)
    being = r"\s*(?:is|are|'s)?\s*(?:\w+ly |also |now |not |no longer |still )*"
    for state in _STATES[:-1]:
        if word := re.match(rf"{being}{state}\b(?! pawn)", rest):
            span = (element.span[0], element.span[1] + word.end())
            last = sentence.index(span[1] - sentence.start)
            stance = sentence.stance(index, last)
            tense = sentence.tense(index, last)
            detail = Detail(state=state)
            yield _claim(
                sentence, "pawn_state", span, named[-1:], stance, tense, detail
            )


def _state_before(sentence: Sentence, index: int) -> Iterator[Claim]:
    """Read the state of pawns from an adjective; only ``no`` and ``has not`` deny it."""
    element = sentence.elements[index]
    states = [state for state in _STATES if state in element.adjectives]
    if not states or states == ["protected"]:
        return  # by what the pawn is protected is not told
    owned = tuple(_with_owner(term, sentence, index) for term in element.terms)
    created = cue("creates").search(sentence.before(index)) is not None
    clause = sentence.tags[sentence.clause_start(index) : index]
    named = (owned[0].side, owned[0].square, owned[0].file) != (None, None, None)
    stance = _stance_of_noun(sentence, index)
    tense = sentence.tense(index, index + 1)
    unsaid = not (named or created or owned[0].definite)
    if over_tags(_NOT_HAD).search(clause) or unsaid:
        stance = replace(stance, supposed=True)
    for state in states:
        wing = cue("wing_behind").match(sentence.after(index))
        detail = Detail(state=state, made=created, wing=wing["wing"] if wing else "")
        yield _claim(sentence, "pawn_state", element.span, owned, stance, tense, detail)


def _with_owner(term: Term, sentence: Sentence, index: int) -> Term:
    """Give a piece the side that is said to have it: ``White has doubled pawns``."""
    side = sentence.tags.rfind(Tag.PLAYER, max(0, index - 5), index)
    if side < 0:
        return term
    owner = sentence.elements[side]
    has = cue("have").search(sentence.before(index), owner.span[1] - sentence.start)
    return term.owned_by(owner.terms[0].side if has else None)


def read_pinned(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read that a piece is pinned from its adjective: ``the pinned knight on c6``."""
    element = sentence.elements[match.start()]
    if "pinned" in element.adjectives and element.terms[0].square is not None:
        stance = _stance_of_noun(sentence, match.start())
        yield _claim(sentence, "pins", element.span, element.terms[:1], stance)


def read_loose(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read that a piece is loose from its adjectives."""
    element = sentence.elements[match.start()]
    for word in sorted(words("winnable") & element.adjectives):
        stance = _stance_of_noun(sentence, match.start())
        detail = Detail(verb=word)
        yield _claim(
            sentence, "loose", element.span, element.terms[:1], stance, detail=detail
        )


# ---------------------------------------------------------------- threats and counts


def read_threat(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read what a side can do next: win a piece, mate, promote."""
    extent = match.span()
    objects = sentence.group(match, "obj")[:1]
    source = sentence.group(match, "src")
    target = sentence.group(match, "to")
    if not objects and source and (start := source[0].square) is not None:
        # ``mate with the queen from h3 to g2``
        file = chess.square_file(start)
        rank = chess.square_rank(start)
        move = Notation(None, target[0].square, file=file, rank=rank)
        objects = (Term("move", "the mating move", target[0].span, move=move),)
    # only ``if`` and questions leave open what can be done
    open_ = r"\b(?:if|would|unless|might|could have|soon|eventually|later)\b"
    unreal = re.search(open_, sentence.words) is not None
    stance = replace(sentence.stance(*extent), supposed=unreal, able=False)
    span = sentence.span(*extent)
    tense = sentence.tense(*extent)
    subjects = sentence.group(match, "agent", "subj")
    place = sentence.elements[match.start("to")].word if target else ""
    detail = Detail(square=place)
    yield _claim(
        sentence, reading.relation, span, objects, stance, tense, detail, subjects
    )


def read_counts(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read how many pieces a side has: ``White has a queen and two rooks against a rook``."""
    if cue("no_count_after").match(match["after"]):
        return
    # words that count all there is: a list, a comparison, ``only two``
    exact = re.search(
        r"\b(?:only|just|exactly|left|remaining|single|against|versus|vs)\b",
        match.group(),
    )
    whole = exact or len(cue("item").findall(match["items"])) > 1
    last = sentence.index(match.end("items"))
    wing = _wing(sentence, match)
    stance = replace(
        sentence.stance(0, last, alone=True),
        negated=False,
        unclear=not (wing or match["file"]) and _is_placed_elsewhere(sentence, match),
    )
    tense = sentence.tense(0, max(1, last))
    named = (
        match["side"]
        or (
            re.findall(r"\b(?:white|black)\b", sentence.words[: match.start()]) or [""]
        )[-1]
    )
    if not named:
        return
    for group in ("items", "others") if match["others"] else ("items",):
        side = (named == "white") == (group == "items")
        for item in cue("item").finditer(sentence.words, *match.span(group)):
            span = sentence.offsets(item)
            if item.end() == match.end(group):
                span = (span[0], match.end() + sentence.start)
            detail = Detail(
                count=number(item["count"]),
                noun=item["noun"],
                more=bool(
                    match["extra"] or re.search("more|extra", item["adjectives"])
                ),
                whole=bool(whole) or group == "others",
                wing=wing,
                file=match["file"] or "",
            )
            owner = (Term("side", named, span, side),)
            last_one = _claim(
                sentence, "counts", span, (), stance, tense, detail, owner
            )
            yield last_one
            if match["rest"]:
                # ``three pawns against one``
                other = (Term("side", named, span, not side),)
                count = number(match["rest"])
                detail = replace(detail, count=count, more=False)
                span = (
                    match.start("rest") + sentence.start,
                    match.end("rest") + sentence.start,
                )
                yield _claim(sentence, "counts", span, (), stance, tense, detail, other)
    yield from _counts_on(sentence, match, last_one)


def _counts_on(
    sentence: Sentence, match: re.Match[str], claim: Claim
) -> Iterator[Claim]:
    """Read the count of the same pieces that the other side has: ``…, Black one``."""
    more = cue("counts_on").match(sentence.words, match.end())
    if more is None or match["others"]:
        return
    span = sentence.offsets(more)
    owner = (Term("side", more["side"], span, more["side"] == "white"),)
    detail = replace(claim.detail, count=number(more["count"]), more=False, whole=True)
    text = sentence.text[slice(*span)]
    yield replace(claim, text=text, span=span, subjects=owner, detail=detail)


def _wing(sentence: Sentence, match: re.Match[str]) -> str:
    """Return the wing on which pieces are counted: ``queen``, ``king`` or nothing."""
    before = sentence.words[: match.start()]
    behind = cue("wing_behind").match(sentence.words, match.end("items"))
    found = behind or cue("wing_before").search(before)
    return found["wing"] if found else ""


def _is_placed_elsewhere(sentence: Sentence, match: re.Match[str]) -> bool:
    """Tell whether pieces are counted on a place that is not understood: ``on the a-file``."""
    return cue("other_place").match(sentence.words, match.end("items")) is not None


def read_pair(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read that a side has both bishops, has kept them, or has given one up."""
    last = max(1, sentence.index(match.end()))
    clause = sentence.tags.rfind(Tag.BREAK, 0, last) + 1
    begin = sentence.elements[clause].span[0] - sentence.start
    before = sentence.words[min(begin, match.start()) : match.start()]
    if re.search(r"\b(?:against|versus|vs)\W*$", before):
        return  # whose it is, is not told: ``two knights against a pair of bishops``
    has = [*cue("has_pair").finditer(before)]
    loses = [*cue("loses_pair").finditer(before)]
    if not has and not loses:
        return
    lost = bool(loses) and (not has or loses[-1].end() > has[-1].end())
    owners = _owners(sentence, last)
    everybody = (
        re.search(r"\bboth (?:sides|players)\b|\beach side\b", before) is not None
    )
    nobody = not {Tag.NOBODY}.isdisjoint(sentence.tags[clause:last])
    if not (owners or everybody or nobody):
        return
    stance = replace(sentence.stance(max(0, last - 1), last), unclear=False)
    stance = replace(stance, negated=stance.negated and not lost)
    earlier = sentence.words[: match.start()]
    done = re.search(r"\b(?:has|have|had|gave|lost)\b", before) is not None
    only = re.search(r"\bonly (?:white|black)\b[^,;]*$", earlier) is not None
    detail = Detail(
        both=everybody, result="loses" if lost else "", whole=only, made=done
    )
    span = sentence.offsets(match)
    subjects = () if everybody or nobody else owners
    tense = sentence.tense(max(0, last - 1), last)
    yield _claim(sentence, "pair", span, (), stance, tense, detail, subjects=subjects)


def _owners(sentence: Sentence, stop: int) -> tuple[Term, ...]:
    """Return the side that has what an element before ``stop`` says: named before it, or behind."""
    sides = [
        (place, each.terms[0])
        for place, each in enumerate(sentence.elements)
        if each.tag == Tag.PLAYER
    ]
    before = [side for place, side in sides if place < stop]
    return (*before[-1:], *(side for _, side in sides))[:1]


def read_connected(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read that rooks are connected, or are by the move."""
    index = match.start()
    element = sentence.elements[index]
    term = element.terms[0]
    if term.pieces != {chess.ROOK} or not element.word.endswith(("rooks", "1", "8")):
        return
    before = sentence.before(index)
    connects = re.search(r"\bconnect(?:s|ed|ing)?\s+$", before)
    being = re.match(
        r"\s*(?:is|are|were|was|become|remain|aren't)\s+(?:\w+\s+){0,2}?connected\b",
        sentence.after(index),
    )
    if not (connects or being):
        return
    stop = element.span[1] + (being.end() if being else 0)
    last = max(index + 1, sentence.index(stop - sentence.start))
    start = element.span[0] - (len(connects.group()) if connects else 0)
    first = max(0, index - 1) if connects else index
    side = term.side
    if connects and side is None:
        owners = _owners(sentence, index)
        side = owners[0].side if owners else None
    subject = (replace(term, role="side", side=side),)
    stance = sentence.stance(first, last)
    tense = sentence.tense(first, last)
    yield _claim(
        sentence,
        "connected",
        (start, stop),
        element.terms,
        stance,
        tense,
        subjects=subject,
    )


def read_elided(sentence: Sentence, claims: Sequence[Claim]) -> Iterator[Claim]:
    """Yield what is said of the other side by a verb alone: ``White has castled, Black hasn't``."""
    more = cue("elided").search(sentence.words)
    if more is None:
        return
    (start, stop) = sentence.offsets(more)
    said = [each for each in claims if not each.named and each.span[1] <= start]
    side = more["side"] == "white"
    for claim in said[-1:]:
        subjects = tuple(replace(term, side=side) for term in claim.subjects)
        objects = claim.objects
        if claim.relation in ("castled", "has_right", "may_castle"):
            objects = tuple(replace(term, side=side) for term in objects)
        sides = {term.side for term in (claim.subjects or claim.objects)}
        if sides != {not side} or any(term.role == "piece" for term in subjects):
            return
        stance = replace(claim.stance, negated=more["denied"] is not None)
        text = sentence.text[start:stop]
        yield replace(
            claim,
            text=text,
            span=(start, stop),
            objects=objects,
            stance=stance,
            subjects=subjects,
        )


# ---------------------------------------------------------------- checks and mates


def read_check(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read a check that is given, stood in, discovered or double, if one is said to happen."""
    index = match.start()
    word = sentence.elements[index].word
    relation = "gives_check"
    before = sentence.before(index)
    after = sentence.after(index)
    previous = sentence.tags[index - 1 : index]
    noun = re.search(r"(?:^|[,;:] )an? (?:\w+ )?$", before) is not None
    no_check = (
        word in ("check", "checking")
        and cue("no_check_after").match(after)
        and not noun
    )
    if no_check or cue("no_check_before").search(before):
        return
    if over_tags("{check}{go}{from}[{piece}{square}]").match(sentence.tags, index):
        relation = "gives_check"
    elif before.endswith("in ") or word == "checked":
        made = word == "checked" and re.search(r"\b(?:have|has|had)\s+$", before)
        relation = "gives_check" if made else "in_check"
    elif word in ("checks", "checking"):
        verb = previous == "" or previous in tags("before_checks")
        whom = over_tags("[{piece}{player}{pronoun}]|{from}{square}|$")
        if not (verb and whom.match(sentence.tags[index + 1 :])):
            return
    elif re.search(r"\bin double\s+$", before):
        relation = "double_check"
    elif cue("uncovers").search(before):
        relation = "discovered_check"
    elif noun or cue("announces").search(before) or previous == Tag.MOVE:
        manner = re.search(r"\b(discovered|double)\s*$", before)
        relation = f"{manner[1]}_check" if manner else "gives_check"
    else:
        return
    yield _check_or_mate(sentence, index, relation, Detail())


def read_mate(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read a mate that is on the board, threatened, or counted in moves."""
    index = match.start()
    relation = "is_mate"
    end = 0
    before = sentence.before(index)
    after = sentence.after(index)
    counted = cue("mate_in").match(sentence.words, len(before))
    place = over_tags(".{on}({square})").match(sentence.tags[index:])
    threat = re.search(r"threat\w*\W+(?:\w+\W+){0,3}?$", before) is not None
    planned = sentence.tags[index - 1 : index] in (Tag.THREATEN, Tag.MAYBE)
    if (planned and not counted) or cue("missed").search(before):
        return
    detail = Detail()
    if threat:
        relation = "threatens_mate"
    if re.match(r"\s*(?:on the )?next", after):
        relation = "threatens_mate"
        detail = Detail(count=1)
    elif counted:
        relation = relation if threat else "mate_in"
        detail = Detail(count=number(counted["count"]))
        end = counted.end() + sentence.start
    elif threat and place:  # ``threatening mate on g7``
        last = sentence.elements[index + place.start(1)]
        detail = Detail(square=last.word)
        end = last.span[1]
    elif not threat and not _is_mate(sentence, index, before, after):
        return
    yield _check_or_mate(sentence, index, relation, detail, end)


def _check_place(sentence: Sentence, index: int, relation: str) -> Element | None:
    """Return the square from which a check is given, or on which a mate: ``checks from g6``."""
    prepositions = "[{from}{on}]" if relation != "is_mate" else "{on}"
    whom = "{piece}?" if relation == "gives_check" else ""
    place = over_tags("." + whom + prepositions + "({square})").match(
        sentence.tags, index
    )
    if place is None or relation not in ("gives_check", "is_mate"):
        return None
    return sentence.elements[place.start(1)]


def _in_check_by(sentence: Sentence, index: int) -> tuple[Term, ...]:
    """Return what gives the check that is stood in: ``in check from the rook on e1``."""
    by = over_tags(".{go}?{from}([{piece}{square}])").match(sentence.tags, index)
    if by is None:
        return ()
    terms = sentence.elements[by.start(1)].terms
    return tuple(replace(term, role="piece") for term in terms)


#: A mate, and what gives it: ``mate with Bd8``.
_GIVEN_WITH = ".{with}[{piece}{move}](?=$|[,{break}{and}])"


def _is_mate(sentence: Sentence, index: int, before: str, after: str) -> bool:
    """Tell whether a mate is said to be on the board, not to be looked for or feared."""
    word = sentence.elements[index].word
    stops = cue("stops").match(after)
    if cue("no_mate_after").match(after):
        return False
    if word in ("mated", "checkmated"):
        is_mated = re.search(
            r"\b(?:is|are|'s|been|was)\s+(?:now |already |simply )?$", before
        )
        unless = cue("condition").search(sentence.words)
        return bool(is_mated and re.match(r"\s*(?:$|[,;:(])", after) and not unless)
    if word in ("mates", "checkmates"):
        return sentence.tags[index - 1 : index] in tags("subjects")
    if word not in ("mate", "checkmate"):
        return False
    if re.search(r"\bking (?:is |now )*in\s+(?:an? )?$", before):
        return bool(stops and not cue("aimed").search(before))
    if over_tags(_GIVEN_WITH).match(sentence.tags, index) and (
        cue("announces").search(before)
    ):
        return True
    if before.endswith("with ") and sentence.tags[index + 1 : index + 2] in (
        "",
        Tag.AND,
        ",",
        Tag.BREAK,
    ):
        return True
    joined = re.search(r"(?:\band|,)\s*(?:\w+\s+)?$", before)
    announced = stops and cue("announces").search(before) and not joined
    return bool(announced or over_tags("{move},?$").search(sentence.tags[:index]))


def _check_or_mate(
    sentence: Sentence,
    index: int,
    relation: str,
    detail: Detail,
    end: int = 0,
) -> Claim:
    """Return the claim of the word ``check`` or ``mate`` at an element, with who gives it."""
    element = sentence.elements[index]
    first = index
    while first > 0 and _leads(sentence.elements[first - 1]):
        first -= 1
    stance = sentence.stance(first, index + 1)
    named = over_tags("{move}[{be},{unknown}]{0,2}$").search(sentence.tags[:first])
    subjects: tuple[Term, ...] = ()
    if named:
        first = named.start()
        subjects = sentence.elements[first].terms
        stance = sentence.stance(first, index + 1, alone=True)
    elif sentence.elements[index - 1].word == "with":
        subjects = sentence.may_act(first)
    elif element.word not in ("mated", "checkmated"):
        subjects = sentence.subject(first)
        pronoun = sentence.tags[first - 1 : first] == Tag.PRONOUN
        if pronoun or stance.supposed or stance.able:
            # of the one move that the sentence writes a supposed check speaks
            moves = [each for each in sentence.elements if each.tag == Tag.MOVE]
            subjects = moves[0].terms if len(moves) == 1 else subjects
    if named is None and (
        means := over_tags(".{with}([{piece}{move}])(?=$|[,{break}{and}])").match(
            sentence.tags[index:]
        )
    ):
        # ``White mates with the queen``: the means has the side of the subject
        element = sentence.elements[index + means.start(1)]
        owner = subjects[0].side if subjects else None
        subjects = tuple(term.owned_by(owner) for term in element.terms)
        end = element.span[1]
    planned = over_tags("[{maybe}{threaten}]").search(sentence.tags[:first])
    unsaid = planned or is_said("addressed", sentence.words)
    purpose = r"\bwill\b|\bto (?:force|deliver|give|threaten)\s+$"
    if (named is None and unsaid) or re.search(purpose, sentence.before(index)):
        stance = replace(stance, supposed=True)
    if place := _check_place(sentence, index, relation):
        detail = replace(detail, square=place.word)
        end = max(end, place.span[1])
    uncovering = (
        relation == "discovered_check" and sentence.tags[first - 1] == Tag.PIECE
    )
    if uncovering and sentence.tags[first] == Tag.DISCOVER:
        first -= 1
    if (by := _in_check_by(sentence, index)) and (
        relation in ("in_check", "discovered_check")
        or sentence.tags[index + 1] == Tag.GO
    ):
        relation = relation.replace("in_check", "gives_check")
        subjects = by
        end = max(end, by[0].span[1])
    elif sentence.tags[index - 1 : index] == Tag.NOUN:
        # ``a rook check on g3``
        noun = sentence.elements[index - 1]
        kinds = noun_pieces(noun.word)
        subjects = (Term("piece", noun.word, noun.span, pieces=kinds),)
    if sentence.is_of_any(first):
        subjects = ()
        first = sentence.any_subject(first)
    of_neither = sentence.is_of_neither(first)
    if of_neither:
        first = sentence.any_subject(first)
    if of_neither or sentence.tags[first] in (Tag.NOBODY, Tag.ANYBODY):
        stance = replace(stance, unclear=False)
    before_subject = max(0, first - 1)
    if named is None and sentence.says_only(before_subject):
        stance = replace(stance, unclear=True)
    kings = _king_in_check(sentence, index)
    if uncovering:
        kings = sentence.elements[first].terms
    ends = [element.span[1], end, *(term.span[1] for term in kings)]
    span = (sentence.elements[first].span[0], max(ends))
    tense = sentence.tense(first, index + 1)
    clause = sentence.elements[sentence.clause_start(index)].span[0] - sentence.start
    if tense == "later" and not cue("later").search(sentence.words, clause):
        tense = "any"
    return _claim(sentence, relation, span, kings, stance, tense, detail, subjects)


def _leads(element: Element) -> bool:
    """Tell whether a word before ``check`` or ``mate`` belongs to it: ``gives a rook check``."""
    return element.tag == Tag.NOUN or element.word in words("leading")


def _king_in_check(sentence: Sentence, index: int) -> tuple[Term, ...]:
    """Return the king or side said to be in check: behind the word, or before ``in check``."""
    behind = over_tags(".{into}?([{piece}{player}])").match(sentence.tags[index:])
    terms = list[Term]()
    stands = sentence.before(index).endswith("in ")
    if behind:
        terms = [sentence.elements[index + behind.start(1)].terms[0]]
    elif stands or sentence.elements[index].word in ("mated", "checkmated"):
        near = sentence.elements[max(0, index - 5) : index]
        terms = [term for element in reversed(near) for term in element.terms]
    return tuple(term for term in terms if term.role == "side" or is_king(term))[:1]


# ---------------------------------------------------------------- fixed wordings

#: Relations whose side, if not in the wording, is the one last named before it.
_OF_A_SIDE = frozenset(
    {"better", "wins", "ahead", "behind", "in_return", "en_passant", "missed_mate"}
)

#: Relations whose piece may be named right before the wording.
_OF_A_PIECE = frozenset({"promotes", "steps"})

#: Relations that judge one move, which need not be the last that the sentence writes.
_JUDGES = frozenset({"bad_move", "good_move", "best_move"})


def read_wording(
    sentence: Sentence, match: re.Match[str], reading: Reading
) -> Iterator[Claim]:
    """Read a fixed wording: of material, files, judgements."""
    relation = reading.relation
    span = sentence.offsets(match)
    groups = {name: value.strip() for name, value in match.groupdict().items() if value}
    side = groups.pop("side", None)
    named: tuple[Term, ...] = (
        (Term("side", side, span, side == "white"),) if side else ()
    )
    first = sentence.index(match.start())
    last = sentence.index(match.end())
    sides = tuple(
        each.terms[0] for each in sentence.elements[:last] if each.tag == Tag.PLAYER
    )
    detail = Detail.of({**reading.detail, **groups})
    if relation == "en_passant":
        possible = cue("possible_after").match(sentence.words, match.end())
        allowed = cue("allows").search(sentence.words[: match.start()])
        made = sentence.asserts(first, last) and possible is None and not allowed
        detail = replace(detail, made=made)
        if allowed:  # by the other side
            sides = tuple(replace(term, side=not term.side) for term in sides)
    if relation == "only_move":
        detail = replace(detail, sides=tuple(term.side for term in sides))
    moves = _judged(sentence, last) if relation in _JUDGES else _written(sentence)
    if relation == "better_move":
        clause = sentence.clause_start(min(first, len(sentence.elements) - 1))
        near = [
            term for term in moves if term.span[0] >= sentence.elements[clause].span[0]
        ]
        moves = tuple(near) or moves
    before = tuple(term for term in moves if term.span[1] <= span[0])
    if relation in ("wins", "en_passant") and before:
        named = before[-1:]
    elif relation in _OF_A_SIDE:
        named = named or sides[-1:]
    first, last = max(0, first - 1), max(1, first, last)
    if relation == "open_file" and detail.half.startswith(("half", "semi")):
        having = _having(sentence, match)
        named = named or having
        span = (having[0].span[0], span[1]) if having else span
    rest = sentence.words[match.end() :]
    earlier = sentence.words[: match.start()]
    denied = cue("denied_before").search(earlier) or cue("denied_within").search(
        match.group()
    )
    stance = replace(
        sentence.stance(first, last), negated=denied is not None, able=False
    )
    if relation == "ways":
        stance = replace(stance, supposed=False)
    if relation in ("doubled_rooks",) and not detail.file:
        files = re.findall(r"\b([a-h])-file\b", earlier)
        detail = replace(detail, file=files[-1] if files else "")
    if relation == "en_passant" and cue("allows").search(earlier):
        stance = replace(stance, supposed=False)
    if relation == "equal" and match.group().startswith("chances"):
        stance = replace(stance, supposed=False)
    unsaid = re.match(r"[^,;]*?\b(?:only|would|allows?|leads?|is)\b", rest)
    if relation in _OF_A_PIECE and first < len(sentence.elements):
        place = len(sentence.tags[: first + 1].rstrip(Tag.HAVE)) - 1
        pawn = sentence.elements[max(0, place)]
        if pawn.tag == Tag.PIECE and pawn.terms[0].pieces == {chess.PAWN}:
            named = pawn.terms
            span = (min(span[0], pawn.span[0]), span[1])
    if relation == "promotes" and (
        unsaid or re.search(r"\b(?:which|eventually)\b", earlier)
    ):
        stance = replace(stance, supposed=True)
    if relations()[relation].presupposed:
        stance = Stance()
    how = (stance, sentence.tense(first, last), detail, named)
    yield _claim(sentence, relation, span, moves, *how)


def _having(sentence: Sentence, match: re.Match[str]) -> tuple[Term, ...]:
    """Return the side that is said to have what a wording says: ``White who has the``."""
    stop = sentence.index(match.start())
    has = over_tags("({player})[{pronoun}{have}{maybe}{unknown}{the}{control}]*$")
    owner = has.search(sentence.tags[:stop])
    if owner is None or Tag.HAVE not in owner.group():
        return ()
    return sentence.elements[owner.start(1)].terms


def _written(sentence: Sentence, stop: int | None = None) -> tuple[Term, ...]:
    """Return the moves written in a sentence: one of them may be what is judged."""
    return tuple(
        term
        for each in sentence.elements[:stop]
        if each.tag == Tag.MOVE
        for term in each.terms
    )


def _judged(sentence: Sentence, index: int) -> tuple[Term, ...]:
    """Return the moves that a judgement may be of: not those behind a break that follows it.

    In ``a blunder; Bxe4 was called for`` the move played is judged, in ``the best move was
    Bxe4`` the one told so.
    """
    judged = over_tags("{be}{move_number}?(?P<move>[{move}{square}])")
    named = judged.match(sentence.tags[index:])
    if named is None:
        clause = sentence.tags[index:].partition(Tag.BREAK)[0]
        return _written(sentence, index + len(clause))
    (term,) = sentence.elements[index + named.start("move")].terms
    if term.role == "square":  # a bare square is a pawn's move
        move = Notation.read(term.text)
        term = Term("move", term.text, term.span, square=move.to, move=move)
    return (term,)


Reader = Callable[[Sentence, re.Match[str], Reading], Iterator[Claim]]

#: What reads a match of a pattern, by the name that the table gives it.
READERS: dict[str, Reader] = {
    "verb": read_verb,
    "move_in_words": read_move_in_words,
    "written": read_written,
    "castling": read_castling,
    "named": read_named,
    "there": read_there,
    "standing": read_standing,
    "pawn_state": read_pawn_state,
    "pinned": read_pinned,
    "loose": read_loose,
    "threat": read_threat,
    "counts": read_counts,
    "pair": read_pair,
    "connected": read_connected,
    "check": read_check,
    "mate": read_mate,
    "wording": read_wording,
}

#: Readers whose words, once read as a kind of claim, are not read so again.
ONCE = frozenset({"wording", "move_in_words"})


@cache
def _rows(presupposed: bool) -> tuple[Relation, ...]:
    """Return the rows of the table that have readings."""
    return tuple(
        row
        for row in relations().values()
        if any(each.reader in READERS for each in row.readings)
        and (presupposed or not row.presupposed)
    )


def read_claims(sentence: Sentence, presupposed: bool) -> Iterator[Claim]:
    """Yield the claims of a sentence, row by row of the table."""
    taken: dict[tuple[str, str], list[tuple[int, int]]] = {}
    text = sentence.words
    present = {*sentence.tags, *(side for side in SIDES if side in text)}
    for row in _rows(presupposed):
        if row.hints and not any(map(text.__contains__, row.hints)):
            continue
        for reading in row.readings:
            if reading.reader not in READERS:  # of whole clauses (clauses.py)
                continue
            if reading.needs and reading.needs.isdisjoint(present):
                continue
            over = text if reading.reader in OF_WORDS else sentence.tags
            if reading.pattern.search(over):
                yield from _read(sentence, row.kind, reading, over, taken)


def _read(
    sentence: Sentence,
    kind: Kind,
    reading: Reading,
    over: str,
    taken: dict[tuple[str, str], list[tuple[int, int]]],
) -> Iterator[Claim]:
    """Yield the claims of one reading, but for words that were read as the kind before."""
    for match in reading.pattern.finditer(over):
        start, stop = match.span()
        once = taken.setdefault((reading.reader, kind), [])
        if any(start < last and first < stop for first, last in once):
            continue
        claims = tuple(READERS[reading.reader](sentence, match, reading))
        if claims and reading.reader in ONCE:
            once.append(match.span())
        yield from claims
