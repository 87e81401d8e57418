"""Language models that read nothing but moves, and how well they know where the pieces are.

The room of the state-tracking paper (Toshniwal et al., AAAI 2022): games as tokens
(:mod:`~chessgloss.tracking.tokens`), which game serves what
(:mod:`~chessgloss.tracking.corpus`), questions about the board that a prompt alone asks
(:mod:`~chessgloss.tracking.probes`), their scores and the kinds of errors.
"""
