"""What chapters read of the book: their sizes, the documents' values, the code that they use.

``profiles`` holds the sizes, ``reference`` the values, ``used_code`` the files of the library that
a text imports, from which follows whether a chapter is out of date. What executes, compares and
lists the chapters stands beside the pages, ``book/*.py``, driven by ``dodo.py``.
"""
