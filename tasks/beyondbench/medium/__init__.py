"""The Medium suite: 5 tasks on sequences, 49 variations."""
