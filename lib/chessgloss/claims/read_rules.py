"""Reader 2: a comment read by small rules, one table of templates in ``read_rules.toml``.

A text is cut into clauses, and each clause, as chunks (:mod:`chessgloss.claims.chunks`), is held
against the templates from its first word to its last: ``The knight on f3 still attacks e5`` is
``{N} attacks {T}``. What matches none is *unread*: it is reported, and nothing in it is claimed. A
pronoun is read where the words leave one candidate: the piece that has moved, or the only one
named in the clause before. Nothing here looks at a board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final, NamedTuple

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
    "W": "wing",
}
_OTHER: Final = {"white": "black", "black": "white", "w": "b", "b": "w"}
_SIDES: Final = {"w": "white", "b": "black"}
_COUNTED: Final = {"attacks": "attacked", "defends": "defended"}
_OF_PAWNS: Final = ("passed", "isolated", "doubled", "backward", "connected")


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
        keys = [each.key for each in chunk(row["say"])]
        pattern = "".join(_expressions(keys))
        must = re.sub(r"\(\?:[^()]*\)\?", "", pattern)
        verb = re.search(r"(?<!P)<\w+>", must)
        means, can = (tuple(map(Meaning.of, row.get(name, ()))) for name in ("means", "can"))
        one = Template(row["say"], means, can, re.compile(pattern))
        found.setdefault(verb.group() if verb else "", []).append(one)
    return found


def _expressions(keys: Sequence[str]) -> Iterator[str]:
    """Yield the regular expressions of the chunks of a template."""
    for place, key in enumerate(keys):
        if key in ("[", "]", "…"):
            yield {"[": "(?:", "]": ")?", "…": "(?P<rest>.+ )"}[key]
        elif key.startswith("{"):
            sort = key[1]
            known = _SLOTS.get(sort, sort)
            fits = "|".join(words(_CLASSES[sort])) if sort in _CLASSES else known
            yield f"(?P<{key[1:-1]}>{fits}) "
        elif key == "|":
            yield "|"
        else:
            first = keys[place + 1 : place + 2] == ["|"] and keys[place - 1 : place] != ["|"]
            last = keys[place - 1 : place] == ["|"] and keys[place + 1 : place + 2] != ["|"]
            yield f"{'(?:' if first else ''}{re.escape(key)} {')' if last else ''}"


# ---------------------------------------------------------------- clauses


@dataclass(slots=True)
class Clause:
    """Chunks between two words or stops that join clauses, and what joins them to what is before."""

    joints: list[str] = field(default_factory=list)
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

    def is_cut_by(self, word: str) -> bool:
        """Whether a new clause begins with a word: not with *but* in ``nothing but the bishop``."""
        if word not in words("break"):
            return False
        if word in words("soft"):
            return not self.chunks
        return not (word == "but" and self.chunks and self.chunks[-1].quantity == "none")


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
        self.subject: Chunk | None = None
        self.named: list[Chunk] = []
        self.topic: tuple[str, ...] | None = ()
        self.behind: tuple[str, ...] | None = ()
        self.lost = False
        self.open = False
        self.passive = False
        self.follows = False
        self.scene = Scene()

    def read_sentence(self, clauses: Sequence[Clause], *, asked: bool) -> None:
        """Read one sentence; if what sets its scene is not read, nothing in it is."""
        kept = len(self.claims)
        missed = len(self.unread)
        self.subject = None
        self.scene = Scene()
        self.behind = None if self.behind is None else ()
        broken = False
        for place, clause in enumerate(clauses):
            goes_on = {*clause.joints} <= {",", "and", "or", "nor", "then", "which", "that"}
            first = clause.chunks[0]
            own = self.subject is None or first.form != "finite" or clause.joint == "relative"
            skipped = asked or (broken and goes_on and own) or clause.joint == "barred"
            broken = skipped or not self._read_clause(clause, place)
            if broken:
                self.unread.append(clause.span)
                self._keep(clause.chunks, None)
            asked = asked or (broken and clause.joint in ("frame", "barred"))
        if asked:
            del self.claims[kept:]
            self.unread[missed:] = [(clauses[0].span[0], clauses[-1].span[1])]
        if len(self.unread) == missed:
            self.lost = self.open = False

    def _read_clause(self, clause: Clause, place: int) -> bool:
        """Read a clause; return whether it was read whole."""
        chunks = list(clause.chunks)
        try:
            if clause.joint == "frame":
                alone = chunks[0].sort not in "MP" or len(chunks) == 1
                scene = self._scene_of(chunks if alone else chunks[:1])
                if alone and place and len(clause.joints) == 1:
                    self.claims[-1:] = [scene.of(each) for each in self.claims[-1:]]
                    return True
                self.scene = scene
                self.topic = self.behind = ()
                if alone:
                    return True
                chunks = chunks[1:]
            chunks = self._with_subject(chunks, clause.joint, place)
            self.follows = "then" in clause.joints
            claims = self._match(chunks)
        except (Unreadable, ClaimError):
            return False
        (start, stop) = clause.span
        self.claims += [claim.at(start, stop) for claim in claims]
        try:
            self._keep(chunks, claims)
        except Unreadable:
            self.subject = None
        return True

    def _keep(self, chunks: Sequence[Chunk], claims: Sequence[Claim] | None) -> None:
        """Keep what later clauses may go back to; of an unread clause what its words leave clear."""
        first = chunks[0]
        if first.sort == "P" and claims:
            first = self._resolve(first)
        self.subject = first if first.sort in "NC" or (claims and first.sort == "M") else None
        named = [each for each in chunks if each.sort in "NSM"]
        self.named = named or self.named
        self.passive = any(each.passive for each in chunks)
        moves = [each.items for each in chunks if each.sort == "M"]
        if claims is None:
            self.lost = True
            self.topic = None if moves else self.topic
        elif len(moves) == 1:
            self.topic = () if moves[0] == (self.move,) else moves[0]
        elif moves or any(claim.predicate in ("can", "threat") for claim in claims):
            self.topic = None
        self.behind = self.topic

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
            near = [each for each in (*self.named[-1:], subject) if each and each.sort in "NMP"]
            subject = near[0] if len({each.items for each in near}) == 1 else None
        elif (place == 0 and first.form == "finite") or (subject is None and joint == "frame"):
            subject = replace(first, sort="P", word="this", form="")
        if subject is None or (first.form == "base" and place == 0):
            raise Unreadable
        if first.form in ("ing", "participle"):
            first = replace(first, form="participle")
        elif first.past and not (first.perfect or first.modal):
            first = replace(first, passive=self.passive)
        return [subject, first, *rest]

    def _resolve(self, pronoun: Chunk) -> Chunk:
        """Return the piece that a pronoun stands for, if the words leave one candidate."""
        if self.open or pronoun.word not in ("it", "this", "they", "them"):
            raise Unreadable
        if pronoun.word == "this" or not self.named:
            if self.topic is None or self.lost:
                raise Unreadable
            sort = "M" if self.topic else "N"
            return replace(pronoun, sort=sort, items=self.topic or ("moved",))
        named = {each.items: each for each in self.named}
        plural = pronoun.word != "it"
        if len(named) != 1 or self.named[0].plural != plural:
            raise Unreadable
        return self.named[0]

    def moved(self, item: str, *, acts: bool) -> str:
        """Return a reference, as ``moved`` if it can only be of the piece that has moved."""
        (_, kind, square) = _moving(self.move)
        side, letter, place = item[:1], item[1:2], item[2:]
        own = side in ("?", self.side[0]) and letter == kind
        here = place == square or (acts and not place)
        return "moved" if own and here else item

    def _scene_of(self, chunks: list[Chunk]) -> Scene:
        """Return what ``Nf3`` or ``Black takes the knight`` sets as the scene of what follows."""
        first, *rest = chunks
        if not rest and first.sort == "M":
            return self.scene.then(first.items, self.move)
        if not rest and first.sort == "P" and first.word in ("this", "it"):
            return self.scene
        claims = self._match(self._with_subject(chunks, "frame", 1))
        moves = [str(move) for claim in claims for move in claim.get("move") or ()]
        if len(claims) != 1 or len(moves) != 1 or claims[0].denied:
            raise Unreadable
        if claims[0].predicate == "played":
            return self.scene
        return self.scene.then(moves, self.move)

    # ------------------------------------------------------------ matching

    def _match(self, chunks: Sequence[Chunk]) -> list[Claim]:
        """Return the claims of a clause by the first template that fits it whole."""
        (means, filled, verb) = _fit(_active(chunks))
        listed = next((name for name, each in filled.items() if each.parts), "")
        members = filled[listed].parts if listed else ()
        fillings = [{**filled, listed: each} for each in members] or [filled]
        return [
            claim
            for filling in fillings
            for claim in _Filler(self, filling, verb).claims(means)
        ]


class Scene(NamedTuple):
    """The position that a clause speaks of: when, and moves on from there."""

    when: str = "after"
    line: tuple[str, ...] = ()

    def then(self, moves: Sequence[str], played: str) -> Scene:
        """Return the scene after further moves; the move under discussion leads to its own."""
        if not self.line and moves[0].rstrip("+#") == played:
            return Scene("after", tuple(moves[1:]))
        return Scene("either", (*self.line, *moves))

    def of(self, claim: Claim) -> Claim:
        """Return a claim as one of this scene."""
        line = Claim.of("can", line=",".join(self.line)).line if self.line else ()
        return replace(claim, when=self.when, line=(*line, *claim.line))


def _fit(
    chunks: Sequence[Chunk],
) -> tuple[list[Meaning], dict[str, Chunk], Chunk | None]:
    """Return what the first template that fits means, its slots filled, and the verb."""
    verb = next((each for each in chunks if each.sort == "V"), None)
    keys = "".join(f"{each.key} " for each in chunks)
    verbal = templates().get(verb.key, []) if verb else []
    for template in (*verbal, *templates()[""]):
        match = template.pattern.fullmatch(keys)
        if match is None:
            continue
        filled = {
            name: chunks[keys.count(" ", 0, match.start(name))]
            for name, value in match.groupdict().items()
            if value
        }
        able = verb is not None and verb.modal in ("can", "could")
        means = list(template.can if able and template.can else template.means)
        if filled.pop("rest", None) is None:
            return means, filled, verb
        try:
            start = keys.count(" ", 0, match.start("rest"))
            inner = _fit(chunks[start : start + match["rest"].count(" ")])
        except Unreadable:
            continue
        return [*inner[0], *means], inner[1] | filled, inner[2]
    raise Unreadable


def _active(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return a passive clause that says *by* whom as an active one."""
    sorts = [each.sort for each in chunks]
    by = sorts.index("by") if "by" in sorts else 0
    if not by or sorts[1] != "V" or not chunks[1].passive or sorts[by + 1 : by + 2] != ["N"]:
        return list(chunks)
    (patient, verb, *between) = chunks[:by]
    agent = chunks[by + 1]
    if verb.quantity or (between and between[-1].sort == "only"):
        agent = replace(agent, quantity="only")
        between = [each for each in between if each.sort != "only"]
    active = replace(verb, passive=False, form="finite", quantity="")
    return [agent, active, patient, *between, *chunks[by + 2 :]]


# ---------------------------------------------------------------- claims


class _Filler:
    """Makes the claims of a template from the chunks that fill it."""

    def __init__(
        self, reader: _Reader, filled: Mapping[str, Chunk], verb: Chunk | None
    ) -> None:
        self.reader = reader
        self.verb = verb or Chunk("V", "", (0, 0))
        self.scene = reader.scene
        self.filled = {name: self._resolved(name, each) for name, each in filled.items()}
        if self.verb.quantity or any(each.quantity == "mixed" for each in self.filled.values()):
            raise Unreadable

    def _resolved(self, name: str, chunk: Chunk) -> Chunk:
        """Return a chunk for its slot: a pronoun or a move that acts as the piece that does."""
        reader = self.reader
        if name[0] in "NTD" and chunk.sort == "P":
            chunk = reader._resolve(chunk)
        if name[0] in "NTD" and chunk.sort == "M":
            if not (chunk.word or len(chunk.items) > 1 or chunk.items == (reader.move,)):
                raise Unreadable  # ``Bf4`` may be a move or the bishop on f4
            self.scene = self.scene.then(chunk.items, reader.move)
            item = "last" if self.scene.line else "moved"
            return replace(chunk, sort="N", items=(item,))
        if name[0] == "M" and chunk.sort == "P":
            if reader.lost or reader.topic is None:
                raise Unreadable
            return replace(chunk, sort="M" if reader.topic else "P", items=reader.topic)
        if chunk.sort == "N" and not chunk.quantity:
            items = tuple(reader.moved(item, acts=name in ("N", "D")) for item in chunk.items)
            return replace(chunk, items=items)
        return chunk

    def claims(self, means: Sequence[Meaning]) -> Iterator[Claim]:
        """Yield the claims; a move with all that phrases add to it is one."""
        added = dict[str, str]()
        for meaning in means:
            added |= meaning.values if meaning.predicate == "with" else {}
        said = [meaning for meaning in means if meaning.predicate != "with"]
        deeds = [meaning for meaning in said if meaning.predicate == "does"]
        if added and not deeds:
            self._place(added)
        if (self.verb.denied and len(said) > 1):
            raise Unreadable
        for meaning in said:
            if meaning in deeds:
                yield from self._deed({**meaning.values, **added})
            else:
                yield from self._state(meaning)
        whole = " ".join(text for meaning in said for text in meaning.values.values())
        for name, each in self.filled.items():
            for state in each.states:
                if each.quantity == "none" or self.verb.denied:
                    raise Unreadable
                ours = f"{{{name}:ours}}" in whole
                piece = self._sided(each, "ours") if ours else ",".join(each.items)
                yield self.scene.of(Claim.of(state, piece=piece, quantity="some"))

    def _place(self, added: Mapping[str, str]) -> None:
        """Put the piece that a clause is about on the square that it names apart."""
        name, subject = next(iter(self.filled.items()))
        square = self._text(next(iter(added.values()))) or ""
        alone = [*added] in (["to"], ["from"]) and subject.sort == "N"
        if not alone or len(_single(subject)) != 2:
            raise Unreadable
        self.filled[name] = replace(subject, items=(_single(subject) + square,))

    # ------------------------------------------------------------ states

    def _state(self, meaning: Meaning) -> Iterator[Claim]:
        """Yield a claim about a position; of *no longer* also that it was so."""
        verb = self.verb
        values, quantity, denied = self._values(meaning)
        if verb.modal in ("must", "will", "would") and not self.scene.line:
            raise Unreadable
        predicate = self._text(meaning.predicate) or ""
        if "line" in values:
            moves = values.pop("line").split(",")
            self.scene = self.scene.then(moves, self.reader.move)
        line = self.scene.line
        settings = {"when": "either" if verb.past else self.scene.when}
        able = verb.modal in ("can", "could") and not meaning.values.get("line")
        if able and PREDICATES[predicate].subject == "piece":
            mine = values.get("side", self._side_of("piece", values)) == self.reader.side
            piece = values.get("piece", "")
            fields = _piece_fields(piece)
            line = (*line, *(["--"] if mine else []), _written(fields))
            values |= {"piece": "last"} if "from" in fields else {}
            settings["branches"] = "some"
        if line and predicate in ("develops", "prevents"):
            raise Unreadable
        if line:
            settings["line"] = ",".join(line)
        if quantity:
            settings["quantity"] = quantity
        if predicate in _OF_PAWNS and values["piece"][1:2] not in ("P", "o", "a"):
            raise Unreadable
        everybody = quantity == "none" and values["piece"] == "??"
        if everybody and values.get("target", "")[0:1] in tuple(chess.FILE_NAMES):
            raise Unreadable  # of which side is not said
        if predicate in _COUNTED and quantity.isdigit():
            values = {"piece": values["target"], "by": values["piece"], "number": quantity}
            predicate = _COUNTED[predicate]
            del settings["quantity"]
        settings |= values
        denied ^= meaning.denied ^ verb.denied
        if verb.longer:
            yield Claim.of(predicate, denied=not denied, **settings | {"when": "before"})
        yield Claim.of(predicate, denied=denied, **settings)

    def _side_of(self, name: str, values: Mapping[str, str]) -> str:
        item = values.get(name, "?")
        return self.reader.side if item == "moved" else _SIDES.get(item[0], "")

    def _values(self, meaning: Meaning) -> tuple[dict[str, str], str, bool]:
        """Return the values of a claim, its quantity, and whether *no* in an object denies it."""
        values = dict[str, str]()
        quantity = ""
        denied = False
        row = PREDICATES.get(meaning.predicate)
        subject = row.subject if row else "piece"
        for name, text in meaning.values.items():
            value = self._text(text)
            if value is None:
                continue
            values[name] = value
            for chunk in self._counted(text):
                if chunk.either:
                    raise Unreadable
                if "quantity" in meaning.values:
                    continue
                if name == subject:
                    quantity = chunk.quantity
                elif chunk.quantity == "none":
                    denied = not denied
                elif chunk.quantity not in ("", "some", "1"):
                    raise Unreadable
        return values, quantity, denied

    def _counted(self, text: str) -> Iterator[Chunk]:
        """Yield the chunks of pieces that a value names as such."""
        for slot, aspect in re.findall(r"\{(\w+):?(\w*)\}", text):
            chunk = self.filled.get(slot)
            if chunk is not None and chunk.sort == "N" and aspect in ("", "ours", "theirs"):
                yield chunk

    # ------------------------------------------------------------ slots

    def _text(self, text: str) -> str | None:
        """Return a value with its slots filled; ``None`` where one has nothing to fill it."""
        parts = dict[str, str | None]()
        for slot, aspect in re.findall(r"\{(\w+):?(\w*)\}", text):
            chunk = self.filled.get(slot)
            value = None if chunk is None else self._aspect(chunk, aspect, slot[0])
            parts[f"{{{slot}:{aspect}}}" if aspect else f"{{{slot}}}"] = value
        for part, value in parts.items():
            if value is None:
                return None
            text = text.replace(part, value)
        return text

    def _aspect(self, chunk: Chunk, aspect: str, sort: str) -> str | None:
        """Return what a slot gives: its references, or its side, kind, number …"""
        if sort in _CLASSES:
            return words(_CLASSES[sort])[chunk.word]
        if chunk.sort == "C" and aspect == "man":
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
        sides = {_SIDES.get(item[0]) for item in chunk.items if chunk.sort in "NC"}
        return sides.pop() if len(sides) == 1 else None

    def _sided(self, chunk: Chunk, aspect: str) -> str:
        """Return references with the side that goes without saying: of who acts, or the other."""
        actor = next(iter(self.filled.values()))
        side = (self._side(actor) or "?")[0]
        letter = _OTHER.get(side, "?") if aspect == "theirs" else side
        return ",".join(letter + item[1:] if item[0] == "?" else item for item in chunk.items)

    # ------------------------------------------------------------ moves

    def _deed(self, meant: Mapping[str, str]) -> Iterator[Claim]:
        """Yield that a move is made, can be made, or must be made."""
        actor = self.filled.get(meant.get("by", "").strip("{}"))
        parts = {name: self._text(text) for name, text in meant.items() if name != "by"}
        fields = {name: value for name, value in parts.items() if value is not None}
        defaults = {"castles": "any", "promotes": "yes", "captures": "yes"}
        fields = {name: defaults[name] for name in meant if name in defaults} | fields
        side = fields.pop("side", None) or (self._side(actor) if actor else None)
        objects = [each for each in self.filled.values() if each.sort == "N" and each is not actor]
        if any(len(each.items) > 1 or each.quantity not in _ONE for each in objects):
            raise Unreadable
        denied = self.verb.denied ^ any(each.quantity == "none" for each in objects)
        pieces = actor.items if actor and actor.sort == "N" else ("",)
        quantity = actor.quantity if actor and actor.sort == "N" else ""
        for piece in pieces:
            own = _piece_fields(piece)
            if piece == "last":
                (kind, _, square) = _moving(self.scene.line[-1])
                own = {"piece": kind, "to": square}
                self.scene = self.scene._replace(line=self.scene.line[:-1])
                quantity = "last"
            move = _written(own | fields)
            yield self._moves(move, side, denied ^ (quantity == "none"), quantity)

    def _moves(
        self, move: str, side: str | None, denied: bool, quantity: str
    ) -> Claim:
        """Return that a move is made, can be made, or must be made, as the verb says."""
        verb = self.verb
        topic = self.reader.behind
        if topic and self.verb.form == "participle":
            raise Unreadable
        if quantity != "last" and not self.scene.line:
            if topic is None and verb.modal not in ("can", "could", "must"):
                raise Unreadable
            self.scene = self.scene.then(topic, self.reader.move) if topic else self.scene
        values = {"move": move} | ({"side": side} if side else {})
        if verb.perfect and not verb.modal:
            if "castles" not in move or side is None:
                raise Unreadable
            return Claim.of("castled", denied=denied, side=side, when="after")
        if self.scene.line:
            values["line"] = ",".join(self.scene.line)
        if verb.modal == "must":
            return Claim.of("must", denied=denied, when=self.scene.when, **values)
        if verb.modal == "would" and not self.scene.line:
            raise Unreadable
        able = verb.modal in ("can", "could")
        if quantity == "last":
            return Claim.of("can", denied=denied, when=self.scene.when, **values)
        if quantity.isdigit() and quantity != "1" and able:
            values["number"] = quantity
        elif quantity not in _ONE:
            raise Unreadable
        (kind, _, square) = _moving(self.reader.move)
        other = side is None and re.search("piece:[^,}]", move) and f"piece:{kind}" not in move
        reply = side == _OTHER[self.reader.side] or other or f"from:{square}" in move
        if not (verb.modal or self.scene.line or reply):
            return Claim.of("played", denied=denied, **values)
        if (denied and not verb.modal) or (self.reader.follows and not self.scene.line):
            raise Unreadable
        past = verb.modal == "could" and verb.perfect
        when = "before" if past else "after" if denied or reply else "either"
        return Claim.of("can", denied=denied, when=when, **values)


def _moving(san: str) -> tuple[str, str, str]:
    """Return the kind of piece that makes a move in SAN, what it then is, and its square."""
    found = re.search(r"^([KQRBN])?.*?([a-h][1-8])(?:=([QRBN]))?[+#]?$", san)
    if found is None:
        return "", "", ""
    kind = found[1] or "P"
    return kind, found[3] or kind, found[2]


_ONE: Final = ("", "1", "some", "none")
_AMOUNTS: Final = {
    "P": "pawn",
    "N": "knight",
    "B": "bishop",
    "R": "rook",
    "Q": "queen",
    "x": "piece",
}


def _single(chunk: Chunk) -> str:
    """Return the one reference of a chunk."""
    if len(chunk.items) != 1 or chunk.quantity in ("none", "only", "all"):
        raise Unreadable
    return chunk.items[0]


def _number(chunk: Chunk) -> str | None:
    return chunk.quantity if chunk.quantity.isdigit() else None


#: What a slot can give beside its references.
_ASPECTS: Final[Mapping[str, Callable[[Chunk], str | None]]] = {
    "kind": lambda chunk: _single(chunk)[1],
    "amount": lambda chunk: _AMOUNTS.get(_single(chunk)[1]),
    "square": lambda chunk: _single(chunk)[2:4] or None,
    "man": lambda chunk: _single(chunk)[:2],
    "number": _number,
    "pawns": lambda chunk: _number(chunk) if chunk.items[0][1] == "P" else None,
    "quantity": lambda chunk: chunk.quantity or None,
    "first": lambda chunk: chunk.items[0],
    "last": lambda chunk: chunk.items[-1],
    "white": lambda chunk: "w" + _single(chunk)[1:],
    "black": lambda chunk: "b" + _single(chunk)[1:],
    "before": lambda chunk: ",".join(chunk.items[:-1]) or None,
}


def _piece_fields(item: str) -> dict[str, str]:
    """Return the fields of a move that a piece makes, from its reference."""
    if item in ("", "moved", "last"):
        return {}
    fields = {"piece": item[1], "from": item[2:4]}
    return {name: value for name, value in fields.items() if value.strip("?x")}


def _written(fields: Mapping[str, str]) -> str:
    """Return a move by its fields, as the language writes it."""
    parts = dict(fields)
    if "as" in parts:
        return parts["as"]
    if not parts:
        return "*"
    taken = parts.get("captures", "yes")
    if len(taken) == 2 and taken[0] in chess.FILE_NAMES:
        parts |= {"captures": "yes", "to": taken}
    elif taken != "yes":
        parts["captures"] = taken[1].strip("?x") or "yes"
        if taken[2:4] and "en_passant" not in parts:
            parts["to"] = taken[2:4]
    whole = (f"{name}:{value}" for name, value in parts.items())
    return f"{{{','.join(whole)}}}"
