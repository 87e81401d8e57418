"""Reader 2: a comment read by small rules, one table of templates in ``read_rules.toml``.

A text is cut into clauses, and each clause, as chunks (:mod:`chessgloss.claims.chunks`), is held
against the templates from its first word to its last: ``The knight on f3 still attacks e5`` is
``{N} attacks {T}``. What matches none is *unread*: it is reported, and nothing in it is claimed. A
pronoun is read where the words leave one candidate: the piece that has moved, or the only one
named in the clause before. Nothing here looks at a board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, NamedTuple

import chess

from chessgloss.claims.chunks import Chunk, chunk, table, verb_forms, words
from chessgloss.claims.language import PREDICATES, Claim, ClaimError

Span = tuple[int, int]

#: What a slot of a template can be filled by.
_SLOTS: Final = {"N": "[NPM]", "T": "[NSP]", "D": "[NCPM]", "M": "[MP]", "L": "[MS]", "n": "[#]", "X": "M"}
#: Slots of one word of a class, and what the word stands for there.
_CLASSES: Final = {"A": "state", "E": "standing", "G": "grade", "W": "wing"}
_INVERSE: Final = {"attacks": "attacked", "defends": "defended"}
_OTHER: Final = {"white": "black", "black": "white"}
_SIDES: Final = {"w": "white", "b": "black"}


class Reading(NamedTuple):
    """What was read in a text.

    Parameters
    ----------
    claims
        The claims, each with its place in the text.
    unread
        The clauses that were not read: start and end in the text.
    """

    claims: tuple[Claim, ...]
    unread: tuple[Span, ...]


class Unreadable(Exception):
    """A clause that fits a template's words says what the template cannot."""


# ---------------------------------------------------------------- templates


class Meaning(NamedTuple):
    """A claim of a template, with slots in its values."""

    predicate: str
    denied: bool
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A row of the table.

    Parameters
    ----------
    say
        The sentence, slots in braces; what may be missing stands in parentheses.
    means, can
        What it claims; what it claims with *can* or *could*, if that is something else.
    pattern
        Matches the chunks of a clause.
    verb
        The verb that it needs, as chunks have it; empty for none.
    """

    say: str
    means: tuple[Meaning, ...]
    can: tuple[Meaning, ...]
    pattern: re.Pattern[str]
    verb: str


def read_meaning(text: str) -> Meaning:
    """Read a claim of a template: ``not attacks piece={N} target={T}``."""
    denied = text.startswith("not ")
    (predicate, *values) = text.removeprefix("not ").split()
    pairs = (value.partition("=") for value in values)
    return Meaning(predicate, denied, tuple((name, value) for name, _, value in pairs))


@cache
def templates() -> tuple[Template, ...]:
    """Return the templates of the table in order."""
    return tuple(_template(row) for row in table()["templates"])


def _template(row: Mapping[str, list[str]]) -> Template:
    say = str(row["say"])
    pattern = "".join(_expressions(say))
    verb = re.search(r"(?<!P)<[^>]+>", re.sub(r"\(\?:[^()]*\)\?", "", pattern))
    means, can = (tuple(map(read_meaning, row.get(name, ()))) for name in ("means", "can"))
    return Template(say, means, can, re.compile(pattern), verb.group() if verb else "")


def _expressions(say: str) -> Iterator[str]:
    """Yield the regular expression of each part of a template."""
    parts = re.findall(r"\{\w+\}|[()]|[^\s()]+", say)
    place = 0
    while place < len(parts):
        part = parts[place]
        following = parts[place + 1] if place + 1 < len(parts) else ""
        place += 1
        if part == "...":
            yield "(?P<rest>.+ )"
        elif part in "()":
            yield {"(": "(?:", ")": ")?"}[part]
        elif part.startswith("{"):
            yield f"(?P<{part[1:-1]}>{_slot(part[1])}) "
        elif part in ("is", "to") and (verb := _verb_of(following, "n" if part == "is" else "b")):
            place += 1
            yield f"<{part}_{verb}> "
        else:
            yield f"(?:{'|'.join(map(_literal, part.split('|')))}) "


def _literal(word: str) -> str:
    if word in ("is", "has"):
        return {"is": "<be>", "has": "<have>"}[word]
    if verb := _verb_of(word, "s"):
        return f"<{verb}>"
    if word.endswith("ing") and (verb := _verb_of(word, "g")):
        return f"<~{verb}>"
    return re.escape(word)


def _slot(sort: str) -> str:
    if sort in _CLASSES:
        return "|".join(words(_CLASSES[sort]))
    return _SLOTS.get(sort, sort)


def _verb_of(word: str, form: str) -> str:
    found = verb_forms().get(word, ())
    return next((each.verb for each in found if form in each.forms and not each.rest), "")


@cache
def _by_verb() -> Mapping[str, list[Template]]:
    found: dict[str, list[Template]] = {}
    for each in templates():
        found.setdefault(each.verb, []).append(each)
    return found


# ---------------------------------------------------------------- clauses


@dataclass(slots=True)
class Clause:
    """Chunks between two words or stops that join clauses, and what joins them to what is before."""

    joints: list[str]
    chunks: list[Chunk] = field(default_factory=list)

    @property
    def joint(self) -> str:
        """The weightiest of what joins it: ``barred``, ``frame``, ``relative``, ``join``, ``stop``."""
        sorts = {words("break")[each] for each in self.joints}
        order = ("barred", "frame", "relative", "join", "stop")
        return next((each for each in order if each in sorts), "")

    @property
    def span(self) -> Span:
        """Where it stands in the text."""
        return self.chunks[0].span[0], self.chunks[-1].span[1]


def sentences(chunks: Sequence[Chunk]) -> Iterator[tuple[list[Clause], bool]]:
    """Yield the clauses of each sentence, and whether it is a question."""
    clauses = [Clause([])]
    for each in (*chunks, Chunk(".", ".", (0, 0))):
        if each.sort in (".", "!", "?"):
            whole = [clause for clause in clauses if clause.chunks]
            if whole:
                yield whole, each.sort == "?"
            clauses = [Clause([])]
        elif each.sort in words("break") and not _is_except(clauses[-1], each):
            if clauses[-1].chunks:
                clauses.append(Clause([]))
            clauses[-1].joints.append(each.sort)
        else:
            clauses[-1].chunks.append(each)


def _is_except(clause: Clause, joint: Chunk) -> bool:
    """Whether a word does not join here: *but* in ``nothing but the bishop``, *for* within."""
    last = clause.chunks[-1] if clause.chunks else joint
    if joint.sort in words("soft"):
        return bool(clause.chunks)
    return joint.sort == "but" and last.quantity == "none"


# ---------------------------------------------------------------- reading


def read(text: str, mover: chess.Color | None = None) -> Reading:
    """Return the claims of a comment on a move, and the clauses that were not read.

    Parameters
    ----------
    text
        The comment, in English.
    mover
        The side whose move it is about; what the other side does is then a reply.
    """
    reader = _Reader(mover)
    for clauses, asked in sentences(chunk(text)):
        reader.read_sentence(clauses, asked=asked)
    ordered = sorted(reader.claims, key=lambda claim: claim.span or (0, 0))
    return Reading(tuple(dict.fromkeys(ordered)), tuple(sorted(reader.unread)))


class _Reader:
    """Reads sentence by sentence, and keeps what pronouns and verbs without a subject go back to."""

    def __init__(self, mover: chess.Color | None) -> None:
        self.mover = "" if mover is None else chess.COLOR_NAMES[mover]
        self.claims: list[Claim] = []
        self.unread: list[Span] = []
        self.subject: Chunk | None = None
        self.named: list[Chunk] = []
        self.lost = False
        self.passive = False
        self.line: tuple[str, ...] = ()
        self.first = True

    def read_sentence(self, clauses: Sequence[Clause], *, asked: bool) -> None:
        """Read one sentence; a clause that sets its scene and is not read leaves all unread."""
        kept = len(self.claims)
        missed = len(self.unread)
        self.subject = None
        self.line = ()
        lost = asked
        broken = False
        for place, clause in enumerate(clauses):
            joint = clause.joint
            follows = joint == "join" and clause.joints[-1] in ("and", "or", "nor", "then")
            scope = broken and (follows or joint in ("relative", "stop") and clause.joints == [","])
            done = not (lost or scope or joint == "barred") and self._read_clause(clause, place)
            broken = not done
            lost = lost or (not done and joint in ("frame", "barred"))
            if not done:
                self.unread.append(clause.span)
                self.subject = None
                self.lost = True
        if lost:
            del self.claims[kept:]
            self.unread = [span for span in self.unread if span[0] < clauses[0].span[0]]
            self.unread.append((clauses[0].span[0], clauses[-1].span[1]))
        self.lost = len(self.unread) > missed
        self.first = False

    def _read_clause(self, clause: Clause, place: int) -> bool:
        """Read a clause; return whether it was read whole."""
        try:
            chunks = list(clause.chunks)
            if clause.joint == "frame":
                moved = chunks[0].sort in "MP" and len(chunks) > 1
                scene = Clause(clause.joints, chunks[:1]) if moved else clause
                self._set_scene(scene, last=place > 0 and len(clause.joints) == 1 and not moved)
                if not moved:
                    return True
                chunks = chunks[1:]
            chunks = self._with_subject(chunks, clause.joint, place)
            claims = self._match(chunks)
        except (Unreadable, ClaimError):
            return False
        span = clause.span
        self.claims += [claim.at(*span) for claim in claims]
        heads = [each for each in chunks[:1] if each.sort in "NCM"]
        self.subject = heads[0] if heads else self.subject
        self.named = [each for each in chunks if each.sort in "NSM"] or self.named
        self.passive = any(each.passive for each in chunks)
        self.first = False
        return True

    # ------------------------------------------------------------ what a clause goes back to

    def _with_subject(
        self, chunks: list[Chunk], joint: str, place: int
    ) -> list[Chunk]:
        """Return the chunks of a clause with the subject that its verb goes without."""
        first, *rest = chunks
        if first.sort != "V" or first.form == "to":
            return chunks
        subject = self.subject
        if first.form == "base" and place == 0:
            raise Unreadable
        if joint == "relative":
            near = self.named[-1:] if self.subject else []
            candidates = {each.items: each for each in (*near, self.subject) if each}
            subject = self._only(candidates.values())
        elif subject is None and place == 0 and first.form == "finite":
            subject = replace(first, sort="N", items=("moved",), form="", denied=False, quantity="")
        if subject is None:
            raise Unreadable
        head = first
        if first.form in ("ing", "participle"):
            head = replace(first, form="finite")
        elif first.past and not first.perfect:
            head = replace(first, passive=self.passive)
        return [subject, head, *rest]

    def _only(self, candidates: Sequence[Chunk]) -> Chunk | None:
        pieces = [each for each in candidates if each.sort in "NM"]
        return pieces[0] if len(pieces) == 1 else None

    def _resolve(self, pronoun: Chunk) -> Chunk:
        """Return what a pronoun stands for, if the words leave one candidate."""
        if pronoun.word not in ("it", "this", "they", "them", "which"):
            raise Unreadable
        if self.lost:
            raise Unreadable
        plural = pronoun.word.startswith("the")
        named = {each.items: each for each in self.named if each.sort in "NSM"}
        found = [each for each in named.values() if each.plural == plural]
        if pronoun.word == "this" or not named:
            return replace(pronoun, sort="N", items=("moved",))
        if len(named) != 1 or not found:
            raise Unreadable
        return found[0]

    def _set_scene(self, clause: Clause, *, last: bool) -> None:
        """Read a clause such as ``after Nf3`` or ``if Black takes``: what follows is then."""
        moves = self._moves_of(clause)
        if last:
            self.claims[-1:] = [self._moved_on(claim, moves) for claim in self.claims[-1:]]
        else:
            self.line = (*self.line, *moves)

    def _moved_on(self, claim: Claim, moves: Sequence[str]) -> Claim:
        line = Claim.of("can", line=",".join(moves)).line
        return replace(claim, when="either", line=(*line, *claim.line))

    def _moves_of(self, clause: Clause) -> tuple[str, ...]:
        (first, *rest) = clause.chunks
        if not rest and first.sort in "MP":
            return first.items
        claims = self._match(self._with_subject(clause.chunks, "", 1))
        moves = [claim.get("move") for claim in claims if not claim.denied]
        if len(moves) != 1 or not moves[0]:
            raise Unreadable
        return tuple(map(str, moves[0]))

    # ------------------------------------------------------------ matching

    def _match(self, chunks: Sequence[Chunk]) -> list[Claim]:
        """Return the claims of a clause by the first template that fits it whole."""
        (means, filled, verb) = self._fit(_active(chunks))
        return list(self._claims(means, filled, verb))

    def _fit(
        self, chunks: Sequence[Chunk], more: Sequence[tuple[str, str]] = ()
    ) -> tuple[list[Meaning], dict[str, Chunk], Chunk | None]:
        """Return what the first template that fits means, its slots filled, and its verb."""
        verb = next((each for each in chunks if each.sort == "V"), None)
        keys = "".join(f"{each.key} " for each in chunks)
        verbal = _by_verb().get(verb.key, []) if verb else []
        for template in (*verbal, *_by_verb()[""]):
            match = template.pattern.fullmatch(keys)
            if match is None:
                continue
            filled = {
                name: chunks[keys.count(" ", 0, match.start(name))]
                for name, value in match.groupdict().items()
                if value is not None and name != "rest"
            }
            able = verb is not None and verb.modal in ("can", "could")
            means = list(template.can if able and template.can else template.means)
            if "rest" not in match.groupdict():
                return means, filled, verb
            try:
                inner = self._fit(chunks[: match["rest"].count(" ")])
            except Unreadable:
                continue
            return [*inner[0], *means], inner[1] | filled, inner[2]
        raise Unreadable

    def _claims(
        self,
        means: Sequence[Meaning],
        filled: Mapping[str, Chunk],
        verb: Chunk | None,
    ) -> Iterator[Claim]:
        if verb is not None and verb.quantity == "only":
            raise Unreadable
        if verb is not None and verb.denied and len(means) > 1:
            raise Unreadable
        added = {
            name: text
            for meaning in means
            if meaning.predicate == "with"
            for name, text in meaning.values
        }
        filler = _Filler(filled, self._resolve, self.mover)
        for meaning in means:
            if meaning.predicate == "does":
                yield from self._does(dict(meaning.values) | added, filler, verb)
            elif meaning.predicate != "with":
                yield self._claim(meaning, filler, verb)
        if added and not any(meaning.predicate == "does" for meaning in means):
            raise Unreadable
        yield from self._states(filled.values(), means)

    def _claim(
        self, meaning: Meaning, filler: _Filler, verb: Chunk | None
    ) -> Claim:
        """Return a claim about a state."""
        modal = verb.modal if verb else ""
        predicate = filler.value(meaning.predicate) or ""
        values = {name: filler.value(text) for name, text in meaning.values}
        filled = {name: value for name, value in values.items() if value is not None}
        line = (*self.line, *filler.line)
        if modal in ("must", "will", "would") and not (line and modal != "must"):
            raise Unreadable
        settings = {"when": "either" if line or (verb and verb.past) else "after"}
        if line:
            settings["line"] = ",".join(line)
        if modal in ("can", "could"):
            settings["modality"] = "possible"
        denied = meaning.denied ^ (verb is not None and verb.denied)
        subject = PREDICATES[predicate].subject if predicate in PREDICATES else None
        for name, text in meaning.values:
            chunk = filler.chunk(text)
            aspect = text.strip("{}").partition(":")[2]
            counted = aspect in ("", "ours", "theirs") and "quantity" not in values
            if chunk is None or chunk.sort != "N" or not (counted and chunk.quantity):
                continue
            if chunk.quantity == "mixed":
                raise Unreadable
            if name == subject:
                settings["quantity"] = _quantity(chunk.quantity)
            elif chunk.quantity == "none":
                denied = not denied
            elif chunk.quantity not in ("some", "1"):
                raise Unreadable
        if any(each.either for each in filler.used()):
            raise Unreadable
        if predicate in _OF_PAWNS and any(kind != "P" for kind in filled["piece"][1::1][:1]):
            raise Unreadable
        return Claim.of(predicate, denied=denied, **settings | filled)

    def _states(
        self, chunks: Iterable[Chunk], means: Sequence[Meaning]
    ) -> Iterator[Claim]:
        """Yield what adjectives say of pieces that a clause names."""
        for each in chunks:
            for state in each.states:
                if each.quantity == "none":
                    raise Unreadable
                piece = ",".join(each.items)
                yield Claim.of(state, piece=piece, when="either", quantity="some")

    # ------------------------------------------------------------ moves

    def _does(
        self, values: Mapping[str, str], filler: _Filler, verb: Chunk | None
    ) -> Iterator[Claim]:
        """Yield that a move is, can be, or must be made."""
        actor = filler.chunk(values.get("by", ""))
        given = {
            name: value
            for name, text in values.items()
            if name not in ("by", "side") and (value := filler.value(text)) is not None
        }
        if "castles" in values:
            given.setdefault("castles", "any")
        side = filler.value(values.get("side", "")) or (filler.side(actor) if actor else "")
        used = [each for each in filler.used() if each.sort == "N" and each is not actor]
        none = any(each.quantity == "none" for each in used)
        if any(each.quantity not in ("", "1", "some", "none") or len(each.items) > 1 for each in used):
            raise Unreadable
        actors = actor.items if actor and actor.sort == "N" else ("",)
        for item in actors:
            fields = given | _fields_of(item)
            yield self._move(_spec(fields), side or "", verb, actor, none=none)

    def _move(
        self,
        move: str,
        side: str,
        verb: Chunk | None,
        actor: Chunk | None,
        *,
        none: bool,
    ) -> Claim:
        modal = verb.modal if verb else ""
        denied = none ^ (verb is not None and verb.denied)
        past = verb is not None and verb.past
        quantity = actor.quantity if actor and actor.sort == "N" else ""
        denied = denied ^ (quantity == "none")
        values = {"move": move} | ({"side": side} if side else {})
        if quantity.isdigit() and quantity != "1" and modal in ("can", "could"):
            values["number"] = f">={quantity}"
        elif quantity not in ("", "none", "some", "1"):
            raise Unreadable
        if verb and verb.perfect and not modal:
            if not move.startswith("{castles:") or denied:
                raise Unreadable
            return Claim.of("castled", side=side, when="after")
        if self.line:
            values |= {"line": ",".join(self.line), "when": "either"}
        if modal == "must":
            return Claim.of("must", denied=denied, **{"when": "either"} | values)
        if modal == "would" and not self.line:
            raise Unreadable
        reply = side == _OTHER.get(self.mover)
        if not (modal or self.line or reply) and (side or self.first):
            return Claim.of("played", denied=denied, **values)
        if denied and not modal:
            raise Unreadable
        when = "before" if modal == "could" and past else "after" if denied else "either"
        return Claim.of("can", denied=denied, **{"when": when} | values)


class _Filler:
    """Values for the slots of a template from the chunks that fill them."""

    def __init__(
        self,
        filled: Mapping[str, Chunk],
        resolve: Callable[[Chunk], Chunk],
        mover: str,
    ) -> None:
        self.filled = filled
        self.mover = mover
        self.line: tuple[str, ...] = ()
        self._resolve = cache(resolve)

    def chunk(self, text: str) -> Chunk | None:
        """Return the chunk that fills the slot of a value, a pronoun as what it stands for."""
        slot = re.fullmatch(r"\{(\w+)(?::\w+)?\}", text)
        chunk = self.filled.get(slot[1]) if slot else None
        if chunk is not None and chunk.sort == "P" and slot and slot[1][0] in "NTD":
            chunk = self._resolve(chunk)
        if chunk is not None and chunk.sort == "M" and slot and slot[1][0] in "NT":
            self.line = chunk.items
            return replace(chunk, items=("last",))
        return chunk

    def used(self) -> Iterator[Chunk]:
        """Yield the chunks that fill slots."""
        yield from self.filled.values()

    def side(self, chunk: Chunk) -> str | None:
        """Return the side that a chunk names, or that its pieces are of."""
        if chunk.items == ("moved",):
            return self.mover or None
        sides = {_SIDES.get(item[:1]) for item in chunk.items if chunk.sort in "NC"}
        return sides.pop() if len(sides) == 1 else None

    def value(self, text: str) -> str | None:
        """Return a value with its slot filled; ``None`` where there is nothing to fill it."""
        if "{" not in text:
            return text
        chunk = self.chunk(text)
        aspect = text.strip("{}").partition(":")[2]
        return None if chunk is None else self._aspect(chunk, aspect, text[1])

    def _aspect(self, chunk: Chunk, aspect: str, sort: str) -> str | None:
        if sort in _CLASSES:
            return words(_CLASSES[sort])[chunk.word]
        if aspect and aspect not in ("number", "pawns", "quantity", "ours", "theirs", "onto"):
            if chunk.quantity in ("none", "only", "all", "mixed"):
                raise Unreadable
        if aspect in ("side", "other") or chunk.sort == "C":
            side = self.side(chunk)
            return _OTHER.get(side or "") if aspect == "other" else side
        if aspect in ("ours", "theirs"):
            side = self.side(self.filled["C"]) or ""
            letter = (_OTHER[side] if aspect == "theirs" else side)[:1]
            return ",".join(letter + each[1:] if each[0] == "?" else each for each in chunk.items)
        if aspect == "onto":
            places = self.filled["S"].items
            return ",".join(item[:2] + place for item in chunk.items for place in places)
        if aspect == "pawns" and chunk.items[0][1] != "P":
            return None
        if aspect in ("number", "pawns") or chunk.sort == "#":
            return chunk.quantity if chunk.quantity.isdigit() else None
        if aspect in ("kind", "amount"):
            if len(chunk.items) > 1:
                raise Unreadable
            kind = chunk.items[0][1]
            return kind if aspect == "kind" else _AMOUNTS.get(kind)
        if aspect == "square":
            return chunk.items[0][2:4] or None
        if aspect == "quantity":
            return _quantity(chunk.quantity) if chunk.quantity else None
        if chunk.sort == "P":
            return None
        if aspect in ("last", "before"):
            moves = chunk.items[-1:] if aspect == "last" else chunk.items[:-1]
            return ",".join(moves) or None
        return ",".join(chunk.items)


_OF_PAWNS: Final = ("passed", "isolated", "doubled", "backward", "connected")
_AMOUNTS: Final = {
    "P": "pawn",
    "N": "knight",
    "B": "bishop",
    "R": "rook",
    "Q": "queen",
    "x": "piece",
}


def _quantity(word: str) -> str:
    return f">={word}" if word.isdigit() else word


def _fields_of(item: str) -> dict[str, str]:
    """Return the fields of a move that a piece makes, from its reference."""
    if item in ("", "moved", "last"):
        return {}
    where = {"from": item[2:4]} if len(item) > 3 else {}
    return ({"piece": item[1]} if item[1] not in "?x" else {}) | where


def _spec(fields: Mapping[str, str]) -> str:
    """Return a move by its fields, as the language writes it."""
    if "as" in fields:
        return fields["as"]
    parts = dict(fields)
    if "castles" in parts:
        parts["castles"] = parts["castles"][:1].upper()
    taken = parts.get("captures", "")
    if len(taken) > 1:
        square = taken if taken[0] in "abcdefgh" else taken[2:4]
        parts["captures"] = "" if taken[0] in "abcdefgh" else taken[1].strip("?x")
        if square:
            parts["to"] = square
    whole = (f"{name}:{value}" if value else name for name, value in parts.items())
    return f"{{{','.join(whole)}}}"


def _active(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return a passive clause that says *by* whom as an active one."""
    keys = [each.sort for each in chunks]
    if keys[1:2] != ["V"] or not chunks[1].passive or "by" not in keys:
        return list(chunks)
    by = keys.index("by")
    if keys[by + 1 : by + 2] != ["N"]:
        return list(chunks)
    (patient, verb, *between) = chunks[:by]
    agent = chunks[by + 1]
    if verb.quantity == "only":
        agent = replace(agent, quantity="only")
    active = replace(verb, passive=False, form="finite", quantity="")
    return [agent, active, patient, *between, *chunks[by + 2 :]]
