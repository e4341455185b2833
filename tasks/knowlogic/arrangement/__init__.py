"""Arrangements of things on places: all of them as bit masks, and the same question put to a SAT solver."""
