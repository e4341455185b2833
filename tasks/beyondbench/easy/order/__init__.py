"""Tasks about order and the middle."""
