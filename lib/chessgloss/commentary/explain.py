"""A model's comment, read and checked before it is shown.

A reader turns the comment into claims, a program decides them. What is false goes back to the
writer once, with what decides it; a sentence that is false again is cut, and what nobody could read
is marked. Every claim is decided on the board or by the engine's verdict on the move.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from chessgloss.claims import Checked, verify
from chessgloss.claims.decide import UNREAD
from chessgloss.claims.language import Read
from chessgloss.claims.read_model import sentence_spans
from chessgloss.commentary.arms import read_comment, send_back
from chessgloss.commentary.briefing import Briefing, Comment
from chessgloss.llm.recordings import Answer, Request
from chessgloss.llm.text import counted

#: The arm whose comments are checked.
METHOD = "explain"

#: Stands behind a sentence that nobody could read.
NOT_CHECKED = "[not checked]"


@dataclass(slots=True)
class Spent:
    """What comments have cost, and what was checked in them; added up over a game.

    Parameters
    ----------
    comments, questions
        Comments that were asked for, and questions that it took.
    tokens_in, tokens_out
        As far as the endpoint says.
    seconds
        Waited for answers.
    claims
        Claims that were read, by what the program says.
    sent_back, cut, unread
        Comments that were sent back; sentences that were cut, or could not be read.
    """

    comments: int = 0
    questions: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    claims: Counter[str] = field(default_factory=Counter)
    sent_back: int = 0
    cut: int = 0
    unread: int = 0

    def __str__(self) -> str:
        each = max(1, self.comments)
        decided = self.claims["true"] + self.claims["false"]
        asked = f"{counted(self.comments, 'comment')}, {counted(self.questions, 'question')}"
        return (
            f"{asked}: {self.seconds / each:.1f} s, {self.tokens_in // each:,} tokens in and "
            f"{self.tokens_out // each:,} out a comment; "
            f"{counted(self.claims.total(), 'claim')} checked, {decided} decided; "
            f"{counted(self.sent_back, 'comment')} sent back, "
            f"{counted(self.cut, 'sentence')} cut, {self.unread} not checked"
        )

    def asking(self, ask: Callable[[Request], Answer]) -> Callable[[Request], Answer]:
        """Return what asks the same and is counted here."""

        def asked(request: Request) -> Answer:
            start = time.monotonic()
            answer = ask(request)
            self.seconds += time.monotonic() - start
            self.questions += 1
            self.tokens_in += answer.prompt_tokens
            self.tokens_out += answer.completion_tokens
            return answer

        return asked

    def add(self, outcome: Outcome) -> None:
        """Count what the check of a comment came to."""
        self.claims += outcome.claims
        self.sent_back += outcome.again
        self.cut += outcome.cut
        self.unread += outcome.unread


@dataclass(frozen=True, slots=True)
class Outcome:
    """A comment that was checked, and what the check came to.

    Parameters
    ----------
    comment
        What is shown; its text is empty if nothing true was left of it.
    claims
        Claims that were read in it, by what the program says: ``true``, ``false`` (of these none
        is left), ``not checkable``.
    again
        Whether it was sent back.
    cut, unread
        Sentences that were cut, and that are marked.
    """

    comment: Comment
    claims: Counter[str]
    again: bool = False
    cut: int = 0
    unread: int = 0


def explain(
    briefing: Briefing,
    request: Request,
    ask: Callable[[Request], Answer],
    read: Read,
) -> Outcome:
    """Ask for a comment on a move and check it.

    Parameters
    ----------
    briefing
        The move and what is known of it.
    request
        What is asked of the writer.
    ask
        Asks it; at most twice.
    read
        Reads claims in a text.
    """
    answer = ask(request)
    comment = read_comment(answer, METHOD)
    claims = _check(comment, briefing, read)
    wrong = [(each.text, each.evidence) for each in claims if each.verdict == "false"]
    if not wrong:
        return _cut(comment, claims)
    second = read_comment(ask(send_back(request, answer.text, wrong)), METHOD)
    if second.state == "answered":
        comment, claims = second, _check(second, briefing, read)
    return replace(_cut(comment, claims), again=True)


def _check(comment: Comment, briefing: Briefing, read: Read) -> tuple[Checked, ...]:
    return verify(comment.text, briefing.move, briefing.verdict, read=read)


def _cut(comment: Comment, claims: Sequence[Checked]) -> Outcome:
    """Return a comment without its false sentences, those that nobody read marked."""
    kept = list[str]()
    cut = unread = 0
    for start, stop in sentence_spans(comment.text) if comment.text else ():
        here = [c for c in claims if c.span[0] < stop and start < c.span[1]]
        if any(each.verdict == "false" for each in here):
            cut += 1
            continue
        missed = any(each.claim == UNREAD for each in here)
        unread += missed
        kept.append(comment.text[start:stop] + f" {NOT_CHECKED}" * missed)
    counts: Counter[str] = Counter(c.verdict for c in claims if c.claim != UNREAD)
    text = " ".join(kept)
    return Outcome(replace(comment, text=text), counts, cut=cut, unread=unread)
