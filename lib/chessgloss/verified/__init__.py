"""Commentary whose every claim is checked: asked, verified, asked again, mended.

::

    told = write_verified(briefings["lec3/13"], client, first=commentary_client)
    told.comment.text, told.rounds, told.dropped

The method ``ccc_verified``, and ``ccc_simple``, which asks for a beginner's language.
"""

from chessgloss.verified.records import Attempt, Verified
from chessgloss.verified.steps import next_step, settle
from chessgloss.verified.writer import conversation, pending, write_verified

__all__ = [
    "Attempt",
    "Verified",
    "conversation",
    "next_step",
    "pending",
    "settle",
    "write_verified",
]
