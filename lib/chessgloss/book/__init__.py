"""The book itself: chapters and their sizes, executing them, comparing what they give.

``chapters`` lists, executes and keeps them; ``used_code`` says what of the library each one
uses; ``profiles`` reads their sizes; ``comparison`` sets two runs side by side; ``reference``
and ``reproduce_page`` hold the documents' values and make the overview of all tables.
"""
