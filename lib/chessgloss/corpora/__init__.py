"""Readers of the collections of games and comments that the chapters use, one module each."""
