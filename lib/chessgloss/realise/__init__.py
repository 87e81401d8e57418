"""Comments written from facts alone: varied, grammatical, and never false.

::

    told = realise(gather(move, verdict), verdict, concepts, seed=1)
    told.text, told.used

The method ``template``, and what every other method falls back on.
"""

from __future__ import annotations

from chessgloss.realise.concepts import Concept
from chessgloss.realise.realiser import every_sentence, realise, sentences_for
from chessgloss.realise.records import Realised

__all__ = ["Concept", "Realised", "every_sentence", "realise", "sentences_for"]
