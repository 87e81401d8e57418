"""Concepts: fitted on an expert's activations, and ranked by how much a move changes them.

``fit`` fits a vector for each concept, of the oracle's terms or of facts of the board
(``facts``); ``scores`` says what vectors and rankings are worth on held-out games; ``changes``
holds what moves really change; ``priority`` ranks the concepts of a move with the weights that
``train`` made, as ``train_facts`` made the vectors of ``facts``; ``bulk`` asks oracle and expert
about many positions.
"""
