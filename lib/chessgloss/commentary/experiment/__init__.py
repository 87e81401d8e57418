"""The experiment: which part of what a model is given makes its comments truer.

``arms`` asks the questions: one prompt, whose parts each arm has or lacks, and which arms are
compared.
"""
