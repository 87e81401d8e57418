"""A reader's own game, annotated: which moves matter, the PGN and the page that show it."""
