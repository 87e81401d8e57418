"""The decisions of verified commentary, apart from any model: ask again, or settle on what.

A model is asked again at most :data:`ROUNDS` times, and only where an answer holds a false
claim or no comment. Then the best attempt is mended by leaving out what is false. Where a
comment would lose its point the template's sentence stands in; where too little of it is
left, the whole template.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from chessgloss.commentary.methods import Comment
from chessgloss.verified.mending import Mended, mend
from chessgloss.verified.records import Attempt, Check, Verified

#: What to do next: ask for the false claims to be mended, for the comment alone, or stop.
Step = Literal["mend", "repeat", "settle"]

#: Follow-up questions at most.
ROUNDS: Final = 2

#: Relations of claims that judge the move.
_OF_THE_MOVE: Final = frozenset({"good_move", "bad_move", "best_move", "only_move"})

#: Words of the model's own that a published comment has at least, else it is the template's.
LEAST_WORDS: Final = 5


@dataclass(frozen=True, slots=True)
class Fallback:
    """The template's comment on a move, which can stand in for a part or the whole.

    Parameters
    ----------
    sentences
        Its sentences; the first says what the move does.
    names
        Words by which a text names the move: its notation, the square it ends on.
    """

    sentences: tuple[str, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.sentences:
            raise ValueError("a template's comment has at least one sentence")

    @property
    def text(self) -> str:
        """The whole comment."""
        return " ".join(self.sentences)

    @property
    def lead(self) -> str:
        """The sentence that says what the move does."""
        return self.sentences[0]

    def is_spoken_of(self, mended: Mended) -> bool:
        """Tell whether a comment names the move, or says how good it is."""
        names = "|".join(map(re.escape, ("move", *self.names)))
        named = re.search(rf"(?<!\w)(?:{names})(?!\w)", mended.text) is not None
        return named or any(one.claim.relation in _OF_THE_MOVE for one in mended.checked)

    def judgement(self, check: Check) -> str | None:
        """Return its last sentence if that judges move or position, else ``None``."""
        last = self.sentences[-1]
        judges = any(one.claim.kind == "evaluation" for one in check(last))
        return last if judges and len(self.sentences) > 1 else None


def next_step(attempts: Sequence[Attempt]) -> Step:
    """Return what to do after some attempts.

    An answer without a comment is asked for once more, a comment with false claims up to
    :data:`ROUNDS` times. A comment that comes back word for word is not asked about again.

    Raises
    ------
    ValueError
        If there is no attempt yet.
    """
    if not attempts:
        raise ValueError("the first question comes before any step")
    last, earlier = attempts[-1], attempts[:-1]
    if len(attempts) > ROUNDS or (last.usable and not last.false):
        return "settle"
    if not last.usable:
        return "settle" if any(not one.usable for one in earlier) else "repeat"
    return "settle" if any(one.text == last.text for one in earlier) else "mend"


def settle(
    attempts: Sequence[Attempt], fallback: Fallback, check: Check, *, method: str, model: str = ""
) -> Verified:
    """Return what is published after all attempts.

    Parameters
    ----------
    attempts
        What the model wrote.
    fallback
        The template's comment.
    check
        Returns the claims of a text on the move.
    method, model
        Names that the comment carries.

    Returns
    -------
    Verified
        Of the attempts with the fewest false claims that one whose mended form keeps most true
        claims, then most words, then the earliest; of the next best if too little is left of
        it; else the template.
    """
    tried = tuple(attempts)
    for mended in _best_first(tried, check):
        borrowed = _borrowed(mended, tried, fallback, check)
        text = _put_together(mended, borrowed, fallback)
        checked = check(text)
        if mended.words >= LEAST_WORDS and not any(one.verdict == "false" for one in checked):
            comment = Comment(text, method, model)
            return Verified(comment, tried, mended.dropped, borrowed, False, checked)
    comment = Comment(fallback.text, method, model)
    return Verified(comment, tried, fallback=True, checked=check(fallback.text))


def _best_first(attempts: Sequence[Attempt], check: Check) -> list[Mended]:
    mended = [
        (len(one.false), mend(one.text, check, again=number > 0))
        for number, one in enumerate(attempts)
        if one.usable
    ]
    ranked = sorted(mended, key=lambda pair: (pair[0], -pair[1].true, -pair[1].words))
    return [one for _, one in ranked]


def _borrowed(
    mended: Mended, attempts: Sequence[Attempt], fallback: Fallback, check: Check
) -> tuple[str, ...]:
    """Return the template's sentences that a comment needs in place of what it lost."""
    if not mended.dropped:
        return ()
    lead = () if fallback.is_spoken_of(mended) else (fallback.lead,)
    judged = any(one.claim.kind == "evaluation" for one in mended.checked)
    lost = any(one.claim.kind == "evaluation" for each in attempts for one in each.false)
    judgement = fallback.judgement(check) if lost and not judged else None
    return (*lead, judgement) if judgement else lead


def _put_together(mended: Mended, borrowed: tuple[str, ...], fallback: Fallback) -> str:
    before = [one for one in borrowed if one == fallback.lead]
    after = [one for one in borrowed if one != fallback.lead]
    return " ".join([*before, mended.text, *after])
