"""Claims of texts as a language model reads them: asked in blocks, recorded, replayed.

::

    read = read_texts(gold_sets()["last"], replay("readings", "claude"))
    read["v-001"].claims, read["v-001"].problem

A block holds whole texts, some fifteen sentences, so that a question costs little more than its
words. What a model is told is in :mod:`chessgloss.claims.read_model`: it sees the words, the side
and the move, and never the board. A line that breaks the language is asked once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from chessgloss import assets
from chessgloss.claims import read_model, read_rules
from chessgloss.claims.gold import (
    GoldText,
    Matching,
    read_comments,
    read_gold,
    read_matching,
)
from chessgloss.claims.language import Read, Reading
from chessgloss.claims.read_model import Sentence, joined, sentence_spans
from chessgloss.corpora.lectures import Lecture, evaluated_lectures, read_lectures
from chessgloss.llm.client import Client, replay
from chessgloss.llm.recordings import Answer, Message, Recordings, Request, Sampling
from chessgloss.positions import text_digest
from chessgloss.store import data_file

PURPOSE: Final = "readings"
PROMPT: Final = "read_claims@1"

#: Comments of which a reader is asked on which of four moves they are.
MATCHED: Final = 60

#: The likeliest answer; fifteen sentences take some 600 tokens in the short form.
SAMPLING: Final = Sampling(temperature=0.0, max_tokens=2_000)


@dataclass(frozen=True, slots=True)
class Block:
    """Texts that one question asks about.

    Parameters
    ----------
    of
        The set that they are of.
    number
        Which block of the set, from 1.
    texts
        The texts, whole.
    """

    of: str
    number: int
    texts: tuple[GoldText, ...]

    def sentences(self) -> list[Sentence]:
        """Return the sentences of all texts in their order."""
        return [each for text in self.texts for each in sentences_of(text)]


def sentences_of(text: GoldText) -> list[Sentence]:
    """Return the sentences of a text as a reader sees them."""
    move = text.move
    parts = [text.text[slice(*span)] for span in sentence_spans(text.text)]
    return [
        Sentence(move.mover, move.san, part, follows=bool(place))
        for place, part in enumerate(parts)
    ]


def reader(ask: Callable[[Request], Answer]) -> Read:
    """Return a reader of texts that asks a model, as :meth:`Client.ask` does."""

    def asked(messages: Sequence[read_model.Message]) -> str:
        return ask(Request(_turns(messages), SAMPLING, prompt=PROMPT)).text

    return read_model.reader(asked)


def _turns(messages: Iterable[read_model.Message]) -> tuple[Message, ...]:
    return tuple(Message(each["role"], each["content"]) for each in messages)


# ---------------------------------------------------------------- what is read


def gold_sets() -> dict[str, list[GoldText]]:
    """Return the texts that readers are measured on, by the name of their set.

    ``test`` of the gold set, ``last`` and ``new`` of the sentences of other writers, every comment
    of the ``lectures`` that are evaluated, and ``matching_1`` to ``matching_4``: the comments of
    :func:`matched`, each as if it were on the first of four moves, on the second, and so on.
    """
    lectures = read_lectures(assets.locate("lectures"))
    held_out = evaluated_lectures(lectures)
    written = data_file("claims/written.jsonl")
    kept = (each for each in lectures if each.name in held_out)
    tasks = matched(lectures)
    return {
        "test": [*read_gold(data_file("claims/test.jsonl"))],
        "last": [*read_gold(written, "last")],
        "new": [*read_gold(written, "new")],
        "lectures": [*read_comments(kept)],
        **{
            f"matching_{place + 1}": [each.texts[place] for each in tasks]
            for place in range(4)
        },
    }


def matched(lectures: Sequence[Lecture]) -> list[Matching]:
    """Return the comments, drawn by a hash, whose moves a language model is to tell.

    It is shown one move at a time, so that what it says cannot give the right one away.
    """
    tasks = read_matching(data_file("claims/matching.tsv"), lectures, "test")
    return sorted(tasks, key=lambda each: text_digest(f"matching {each.key}"))[:MATCHED]


def blocks(name: str, texts: Iterable[GoldText]) -> Iterator[Block]:
    """Yield the texts of a set in blocks of at most :data:`read_model.SENTENCES` sentences.

    No text is cut: one that is longer is a block by itself.
    """
    number = 1
    held: list[GoldText] = []
    room = read_model.SENTENCES
    for text in texts:
        length = len(sentence_spans(text.text))
        if held and length > room:
            yield Block(name, number, tuple(held))
            number += 1
            held = []
            room = read_model.SENTENCES
        held.append(text)
        room -= length
    if held:
        yield Block(name, number, tuple(held))


# ---------------------------------------------------------------- asked, and asked again


def ask_block(
    block: Block, messages: Sequence[read_model.Message], repeat: int = 0
) -> Request:
    """Return a question about a block: what is asked first, or what is asked again."""
    about: dict[str, str | int] = {
        "set": block.of,
        "block": block.number,
        "of": " ".join(each.key for each in block.texts),
    }
    turns = _turns(messages)
    if len(turns) > 2:
        about["round"] = 2
    return Request(turns, SAMPLING, repeat, PROMPT, about)


def first_questions(asked: Iterable[Block], repeat: int = 0) -> list[Request]:
    """Return what is asked about each block at first."""
    return [
        ask_block(each, read_model.messages(each.sentences()), repeat) for each in asked
    ]


def further_questions(
    asked: Iterable[Block], recordings: Recordings, repeat: int = 0
) -> list[Request]:
    """Return what is asked again: about the lines of first answers that break the language."""
    further = list[Request]()
    for block in asked:
        questions = list[Request]()
        _read_block(block, recordings, questions, repeat)
        further += questions[1:]
    return further


def read_texts(
    asked: Iterable[Block], client: Client, repeat: int = 0
) -> dict[str, Reading]:
    """Return a model's recorded reading of each text, by its key; of texts not read, none.

    The claims of a text are those of its sentences, each with the span of its sentence.

    Parameters
    ----------
    asked
        The texts, in the blocks in which they were asked about.
    client
        Replays the model's answers.
    repeat
        Which of several readings.
    """
    found = dict[str, Reading]()
    for block in asked:
        readings = _read_block(block, client.recordings, [], repeat)
        for text in block.texts if readings else ():
            spans = sentence_spans(text.text)
            found[text.key] = joined(readings[: len(spans)], spans)
            readings = readings[len(spans) :]
    return found


def read_set(name: str, of: str, texts: Sequence[GoldText]) -> dict[str, Reading]:
    """Return what a reader makes of the texts of a set, by their keys; of texts not read, none.

    Parameters
    ----------
    name
        A model whose readings are recorded, or ``rules``, which reads at once.
    of, texts
        The set's name and all of its texts, as :func:`gold_sets` has them.
    """
    if name != "rules":
        return read_texts(blocks(of, texts), replay(PURPOSE, name))
    return {
        each.key: read_rules.read(each.text, each.move.mover, each.move.san)
        for each in texts
    }


def _read_block(
    block: Block, recordings: Recordings, questions: list[Request], repeat: int
) -> Sequence[Reading]:
    """Return the readings of a block's sentences by what is recorded; note what is asked.

    Where the second answer is not recorded the first one counts; empty without any.
    """
    answers = list[str]()

    def ask(messages: Sequence[read_model.Message]) -> str:
        questions.append(ask_block(block, messages, repeat))
        answer = recordings.get(questions[-1])
        if answer is None:
            raise LookupError
        answers.append(answer.text)
        return answer.text

    sentences = block.sentences()
    try:
        return read_model.read(sentences, ask, at_once=len(sentences))
    except LookupError:
        first = answers[:1]
    return read_model.parse_answer(first[0], len(sentences)) if first else ()
