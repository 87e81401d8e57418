"""The book itself: chapters and their sizes, executing them, comparing what they give.

``chapters`` lists, executes and keeps them; ``used_code`` says what of the library each one
uses; ``profiles`` reads their sizes; ``reference`` holds the documents' values. Beside the pages,
``book/compare.py`` sets two runs side by side and ``book/reproduce.py`` makes the overview.
"""
