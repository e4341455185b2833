"""Errors of others, in one line of our own."""
