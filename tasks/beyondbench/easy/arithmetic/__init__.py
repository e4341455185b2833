"""Tasks that compute a number from all elements."""
