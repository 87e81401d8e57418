"""A typed language for what a sentence says about a chess move.

A reader turns a sentence into claims; a program decides them (:mod:`chessgloss.claims.decide`).
:data:`PREDICATES` is the one table (``language.toml``): the short form, the JSON schema and what a
reader is told are made from it. A claim is a predicate with arguments, and how it is put::

    attacks piece=wNf3 target=bPe5 when=after
    not can side=black move=O-O when=after
    defends piece=bK target=bPf7 quantity=only when=after
    fork piece=wNc7 target=bK,bR when=after line={captures,to:d5},Nc7+

References
----------
    ``wNf3`` the white knight on f3, ``bP`` a black pawn, ``w?f?`` a white man on the f-file. Side
    ``w``, ``b`` or ``?``; kind ``P N B R Q K``, ``m`` a minor piece, ``M`` a rook or queen, ``x`` a
    piece that is no pawn, ``?`` any; a square may hold ``?`` and sets: ``bP[f-h]?``. A last ``l``
    or ``d`` says that it stands on a light or dark square. ``e4`` is a square. ``moved`` is the
    piece that the move under discussion moved, ``last`` the piece moved last (in a line). Of a
    list, ``wN,wB``, each is meant.
Moves
    SAN; ``*xh5`` for any piece; ``*`` for any move; ``recapture``; ``--`` for a pass; or fields in
    braces, ``{piece:N,to:e5,captures:B,check}``. ``no`` denies a field: ``{captures:no}``.
Numbers
    ``2`` for exactly two, ``>=2``, ``<=2``, ``>2``, ``<2``.
"""

from __future__ import annotations

import operator
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, Literal, cast, get_args

import chess
from chess import Bitboard, Color, PieceType, Square, SquareSet

Kind = Literal[
    "move",
    "piece",
    "attack",
    "check",
    "capture",
    "mate",
    "tactic",
    "material",
    "structure",
    "evaluation",
    "unread",
]
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
Modality = Literal["asserted", "possible", "hypothetical", "opinion"]
When = Literal["before", "after", "either"]
Shade = Literal["light", "dark"]
Branches = Literal["some", "all"]


class ClaimError(ValueError):
    """A claim that breaks the language.

    Parameters
    ----------
    where
        The field at fault: ``predicate``, an argument, ``quantity``, ``when``, ``line`` …
    problem
        What is wrong with it, and what would be right.
    """

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.field = where
        self.problem = problem


# ---------------------------------------------------------------- what arguments are made of

#: The letters for kinds of men, and what they stand for.
KINDS: Final[Mapping[str, frozenset[PieceType]]] = MappingProxyType(
    {
        **{chess.piece_symbol(kind).upper(): frozenset([kind]) for kind in range(1, 7)},
        "m": frozenset([chess.KNIGHT, chess.BISHOP]),
        "M": frozenset([chess.ROOK, chess.QUEEN]),
        "x": frozenset(range(2, 7)),
        "?": frozenset(range(1, 7)),
    }
)
ANY_KIND: Final = KINDS["?"]
_SIDES = {"w": chess.WHITE, "b": chess.BLACK, "?": None}
_SHADES: dict[str | None, Shade | None] = {"l": "light", "d": "dark", None: None}

_FILES = r"(?:[a-h?]|\[[a-h-]+\])"
_RANKS = r"(?:[1-8?]|\[[1-8-]+\])"
_SQUARE = f"{_FILES}{_RANKS}"
_BARE = rf"(?:[a-h]|\[[a-h-]+\]){_RANKS}"
_PIECE = f"[wb?][{''.join(KINDS)}](?:{_SQUARE})?[ld]?"
REFERENCE: Final = f"(?:moved|last|{_PIECE}|{_BARE})"
_SAN = (
    r"(?:O-O(?:-O)?[+#]?|--|\*|recapture"
    r"|[KQRBNP*]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?[+#]?)"
)
MOVE: Final = rf"(?:{_SAN}|\{{[^{{}}]*\}})"
COUNT: Final = r"(?:>=|<=|>|<)?-?\d+(?:\.\d+)?"


@dataclass(frozen=True, slots=True)
class ArgumentType:
    """How values of an argument are written.

    Parameters
    ----------
    name
        The type's name.
    pattern
        Regular expression that a value matches.
    parse
        Reads a value.
    """

    name: str
    pattern: str
    parse: Callable[[str], object]


def _words(*choices: str) -> ArgumentType:
    def choose(text: str) -> str:
        if text not in choices:
            raise ClaimError("word", f"{text!r} is none of {', '.join(choices)}")
        return text

    return ArgumentType("|".join(choices), "|".join(choices), choose)


@dataclass(frozen=True, slots=True)
class SquarePattern:
    """Squares by file and rank.

    Parameters
    ----------
    text
        A square's name in which ``?`` stands for any file or rank and brackets for a set:
        ``e4``, ``?7``, ``[f-h]?``.
    """

    text: str

    def __post_init__(self) -> None:
        if not re.fullmatch(_SQUARE, self.text):
            raise ClaimError("square", f"{self.text!r} is none, as e4, ?7 or [f-h]? is")

    @property
    def squares(self) -> SquareSet:
        """The squares that fit."""
        return SquareSet(_squares(self.text))

    @property
    def square(self) -> Square | None:
        """The square, if only one fits."""
        one = self.text in chess.SQUARE_NAMES
        return chess.parse_square(self.text) if one else None


@cache
def _squares(pattern: str) -> Bitboard:
    """Return the squares whose names fit a pattern."""
    fits = re.compile(pattern.replace("?", "."))
    names = enumerate(chess.SQUARE_NAMES)
    return int(SquareSet(square for square, name in names if fits.match(name)))


@dataclass(frozen=True, slots=True)
class Reference:
    """Men or squares that a sentence speaks of.

    Parameters
    ----------
    role
        ``piece``; ``square`` whatever stands there; ``moved`` for the piece of the move under
        discussion, ``last`` for the piece that was moved last.
    side
        Whose it is; ``None`` if that is not said.
    kinds
        The kinds that it can be.
    place
        Where it stands, if that is said; always there for a square.
    shade
        The colour of the squares that it stands on.
    text
        How it is written; not compared.
    """

    role: Literal["piece", "square", "moved", "last"] = "piece"
    side: Color | None = None
    kinds: frozenset[PieceType] = ANY_KIND
    place: SquarePattern | None = None
    shade: Shade | None = None
    text: str = field(default="??", compare=False)

    @classmethod
    def parse(cls, text: str) -> Reference:
        """Return the reference that a text such as ``wNf3`` or ``e4`` makes."""
        if text == "moved":
            return cls("moved", text=text)
        if text == "last":
            return cls("last", text=text)
        piece = re.fullmatch(rf"([wb?])(.)({_SQUARE})?([ld])?", text)
        if piece and piece[2] in KINDS:
            side, kind, place, shade = piece.groups()
            where = SquarePattern(place) if place else None
            return cls("piece", _SIDES[side], KINDS[kind], where, _SHADES[shade], text)
        if re.fullmatch(_BARE, text):
            return cls("square", place=SquarePattern(text), text=text)
        raise ClaimError("reference", f"{text!r} is none, as wNf3, bP, e4 or moved is")

    def __str__(self) -> str:
        return self.text


#: What a move captures or promotes to: kinds, anything, nothing.
Change = frozenset[PieceType] | bool


@dataclass(frozen=True, slots=True)
class MoveSpec:
    """What is said of a move; ``None`` where nothing is said.

    Parameters
    ----------
    kinds
        The kinds of piece that it can be a move of.
    origin, target
        Where it begins and ends; a target ``last`` is the square of the move before it.
    captures, promotes
        What it takes, what it promotes to; ``True`` for anything, ``False`` for nothing.
    castles
        ``kingside``, ``queenside`` or ``any``.
    check, mate, en_passant
        Whether it gives check, gives mate, takes en passant.
    steps
        How many squares it goes.
    direction
        ``forward``, ``backward`` or ``sideways``, as its side sees it.
    passes
        No move: the turn goes over.
    text
        How it is written; not compared.
    """

    kinds: frozenset[PieceType] | None = None
    origin: SquarePattern | None = None
    target: SquarePattern | Literal["last"] | None = None
    captures: Change | None = None
    promotes: Change | None = None
    castles: Literal["kingside", "queenside", "any"] | None = None
    check: bool | None = None
    mate: bool | None = None
    en_passant: bool | None = None
    steps: int | None = None
    direction: Literal["forward", "backward", "sideways"] | None = None
    passes: bool = False
    text: str = field(default="*", compare=False)

    @classmethod
    def parse(cls, text: str) -> MoveSpec:
        """Return what a text such as ``Nxd5+`` or ``{piece:N,captures}`` says of a move."""
        if text == "--":
            return cls(passes=True, text=text)
        if text.startswith("{") and text.endswith("}"):
            parts = (part.strip() for part in text[1:-1].split(",") if part)
            given = dict(part.partition(":")[::2] for part in parts)
        else:
            given = _fields_of_san(text.rstrip("!?").replace("0", "O"))
        said = dict[str, Any]()
        for name, value in given.items():
            if name not in _MOVE_FIELDS:
                known = ", ".join(_MOVE_FIELDS)
                raise ClaimError("move", f"{name!r} is no field of a move: {known}")
            where, read = _MOVE_FIELDS[name]
            try:
                said[where] = read(value.strip())
            except (KeyError, ValueError):
                problem = f"{value!r} is no value of the field {name!r}"
                raise ClaimError("move", problem) from None
        return cls(**said, text=text)

    def __str__(self) -> str:
        return self.text


def _fields_of_san(text: str) -> dict[str, str]:
    """Return what SAN says of a move, as the fields of one in braces."""
    if text == "*":
        return {}
    if text == "recapture":
        return {"to": "last", "captures": ""}
    signs = {"+": {"check": ""}, "#": {"mate": ""}}.get(text[-1:], {})
    if castled := re.fullmatch(r"O-O(-O)?[+#]?", text):
        return {"castles": "queenside" if castled[1] else "kingside", **signs}
    san = re.fullmatch(
        r"([KQRBNP*])?([a-h])?([1-8])?(x)?([a-h][1-8])(?:=?([QRBN]))?[+#]?", text
    )
    if san is None:
        raise ClaimError("move", f"{text!r} is none, as Nxd5, *xh5 or {{piece:N}} is")
    letter, file, rank, takes, target, promotes = san.groups()
    pawn = letter is None and not (file and rank)
    fields = {
        "piece": "P" if pawn else (letter or "*").strip("*"),
        "from": (file or "?") + (rank or "?") if file or rank else "",
        "to": target,
        "promotes": promotes or "",
    }
    given = {name: value for name, value in fields.items() if value}
    return given | ({"captures": ""} if takes else {}) | signs


def _to(text: str) -> SquarePattern | str:
    return text if text == "last" else SquarePattern(text)


_WINGS: Final = _words("kingside", "queenside", "any")
_YES_OR_NO: Final = {"": True, "yes": True, "no": False}
_CHANGES: Final[dict[str, Change]] = {**KINDS, **_YES_OR_NO, "?": True}

#: The fields of a move in braces: which field of the record each is, and how it is read.
_MOVE_FIELDS: dict[str, tuple[str, Callable[[str], object]]] = {
    "piece": ("kinds", KINDS.__getitem__),
    "from": ("origin", SquarePattern),
    "to": ("target", _to),
    "captures": ("captures", _CHANGES.__getitem__),
    "promotes": ("promotes", _CHANGES.__getitem__),
    "castles": ("castles", lambda text: _WINGS.parse(text or "any")),
    **{
        name: (name, _YES_OR_NO.__getitem__) for name in ("check", "mate", "en_passant")
    },
    "steps": ("steps", int),
    "direction": ("direction", _words("forward", "backward", "sideways").parse),
}


_COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "=": operator.eq,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True, slots=True)
class Count:
    """A number as a sentence puts it: ``exactly two``, ``at least two``."""

    value: float
    comparison: str = "="

    @classmethod
    def parse(cls, text: str) -> Count:
        """Return the number that ``2`` or ``>=2`` is."""
        if not re.fullmatch(COUNT, text):
            raise ClaimError("number", f"{text!r} is none, as 2 or >=2 is")
        comparison = text.rstrip("-.0123456789") or "="
        return cls(float(text.lstrip("><=")), comparison)

    def __str__(self) -> str:
        return f"{self.comparison.removeprefix('=')}{self.value:g}"

    def __contains__(self, number: float) -> bool:
        """Whether a number is as said."""
        return _COMPARISONS[self.comparison](number, self.value)


#: How many of the men that the first argument can mean: *the* one (the default), some, all, none,
#: they alone, or a number.
Quantifier = Literal["the", "some", "all", "none", "only"]
Quantity = Quantifier | Count
_QUANTITIES: Final[tuple[Quantifier, ...]] = get_args(Quantifier)


# ---------------------------------------------------------------- types of arguments


def _listed(pattern: str) -> str:
    return f"{pattern}(?:,{pattern})*"


def _parts(text: str) -> list[str]:
    """Split a list at its commas, but not within braces."""
    return re.findall(r"(?:\{[^{}]*\}|[^,{}])+", text)


def _references(text: str) -> tuple[Reference, ...]:
    return tuple(Reference.parse(part.strip()) for part in _parts(text))


def _moves(text: str) -> tuple[MoveSpec, ...]:
    return tuple(MoveSpec.parse(part.strip()) for part in _parts(text))


def _side(text: str) -> Color:
    if text not in chess.COLOR_NAMES:
        raise ClaimError("side", f"{text!r} is neither white nor black")
    return text == "white"


PIECES: Final = ArgumentType("references", _listed(REFERENCE), _references)
MOVES: Final = ArgumentType("moves", _listed(MOVE), _moves)
SIDE: Final = ArgumentType("side", "white|black", _side)
NUMBER: Final = ArgumentType("number", COUNT, Count.parse)
TEXT: Final = ArgumentType("text", ".*", str)
FILE: Final = _words(*chess.FILE_NAMES)
WING: Final = _words("kingside", "queenside")
AMOUNT: Final = _words(
    *("pawn", "exchange", "knight", "bishop", "piece", "rook", "queen", "material")
)
#: Who stands how, for ``evaluation``.
STANDING: Final = _words(
    *("winning", "better", "slightly_better", "equal", "slightly_worse", "worse"),
    *("losing", "drawn", "unclear"),
)
GRADE: Final = _words("best", "only", "good", "bad", "inaccuracy", "mistake", "blunder")

#: The arguments by name; what a predicate does not say otherwise is of this type.
ARGUMENTS: Final[Mapping[str, ArgumentType]] = MappingProxyType(
    {
        **dict.fromkeys(("piece", "target", "by", "to", "behind", "other"), PIECES),
        **dict.fromkeys(("toward", "square", "than"), PIECES),
        **dict.fromkeys(("move", "over"), MOVES),
        "side": SIDE,
        "number": NUMBER,
        "file": FILE,
        "wing": WING,
        "amount": AMOUNT,
        "standing": STANDING,
        "grade": GRADE,
        "name": TEXT,
        "said": TEXT,
    }
)


@dataclass(frozen=True)
class Predicate:
    """A row of the table.

    Parameters
    ----------
    name
        The predicate.
    kind
        What sort of claim it makes.
    arguments
        Its arguments in their order, as the table writes them.
    meaning
        What it says, in a line.
    engine
        Whether only an engine's judgement can decide it.
    event
        What the rubric's hard rule takes it for (:func:`chessgloss.claims.disqualifier`).
    """

    name: str
    kind: Kind
    arguments: str
    meaning: str
    engine: bool = False
    event: Disqualifier | None = None

    @cached_property
    def types(self) -> Mapping[str, ArgumentType]:
        """The type of each argument."""
        found = dict[str, ArgumentType]()
        for part in self.arguments.split():
            name, _, words = part.partition("=")
            plain = name.removesuffix("?")
            found[plain] = _words(*words.split("|")) if words else ARGUMENTS[plain]
        return found

    @cached_property
    def required(self) -> list[str]:
        """The arguments that may not be missing, by name."""
        names = (part.partition("=")[0] for part in self.arguments.split())
        return [name for name in names if not name.endswith("?")]

    @property
    def subject(self) -> str | None:
        """The argument that a quantity counts: the first, if it is of pieces."""
        first = next(iter(self.types.items()), None)
        return first[0] if first and first[1] is PIECES else None


def _table() -> Iterator[Predicate]:
    text = files("chessgloss.claims").joinpath("language.toml").read_text("utf-8")
    for kind, rows in tomllib.loads(text).items():
        for name, row in rows.items():
            yield Predicate(name, cast(Kind, kind), **row)


#: The one table, by the predicates' names.
PREDICATES: Final[Mapping[str, Predicate]] = MappingProxyType(
    {row.name: row for row in _table()}
)


# ---------------------------------------------------------------- claims

Value = tuple[Reference, ...] | tuple[MoveSpec, ...] | Color | Count | str


def _quantity(text: str) -> Quantity:
    for word in _QUANTITIES:
        if text == word:
            return word
    try:
        return Count.parse(text)
    except ClaimError:
        known = ", ".join(_QUANTITIES)
        raise ClaimError("quantity", f"{text!r} is none of {known}, 2, >=2") from None


#: The fields of a claim that are no arguments.
_SETTINGS: Final[Mapping[str, ArgumentType]] = {
    "quantity": ArgumentType("quantity", "|".join((*_QUANTITIES, COUNT)), _quantity),
    "modality": _words(*get_args(Modality)),
    "when": _words(*get_args(When)),
    "line": MOVES,
    "branches": _words(*get_args(Branches)),
}


@dataclass(frozen=True, slots=True)
class Claim:
    """A predicate with its arguments, and how a sentence puts it.

    Parameters
    ----------
    predicate
        A name of :data:`PREDICATES`.
    arguments
        Names with values, in the order of the table.
    denied
        Whether the sentence says that it is not so.
    quantity
        Of how many of the men that the first argument can mean it is said.
    modality
        ``asserted``; ``possible`` (may, could); ``hypothetical`` of a position that is
        supposed only; ``opinion``.
    when
        The position that it is said of: before the move, after it, or either.
    line
        Moves played on from there before it holds.
    branches
        Where the line can be played in several ways: whether some or all of them are meant.
    span
        Characters of the text that say it, from and to; not compared.

    Raises
    ------
    ClaimError
        If it breaks the language; names the field.
    """

    predicate: str
    arguments: tuple[tuple[str, Value], ...] = ()
    denied: bool = False
    quantity: Quantity = "the"
    modality: Modality = "asserted"
    when: When = "either"
    line: tuple[MoveSpec, ...] = ()
    branches: Branches | None = None
    span: tuple[int, int] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        row = _row(self.predicate)
        given = dict(self.arguments)
        for name in given:
            if name not in row.types:
                known = ", ".join(row.types)
                problem = f"is no argument of {row.name}, which takes {known}"
                raise ClaimError(name, problem)
        for name in sorted(row.required):
            if name not in given:
                raise ClaimError(name, f"is missing: {row.name} needs it")

    @classmethod
    def of(cls, predicate: str, /, *, denied: bool = False, **values: str) -> Claim:
        """Return a claim of values in the short form: ``Claim.of("attacks", piece="wN", …)``."""
        types = {**_row(predicate).types, **_SETTINGS}
        read = dict[str, Any]()
        for name, text in values.items():
            if name not in types:
                known = ", ".join(types)
                raise ClaimError(name, f"{predicate} has no such field: {known}")
            try:
                read[name] = types[name].parse(text)
            except ClaimError as error:
                raise ClaimError(name, error.problem) from None
        settings = {name: read.pop(name) for name in _SETTINGS if name in read}
        arguments = tuple((name, read[name]) for name in types if name in read)
        return cls(predicate, arguments, denied, **settings)

    @classmethod
    def parse(cls, text: str) -> Claim:
        """Return the claim that a text in the short form makes."""
        words = re.findall(r"""[^\s="]+="[^"]*"|\S+""", text.strip())
        denied = words[:1] == ["not"]
        head, *rest = words[1:] if denied else words or [""]
        values = dict[str, str]()
        for word in rest:
            name, equals, value = word.partition("=")
            if not equals:
                raise ClaimError(name, "has no value: write name=value")
            if name in values:
                raise ClaimError(name, "is given twice")
            values[name] = value.strip('"')
        return cls.of(head, denied=denied, **values)

    @classmethod
    def from_json(cls, values: Mapping[str, object]) -> Claim:
        """Return the claim of a JSON object that follows :func:`schema`."""
        given = {name: value for name, value in values.items() if value is not None}
        denied = given.pop("denied", False)
        if not isinstance(denied, bool):
            raise ClaimError("denied", f"{denied!r} is neither true nor false")
        texts = {name: text for name, text in given.items() if isinstance(text, str)}
        for name in given.keys() - texts.keys():
            raise ClaimError(name, f"{given[name]!r} is no text")
        return cls.of(texts.pop("predicate", ""), denied=denied, **texts)

    def to_json(self) -> dict[str, str | bool]:
        """Return the claim as a JSON object that follows :func:`schema`."""
        values: dict[str, str | bool] = {"predicate": self.predicate}
        if self.denied:
            values["denied"] = True
        return values | dict(self._texts())

    def __str__(self) -> str:
        start = "not " if self.denied else ""
        values = (
            f'{name}="{text}"' if " " in text else f"{name}={text}"
            for name, text in self._texts()
        )
        return " ".join((start + self.predicate, *values))

    def _texts(self) -> Iterator[tuple[str, str]]:
        for name, value in self.arguments:
            yield name, _text_of(value)
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in _SETTINGS and value != each.default:
                yield each.name, _text_of(value)

    def get(self, name: str) -> Any:
        """Return the value of an argument, or ``None`` if it is not given."""
        return dict(self.arguments).get(name)

    @property
    def row(self) -> Predicate:
        """The predicate's row of the table."""
        return PREDICATES[self.predicate]

    @property
    def kind(self) -> Kind:
        """What sort of claim it is."""
        return self.row.kind

    def at(self, start: int, stop: int) -> Claim:
        """Return the claim as said by these characters of a text."""
        return replace(self, span=(start, stop))


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a text.

    Parameters
    ----------
    claims
        Its claims; empty if it makes none.
    unread
        Where in the text words stand that were not read, from and to.
    problem
        Why some of it, or all, could not be read; empty if it was.
    """

    claims: tuple[Claim, ...] = ()
    unread: tuple[tuple[int, int], ...] = ()
    problem: str = ""


#: Reads a text on a move: the text, who made the move, the move in SAN.
Read = Callable[[str, Color, str], Reading]


def _row(name: str) -> Predicate:
    if name not in PREDICATES:
        raise ClaimError("predicate", f"{name!r} is none of {', '.join(PREDICATES)}")
    return PREDICATES[name]


def _text_of(value: object) -> str:
    if isinstance(value, bool):
        return chess.COLOR_NAMES[value]
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value)


# ---------------------------------------------------------------- many claims, and the schema


def parse_claims(text: str) -> tuple[Claim, ...]:
    """Return the claims of a text in the short form, set apart by semicolons.

    Raises
    ------
    ClaimError
        If one of them breaks the language.
    """
    return tuple(map(Claim.parse, split_claims(text)))


def split_claims(text: str) -> list[str]:
    """Split claims in the short form at their semicolons, but not within quotes."""
    parts = re.findall(r"""(?:"[^"]*"|[^;"])+""", text)
    return [part.strip() for part in parts if part.strip()]


def print_claims(claims: Iterable[Claim]) -> str:
    """Return claims in the short form, as :func:`parse_claims` reads them."""
    return "; ".join(map(str, claims))


def schema() -> dict[str, Any]:
    """Return the JSON schema of a claim, one alternative a predicate.

    Values are texts in the notation of the short form, so that one parser reads both. Types
    that many arguments share stand once, under ``$defs``.
    """
    shared = {each.name: _matches(each.pattern) for each in _SHARED}
    settings = {"denied": {"type": "boolean"}, **_rules(_SETTINGS)}
    return {
        "$defs": shared,
        "anyOf": [
            {
                "type": "object",
                "description": row.meaning,
                "properties": {
                    "predicate": {"const": row.name},
                    **_rules(row.types),
                    **settings,
                },
                "required": ["predicate", *row.required],
                "additionalProperties": False,
            }
            for row in PREDICATES.values()
        ],
    }


_SHARED: Final = (PIECES, MOVES, NUMBER)


def _rules(types: Mapping[str, ArgumentType]) -> dict[str, dict[str, str]]:
    return {
        name: {"$ref": f"#/$defs/{each.name}"}
        if each in _SHARED
        else _matches(each.pattern)
        for name, each in types.items()
    }


def _matches(pattern: str) -> dict[str, str]:
    return {"type": "string", "pattern": f"^(?:{pattern})$"}
