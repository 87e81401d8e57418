"""English about a position cut into chunks: pieces, squares, moves, sides, verbs and plain words.

A chunk of pieces holds references of the language of claims: ``the knights on f3 and c3`` is
``?Nf3,?Nc3``, ``both of White's rooks`` is ``wR`` with the quantity ``all``. A chunk of a verb is
its whole group: ``can no longer be taken`` is the verb *take*, passive, denied, with *can*. The
words stand in ``read_rules.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

#: A chunk and where it ends in the text.
Read = tuple["Chunk", int]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Words that say one thing.

    Parameters
    ----------
    sort
        What it is of: ``N`` pieces, ``S`` squares, ``M`` moves, ``C`` a side, ``F`` a file, ``#`` a
        number, ``P`` a pronoun, ``V`` a verb; a word or a stop stands for itself.
    word
        The word in lower case; the class of a verb; of moves ``w`` or ``b``, whose the first is.
    span
        Start and end in the text.
    items
        References, moves, or a side.
    quantity
        Of pieces: ``none``, ``only``, ``some``, ``all`` or a number; empty for *the*. Of a number:
        itself. ``mixed`` for a list with several. Of a verb: ``only`` or empty.
    states
        What adjectives say of the pieces: predicates, such as ``undefended``.
    form
        Of a verb: ``finite``, ``to``, ``ing`` or ``participle``; ``turned`` from the passive.
    passive, denied, past, perfect, longer
        Of a verb; ``longer``: *no longer*, or *still*.
    modal
        The auxiliary that bears on what is claimed: ``can``, ``could``, ``must`` …
    """

    sort: str
    word: str
    span: tuple[int, int]
    items: tuple[str, ...] = ()
    quantity: str = ""
    states: tuple[str, ...] = ()
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
        if self.sort != "V":
            return self.word if self.word.startswith("{") else self.sort
        before = {"to": "to_", "ing": "~"}.get(self.form, "")
        return f"<{before}{'is_' if self.passive else ''}{self.word}>"


# ---------------------------------------------------------------- words


@cache
def table() -> dict[str, Any]:
    """Return ``read_rules.toml``: the words, the verbs, and the templates."""
    text = files("chessgloss.claims").joinpath("read_rules.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def words(name: str) -> dict[str, str]:
    """Return the words of a class, each with what it stands for."""
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
    rest: str
    letter: str


@cache
def verb_forms() -> dict[str, list[Form]]:
    """Return the forms of all verbs by their first word, those with most words first."""
    found: dict[str, list[Form]] = {}
    for verb, listed in table()["verbs"].items():
        for phrase in listed.split(","):
            first, *rest = phrase.split()
            behind = "".join(f" {word}" for word in rest)
            for word, letters in _inflected(first):
                forms = [Form(verb, behind, letter) for letter in letters]
                found.setdefault(word, []).extend(forms)
    for forms in found.values():
        forms.sort(key=lambda form: -len(form.rest))
    return found


def _inflected(verb: str) -> Iterator[tuple[str, str]]:
    """Yield the forms of a verb, ``take/took/taken`` if it is irregular, and some that are none."""
    base, *past = verb.split("/")
    stem = base.removesuffix("e")
    yield base, "b"
    yield base + "s", "s"
    yield base + "es", "s"
    for each in (stem, base + base[-1]):
        yield each + "ing", "g"
        if not past:
            yield each + "ed", "dn"
    yield from zip(past[:1] + past[-1:], "dn", strict=False)


# ---------------------------------------------------------------- regular expressions

SQUARE: Final = r"[a-h][1-8](?![A-Za-z0-9])"
_NUMBER: Final = r"(?:\d+\s?\.(?:\s?\.\.|…)?|\.\.\.|…)\s?"
MOVE: Final = (
    r"(?:[O0]-[O0](?:-[O0])?|[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|[a-h]x[a-h][1-8](?:=?[QRBN])?"
    r"|[a-h][18]=[QRBN]|[a-h][1-8][a-h][1-8][qrbn]?)[+#]?(?![A-Za-z0-9])"
)
_ITEM: Final = rf"(?:{MOVE}|{SQUARE})"
_LINE: Final = re.compile(
    rf"(?:(?P<number>{_NUMBER})(?={_ITEM})|(?={MOVE}))"
    rf"{_ITEM}(?:\s(?:{_NUMBER})?{_ITEM})*(?:!!|\?\?|[!?]{{2}}|!)?"
)
_JOIN: Final = re.compile(r"(?:,|,?\s(?:and|or)\b)(?: both| also)?\s*")


#: Words that come before a square in a noun phrase: ``the two e-pawns``.
_LEADING: Final = ("owner", "the", "article", "number", "quantity")

_BARE: Final = re.compile(
    rf"(?:[Tt]he )?(?:(?:square )?({SQUARE})(?:[- ]square)?|([a-h])[- ]file\b)"
)


@cache
def _word() -> re.Pattern[str]:
    """Return the expression of a word, of two that are listed as one, or of a stop."""
    listed = {word for name in table()["words"] for word in words(name) if "_" in word}
    two = "|".join(sorted(listed))
    two = two.replace("_", r"\s")
    return re.compile(
        rf"[\s-]*((?i:{two})(?![\w'])|\{{\w+\}}|[A-Za-z]+?n't|[A-Za-z]+|'[a-z]+|\d+"
        r"|[^\sA-Za-z\d-]|(?<=\s)-(?=\s)|$)"
    )


@cache
def _men() -> re.Pattern[str]:
    """Return the expression of a noun phrase of pieces."""
    said = sorted(_modifiers(), key=len, reverse=True)
    before = "|".join(said)
    between = "|".join(word for word in said if _modifiers()[word][0] not in _LEADING)
    nouns = "|".join(words("noun"))
    file = r"[a-h](?=-file)-file"
    return re.compile(
        rf"(?i:(?P<before>(?:(?:{before})[\s-](?:of\s)?)*)"
        rf"(?:(?P<place>[a-h][1-8]|[b-h](?=[ -])|a(?=-)|(?<=the )a)[\s-])?"
        rf"(?P<between>(?:(?:{between})[\s-])*)(?P<noun>{nouns})(?P<plural>(?<!exchange)s)?(?!\w)"
        rf"(?:\s(?:on|at|upon)\s(?:the\s)?(?P<on>{SQUARE}(?(plural)(?:,?\s(?:and\s|or\s)?{SQUARE})*)"
        rf"|{file}))?(?:\sof\s(?P<of>white|black)(?!'))?)"
    )


@cache
def _modifiers() -> dict[str, tuple[str, str]]:
    """Return what each word before a noun says: the name of what, and its value."""
    kinds = ("adjective", "state", "size", "shade", "side", *_LEADING)
    found = dict[str, tuple[str, str]]()
    for kind in kinds:
        found |= {word: (kind, value) for word, value in words(kind).items()}
    return found


# ---------------------------------------------------------------- chunks


def chunk(text: str) -> list[Chunk]:
    """Return the chunks of a text in order."""
    return _Chunker(text.replace("’", "'")).chunks()


class _Chunker:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Chunk] = []
        self.word = cache(self._word)

    def chunks(self) -> list[Chunk]:
        """Return the chunks of the text."""
        place = 0
        while True:
            word, start, end = self.word(place)
            if not word:
                return self.found
            got = self._moves(start) or self._listed(start) or self._verb(start)
            (found, place) = got or (_single(word, (start, end)), end)
            if found.sort not in words("idle"):
                self.found.append(found)

    def _word(self, place: int) -> tuple[str, int, int]:
        """Return the word from a place on, its start and end; empty at the text's end."""
        match = _word().match(self.text, place)
        if match is None:
            return "", place, place
        word = match[1] if match[1].startswith("{") else match[1].lower()
        return word.replace(" ", "_"), match.start(1), match.end()

    def _moves(self, place: int) -> Read | None:
        """Read written moves that follow each other, numbers before them or not."""
        match = _LINE.match(self.text, place)
        if match is None:
            return None
        side = ""
        if number := match["number"]:
            side = "b" if ".." in number or "…" in number else "w"
        items = tuple(re.findall(_ITEM, match.group()))
        chunk = Chunk("M", side, match.span(), items)
        return chunk, match.end()

    # ------------------------------------------------------------ pieces and squares

    def _listed(self, place: int) -> Read | None:
        """Read a noun phrase of pieces or squares, or several that are joined."""
        got = self._one(place)
        if got is None:
            return None
        if got[0].sort in "CF" or got[0].quantity in ("none", "only"):
            return got
        joined = [got[0]]
        while following := self._member(got[1]):
            got = following
            joined.append(got[0])
        return _together(joined), got[1]

    def _member(self, place: int) -> Read | None:
        """Read another phrase of a list, unless it is the subject of a clause of its own."""
        join = _JOIN.match(self.text, place)
        got = self._one(join.end()) if join else None
        if got is None or got[0].sort not in "NS":
            return None
        verb = self._verb(got[1], after=got[0])
        if verb is None or verb[0].form != "finite":
            return got
        for each in reversed(self.found):
            if each.sort in words("break"):
                break
            if each.sort == "V":
                return None
        return got

    def _one(self, place: int) -> Read | None:
        """Read one phrase: ``both of White's rooks``, ``the pinned pawn``, ``e5``, ``nobody``."""
        if match := _men().match(self.text, place):
            return _pieces(match), match.end()
        word, start, end = self.word(place)
        if quantity := words("anybody").get(word):
            return Chunk("N", "", (start, end), ("??",), quantity), end
        if side := words("player").get(word):
            return Chunk("C", "", (start, end), (side,)), end
        bare = _BARE.match(self.text, start)
        if bare is None:
            return None
        (square, file) = bare.groups()
        sort = "S" if square else "F"
        items = (square or file,)
        return Chunk(sort, "", bare.span(), items), bare.end()

    # ------------------------------------------------------------ verbs

    def _verb(self, place: int, after: Chunk | None = None) -> Read | None:
        """Read a verb with its auxiliaries, if one can stand here."""
        start = self.word(place)[1]
        said = list[str]()
        while True:
            word, _, end = self.word(place)
            helper = words("auxiliary").get(word, "")
            if not helper and not (said and word in words("idle")):
                break
            said += filter(None, helper.split("_"))
            place = end
        kinds = [each for each in said if each not in _FLAGS]
        before = after or _STOP
        if after is None and self.found:
            before = self.found[-1]
        got = self._form(place, kinds, before)
        if got is None and kinds[-1:] not in (["be"], ["have"]):
            return None
        (form, by, end) = got or (Form(kinds.pop(), "", "b"), False, place)
        passive = by or (form.letter == "n" and kinds[-1:] == ["be"])
        loose = {"g": "ing", "n": "participle"} if got and not kinds else {}
        return Chunk(
            "V",
            form.verb,
            (start, end),
            quantity="only" if got and "only" in said else "",
            form="to" if "to" in kinds else loose.get(form.letter, "finite"),
            passive=passive,
            denied=bool(said.count("not") % 2),
            longer="longer" in said,
            past=(form.letter in "dn" and not passive) or "past" in said,
            perfect="have" in kinds,
            modal=next((each for each in kinds if each not in _PLAIN), ""),
        ), end

    def _form(
        self, place: int, kinds: Sequence[str], before: Chunk
    ) -> tuple[Form, bool, int] | None:
        """Return the form of a verb, whether it is a participle with *by*, and its end."""
        word, _, end = self.word(place)
        last = kinds[-1] if kinds else ""
        wanted = {"be": "ng", "have": "n", "": "nsbdg"}.get(last, "b")
        for form in verb_forms().get(word, ()):
            stop = end + len(form.rest)
            follows = self.text[end:stop].lower() == form.rest
            if form.letter not in wanted or not follows:
                continue
            by = False
            if form.letter == "n" and not last:
                by = self.word(stop)[0] == "by"
            if last or by or _may_follow(before, form.letter):
                return form, by, stop
        return None


#: What stands before a text.
_STOP: Final = Chunk(",", ",", (0, 0))
_PLAIN: Final = ("be", "have", "do", "to")
_FLAGS: Final = ("not", "only", "longer", "past")


def _may_follow(before: Chunk, letter: str) -> bool:
    """Whether a verb without an auxiliary can stand behind a chunk; else the word is a noun."""
    if before.sort in "NSMCP":
        return letter != "n"
    if before.sort == "by":
        return letter == "g"
    return letter in "sdg" and before.sort in words("break")


def _single(word: str, span: tuple[int, int]) -> Chunk:
    """Return the chunk of a word by itself."""
    if word.startswith("{") and len(word) > 1:
        return Chunk("N" if word[1] in "NTDMLXIC" else word, word, span)
    if word in words("pronoun"):
        return Chunk("P", words("pronoun")[word], span)
    number = words("number").get(word, word)
    sort = "#" if number.isdigit() else word
    return Chunk(sort, word, span, quantity=number)


def _pieces(match: re.Match[str]) -> Chunk:
    """Return the chunk of a noun phrase of pieces."""
    said = dict[str, str]()
    states = list[str]()
    before = f"{match['before']} {match['between']}".lower()
    before = before.replace(" of ", " ")
    for word in re.split(r"[\s-]+", before.strip()):
        kind, value = _modifiers().get(word, ("", ""))
        said[kind] = value
        if kind == "state":
            states.append(value)
    owner = said.get("side") or said.get("owner", "?")
    side = match["of"].lower()[0] if match["of"] else owner
    noun = match["noun"].lower()
    kind = said.get("size") or words("noun")[noun]
    on = match["on"] or match["place"] or ""
    places = re.findall(r"[a-h][1-8]|\b[a-h]\b", on.lower()) or [""]
    shade = said.get("shade", "")
    quantity = said.get("quantity") or said.get("number", "")
    if quantity == "all" and len(places) > 1:
        quantity = ""
    return Chunk(
        "N",
        "",
        match.span(),
        tuple(f"{side}{kind}{each and each.ljust(2, '?')}{shade}" for each in places),
        quantity,
        tuple(states),
    )


def _together(joined: Sequence[Chunk]) -> Chunk:
    """Return one chunk of several."""
    first = joined[0]
    if len(joined) == 1:
        return first
    mixed = first.quantity.isdigit()
    sort = first.sort
    for each in joined[1:]:
        mixed = mixed or bool(each.quantity)
        if each.sort == "N":
            sort = "N"
    return replace(
        first,
        sort=sort,
        span=(first.span[0], joined[-1].span[1]),
        items=tuple(item for each in joined for item in each.items),
        states=(),
        quantity="mixed" if mixed else first.quantity.removesuffix("all"),
    )
