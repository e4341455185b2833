"""Cyclic garbage is looked for seldom, in processes whose imports create a million objects that all stay."""

import gc

_NEW_OBJECTS = 50_000  # Python's own figure is 700: its searches take a fifth of what importing Prefect does


def collect_seldom() -> None:
    """Let this process look for garbage once in so many new objects."""
    gc.set_threshold(_NEW_OBJECTS, 10, 10)
