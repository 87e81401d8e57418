"""English about a position cut into chunks: pieces, squares, moves, sides, verbs and plain words.

A chunk of pieces holds references of the language of claims: ``the knights on f3 and c3`` is
``?Nf3,?Nc3``, ``both of White's rooks`` is ``wR`` with the quantity ``all``. A chunk of a verb holds
its whole group: ``can no longer be taken`` is the verb *take*, passive, denied, with *can*. The
words stand in ``read_rules.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

#: What a chunk is of: ``N`` pieces, ``S`` squares, ``M`` moves, ``C`` a side, ``F`` a file, ``#`` a
#: number, ``P`` a pronoun, ``V`` a verb; a word or a stop stands for itself.
Sort = str


class Token(NamedTuple):
    """A word, a written move, a square or a stop, with its place in the text."""

    text: str
    word: str
    start: int
    end: int
    sort: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tokens that say one thing.

    Parameters
    ----------
    sort
        What it is of.
    word
        The word, or the class of the verb, in lower case.
    span
        Start and end in the text.
    items
        References, moves, or sides.
    quantity
        Of pieces: ``none``, ``only``, ``some``, ``all``, a number, ``mixed`` for a list with
        several; empty for *the*. Of a verb: ``only`` or empty.
    states
        What adjectives say of the pieces: predicates, such as ``undefended``.
    either
        The items are joined by *or*.
    plural, definite
        Of pieces: the noun's number, and that they are *the* pieces.
    parts
        Of a list whose members have quantities of their own: the members.
    form
        Of a verb: ``finite``, ``base``, ``to``, ``ing`` or ``participle``; ``slot`` in a template.
    passive, denied, past, perfect, longer
        Of a verb; ``longer`` for *no longer*.
    modal
        The auxiliary that bears on what is claimed: ``can``, ``could``, ``must`` …
    """

    sort: Sort
    word: str
    span: tuple[int, int]
    items: tuple[str, ...] = ()
    quantity: str = ""
    states: tuple[str, ...] = ()
    either: bool = False
    plural: bool = False
    definite: bool = False
    parts: tuple[Chunk, ...] = ()
    form: str = ""
    passive: bool = False
    denied: bool = False
    past: bool = False
    perfect: bool = False
    longer: bool = False
    modal: str = ""

    @property
    def key(self) -> str:
        """The chunk as templates see it."""
        if self.form == "slot":
            return self.word
        if self.sort != "V":
            return self.sort
        before = {"to": "to_", "ing": "~"}.get(self.form, "")
        return f"<{before}{'is_' if self.passive else ''}{self.word}>"


# ---------------------------------------------------------------- words


@cache
def table() -> dict[str, Any]:
    """Return ``read_rules.toml``: the words, and the templates."""
    path = Path(__file__).with_name("read_rules.toml")
    return tomllib.loads(path.read_text("utf-8"))


@cache
def words(name: str) -> dict[str, str]:
    """Return the words of a class, each with what it stands for (itself unless given)."""
    found = dict[str, str]()
    for meaning, each in table()["words"][name].items():
        found |= dict.fromkeys(each.split(), meaning)
    return found


class Form(NamedTuple):
    """A form of a verb: its class, the words that must follow, and which form it is.

    ``b`` is the bare one, ``s`` that of the third person, ``g`` ends in *-ing*, ``d`` is the past
    and ``n`` the participle.
    """

    verb: str
    rest: tuple[str, ...]
    letter: str


@cache
def verb_forms() -> dict[str, list[Form]]:
    """Return the forms of all verbs by their first word, those with most words first."""
    found: dict[str, list[Form]] = {}
    for verb, listed in table()["verbs"].items():
        for phrase in listed.split(","):
            (first, *rest) = phrase.split()
            for word, letters in _inflected(first):
                forms = [Form(verb, tuple(rest), letter) for letter in letters]
                found.setdefault(word, []).extend(forms)
    for forms in found.values():
        forms.sort(key=lambda form: -len(form.rest))
    return found


def _inflected(verb: str) -> Iterator[tuple[str, str]]:
    """Yield the forms of a verb, ``take/took/taken`` if it is irregular, and some that are none."""
    base, *past = verb.split("/")
    stem = base.removesuffix("e")
    yield base, "b"
    if base[-1] == "y" and base[-2] not in "aeiou":
        yield base[:-1] + "ies", "s"
        yield base[:-1] + "ied", "dn"
    yield base + ("es" if base.endswith(("s", "x", "ch", "sh", "o")) else "s"), "s"
    for each in (stem, base + base[-1]):
        yield each + "ing", "g"
        if not past:
            yield each + "ed", "dn"
    if past:
        yield past[0], "d"
        yield past[-1], "n"


# ---------------------------------------------------------------- tokens

_MOVE: Final = (
    r"(?:[O0]-[O0](?:-[O0])?|[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|[a-h]x[a-h][1-8](?:=?[QRBN])?"
    r"|[a-h][18]=[QRBN]|[a-h][1-8][a-h][1-8][qrbn]?)[+#]?(?![A-Za-z0-9])"
)
_TOKEN: Final = re.compile(
    r"(?P<slot>\{\w+\})"
    r"|(?P<number>\d+\s?\.(?:\s?\.\.|…)?(?=\s?(?:…|\.\.\.)?\s?[KQRBNO0a-h])|\.\.\.|…)"
    rf"|(?P<move>{_MOVE})"
    r"|(?P<square>[a-h][1-8])(?![A-Za-z0-9])"
    r"|(?P<letter>(?:[b-h]|(?<=the )a)(?=[- ](?:file|pawn))|a(?=-(?:file|pawn)))"
    r"|(?P<digits>\d+)"
    r"|(?P<word>e\.p\.|[A-Za-z]+(?:['’][A-Za-z]+)?)"
    r"|(?P<stop>[.,;:!?()\[\]–—&|]|(?<=\s)-(?=\s))"
)
_JUDGED: Final = re.compile(r"[!?]+")
_SHORT: Final = {
    "n't": "not",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "'m": "am",
    "'d": "would",
}


def tokenise(text: str) -> list[Token]:
    """Cut a text into tokens; contractions are two words."""
    tokens = list[Token]()
    plain = text.replace("’", "'")
    place = 0
    while match := _TOKEN.search(plain, place):
        place = match.end()
        sort = str(match.lastgroup)
        start, end = match.span()
        whole = match.group()
        if sort == "move":
            signs = _JUDGED.match(plain, place)
            place = signs.end() if signs and signs.group() != "?" else place
        parts = _parts(whole.lower()) if sort == "word" else (whole.lower(),)
        tokens += [Token(whole, part, start, end, sort) for part in parts]
    return tokens


def _parts(word: str) -> tuple[str, ...]:
    """Return the words of a contraction; a possessive stays whole."""
    if word == "cannot":
        return "can", "not"
    if word.endswith("n't"):
        stem = {"ca": "can", "wo": "will"}.get(word[:-3], word[:-3])
        return stem, "not"
    stem, mark, end = word.partition("'")
    if mark + end in _SHORT:
        return stem, _SHORT[mark + end]
    if mark + end == "'s" and stem in words("with_is"):
        return stem, "is"
    return (word,)


# ---------------------------------------------------------------- chunks


def chunk(text: str) -> list[Chunk]:
    """Return the chunks of a text in order."""
    return _Reader(tokenise(text)).chunks()


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.found: list[Chunk] = []

    def chunks(self) -> list[Chunk]:
        place = 0
        while place < len(self.tokens):
            place = self._next(place)
        return self.found

    def _next(self, place: int) -> int:
        """Read the chunk that begins at a token; return where the next begins."""
        for read in (self._moves, self._men, self._verb):
            if got := read(place):
                chunk, end = got
                self.found.append(chunk)
                return end
        token = self._at(place)
        if token.word in words("idle"):
            return place + 1
        if token.sort == "slot":
            sort = {"n": "#", "C": "C"}.get(token.text[1], "N")
            self.found.append(replace(_single(token), sort=sort, word=token.text, form="slot"))
            return place + 1
        self.found.append(_single(token))
        return place + 1

    def _at(self, place: int) -> Token:
        inside = 0 <= place < len(self.tokens)
        return self.tokens[place] if inside else Token("", "", 0, 0, "")

    def _word(self, place: int) -> str:
        return self._at(place).word

    def _span(self, start: int, end: int) -> tuple[int, int]:
        return self.tokens[start].start, self.tokens[end - 1].end

    # ------------------------------------------------------------ moves

    def _moves(self, place: int) -> tuple[Chunk, int] | None:
        """Read written moves that follow each other, numbers before them or not."""
        moves = list[str]()
        end = place
        numbered = False
        side = ""
        while token := self._at(end):
            follows = numbered or bool(moves)
            if token.sort == "number":
                numbered = True
                if not moves:
                    side = "b" if token.word.endswith(("..", "…")) else "w"
            elif token.sort == "move" or (token.sort == "square" and follows):
                moves.append(token.text)
                numbered = False
            else:
                break
            end += 1
        if not moves:
            return None
        return Chunk("M", side, self._span(place, end), tuple(moves)), end

    # ------------------------------------------------------------ pieces and squares

    def _men(self, place: int) -> tuple[Chunk, int] | None:
        """Read a noun phrase of pieces or squares, or several that are joined."""
        got = self._one(place)
        if got is None:
            return None
        first, end = got
        joined = [first]
        while following := self._joined(joined, end):
            (each, end) = following
            joined.append(each)
        return _together(joined, self._span(place, end)), end

    def _joined(
        self, before: Sequence[Chunk], place: int
    ) -> tuple[Chunk, int] | None:
        """Read another phrase of a list, unless it is the subject of a clause of its own."""
        start = place
        while self._word(start) in (",", "and", "or", "nor", "both", "also"):
            start += 1
        joins = [self._word(each) for each in range(place, start)]
        if not joins or before[-1].quantity in ("none", "only"):
            return None
        got = self._one(start)
        if got is None or got[0].sort == "M":
            return None
        each, end = got
        if joins == [","] and not self._goes_on(end):
            return None
        has_verb = any(chunk.sort == "V" for chunk in self._clause())
        if has_verb and self._is_verb_of(each, end):
            return None
        return replace(each, either="or" in joins), end

    def _goes_on(self, place: int) -> bool:
        """Whether a list that a comma continues comes to its *and*."""
        while self._word(place) == ",":
            got = self._one(place + 1)
            if got is None:
                break
            place = got[1]
        start = place + (self._word(place) == ",")
        return self._word(start) in ("and", "or") and bool(self._one(start + 1))

    def _clause(self) -> Iterator[Chunk]:
        """Yield the chunks of the clause so far, the last first."""
        for chunk in reversed(self.found):
            if chunk.sort in words("break"):
                return
            yield chunk

    def _is_verb_of(self, subject: Chunk, place: int) -> bool:
        got = self._verb(place, after=subject)
        return got is not None and got[0].form == "finite"

    def _one(self, place: int) -> tuple[Chunk, int] | None:
        """Read one phrase: ``both of White's rooks``, ``the pinned e5-pawn``, ``e5``, ``nobody``."""
        token = self._at(place)
        if token.word in words("anybody"):
            quantity = words("anybody")[token.word]
            return _men(self._span(place, place + 1), "??", quantity), place + 1
        deed = words("deed").get(self._word(place + 1))
        if deed and token.word in ("the", "this", "that") and self._at(place + 2).sort != "square":
            return Chunk("P", deed, self._span(place, place + 2)), place + 2
        said = dict[str, str]()
        states = list[str]()
        end = place
        while self._modifies(end, said, states):
            end += 1
        noun = self._word(end)
        kind = words("noun").get(noun)
        if kind is None or (noun == "queens" and self.found and end == place and self._follows_man()):
            return self._square_alone(place)
        return self._with_noun(place, end, said, tuple(states))

    def _follows_man(self) -> bool:
        return bool(self.found) and self.found[-1].sort in "NC"

    def _modifies(self, place: int, said: dict[str, str], states: list[str]) -> bool:
        """Note what a word before a noun says; return whether it can stand there."""
        token = self._at(place)
        word = token.word
        if token.sort in ("square", "letter"):
            if "place" in said:
                return False
            said["place"] = word if token.sort == "square" else word + "?"
            return True
        for name in ("quantity", "owner", "side", "shade", "size", "state"):
            if word in words(name):
                if name == "state":
                    states.append(words(name)[word])
                elif said.setdefault(name, words(name)[word]) != words(name)[word]:
                    return False
                return True
        if word in words("number"):
            said["quantity"] = words("number")[word]
            return True
        if word in words("determiner"):
            said["definite"] = word
            return True
        return word in words("adjective") or (word == "of" and "quantity" in said)

    def _square_alone(self, place: int) -> tuple[Chunk, int] | None:
        """Return a bare square, ``the e5 square``, a file, or a side."""
        token = self._at(place)
        if token.word in words("player"):
            side = (words("player")[token.word],)
            return Chunk("C", "", self._span(place, place + 1), side), place + 1
        start = place + (token.word in words("determiner"))
        named = self._at(start)
        if named.sort == "letter" and self._word(start + 1) == "file":
            return Chunk("F", "", self._span(place, start + 2), (named.word,)), start + 2
        if named.sort != "square":
            return None
        end = start + 1 + (self._word(start + 1) == "square")
        return Chunk("S", "", self._span(place, end), (named.word,)), end

    def _with_noun(
        self, place: int, noun: int, said: dict[str, str], states: tuple[str, ...]
    ) -> tuple[Chunk, int]:
        """Return the phrase of a noun, with the squares and the owner that follow it."""
        word = self._word(noun)
        end = noun + 1
        places = [said.get("place", "")]
        side = said.get("side") or said.get("owner", "?")
        if "place" not in said and self._word(end) in ("on", "at"):
            after = end + 1 + (self._word(end + 1) == "the")
            listed, stop = self._places(after, several=word.endswith("s"))
            if listed:
                places, end = listed, stop
        if self._word(end) == "of" and self._word(end + 1) in words("player"):
            side = words("player")[self._word(end + 1)]
            end += 2
        kind = said.get("size") or words("noun")[word]
        shade = said.get("shade", "")
        items = tuple(f"{side}{kind}{each}{shade}" for each in places)
        whole = replace(
            _men(self._span(place, end), "", said.get("quantity", "")),
            items=items,
            states=states,
            plural=word.endswith("s"),
            definite=said.get("definite") == "the" or "owner" in said,
        )
        return whole, end

    def _places(self, place: int, *, several: bool) -> tuple[list[str], int]:
        """Read squares, or a file, that pieces stand on."""
        token = self._at(place)
        if token.sort == "letter" and self._word(place + 1) == "file":
            return [token.word + "?"], place + 2
        if token.word in words("rank") and self._word(place + 1) == "rank":
            return ["?" + words("rank")[token.word]], place + 2
        found = list[str]()
        end = place
        while self._at(place).sort == "square":
            found.append(self._word(place))
            end = place = place + 1
            while several and self._word(place) in (",", "and", "or"):
                place += 1
        return found, end

    # ------------------------------------------------------------ verbs

    def _verb(
        self, place: int, after: Chunk | None = None
    ) -> tuple[Chunk, int] | None:
        """Read a verb with its auxiliaries, if one can stand here."""
        start = place
        to = self._word(place) == "to"
        place += to
        helpers = list[str]()
        said = set[str]()
        while word := self._word(place):
            longer = word == "no" and self._word(place + 1) == "longer"
            following = self._word(place + 1)
            if word in words("able") and following == "to" and place > start - 1:
                helpers.append(words("able")[word])
                said ^= {"denied"} if word == "unable" else set()
                place += 1
            elif word in words("auxiliary"):
                helpers.append(word)
            elif longer or word in words("denial"):
                said ^= {"denied"}
                said |= {"longer"} if longer else set()
                place += longer
            elif word == "only" and helpers:
                said.add("only")
            elif word not in words("idle") or place == start:
                break
            place += 1
        kinds = [words("auxiliary")[each] for each in helpers]
        before = after or (self.found[-1] if self.found else None)
        got = self._form(place, kinds, before, to=to)
        if got is None and kinds[-1:] not in (["be"], ["have"]):
            return None
        (form, by) = got or (Form(kinds.pop(), (), "b"), False)
        end = place + (1 + len(form.rest) if got else 0)
        passive = by or (form.letter == "n" and kinds[-1:] == ["be"])
        plain = _FORMS[form.letter] if got and not helpers else "finite"
        return Chunk(
            "V",
            form.verb,
            self._span(start, end),
            quantity="only" if "only" in said else "",
            form="to" if to else "ing" if helpers == ["being"] else plain,
            passive=passive,
            denied="denied" in said,
            longer="longer" in said,
            past=(form.letter in "dn" and not passive) or bool(_PAST & set(helpers)),
            perfect="have" in kinds,
            modal=next((each for each in kinds if each not in _HELPING), ""),
        ), end

    def _form(
        self, place: int, kinds: Sequence[str], before: Chunk | None, *, to: bool
    ) -> tuple[Form, bool] | None:
        """Return the form of a verb, and whether it is a participle with *by*."""
        last = kinds[-1] if kinds else "to" if to else ""
        wanted = {"be": "ng", "have": "n", "": "nsbdg"}.get(last, "b")
        for form in verb_forms().get(self._word(place), ()):
            end = place + 1 + len(form.rest)
            rest = tuple(self._word(each) for each in range(place + 1, end))
            if rest != form.rest or form.letter not in wanted:
                continue
            by = not last and form.letter == "n" and self._word(end) == "by"
            if last or by or _may_follow(before, form.letter):
                return form, by
        return None


_PAST: Final = {"was", "were", "had"}
_HELPING: Final = ("be", "have", "do")
_FORMS: Final = {"b": "base", "s": "finite", "d": "finite", "g": "ing", "n": "participle"}


def _may_follow(before: Chunk | None, letter: str) -> bool:
    """Whether a verb without an auxiliary can stand behind a chunk; else the word is a noun."""
    if letter == "n":  # with *by* only; else it is taken for the past
        return False
    if before and before.sort in "NSMCP":
        return True
    if letter == "b":
        return False
    led = before is not None and before.word in ("by", "without", "before", "from")
    return before is None or before.sort in words("break") or (letter == "g" and led)


def _single(token: Token) -> Chunk:
    span = (token.start, token.end)
    if token.word in words("pronoun"):
        return Chunk("P", token.word, span)
    if token.sort == "digits" or token.word in words("number"):
        return Chunk("#", token.word, span, quantity=words("number").get(token.word, token.word))
    return Chunk(token.word, token.word, span)


def _men(span: tuple[int, int], item: str, quantity: str) -> Chunk:
    return Chunk("N", "", span, (item,) if item else (), quantity)


def _together(joined: Sequence[Chunk], span: tuple[int, int]) -> Chunk:
    """Return one chunk of several; a side that only the first has is that of all."""
    first = joined[0]
    if len(joined) == 1:
        return first
    sides = {item[0] for item in first.items if first.sort == "N"}
    side = sides.pop() if len(sides) == 1 else "?"
    items = list(first.items)
    for each in joined[1:]:
        bare = not each.definite and each.sort == "N"
        items += [
            side + item[1:] if bare and item[0] == "?" else item for item in each.items
        ]
    sorts = {each.sort for each in joined}
    mixed = any(each.quantity for each in joined[1:]) or first.quantity.isdigit()
    return replace(
        first,
        sort="N" if "N" in sorts else first.sort,
        span=span,
        items=tuple(items),
        states=(),
        plural=True,
        either=any(each.either for each in joined),
        quantity="mixed" if mixed else first.quantity.removesuffix("all"),
        parts=tuple(joined) if mixed else (),
    )
