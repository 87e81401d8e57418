"""GCC-Eval (CCC paper, 3.2 and Appendix A): a comment is asked about in four dimensions.

Relevance and completeness are judged with position, move and an engine's hint, clarity with
position and move, fluency by the comment alone. The paper puts all of it into one message; here
the comment stands alone in the last, so that a server reads the rest once for all comments on
a move (see :class:`chessgloss.llm.client.Client`), and one word of the judge's stands between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import pandas as pd

from chessgloss.claims import Checked, verify
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.prompts import Prompt, load_prompt, quoted
from chessgloss.judges.hint import expert_hint, verifier_findings
from chessgloss.judges.scale import Score, mean_score, read_score
from chessgloss.llm import Answer, Client, Message, Request, Sampling

#: The dimensions of GCC-Eval, in the paper's order.
DIMENSIONS = ("relevance", "completeness", "clarity", "fluency")

#: Prompts of a judge by what is asked: the four, relevance told what a program found, relevance
#: in two other wordings, and correctness outright, which is no dimension of GCC-Eval.
PROMPTS = (
    *DIMENSIONS,
    "relevance_verified",
    "relevance_2",
    "relevance_3",
    "correctness",
)

#: One token, the likeliest, with as many alternatives as the protocol gives.
ONE_TOKEN = Sampling(temperature=0.0, max_tokens=1, top_logprobs=20)

#: How answers are drawn where an endpoint gives no log-probabilities, and how many.
#: Source: G-Eval (Liu and others, 2023) draws 20 at temperature 1.
DRAWN, DRAWS = Sampling(temperature=1.0, max_tokens=5), 20

#: Columns of :func:`score_table`.
COLUMNS = ("move", "group", "method", "variant", "asked", "score", "mass", "by")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text under judgement.

    Parameters
    ----------
    briefing
        The move it is judged on, and what an engine says of it.
    text
        The text.
    method
        Who wrote it.
    variant
        What was done to it, if anything: ``praised``, ``swapped``.
    """

    briefing: Briefing
    text: str
    method: str
    variant: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError(f"{self.method} wrote nothing on {self.briefing.name} to be judged")

    @property
    def group(self) -> str:
        """What its move shares a source with: a lecture, a document."""
        return self.briefing.name.split("/", 1)[0]

    def verified(self) -> tuple[Checked, ...]:
        """Return each claim of the text, held against the board and the engine's verdict."""
        return verify(self.text, self.briefing.move, self.briefing.verdict)

    def about(self) -> dict[str, str]:
        """Return what a recording keeps of it: names and a hash, never the text."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:16]
        named = {"of": self.briefing.name, "method": self.method, "variant": self.variant}
        return {name: value for name, value in named.items() if value} | {"text_sha256": digest}


def judge_request(candidate: Candidate, asked: str) -> Request:
    """Return the question that puts a text before the judge.

    Parameters
    ----------
    candidate
        The text.
    asked
        One of :data:`PROMPTS`.

    Raises
    ------
    ValueError
        If nothing of that name is asked of a judge.
    """
    if asked not in PROMPTS:
        raise ValueError(f"a judge is not asked for {asked!r}; there are {', '.join(PROMPTS)}")
    prompt = _prompt(asked)
    values = {name: _VALUES[name](candidate) for name in prompt.placeholders}
    about = {"asked": asked, **candidate.about()}
    return Request(prompt.fill(**values), ONE_TOKEN, prompt=prompt.label, about=about)


_VALUES = {
    "comment": lambda one: quoted(one.text),
    "fen": lambda one: one.briefing.move.position.fen,
    "move": lambda one: one.briefing.move.numbered_san,
    "hint": lambda one: expert_hint(one.briefing),
    "findings": lambda one: quoted(verifier_findings(one.verified())),
}


@cache
def _prompt(asked: str) -> Prompt:
    return load_prompt(f"gcc_{asked}")


def gcc_requests(
    candidates: Sequence[Candidate], dimensions: Sequence[str] = DIMENSIONS
) -> list[Request]:
    """Return all questions on some texts, in the order in which a server reads least."""
    asked = [judge_request(one, name) for name in dimensions for one in candidates]
    return in_reading_order(asked)


def in_reading_order(requests: Iterable[Request]) -> list[Request]:
    """Return the requests of :func:`reading_groups`, one group after the other."""
    return [one for group in reading_groups(requests) for one in group]


def reading_groups(requests: Iterable[Request]) -> list[list[Request]]:
    """Return requests in groups whose messages but the last are the same.

    Whoever asks several at once does best to give each thread a whole group. Groups come in
    the order of their first request; a request that comes twice stays once.
    """
    groups: dict[tuple[Message, ...], dict[tuple, Request]] = {}
    for one in requests:
        group = groups.setdefault(one.messages[:-1], {})
        group.setdefault((one.messages[-1], one.sampling, one.repeat), one)
    return [list(group.values()) for group in groups.values()]


def drawn_requests(request: Request, draws: int = DRAWS) -> list[Request]:
    """Return a question as it is drawn several times, for :func:`mean_score` of the answers."""
    return [replace(request, sampling=DRAWN, repeat=number) for number in range(draws)]


def judge(
    candidates: Sequence[Candidate],
    asked: str,
    client: Client,
    *,
    drawn: int = 0,
    progress: bool = False,
) -> list[Score]:
    """Return the score of each text, in their order.

    Parameters
    ----------
    candidates
        The texts.
    asked
        One of :data:`PROMPTS`.
    client
        Of the judge.
    drawn
        0 reads the probabilities of one answer. For an endpoint that gives none: how many
        answers are drawn and averaged; such scores are marked ``samples``.
    progress
        Whether to show a bar while the judge is asked.
    """
    requests = [judge_request(one, asked) for one in candidates]
    if not drawn:
        return [read_score(one) for one in client.ask_many(requests, progress=progress)]
    every = [each for one in requests for each in drawn_requests(one, drawn)]
    answers = client.ask_many(every, progress=progress)
    return [mean_score(part) for part in _parts(answers, drawn)]


def score_table(
    candidates: Sequence[Candidate], client: Client, asked: Sequence[str] = DIMENSIONS
) -> pd.DataFrame:
    """Return the scores of texts as a table with :data:`COLUMNS`.

    ``score`` is a share of the scale, 0 to 1, and ``nan`` where the answer is none; ``mass``
    is the probability of all answers on the scale.
    """
    rows = [
        (
            one.briefing.name,
            one.group,
            one.method,
            one.variant,
            name,
            said.share,
            said.mass,
            said.by,
        )
        for name in asked
        for one, said in zip(candidates, judge(candidates, name, client), strict=True)
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.astype({"score": float, "mass": float})


def candidates_of(
    comments: pd.DataFrame, briefings: Mapping[str, Briefing], methods: Sequence[str] | None = None
) -> list[Candidate]:
    """Return the texts of a table of comments that can be judged: those that were answered.

    Parameters
    ----------
    comments
        As :func:`chessgloss.commentary.methods.gather_comments` gives them.
    briefings
        What is known of the moves, by name.
    methods
        Only these, in this order.
    """
    told = comments[comments["state"] == "answered"]
    names = tuple(dict.fromkeys(told["method"])) if methods is None else methods
    return [
        Candidate(briefings[row.move], row.text, row.method)
        for name in names
        for row in told[told["method"] == name].itertuples()
    ]


def _parts(answers: Sequence[Answer], size: int) -> list[Sequence[Answer]]:
    return [answers[start : start + size] for start in range(0, len(answers), size)]
