"""Items that others published: read as they stand, run, and judged by our own rules."""
