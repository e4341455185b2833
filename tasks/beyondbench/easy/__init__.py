"""The Easy suite: 29 tasks on lists and pairs of integers."""
