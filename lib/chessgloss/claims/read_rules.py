"""Reader 2: a comment read by small rules, one table of templates in ``read_rules.toml``.

A text is cut into clauses, and each clause, as chunks (:mod:`chessgloss.claims.chunks`), is held
against the templates from its first word to its last: ``The knight on f3 still attacks e5`` is
``{D} attacks {T}``. What matches none is *unread*: it is reported, and nothing in it is claimed. A
pronoun is read where the words leave one candidate: the piece that has moved, or the only one
named in the clause before. Nothing here looks at a board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, NamedTuple

import chess

from chessgloss.claims.chunks import Chunk, chunk, table, words
from chessgloss.claims.language import PREDICATES, Claim, ClaimError, Reading

Span = tuple[int, int]

#: What can fill a slot of a template: pieces, squares, moves, a side, a pronoun, a number.
_SLOTS: Final[Mapping[str, str]] = {
    "N": "[NPM]",
    "T": "[NSP]",
    "D": "[NCPM]",
    "M": "[MP]",
    "L": "[MS]",
    "X": "M",
    "I": "N",
    "n": "#",
}
#: Slots for one word of a class of words.
_CLASSES: Final[Mapping[str, str]] = {
    "A": "state",
    "E": "standing",
    "G": "grade",
    "K": "ending",
    "W": "wing",
}
_OTHER: Final = {"white": "black", "black": "white", "w": "b", "b": "w"}
_SIDES: Final = {"w": "white", "b": "black"}


class Unreadable(Exception):
    """A clause says what no template can."""


# ---------------------------------------------------------------- templates


class Meaning(NamedTuple):
    """A claim of a template, with slots in its values.

    Its predicate is one of the language, or ``does``: a move is made, can or must be made, as the
    verb says; or ``with``: what a phrase adds to that.
    """

    predicate: str
    denied: bool
    values: Mapping[str, str]

    @classmethod
    def of(cls, text: str) -> Meaning:
        """Read a claim of the table: ``not stands piece={N}``."""
        denied = text.startswith("not ")
        (predicate, *values) = text.removeprefix("not ").split()
        return cls(predicate, denied, dict(value.split("=", 1) for value in values))


class Template(NamedTuple):
    """A row of the table.

    Parameters
    ----------
    say
        The sentence, slots in braces; what may be missing stands in brackets.
    means, can
        What it claims; what it claims with *can* or *could*, if that is something else.
    pattern
        Matches the chunks of a clause.
    """

    say: str
    means: tuple[Meaning, ...]
    can: tuple[Meaning, ...]
    pattern: re.Pattern[str]


@cache
def templates() -> Mapping[str, list[Template]]:
    """Return the templates in order, by the verb that each needs; "" for none."""
    found: dict[str, list[Template]] = {}
    for row in table()["templates"]:
        keys = "".join(f"{each.key} " for each in chunk(row["say"]))
        verb = re.search(r"<\w+>", re.sub(r"\[.*?\]", "", keys))
        means, can = (
            tuple(map(Meaning.of, row.get(name, ()))) for name in ("means", "can")
        )
        one = Template(row["say"], means, can, re.compile(_expression(keys)))
        found.setdefault(verb.group() if verb else "", []).append(one)
    return found


def _expression(keys: str) -> str:
    """Return the regular expression of a template: ``[…]`` may be missing, ``a | b`` is either."""
    text = re.sub(
        r"(?:\S+ \| )+\S+ ", lambda m: f"(?:{m.group().replace(' | ', ' |')})", keys
    )
    text = text.replace("[ ", "(?:").replace("] ", ")?").replace("… ", "(?P<rest>.+ )")
    return re.sub(r"\{(.)(\d?)\} ", lambda m: _slot(m[1], m[2]), text)


def _slot(sort: str, number: str) -> str:
    fits = _SLOTS.get(sort, sort)
    if sort in _CLASSES:
        fits = "|".join(words(_CLASSES[sort]))
    return f"(?P<{sort}{number}>{fits}) "


# ---------------------------------------------------------------- clauses


@dataclass(slots=True)
class Clause:
    """Chunks between two words or stops that join clauses, and what joins them to what is before."""

    joints: list[str] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)

    @property
    def joint(self) -> str:
        """The weightiest of what joins it: ``barred``, ``frame``, ``relative``, ``join``, ``stop``."""
        sorts = [words("break")[each] for each in self.joints]
        return min(sorts, key=list(table()["words"]["break"]).index, default="")

    @property
    def span(self) -> Span:
        """Where it stands in the text."""
        return self.chunks[0].span[0], self.chunks[-1].span[1]

    def is_cut_by(self, word: str) -> bool:
        """Whether a new clause begins with a word: not with *but* in ``nothing but the king``."""
        if word in words("soft"):
            return not self.chunks
        bare = word in ("but", "that", "which", "who") and self.chunks
        return word in words("break") and not (bare and self.chunks[-1].quantity)


def sentences(chunks: Sequence[Chunk]) -> Iterator[tuple[list[Clause], bool]]:
    """Yield the clauses of each sentence, and whether it is a question."""
    clauses = [Clause()]
    for each in (*chunks, Chunk(".", ".", (0, 0))):
        if each.sort in (".", "!", "?"):
            if whole := [clause for clause in clauses if clause.chunks]:
                yield whole, each.sort == "?"
            clauses = [Clause()]
        elif clauses[-1].is_cut_by(each.sort):
            if clauses[-1].chunks:
                clauses.append(Clause())
            clauses[-1].joints.append(each.sort)
        else:
            clauses[-1].chunks.append(each)


class Scene(NamedTuple):
    """The position that a clause speaks of: when, and moves on from there."""

    when: str = "after"
    line: tuple[str, ...] = ()

    def then(self, moves: Sequence[str], played: str) -> Scene:
        """Return the scene after further moves; the move under discussion leads to its own."""
        if not self.line and moves[0].rstrip("+#") == played:
            return Scene("after", tuple(moves[1:]))
        return Scene("either", (*self.line, *moves))

    def settings(self) -> dict[str, str]:
        """Return the scene as a claim has it."""
        line = {"line": ",".join(self.line)} if self.line else {}
        return {"when": self.when, **line}


# ---------------------------------------------------------------- reading


def read(text: str, side: chess.Color, move: str = "") -> Reading:
    """Return the claims of a comment on a move, and the clauses that were not read.

    Parameters
    ----------
    text
        The comment, in English.
    side
        The side that made the move.
    move
        The move, in SAN.
    """
    reader = _Reader(chess.COLOR_NAMES[side], move.rstrip("+#"))
    for clauses, asked in sentences(chunk(text)):
        reader.read_sentence(clauses, asked=asked)
    return Reading(tuple(dict.fromkeys(reader.claims)), tuple(sorted(reader.unread)))


class _Reader:
    """Reads sentence by sentence, and keeps what pronouns and verbs without a subject go back to."""

    def __init__(self, side: str, move: str) -> None:
        self.side = side
        self.move = move
        self.claims: list[Claim] = []
        self.unread: list[Span] = []
        self.subject: Chunk | None = None  # of the clause before
        self.passive = False  # its verb
        self.named: list[Chunk] = []  # pieces, squares, moves that were named last
        self.clear = True  # that nothing else was named
        self.topic: tuple[str, ...] | None = ()  # the move spoken of, if it is another
        self.scene = Scene()

    def read_sentence(self, clauses: Sequence[Clause], *, asked: bool) -> None:
        """Read one sentence; if what sets its scene is not read, nothing in it is."""
        kept = len(self.claims)
        missed = len(self.unread)
        self.subject = None
        self.scene = Scene()
        if self.topic and clauses[0].chunks[0].sort != "P":
            self.topic = ()
        scope = False
        for place, clause in enumerate(clauses):
            first = clause.chunks[0]
            goes_on = {*clause.joints} <= {*words("scope")}
            own = self.subject is None or first.form != "finite"
            hidden = scope and goes_on and (own or clause.joint == "relative")
            if not (asked or hidden or clause.joint == "barred"):
                if self._read_clause(clause, place):
                    scope = False
                    continue
            self.unread.append(clause.span)
            self._keep(clause.chunks, None)
            scope = any(each.sort == "V" for each in clause.chunks) or scope
            scope |= len(clause.chunks) > 3
            asked |= clause.joint in ("frame", "barred")
        if asked:
            del self.claims[kept:]
            self.unread[missed:] = [(clauses[0].span[0], clauses[-1].span[1])]
        self.clear |= len(self.unread) == missed

    def _read_clause(self, clause: Clause, place: int) -> bool:
        """Read a clause; return whether it was read whole."""
        chunks = list(clause.chunks)
        try:
            if clause.joint in ("frame", "led"):
                long = chunks[0].sort in "MPS" and len(chunks) > 1
                scene = self._scene_of(chunks[:1] if long else chunks)
                if place and len(clause.joints) == 1 and not long:
                    self._move_on(scene)
                    return True
                self.scene = scene
                self.topic = ()
                if not long:
                    return True
                chunks = chunks[1:]
            chunks = self._with_subject(chunks, clause.joint, place)
            sequel = "then" in clause.joints and not self.scene.line
            claims = self.match(chunks, sequel=sequel)
        except (Unreadable, ClaimError):
            return False
        (start, stop) = clause.span
        self.claims += [claim.at(start, stop) for claim in claims]
        self._keep(chunks, claims)
        return True

    def _keep(self, chunks: Sequence[Chunk], claims: Sequence[Claim] | None) -> None:
        """Keep what later clauses may go back to; of an unread clause what its words leave clear."""
        first = chunks[0]
        if first.sort == "P" and (claims or first.word == "this"):
            try:
                first = self.resolve(first)
            except Unreadable:
                first = replace(first, sort="")
        self.subject = first if first.sort in ("N", "C", "M") else None
        self.passive = any(each.passive for each in chunks)
        self.named = [each for each in chunks if each.sort in "NSM"] or self.named
        moves = {each.items for each in chunks if each.sort == "M"}
        played = {each for each in moves if self.is_played(each)}
        moves -= played
        line = any(len(each) > 1 for each in moves)
        if claims is None:
            self.clear &= not any(each.sort in words("determiner") for each in chunks)
        unsure = not moves and any(
            claim.predicate in ("can", "threat") for claim in claims or ()
        )
        if len(moves) > 1 or line or unsure or (moves and claims is None):
            self.topic = None
        elif moves or played:
            self.topic = next(iter(moves), ())

    def is_played(self, moves: Sequence[str]) -> bool:
        """Whether a written move is the one under discussion."""
        return [move.rstrip("+#") for move in moves] == [self.move]

    def _move_on(self, scene: Scene) -> None:
        """Make the last claim one of a scene that follows it: ``is lost after Nf7``."""
        if not self.claims:
            raise Unreadable
        last = self.claims.pop()
        line = scene.settings() | {"predicate": "stalemate"}
        moves = Claim.from_json(line).line
        self.claims.append(
            replace(last, when="either" if moves else last.when, line=moves + last.line)
        )

    # ------------------------------------------------------------ what a clause goes back to

    def _with_subject(
        self, chunks: list[Chunk], joint: str, place: int
    ) -> list[Chunk]:
        """Return the chunks of a clause with the subject that its verb goes without."""
        first, *rest = chunks
        if first.sort != "V" or first.form == "to":
            return chunks
        subject = self.subject
        if joint == "relative":
            near = [each for each in (*self.named[-1:], subject) if each and each.sort != "C"]
            subject = near[0] if len({each.items for each in near}) == 1 else None
        elif (joint == "frame" and subject is None) or (
            place == 0 and first.form == "finite"
        ):
            subject = Chunk("P", "this", first.span)
        if subject is None or (first.form == "base" and place == 0):
            raise Unreadable
        if first.form == "ing":
            first = replace(first, form="participle")
        elif first.past and not (first.perfect or first.modal):
            first = replace(first, passive=self.passive)
        return [subject, first, *rest]

    def resolve(self, pronoun: Chunk) -> Chunk:
        """Return the piece that a pronoun stands for, if the words leave one candidate."""
        if not self.clear or pronoun.word == "other":
            raise Unreadable
        if pronoun.word == "this" or not self.named:
            if self.topic is None:
                raise Unreadable
            if self.topic:
                return Chunk("M", "", pronoun.span, self.topic)
            return Chunk("N", "", pronoun.span, ("moved",))
        one = len({each.items for each in self.named}) == 1
        if not one or self.named[0].plural != (pronoun.word == "they"):
            raise Unreadable
        return self.named[0]

    def _scene_of(self, chunks: list[Chunk]) -> Scene:
        """Return what ``Nf3`` or ``Black takes the knight`` sets as the scene of what follows."""
        first, *rest = chunks
        if not rest and first.sort in "MS":
            return self.scene.then(first.items, self.move)
        if not rest and first.sort == "P" and first.word != "other":
            return self.scene
        claims = self.match(self._with_subject(chunks, "frame", 1))
        moves = [str(move) for claim in claims for move in claim.get("move") or ()]
        if len(claims) != 1 or len(moves) != 1 or claims[0].denied:
            raise Unreadable
        if claims[0].predicate == "played":
            return self.scene
        return self.scene.then(moves, self.move)

    # ------------------------------------------------------------ matching

    def match(self, chunks: Sequence[Chunk], *, sequel: bool = False) -> list[Claim]:
        """Return the claims of a clause by the first template that fits it whole."""
        for means, filled, verb in _fits(_active(chunks)):
            name = next((name for name, each in filled.items() if each.parts), "")
            members = filled[name].parts if name else (None,)
            fillings = [filled | ({name: each} if each else {}) for each in members]
            try:
                senses = [_Sense(self, each, verb, sequel=sequel) for each in fillings]
                claims = [claim for sense in senses for claim in sense.claims(means)]
            except (Unreadable, ClaimError):
                continue
            if claims:
                return claims
        raise Unreadable


def _fits(
    chunks: Sequence[Chunk],
) -> Iterator[tuple[list[Meaning], dict[str, Chunk], Chunk]]:
    """Yield what each template that fits means, its slots filled, and the verb."""
    none = Chunk("V", "", (0, 0))
    verb = next((each for each in chunks if each.sort == "V"), none)
    keys = "".join(f"{each.key} " for each in chunks)
    for template in (*templates().get(verb.key, ()), *templates()[""]):
        match = template.pattern.fullmatch(keys)
        if match is None:
            continue
        starts = {
            name: keys.count(" ", 0, match.start(name))
            for name, value in match.groupdict().items()
            if value
        }
        rest = starts.pop("rest", None)
        filled = {name: chunks[start] for name, start in starts.items()}
        able = verb.modal in ("can", "could") and template.can
        means = list(template.can if able else template.means)
        if rest is None:
            yield means, filled, verb
            continue
        inner = chunks[rest : rest + match["rest"].count(" ")]
        for others, fillings, its_verb in _fits(inner):
            yield [*others, *means], fillings | filled, its_verb


def _active(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return a passive clause that says *by* whom as an active one."""
    sorts = [each.sort for each in chunks]
    by = sorts.index("by") if "by" in sorts[2:-1] else 0
    if not by or not chunks[1].passive or chunks[by + 1].sort != "N":
        return list(chunks)
    (patient, verb, *between) = chunks[:by]
    agent = chunks[by + 1]
    if verb.quantity or sorts[by - 1] == "only":
        agent = replace(agent, quantity="only")
        between = [each for each in between if each.sort != "only"]
    active = replace(verb, passive=False, form="finite", quantity="")
    return [agent, active, patient, *between, *chunks[by + 2 :]]


# ---------------------------------------------------------------- claims


class _Sense:
    """Makes the claims of a template from the chunks that fill it."""

    def __init__(
        self,
        reader: _Reader,
        filled: Mapping[str, Chunk],
        verb: Chunk,
        *,
        sequel: bool,
    ) -> None:
        self.reader = reader
        self.verb = verb
        self.sequel = sequel
        self.scene = reader.scene
        self.actor = next(iter(filled), "")
        self.filled = {name: self._meant(name, each) for name, each in filled.items()}
        if verb.quantity:
            raise Unreadable

    def _meant(self, name: str, chunk: Chunk) -> Chunk:
        """Return a chunk for its slot: a pronoun or a move that acts as the piece that does."""
        reader = self.reader
        if name[0] == "M" and chunk.sort == "P":
            if not reader.clear or reader.topic is None or chunk.word == "other":
                raise Unreadable
            return replace(chunk, sort="M" if reader.topic else "P", items=reader.topic)
        if name[0] not in "NTDI":
            return chunk
        if chunk.sort == "P":
            chunk = reader.resolve(chunk)
        if chunk.sort == "M":
            if not (chunk.word or len(chunk.items) > 1 or reader.is_played(chunk.items)):
                raise Unreadable  # ``Bf4`` may be a move or the bishop on f4
            self.scene = self.scene.then(chunk.items, reader.move)
            item = "last" if self.scene.line else "moved"
            return replace(chunk, sort="N", items=(item,))
        if chunk.sort == "N" and not chunk.quantity:
            acts = name == self.actor
            items = tuple(self._moved(item, acts=acts) for item in chunk.items)
            return replace(chunk, items=items)
        return chunk

    def _moved(self, item: str, *, acts: bool) -> str:
        """Return a reference, as ``moved`` if it can only be of the piece that has moved."""
        (_, kind, square) = _moving(self.reader.move)
        own = item[:1] in ("?", self.reader.side[0]) and item[1:2] == kind
        here = item[2:] == square or (acts and not item[2:])
        return "moved" if own and here else item

    def claims(self, means: Sequence[Meaning]) -> Iterator[Claim]:
        """Yield the claims; a move with all that phrases add to it is one."""
        said = [meaning for meaning in means if meaning.predicate != "with"]
        added = dict[str, str]()
        for meaning in means:
            added |= meaning.values if meaning not in said else {}
        deed = any(meaning.predicate == "does" for meaning in said)
        if added and not deed:
            self._put(added)
        if self.verb.denied and len(said) > 1:
            raise Unreadable
        for meaning in said:
            if meaning.predicate == "does":
                yield from self._deed({**meaning.values, **added})
            else:
                yield from self._state(meaning)
        texts = {text for meaning in said for text in meaning.values.values()}
        for name, each in self.filled.items():
            for state in each.states:
                if each.quantity == "none" or self.verb.denied:
                    raise Unreadable
                ours = f"{{{name}:ours}}" in texts
                piece = self._sided(each, "ours") if ours else ",".join(each.items)
                settings = self.scene.settings() | {"quantity": "some"}
                yield Claim.of(state, piece=piece, **settings)

    def _put(self, added: Mapping[str, str]) -> None:
        """Put the piece that a clause is about on the square that it names apart."""
        name, subject = next(iter(self.filled.items()))
        (square,) = [self.fill(text) for text in added.values()][:1]
        piece = _one(subject)
        if subject.sort != "N" or square is None or len(square) != 2 or len(piece) != 2:
            raise Unreadable
        self.filled[name] = replace(subject, items=(self._moved(piece + square, acts=False),))

    # ------------------------------------------------------------ states

    def _state(self, meaning: Meaning) -> Iterator[Claim]:
        """Yield a claim about a position; of *no longer* also that it was so."""
        verb = self.verb
        predicate = self.fill(meaning.predicate) or ""
        values, quantity, denied = self._values(meaning)
        if "line" in values:
            moves = values.pop("line").split(",")
            self.scene = self.scene.then(moves, self.reader.move)
        settings = self.scene.settings()
        line = self.scene.line
        supposed = line or any(each.sort == "M" for each in self.filled.values())
        if verb.modal not in ("", "can", "could", *(("will", "would") if supposed else ())):
            raise Unreadable
        if verb.past:
            settings["when"] = "either"
        piece = values.get("piece", "")
        able = verb.modal in ("can", "could") and "line" not in meaning.values
        if able and piece:
            fields = _fields(piece)
            mine = piece == "moved" or _SIDES.get(piece[0]) == self.reader.side
            ours = ("--",) if mine else ()
            settings["line"] = ",".join((*line, *ours, _written(fields)))
            settings["branches"] = "some"
            values |= {"piece": "last"} if "from" in fields else {}
        if line and predicate in ("develops", "prevents"):
            raise Unreadable
        if predicate in words("of_pawns") and piece[1:2] not in "Poa":
            raise Unreadable
        if quantity == "none" and piece == "??" and len(values.get("target", "")) == 2:
            raise Unreadable  # of which side is not said
        if quantity.isdigit() and predicate in words("counted"):
            values = {"piece": values["target"], "by": piece, "number": quantity}
            predicate = words("counted")[predicate]
        elif quantity:
            settings["quantity"] = quantity
        settings |= values
        denied ^= meaning.denied ^ verb.denied
        if verb.longer and verb.denied:
            before = settings | {"when": "before"}
            yield Claim.of(predicate, denied=not denied, **before)
        yield Claim.of(predicate, denied=denied, **settings)

    def _values(self, meaning: Meaning) -> tuple[dict[str, str], str, bool]:
        """Return the values of a claim, its quantity, and whether *no* in an object denies it."""
        filled = {name: self.fill(text) for name, text in meaning.values.items()}
        values = {name: value for name, value in filled.items() if value is not None}
        row = PREDICATES.get(meaning.predicate)
        subject = row.subject if row else "piece"
        quantity = ""
        denied = False
        for name in values:
            for chunk in self._counted(meaning.values[name]):
                if chunk.either or chunk.quantity == "mixed":
                    raise Unreadable
                if name == subject:
                    quantity = "" if "quantity" in meaning.values else chunk.quantity
                elif chunk.quantity not in _ONE:
                    raise Unreadable
                denied ^= name != subject and chunk.quantity == "none"
        return values, quantity, denied

    def _counted(self, text: str) -> list[Chunk]:
        """Return the chunks of pieces that a value names as such."""
        found = re.findall(r"\{(\w+)(?::(?:ours|theirs|self))?\}", text)
        chunks = [self.filled[slot] for slot in found if slot in self.filled]
        return [each for each in chunks if each.sort == "N"]

    # ------------------------------------------------------------ slots

    def fill(self, text: str) -> str | None:
        """Return a value with its slots filled; ``None`` where one has nothing to fill it.

        Of alternatives, ``{I}|{D:self}``, the first that has.
        """
        for option in text.split("|"):
            slots = re.findall(r"\{(\w+):?(\w*)\}", option)
            values = [self._slot(slot, aspect) for slot, aspect in slots]
            if None not in values:
                given = iter(values)
                return re.sub(r"\{[^}]*\}", lambda _: str(next(given)), option)
        return None

    def _slot(self, slot: str, aspect: str) -> str | None:
        """Return what a slot gives: its references, or its side, kind, number …"""
        chunk = self.filled.get(slot)
        if chunk is None:
            return None
        if slot[0] in _CLASSES:
            return words(_CLASSES[slot[0]])[chunk.word]
        if chunk.sort == "C" and aspect == "self":
            return chunk.items[0] + "?"
        if chunk.sort == "C" or aspect in ("side", "other"):
            side = self._side(chunk)
            return _OTHER.get(side or "") if aspect == "other" else side
        if chunk.sort == "P":
            return None
        if aspect in ("ours", "theirs"):
            return self._sided(chunk, aspect)
        if aspect in _ASPECTS:
            return _ASPECTS[aspect](chunk)
        return chunk.quantity if chunk.sort == "#" else ",".join(chunk.items)

    def _side(self, chunk: Chunk) -> str | None:
        """Return the side that a chunk names, or that its pieces are of."""
        if chunk.items == ("moved",) or chunk.sort == "P":
            return self.reader.side
        if chunk.word in _SIDES:
            return _SIDES[chunk.word]
        sides = {_SIDES.get(item[0]) for item in chunk.items}
        return sides.pop() if len(sides) == 1 else None

    def _sided(self, chunk: Chunk, aspect: str) -> str:
        """Return references with the side that goes without saying: of who acts, or the other."""
        side = (self._side(next(iter(self.filled.values()))) or "?")[0]
        letter = _OTHER.get(side, "?") if aspect == "theirs" else side
        items = (letter + item[1:] if item[0] == "?" else item for item in chunk.items)
        return ",".join(items)

    # ------------------------------------------------------------ moves

    def _deed(self, meant: Mapping[str, str]) -> Iterator[Claim]:
        """Yield that a move is made, can be made, or must be made."""
        actor = self.filled.get(meant.get("by", "").strip("{}"))
        acting = actor is not None and actor.sort == "N"
        fields = {name: words("move_field")[name] for name in meant if name in words("move_field")}
        for name, text in meant.items():
            value = None if name == "by" else self.fill(text)
            fields |= {} if value is None else {name: value}
        side = fields.pop("side", None) or (self._side(actor) if actor else None)
        objects = [each for each in self.filled.values() if each is not actor]
        counts = [each.quantity for each in objects if each.sort == "N"]
        several = any(len(each.items) > 1 for each in objects if each.sort == "N")
        if several or not {*counts} <= {*_ONE}:
            raise Unreadable
        denied = self.verb.denied ^ ("none" in counts)
        for piece in actor.items if actor and acting else ("",):
            quantity = actor.quantity if actor and acting else ""
            if piece == "last":
                (kind, _, square) = _moving(self.scene.line[-1])
                line = self.scene.line[:-1]
                move = _written({"piece": kind, "to": square} | fields)
                settings = self.scene._replace(line=line).settings()
                yield Claim.of("can", denied=denied, move=move, **settings)
                continue
            move = _written(_fields(piece) | fields)
            yield self._move(move, side, denied ^ (quantity == "none"), quantity)

    def _move(
        self, move: str, side: str | None, denied: bool, quantity: str
    ) -> Claim:
        """Return that a move is made, can be made, or must be made, as the verb says."""
        verb = self.verb
        modal = verb.modal
        able = modal in ("can", "could")
        (kind, _, square) = _moving(self.reader.move)
        topic = self.reader.topic
        if not self.scene.line and topic:
            self.scene = self.scene.then(topic, self.reader.move)
        unsure = topic is None and modal not in ("can", "could", "must", "threat")
        led = bool(topic) and verb.form == "participle"
        if unsure or led or (modal == "would" and not self.scene.line):
            raise Unreadable
        settings = self.scene.settings()
        values = {"move": move} | ({"side": side} if side else {})
        castles = move.startswith("O-O") or "castles" in move
        if castles and (verb.longer or (verb.perfect and not modal)):
            wing = {"O-O": "kingside", "O-O-O": "queenside"}.get(move)
            values = {"side": side or ""} | ({"wing": wing} if wing else {})
            predicate = "castling_right" if modal else "castled"
            return Claim.of(predicate, denied=denied, **settings | values)
        if verb.perfect and not modal:
            raise Unreadable
        if modal in ("must", "threat"):
            return Claim.of(modal, denied=denied, **settings | values)
        if able and quantity.isdigit() and quantity != "1":
            values["number"] = quantity
        elif quantity not in _ONE:
            raise Unreadable
        another = re.search("piece:[^,}]", move) and f"piece:{kind}" not in move
        reply = side == _OTHER[self.reader.side] or (side is None and another)
        if not (modal or self.scene.line or reply or f"from:{square}" in move):
            return Claim.of("played", denied=denied, **values)
        if (denied and not modal) or self.sequel:
            raise Unreadable
        if not self.scene.line:
            before = modal == "could" and verb.perfect
            settings["when"] = "before" if before else "after" if denied or reply else "either"
        return Claim.of("can", denied=denied, **settings | values)


_ONE: Final = ("", "1", "some", "none")


def _one(chunk: Chunk) -> str:
    """Return the one reference of a chunk."""
    if len(chunk.items) != 1 or chunk.quantity in ("none", "only", "all"):
        raise Unreadable
    return chunk.items[0]


def _number(chunk: Chunk) -> str | None:
    return chunk.quantity if chunk.quantity.isdigit() else None


#: What a slot can give beside its references.
_ASPECTS: Final[Mapping[str, Callable[[Chunk], str | None]]] = {
    "kind": lambda chunk: _one(chunk)[1],
    "amount": lambda chunk: words("amount").get(_one(chunk)[1]),
    "square": lambda chunk: _one(chunk)[2:4] or None,
    "number": _number,
    "pawns": lambda chunk: _number(chunk) if chunk.items[0][1] == "P" else None,
    "quantity": lambda chunk: chunk.quantity or None,
    "white": lambda chunk: "w" + _one(chunk)[1:],
    "black": lambda chunk: "b" + _one(chunk)[1:],
    "first": lambda chunk: chunk.items[0],
    "last": lambda chunk: chunk.items[-1],
    "before": lambda chunk: ",".join(chunk.items[:-1]) or None,
}


def _moving(san: str) -> tuple[str, str, str]:
    """Return the kind of piece that makes a move in SAN, what it then is, and its square."""
    found = re.search(r"^([KQRBN])?.*?([a-h][1-8])(?:=([QRBN]))?[+#]?$", san)
    if found is None:
        return "", "", ""
    kind = found[1] or "P"
    return kind, found[3] or kind, found[2]


def _fields(item: str) -> dict[str, str]:
    """Return the fields of a move that a piece makes, from its reference."""
    if item in ("", "moved", "last"):
        return {}
    fields = {"piece": item[1], "from": item[2:4]}
    return {name: value for name, value in fields.items() if value.strip("?x")}


def _written(fields: Mapping[str, str]) -> str:
    """Return a move by its fields, as the language writes it."""
    parts = dict(fields)
    if not parts or "as" in parts:
        return parts.get("as", "*")
    taken = parts.get("captures", "yes")
    if len(taken) == 2 and taken[0] in chess.FILE_NAMES:
        parts |= {"captures": "yes", "to": taken}
    elif taken != "yes":
        parts["captures"] = taken[1].strip("?x") or "yes"
        if taken[2:4] and "en_passant" not in parts:
            parts["to"] = taken[2:4]
    whole = (f"{name}:{value}" for name, value in parts.items())
    return f"{{{','.join(whole)}}}"
