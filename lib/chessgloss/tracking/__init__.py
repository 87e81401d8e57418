"""Language models that read nothing but moves, and how well they know where the pieces are.

The room of the state-tracking paper (Toshniwal et al., AAAI 2022): games as tokens and batches
(:mod:`~chessgloss.tracking.games`), models (:mod:`~chessgloss.tracking.models`), questions about
the board that a prompt alone asks (:mod:`~chessgloss.tracking.probes`), the runs that were trained
(:mod:`~chessgloss.tracking.runs`), what they came to beside baselines without a model
(:mod:`~chessgloss.tracking.results`), and whether there is a board in their hidden states
(:mod:`~chessgloss.tracking.world_model`). :mod:`~chessgloss.tracking.plan` knows what stands behind
a run's name; :mod:`~chessgloss.tracking.train` trains it, on games of
:mod:`~chessgloss.tracking.sources`, with the optimisers of :mod:`~chessgloss.tracking.optim`.
"""

from chessgloss.assets import needs

needs("torch", "pandas")
