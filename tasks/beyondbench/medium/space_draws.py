"""Repeats."""

from collections import defaultdict

DRAWS = 20_000
REPEATS: dict[tuple[str, int], int] = defaultdict(int)
