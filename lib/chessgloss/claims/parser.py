"""A text parsed: tokens put together to what they refer to, sentences, and who acts in them.

The reader walks left and right from each piece noun and takes in what belongs to it, so that
``White's undefended rook on a8`` becomes one element. All other tokens stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal

import chess

from chessgloss.claims.lexicon import (
    Notation,
    Tag,
    Token,
    cue,
    is_said,
    noun_pieces,
    number,
    over_tags,
    tags,
    words,
)

#: The ten kinds of claim.
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
]

#: What part a term plays: pieces, a bare square, a written move, a side, or a pronoun that
#: stands for the move or for the piece last spoken of.
Role = Literal["piece", "square", "move", "side", "this"]

#: The moment that the words allow: before the move or after it, only one of them, or also
#: after the expected reply; ``past`` for a state that ``was``.
Tense = Literal["any", "before", "after", "later", "past"]

#: How many characters before and behind a claim are looked at for words that bear on it.
REACH = 240

ALL_PIECES: frozenset[chess.PieceType] = frozenset(chess.PIECE_TYPES)


@dataclass(frozen=True, slots=True)
class Stance:
    """How a claim is put: denied, only supposed, or asked.

    Parameters
    ----------
    negated
        The text denies it (``does not attack``).
    supposed
        The text does not say that it is so: ``if``, ``would have``, plans.
    able
        It is said to be possible: ``can``, ``could``, ``may``.
    asked
        It stands in a question.
    distant
        It is planned or wished for, or said of another game: not to be looked for here.
    past
        It is told in the past tense, so that it may have been so some moves before.
    unclear
        A word that bears on it is not understood: ``hardly``, ``neither … nor``.
    """

    negated: bool = False
    supposed: bool = False
    able: bool = False
    asked: bool = False
    distant: bool = False
    past: bool = False
    unclear: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """What a phrase refers to.

    Parameters
    ----------
    role
        The part it plays.
    text, span
        The phrase, and where it stands in the text (start, end).
    side
        Whose, if the words say so.
    pieces
        Types of piece that the words allow; all of them for a word such as ``piece``.
    square
        The square named, if any (0 is a1).
    file
        The file named (0 is the a-file), if no square is.
    shade
        ``True`` for light-squared, ``False`` for dark-squared.
    move
        The written move, for a move (or a piece named as ``the Bc4``).
    definite
        The phrase speaks of a piece that is there (``the``, ``his``), not of any (``a``); for
        a move, that it can only be read as one.
    options
        For a pronoun: the terms it may stand for, nearest first.
    numbered
        For a move: the ply that its number names, counted as python-chess does (0 is
        White's first move).
    continues
        For a move: another written move stands right before it, as in a line.
    least
        How many of them are meant at least: 2 for ``both knights``.
    every
        All of them are meant: ``every pawn``.
    """

    role: Role
    text: str
    span: tuple[int, int]
    side: chess.Color | None = None
    pieces: frozenset[chess.PieceType] = ALL_PIECES
    square: chess.Square | None = None
    file: int | None = None
    shade: bool | None = None
    move: Notation | None = None
    definite: bool = True
    options: tuple[Term, ...] = ()
    numbered: int | None = None
    continues: bool = False
    least: int = 1
    every: bool = False

    def matches(self, square: chess.Square, piece: chess.Piece | None) -> bool:
        """Tell whether what stands on a square is a piece that the phrase can mean."""
        return (
            piece is not None
            and piece.piece_type in self.pieces
            and self.side in (None, piece.color)
            and self.square in (None, square)
            and self.file in (None, chess.square_file(square))
            and self.shade
            in (None, bool(chess.BB_LIGHT_SQUARES & chess.BB_SQUARES[square]))
        )

    def owned_by(self, side: chess.Color | None) -> Term:
        """Return the term with a side, unless the words give another."""
        return self if self.side is not None else replace(self, side=side)

    def fits(self, board: chess.Board, move: chess.Move) -> bool:
        """Tell whether a legal move of a board can be the one that is written, if one is."""
        return self.move is not None and self.move.fits(board, move)

    def plays(self, board: chess.Board) -> Iterator[chess.Move]:
        """Return the legal moves of a board that can be the one that is written, if one is."""
        return iter(()) if self.move is None else self.move.moves(board)

    def squares(self, board: chess.Board) -> list[chess.Square]:
        """Return the squares of a board's pieces that the phrase can mean."""
        if self.role == "this":
            return [square for term in self.options for square in term.squares(board)]
        if self.role not in ("piece", "square"):
            return []
        if self.square is not None:
            return (
                [self.square]
                if self.matches(self.square, board.piece_at(self.square))
                else []
            )
        return [
            square
            for square, piece in board.piece_map().items()
            if self.matches(square, piece)
        ]


#: The move, where no words stand for it.
THIS = Term("this", "the move", (0, 0))


@dataclass(frozen=True, slots=True)
class Detail:
    """What the words of a claim say beside who acts on what; each is empty where they do not.

    What is given can be read by name too, so that ``{**detail}`` holds that and no more.

    Parameters
    ----------
    verb
        The verb, or the adjective that stands for one: ``is hanging``.
    made
        Of captures: the words say outright that it is done now.
    both
        Of castling: both sides are spoken of.
    count
        How many: attackers, moves to mate, legal moves, pieces, pawns won.
    noun, unit
        What is counted (``queens``); what a side is ahead by, or wins (``an exchange``).
    more, whole
        Of counts: so many more than the other side has; all that there are.
    result, even
        Of exchanges: ``wins`` or ``loses``; they come out even.
    piece, square
        What a pawn becomes; where, or where a mate is given.
    state
        Of pawns: ``passed``, ``doubled``, ``isolated``, ``connected``.
    file, half, fully
        Of files: the letter; ``half-open``, ``closed`` and the like; opened wholly.
    standing, turned
        Of a side: ``better``, ``winning`` or ``equal``; its opponent is meant.
    judgement
        Of a move: ``best``, ``good``, ``bad``, ``inaccuracy``, ``mistake`` or ``blunder``.
    sides
        Of an only move: the sides that the words name before it.
    theme
        Of what is presupposed: ``check``, ``mate``, ``sacrifice``, ``square`` or ``piece``.
    wing
        Of counts of pawns: ``queen`` or ``king``, the side of the board.
    items, others
        Lists of pieces: what a side is ahead by, or has; what the other side has for it.
    """

    verb: str = ""
    made: bool = False
    both: bool = False
    count: int | None = None
    noun: str = ""
    unit: str = ""
    more: bool = False
    whole: bool = False
    result: str = ""
    even: bool = False
    piece: str = ""
    square: str = ""
    state: str = ""
    file: str = ""
    half: str = ""
    fully: bool = False
    standing: str = ""
    turned: bool = False
    judgement: str = ""
    sides: tuple[chess.Color | None, ...] = ()
    theme: str = ""
    wing: str = ""
    items: str = ""
    others: str = ""

    @classmethod
    def of(cls, words: Mapping[str, str]) -> Detail:
        """Return a detail from names and words: numbers are read, flags set by being there."""
        given: dict[str, Any] = {**words}
        if "count" in words:
            given["count"] = number(words["count"])
        for name in ("even", "fully", "turned"):
            if name in words:
                given[name] = True
        return cls(**given)

    def keys(self) -> list[str]:
        """Return the names of what is given."""
        return [each.name for each in fields(self) if self[each.name] != each.default]

    def __getitem__(self, name: str) -> Any:
        """Return what is given under a name."""
        return getattr(self, name)


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable thing that a text says.

    Parameters
    ----------
    kind
        Its kind, one of ten; ``unread`` for a clause whose verb is not understood.
    text, span
        The words, and where they stand in the text (start, end).
    relation
        What exactly is said within the kind: ``attacks``, ``defends``, ``loose`` ...
    objects
        Terms all of which are acted on.
    stance
        Denied, supposed, asked.
    tense
        The moment that the words allow.
    detail
        Further words and numbers that the relation needs (a count, a bound).
    subjects
        Terms any of which may be the one that acts; empty if the words name none.
    together
        Every one of the subjects acts (``the queen and the rook attack``), not any of them.
    named
        The words only name it: ``the rook on e1``, ``after Nf3``. That there is no such piece or
        move is a fault; that there is says nothing yet.
    """

    kind: Kind | Literal["unread"]
    text: str
    span: tuple[int, int]
    relation: str
    objects: tuple[Term, ...] = ()
    stance: Stance = field(default=Stance())
    tense: Tense = "any"
    detail: Detail = field(default=Detail())
    subjects: tuple[Term, ...] = ()
    together: bool = False
    named: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """A token, or several that refer to one thing.

    Parameters
    ----------
    tag
        ``piece``, ``square``, ``move``, ``player`` or ``pronoun``; for all others that of the
        token (a letter, see :mod:`chessgloss.claims.lexicon`).
    span
        Start and end in the text.
    word
        The token's word, or the phrase.
    terms
        What it refers to; several for ``the pawns on e4 and d5``; empty for a plain word.
    adjectives
        Words before the noun, such as ``undefended``.
    """

    tag: str
    span: tuple[int, int]
    word: str
    terms: tuple[Term, ...] = ()
    adjectives: frozenset[str] = frozenset()


# ---------------------------------------------------------------- tokens to elements


def chunk(text: str, tokens: Sequence[Token]) -> tuple[Element, ...]:
    """Return the elements of a text in order."""
    elements: list[Element] = []
    done = 0
    for noun in range(len(tokens)):
        if noun >= done and _names_piece(tokens, noun):
            start = _left(tokens, noun, done)
            stop = _right(tokens, noun)
            elements += [_plain(tokens, index) for index in range(done, start)]
            elements.append(_noun_phrase(text, tokens, start, noun, stop))
            done = stop
    return (*elements, *(_plain(tokens, index) for index in range(done, len(tokens))))


def _names_piece(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a token names a piece: ``bishop``, or ``bishop's`` before what it does.

    A noun that only qualifies the next does not: ``rook pawn``, ``pawn chain``. Behind a
    plural a word that can be a verb is one: ``the rooks attack``.
    """
    word = tokens[index].word
    (tag, next_word) = _beside(tokens, index + 1)
    if tokens[index].tag != Tag.NOUN:
        noun = word.removesuffix("'s")
        owner = noun != word and noun in chess.PIECE_NAMES[1:]
        return owner and tag == Tag.ATTACK
    if word.endswith("s") and tag in tags("behind_plural"):
        return True
    (behind, _) = _beside(tokens, index + 2)
    if next_word == "moves" and behind in tags("behind_moves"):
        return True
    if word == "queen" and _is_to_queen(tokens, index):
        return False
    return tag != Tag.NOUN and next_word not in words("compound")


def _is_to_queen(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether ``queen`` is a verb: ``threatens to queen``, ``can queen on f8``."""
    (before, _) = _beside(tokens, index - 1)
    return before in (Tag.INTO, Tag.MAYBE, Tag.THREATEN)


def _beside(tokens: Sequence[Token], index: int) -> tuple[str, str]:
    """Return tag and word of a token; empty where there is none."""
    if not 0 <= index < len(tokens):
        return "", ""
    token = tokens[index]
    return token.tag, token.word


def _left(tokens: Sequence[Token], noun: int, floor: int) -> int:
    """Return where the phrase of a noun begins; two unknown adjectives may stand in it."""
    start = noun
    strangers = 2
    for first in range(noun, floor, -1):
        token = tokens[first - 1]
        digits = token.tag == Tag.DIGITS and token.text.isdigit()
        owner = token.tag in (Tag.THE, Tag.PLAYER)
        place = token.tag in (Tag.SQUARE, Tag.LETTER)
        known = token.word in words("adjective") or token.tag == Tag.NOUN
        if owner or token.word in ("this", "that") or digits:
            start = first - 1
            (tag, whose) = _beside(tokens, first - 2)
            owned = tag == Tag.PLAYER or _is_owner(whose)
            counted = token.word in words("several") and owned
            if token.tag == Tag.THE and not counted:
                break
            if token.word.endswith("'s") and not _counts(tokens, first - 2):
                break  # ``is attacking White's queen``
        elif known or place:
            behind = (Tag.NOUN, Tag.ADJECTIVE)
            if place and first != noun and tokens[first].tag not in behind:
                break
            start = first - 1
        elif token.tag == Tag.UNKNOWN and strangers:
            strangers -= 1
        else:
            break
    if not floor < start < noun:
        return start
    both = tokens[start - 1].word == "both"
    the = tokens[start].tag == Tag.THE
    return start - 1 if both and the else start


def _counts(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a token says how many: ``both White's rooks``."""
    (tag, word) = _beside(tokens, index)
    return tag in (Tag.THE, Tag.DIGITS) or word in words("universal")


#: What may stand behind a noun: a place, ``on`` before it or not; behind a plural a list of them.
_ON = "{adverb}*{on}[{the}{adjective}{unknown}{player}{adverb}{squares}]"
_PLACE = "(?:(?=[^{square}{letter}]{,4}[{square}{letter}])" + _ON + "*)?{square}"
_ON_FILE = "|" + _ON + "{,3}{letter}."
_BEHIND = _PLACE + _ON_FILE
_BEHIND_PLURAL = (
    "(?:{adverb}*,(?={on}{square}))?"
    + _PLACE
    + "(?:[,{and}][,{and}{on}]*{square}(?!{noun}))*"
    + _ON_FILE
)


def _right(tokens: Sequence[Token], noun: int) -> int:
    """Return where the phrase of a noun ends (one behind)."""
    first = noun + 1
    near = tokens[first : first + 11]
    behind = "".join(token.tag for token in near)
    plural = tokens[noun].word.endswith("s")
    pattern = _BEHIND_PLURAL if plural else _BEHIND
    place = over_tags(pattern).match(behind)
    return first + place.end() if place else first


def _noun_phrase(
    text: str, tokens: Sequence[Token], start: int, noun: int, stop: int
) -> Element:
    inside, before = tokens[start:stop], tokens[start:noun]
    span = (inside[0].span[0], inside[-1].span[1])
    adjectives = frozenset(token.word for token in before)
    squares = [
        chess.parse_square(token.word) for token in inside if token.tag == Tag.SQUARE
    ]
    files = [token.word[0] for token in inside if token.tag == Tag.LETTER]
    sides = [
        token.word.startswith("white") for token in inside if token.tag == Tag.PLAYER
    ]
    shade = r"(light|dark)-?squared?|(white|black)-sq"
    light = [
        word.startswith(("light", "white"))
        for word in adjectives
        if re.match(shade, word)
    ]
    # ``a knight on f5``, ``pawns on d4 and f4`` and ``to knight f5`` need not be there
    bare = tokens[noun].word.endswith("s") and not any(
        t.tag in tags("determining") for t in before
    )
    opens = start < noun and (start == 0 or tokens[start - 1].tag != Tag.UNKNOWN)
    touching = stop > noun + 1 and tokens[noun + 1].tag == Tag.SQUARE and not opens
    term = Term(
        "piece",
        text[slice(*span)],
        span,
        side=sides[0] if sides else None,
        pieces=noun_pieces(tokens[noun].word),
        file=chess.FILE_NAMES.index(files[0]) if files and not squares else None,
        shade=light[0] if light else None,
        definite=not (bare or touching or adjectives & words("indefinite")),
        least=_least(adjectives) if tokens[noun].word.endswith("s") else 1,
        every=not adjectives.isdisjoint(words("universal")),
    )
    terms = tuple(replace(term, square=square, shade=None) for square in squares) or (
        term,
    )
    return Element(
        Tag.PIECE, span, term.text.lower(), terms, adjectives | {tokens[noun].word}
    )


def _least(adjectives: frozenset[str]) -> int:
    """Return how many pieces a phrase speaks of at least, by its number or ``both``."""
    counts = [number(word) for word in adjectives if word in words("several")]
    return max(counts, default=1)


def _plain(tokens: Sequence[Token], index: int) -> Element:
    """Return a token as an element, with its term if it is a square, a move or a side."""
    token = tokens[index]
    word = token.word
    span = token.span
    tag = token.tag
    if tag == Tag.THE and word in ("this", "that"):
        tag = Tag.PRONOUN
    elif word == "queen" and _is_to_queen(tokens, index):
        tag = Tag.PROMOTE
    elif word == "both" and _beside(tokens, index + 1)[0] in tags("behind_both"):
        tag = Tag.ADVERB  # ``the rooks both attack``
    elif tag == Tag.CAPTURE and word.endswith("ed"):
        # a form of to be before a participle: ``cannot be captured``
        start = max(0, index - 3)
        earlier = "".join(each.tag for each in tokens[start:index])
        is_done = over_tags("{be}[{adverb}{not}{unknown}]*$").search(earlier)
        tag = Tag.CAPTURED if is_done else tag
    elif tag in (Tag.ATTACK, Tag.CAPTURED) and word in words("both_voices"):
        tag = _in_its_voice(tokens, index)
    bare = tag == Tag.SQUARE
    certain = tag == Tag.MOVE or (bare and _is_push(tokens, index))
    if certain or (bare and _may_be_push(tokens, index)):
        return _move(tokens, index, certain=certain)
    if tag not in _ROLES:
        return Element(tag, span, word)
    side = word.startswith("white") if tag == Tag.PLAYER else None
    square = chess.parse_square(word) if bare else None
    role = _ROLES[tag]
    term = Term(role, token.text, span, side, square=square)
    return Element(tag, span, word, (term,))


def _in_its_voice(tokens: Sequence[Token], index: int) -> str:
    """Return the tag of a participle: behind a form of to be it is suffered (``was hit``)."""
    start = max(0, index - 3)
    earlier = "".join(each.tag for each in tokens[start:index])
    suffered = over_tags("{be}[{adverb}{not}{unknown}]*$").search(earlier)
    done = over_tags("{have}[{adverb}{not}]*$").search(earlier)
    if tokens[index].word == "taken":
        return Tag.CAPTURE if done else Tag.CAPTURED
    return Tag.ATTACKED if suffered else Tag.ATTACK


_ROLES: Final[dict[str, Role]] = {
    Tag.SQUARE: "square",
    Tag.PLAYER: "side",
    Tag.PRONOUN: "this",
}


def _is_push(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether the words around a bare square make it a pawn's move."""
    (before, word) = _beside(tokens, index - 1)
    (earlier, _) = _beside(tokens, index - 2)
    after, next_word = _beside(tokens, index + 1)
    if index > 1 and word in ("first", "only", "just", "simply"):
        before, word = _beside(tokens, index - 2)
    return (
        next_word in words("behind_push")
        or next_word.startswith("push")
        # ``8. a3 a6``
        or (before == Tag.SQUARE and earlier == Tag.MOVE_NUMBER)
        # ``strikes back with d5``
        or (before == Tag.WITH and (not after or after in tags("behind_with_move")))
        or before in tags("before_pawn_move")
        or word in words("before_push")
    )


def _may_be_push(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a bare square may be a pawn's move: ``with c4``, or first and acting."""
    (before, word) = _beside(tokens, index - 1)
    (after, _) = _beside(tokens, index + 1)
    if before == Tag.WITH or word in ("by", "via", "due to", "instead of"):
        return True
    (suffers, _) = _beside(tokens, index + 2)
    if after == Tag.BE and suffers in tags("participles"):
        return False
    return before in ("", ".", Tag.BREAK) and after in tags("behind_pawn_move")


#: Another written move stands right before it.
_IN_A_LINE = "[{move}{square}][{move_number},{break}{adverb}]*$"


def _move(tokens: Sequence[Token], index: int, *, certain: bool) -> Element:
    """Return a written move, or the piece on its square that is written like one: ``the Rf1``."""
    token = tokens[index]
    text = token.word if token.tag == Tag.SQUARE else token.text
    plain = text.translate(str.maketrans("×:–", "xx-"))
    notation = Notation.read(plain)
    (tag, owner) = _beside(tokens, index - 1)
    (after, next_word) = _beside(tokens, index + 1)
    ply = None
    black = False
    counted = False
    if tag == Tag.MOVE_NUMBER:
        number_there = tokens[index - 1].text.strip()
        (ply, black, counted) = _read_move_number(number_there)
    uncertain = counted and notation.piece in (None, chess.PAWN)
    start = max(0, index - 4)
    line = "".join(each.tag for each in tokens[start:index])
    continues = over_tags(_IN_A_LINE).search(line) is not None
    sure = certain and not uncertain
    term = Term(
        "move",
        token.text,
        token.span,
        side=False if black else None,
        square=notation.to,
        move=notation,
        definite=sure and not _is_diagonal(text, notation),
        numbered=ply,
        continues=continues,
    )
    owned = tag in (Tag.THE, Tag.PLAYER) or _is_owner(owner)
    named = next_word in words("behind_push") or after in tags("behind_owned_move")
    if not owned or named or not re.fullmatch("[KQRBN][a-h][1-8]", token.text):
        return Element(Tag.MOVE, token.span, token.word, (term,))
    side = owner.startswith("white") if tag == Tag.PLAYER else None
    pieces = frozenset({notation.piece}) if notation.piece else ALL_PIECES
    term = replace(term, role="piece", side=side, pieces=pieces)
    return Element(Tag.PIECE, term.span, token.text.lower(), (term,))


def _is_owner(word: str) -> bool:
    """Tell whether a word is whose something is (``Fischer's``), no short form of *is*."""
    return word.endswith("'s") and word not in words("short_is")


def _read_move_number(text: str) -> tuple[int | None, bool, bool]:
    """Return the ply that a move number names, whether it is Black's, and whether it is bare.

    A bare number (``8 a6``) need not be one of a move and names no ply.
    """
    digits = "".join(sign for sign in text if sign.isdigit())
    black = ".." in text or "…" in text
    if not digits:
        return None, black, False
    if digits == text:
        return None, black, True
    ply = 2 * (int(digits) - 1)
    return (ply + 1 if black else ply), black, False


def _is_diagonal(text: str, notation: Notation) -> bool:
    """Tell whether what is written like a move is a long diagonal: ``h1-a8``."""
    if notation.piece is not None or notation.to is None or notation.file is None:
        return False
    start = chess.square(notation.file, notation.rank or 0)
    diagonals = chess.BB_DIAG_ATTACKS[start][0]
    if not diagonals & chess.BB_SQUARES[notation.to]:
        return False
    return "-" in text and chess.square_distance(start, notation.to) > 2


# ---------------------------------------------------------------- sentences


#: Tags that deny: ``not``, ``nobody``.
_DENIALS: Final = frozenset({Tag.NOT, Tag.NOBODY})

#: Before a noun: ``neither king``, ``none of the rooks``.
_NONE_OF: Final = "{nobody}{of}?"

#: ``neither king is``, ``none of the rooks``, ``nobody in Black's camp``
_NEITHER: Final = (
    _NONE_OF
    + "(?:(?:{piece}{not})?{piece}|{player}{unknown})"
    + "[{have}{be}{maybe}{unknown}]*$"
)

#: Between a subject and its verb.
_HELPERS: Final = "[{have}{be}{maybe}{not}{unknown}{go}{and}]"

#: ``nobody in Black's camp``
_OF_A_CAMP: Final = "{nobody}{on}?({player}){unknown}" + _HELPERS + "*$"

#: Tags of words that stand for any piece or player: ``nobody``, ``anything``.
_ANY: Final = frozenset({Tag.NOBODY, Tag.ANYBODY})

#: ``after Nf3``, ``with the knight on f3``
_AFTER_A_MOVE = (
    "[{unknown}{and}]?(?:{after}{the}?[{move}{pronoun}]|{with}[{piece}{move}])"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """The elements of one sentence, adverbs left out, and their tags as one string.

    Parameters
    ----------
    text
        The whole text that it stands in.
    elements
        Its elements in order.
    tags
        One letter for each.
    words
        The sentence as written, in lower case.
    start
        Where it starts in the text.
    asked
        It ends in a question mark.
    earlier
        The terms of the sentence before, which a pronoun may mean.
    """

    text: str
    elements: tuple[Element, ...]
    tags: str
    words: str
    start: int
    asked: bool
    earlier: tuple[Term, ...] = ()

    def before(self, index: int) -> str:
        """Return the words before an element, as far as they may bear on it."""
        stop = self.elements[index].span[0] - self.start
        return self.words[max(0, stop - REACH) : stop]

    def after(self, index: int) -> str:
        """Return the words behind an element, as far as they may bear on it."""
        start = self.elements[index].span[1] - self.start
        return self.words[start : start + REACH]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return where the elements ``first`` to ``last`` (one behind) stand in the text."""
        return self.elements[first].span[0], self.elements[last - 1].span[1]

    def offsets(self, match: re.Match[str]) -> tuple[int, int]:
        """Return where a match in the sentence's words stands in the text."""
        return match.start() + self.start, match.end() + self.start

    def index(self, offset: int) -> int:
        """Return how many elements begin before an offset in the sentence's words."""
        return sum(element.span[0] - self.start < offset for element in self.elements)

    def clause_start(self, index: int) -> int:
        """Return the first element of the clause that an element stands in."""
        break_ = self.tags.rfind(Tag.BREAK, 0, index)
        comma = self.tags.rfind(",", 0, index)
        return max(break_, comma) + 1

    def stance(self, first: int, last: int, *, alone: bool = False) -> Stance:
        """Return how a claim made by the elements ``first`` to ``last`` is put.

        With ``alone``, words before them do not count (``misses Qe3 mate``).
        """
        clause = max(self.clause_start(first), first - 60)
        scope = first if alone else clause
        elements = self.elements[scope:last]
        said = [each.word for each in elements]
        denials = _DENIALS.intersection(self.tags[scope:last])
        helpers = [each for each in elements if each.tag in tags("helpers")]
        would = any(
            helper.tag == Tag.MAYBE and not cue("able").fullmatch(helper.word)
            for helper in helpers
        )
        planned = any(helper.word not in words("modal") for helper in helpers)
        supposed = would
        distant = planned
        if not alone:
            purpose = self._is_purpose(first)
            supposed = would or purpose or self._is_supposed(clause, last)
            distant = planned or purpose or is_said("distant", self.words)
        return Stance(
            negated=bool(denials) or "no" in said,
            supposed=supposed,
            able=is_said("able", " ".join(said)),
            asked=self.asked,
            distant=distant,
            past=is_said("past", self.words),
            unclear=not alone and self._is_unclear(clause, first, last),
        )

    def _is_supposed(self, clause: int, last: int) -> bool:
        """Tell whether the words of a clause leave open that something is so."""
        (start, stop) = self.span(clause, min(last, len(self.elements)))
        begin = start - self.start
        end = stop - self.start
        if cue("unreal").search(self.words, begin, end):
            return True
        return is_said("condition_word", self.words)

    def _is_unclear(self, clause: int, first: int, last: int) -> bool:
        """Tell whether a word that is not understood bears on what some elements claim."""
        around = self.tags[clause:last]
        before = self.tags[clause:first]
        if Tag.NEARLY in around or not _ANY.isdisjoint(before):
            return True
        if Tag.NOT not in around:
            return False
        elements = self.elements[clause:last]
        return any(each.word == "nor" for each in elements)

    def _is_purpose(self, verb: int) -> bool:
        """Tell whether a verb is an infinitive that says what for: ``to win a pawn``."""
        purpose = (
            verb > 0
            and self.tags[verb] in tags("purposes")
            and self.tags[verb - 1] == Tag.INTO
        )
        doing = self.elements[verb - 2].word if verb > 1 else ""
        return purpose and not re.match(
            "continu|manag|serv|help|begin|start|seem", doing
        )

    def tense(self, first: int, last: int) -> Tense:
        """Return the moment that the words of a claim allow."""
        clause = self.clause_start(first)
        scope = 0
        if clause:
            (_, scope) = self.elements[clause - 1].span
            scope -= self.start
        (_, stop) = self.elements[last - 1].span
        stop -= self.start
        if cue("only_before").search(self.words, scope, stop):
            return "before"
        unnamed: Tense = "later" if is_said("later", self.words) else "any"
        if is_said("never_was", self.words):
            return unnamed
        after_move = first > 1 and over_tags(_AFTER_A_MOVE).match(self.tags)
        if after_move or cue("only_after").search(self.words, scope, stop + 5):
            return "after"
        helpers = over_tags("[{have}{be}{not}]+$").search(self.tags[:first])
        start = helpers.start() if helpers else first
        helped = self.elements[max(clause, start) : last]
        if any(each.word in words("was") for each in helped):
            return "past"
        return unnamed

    def asserts(self, first: int, last: int) -> bool:
        """Tell whether the sentence says outright that a move is made."""
        around = self.tags[self.clause_start(first) : last]
        if not _DENIALS.isdisjoint(around) or Tag.COMPARE in self.tags:
            return False
        if not tags("unsaid").isdisjoint(around):
            return False
        before = self.tags[:first]
        infinitive = before.endswith(Tag.INTO)
        return not (infinitive or self.asked or is_said("future", self.words))

    def acting(self, stop: int | None = None) -> tuple[Term, ...]:
        """Return the pieces, moves and sides named before an element; without one, all."""
        return tuple(
            term
            for element in self.elements[:stop]
            if element.tag in tags("actors")
            for term in element.terms
        )

    def may_act(self, index: int) -> tuple[Term, ...]:
        """Return every term that may act without being named, nearest first, then the move."""
        here = self.acting(index)[::-1]
        return tuple(dict.fromkeys((*(here or self.earlier[::-1]), THIS)))

    def terms(self, index: int) -> tuple[Term, ...]:
        """Return the terms of an element, pronouns with what they may stand for."""
        element = self.elements[index]
        if element.tag != Tag.PRONOUN:
            return element.terms
        options = self.may_act(index)
        if element.word in ("which", "that", "who"):
            options = options[:1]
        return tuple(replace(term, options=options) for term in element.terms)

    def group(self, match: re.Match[str], *names: str) -> tuple[Term, ...]:
        """Return the terms of a pattern's groups, as far as it has them."""
        present = [match.span(name) for name in names if match.groupdict().get(name)]
        return tuple(
            term for span in present for i in range(*span) for term in self.terms(i)
        )

    # ------------------------------------------------------------ who acts

    def actors(self, match: re.Match[str]) -> tuple[Term, ...]:
        """Return the terms any of which may act in a matched pattern.

        A subject right before its verb is taken alone; a pronoun, a participle behind a comma or
        a second verb may mean the move or any piece or move spoken of before.
        """
        verb = match.start("verb")
        subj = match.groupdict().get("subj")
        if agents := self.group(match, "agent"):
            # ``Black recaptures with the knight``: the agent has the side of the subject
            side = None
            if subj == Tag.PLAYER:
                side = self.elements[match.start("subj")].terms[0].side
            return tuple(term.owned_by(side) for term in agents)
        if "subj" not in match.re.groupindex:
            return ()
        if self.has_any_agent(match):
            camp = over_tags(_OF_A_CAMP).search(self.tags[:verb])
            return self.elements[camp.start(1)].terms if camp else ()
        if subj is None:
            return self.may_act(verb)
        first = self.own_subject(match)
        if self._is_governed(first, verb):
            return self.may_act(first)
        return tuple(
            term for i in range(first, match.end("subj")) for term in self.terms(i)
        )

    def has_any_agent(self, match: re.Match[str]) -> bool:
        """Tell whether a verb's subject is nobody or anybody, or who does it is: ``by nothing``."""
        agent = match.groupdict().get("agent")
        if agent is not None:
            return agent in _ANY
        if match.groupdict().get("subj") is not None:
            # ``nobody on Black's side``
            before = self.tags[: match.start("subj")]
            camp = (
                "{nobody}{on}$"
                if match["subj"] == Tag.PLAYER
                else "{nobody}{other_than}$"
            )
            return over_tags(camp).search(before) is not None
        return self.is_of_any(match.start("verb"))

    def is_of_any(self, verb: int) -> bool:
        """Tell whether what stands before a verb is ``nobody``, ``anything`` or the like."""
        of_any = over_tags(
            "[{nobody}{anybody}](?:{on}?{player}{unknown})?" + _HELPERS + "*$"
        )
        return of_any.search(self.tags[:verb]) is not None

    def any_subject(self, verb: int) -> int:
        """Return the element of ``nobody`` or the like before a verb (:meth:`is_of_any`)."""
        places = (self.tags.rfind(tag, 0, verb) for tag in _ANY)
        return max(max(places), 0)

    def is_of_neither(self, verb: int) -> bool:
        """Tell whether the subject of a verb is ``neither king`` or ``none of the rooks``."""
        return over_tags(_NEITHER).search(self.tags[:verb]) is not None

    def says_only(self, index: int) -> bool:
        """Tell whether ``only`` stands right before an element, or opens its phrase."""
        return (
            self.elements[index].word.startswith("only ")
            or self.before(index).rstrip().endswith(" only")
            or (self.before(index).strip() == "only")
        )

    def subject(self, verb: int) -> tuple[Term, ...]:
        """Return the terms any of which may be the subject of the verb at an element."""
        index = verb
        between = tags("before_verb")
        least = max(0, verb - 4)
        while index > least and self.tags[index - 1] in between:
            index -= 1
        tag = self.tags[index - 1] if index else ""
        joined = Tag.AND in self.tags[index:verb]
        alone = tag in tags("actors") and not joined
        if alone and not self._is_governed(index - 1, verb):
            return self.elements[index - 1].terms
        if tag == Tag.PRONOUN:
            moves = [term for term in self.acting(index) if term.role == "move"]
            if moves:
                return tuple(moves[-1:])
        return self.may_act(verb)

    def own_subject(self, match: re.Match[str]) -> int:
        """Return the first element of a verb's own subject.

        Of two nouns that ``and`` joins, a verb in the singular has the second alone: in ``takes the
        bishop and the queen attacks f7`` only the queen attacks.
        """
        first = match.start("subj")
        last = match.end("subj") - 1
        between = {each.word for each in self.elements[first:last]}
        if "nor" in between:
            return first
        if (
            self._grammatical_number(match) == "singular"
            or self.tags[first + 1] == Tag.NOT
        ):
            return last
        return first

    def act_together(self, match: re.Match[str], acting: tuple[Term, ...]) -> bool:
        """Tell whether every piece that is named as acting acts, not any of them."""
        groups = match.groupdict()
        group = "agent" if groups.get("agent") else "subj"
        if not groups.get(group) or len(acting) < 2:
            return False
        if any(term.role != "piece" for term in acting):
            return False
        (first, last) = match.span(group)
        named = self.elements[first:last]
        spans = {element.span for element in named}
        if any(term.span not in spans for term in acting):
            return False
        if any(each.word == "or" for each in named):
            return self.tags[match.start("verb")] in (Tag.CAPTURE, Tag.CAPTURED)
        return group == "agent" or self._grammatical_number(match) == "plural"

    def _grammatical_number(self, match: re.Match[str]) -> str:
        """Return a verb's number, ``singular`` or ``plural``; empty where its form has none."""
        between = self.elements[match.end("subj") : match.start("verb")]
        if any(helper.tag == Tag.MAYBE for helper in between):
            return ""
        for helper in between:
            form = re.fullmatch(
                r"(is|was|has|does|are|were|have|do)(?:n['’]t)?", helper.word
            )
            if form:
                return "singular" if form[1].endswith("s") else "plural"
        verb = self.elements[match.start("verb")].word.split()[0]
        if verb.endswith("ed") or between:
            return ""
        if verb.endswith("s") and not verb.endswith("ss"):
            return "singular"
        return "plural"

    def _is_governed(self, first: int, verb: int) -> bool:
        """Tell whether a noun is the object of what stands before it, so no subject of the verb."""
        noun = self.elements[first].word
        if first == 0 or noun.endswith("'s"):
            return False
        before = self.tags[first - 1]
        participle = self.elements[verb].word.endswith("ing")
        if before == Tag.AND:
            return participle and Tag.BE not in self.tags[first:verb]
        means = before in (Tag.FROM, Tag.WITH)
        return before in tags("governing") and not (participle and means)


def sentences(text: str, elements: Sequence[Element]) -> tuple[Sentence, ...]:
    """Cut elements at full stops and question marks."""
    found: list[Sentence] = []
    current = list[Element]()
    begin = 0
    for element in (*elements, Element(".", (len(text), len(text)), "")):
        if element.tag not in ".?":
            current += [element] if element.tag != Tag.ADVERB else []
            continue
        if current:
            words = text[begin : element.span[0]].lstrip()
            sentence = Sentence(
                text,
                tuple(current),
                tags="".join([each.tag for each in current]),
                words=words.lower().replace("’", "'"),
                start=element.span[0] - len(words),
                asked="?" in element.word,
                earlier=found[-1].acting() if found else (),
            )
            found.append(sentence)
        current = []
        begin = element.span[1]
    return tuple(found)
