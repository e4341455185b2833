"""Families of sequences: how one is drawn and computed, a module per task."""
