"""Comments by every method on the same moves: the arms of the experiment, and all others.

::

    gather_comments(["reference", "ccc", "notes"], moves, briefings, replay("factorial"))
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

from chessgloss.assets import AssetMissing
from chessgloss.commentary import explain, read_table
from chessgloss.commentary.arms import (
    ARMS,
    EVERY_ARM,
    PURPOSE,
    ask_arm,
    published_changes,
    read_comment,
    read_published,
)
from chessgloss.commentary.briefing import Briefing, Comment
from chessgloss.commentary.explain import Spent
from chessgloss.commentary.moves import EvaluatedMove
from chessgloss.commentary.notes import write_notes
from chessgloss.commentary.readings import reader
from chessgloss.llm.client import (
    Client,
    Misconfigured,
    Refused,
    Unanswered,
    recorded_models,
    replay,
)
from chessgloss.llm.recordings import Request
from chessgloss.llm.text import visible
from chessgloss.store import data_file

if TYPE_CHECKING:
    import pandas as pd

#: What an answer is that is no comment.
_UNUSABLE = {
    "unread": "without a comment in the form asked for",
    "cut_off": "cut off, for its length ran out",
    "empty": "empty",
    "refused": "a refusal",
    "answered": "false in all its sentences",
}

Writer = Literal["human", "kept"]


@dataclass(frozen=True, slots=True)
class Method:
    """A way to come by comments that is no arm of the experiment.

    Parameters
    ----------
    name
        As in keys.
    title
        As in tables and figures.
    writer
        Who writes: a ``human``; nobody any more (``kept`` in a file, as they were read and judged).
    file
        Where they are kept, below ``data``; empty for a human's.
    """

    name: str
    title: str
    writer: Writer
    file: str = ""


#: Every method that is no arm, by name.
METHODS = {
    name: Method(name, **each) for name, each in read_table("methods.toml").items()
}

#: What tables and figures call every arm and method, by name.
TITLES: Mapping[str, str] = {
    **{name: method.title for name, method in METHODS.items()},
    **{name: arm.title for name, arm in EVERY_ARM.items()},
}


# ---------------------------------------------------------------- a comment on any move


def validate_method(method: str) -> str:
    """Return the name of a method that can comment on any move.

    Raises
    ------
    ValueError
        For any other name; the message lists them.
    """
    arms = (arm.name for arm in ARMS.values() if arm.concepts in (None, "published"))
    known = ["notes", explain.METHOD, *arms]
    if method not in known:
        raise ValueError(f"no method {method!r}; choose one of {', '.join(known)}")
    return method


@dataclass(slots=True)
class ModelWriter:
    """Writes comments by a method that asks a language model.

    Where the model gives no usable comment (an empty, cut-off or unreadable answer, a
    refusal) the facts speak instead, and the comment says so by its method. An endpoint that
    stops answering is not asked again, nor is one where the network that ranks an arm's concepts
    is missing.

    Parameters
    ----------
    client
        Asks the model.
    method
        Name of an arm in :data:`~chessgloss.commentary.arms.EVERY_ARM`.
    warn
        Called with one line whenever the facts speak instead.
    spent
        What the comments have cost, and what was checked in them.
    """

    client: Client
    method: str
    warn: Callable[[str], object]
    spent: Spent = field(default_factory=Spent)
    _gone: bool = field(default=False, init=False)

    def __call__(self, briefing: Briefing) -> Comment:
        """Return a comment on a move."""
        name = self.client.model.name
        if self._gone:
            return write_notes(briefing)
        try:
            comment = self._ask(briefing)
            if comment.text:
                return replace(comment, model=visible(comment.model or name))
            problem = (
                f"{name} gave no usable comment on {briefing.name}: its answer is "
                f"{_UNUSABLE.get(comment.state, 'of no use')}"
            )
        except (AssetMissing, Unanswered, Misconfigured) as error:
            self._gone = not isinstance(error, Refused)
            problem = str(error)
        self.warn(f"{problem}; the facts speak instead")
        return write_notes(briefing)

    def _ask(self, briefing: Briefing) -> Comment:
        """Return what the model has to say of a move, checked where the method does so."""
        arm = EVERY_ARM[self.method]
        ranked = published_changes(briefing) if arm.concepts else ()
        request = ask_arm(briefing, self.method, ranked)
        ask = self.spent.asking(self.client.ask)
        self.spent.comments += 1
        if self.method != explain.METHOD:
            return read_comment(ask(request), self.method)
        outcome = explain.explain(briefing, request, ask, reader(ask))
        self.spent.add(outcome)
        return outcome.comment


# ---------------------------------------------------------------- comments on many moves


def arm_requests(briefings: Sequence[Briefing], arm: str) -> list[Request]:
    """Return what an arm asks on some of the book's moves, in their order.

    Their concepts by the published ranking are kept; of another move the expert network is asked
    for them.
    """
    if EVERY_ARM[arm].concepts not in ("published", "others"):
        return [ask_arm(each, arm) for each in briefings]
    kept = read_published()
    return [
        ask_arm(each, arm, kept.get(each.name) or published_changes(each))
        for each in briefings
    ]


def model_comments(
    briefings: Sequence[Briefing], arm: str, client: Client
) -> list[Comment]:
    """Return an arm's comments on some moves, in their order.

    Parameters
    ----------
    briefings
        The moves and what is known of them.
    arm
        Name of an arm in :data:`~chessgloss.commentary.arms.EVERY_ARM`.
    client
        Replays, records or asks.
    """
    answers = client.ask_many(arm_requests(briefings, arm), progress=False)
    return [read_comment(answer, arm) for answer in answers]


def kept_comments(method: str) -> dict[str, Comment]:
    """Return the comments of a method that nobody writes any more, by the name of the move.

    ``gac`` is what a recurrent network says (``data/gac``); ``ccc_notes`` and ``ccc_proven`` are a
    model's wordings of the program's notes, ``notes`` and ``listed`` two forms in which the program
    said them itself (``data/commentary/from_notes``).
    """
    head, *rows = json.loads(data_file(METHODS[method].file).read_text("utf-8"))
    model = head.get("model", "")
    return {row["move"]: Comment(row["text"], method, model) for row in rows}


def _comments_of(
    method: str,
    moves: Sequence[EvaluatedMove],
    briefings: Sequence[Briefing],
    client: Client,
) -> Sequence[Comment | None]:
    """Return the comments of one method, move by move; ``None`` where it has none."""
    if method in EVERY_ARM:
        return model_comments(briefings, method, client)
    writer = METHODS[method].writer
    if writer == "human":
        texts = (each.reference for each in moves)
        return [Comment(text, method) if text else None for text in texts]
    kept = kept_comments(method)
    return [kept.get(each.name) for each in moves]


def commentators(arms: Sequence[str], briefings: Sequence[Briefing]) -> list[str]:
    """Return the models that were asked by some arms for comments on all of some moves.

    Parameters
    ----------
    arms
        Names in :data:`~chessgloss.commentary.arms.EVERY_ARM`.
    briefings
        The moves and what is known of them.

    Returns
    -------
    list of str
        Names of models whose answers are recorded, the book's own first.
    """
    asked = [request for arm in arms for request in arm_requests(briefings, arm)]
    return recorded_models(PURPOSE, asked)


#: On so many moves at least two methods must both be readable, so that they can be compared.
LEAST_SHARED = 2


class Shared(NamedTuple):
    """The two methods that are readable together on the fewest moves.

    Parameters
    ----------
    moves, of
        On how many, and of how many.
    first, second
        Names of the methods.
    """

    moves: int
    of: int
    first: str
    second: str

    def __str__(self) -> str:
        return (
            f"*{TITLES[self.first]}* and *{TITLES[self.second]}* can be compared on "
            f"{self.moves} of {self.of} moves"
        )


def least_shared(readable: pd.DataFrame) -> Shared:
    """Return the two methods that are readable together on the fewest moves.

    Parameters
    ----------
    readable
        Whether there is something to read: a row a move, a column a method.
    """
    pairs = combinations(readable.columns, 2)
    shared = (
        Shared(int((readable[a] & readable[b]).sum()), len(readable), a, b)
        for a, b in pairs
    )
    return min(shared, key=lambda each: each.moves)


def why_unreadable(
    model: str, arms: Sequence[str], briefings: Sequence[Briefing]
) -> str:
    """Return why a model's comments do not suffice to compare arms; empty if they do.

    Of a model whose answers are not recorded nothing is said.

    Parameters
    ----------
    model
        Its name.
    arms
        Names in :data:`~chessgloss.commentary.arms.EVERY_ARM`.
    briefings
        The moves and what is known of them.
    """
    import pandas as pd

    client = replay(PURPOSE, model)
    asked = {arm: arm_requests(briefings, arm) for arm in arms}
    of_moves = zip(*asked.values(), strict=True)
    whole = [k for k, each in enumerate(of_moves) if not client.missing(each)]
    if not whole:
        return ""
    states = pd.DataFrame(
        {
            arm: [read_comment(client.ask(requests[k]), arm).state for k in whole]
            for arm, requests in asked.items()
        }
    )
    fewest = least_shared(states == "answered")
    if fewest.moves >= LEAST_SHARED:
        return ""
    counts = states[[fewest.first, fewest.second]].stack().value_counts()
    became = [
        f"{count} {words}"
        for state, words in _UNUSABLE.items()
        if (count := counts.get(state))
    ]
    return f"{fewest}: of both methods' answers {' and '.join(became)}."


def gather_comments(
    methods: Sequence[str],
    moves: Sequence[EvaluatedMove],
    briefings: Mapping[str, Briefing],
    client: Client,
) -> pd.DataFrame:
    """Return the comments of some methods on some moves.

    Parameters
    ----------
    methods
        Names of arms (:data:`~chessgloss.commentary.arms.EVERY_ARM`) and of :data:`METHODS`; the
        rows come in their order.
    moves
        The commented moves.
    briefings
        What is known of them, by name.
    client
        Replays the answers of the arms.

    Returns
    -------
    pandas.DataFrame
        A row a comment: ``move``, ``group``, ``method``, ``model``, ``state``, ``text``,
        ``words``. A move that no human commented on has no row for ``reference``.

    Raises
    ------
    ValueError
        For a method that is not known.
    """
    import pandas as pd

    if unknown := [name for name in methods if name not in TITLES]:
        known = ", ".join(sorted(TITLES))
        raise ValueError(f"no method {', '.join(unknown)}; there are {known}")
    given = [briefings[each.name] for each in moves]
    rows = [
        {
            "move": move.name,
            "group": move.group,
            "method": comment.method,
            "model": comment.model,
            "state": comment.state,
            "text": comment.text,
            "words": comment.words,
        }
        for method in methods
        for move, comment in zip(
            moves, _comments_of(method, moves, given, client), strict=True
        )
        if comment is not None
    ]
    names = ["move", "group", "method", "model", "state", "text", "words"]
    return pd.DataFrame(rows, columns=names)
