"""GCC-Eval (CCC paper, 3.2 and Appendix A): a comment is asked about in four dimensions.

Relevance and completeness are judged with position, move and an engine's hint, clarity with
position and move, fluency by the comment alone. The paper puts all of it into one message; here
the comment stands alone in the last, so that a server reads the rest once for all comments on
a move (see :class:`chessgloss.llm.client.Client`), and one word of the judge's stands between.

The score of the paper's Equation 1 is the sum of ``s * p(s)`` over the scores ``s``. Here ``p``
is taken at the token where the answer stands, is summed over all forms of a digit (``4``,
`` 4``, ``4/5``) and is divided by its sum over the scale, for not all of it lies there: what
does, the *mass*, is kept beside the score. A digit anywhere else is no score.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

import chess
import chess.engine
import pandas as pd

from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.prompts import load_prompt
from chessgloss.facts import side_name
from chessgloss.judges.injection import without_injections
from chessgloss.llm.client import Client
from chessgloss.llm.recordings import Answer, Request, Sampling, State, Token
from chessgloss.llm.text import quoted
from chessgloss.scores import ScoreWording, score_text

#: The dimensions of GCC-Eval, in the paper's order.
DIMENSIONS = ("relevance", "completeness", "clarity", "fluency")

#: What is asked without the engine's hint, and with a person's comment in view.
WITHOUT_HINT = ("relevance_no_hint", "completeness_no_hint")
WITH_REFERENCE = "relevance_reference"

#: Prompts of a judge by what is asked.
PROMPTS = (*DIMENSIONS, *WITHOUT_HINT, WITH_REFERENCE)

#: One token, the likeliest, with as many alternatives as the protocol gives.
ONE_TOKEN = Sampling(temperature=0.0, max_tokens=1, top_logprobs=20)

#: A number with one decimal, of a judge that gives no log-probabilities.
DECIMAL = Sampling(temperature=0.0, max_tokens=8)

#: How a score is asked for: as one token, whose alternatives make Equation 1, or as a decimal.
Form = Literal["token", "decimal"]
FORMS: Mapping[Form, tuple[Sampling, str]] = {
    "token": (ONE_TOKEN, "Answer with the score only."),
    "decimal": (
        DECIMAL,
        "Answer with the score only, a number from 1.0 to 5.0 with one decimal.",
    ),
}

#: States whose text is the judge's own answer; one token is always ``cut_off``.
_READABLE = (State.ANSWERED, State.CUT_OFF)

_WORDING = ScoreWording(
    number="{cp:+d} cp", mate="{verb} in {moves}", mated="mate", level=None
)

_OPEN, _CLOSE = r"[\s\"'`*_(\[]*", r"[\s\"'`*_)\].,:;]*"
#: What may stand before the score: blanks, quotes, emphasis, the name of what is asked.
_PREAMBLE = re.compile(
    rf"{_OPEN}(?:(?:the |my |final |overall )*"
    r"(?:score|rating|mark|relevance|completeness|clarity|fluency|correctness)"
    r"(?: score| rating)?(?: is| of)?[\s\"'`*_:=(\[]*)?",
    re.IGNORECASE,
)
_SCORE = re.compile(rf"{_OPEN}([1-5])(?:\.0| ?/ ?5)?{_CLOSE}")
_STATED = re.compile(r"([1-5])(?:\.0(?!\d)| ?/ ?5(?!\d))?(?!\d| ?[-–/.,] ?\d)")
_DECIMAL = re.compile(r"([1-4]\.\d|5\.0|[1-5])(?: ?/ ?5(?:\.0)?)?(?![.,]?\d| ?[-–/])")


# ---------------------------------------------------------------- questions


def ask_each(texts: pd.DataFrame, asked: Sequence[str]) -> pd.DataFrame:
    """Return each text once for everything that is asked of it: a column ``asked`` more."""
    return texts.merge(pd.DataFrame({"asked": list(asked)}), how="cross")


def with_requests(
    texts: pd.DataFrame,
    briefings: Mapping[str, Briefing],
    *,
    screened: bool = True,
    form: Form = "token",
    references: Mapping[str, str] = MappingProxyType({}),
) -> pd.DataFrame:
    """Return texts with the question that puts each before the judge, as column ``request``.

    Parameters
    ----------
    texts
        Columns ``move``, ``method``, ``variant``, ``text`` and ``asked``, one of :data:`PROMPTS`.
    briefings
        What is known of the moves, by name.
    screened
        Whether what a text says to its judge is dropped (:mod:`chessgloss.judges.injection`).
    form
        How the score is asked for.
    references
        People's comments by the move's name, for what is asked with one in view.
    """
    seen = texts["text"].map(without_injections) if screened else texts["text"]
    rows = texts.assign(text=seen).itertuples()
    hints = {name: expert_hint(briefings[name]) for name in texts["move"].unique()}
    asked = [
        judge_request(
            r.text,
            briefings[r.move],
            r.asked,
            r.method,
            r.variant,
            hint=hints[r.move],
            form=form,
            reference=references.get(r.move, ""),
        )
        for r in rows
    ]
    return texts.assign(request=asked)


def judge_request(
    text: str,
    briefing: Briefing,
    asked: str,
    method: str = "",
    variant: str = "",
    *,
    hint: str = "",
    form: Form = "token",
    reference: str = "",
) -> Request:
    """Return the question that puts a text on a move before the judge.

    ``asked`` is one of :data:`PROMPTS`; ``hint`` is the move's :func:`expert_hint`, if it is known
    already; ``reference`` is a person's comment, for what is asked with one in view. A recording
    keeps names and a hash, never the text.
    """
    sampling, said = FORMS[form]
    prompt = load_prompt(f"gcc_{asked}")
    about = {"asked": asked, **about_text(text, briefing, method, variant)}
    values: dict[str, Callable[[], str]] = {
        "comment": lambda: quoted(text),
        "fen": lambda: briefing.move.position.fen,
        "move": lambda: briefing.move.numbered_san,
        "hint": lambda: hint or expert_hint(briefing),
        "form": lambda: said,
        "reference": lambda: quoted(reference),
    }
    return prompt.ask(
        sampling, about, **{name: values[name]() for name in prompt.placeholders}
    )


def about_text(
    text: str, briefing: Briefing, method: str = "", variant: str = ""
) -> dict[str, str]:
    """Return what a recording keeps of a text: names and a hash."""
    named = {"of": briefing.name, "method": method, "variant": variant}
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return {name: value for name, value in named.items() if value} | {
        "text_sha256": digest
    }


def expert_hint(briefing: Briefing) -> str:
    """Return the expert hint of GCC-Eval (CCC paper, Appendix A).

    The played move with its score and the expected reply, then the best and the second-best
    move with theirs. Scores are in centipawns, seen by the side that moves.
    """
    verdict = briefing.verdict
    move = briefing.move.move
    board = chess.Board(briefing.move.position.fen)
    seen = f"seen by {side_name(verdict.mover)}"
    parts = [f"{seen}, played {board.san(move)} {_score(verdict.played)}"]
    if verdict.reply is not None:
        _, reply = board.variation_san(
            [move, chess.Move.from_uci(verdict.reply)]
        ).rsplit(" ", 1)
        parts.append(f"expected reply {reply}")
    for name, line in zip(("best", "second best"), briefing.before.lines, strict=False):
        if line.moves:
            same = " (the move played)" if line.moves[0] == briefing.move.uci else ""
            best = board.san(board.parse_uci(line.moves[0]))
            parts.append(f"{name} {best} {_score(line.score)}{same}")
    return ", ".join(parts)


def _score(score: chess.engine.PovScore) -> str:
    """Return a score seen by its own side: ``+52 cp``, ``mates in 3``, ``is mated in 2``."""
    return score_text(score, _WORDING, score.turn)


# ---------------------------------------------------------------- answers and scores


def recorded(questions: pd.DataFrame, client: Client) -> pd.DataFrame:
    """Return the questions that have a recorded answer, with it as column ``answer``."""
    requests = questions["request"]
    there = [client.recordings.get(each) is not None for each in requests]
    return client.answered(questions[pd.Series(there, questions.index, dtype=bool)])


def scored(questions: pd.DataFrame, client: Client) -> pd.DataFrame:
    """Return the questions that have a recorded answer, with what it says.

    Parameters
    ----------
    questions
        Column ``request``; others are kept.
    client
        Of the judge.

    Returns
    -------
    pandas.DataFrame
        Columns more: ``answer``, ``score`` (share of the scale, 0 to 1; NaN where the answer is
        none) and ``mass`` (see :class:`Score`). A question that was not asked yet has no row.
    """
    answered = recorded(questions, client)
    read = [
        read_answer(answer, request)
        for answer, request in zip(answered["answer"], answered["request"], strict=True)
    ]
    return answered.assign(
        score=[each.share for each in read], mass=[each.mass for each in read]
    )


class Score(NamedTuple):
    """What a judge's answer says.

    Parameters
    ----------
    value
        The score from 1 to 5, not rounded; NaN if the answer holds none.
    mass
        Probability of all tokens that are a score, 0 to 1; NaN where an endpoint gives none.
    """

    value: float
    mass: float = math.nan

    @property
    def share(self) -> float:
        """The score as a share of the scale: 0 for 1, 1 for 5 (CCC paper, Table 5)."""
        return (self.value - 1) / 4


UNSCORED = Score(math.nan)


def read_answer(answer: Answer, request: Request) -> Score:
    """Read an answer in the form in which it was asked for (:data:`FORMS`)."""
    decimal = request.sampling == DECIMAL
    return read_decimal(answer) if decimal else read_score(answer)


def read_score(answer: Answer) -> Score:
    """Read an answer: by probabilities if it has them, else by its text.

    An answer that is no score is *unscored*: refused, empty, or words at the place
    where the score should stand, whatever digits follow.
    """
    stated = stated_score(answer.text) if answer.state in _READABLE else None
    if stated is None:
        return UNSCORED
    if not answer.tokens:
        return Score(float(stated))
    token = answer_token(answer.tokens)
    if token is None:  # the digit comes after the tokens that were kept: ``**4**``
        return Score(float(stated))
    if _form_of(token.text, _SCORE) != str(stated):
        return UNSCORED
    chances = _chances(token, _SCORE)
    mass = sum(chances.values())
    value = sum(int(score) * chance for score, chance in chances.items()) / mass
    return Score(min(max(value, 1), 5), min(mass, 1.0))


def read_decimal(answer: Answer) -> Score:
    """Read an answer to a question that asks for a number with one decimal."""
    found = _DECIMAL.match(_PREAMBLE.sub("", answer.text, count=1))
    readable = answer.state == State.ANSWERED and found
    return Score(float(found[1])) if readable and found else UNSCORED


def stated_score(text: str) -> int | None:
    """Return the digit that a text begins with, as far as it is an answer; else ``None``."""
    match = _STATED.match(_PREAMBLE.sub("", text, count=1))
    return int(match[1]) if match else None


def answer_token(tokens: Sequence[Token]) -> Token | None:
    """Return the token at which the answer stands: the first after the preamble."""
    text = ""
    for token in tokens:
        text += token.text
        if not _PREAMBLE.fullmatch(text):
            return token
    return None


def _form_of(token: str, forms: re.Pattern[str]) -> str | None:
    """Return the digit that a token is a form of, or ``None``."""
    match = forms.fullmatch(token)
    return match[1] if match else None


def _chances(token: Token, forms: re.Pattern[str]) -> dict[str, float]:
    """Add up a token's probabilities by what its alternatives are forms of."""
    chances: dict[str, float] = {}
    for text, chance in (token.probabilities() or {token.text: 1.0}).items():
        if kind := _form_of(text, forms):
            chances[kind] = chances.get(kind, 0.0) + chance
    return chances
