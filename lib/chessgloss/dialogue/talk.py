"""The dialogue itself: a question, the facts it asks for, an answer held against the facts.

Without a language model the answer is the facts in sentences. With one, the model is given
the facts, its draft is read for moves and pieces that have none yet, those are looked up,
and the model answers again with them. What it then says of illegal moves is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from chessgloss.dialogue.mentions import find_mentions
from chessgloss.dialogue.moves import move_grounds
from chessgloss.dialogue.pieces import piece_grounds
from chessgloss.dialogue.records import Ground, Look, Scene
from chessgloss.dialogue.topics import topic_grounds, touches_topic
from chessgloss.positions import MoveInContext

#: Sentences of an answer without a model.
MOST_SENTENCES = 9


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that was asked and its answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Brief:
    """What a language model is given to answer a question.

    Parameters
    ----------
    move
        The move under discussion.
    comment
        The comment that began the dialogue.
    turns
        The questions and answers so far.
    question
        The question.
    grounds
        The facts.
    """

    move: MoveInContext
    comment: str
    turns: tuple[Turn, ...]
    question: str
    grounds: tuple[Ground, ...]


#: Asks a language model; ``None`` if it gave no usable answer.
Writer: TypeAlias = Callable[[Brief], str | None]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer and what stands behind it.

    Parameters
    ----------
    text
        The answer.
    grounds
        The facts it was made from, those looked up for its own words included.
    method
        ``template`` or ``llm``.
    model
        The language model that answered; ``None`` if none did.
    unsupported
        Moves in the answer that are not legal anywhere near.
    """

    text: str
    grounds: tuple[Ground, ...]
    method: str
    model: str | None = None
    unsupported: tuple[str, ...] = ()


def facts_for(question: str, scene: Scene) -> tuple[Ground, ...]:
    """Return fresh facts of board and engine for all that a question speaks of.

    Moves and pieces first, in the order of the text, then its topics (threats, the best
    move, the reply, who stands better); a question that names nothing gets the verdict.
    """
    named = grounds_of(question, scene)
    if named and not touches_topic(question):
        return named
    return _once([*named, *topic_grounds(question, scene)])


def grounds_of(text: str, scene: Scene) -> tuple[Ground, ...]:
    """Return the facts for the moves, pieces and squares that a text speaks of."""
    mentions = find_mentions(text)
    return _once([*move_grounds(mentions, text, scene), *piece_grounds(mentions, scene)])


def template_answer(grounds: Sequence[Ground]) -> str:
    """Return the facts as an answer, each sentence once."""
    sentences = dict.fromkeys(one for ground in grounds for one in ground.sentences)
    return " ".join(list(sentences)[:MOST_SENTENCES])


@dataclass(slots=True)
class Dialogue:
    """A conversation about one move.

    Parameters
    ----------
    move
        The move.
    comment
        The comment that begins it.
    look
        Analyses a position.
    writer
        A language model; ``None`` to answer from the facts alone.
    model
        Name of that model.
    turns
        Questions and answers so far.
    """

    move: MoveInContext
    comment: str
    look: Look
    writer: Writer | None = None
    model: str | None = None
    turns: list[Turn] = field(default_factory=list)
    _scene: Scene = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._scene = Scene(self.move, self.look)

    def ask(self, question: str) -> Reply:
        """Answer a question and remember both.

        Raises
        ------
        ValueError
            If the question is empty.
        """
        if not question.strip():
            raise ValueError("the question is empty")
        grounds = facts_for(question, self._scene)
        reply = self._written(question, grounds) if self.writer else None
        reply = reply or Reply(template_answer(grounds), grounds, "template")
        self.turns.append(Turn(question, reply.text))
        return reply

    def _written(self, question: str, grounds: tuple[Ground, ...]) -> Reply | None:
        draft = self._write(question, grounds)
        if draft is None:
            return None
        fuller = _once([*grounds, *grounds_of(draft, self._scene)])
        text = draft if len(fuller) == len(grounds) else self._write(question, fuller) or draft
        final = _once([*fuller, *grounds_of(text, self._scene)])
        said = {ground.about for ground in grounds_of(text, self._scene)}
        wrong = [one.about for one in final if one.place == "illegal" and one.about in said]
        return Reply(text, final, "llm", self.model, tuple(wrong))

    def _write(self, question: str, grounds: tuple[Ground, ...]) -> str | None:
        assert self.writer is not None
        return self.writer(Brief(self.move, self.comment, tuple(self.turns), question, grounds))


def _once(grounds: Iterable[Ground]) -> tuple[Ground, ...]:
    kept: dict[tuple[str, str], Ground] = {}
    for ground in grounds:
        kept.setdefault((ground.about, ground.place), ground)
    return tuple(kept.values())
