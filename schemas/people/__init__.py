"""People as players, and their tables."""
