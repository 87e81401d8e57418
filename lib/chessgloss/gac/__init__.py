"""A baseline in the manner of GAC: a recurrent network that comments on a move from features.

Jhamtani and others (ACL 2018) encode three groups of features (the move, the threats around
it, the engine's scores), let the decoder attend to each and weigh the groups. This is the
same design, smaller, trained on the commentary at hand: some thousand comments of lectures
where they had three hundred thousand of a forum. It shows what such a network says, not what
theirs would say::

    Gac.load().comment(move, ScoreFeatures.of(before, after))

``python -m chessgloss.gac train`` makes the committed weights again.
"""

from chessgloss.gac.features import ScoreFeatures, feature_words
from chessgloss.gac.model import Gac

__all__ = ["Gac", "ScoreFeatures", "feature_words"]
