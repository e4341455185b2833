"""Tasks about the largest, the smallest and differences."""
