"""Sampling: distinct instances of a domain, by construction and by SAT (Algorithms 1 and 2)."""
