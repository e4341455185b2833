"""The Hard suite: 10 tasks with 68 variations."""
