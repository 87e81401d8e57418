"""One function a relation: it looks at one moment and says whether what is claimed holds there.

===============  =================================================================
``finding``      what a look gives: holds, fails, absent, unknown, with its evidence
``moves``        moves played, legal, impossible; castling, promotion
``pieces``       where pieces stand, what they attack, defend, control, shelter
``replies``      what the side on turn can do: captures, squares to go to, mates
``lines``        what stands in whose way, and whose way has become free
``captures``     captures, exchanges, and what they win
``checks``       checks and mates
``tactics``      forks, pins, skewers, discovered attacks
``material``     who is ahead, how many pieces there are
``structure``    pawns and files
``engine``       evaluations, by an engine's verdict
``presupposed``  what a text takes for granted
===============  =================================================================
"""
