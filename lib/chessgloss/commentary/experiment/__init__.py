"""The experiment: which part of what a model is given makes its comments truer.

``arms`` asks the questions: one prompt, whose parts each arm has or lacks. ``contrasts`` says what
is compared, as it was decided before an answer was there.
"""
