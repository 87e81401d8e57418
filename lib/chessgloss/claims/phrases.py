"""Tokens put together to what they refer to: pieces, squares, moves, sides.

The reader walks left and right from each piece noun and takes in what belongs to it, so that
``White's undefended rook on a8`` becomes one element. All other tokens stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from chessgloss.claims.lexicon import ADJECTIVES, INDEFINITE, SHADES, noun_pieces
from chessgloss.claims.notation import Notation, read_notation
from chessgloss.claims.records import Term
from chessgloss.claims.tokens import Token

#: Unknown adjectives that may stand between a determiner and its noun.
_STRANGERS = 2

#: Nouns that take a piece's name before them and are no piece.
_COMPOUND_WORDS = (
    "chain|chains|structure|center|centre|cover|shield|storm|formation|majority|minority|island"
    "|islands|skeleton|phalanx|mass|roller|wall|side|sides|wing|ending|endings|endgame|endgames"
    "|sacrifice|sacrifices|safety|position|trade|swap|exchange|exchanges|play|activity|move|moves"
    "|advance|break|lever|duo|protection|shelter|grab|hunt|development|lift|maneuver|manoeuvre"
    "|attack"
)
_COMPOUNDS = frozenset(_COMPOUND_WORDS.split("|"))

_OWNERS = frozenset({"king", "queen", "rook", "bishop", "knight", "pawn"})

#: Words that make the square before them a pawn's move: ``the e5 push``.
_PUSHES = frozenset({"push", "advance", "break", "thrust", "pawn-push", "lever", "pawn-break"})


@dataclass(frozen=True, slots=True)
class Element:
    """A token, or several that refer to one thing.

    Parameters
    ----------
    tag
        One letter: ``N`` pieces, ``S`` square, ``M`` move, ``C`` side, ``T`` pronoun; for all
        others that of the token.
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


def chunk(text: str, tokens: Sequence[Token]) -> tuple[Element, ...]:
    """Return the elements of a text in order."""
    elements: list[Element] = []
    taken = 0
    for noun in (index for index in range(len(tokens)) if _names_piece(tokens, index)):
        if noun < taken or _is_compound(tokens, noun):
            continue
        start, stop = _left(tokens, noun, taken), _right(tokens, noun)
        elements += [_plain(tokens, index) for index in range(taken, start)]
        elements.append(_noun_phrase(text, tokens, start, noun, stop))
        taken = stop
    elements += [_plain(tokens, index) for index in range(taken, len(tokens))]
    return tuple(elements)


def _names_piece(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a token names a piece: ``bishop``, or ``bishop's`` before what it does."""
    word = tokens[index].word
    doing = index + 1 < len(tokens) and tokens[index + 1].tag == "a"
    return tokens[index].tag == "P" or (doing and _owner(word) != word)


def _owner(word: str) -> str:
    """Return the piece in ``bishop's``; any other word as it is."""
    owner = word.removesuffix("'s")
    return owner if owner in _OWNERS else word


def _is_compound(tokens: Sequence[Token], noun: int) -> bool:
    """Tell whether a noun only qualifies the next: ``rook pawn``, ``pawn chain``.

    Behind a plural a word that can be a verb is one: ``the rooks attack``.
    """
    after = tokens[noun + 1] if noun + 1 < len(tokens) else None
    if after is None or (tokens[noun].word.endswith("s") and after.tag in "adg"):
        return False
    return after.tag == "P" or after.word in _COMPOUNDS


def _left(tokens: Sequence[Token], noun: int, floor: int) -> int:
    """Return where the phrase of a noun begins."""
    start, strangers, first = noun, 0, noun
    while first > floor:
        token = tokens[first - 1]
        if token.tag in "zC" or token.word in ("this", "that") or _is_number(token):
            first = start = first - 1
            if token.tag == "z":
                break
        elif token.word in ADJECTIVES or token.tag in "SLP":
            if token.tag in "SLM" and first != noun and tokens[first].tag not in "PJ":
                break
            first = start = first - 1
        elif token.tag == "_" and strangers < _STRANGERS:
            strangers, first = strangers + 1, first - 1
        else:
            break
    return start


def _is_number(token: Token) -> bool:
    return token.tag == "9" and token.text.isdigit()


def _right(tokens: Sequence[Token], noun: int) -> int:
    """Return where the phrase of a noun ends (one behind)."""
    tags = "".join(token.tag for token in tokens[noun + 1 : noun + 12])
    here = noun + 1
    steps = len(tags) - len(tags.lstrip("~"))
    steps = steps if tags[steps : steps + 1] == "o" else 0
    if tags[steps : steps + 1] == "o":
        steps += 1
        while tags[steps : steps + 1] and tags[steps] in "zJ_C~Z" and steps < 4:
            steps += 1
    if tags[steps : steps + 1] == "S":
        return here + _squares(tags, steps, tokens[noun].word.endswith("s"))
    if steps and tags[steps : steps + 1] == "L":
        return here + steps + 2
    return here


def _squares(tags: str, steps: int, plural: bool) -> int:
    """Return how many tags a list of squares takes, from its first square on."""
    steps += 1
    while plural and steps < len(tags):
        joint = 0
        while tags[steps + joint : steps + joint + 1] in (",", "&") or (
            joint and tags[steps + joint : steps + joint + 1] == "o"
        ):
            joint += 1
        if not joint or tags[steps + joint : steps + joint + 1] != "S":
            break
        if tags[steps + joint + 1 : steps + joint + 2] == "P":
            break
        steps += joint + 1
    return steps


def _noun_phrase(text: str, tokens: Sequence[Token], start: int, noun: int, stop: int) -> Element:
    inside = tokens[start:stop]
    span = (inside[0].span[0], inside[-1].span[1])
    words = frozenset(token.word for token in tokens[start:noun])
    squares = [chess.parse_square(token.word) for token in inside if token.tag == "S"]
    files = [token.word[0] for token in inside if token.tag == "L"]
    sides = [token.word.startswith("white") for token in inside if token.tag == "C"]
    base = Term(
        "piece",
        text[slice(*span)],
        span,
        side=sides[0] if sides else None,
        pieces=noun_pieces(_owner(tokens[noun].word)),
        file=ord(files[0]) - ord("a") if files and not squares else None,
        shade=_shade(words),
        definite=_is_definite(tokens, start, noun, stop),
    )
    terms = tuple(_at(base, square) for square in squares) or (base,)
    return Element("N", span, base.text.lower(), terms, words | {tokens[noun].word})


def _is_definite(tokens: Sequence[Token], start: int, noun: int, stop: int) -> bool:
    """Tell whether a phrase speaks of pieces that are there.

    ``a knight on f5``, ``pawns on d4 and f4`` and ``knight f5`` need not.
    """
    words = {token.word for token in tokens[start:noun]}
    owned = any(token.tag in "zC9SLM" for token in tokens[start:noun])
    bare = tokens[noun].word.endswith("s") and not owned
    touching = stop > noun + 1 and tokens[noun + 1].tag == "S"
    return not bare and not touching and not words & INDEFINITE


def _at(term: Term, square: chess.Square) -> Term:
    return Term(
        term.role, term.text, term.span, term.side, term.pieces, square, None, None,
        definite=term.definite,
    )  # fmt: skip


def _shade(words: frozenset[str]) -> bool | None:
    for word in words:
        key = word if word in SHADES else word.partition("-")[0]
        if "square" in word and key in SHADES:
            return SHADES[key]
    return None


def _plain(tokens: Sequence[Token], index: int) -> Element:
    """Return a token as an element, with its term if it is a square, a move or a side."""
    token = tokens[index]
    if token.tag == "M":
        return _move(tokens, index, certain=True)
    if token.tag == "S":
        return _square(tokens, index)
    if token.tag == "C":
        side = token.word.startswith("white")
        return Element("C", token.span, token.word, (Term("side", token.text, token.span, side),))
    if token.tag == "T" or (token.tag == "z" and token.word in ("this", "that")):
        return Element("T", token.span, token.word, (Term("this", token.text, token.span),))
    return Element(token.tag, token.span, token.word)


def _square(tokens: Sequence[Token], index: int) -> Element:
    token = tokens[index]
    if _is_push(tokens, index):
        return _move(tokens, index, certain=True)
    if _may_be_push(tokens, index):
        return _move(tokens, index, certain=False)
    term = Term("square", token.text, token.span, square=chess.parse_square(token.word))
    return Element("S", token.span, token.word, (term,))


def _move(tokens: Sequence[Token], index: int, *, certain: bool) -> Element:
    token = tokens[index]
    text = token.word if token.tag == "S" else token.text
    notation = read_notation(text.replace("×", "x").replace(":", "x").replace("–", "-"))
    number = tokens[index - 1].text if index and tokens[index - 1].tag == "#" else ""
    term = Term(
        "move",
        token.text,
        token.span,
        side=False if number.strip() in ("...", "…") else None,
        square=notation.to,
        move=notation,
        definite=certain and not _is_uncertain(number, text, notation),
        numbered=_ply(number),
    )
    return Element("M", token.span, token.word, (term,))


def _is_uncertain(number: str, text: str, notation: Notation) -> bool:
    """Tell whether what looks like a move need not be one here.

    A number without a dot, dots without a number (``an early ...Bg4``), and a long diagonal
    written like a move (``h1-a8``) make it so.
    """
    if number.strip() in ("...", "…") or number.strip().isdigit():
        return True
    if notation.piece is not None or notation.to is None or notation.file is None:
        return False
    start = chess.square(notation.file, notation.rank or 0)
    on_diagonal = bool(chess.BB_DIAG_ATTACKS[start][0] & chess.BB_SQUARES[notation.to])
    return on_diagonal and "-" in text and chess.square_distance(start, notation.to) > 2


def _ply(number: str) -> int | None:
    """Return the ply that a move number names: 0 for ``1.``, 1 for ``1...``."""
    digits = "".join(sign for sign in number if sign.isdigit())
    if not digits or number.strip().isdigit():
        return None
    return 2 * (int(digits) - 1) + (".." in number or "…" in number)


def _is_push(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether the words around a bare square make it a pawn's move."""
    before = tokens[index - 1] if index else None
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if after and (after.word in _PUSHES or after.word.startswith("push")):
        return True
    if before is None:
        return False
    return before.tag in "#M@" or before.word in _PLAYS


def _may_be_push(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a bare square may be a pawn's move: ``with c4``, or first and acting."""
    if index and tokens[index - 1].tag == "w":
        return True
    after = tokens[index + 1].tag if index + 1 < len(tokens) else ""
    first = index == 0 or tokens[index - 1].tag in ".;"
    return first and bool(after) and after in "adxVkgpUbvhW_~^O"


_PLAYS = frozenset(
    {"play", "plays", "played", "playing", "push", "pushes", "pushed", "pushing", "instead of"}
)
