"""Games, positions drawn from them, and lectures: a module each, and its reader."""
