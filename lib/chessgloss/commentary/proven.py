"""Comments in a model's words of which every clause is proven: asked, proven, asked again, cut.

::

    proven = write_proven(briefings["lec3/13"], client)
    proven.comment.text, proven.way, [(each.text, each.proof) for each in proven.clauses]

The program knows what is true of a move (:mod:`chessgloss.commentary.notes`); the model is given
some of it and chooses words (``ccc_notes``). Of what it writes only that is published which is
accounted for (``ccc_proven``): a clause is proven if all that it says stands, in this order, in one
of the notes, or if the claim reader finds all of it true on the board; words beside that must be on
a list of harmless ones. What is not proven is asked for once more, then cut, and where a note's
words went with it the note speaks for itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise
from string import ascii_lowercase
from typing import Final, Literal

import chess

from chessgloss.claims import Checked, verify
from chessgloss.claims.gold import GoldText, read_gold
from chessgloss.claims.lexicon import tokenise
from chessgloss.claims.parser import Element, chunk, sentences
from chessgloss.commentary.briefing import PHRASES, Briefing, Comment
from chessgloss.commentary.choice import in_expert_order
from chessgloss.commentary.notes import Note, choose, notes, write_notes
from chessgloss.commentary.prompts import load_prompt, quoted, visible
from chessgloss.facts import side_name
from chessgloss.facts.board import piece_on, taken_on
from chessgloss.llm.client import Client
from chessgloss.llm.recordings import Answer, Message, Request, Sampling, State
from chessgloss.store import find_project

#: Returns every claim of a text on one move, each with its verdict.
Check = Callable[[str], tuple[Checked, ...]]

#: What bears a clause out: a note, the board, nothing that it would have to be (``idle``: it says
#: nothing of chess), or nothing at all.
Proof = Literal["note", "board", "idle", "none"]

#: Most words of the notes that are given, and most and fewest notes; the most words that the
#: comment may have; longest answer in tokens.
GIVEN_WORDS = 60
MOST_NOTES = 6
LEAST_NOTES = 3
ASKED_WORDS = 45
ANSWER_TOKENS = 110

#: Unproven clauses named when a comment is asked for again.
MOST_UNPROVEN: Final = 5

#: Words of the model's own that a published comment has at least, else it is the notes'.
LEAST_WORDS: Final = 5

#: Comments of the gold set's development half whose claims the model is asked to list, and the
#: longest list.
COMMENTS, LIST_TOKENS = 60, 220


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


@dataclass(frozen=True, slots=True)
class Attempt:
    """A comment as the model wrote it, clause by clause.

    Parameters
    ----------
    text
        The comment; empty if the answer could not be used.
    clauses
        Its clauses.
    state
        ``answered``, or what became of the answer instead.
    """

    text: str
    clauses: tuple[Clause, ...] = ()
    state: str = "answered"

    @property
    def proven(self) -> float:
        """Share of its words that stand in clauses which are borne out."""
        words = sum(each.words for each in self.clauses)
        return sum(each.words for each in self.clauses if each.proof != "none") / max(
            1, words
        )


@dataclass(frozen=True, slots=True)
class Proven:
    """A comment whose every clause is proven, and how it came about.

    Parameters
    ----------
    comment
        What is published; by the method ``notes`` where nothing of the model's is left.
    attempts
        What the model wrote: one comment, or two.
    clauses
        The model's clauses that are published, in their order.
    dropped
        Its clauses that were cut.
    borrowed
        The notes' sentences that stand in for them.
    fallback
        Whether the whole comment is made of notes.
    """

    comment: Comment
    attempts: tuple[Attempt, ...]
    clauses: tuple[Clause, ...] = ()
    dropped: tuple[Clause, ...] = ()
    borrowed: tuple[str, ...] = ()
    fallback: bool = False

    @property
    def way(self) -> str:
        """How the comment came about: ``as written``, ``rewritten``, ``cut`` or ``notes``."""
        if self.fallback:
            return "notes"
        if self.dropped or self.borrowed:
            return "cut"
        return (
            "as written" if self.comment.text == self.attempts[0].text else "rewritten"
        )

    @property
    def model_words(self) -> int:
        """Number of published words that stand in clauses of the model's."""
        return sum(each.words for each in self.clauses)

    @property
    def own_words(self) -> int:
        """Number of published words of the model's that the notes it was given do not have."""
        return sum(
            token not in stems(each.note.sentence if each.note else "")
            for each in self.clauses
            for token in stems(each.text)
        )


# ---------------------------------------------------------------- asked, and asked again


def given_notes(briefing: Briefing) -> list[Note]:
    """Return the notes that a model is given to write: what decides, then as lecturers choose.

    Where fewer than :data:`LEAST_NOTES` speak of different things, others follow that differ at
    least in kind.
    """
    ranked = in_expert_order(notes(briefing), briefing)
    given = choose(ranked, GIVEN_WORDS, MOST_NOTES)
    for note in ranked:
        about = frozenset[str]().union(*(each.about for each in given)) - {"reply"}
        new = (
            not any(note.kind == each.kind for each in given) and not about & note.about
        )
        repeats = "reply" in note.about and any("reply" in each.about for each in given)
        if len(given) < LEAST_NOTES and new and not repeats:
            given.append(note)
    return given


def ask_first(briefing: Briefing, given: Sequence[Note] | None = None) -> Request:
    """Return the question of ``ccc_notes``: notes to be written as one comment."""
    prompt = load_prompt("comment_notes")
    move = briefing.move
    listed = given_notes(briefing) if given is None else given
    lines = "\n".join(f"- {note.sentence}" for note in listed)
    words = {"side": side_name(move.mover), "move": move.numbered_san, "notes": lines}
    words |= {"words": str(ASKED_WORDS), "shown": show_move(briefing)}
    about = {"method": "ccc_notes", "of": briefing.name}
    return prompt.ask(Sampling(0.0, ANSWER_TOKENS, 1), about, **words)


def ask_again(request: Request, answer: Answer, attempt: Attempt) -> Request:
    """Return the question that follows an answer with clauses that are not proven."""
    prompt = load_prompt("comment_notes_again")
    unproven = [each.text for each in attempt.clauses if each.proof == "none"] or [
        "(no comment)"
    ]
    lines = "\n".join(f'- "{text}"' for text in unproven[:MOST_UNPROVEN])
    turns = (Message("assistant", answer.text),) if answer.text.strip() else ()
    messages = (*request.messages, *turns, *prompt.fill(unproven=lines))
    about = {**request.about, "round": 1}
    return replace(request, messages=messages, prompt=prompt.label, about=about)


def read_attempt(answer: Answer, prove: Callable[[str], tuple[Clause, ...]]) -> Attempt:
    """Return the comment of an answer, in one line, with its clauses proven."""
    text = " ".join(visible(answer.text).split()).removeprefix("Comment:").strip('" ')
    if answer.state != State.ANSWERED or not text:
        return Attempt("", state=str(answer.state if text else State.EMPTY))
    return Attempt(text, prove(text))


def write_proven(briefing: Briefing, client: Client) -> Proven:
    """Return a comment on a move in a model's words of which every clause is proven.

    Raises
    ------
    chessgloss.llm.client.AnswerMissing
        In replay, if an answer is not recorded.
    """
    written = _walk(briefing, client.ask)
    assert isinstance(written, Proven)
    return written


def pending(briefing: Briefing, client: Client) -> Request | None:
    """Return the next question of a move that has no recorded answer, ``None`` if all have."""
    left = _walk(briefing, client.recordings.get)
    return left if isinstance(left, Request) else None


def _walk(
    briefing: Briefing, ask: Callable[[Request], Answer | None]
) -> Proven | Request:
    """Go through a conversation to its comment, or to the first question without an answer."""
    given = given_notes(briefing)
    prove = prover(briefing, given)
    request = ask_first(briefing, given)
    if (first := ask(request)) is None:
        return request
    attempts = [read_attempt(first, prove)]
    if attempts[0].proven < 1:
        again = ask_again(request, first, attempts[0])
        if (second := ask(again)) is None:
            return again
        attempts.append(read_attempt(second, prove))
    return settle(attempts, briefing, given, model=first.model)


# ---------------------------------------------------------------- what bears a clause out

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
        part += bool(re.search(r"[:;.]\s", match.string[last : match.start()]))
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
def _set(name: str) -> frozenset[str]:
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
    briefing: Briefing, given: Sequence[Note]
) -> Callable[[str], tuple[Clause, ...]]:
    """Return what cuts a text on a move into clauses and finds what bears each out."""
    board = chess.Board(briefing.move.position.fen)
    piece = chess.piece_name(piece_on(board, briefing.move.move.from_square))
    actor = frozenset(
        _stem(each) for each in (side_name(board.turn), piece, briefing.move.san)
    )
    check = partial(verify, move=briefing.move, verdict=briefing.verdict)
    return partial(
        prove, given=(*given, *move_notes(briefing)), actor=actor, check=check
    )


def prove(
    text: str, given: Sequence[Note], actor: Set[str], check: Check
) -> tuple[Clause, ...]:
    """Return the clauses of a text, each with what bears it out.

    A clause follows from a note if its words, harmless ones left aside, stand in the note in the
    same order, and none of the note's words between them (nor before them in the same part of
    its sentence) turns the meaning: a denial, a condition, a threat. What a clause leans on may
    be a part of the same note. A clause whose subject is the move, or its piece or side, follows
    from any note on what the move does.

    Parameters
    ----------
    text
        The comment.
    given
        The notes.
    actor
        Words that stand for the move: side, piece, move, as :func:`stems` gives them.
    check
        Returns the claims of a text on the move with their verdicts.
    """
    parts = cut(text)
    checked = check(text)
    _, spans = join(parts, frozenset(range(len(parts))))
    clauses = list[Clause]()
    of_move = False
    place: tuple[Note, int] | None = (
        None  # the note that the clause before follows from, and where
    )
    for index, part in enumerate(parts):
        start = text.find(part.text, spans[index][0] - 3)
        start = spans[index][0] if start < 0 else start
        stop = start + len(part.text)
        near = [
            c for c in checked if c.claim.span[0] < stop and start < c.claim.span[1]
        ]
        words = stems(part.text)
        content = [word for word in words if word not in _set("harmless")]
        lead = next(
            (n for n, word in enumerate(content) if word not in actor), len(content)
        )
        pronoun = bool(words) and words[0] in _set("pronouns")
        if not part.leans:
            of_move = lead > 0 or pronoun
        acting = of_move and not (part.relative and _is_later(parts[index - 1], actor))
        found = None
        wrong = tuple(each.claim.text for each in near if each.verdict == "false")
        if content and not wrong:
            if part.leans and place and (end := _follows(content, *place)):
                found = place[0], end
            for note in given if found is None else ():
                acts = bool(note.subject) or note.sentence.startswith(_ACTING)
                head = next(
                    (w for w in stems(note.sentence) if w not in _set("harmless")), None
                )
                whole = not pronoun and content[0] == head
                if (pronoun or part.leans) and not (acting if acts else whole):
                    continue
                end = _follows(
                    content, note, 0, actor if acts and acting else frozenset()
                )
                if not end and acts and 0 < lead < len(content):
                    end = _follows(content[lead:], note, 0, actor)
                if end:
                    found = note, end
                    break
        proof: Proof = "note" if found else "none" if content or wrong else "idle"
        if proof == "none" and not wrong and _all_true(part.text, start, content, near):
            proof = "board"
        unproven = wrong or tuple(content) if proof == "none" else ()
        clauses.append(Clause(part.text, proof, found and found[0], unproven))
        place = found
    return tuple(clauses)


def _follows(
    content: Sequence[str], note: Note, start: int = 0, actor: Set[str] = frozenset()
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
    places = list[int]()
    at = start
    held = [stem for stem, _ in tokens]
    for word in content:
        if word not in held[at:]:
            return None
        places.append(held.index(word, at))
        at = places[-1] + 1
    passed = {held[n] for n in range(places[0], at) if n not in places}
    begin = start or next(
        n for n, (_, part) in enumerate(tokens) if part == tokens[places[0]][1]
    )
    before = {*held[begin : places[0]]} & (_set("turning") if start else {*held})
    turned = before - _set("harmless") - actor or passed & _set("turning")
    named = any(stem in _set("names") or any(map(str.isdigit, stem)) for stem in passed)
    return None if turned or named else at


def _is_later(part: Part, actor: Set[str]) -> bool:
    """Tell whether a part speaks of a move by its notation that is not the one commented on."""
    return any(
        word not in actor
        and (word[0].isupper() or (word[0].islower() and before[:1].isdigit()))
        for before, word in pairwise(["", *stems(part.text)])
        if word.startswith("O-O") or any(map(str.isdigit, word))
    )


def _all_true(
    text: str, start: int, content: Sequence[str], near: Sequence[Checked]
) -> bool:
    """Tell whether the claim reader finds all that a clause says, and finds it true."""
    true = [
        each
        for each in near
        if each.verdict == "true" and not each.claim.stance.supposed
    ]
    sure = [each for each in true if each.anchor in ("after", "none")]
    said = {n - start for each in near for n in range(*each.claim.span)}
    inside = "".join(letter if n in said else " " for n, letter in enumerate(text))
    return 0 < len(near) == len(sure) and set(content) <= {*stems(inside)} - _set(
        "turning"
    )


# ---------------------------------------------------------------- what is published


def settle(
    attempts: Sequence[Attempt],
    briefing: Briefing,
    given: Sequence[Note],
    *,
    model: str = "",
) -> Proven:
    """Return what is published after all attempts.

    Of the attempt that is proven furthest what is not proven is cut, with whatever leans on it.
    A note that a cut clause came nearest to speaks for itself, and so does what decides and is
    not said. Where little of the model's words is left, the comment is the notes'.

    Parameters
    ----------
    attempts
        What the model wrote.
    briefing
        The move and what is known of it.
    given
        The notes that it was given.
    model
        Its name.
    """
    prove_text = prover(briefing, given)
    best = max(attempts, key=lambda each: each.proven)
    parts = cut(best.text)
    text = best.text
    clauses = best.clauses
    kept = frozenset(range(len(parts)))
    unproven: Set[int] = {n for n, each in enumerate(clauses) if each.proof == "none"}
    while unproven and kept:
        kept = without(parts, kept, unproven)
        text, _ = join(parts, kept)
        clauses = prove_text(text) if kept else ()
        again = {each.text.lower() for each in clauses if each.proof == "none"}
        unproven = {n for n in kept if parts[n].text.lower() in again} or (
            kept if again else set()
        )
    dropped = tuple(each for n, each in enumerate(best.clauses) if n not in kept)
    nearest = [note for note in given if _is_nearest(note, dropped, given)]
    mates = {stem for each in clauses for stem in stems(each.text)} & {"checkmat"}
    halved = [
        n for n in given if n in nearest or {"checkmat"} & {*stems(n.sentence)} - mates
    ]
    halved = [note for note in halved if note.decides]
    if (
        halved and kept
    ):  # what decides is said whole: the note's own words take their place
        kept = frozenset(n for n, each in enumerate(clauses) if each.note not in halved)
        text, clauses = _chosen(text, clauses, kept)
    said = [each.note for each in clauses if each.note] if kept else []
    lacking = [n for n in given if n not in said and (n in nearest or n.decides)]
    # what speaks of the move as *this* stands before the model's words
    first = [
        n.sentence
        for n in lacking
        if n.decides or n.sentence.startswith(("This ", "It "))
    ]
    rest = [note.sentence for note in lacking if note.sentence not in first]
    if first and kept:
        kept = _without_the_move(cut(text), clauses)
        text, clauses = _chosen(text, clauses, kept)
    if len(text.split()) * bool(kept) < LEAST_WORDS:
        return Proven(
            write_notes(briefing), tuple(attempts), dropped=dropped, fallback=True
        )
    borrowed = (*first, *rest)
    comment = Comment(
        " ".join([*first, text, *rest]), "ccc_proven", model, borrowed=borrowed
    )
    return Proven(comment, tuple(attempts), clauses, dropped, borrowed)


def _chosen(
    text: str, clauses: Sequence[Clause], kept: Set[int]
) -> tuple[str, tuple[Clause, ...]]:
    """Return the text of some of its clauses, and these."""
    return join(cut(text), kept)[0], tuple(
        each for n, each in enumerate(clauses) if n in kept
    )


def _without_the_move(
    parts: Sequence[Part], clauses: Sequence[Clause]
) -> frozenset[int]:
    """Return the parts but for sentences that only repeat the move, which the notes have said."""
    telling = {
        part.sentence
        for part, each in zip(parts, clauses, strict=True)
        if each.proof != "idle" and not (each.note and each.note.kind == "move")
    }
    return frozenset(n for n, part in enumerate(parts) if part.sentence in telling)


def _is_nearest(note: Note, dropped: Iterable[Clause], given: Sequence[Note]) -> bool:
    """Tell whether one of the clauses has more words of the note than of any other."""

    def shared(clause: Clause, other: Note) -> int:
        return len({*stems(clause.text)} & {*stems(other.sentence)} - _set("harmless"))

    return any(
        shared(each, note) > 0 and note == max(given, key=partial(shared, each))
        for each in dropped
    )


# ---------------------------------------------------------------- clauses

_PATTERNS: Final = {
    name: re.compile(each) for name, each in PHRASES["clause_patterns"].items()
}
#: Tags of the claim reader's words that are verbs (see :mod:`chessgloss.claims.lexicon`).
_VERBS: Final = frozenset("adVxrWcmkieDgpOs^bvh")
_SUBJECT: Final = frozenset("NCTSMzJPL")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a comment.

    Parameters
    ----------
    text
        Its words, without joint and stop.
    joint
        What joins it to the part before, or blanks at the start of a sentence.
    sentence
        Number of its sentence, from 0.
    stop
        The stop of its sentence.
    leans
        It has no subject of its own.
    announces
        It is a head before a colon.
    """

    text: str
    joint: str
    sentence: int
    stop: str
    leans: bool = False
    announces: bool = False

    @property
    def relative(self) -> bool:
        """Whether it follows from what stands right before it: *which*, or a participle."""
        return _is_relative(self.text, self.joint)


def cut(text: str) -> tuple[Part, ...]:
    """Return the clauses of a comment, each of which can be left out, in order.

    A sentence is cut where a coordinate clause, a participle or a relative clause begins. A
    part that has no subject of its own leans on the part before it and goes with it; so does
    a part whose pronoun would lose what it stands for.
    """
    parts = list[Part]()
    for number, span in enumerate(sentence_spans(text)):
        body = text[slice(*span)].strip()
        bare = body.rstrip(".!?…\"' ")
        stop = re.sub(r"[\"' ]", "", body[len(bare) :]) or "."
        begin = 0
        joint = ""
        leans = False
        for match in _cuts(bare):
            colon = match["colon"] is not None
            parts.append(
                Part(bare[begin : match.start()], joint, number, stop, leans, colon)
            )
            begin = match.end()
            joint = match.group()
            after = bare[begin:]  # it leans if it has no subject of its own
            leans = _is_relative(after, joint) or _begins_with_verb(_words(after))
        if bare[begin:].strip():
            parts.append(Part(bare[begin:], joint, number, stop, leans))
    return tuple(parts)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of each sentence; the claim reader decides what a full stop is."""
    starts = [
        sentence.start for sentence in sentences(text, chunk(text, tokenise(text)))
    ] or [0]
    return list(zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True))


def join(
    parts: Sequence[Part], kept: Set[int]
) -> tuple[str, dict[int, tuple[int, int]]]:
    """Return the text of some parts, and where each of them stands in it.

    A sentence whose first part is gone begins with the first that is kept; a joint is the
    kept part's own, but a colon or semicolon between two kept parts stays.
    """
    text = ""
    spans = {}
    last = -1
    for index in sorted(kept):
        part = parts[index]
        words = part.text
        if last >= 0 and parts[last].sentence == part.sentence:
            joints = [each.joint for each in parts[last + 1 : index + 1]]
            text += next(
                (joint for joint in joints if joint.startswith((":", ";"))), joints[-1]
            )
        else:
            text += f"{parts[last].stop} " if last >= 0 else ""
            if not re.match(
                r"[a-h](?:[1-8x]|-)", words
            ):  # a square or a move stays small
                words = words[:1].upper() + words[1:]
        spans[index] = (len(text), len(text) + len(words))
        text += words
        last = index
    return (text + parts[last].stop if kept else ""), spans


def without(parts: Sequence[Part], kept: Set[int], gone: Set[int]) -> frozenset[int]:
    """Return what is kept once some parts are gone, and what cannot stand without them."""
    left = set(kept) - set(gone)
    for index in sorted(left):
        if _falls(parts, left, index):
            left.discard(index)
    return frozenset(index for index in left if not _is_idle(parts, left, index))


def _falls(parts: Sequence[Part], left: Set[int], index: int) -> bool:
    """Tell whether a part has lost its subject, or what its pronoun stands for."""
    part = parts[index]
    head = index
    while head > 0 and parts[head].leans and parts[head - 1].sentence == part.sentence:
        head -= 1
    if part.leans and head != index and (head not in left or parts[head].leans):
        return True
    if _PATTERNS["pair"].search(part.text) and not part.announces:
        return any(
            k not in left
            for k in range(index)
            if parts[k].sentence >= part.sentence - 1
        )
    return (
        index > 0
        and index - 1 not in left
        and bool(_PATTERNS["leaning"].search(part.text))
    )


def _is_idle(parts: Sequence[Part], left: Set[int], index: int) -> bool:
    """Tell whether a head announces what is gone, or two things of which one is gone."""
    part = parts[index]
    announced = [
        k for k in range(index + 1, len(parts)) if parts[k].sentence == part.sentence
    ]
    there = sum(k in left for k in announced)
    pair = _PATTERNS["pair"].search(part.text) is not None
    idle = there == 0 or (pair and there < min(2, len(announced)))
    return part.announces and idle and not _PATTERNS["judgement"].search(part.text)


def _cuts(sentence: str) -> Iterator[re.Match[str]]:
    """Yield the places where a sentence may be cut cleanly."""
    begin = 0
    for match in _PATTERNS["joint"].finditer(sentence):
        before = sentence[begin : match.start()]
        after = sentence[match.end() :]
        joint = match[0]
        whole = _PATTERNS["paired"].search(before) and joint[0] not in ";:"
        sharp = re.match(r"[:;]|\s[-–—]", joint)
        if not whole and (sharp or (_says(before) and _begins_clause(after, joint))):
            yield match
            begin = match.end()


def _words(text: str) -> list[Element]:
    return [element for element in chunk(text, tokenise(text)) if element.tag != "~"]


def _is_finite(element: Element) -> bool:
    word = element.word.split()[0]
    pattern = _PATTERNS["denial" if element.tag == "n" else "finite"]
    verb = element.tag in _VERBS or pattern.fullmatch(word) is not None
    return verb and not word.endswith("ing")


def _says(text: str) -> bool:
    """Tell whether a text has a finite verb, or is a participle with what belongs to it."""
    return bool(re.match(r"\w+ing\b", text)) or any(map(_is_finite, _words(text)))


def _begins_with_verb(words: Sequence[Element]) -> bool:
    return bool(words) and _is_finite(words[0]) and words[0].tag not in _SUBJECT


def _is_relative(text: str, joint: str) -> bool:
    return bool(re.search(r"\b(?:which|who)\b", joint) or re.match(r"\w+ing\b", text))


def _begins_clause(after: str, joint: str) -> bool:
    """Tell whether a clause begins here: with a verb, or with a subject and its verb."""
    if re.match(r",\s+$", joint):
        return True
    if re.match(r"(?i)(?:then\s+)?(?:after|if)\s+(?:\d|white|black)", after):
        return True
    words = _words(re.split(r"[;:]", after)[0])[:7]
    if not words or _begins_with_verb(words):
        return bool(words)
    # does a verb come before a stop or another joint?
    verbs = (
        word.tag not in ".,;&"
        for word in words[1:]
        if word.tag in ".,;&" or _is_finite(word)
    )
    return next(verbs, False) and words[0].tag in _SUBJECT


# ---------------------------------------------------------------- under a grammar

Form = Literal["ccc_grammar", "ccc_closed"]

#: Words that name a piece or a side, in lower case.
NAMES: Final = frozenset(
    word for word in PHRASES["proof"]["names"].split() if word.islower()
)

#: What may stand between two notes within a sentence.
JOINTS: Final = (", and ", "; ", ", while ", ", but ")


def request_constrained(briefing: Briefing, form: Form) -> Request:
    """Return the question of ``ccc_notes`` with a grammar that its answer must follow.

    Under ``ccc_grammar`` words are free, but pieces, sides, squares and moves may only be those
    of the notes; under ``ccc_closed`` the notes' own clauses may be left out and put in any
    order, each once, with :data:`JOINTS` between them. The grammar is GBNF, llama.cpp's.
    """
    given = given_notes(briefing)
    request = ask_first(briefing, given)
    words = [*(note.sentence for note in given), show_move(briefing)]
    grammar = words_grammar(words) if form == "ccc_grammar" else order_grammar(given)
    sampling = replace(request.sampling, grammar=grammar)
    return replace(request, sampling=sampling, about={**request.about, "method": form})


def words_grammar(sentences: Sequence[str]) -> str:
    """Return a grammar of texts in which pieces, sides, squares and moves are those of sentences.

    Other words are any letters, but for the :data:`NAMES` that no sentence has.
    """
    words = {word.strip(".,:;") for sentence in sentences for word in sentence.split()}
    exact = {word for word in words if re.search(r"[\d-]|^[KQRBN]x", word)}
    exact |= {f"{word}." for word in exact if word.isdigit()}
    spoken = {re.sub(r"'s$", "", word.lower()) for word in words}
    spoken |= {f"{word}s" for word in spoken} | {
        word.removesuffix("s") for word in spoken
    }
    banned = NAMES - spoken
    return "\n".join(
        [
            'root ::= sentence (" " sentence)? (" " sentence)?',
            'sentence ::= word ([,;:]? " " word)* "."',
            "word ::= exact | w-",
            f"exact ::= {_either(sorted(exact) or ['it'])}",
            "rest ::= [a-z']*",
            *_other_words(banned),
        ]
    )


def _other_words(banned: Iterable[str]) -> Iterator[str]:
    """Yield rules for all words of letters but some: a rule for each of their beginnings."""
    words = {*banned}
    starts = sorted(
        {word[:end] for word in words for end in range(len(word) + 1)} | {""}
    )
    for start in starts:
        after = {
            word.removeprefix(start)[:1] for word in words if word.startswith(start)
        }
        nexts = sorted(after - {""})
        others = "".join(sorted(set(ascii_lowercase) - after))
        letters = [
            f'"{each}"' if start else f"[{each}{each.upper()}]" for each in nexts
        ]
        ways = [
            f"{way} w-{start}{each}" for way, each in zip(letters, nexts, strict=True)
        ]
        ways.append(f"[{others}{'' if start else others.upper()}] rest")
        if start and start not in words:
            ways.append('""')
        yield f"w-{start} ::= {' | '.join(ways)}"


def order_grammar(given: Sequence[Note]) -> str:
    """Return a grammar of texts made of the clauses of notes: any of them, each once.

    Clauses of one note are one choice: the whole sentence, or its first clause.
    """
    rules = list[str]()
    for number, note in enumerate(given):
        whole = note.sentence.rstrip(".")
        said = dict.fromkeys([whole, *(part.text for part in cut(note.sentence)[:1])])
        rules.append(f"n{number} ::= {_either(list(said))}")
        rules.append(f"m{number} ::= {_either([_inside(text) for text in said])}")
    for left in range(1, 2 ** len(given)):
        there = [number for number in range(len(given)) if left >> number & 1]
        for first in ("n", "m"):
            ways = (f"{first}{number} t{left ^ 1 << number}" for number in there)
            rules.append(f"{first}of{left} ::= {' | '.join(ways)}")
        rules.append(f't{left} ::= "." | ". " nof{left} | joint mof{left}')
    root = f"root ::= nof{2 ** len(given) - 1}"
    return "\n".join([root, f"joint ::= {_either(JOINTS)}", 't0 ::= "."', *rules])


def _inside(text: str) -> str:
    """Return a clause as it stands within a sentence: names and moves keep their capital."""
    first = text.split()[0]
    plain = first.isalpha() and first.lower() not in NAMES and first[1:].islower()
    return text[0].lower() + text[1:] if plain else text


def _either(texts: Iterable[str]) -> str:
    return " | ".join(json.dumps(text) for text in texts)


# ---------------------------------------------------------------- claims listed by a model


def asked_texts(count: int = COMMENTS) -> list[GoldText]:
    """Return the labelled comments whose claims a model lists, spread over the half to build on."""
    texts = list(read_gold(find_project() / "data" / "claims" / "dev.jsonl"))
    return texts[:: max(1, len(texts) // count)][:count]


def extraction_requests(texts: Iterable[GoldText] | None = None) -> list[Request]:
    """Return the questions for the claims of labelled comments, by default :func:`asked_texts`."""
    prompt = load_prompt("extract_claims")
    sampling = Sampling(0.0, LIST_TOKENS, 1)
    chosen = asked_texts() if texts is None else texts
    return [
        prompt.ask(sampling, {"of": each.key}, comment=quoted(each.text))
        for each in chosen
    ]
