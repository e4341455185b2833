"""KUMO's part of the explorer."""
