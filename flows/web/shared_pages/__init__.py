"""The shared pages of the explorer."""
