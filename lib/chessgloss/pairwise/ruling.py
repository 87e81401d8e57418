"""The hard rule as a program, on the context that the judge was given.

A comment that claims a check, a checkmate, a capture, a promotion, a trade, the win of a
hanging piece, or a forced tactic or threat which the context does not support has a
faithfulness of 1, whatever the judge gave. The board's own verdict on the same claims stands
beside it: what the context leaves out may yet be true, and what is false is never supported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chessgloss.claims import DISQUALIFIED, Checked, Disqualifier, disqualifier, verify
from chessgloss.facts import Facts, linearise
from chessgloss.facts.verdict import Verdict
from chessgloss.pairwise.records import HIGHEST, Ballot
from chessgloss.pairwise.support import squares_of, supports

#: Which candidates of a pair the hard rule strikes.
Struck = Literal["none", "A", "B", "both"]


@dataclass(frozen=True, slots=True)
class Event:
    """A claim of one of the events that the hard rule names.

    Parameters
    ----------
    name
        Which event.
    checked
        The claim and the board's verdict on it.
    in_context
        Whether the feature context speaks of such an event.
    """

    name: Disqualifier
    checked: Checked
    in_context: bool

    @property
    def supported(self) -> bool:
        """Whether the claim is left standing: the context has the event, and it is not false."""
        return self.in_context and self.checked.verdict != "false"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the hard rule says of one comment.

    Parameters
    ----------
    events
        Its claims of the events that the rule names, in the order of the words.
    """

    events: tuple[Event, ...] = ()

    @property
    def unsupported(self) -> tuple[Event, ...]:
        """The claims without support in the context."""
        return tuple(one for one in self.events if not one.supported)

    @property
    def disqualified(self) -> bool:
        """Whether the rule sets faithfulness to 1."""
        return bool(self.unsupported)

    @property
    def false_on_board(self) -> bool:
        """Whether the board, or the engine's verdict, denies one of the claims."""
        return any(one.checked.verdict == "false" for one in self.events)

    @property
    def most_faithfulness(self) -> int:
        """Most points of faithfulness that are left: 1 or 5."""
        return DISQUALIFIED if self.disqualified else HIGHEST


def rule_on(text: str, facts: Facts, verdict: Verdict | None = None) -> Ruling:
    """Apply the hard rule to a comment.

    What a comment denies, asks or merely supposes is no claim, unless the checker finds it
    false.

    Parameters
    ----------
    text
        The comment.
    facts
        Facts of the move; the context is made of them.
    verdict
        The engine's verdict in the facts, for claims that it decides.
    """
    context = linearise(facts)
    events = []
    for checked in verify(text, facts.move, verdict):
        name = disqualifier(checked.claim)
        if name is not None and _is_claimed(checked):
            found = supports(context, name, squares_of(checked.claim))
            events.append(Event(name, checked, found))
    return Ruling(tuple(events))


def apply_rulings(ballot: Ballot, a: Ruling, b: Ruling) -> Ballot:
    """Return the ballot with a faithfulness of 1 for each candidate that the rule strikes."""
    return ballot.limited(a.most_faithfulness, b.most_faithfulness)


def struck(a: Ruling, b: Ruling) -> Struck:
    """Return which candidates are disqualified; if both are, totals decide, but neither is good."""
    if a.disqualified and b.disqualified:
        return "both"
    return "A" if a.disqualified else "B" if b.disqualified else "none"


def _is_claimed(checked: Checked) -> bool:
    stance = checked.claim.stance
    if checked.verdict == "false" and not stance.negated:
        return True
    return not (stance.negated or stance.asked or (stance.supposed and not stance.able))
