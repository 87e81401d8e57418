"""All questions whose answers the chapter on GCC-Eval shows, in the order to record them.

Which texts are put before the judge is chosen here, once, for the chapter and for whoever
records: both take the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

from chessgloss.commentary.briefing import Briefing
from chessgloss.judges.gcc import Candidate, gcc_requests, in_reading_order, judge_request
from chessgloss.judges.gold import Labelled, labelled
from chessgloss.judges.shaken import (
    WORDINGS,
    JudgedPair,
    changed_emptily,
    judged_pairs,
    spread,
    swapped,
)
from chessgloss.judges.use import Choice, choice_of, choice_requests, sampled_comments
from chessgloss.llm import Client, Request

#: The methods of our Table 5: the paper's five, the two that need no model or verify what it
#: says, and ``ccc`` without its concepts.
METHODS = (
    "reference",
    "gac",
    "template",
    "llm",
    "llm_expert",
    "ccc_none",
    "ccc",
    "ccc_verified",
)

#: Moves of the tests that need few, and the methods whose comments stand in them.
FEW_MOVES = 20
RETESTED = ("reference", "llm_expert", "ccc")
SWAPPED = ("reference", "template", "ccc")
CHANGED = ("ccc",)
TOLD_FINDINGS = ("reference", "llm", "llm_expert", "ccc")

#: What is asked of a comment that was changed without telling anything more.
CHANGED_ASKED = ("relevance", "completeness")

#: Minimal pairs, and most moves on which the model chooses between two.
PAIRS, CHOICES = 150, 15
READ = ("reference", "template", "llm", "llm_expert", "ccc", "ccc_verified")


def gcc_questions(
    candidates: Sequence[Candidate],
    briefings: Mapping[str, Briefing],
    gold: Mapping[str, Briefing],
) -> dict[str, list[Request]]:
    """Return every question whose texts are known beforehand, by what it serves.

    Parameters
    ----------
    candidates
        The comments of all methods on all moves.
    briefings
        What is known of the evaluated moves, by name.
    gold
        What is known of the gold set's moves (:func:`chessgloss.judges.gold.gold_briefings`).
    """
    told = list(briefings.values())
    pairs = chain.from_iterable((one.true, one.false) for one in judged_pairs(told, PAIRS))
    changed = changed_emptily(few(candidates, CHANGED))
    return {
        "table 5": gcc_requests(candidates),
        "minimal pairs": _asked(list(pairs), ("relevance", "relevance_verified")),
        "findings": _asked(of(candidates, TOLD_FINDINGS), ("relevance_verified",)),
        "swapped": _asked(swapped(of(candidates, SWAPPED)), ("relevance",)),
        "wordings": _asked(few(candidates, RETESTED), WORDINGS[1:]),
        "changed": _asked(changed, CHANGED_ASKED),
        "labelled": _labelled_requests(gold),
        "choice": _choice_requests(candidates, told),
    }


def gcc_eval_requests(
    candidates: Sequence[Candidate],
    briefings: Mapping[str, Briefing],
    gold: Mapping[str, Briefing],
) -> list[Request]:
    """Return the questions of :func:`gcc_questions`, each once, as a server reads them fastest."""
    return in_reading_order(chain(*gcc_questions(candidates, briefings, gold).values()))


def best_of_requests(briefings: Sequence[Briefing], client: Client) -> list[Request]:
    """Return the questions on the comments drawn on a few moves; asks or replays those first."""
    drawn = sampled_comments(few_moves(briefings), client)
    return in_reading_order(gcc_requests(list(chain(*drawn))))


def of(candidates: Iterable[Candidate], methods: Sequence[str]) -> list[Candidate]:
    """Return the texts of some methods, method by method."""
    return [one for name in methods for one in candidates if one.method == name]


def few(candidates: Sequence[Candidate], methods: Sequence[str]) -> list[Candidate]:
    """Return the texts of some methods on the moves that the smaller tests take."""
    named = list(dict.fromkeys(one.briefing.name for one in candidates))
    chosen = set(spread(named, FEW_MOVES))
    return [one for one in of(candidates, methods) if one.briefing.name in chosen]


def few_moves(briefings: Sequence[Briefing], count: int = FEW_MOVES) -> list[Briefing]:
    """Return the moves that the smaller tests take."""
    return spread(briefings, count)


def pairs_on(briefings: Sequence[Briefing], count: int = PAIRS) -> list[JudgedPair]:
    """Return the minimal pairs that are judged; the first of them for a smaller count."""
    return judged_pairs(briefings, PAIRS)[:count]


def choices(briefings: Iterable[Briefing], count: int = CHOICES) -> list[Choice]:
    """Return the choices between two moves that are put up, on every n-th move that has one."""
    found = [one for one in map(choice_of, briefings) if one is not None]
    return spread(found, count)


def labelled_halves(gold: Mapping[str, Briefing]) -> tuple[list[Labelled], list[Labelled]]:
    """Return the labelled sentences to fit on, and those to report."""
    return labelled("dev", gold), labelled("test", gold)


def comments_by_move(candidates: Iterable[Candidate], method: str) -> dict[str, str]:
    """Return a method's texts by the name of their move."""
    return {one.briefing.name: one.text for one in of(candidates, (method,))}


def _asked(candidates: Sequence[Candidate], asked: Sequence[str]) -> list[Request]:
    return [judge_request(one, name) for name in asked for one in candidates]


def _labelled_requests(gold: Mapping[str, Briefing]) -> list[Request]:
    fit, report = ([one.candidate for one in half] for half in labelled_halves(gold))
    told = _asked([*fit, *report], ("relevance",))
    return [*told, *_asked(report, ("relevance_verified", "correctness"))]


def _choice_requests(candidates: Sequence[Candidate], briefings: list[Briefing]) -> list[Request]:
    put_up = choices(briefings)
    told: list[Callable[[str], str | None]] = [lambda name: None]
    told += [comments_by_move(candidates, method).get for method in READ]
    return [
        request
        for one in put_up
        for comment_on in told
        if comment_on(one.briefing.name) is not None or comment_on is told[0]
        for request in choice_requests(one, comment_on(one.briefing.name))
    ]
