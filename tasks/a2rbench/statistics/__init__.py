"""Figures of players on an edition of A2RBench."""
