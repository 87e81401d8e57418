"""The human study: the form that raters fill in, and the tables that their ratings make.

``chessgloss survey build`` makes one HTML page of moves and comments whose methods nobody can
read there, and a key file that stays with its maker. ``chessgloss survey read`` checks the
files that raters send back and makes Tables 1 to 4 of the CCC paper from them.
"""

from chessgloss.assets import needs

needs("pandas", "scipy")
