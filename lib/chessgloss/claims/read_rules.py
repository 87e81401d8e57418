"""Reader 2: a comment read by small rules, one table of templates in ``read_rules.toml``.

A text is cut into clauses, and each clause, as chunks (:mod:`chessgloss.claims.chunks`), is held
against the templates from its first word to its last: ``The knight on f3 still attacks e5`` is
``{D} attacks {T}``. What matches none is *unread*: it is reported, and nothing in it is claimed. A
pronoun is read where the words leave one candidate: the piece that has moved, or the only one
named in the clause before. Nothing here looks at a board.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, NamedTuple

import chess
from chess import Color

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
_SLOT: Final = re.compile(r"\{([A-Z]\d?|n):?(\w*)\}")
_OTHER: Final = {"white": "black", "black": "white"}
_SIDES: Final = {"w": "white", "b": "black"}


class Unreadable(Exception):
    """A clause says what no template can."""


# ---------------------------------------------------------------- templates


class Meaning(NamedTuple):
    """A claim of a template, with slots in its values.

    Its predicate is one of the language, or ``does``: a move is made, can or must be made, as the
    verb says; or ``with``: what a phrase adds to that.
    """

    text: str
    predicate: str
    denied: bool
    values: Mapping[str, str]

    @classmethod
    def of(cls, text: str) -> Meaning:
        """Read a claim of the table: ``not stands piece={N}``."""
        denied = text.startswith("not ")
        (predicate, *values) = text.removeprefix("not ").split()
        pairs = (value.split("=", 1) for value in values)
        return cls(text, predicate, denied, dict(pairs))


class Template(NamedTuple):
    """A row of the table.

    Parameters
    ----------
    means, can
        What it claims; what it claims with *can* or *could*, if that is something else.
    pattern
        Matches the chunks of a clause.
    """

    means: tuple[Meaning, ...]
    can: tuple[Meaning, ...]
    pattern: re.Pattern[str]


@cache
def templates() -> Mapping[str, list[Template]]:
    """Return the templates in order, by the verb that each needs; "" for none."""
    found: dict[str, list[Template]] = {}
    for say, (means, *rest) in table()["templates"].items():
        keys = "".join(f"{each.key} " for each in chunk(say))
        verb = re.search(r"<\w+>", re.sub(r"\[.*?\]", "", keys))
        able = rest[0].removeprefix("can: ")
        one = Template(
            means=_meanings(means),
            can=_meanings(able) if able != rest[0] else (),
            pattern=re.compile(_expression(keys)),
        )
        found.setdefault(verb.group() if verb else "", []).append(one)
    return found


def _meanings(text: str) -> tuple[Meaning, ...]:
    parts = text.split("; ") if text else ()
    return tuple(map(Meaning.of, parts))


def _expression(keys: str) -> str:
    """Return the regular expression of a template: ``[…]`` may be missing, ``a | b`` is either."""
    text = re.sub(r"((?:\S+ \| )+\S+ )", r"(?:\1)", keys)
    text = text.replace(" | ", " |")
    text = text.replace("[ ", "(?:")
    text = text.replace("] ", ")?")
    text = text.replace("… ", "(?P<rest>.+ )")
    return re.sub(r"\{(.)(\d?)\} ", _slot, text)


def _slot(match: re.Match[str]) -> str:
    """Return the regular expression of a slot."""
    (sort, number) = match.groups()
    fits = _SLOTS.get(sort, sort)
    if sort in _CLASSES:
        fits = "|".join(words(_CLASSES[sort]))
    return f"(?P<{sort}{number}>{fits}) "


# ---------------------------------------------------------------- clauses


@dataclass(slots=True)
class Clause:
    """Chunks between two words or stops that join clauses, and what joins them."""

    joints: list[str] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)

    @property
    def joint(self) -> str:
        """The weightiest class of what joins it: ``barred``, ``frame``, ``relative`` …."""
        sorts = [words("break")[each] for each in self.joints]
        for weighty in table()["words"]["break"]:
            if weighty in sorts:
                return str(weighty)
        return ""

    @property
    def span(self) -> Span:
        """Where it stands in the text."""
        (start, _) = self.chunks[0].span
        (_, stop) = self.chunks[-1].span
        return start, stop

    def is_cut_by(self, word: str) -> bool:
        """Whether a new clause begins with a word: not with *but* in ``nothing but the king``."""
        if word in words("soft"):
            return not self.chunks
        if word in words("whole") and self.chunks:
            return not self.chunks[-1].quantity
        return word in words("break")


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
        (first, *rest) = moves
        if self.line or first.rstrip("+#") != played:
            return Scene("either", (*self.line, *moves))
        return Scene("after", tuple(rest))

    def settings(self) -> dict[str, str]:
        """Return the scene as a claim has it."""
        given = {"when": self.when}
        if self.line:
            given["line"] = ",".join(self.line)
        return given


# ---------------------------------------------------------------- reading


def read(text: str, side: Color, move: str = "") -> Reading:
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
    return Reading(tuple(reader.claims), tuple(reader.unread))


#: The move under discussion, where a sentence begins with what it does.
_THIS: Final = Chunk("P", "this", (0, 0))


class _Reader:
    """Reads sentence by sentence, and keeps what later clauses go back to."""

    def __init__(self, side: str, move: str) -> None:
        self.side = side
        self.move = move
        self.claims: list[Claim] = []
        self.unread: list[Span] = []
        self.subject: Chunk | None = _THIS  # of the clause before
        self.named: list[Chunk] = []  # pieces, squares, moves that were named last
        self.clear = True  # that nothing else was named
        self.here = True  # that no other move has been spoken of
        self.scene = Scene()

    def read_sentence(self, clauses: Sequence[Clause], *, asked: bool) -> None:
        """Read one sentence; if what sets its scene is not read, nothing in it is."""
        kept = len(self.claims)
        missed = len(self.unread)
        self.subject = _THIS
        self.scene = Scene()
        self.named = [each for each in self.named if each.sort != "M"]
        broken = scope = False
        for clause in clauses:
            first = clause.chunks[0]
            lone = len(clause.chunks) == 1 and first.sort == "M"
            hidden = clause.joint == "barred" or (
                broken and (lone or scope or clause.joint == "relative")
            )
            if not (asked or hidden) and self._read_clause(clause):
                broken = scope = False
                continue
            self.unread.append(clause.span)
            self._keep(clause.chunks, None)
            sorts = [each.sort for each in clause.chunks]
            thinks = first.word == "other" and sorts[1:2] != ["V"]
            if hidden or thinks:
                scope = True
            broken = True
            asked |= first.sort == "after" or clause.joint in ("frame", "barred")
        if asked:
            del self.claims[kept:]
            (start, _) = clauses[0].span
            (_, stop) = clauses[-1].span
            self.unread[missed:] = [(start, stop)]
        self.clear |= len(self.unread) == missed

    def _read_clause(self, clause: Clause) -> bool:
        """Read a clause; return whether it was read whole."""
        (first, *rest) = clause.chunks
        framed = clause.joint == "frame"
        try:
            told = rest and rest[0].sort != "M"
            if framed or (first.sort in words("led") and told):
                self.scene = self._scene_of(clause.chunks if framed else rest)
                return True
            chunks = self._with_subject(clause.chunks, clause.joint)
            claims = self.match(chunks)
            carried = chunks[0] is not first and chunks[0].sort == "C"
            last = self.claims[-1:]
            after_move = any(each.predicate == "played" for each in last)
            if carried and after_move and any(map(_is_of_any_man, claims)):
                claims = self.match([_THIS, *chunks[1:]])  # the piece that was moved
        except (Unreadable, ClaimError):
            return False
        (start, stop) = clause.span
        self.claims += [claim.at(start, stop) for claim in claims]
        self._keep(chunks, claims)
        return True

    def _keep(self, chunks: Sequence[Chunk], claims: Sequence[Claim] | None) -> None:
        """Keep what later clauses may go back to; of an unread one what is clear."""
        first = self.resolve(chunks[0]) or chunks[0]
        moves = claims and first.sort == "M"
        acts = moves or first.sort in ("N", "C")
        self.subject = first if acts else None
        named = [each for each in chunks if each.sort in "NSM"]
        self.named = named or self.named
        for each in chunks:
            if each.sort == "M" and not self.is_played(each.items):
                self.here = False
            if claims is None and each.sort in words("determiner"):
                self.clear = False
        for claim in claims or ():
            if claim.predicate in ("can", "threat"):
                self.here = False

    def is_played(self, moves: Sequence[str]) -> bool:
        """Whether a written move is the one under discussion."""
        plain = [move.rstrip("+#") for move in moves]
        return plain == [self.move]

    # ------------------------------------------------------------ what a clause goes back to

    def _with_subject(self, chunks: list[Chunk], joint: str) -> list[Chunk]:
        """Return the chunks of a clause with the subject that its verb goes without."""
        first, *rest = chunks
        if joint == "relative" and chunks[-1].sort == "V" and rest:
            return [*chunks, *self.named[-1:]]  # ``which the queen defends``
        if first.sort != "V" or first.form == "to":
            return chunks
        subject = self.subject
        if joint == "relative":
            near = [
                each
                for each in (*self.named[-1:], subject)
                if each and each.sort != "C"
            ]
            meant = {each.items for each in near}
            subject = near[0] if len(meant) == 1 else None
        if subject is None or (subject is _THIS and first.form == "participle"):
            raise Unreadable
        return [subject, replace(first, form="finite"), *rest]

    def resolve(self, pronoun: Chunk) -> Chunk | None:
        """Return the piece that a pronoun stands for, if the words leave one candidate."""
        if pronoun.sort != "P" or pronoun.word == "other":
            return None
        if not self.clear:
            return None
        if self.named and pronoun.word != "this":
            first = self.named[0]
            different = any(each.items != first.items for each in self.named)
            return None if different else first
        if not self.here:
            return None
        return Chunk("N", "", pronoun.span, ("moved",))

    def _scene_of(self, chunks: list[Chunk]) -> Scene:
        """Return what ``Black takes the knight`` sets as the scene of what follows."""
        claims = self.match(self._with_subject(chunks, ""))
        moves = list[str]()
        for claim in claims:
            moves += map(str, claim.get("move") or ())
        if len(moves) != 1 or claims[0].denied:
            raise Unreadable
        if claims[0].predicate == "played":
            return self.scene
        line = [str(move) for move in claims[0].line]
        return Scene().then([*line, *moves], self.move)

    # ------------------------------------------------------------ matching

    def match(self, chunks: Sequence[Chunk]) -> list[Claim]:
        """Return the claims of a clause by the first template that fits it whole."""
        scene = self.scene
        for means, filled, verb in _fits(chunks):
            led = any(each.predicate == "after" for each in means)
            try:
                self.scene = scene
                if led:
                    self.scene = scene.then(filled["X9"].items, self.move)
                claims = [*_Sense(self, filled, verb).claims(means)]
            except (Unreadable, ClaimError):
                continue
            if claims or led:
                return claims
        raise Unreadable


def _fits(
    chunks: Sequence[Chunk],
) -> Iterator[tuple[list[Meaning], dict[str, Chunk], Chunk]]:
    """Yield what each template that fits means, its slots filled, and the verb."""
    chunks = _active(chunks)
    none = Chunk("V", "", (0, 0))
    verb = next((each for each in chunks if each.sort == "V"), none)
    keys = "".join(f"{each.key} " for each in chunks)
    for template in (*templates().get(verb.key, ()), *templates()[""]):
        match = template.pattern.fullmatch(keys)
        if match is None:
            continue
        filled = dict[str, Chunk]()
        inner: Sequence[Chunk] = ()
        for name, value in match.groupdict().items():
            start = keys.count(" ", 0, match.start(name))
            if name == "rest":
                inner = chunks[start : start + value.count(" ")]
            elif value:
                filled[name] = chunks[start]
        means = list(template.means)
        if template.can and verb.modal in ("can", "could"):
            means = list(template.can)
        if not inner:
            yield means, filled, verb
            continue
        for others, fillings, its_verb in _fits(inner):
            yield [*others, *means], fillings | filled, its_verb


def _active(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return a passive clause that says *by* whom as an active one."""
    sorts = [each.sort for each in chunks]
    if "by" not in sorts[2:-1]:
        return list(chunks)
    by = sorts.index("by", 2)
    agent = chunks[by + 1]
    (patient, verb, *between) = chunks[:by]
    if not verb.passive or agent.sort != "N":
        return list(chunks)
    if verb.quantity or sorts[by - 1] == "only":
        agent = replace(agent, quantity="only")
        between = [each for each in between if each.sort != "only"]
    active = replace(
        verb,
        passive=False,
        form="turned",
        quantity="",
    )
    behind = chunks[by + 2 :]
    return [agent, active, patient, *between, *behind]


# ---------------------------------------------------------------- claims


class _Sense:
    """Makes the claims of a template from the chunks that fill it."""

    def __init__(
        self, reader: _Reader, filled: Mapping[str, Chunk], verb: Chunk
    ) -> None:
        self.reader = reader
        self.verb = verb
        self.scene = reader.scene
        self.actor = next(iter(filled), "")
        self.filled = dict[str, Chunk]()
        for name, each in filled.items():
            self.filled[name] = self._meant(name, each)
        if verb.quantity:
            raise Unreadable

    def _meant(self, name: str, chunk: Chunk) -> Chunk:
        """Return a chunk for its slot: a pronoun or a move that acts as the piece that does."""
        reader = self.reader
        sure = reader.clear and reader.here and chunk.word != "other"
        if name[0] == "M" and chunk.sort == "P" and not sure:
            raise Unreadable
        if chunk.sort == "M" and name[0] != "X" and not self.scene.line:
            before = [each.items for each in reader.named if each.sort == "M"]
            if before and chunk.items != before[-1]:
                raise Unreadable  # it may go on from there
        if name[0] not in "NTDI":
            return chunk
        if chunk.sort == "P":
            piece = reader.resolve(chunk)
            if piece is None:
                raise Unreadable
            chunk = piece
        moved = replace(chunk, sort="N", items=("moved",))
        if chunk.sort == "M":
            plain = not chunk.word and len(chunk.items) == 1
            if plain and not reader.is_played(chunk.items):
                raise Unreadable  # ``Bf4`` may be a move or the bishop on f4
            self.scene = self.scene.then(chunk.items, reader.move)
            return replace(moved, items=("last",)) if self.scene.line else moved
        if name != self.actor or name[0] == "I" or chunk.quantity:
            return chunk
        (kind, _) = _moving(reader.move)
        sides = ("?", reader.side[0])
        own = [(side + kind,) for side in sides]
        return moved if chunk.items in own else chunk

    def claims(self, means: Sequence[Meaning]) -> Iterator[Claim]:
        """Yield the claims; a move with all that phrases add to it is one."""
        said = list[Meaning]()
        added = dict[str, str]()
        for meaning in means:
            if meaning.predicate == "with":
                added |= meaning.values
            elif meaning.predicate != "after":
                said.append(meaning)
        if added and not said:
            raise Unreadable
        if added and said[0].predicate != "does":
            (way, place), *others = added.items()
            turned = self.verb.form == "turned"
            if turned or others or way not in ("to", "from"):
                raise Unreadable
            man = self.filled[self.actor]
            piece = _one(man) if man.items != ("moved",) else "??"
            there = f"{piece}{self.fill(place)}"
            self.filled[self.actor] = replace(man, items=(there,))
        if self.verb.denied and len(said) > 1:
            raise Unreadable
        for meaning in said:
            denied, quantity = self._quantity(meaning)
            if meaning.predicate == "does":
                yield self._deed({**meaning.values, **added}, denied, quantity)
            else:
                yield self._state(meaning, denied, quantity)
        text = " ".join(meaning.text for meaning in said)
        for name, each in self.filled.items():
            for state in each.states:
                if each.quantity == "none" or self.verb.denied:
                    raise Unreadable
                aspect = "ours" if f"{{{name}:ours}}" in text else ""
                yield Claim.of(
                    state,
                    denied=False,
                    piece=self._slot(name, aspect),
                    quantity="some",
                    **self.scene.settings(),
                )

    def _quantity(self, meaning: Meaning) -> tuple[bool, str]:
        """Return whether a claim is denied, and the quantity of what it is about."""
        row = PREDICATES.get(self.fill(meaning.predicate))
        about = f" {row.subject if row else 'by'}={{"
        denied = meaning.denied ^ self.verb.denied
        quantity = ""
        for name, each in self.filled.items():
            counted = re.search(rf"\{{{name}:(number|pawns|quantity)", meaning.text)
            if each.sort != "N" or counted:
                continue
            if about + name in meaning.text:
                quantity = each.quantity
            elif each.quantity not in _ONE:
                raise Unreadable
            else:
                denied ^= each.quantity == "none"
            if quantity == "mixed":
                raise Unreadable
        return denied, quantity

    def _state(self, meaning: Meaning, denied: bool, quantity: str) -> Claim:
        """Return a claim about a position."""
        verb = self.verb
        predicate = self.fill(meaning.predicate)
        values = self._filled(meaning.values)
        if "line" in values:
            moves = values.pop("line").split(",")
            self.scene = self.scene.then(moves, self.reader.move)
        settings = self.scene.settings()
        if verb.modal and predicate != "can":
            raise Unreadable
        if verb.past:
            settings["when"] = "either"
        if predicate == "develops" and self.scene.line:
            raise Unreadable
        piece = values.get("piece", "")
        if predicate in words("of_pawns") and piece[1:2] not in "Poa":
            raise Unreadable
        if predicate in ("attacks", "defends"):
            bare = len(values["target"]) == 2
            if quantity == "none" and piece == "??" and bare:
                raise Unreadable  # of which side is not said
            if quantity.isdigit():
                raise Unreadable  # whether what stands behind counts is not said
        if quantity:
            settings["quantity"] = quantity
        return Claim.of(predicate, denied=denied, **settings | values)

    # ------------------------------------------------------------ slots

    def _filled(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return values with their slots filled, without those that nothing fills."""
        slots = values.items()
        filled = ((name, self.fill(text)) for name, text in slots)
        return {name: value for name, value in filled if value}

    def fill(self, text: str) -> str:
        """Return a value with its slot filled; empty where there is nothing to fill it.

        Of alternatives, ``{I}|{D:self}``, the first that has.
        """
        for option in text.split("|"):
            slot = _SLOT.fullmatch(option)
            value = self._slot(slot[1], slot[2]) if slot else option
            if value:
                return value
        return ""

    def _slot(self, slot: str, aspect: str) -> str:
        """Return what a slot gives: its references, or its side, a kind, a number."""
        chunk = self.filled.get(slot)
        if chunk is None:
            return ""
        if slot[0] in _CLASSES:
            return words(_CLASSES[slot[0]])[chunk.word]
        if chunk.sort == "C" and aspect == "self":
            return chunk.items[0] + "?"
        if aspect in ("side", "other") or (chunk.sort == "C" and not aspect):
            side = self._side(chunk)
            return _OTHER.get(side, "") if aspect == "other" else side
        if chunk.sort in ("P", "C"):
            return ""
        if aspect == "ours":
            side = self._side(self.filled[self.actor]) or "?"
            letter = side[0]
            items = (re.sub(r"^\?", letter, each) for each in chunk.items)
            return ",".join(items)
        return _aspect(chunk, aspect)

    def _side(self, chunk: Chunk) -> str:
        """Return the side that a chunk names, or that its pieces are of."""
        if chunk.items == ("moved",) or chunk.sort == "P":
            return self.reader.side
        if chunk.word in _SIDES:
            return _SIDES[chunk.word]
        sides = {_SIDES.get(item[0], "") for item in chunk.items}
        return "" if len(sides) > 1 else sides.pop()

    # ------------------------------------------------------------ moves

    def _deed(self, meant: Mapping[str, str], denied: bool, quantity: str) -> Claim:
        """Return that a move is made, can be made, or must be made, as the verb says."""
        verb = self.verb
        modal = verb.modal
        fields = self._filled(meant)
        if fields.pop("by", "") == "last":
            raise Unreadable  # ``14. Nxe5 takes the pawn`` says no more than its move
        side = fields.pop("side", "")
        values = {"side": side} if side else {}
        scene = self.scene
        taken = (fields.get("captures"), fields.get("to", " ")[1:])
        behind_pawns = taken in (("P", "3"), ("P", "6"))
        if behind_pawns and _moving(self.reader.move)[0] == "P":
            raise Unreadable  # what is taken en passant stands beside
        move = fields.get("as", "")
        if not move:
            given = fields.items()
            named = (f"{name}:{value}" for name, value in given)
            parts = ",".join(named)
            move = f"{{{parts}}}"
        settings = scene.settings()
        if "castles" in fields and (verb.longer or verb.perfect):
            if fields["castles"] != "any":
                values["wing"] = fields["castles"]
            predicate = "castling_right" if modal else "castled"
            return Claim.of(predicate, denied=denied, **settings | values)
        if modal not in ("can", "could", "must", "threat"):
            here = self.reader.here and modal != "would"
            if verb.perfect or not (here or scene.line):
                raise Unreadable
        values["move"] = move
        if modal in ("must", "threat"):
            return Claim.of(modal, denied=denied, **settings | values)
        if quantity not in _ONE:
            raise Unreadable
        denied ^= quantity == "none"
        (kind, square) = _moving(self.reader.move)
        another = not side and fields.get("piece", kind) != kind
        reply = side == _OTHER[self.reader.side] or another
        if not (modal or scene.line or reply or fields.get("from") == square):
            return Claim.of("played", denied=denied, **values)
        if denied and not modal:
            raise Unreadable
        if not scene.line:
            settings["when"] = "after" if denied or reply else "either"
            if modal == "could" and verb.perfect:
                settings["when"] = "before"
        return Claim.of("can", denied=denied, **settings | values)


def _is_of_any_man(claim: Claim) -> bool:
    """Whether a claim is about some man of a side."""
    men = claim.get("piece") or ()
    return any(str(each) in ("w?", "b?") for each in men)


_ONE: Final = ("", "1", "some", "none")


def _one(chunk: Chunk) -> str:
    """Return the one reference of a chunk."""
    if len(chunk.items) != 1:
        raise Unreadable
    return chunk.items[0]


def _parts(chunk: Chunk) -> tuple[str, str]:
    """Return the kind and the place of the one reference of a chunk."""
    found = re.fullmatch(
        r"(?:[wb?](?:[?x]|([A-Zamo])))?([a-h][1-8?])?[ld]?", _one(chunk)
    )
    if found is None:
        return "", ""
    return found[1] or "", found[2] or ""


def _aspect(chunk: Chunk, aspect: str) -> str:
    """Return what a chunk gives: its references, a kind, a place, a number."""
    number = chunk.quantity if chunk.quantity.isdigit() else ""
    match aspect:
        case "kind":
            return _parts(chunk)[0]
        case "place":
            return _parts(chunk)[1]
        case "amount":
            return words("amount").get(_one(chunk)[1], "")
        case "pawns":
            return number if chunk.items[0][1] == "P" else ""
        case "quantity":
            return chunk.quantity
        case "first":
            return chunk.items[0]
        case "last":
            return chunk.items[-1]
        case "before":
            return ",".join(chunk.items[:-1])
    return number if chunk.sort == "#" else ",".join(chunk.items)


def _moving(san: str) -> tuple[str, str]:
    """Return the kind of piece that makes a move in SAN, and where it goes."""
    found = re.match(r"([KQRBN])?.*([a-h][1-8])", san)
    if found is None:
        return "", ""
    return found[1] or "P", found[2]
