"""What verification starts from and what it leaves: attempts, and the comment published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chessgloss.claims import Checked
from chessgloss.commentary.methods import Comment

#: Returns every claim of a text on one move, each with its verdict.
Check = Callable[[str], tuple[Checked, ...]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A comment as the model wrote it, with its claims checked.

    Parameters
    ----------
    text
        The comment; empty if the answer held none that could be used.
    checked
        Its claims with their verdicts.
    state
        ``answered``, or what became of the answer instead (see
        :class:`chessgloss.commentary.methods.Comment`).
    """

    text: str
    checked: tuple[Checked, ...] = ()
    state: str = "answered"

    def __post_init__(self) -> None:
        if (self.state == "answered") != bool(self.text.strip()):
            raise ValueError(f"an attempt has a text if it was answered, got {self}")

    @property
    def usable(self) -> bool:
        """Whether there is a comment at all."""
        return self.state == "answered"

    @property
    def false(self) -> tuple[Checked, ...]:
        """The false claims."""
        return false_of(self.checked)


@dataclass(frozen=True, slots=True)
class Verified:
    """A comment that holds no claim found false, and how it came about.

    Parameters
    ----------
    comment
        What is published.
    attempts
        What the model wrote, in order; one more than there were follow-up questions.
    dropped
        The parts of the best attempt that were left out, in its order.
    borrowed
        The template's sentences that stand in for them.
    fallback
        Whether the whole comment is the template's.
    checked
        The claims of what is published.
    """

    comment: Comment
    attempts: tuple[Attempt, ...]
    dropped: tuple[str, ...] = ()
    borrowed: tuple[str, ...] = ()
    fallback: bool = False
    checked: tuple[Checked, ...] = ()

    def __post_init__(self) -> None:
        if not self.attempts:
            raise ValueError("a verified comment comes from at least one attempt")

    @property
    def rounds(self) -> int:
        """How often the model was asked again."""
        return len(self.attempts) - 1

    @property
    def own_words(self) -> int:
        """Words of the published comment that are the model's."""
        return (
            0 if self.fallback else self.comment.words - sum(len(s.split()) for s in self.borrowed)
        )

    @property
    def way(self) -> str:
        """How the comment came about: ``as written``, ``rewritten``, ``cut`` or ``template``.

        ``rewritten`` is a later attempt, kept whole; ``cut`` lost a part.
        """
        if self.fallback:
            return "template"
        if self.dropped or self.borrowed:
            return "cut"
        return "as written" if self.comment.text == self.attempts[0].text else "rewritten"


def false_of(checked: tuple[Checked, ...]) -> tuple[Checked, ...]:
    """Return the claims that are false."""
    return tuple(one for one in checked if one.verdict == "false")
