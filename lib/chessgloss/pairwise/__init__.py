"""The pairwise rubric: two comments on one move, six criteria, one line of answer.

Source: *Chess Commentary Pairwise Evaluation Rubric (LLM-as-a-Judge)*. Its parts are apart
here: what is asked (:mod:`~chessgloss.pairwise.questions`), how an answer is read
(:mod:`~chessgloss.pairwise.lines`), the decision (:mod:`~chessgloss.pairwise.records`), the hard
rule (:mod:`~chessgloss.pairwise.ruling`), and what many answers say together
(:mod:`~chessgloss.pairwise.swaps`, :mod:`~chessgloss.pairwise.strengths`).
"""
