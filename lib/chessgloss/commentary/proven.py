"""Comments in a model's words of which every clause is proven: asked, proven, asked again, cut.

::

    proven = write_proven(briefings["lec3/13"], client)
    proven.comment.text, proven.way, [(each.text, each.proof) for each in proven.clauses]

The program knows what is true of a move (:mod:`chessgloss.notes`); the model is given some of it
and chooses words (``ccc_notes``). Of what it writes only that is published which is accounted for
(``ccc_proven``) by a note or by the board (:mod:`~chessgloss.commentary.evidence`). What is not
proven is asked for once more, then cut, and where a note's words went with it the note speaks for
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

from chessgloss.commentary.briefing import Briefing, Comment
from chessgloss.commentary.clauses import Part, cut, join, without
from chessgloss.commentary.evidence import (
    Clause,
    prover,
    show_move,
    stem_set,
    stems,
)
from chessgloss.commentary.notes import given_notes, write_notes
from chessgloss.commentary.prompts import load_prompt
from chessgloss.facts import side_name
from chessgloss.llm.client import Client
from chessgloss.llm.recordings import Answer, Message, Request, Sampling, State
from chessgloss.llm.text import visible
from chessgloss.notes import Note

#: The most words that the comment may have; longest answer in tokens.
ASKED_WORDS = 45
ANSWER_TOKENS = 110

#: Unproven clauses named when a comment is asked for again.
MOST_UNPROVEN: Final = 5

#: Words of the model's own that a published comment has at least, else it is the notes'.
LEAST_WORDS: Final = 5


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
    written = _converse(briefing, client.ask)
    assert isinstance(written, Proven)
    return written


def pending(briefing: Briefing, client: Client) -> Request | None:
    """Return the next question of a move that has no recorded answer, ``None`` if all have."""
    left = _converse(briefing, client.recordings.get)
    return left if isinstance(left, Request) else None


def _converse(
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
    return publish(attempts, briefing, given, model=first.model)


# ---------------------------------------------------------------- what is published

#: The stem of *checkmate* and *mates*.
_MATE: Final = "checkmat"


class Draft(NamedTuple):
    """A text on its way to be published, with its clauses."""

    text: str
    clauses: tuple[Clause, ...]

    def only(self, kept: Set[int]) -> Draft:
        """Return the text of some of its clauses, and these."""
        text, _ = join(cut(self.text), kept)
        clauses = (each for n, each in enumerate(self.clauses) if n in kept)
        return Draft(text, tuple(clauses))


def publish(
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
    best = max(attempts, key=lambda each: each.proven)
    draft, dropped = cut_unproven(best, prover(briefing, given))
    nearest = [note for note in given if _is_nearest(note, dropped, given)]
    draft = say_whole_what_decides(draft, given, nearest)
    first, rest = borrow(draft, given, nearest)
    if first:
        draft = draft.only(_without_the_move(draft))
    tried = tuple(attempts)
    if len(draft.text.split()) < LEAST_WORDS:
        return Proven(write_notes(briefing), tried, dropped=dropped, fallback=True)
    borrowed = (*first, *rest)
    text = " ".join([*first, draft.text, *rest])
    comment = Comment(text, "ccc_proven", model, borrowed=borrowed)
    return Proven(comment, tried, draft.clauses, dropped, borrowed)


def cut_unproven(
    attempt: Attempt, prove: Callable[[str], tuple[Clause, ...]]
) -> tuple[Draft, tuple[Clause, ...]]:
    """Cut what is not proven with whatever leans on it; return the rest, and what was cut.

    What is left is proven anew: a clause may have rested on one that is gone.
    """
    parts = cut(attempt.text)
    kept = frozenset(range(len(parts)))
    draft = Draft(attempt.text, attempt.clauses)
    # by place: what is said twice may be proven in one of them
    unproven: Set[int] = {
        n for n, each in enumerate(attempt.clauses) if each.proof == "none"
    }
    while unproven and kept:
        kept = without(parts, kept, unproven)
        text, _ = join(parts, kept)
        draft = Draft(text, prove(text) if kept else ())
        unproven = _unproven_parts(draft, parts, kept)
    dropped = (each for n, each in enumerate(attempt.clauses) if n not in kept)
    return draft if kept else Draft("", ()), tuple(dropped)


def _unproven_parts(draft: Draft, parts: Sequence[Part], kept: Set[int]) -> Set[int]:
    """Return the kept parts of an attempt that nothing bears out; all, if they cannot be told."""
    unproven = {each.text.lower() for each in draft.clauses if each.proof == "none"}
    found = {n for n in kept if parts[n].text.lower() in unproven}
    return found or (kept if unproven else found)


def say_whole_what_decides(
    draft: Draft, given: Sequence[Note], nearest: Sequence[Note]
) -> Draft:
    """Take out what is left of notes that decide and were cut in part: they are borrowed whole.

    So is a mate that is not called one.
    """
    says_mate = any(_MATE in stems(each.text) for each in draft.clauses)
    halved = [
        note
        for note in given
        if note.decides
        and (note in nearest or (_MATE in stems(note.sentence) and not says_mate))
    ]
    if not halved:
        return draft
    left = {n for n, each in enumerate(draft.clauses) if each.note not in halved}
    return draft.only(left)


def borrow(
    draft: Draft, given: Sequence[Note], nearest: Sequence[Note]
) -> tuple[list[str], list[str]]:
    """Return sentences of notes that stand in for what was cut, before and behind the draft.

    What decides stands before it, and what speaks of the move as *this*.
    """
    said = [each.note for each in draft.clauses]
    first = list[str]()
    rest = list[str]()
    for note in given:
        if note in said or not (note in nearest or note.decides):
            continue
        leads = note.decides or note.sentence.startswith(("This ", "It "))
        (first if leads else rest).append(note.sentence)
    return first, rest


def _without_the_move(draft: Draft) -> frozenset[int]:
    """Return the clauses but for sentences that only repeat the move, which the notes have said."""
    parts = cut(draft.text)
    telling = {
        part.sentence
        for part, each in zip(parts, draft.clauses, strict=True)
        if each.proof != "idle" and not (each.note and each.note.kind == "move")
    }
    return frozenset(n for n, part in enumerate(parts) if part.sentence in telling)


def _is_nearest(note: Note, dropped: Iterable[Clause], given: Sequence[Note]) -> bool:
    """Tell whether one of the clauses has more words of the note than of any other."""

    def shared(clause: Clause, other: Note) -> int:
        return len(
            {*stems(clause.text)} & {*stems(other.sentence)} - stem_set("harmless")
        )

    return any(
        shared(each, note) > 0 and note == max(given, key=partial(shared, each))
        for each in dropped
    )
