"""A judge's answer read as a score from 1 to 5, by the probabilities of its token.

The score of the CCC paper's Equation 1 is the sum of ``s * p(s)`` over the scores ``s``. Here
``p`` is taken at the token where the answer stands, is summed over all forms of a digit
(``4``, `` 4``, ``4/5``) and is divided by its sum over the scale, for not all of it lies there:
what does, the *mass*, is kept beside the score. A digit anywhere else than at the answer's
place is no score.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from chessgloss.llm import Answer, State, Token

LOWEST, HIGHEST = 1, 5

#: How a score was come by: probabilities of the answer's token, the mean of several drawn
#: answers, the text of one answer, or not at all.
By = Literal["probabilities", "samples", "text", "unscored"]

#: States whose text is the judge's own answer; one token is always ``cut_off``.
_READABLE = (State.ANSWERED, State.CUT_OFF)

_OPEN, _CLOSE = r"[\s\"'`*_(\[]*", r"[\s\"'`*_)\].,:;]*"
#: What may stand before the score: blanks, quotes, emphasis, the name of what is asked.
_LEAD = re.compile(
    rf"{_OPEN}(?:(?:the |my |final |overall )*"
    r"(?:score|rating|mark|relevance|completeness|clarity|fluency|correctness)"
    r"(?: score| rating)?(?: is| of)?[\s\"'`*_:=(\[]*)?",
    re.IGNORECASE,
)
_FORM = re.compile(rf"{_OPEN}([1-5])(?:\.0| ?/ ?5)?{_CLOSE}")
_STATED = re.compile(r"([1-5])(?:\.0(?!\d)| ?/ ?5(?!\d))?(?!\d| ?[-–/.,] ?\d)")
_LETTER = re.compile(rf"{_OPEN}([A-Z]){_CLOSE}")


@dataclass(frozen=True, slots=True)
class Score:
    """What a judge's answer says.

    Parameters
    ----------
    value
        The score from 1 to 5, not rounded; ``None`` if the answer holds none.
    mass
        Probability of all tokens that are a score, 0 to 1; ``None`` if it is not known.
    by
        How the score was come by.
    answers
        How many answers it rests on.
    """

    value: float | None
    mass: float | None = None
    by: By = "probabilities"
    answers: int = 1

    def __post_init__(self) -> None:
        if (self.value is None) != (self.by == "unscored"):
            raise ValueError(f"only what is unscored has no value, got {self}")
        if self.value is not None and not LOWEST <= self.value <= HIGHEST:
            raise ValueError(f"a score lies between {LOWEST} and {HIGHEST}, got {self.value}")
        if self.mass is not None and not 0 <= self.mass <= 1.001:
            raise ValueError(f"a mass lies between 0 and 1, got {self.mass}")

    @property
    def share(self) -> float | None:
        """The score as a share of the scale: 0 for 1, 1 for 5 (CCC paper, Table 5)."""
        return None if self.value is None else (self.value - LOWEST) / (HIGHEST - LOWEST)


UNSCORED = Score(None, by="unscored")


def read_score(answer: Answer) -> Score:
    """Read an answer: by probabilities if it has them, else by its text.

    An answer that is no score is *unscored*: refused, empty, failed, or words at the place
    where the score should stand, whatever digits follow.
    """
    stated = stated_score(answer.text) if answer.state in _READABLE else None
    if stated is None:
        return UNSCORED
    if not answer.tokens:
        return Score(float(stated), by="text")
    token = answer_token(answer.tokens)
    if token is None or score_form(token.text) != stated:
        return UNSCORED
    return _weighted(token)


def mean_score(answers: Iterable[Answer]) -> Score:
    """Return the mean of several drawn answers, for an endpoint without log-probabilities.

    Answers that are no score are left out; without any that is, the result is unscored.
    """
    texts = [one.text for one in answers if one.state in _READABLE]
    stated = [score for score in map(stated_score, texts) if score is not None]
    if not stated:
        return UNSCORED
    return Score(sum(stated) / len(stated), by="samples", answers=len(stated))


def stated_score(text: str) -> int | None:
    """Return the digit that a text begins with, as far as it is an answer; else ``None``."""
    lead = _LEAD.match(text)
    found = _STATED.match(text, lead.end() if lead else 0)
    return int(found.group(1)) if found else None


def score_form(token: str) -> int | None:
    """Return the score that a token is a form of, or ``None``."""
    found = _FORM.fullmatch(token)
    return int(found.group(1)) if found else None


def answer_token(tokens: Sequence[Token]) -> Token | None:
    """Return the token at which the answer stands: the first that is not lead-in."""
    said = ""
    for token in tokens:
        said += token.text
        if not _LEAD.fullmatch(said):
            return token
    return None


def read_letter(answer: Answer, letters: str = "AB") -> Mapping[str, float] | None:
    """Return how an answer's probability falls on some letters, summing to 1.

    ``None`` if the answer is none of them. Without log-probabilities the letter that was
    answered gets all.
    """
    token = answer_token(answer.tokens) if answer.state in _READABLE else None
    said = letter_form(token.text if token else answer.text)
    if said is None or said not in letters or answer.state not in _READABLE:
        return None
    found = _by_form(token, letter_form) if token and token.alternatives else {said: 1.0}
    total = sum(found.get(letter, 0.0) for letter in letters)
    return {letter: found.get(letter, 0.0) / total for letter in letters}


def letter_form(token: str) -> str | None:
    """Return the capital letter that a token is a form of, or ``None``."""
    found = _LETTER.fullmatch(token)
    return found.group(1) if found else None


def _weighted(token: Token) -> Score:
    found = _by_form(token, score_form)
    mass = sum(found.values())
    value = sum(score * chance for score, chance in found.items()) / mass
    return Score(min(max(value, LOWEST), HIGHEST), min(mass, 1.0))


def _by_form(token: Token, form: Callable[[str], int | None] | Callable[[str], str | None]) -> dict:
    """Add up a token's probabilities by what its alternatives are forms of."""
    found: dict = {}
    for text, chance in (token.probabilities() or {token.text: 1.0}).items():
        kind = form(text)
        if kind is not None:
            found[kind] = found.get(kind, 0.0) + chance
    return found
