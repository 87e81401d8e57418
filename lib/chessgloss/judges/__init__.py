"""Judging commentary with a language model: GCC-Eval, the pairwise rubric, tests of the judge.

Whatever asks a model has one shape: a frame of questions with a column ``request``, the same
frame with answers (:meth:`chessgloss.llm.client.Client.answered`), the same frame with scores.
"""

from chessgloss.assets import needs

needs("pandas", "scipy")
