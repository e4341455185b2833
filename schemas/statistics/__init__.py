"""What figures are of, and their tables."""
