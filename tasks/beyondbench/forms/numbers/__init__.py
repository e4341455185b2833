"""Numbers as answers."""
