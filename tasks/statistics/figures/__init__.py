"""Figures of players, one subject each."""
