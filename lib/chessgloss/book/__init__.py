"""The book itself: chapters and their sizes, executing them, comparing what they give.

``chapters`` lists, executes and keeps them; ``used_code`` says what of the library each one
uses; ``profiles`` reads their sizes; ``comparison`` sets two runs side by side; ``reference``
holds the documents' values. ``book/reproduce.py`` makes the overview of all tables.
"""
