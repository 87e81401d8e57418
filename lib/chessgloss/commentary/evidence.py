"""What bears a clause out: one of the notes on the move, or the board.

A clause is proven if all that it says stands, in this order, in one of the notes, or if the claim
reader finds all of it true on the board; words beside that must be on a list of harmless ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from typing import Final, Literal, NamedTuple

import chess

from chessgloss.claims import Checked, verify
from chessgloss.commentary.briefing import PHRASES, Briefing
from chessgloss.commentary.clauses import Part, cut, join
from chessgloss.facts import side_name
from chessgloss.notes import Note
from chessgloss.predicates.board import piece_on, taken_on

#: Returns every claim of a text on one move, each with its verdict.
Check = Callable[[str], tuple[Checked, ...]]

#: What bears a clause out: a note, the board, nothing that it would have to be (``idle``: it says
#: nothing of chess), or nothing at all.
Proof = Literal["note", "board", "idle", "none"]


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a comment and what bears it out.

    Parameters
    ----------
    text
        Its words.
    proof
        ``note``: all that it says stands in one note; ``board``: the claim reader finds all of
        it true; ``idle``: it says nothing; ``none``: it is not proven.
    note
        The note, where one bears it out.
    unproven
        The words that nothing bears out.
    """

    text: str
    proof: Proof
    note: Note | None = None
    unproven: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        """Number of words, split at white space."""
        return len(self.text.split())


_WORDS: Final[dict[str, str]] = PHRASES["proof"]
#: How notes begin that speak of what the move does.
_ACTING: Final = ("This ", "It ", "The threat ")
_TOKEN: Final = re.compile(
    r"\d+\.(?:\.\.)?|O-O(?:-O)?[+#]?|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=[QRBN])?[+#]?|[A-Za-z']+|\d+"
)
#: Words of moving before a square: they say where a piece arrives, and are harmless elsewhere.
_ARRIVES: Final = re.compile(
    r"\b(?:goes|go|going|moves?|moving|comes?|coming) (?:on)?to (?=[a-h][1-8]\b)"
)


def stems(text: str) -> list[str]:
    """Return the words of a text as they are compared; moves and squares as they stand."""
    return [stem for stem, _ in _tokens(text)]


def _tokens(text: str) -> list[tuple[str, int]]:
    """Return words as they are compared, with the part of the text each stands in.

    A colon, semicolon or full stop begins another part.
    """
    tokens = []
    part = 0
    last = 0
    closed = re.sub(r"(?<=\d)(\.\.\.)\s+|(?<=\d)(\.)\s+(?=[KQRBNO a-h])", r"\1\2", text)
    for match in _TOKEN.finditer(_ARRIVES.sub("arrives ", closed)):
        if re.search(r"[:;.]\s", match.string[last : match.start()]):
            part += 1
        last = match.end()
        tokens.append((_stem(match.group()), part))
    return tokens


@cache
def _stem(word: str) -> str:
    """Return a word without its ending; words of one meaning are the same word."""
    if any(character.isdigit() for character in word) or word.startswith("O-O"):
        return word.rstrip("+#!?")
    plain = word.lower().removesuffix("'s").strip("'")
    for ending in ("ing", "es", "s", "e"):
        if plain.endswith(ending) and len(plain) - len(ending) >= 3:
            plain = plain.removesuffix(ending)
            break
    if len(plain) > 3 and plain[-1] == plain[-2] and plain[-1] not in "ls":
        plain = plain[:-1]
    return next(
        (same.split()[0] for same in _WORDS["same"] if plain in same.split()), plain
    )


@cache
def stem_set(name: str) -> frozenset[str]:
    """Return a list of words of ``phrases.toml`` by their stems."""
    return frozenset(_stem(word) for word in _WORDS[name].split())


def show_move(briefing: Briefing) -> str:
    """Return what a move does as its notation shows it: ``the queen on d1 goes to d5``."""
    board = chess.Board(briefing.move.position.fen)
    move = briefing.move.move
    start, end = (
        chess.square_name(each) for each in (move.from_square, move.to_square)
    )
    piece = f"the {chess.piece_name(piece_on(board, move.from_square))} on {start}"
    taken = taken_on(board, move)
    if board.is_castling(move):
        return f"{piece} castles and goes to {end}"
    promoted = (
        f" and becomes a {chess.piece_name(move.promotion)}" if move.promotion else ""
    )
    if taken is None:
        return f"{piece} goes to {end}{promoted}"
    return f"{piece} takes the {chess.piece_name(piece_on(board, taken))} on {end}{promoted}"


def move_notes(briefing: Briefing) -> Iterator[Note]:
    """Yield what the move itself shows as notes, in the ways in which it can be said."""
    side = side_name(briefing.move.mover)
    shown = show_move(briefing)
    short = re.sub(r"^(the \w+) on \w\d", r"\1", shown)
    owned = short.replace("the ", f"{side}'s ", 1)
    for sentence in (f"{side} plays {briefing.move.san}", shown, short, owned):
        yield Note("move", briefing.move.mover, f"{sentence}.", 0, subject="This")


def prover(
    briefing: Briefing,
    given: Sequence[Note],
) -> Callable[[str], tuple[Clause, ...]]:
    """Return what cuts a text on a move into clauses and finds what bears each out."""
    board = chess.Board(briefing.move.position.fen)
    piece = chess.piece_name(piece_on(board, briefing.move.move.from_square))
    names = (side_name(board.turn), piece, briefing.move.san)
    check = partial(verify, move=briefing.move, verdict=briefing.verdict)
    notes = (*given, *move_notes(briefing))
    return Evidence(notes, frozenset(map(_stem, names)), check).prove


class Place(NamedTuple):
    """A note that a clause follows from, and after which of its words the clause ends."""

    note: Note
    end: int


class Statement(NamedTuple):
    """A clause as it is held against the evidence.

    Parameters
    ----------
    part
        The clause.
    start
        Where it begins in the comment.
    claims
        The claims that the reader finds in it or across it.
    content
        Its words but for the harmless ones, as :func:`stems` gives them.
    pronoun
        Whether it begins with a word that stands for the move.
    """

    part: Part
    start: int
    claims: tuple[Checked, ...]
    content: tuple[str, ...]
    pronoun: bool

    @classmethod
    def read(
        cls,
        part: Part,
        start: int,
        checked: Sequence[Checked],
    ) -> Statement:
        """Return a clause with those of a comment's claims that touch it."""
        stop = start + len(part.text)
        claims = []
        for each in checked:
            begin, end = each.claim.span
            if begin < stop and start < end:
                claims.append(each)
        words = stems(part.text)
        pronoun = bool(words) and words[0] in stem_set("pronouns")
        return cls(part, start, tuple(claims), tuple(_content(words)), pronoun)

    @property
    def wrong(self) -> tuple[str, ...]:
        """Words of the claims that are false."""
        return tuple(each.claim.text for each in self.claims if each.verdict == "false")


class Evidence:
    """What is known of a move, against which the clauses of comments are held.

    A clause follows from a note if its words, harmless ones left aside, stand in the note in the
    same order, and none of the note's words between them (nor before them in the same part of
    its sentence) turns the meaning: a denial, a condition, a threat. What a clause leans on may
    be a part of the same note. A clause whose subject is the move, or its piece or side, follows
    from any note on what the move does.

    Parameters
    ----------
    given
        The notes.
    actor
        Words that stand for the move: side, piece, move, as :func:`stems` gives them.
    check
        Returns the claims of a text on the move with their verdicts.
    """

    def __init__(
        self,
        given: Sequence[Note],
        actor: Set[str],
        check: Check,
    ) -> None:
        self.given = given
        self.actor = actor
        self.check = check

    def prove(self, text: str) -> tuple[Clause, ...]:
        """Return the clauses of a comment, each with what bears it out."""
        parts = cut(text)
        checked = self.check(text)
        _, spans = join(parts, frozenset(range(len(parts))))
        clauses = list[Clause]()
        of_move = False  # is the subject of the clause the move?
        place: Place | None = None  # what the clause before follows from
        for index, part in enumerate(parts):
            begin, _ = spans[index]
            found = text.find(part.text, begin - 3)
            statement = Statement.read(part, begin if found < 0 else found, checked)
            if not part.leans:
                of_move = statement.pronoun or self.lead(statement) > 0
            later = part.relative and _is_later(parts[index - 1], self.actor)
            place = self.by_note(statement, of_move and not later, place)
            clauses.append(self._clause(statement, place))
        return tuple(clauses)

    def _clause(
        self,
        statement: Statement,
        place: Place | None,
    ) -> Clause:
        text = statement.part.text
        if place:
            return Clause(text, "note", place.note)
        if statement.wrong:
            return Clause(text, "none", unproven=statement.wrong)
        if not statement.content:
            return Clause(text, "idle")
        if self.by_board(statement):
            return Clause(text, "board")
        return Clause(text, "none", unproven=statement.content)

    def lead(self, statement: Statement) -> int:
        """Return with how many words for the move a clause begins."""
        content = statement.content
        others = (n for n, word in enumerate(content) if word not in self.actor)
        return next(others, len(content))

    def by_note(
        self,
        statement: Statement,
        acting: bool,
        before: Place | None,
    ) -> Place | None:
        """Return the note that a clause follows from, ``None`` if it follows from none.

        Parameters
        ----------
        statement
            The clause.
        acting
            Whether its subject is the move.
        before
            What the clause before follows from: what leans on that may go on in the same note.
        """
        if not statement.content or statement.wrong:
            return None
        leans = statement.part.leans
        if leans and before and (end := _follows(statement.content, *before)):
            return Place(before.note, end)
        for note in self.given:
            if not self.fits_subject(statement, note, acting):
                continue
            if end := self._end_in(statement, note, acting):
                return Place(note, end)
        return None

    def fits_subject(
        self,
        statement: Statement,
        note: Note,
        acting: bool,
    ) -> bool:
        """Tell whether a note can have the subject of a clause.

        A clause that names none needs a note on what the move does, if it speaks of the move;
        else one that begins with its own first word.
        """
        if not (statement.pronoun or statement.part.leans):
            return True
        if _is_on_move(note):
            return acting
        head = _content(stems(note.sentence))[:1]
        return not statement.pronoun and [*statement.content[:1]] == head

    def _end_in(
        self,
        statement: Statement,
        note: Note,
        acting: bool,
    ) -> int | None:
        """Return where a clause ends in a note that holds it, with or without its subject."""
        content = statement.content
        on_move = _is_on_move(note)
        skipped = self.actor if on_move and acting else frozenset[str]()
        end = _follows(content, note, 0, skipped)
        lead = self.lead(statement)
        if not end and on_move and 0 < lead < len(content):
            end = _follows(content[lead:], note, 0, self.actor)
        return end

    def by_board(self, statement: Statement) -> bool:
        """Tell whether the claim reader finds all that a clause says, and finds it true."""
        said = set[int]()
        for each in statement.claims:
            sure = each.holds and not each.claim.stance.supposed
            if not sure or each.anchor not in ("after", "none"):
                return False
            said.update(range(*each.claim.span))
        places = enumerate(statement.part.text, start=statement.start)
        inside = "".join(letter if n in said else " " for n, letter in places)
        proven = {*stems(inside)} - stem_set("turning")
        return bool(said) and proven.issuperset(statement.content)


def _content(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in stem_set("harmless")]


def _is_on_move(note: Note) -> bool:
    """Tell whether a note speaks of what the move does."""
    return bool(note.subject) or note.sentence.startswith(_ACTING)


def _follows(
    content: Sequence[str],
    note: Note,
    start: int = 0,
    actor: Set[str] = frozenset(),
) -> int | None:
    """Return where the words end in a note that holds them in their order; ``None`` if it does not.

    Of the note's words between them none may name a piece, square, move or side, and none may
    turn the meaning, nor may one before them in the same part of its sentence: there only words
    for the move itself may be passed over.

    Parameters
    ----------
    content
        The words, at least one.
    note
        The note.
    start
        From which of its words on; what stands before has been said.
    actor
        The words for the move, where the words speak of it.
    """
    tokens = _tokens(note.sentence)
    held = [stem for stem, _ in tokens]
    places = list[int]()
    at = start
    for word in content:
        if word not in held[at:]:
            return None
        places.append(held.index(word, at))
        at = places[-1] + 1
    first = places[0]
    passed = {held[n] for n in range(first, at) if n not in places}
    if passed & stem_set("turning") or any(map(_is_name, passed)):
        return None
    begin = start or _begin_of_part(tokens, first)
    before = set(held[begin:first])
    if start:  # what stands before has been said: it may only not turn the meaning
        before &= stem_set("turning")
    return None if before - stem_set("harmless") - actor else at


def _is_name(stem: str) -> bool:
    """Tell whether a word names a piece, square, move or side."""
    return stem in stem_set("names") or any(map(str.isdigit, stem))


def _begin_of_part(
    tokens: Sequence[tuple[str, int]],
    place: int,
) -> int:
    """Return the first word of the part of its sentence that a word stands in."""
    _, wanted = tokens[place]
    return next(n for n, (_, part) in enumerate(tokens) if part == wanted)


def _is_later(
    part: Part,
    actor: Set[str],
) -> bool:
    """Tell whether a part speaks of a move by its notation that is not the one commented on."""
    return any(
        word not in actor
        and (word[0].isupper() or (word[0].islower() and before[:1].isdigit()))
        for before, word in pairwise(["", *stems(part.text)])
        if word.startswith("O-O") or any(map(str.isdigit, word))
    )
