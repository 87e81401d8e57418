"""Comments under a grammar: what cannot be meant cannot be written.

::

    request = request_constrained(briefing, "ccc_grammar")
    client.ask(request).text

Two forms of ``ccc_notes``. Under the first the words are free, but pieces, sides, squares and
moves may only be those of the notes. Under the second the notes' own sentences and clauses may
be left out and put in any order, each once, with joints from a closed list between them. A
grammar is GBNF, llama.cpp's notation, for a server that reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal

from chessgloss.commentary.briefing import PHRASES, Briefing
from chessgloss.commentary.notes import Note
from chessgloss.commentary.proven import ask_first, cut, given_notes, show_move
from chessgloss.llm.recordings import Request

Form = Literal["ccc_grammar", "ccc_closed"]

#: Words that name a piece or a side, in lower case.
NAMES: Final = frozenset(word for word in PHRASES["proof"]["names"].split() if word.islower())

#: What may stand between two notes within a sentence.
JOINTS: Final = (", and ", "; ", ", while ", ", but ")


def request_constrained(briefing: Briefing, form: Form) -> Request:
    """Return the question of ``ccc_notes`` with a grammar that its answer must follow."""
    given = given_notes(briefing)
    request = ask_first(briefing, given)
    if form == "ccc_grammar":
        grammar = words_grammar([*(note.sentence for note in given), show_move(briefing)])
    else:
        grammar = order_grammar(given)
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
    spoken |= {f"{word}s" for word in spoken} | {word.removesuffix("s") for word in spoken}
    banned = NAMES - spoken
    return "\n".join([
        'root ::= sentence (" " sentence)? (" " sentence)?',
        'sentence ::= word ([,;:]? " " word)* "."',
        f"word ::= exact | {_state('')}",
        f"exact ::= {_either(sorted(exact) or ['it'])}",
        "rest ::= [a-z']*",
        *_other_words(banned),
    ])  # fmt: skip


def _other_words(banned: Iterable[str]) -> Iterator[str]:
    """Yield rules for all words of letters but some: a rule for each of their beginnings."""
    words = {*banned}
    starts = sorted({word[:end] for word in words for end in range(len(word) + 1)} | {""})
    for start in starts:
        nexts = sorted(
            {word[len(start)] for word in words if word.startswith(start) and word != start}
        )
        ways = [f"{_letter(each, start)} {_state(start + each)}" for each in nexts]
        others = "".join(sorted(set("abcdefghijklmnopqrstuvwxyz") - set(nexts)))
        ways.append(f"[{others}{'' if start else others.upper()}] rest")
        if start and start not in words:
            ways.append('""')
        yield f"{_state(start)} ::= {' | '.join(ways)}"


def _letter(letter: str, start: str) -> str:
    return f'"{letter}"' if start else f"[{letter}{letter.upper()}]"


def _state(start: str) -> str:
    return f"w-{start}"


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
