"""The claims that a comment makes, each checked on the board and with the engine's verdict.

A text becomes tokens, then sentences, then claims; each claim is held against the moments that
its words allow and gets a verdict with evidence. Where is what:

``words.toml``, ``lexicon``
    The words, each under a tag with a name, and the cues that say how a claim is put; a text cut
    into tokens, and regular expressions over their tags.
``parser``
    Phrases (``Term``: which pieces, squares, moves), sentences, who acts; the record ``Claim``
    with its ``Stance`` and ``Detail``.
``relations.toml``, ``relations``
    The table of what can be claimed and how words say it; the readers that make claims of them.
``scene``
    The moments a text may speak of (before the move, after it, its own lines), who is meant.
``looks``
    One function a relation, one file a subject: does it hold in this moment?
``unread``
    Clauses whose verb no relation reads, so that what is not understood is seen.
``checker``
    ``extract`` and ``verify``; the verdict from all moments, and the excuses that leave it open.
``gold``
    How good that is.

What *if* does to a claim: the tag ``if`` and the cue ``unreal`` of ``words.toml`` make its stance
*supposed* (``parser.Sentence.stance``; readers add cases of their own), and the excuse
*supposed* (``checker.EXCUSES``) then leaves it open instead of false, but for a capture that no
move makes possible (``checker._is_refuted``).

What a claim is worth: a true one says something. What a text only names, and what is there (the
knight on f3, a legal move), is ``named``; that it is not there is a fault all the same. A state
said in the present is of the position after the move, one that ``was`` of the position before it:
in the other of the two it is left open (``checker._is_of_another_time``). What a side can do holds
for the moment when it is on turn (``looks.captures``). Words for the engine's judgement are on the
scale of :mod:`chessgloss.facts.verdict` (``looks.engine``).

When a text may call a move a sacrifice: where ``facts.tactics.exchange`` of it is below zero, a
quiet move that hangs a piece included (``looks.presupposed.theme``; presupposed, so never called
false). What a capture wins is in ``looks.captures``. When the program itself calls a move a
sacrifice is another rule: :mod:`chessgloss.notes.sacrifices`.
"""

from chessgloss.claims.checker import Checked, disqualifier, extract, verify
from chessgloss.claims.looks.finding import Truth
from chessgloss.claims.parser import Claim, Kind
from chessgloss.claims.relations import CAUSES, Cause, Disqualifier

__all__ = [
    "CAUSES",
    "Cause",
    "Checked",
    "Claim",
    "Disqualifier",
    "Kind",
    "Truth",
    "disqualifier",
    "extract",
    "verify",
]
