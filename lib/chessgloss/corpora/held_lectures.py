"""Which lectures are kept for evaluation, and never trained on or shown as an example.

The rule looks at names and counts only, so that it can be stated before any method runs:
a lecture is evaluated if the one split by name (:func:`~chessgloss.positions.split_of`)
does not put it into the training part. Should these hold too few comments to compare
methods on, lectures of the training part join them in the order of a hash of their names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from chessgloss.corpora.lectures import Lecture
from chessgloss.positions import CommentedMove, split_of

#: Fewest and most words of a comment that may be evaluated.
WORDS = (3, 40)
#: Fewest such comments the evaluated lectures hold together, as long as there are so many.
ENOUGH = 150


def eligible(comment: CommentedMove) -> bool:
    """Return whether a comment is neither a mere remark nor an essay (see :data:`WORDS`)."""
    return WORDS[0] <= comment.words <= WORDS[1]


def evaluated_lectures(lectures: Iterable[Lecture], *, enough: int = ENOUGH) -> frozenset[str]:
    """Return the names of the lectures kept for evaluation.

    Parameters
    ----------
    lectures
        All lectures at hand, in any order.
    enough
        Number of eligible comments below which lectures of the training part join.

    Returns
    -------
    frozenset of str
        Names such as ``lec9``; all names if the lectures hold fewer than ``enough`` comments.
    """
    counts = {one.name: sum(map(eligible, one.comments)) for one in lectures}
    held = {name for name in counts if split_of(name) != "train"}
    total = sum(counts[name] for name in held)
    for name in sorted(counts.keys() - held, key=_lot):
        if total >= enough:
            break
        held.add(name)
        total += counts[name]
    return frozenset(held)


def _lot(name: str) -> tuple[str, str]:
    """Return the place of a lecture among those that may join; the name breaks a tie."""
    return hashlib.blake2b(name.encode(), digest_size=8).hexdigest(), name
