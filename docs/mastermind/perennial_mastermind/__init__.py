"""Mastermind as a benchmark of perennial: a hidden code, guesses, and how near each guess is."""
