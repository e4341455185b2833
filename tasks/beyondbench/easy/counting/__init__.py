"""Tasks that count elements."""
