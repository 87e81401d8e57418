"""What can hold on a chess board: predicates that decide and find, one module a subject.

``find`` functions return the arguments for which a predicate holds on a board; ``holds``
functions decide it for given arguments, with evidence in plain English
(:class:`~chessgloss.predicates.finding.Finding`). Facts are what was found, claims what was given.
"""
