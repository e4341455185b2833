"""BeyondBench's own sections of the report."""
