"""What chapters read of the book: their sizes and the documents' values.

``profiles`` holds the sizes, ``reference`` the values. What executes, compares and lists the
chapters stands beside the pages, ``book/*.py``, driven by ``dodo.py``.
"""
