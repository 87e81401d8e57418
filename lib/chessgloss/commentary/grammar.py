"""Grammars that hold a model to what notes say (GBNF, llama.cpp's)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from string import ascii_lowercase
from typing import Final

from chessgloss.commentary.briefing import PHRASES
from chessgloss.commentary.clauses import cut
from chessgloss.notes import Note

#: Words that name a piece or a side, in lower case.
NAMES: Final = frozenset(
    word for word in PHRASES["proof"]["names"].split() if word.islower()
)

#: What may stand between two notes within a sentence.
JOINTS: Final = (", and ", "; ", ", while ", ", but ")


def words_grammar(
    sentences: Sequence[str],
) -> str:
    """Return a grammar of texts in which pieces, sides, squares and moves are those of sentences.

    Other words are any letters, but for the :data:`NAMES` that no sentence has.
    """
    words = {word.strip(".,:;") for sentence in sentences for word in sentence.split()}
    exact = {word for word in words if re.search(r"[\d-]|^[KQRBN]x", word)}
    exact |= {f"{word}." for word in exact if word.isdigit()}
    spoken = {re.sub(r"'s$", "", word.lower()) for word in words}
    plurals = {f"{word}s" for word in spoken}
    singulars = {word.removesuffix("s") for word in spoken}
    banned = NAMES - spoken - plurals - singulars
    rules = [
        'root ::= sentence (" " sentence)? (" " sentence)?',
        'sentence ::= word ([,;:]? " " word)* "."',
        "word ::= exact | w-",
        f"exact ::= {_either(sorted(exact) or ['it'])}",
        "rest ::= [a-z']*",
    ]
    return "\n".join([*rules, *_other_words(banned)])


def _other_words(
    banned: Set[str],
) -> Iterator[str]:
    """Yield rules for all words of letters but some: a rule for each of their beginnings."""
    starts = {""}
    for word in banned:
        starts |= {word[:end] for end in range(len(word) + 1)}
    for start in sorted(starts):
        after = {
            word.removeprefix(start)[:1] for word in banned if word.startswith(start)
        }
        nexts = sorted(after - {""})
        others = "".join(sorted(set(ascii_lowercase) - after))
        ways = [f"{_letter(each, start)} w-{start}{each}" for each in nexts]
        if not start:  # a word may begin with a capital
            others += others.upper()
        ways.append(f"[{others}] rest")
        if start and start not in banned:
            ways.append('""')
        yield f"w-{start} ::= {' | '.join(ways)}"


def _letter(
    letter: str,
    start: str,
) -> str:
    """Return what matches a letter behind the start of a word: if it is the first, either case."""
    return f'"{letter}"' if start else f"[{letter}{letter.upper()}]"


def order_grammar(
    given: Sequence[Note],
) -> str:
    """Return a grammar of texts made of the clauses of notes: any of them, each once.

    Clauses of one note are one choice: the whole sentence, or its first clause.
    """
    rules = list[str]()
    for number, note in enumerate(given):
        whole = note.sentence.rstrip(".")
        first_part = [part.text for part in cut(note.sentence)[:1]]
        said = dict.fromkeys([whole, *first_part])
        inside = map(_inside, said)
        rules.append(f"n{number} ::= {_either(said)}")
        rules.append(f"m{number} ::= {_either(inside)}")
    for left in range(1, 2 ** len(given)):
        there = [number for number in range(len(given)) if left >> number & 1]
        for first in ("n", "m"):
            ways = []
            for number in there:
                rest = left ^ 1 << number
                ways.append(f"{first}{number} t{rest}")
            rules.append(f"{first}of{left} ::= {' | '.join(ways)}")
        rules.append(f't{left} ::= "." | ". " nof{left} | joint mof{left}')
    root = f"root ::= nof{2 ** len(given) - 1}"
    return "\n".join([root, f"joint ::= {_either(JOINTS)}", 't0 ::= "."', *rules])


def _inside(
    text: str,
) -> str:
    """Return a clause as it stands within a sentence: names and moves keep their capital."""
    first = text.split()[0]
    plain = first.isalpha() and first.lower() not in NAMES and first[1:].islower()
    return text[0].lower() + text[1:] if plain else text


def _either(
    texts: Iterable[str],
) -> str:
    return " | ".join(json.dumps(text) for text in texts)
