"""The Medium suite: the next term of a sequence, 5 tasks with 49 variations."""
