"""Games, positions drawn from them, lectures and puzzles: a module each, and its reader."""
